// Panels of a sample: drawn by their kind, tables, texts and drawings here; what nothing draws is shown as JSON.

import { el } from "../dom.js";
import { drawBoxes, markBoxes } from "./boxes.js";
import { drawFormula } from "./formula.js";
import { drawGraphs } from "./graphs.js";
import { drawChoices, drawQuestions } from "./questions.js";
import { drawScene } from "./scene.js";

const PANEL_KINDS = {
  boxes: (panel, imageURL) => drawBoxes(panel.value, imageURL),
  choices: (panel) => drawChoices(panel.value),
  drawing: (panel) => drawDrawing(panel.value, panel.title),
  formula: (panel) => drawFormula(panel.value),
  graphs: (panel) => drawGraphs(panel.value, panel.drawings),
  questions: (panel) => drawQuestions(panel.value),
  scene: (panel) => drawScene(panel.value, { heading: "h4" }),
  table: (panel) => drawTable(panel.value),
  text: (panel) => el("p.panel-text", String(panel.value.text)),
};

// A panel without its title, which the page writes above it. `imageURL` gives the address of an image by its name, ""
// where there is none. Boxes that a part of one panel names are marked in the panels of the same sample.
export function drawPanel(panel, imageURL) {
  const section = el("div.panel", { "data-kind": panel.kind, role: "group", "aria-label": panel.title }, drawnPanel(panel, imageURL));
  section.addEventListener("names", (event) => {
    const root = rootWithBoxes(section);
    if (root) markBoxes(root, event.detail.names);
  });
  return section;
}

// The nearest element around a panel that has a panel of boxes too: the sample's.
function rootWithBoxes(section) {
  let root = section.parentElement;
  while (root && !root.querySelector(".panel[data-kind=boxes]")) root = root.parentElement;
  return root;
}

function drawnPanel(panel, imageURL) {
  const draw = Object.hasOwn(PANEL_KINDS, panel.kind) ? PANEL_KINDS[panel.kind] : null;
  if (!draw) return drawJson(panel.value);
  try {
    return draw(panel, imageURL);
  } catch (error) {
    return [el("p.panel-note", `This panel cannot be drawn (${error.message}); its data:`), drawJson(panel.value)];
  }
}

// A table that scrolls by itself where the page is narrow.
function drawTable(value) {
  const head = el("tr", value.head.map((name) => el("th", { scope: "col" }, name)));
  const rows = value.rows.map((row) => el("tr", row.map((cell) => el("td", String(cell ?? "")))));
  const table = el("table", el("thead", head), el("tbody", rows));
  return el("div.scrolled", { tabindex: 0, role: "group", "aria-label": "table" }, table);
}

// An SVG as an image: it runs nothing and loads nothing.
function drawDrawing(value, title) {
  return el("img.panel-drawing", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wellFormed(value.svg))}`, alt: title });
}

// Text without halves of surrogate pairs, which no address can hold.
function wellFormed(text) {
  return Array.from(String(text), (letter) => (/^[\ud800-\udfff]$/.test(letter) ? "\ufffd" : letter)).join("");
}

function drawJson(value) {
  return el("pre.panel-json", { tabindex: 0 }, JSON.stringify(value, null, 1));
}
