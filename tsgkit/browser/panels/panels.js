// Panels of a sample: the module of its kind draws each; what none draws is shown as JSON.

import { el } from "../dom.js";
import { drawBoxes, markBoxes } from "./boxes.js";
import { drawFormula } from "./formula.js";
import { drawGraphs } from "./graphs.js";
import { drawDrawing, drawJson, drawTable, drawText } from "./plain.js";
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
  text: (panel) => drawText(panel.value),
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
