// Action graphs as Python drew them (for editors too), and graphs of an answer beside their references with the differences.

import { el, named } from "../dom.js";

const LEAST_SHARE = 0.72;
const SIGNS_OF = {
  matched: "=", missing: "\u2212", extra: "+", reversed: "\u21c4", mismatched: "\u2260", "wrong hand": "\u2260hand", removed: "\u2212", added: "+",
};
const LOOK_OF = { removed: "missing", added: "extra", "wrong hand": "wrong-hand" };
const OUT_OF_L = "not in L";

// The element of a drawing, an SVG as text; it is called by its triplets. Its colours follow those of the page.
export function drawnGraph(svg) {
  const drawing = document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
  drawing.classList.add("graph-drawing");
  drawing.setAttribute("aria-label", drawing.querySelector("desc").textContent);
  drawing.style.setProperty("min-width", `${Math.round(LEAST_SHARE * drawing.width.baseVal.value)}px`);
  return drawing;
}

// What scrolls where the page is narrow, with keys too.
export function scrolledGraph(title, drawing) {
  return el("div.scrolled", { tabindex: 0, role: "group", "aria-label": `${title}, drawn` }, drawing);
}

function markClass(kind) {
  return kind ? `is-${kind in SIGNS_OF ? (LOOK_OF[kind] ?? kind) : "other"}` : "is-plain";
}

// The value of a panel: pairs of graphs, or graphs alone, with the drawings of each pair.
export function drawGraphs(value, drawings) {
  const pairs = value.pairs || [];
  if (!pairs.length) return el("p.panel-note", "There are no graphs.");
  const areCompared = pairs.some(isCompared);
  return el(areCompared ? "div.graphs" : "div.graphs.are-alone", areCompared && graphLegend(), pairs.map((pair, number) => drawPair(pair, drawings[number], pairs.length > 1 ? number + 1 : 0)));
}

function isCompared(pair) {
  return pair.matched !== null;
}

function graphLegend() {
  const kinds = ["matched", "missing", "extra", "reversed", "mismatched", "wrong hand"];
  const entries = kinds.map((kind) => el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind]), ` ${kind}`));
  return el("ul.graph-legend", { "aria-label": "signs" }, entries);
}

function drawPair(pair, drawings, number) {
  const actions = (pair.reference || pair.candidate || []).filter(([, edge]) => edge === "verb").map(([, , action]) => action);
  const title = el("h4", number ? `Graph ${number}` : "Graph", actions.length ? [": ", named([...new Set(actions)].join(", "))] : null);
  if (!isCompared(pair)) return el("section.graph-pair", title, scrolledGraph("Graph", drawnGraph(drawings.candidate)));
  return el("section.graph-pair", title, el("p.summary", pairSummary(pair)),
    el("div.graph-sides", graphSide("Reference", pair.reference && drawings.reference), graphSide("Answer", pair.candidate && drawings.candidate)),
    el("details.triplets", { open: !pair.candidate || !pair.reference || pair.changes.length > 0 }, el("summary", "Triplets"), el("ul", tripletLines(pair).map(tripletLine))));
}

function pairSummary(pair) {
  if (!pair.candidate) return "missing: the answer has no graph at this place";
  if (!pair.reference) return "surplus: no reference stands at this place";
  const counts = new Map();
  for (const { kind } of pair.changes) counts.set(kind, (counts.get(kind) || 0) + 1);
  return [`${pair.matched} matched`, ...[...counts].map(([kind, count]) => `${count} ${kind}`)].join(", ");
}

function graphSide(title, drawing) {
  return el("figure.graph-side", el("figcaption", title), drawing ? scrolledGraph(title, drawnGraph(drawing)) : el("p.panel-note", "no graph"));
}

// The triplets of both graphs, those in both first; a graph without a partner differs as a whole.
function tripletLines({ reference, candidate, changes }) {
  const line = (kind) => (triplet) => ({ kind, reference: null, candidate: triplet, outside: [] });
  if (!candidate) return reference.map(line("missing"));
  if (!reference) return candidate.map(line("extra"));
  const differing = new Set(changes.map((change) => JSON.stringify(change.reference)));
  return [...reference.filter((triplet) => !differing.has(JSON.stringify(triplet))).map(line("matched")), ...changes];
}

// A graph alone: drawn, and its triplets as text with their marks.
export function drawMarkedGraph({ title, triplets, marks, drawing }) {
  const lines = triplets.map((triplet, number) => {
    const kind = marks?.[number];
    return el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind] || (kind ? "~" : "")), " ", kind ? el("span.kind", `${kind}: `) : null, arrowedTriplet(triplet));
  });
  return [scrolledGraph(title, drawnGraph(drawing)), el("div.triplets", el("ul", lines))];
}

function tripletLine({ kind, reference, candidate, outside }) {
  const expected = candidate && reference ? [", expected ", arrowedTriplet(reference)] : null;
  const foreign = outside.length ? [` (${OUT_OF_L}: `, outside.map((name, number) => [number ? ", " : "", named(name)]), ")"] : null;
  const word = kind === "matched" ? null : el("span.kind", `${kind}: `);
  return el("li", el(`span.sign.${markClass(kind)}`, SIGNS_OF[kind] || "~"), " ", word, arrowedTriplet(candidate || reference), expected, foreign);
}

// A triplet in one line.
export function arrowedTriplet(triplet) {
  return triplet.map((name, number) => [number ? " \u2192 " : "", named(name === "" ? "\u2205" : name)]);
}
