// Action graphs: one drawing (for editors too), and graphs of an answer beside their references with the differences.

import { el, fill, inert, named } from "../dom.js";
import { layOut } from "./graph_layout.js";

const GRAPH_FONT = "13px system-ui, sans-serif";
const MOST_WIDE = { node: 170, edge: 110 };
const SIGNS_OF = { matched: "=", missing: "-", extra: "+", reversed: "~", mismatched: "~", "wrong hand": "~", removed: "-", added: "+" };
const LOOK_OF = { removed: "missing", added: "extra", "wrong hand": "wrong-hand" };
const OUT_OF_L = "not in L";
const widths = new Map();
let pen = null;

// A drawing of triplets; `marks` are kinds of differences by the number of the triplet: "missing", "extra" and so on, and
// "removed" and "added" where the same graph is shown before and after a change.
export function drawGraph(triplets, marks = []) {
  const signs = marks.map((kind) => (kind ? `${SIGNS_OF[kind] || "~"} ` : ""));
  const graph = layOut(triplets, textWidth, shortened, signs);
  const words = triplets.map((triplet) => triplet.join(" \u2192 ")).join("; ");
  const size = { width: graph.wide, height: graph.high, viewBox: `0 0 ${graph.wide} ${graph.high}` };
  const drawing = el("svg.graph-drawing", size, { role: "img", "aria-label": words || "no triplets" },
    graph.edges.map((edge) => edgeDrawing(edge, marks[edge.number])),
    graph.nodes.map((node) => nodeDrawing(node, markOfNode(node, marks))));
  drawing.style.setProperty("min-width", `${Math.round(graph.wide * 0.72)}px`);
  return drawing;
}

function markClass(kind) {
  return kind ? `is-${kind in SIGNS_OF ? (LOOK_OF[kind] ?? kind) : "other"}` : "is-plain";
}

// A node has a mark where all its edges have the same one, and it is in one graph alone.
function markOfNode(node, marks) {
  const kinds = new Set([...node.in, ...node.out].map((edge) => marks[edge.number] || ""));
  const [kind] = kinds;
  return kinds.size === 1 && ["-", "+"].includes(SIGNS_OF[kind]) ? kind : "";
}

function edgeDrawing(edge, kind) {
  const told = `${edge.source.name} \u2192 ${edge.name} \u2192 ${edge.target.name}${kind ? ` (${kind})` : ""}`;
  return el(`g.edge.${markClass(kind)}`, { "data-edge": edge.number },
    el("title", told),
    el("path.line", { d: edge.path }),
    el("polygon.tip", { points: edge.tip.map((one) => one.join(",")).join(" ") }),
    el("text.label", { x: edge.labelX, y: edge.labelY }, edge.label));
}

function nodeDrawing(node, kind) {
  const { x, y, wide, high } = node, box = { x, y, width: wide, height: high };
  const round = { person: 15, action: 3, object: 8 }[node.kind];
  const shape = node.kind === "hand" ? el("polygon.shape", { points: hexagon(box) }) : el("rect.shape", { ...box, rx: round });
  return el(`g.node.is-${node.kind}.${markClass(kind)}`, { "data-name": node.name },
    el("title", `${node.kind}: ${node.name}`),
    shape,
    el("text", { x: x + wide / 2, y: y + high / 2 }, node.label || "\u2205"));
}

function hexagon({ x, y, width, height }) {
  const end = x + width, middle = y + height / 2, low = y + height;
  return [[x + 9, y], [end - 9, y], [end, middle], [end - 9, low], [x + 9, low], [x, middle]].map((one) => one.join(",")).join(" ");
}

function textWidth(text) {
  if (!widths.has(text)) {
    pen ||= Object.assign(document.createElement("canvas").getContext("2d"), { font: GRAPH_FONT });
    if (widths.size > 5000) widths.clear();
    widths.set(text, Math.ceil(pen.measureText(text).width) + 1);
  }
  return widths.get(text);
}

function shortened(text, what) {
  const whole = inert(text), most = MOST_WIDE[what];
  if (textWidth(whole.slice(0, 200)) <= most && whole.length <= 200) return whole;
  const letters = Array.from(whole.slice(0, 200));
  while (letters.length && textWidth(`${letters.join("")}\u2026`) > most) letters.pop();
  return `${letters.join("")}\u2026`;
}

// The value of a panel: pairs of graphs, or graphs alone.
export function drawGraphs(value) {
  const pairs = value.pairs || [];
  if (!pairs.length) return el("p.panel-note", "There are no graphs.");
  const areCompared = pairs.some(isCompared);
  return el(areCompared ? "div.graphs" : "div.graphs.are-alone", areCompared && graphLegend(), pairs.map((pair, number) => drawPair(pair, pairs.length > 1 ? number + 1 : 0)));
}

function isCompared(pair) {
  return pair.matched !== null;
}

function graphLegend() {
  const words = { matched: "matched", missing: "missing", extra: "extra", reversed: "reversed, mismatched or wrong hand" };
  const entries = Object.entries(words).map(([kind, text]) => el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind]), ` ${text}`));
  return el("ul.graph-legend", { "aria-label": "signs" }, entries);
}

function drawPair(pair, number) {
  const actions = (pair.reference || pair.candidate || []).filter(([, edge]) => edge === "verb").map(([, , action]) => action);
  const title = el("h4", number ? `Graph ${number}` : "Graph", actions.length ? [": ", named([...new Set(actions)].join(", "))] : null);
  if (!isCompared(pair)) return el("section.graph-pair", title, scrolled("Graph", drawGraph(pair.candidate || [])));
  return el("section.graph-pair", title, el("p.summary", pairSummary(pair)),
    el("div.graph-sides", graphSide("Reference", "reference", pair), graphSide("Answer", "candidate", pair)),
    el("details.triplets", { open: !pair.candidate || !pair.reference || pair.changes.length > 0 }, el("summary", "Triplets"), el("ul", tripletLines(pair).map(tripletLine))));
}

function pairSummary(pair) {
  if (!pair.candidate) return "missing: the answer has no graph at this place";
  if (!pair.reference) return "surplus: no reference stands at this place";
  const counts = new Map();
  for (const { kind } of pair.changes) counts.set(kind, (counts.get(kind) || 0) + 1);
  return [`${pair.matched} matched`, ...[...counts].map(([kind, count]) => `${count} ${kind}`)].join(", ");
}

function graphSide(title, side, pair) {
  const triplets = pair[side];
  if (!triplets) return el("figure.graph-side", el("figcaption", title), el("p.panel-note", "no graph"));
  const kinds = kindsOf(pair, side);
  return el("figure.graph-side", el("figcaption", title), scrolled(title, drawGraph(triplets, triplets.map((one) => kinds.get(keyOf(one)) || "matched"))));
}

function keyOf(triplet) {
  return JSON.stringify(triplet);
}

// The kinds of the differing triplets of one side; a graph without a partner differs as a whole.
function kindsOf(pair, side) {
  const found = new Map(pair.changes.filter((change) => change[side]).map((change) => [keyOf(change[side]), change.kind]));
  if (!pair.candidate || !pair.reference) (pair[side] || []).forEach((one) => found.set(keyOf(one), side === "reference" ? "missing" : "extra"));
  return found;
}

function tripletLines(pair) {
  const side = pair.reference ? "reference" : "candidate", kinds = kindsOf(pair, side);
  const matched = (pair[side] || []).filter((one) => !kinds.has(keyOf(one))).map((one) => ({ kind: "matched", reference: one, candidate: one, outside: [] }));
  if (pair.candidate && pair.reference) return [...matched, ...pair.changes];
  return (pair[side] || []).map((one) => ({ kind: kinds.get(keyOf(one)), reference: one, candidate: null, outside: [] }));
}

// A graph alone: drawn, and its triplets as text with their marks.
export function drawMarkedGraph(title, triplets, marks = []) {
  const lines = triplets.map((triplet, number) => {
    const kind = marks[number];
    return el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind] || (kind ? "~" : "")), " ", kind ? el("span.kind", `${kind}: `) : null, arrowed(triplet));
  });
  return [scrolled(title, drawGraph(triplets, marks)), el("div.triplets", el("ul", lines))];
}

function tripletLine({ kind, reference, candidate, outside }) {
  const expected = candidate && reference && kind !== "matched" ? [", expected ", arrowed(reference)] : null;
  const foreign = outside.length ? [` (${OUT_OF_L}: `, outside.map((name, number) => [number ? ", " : "", named(name)]), ")"] : null;
  const word = kind === "matched" ? null : el("span.kind", `${kind}: `);
  return el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind] || "~"), " ", word, arrowed(candidate || reference), expected, foreign);
}

function arrowed(triplet) {
  return triplet.map((name, number) => [number ? " \u2192 " : "", named(name === "" ? "\u2205" : name)]);
}

// A drawing that scrolls where the page is narrow, with keys too.
function scrolled(title, drawing) {
  return fill(el("div.scrolled", { tabindex: 0, role: "group", "aria-label": `${title}, drawn` }), drawing);
}
