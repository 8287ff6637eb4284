// Panels of a sample: the module of its kind draws each; what none draws is shown as JSON.

import { el, named } from "../dom.js";
import { drawBoxes, markBoxes } from "./boxes.js";
import { drawChoices } from "./choices.js";
import { drawFormula } from "./formula.js";
import { drawGraphs } from "./graphs.js";
import { drawDrawing, drawJson, drawTable, drawText } from "./plain.js";
import { drawQuestions } from "./questions.js";
import { drawScene } from "./scene.js";

const PANEL_KINDS = {
  boxes: (panel, imageURL) => drawBoxes(panel.value, imageURL),
  choices: (panel) => drawChoices(panel.value),
  drawing: (panel) => drawDrawing(panel.value, panel.title),
  formula: (panel) => drawFormula(panel.value),
  graphs: (panel) => drawGraphs(panel.value),
  questions: (panel) => drawQuestions(panel.value),
  scene: (panel) => drawScene(panel.value),
  table: (panel) => drawTable(panel.value),
  text: (panel) => drawText(panel.value),
};

// A panel with its title; `imageURL` gives the address of an image by its name, "" where there is none. Names that a part
// of one panel is about are marked in the panels beside it, that is in those of the same parent.
export function drawPanel(panel, imageURL) {
  const section = el("section.panel", { "data-kind": panel.kind }, el("h3", named(panel.title)), drawnPanel(panel, imageURL));
  section.addEventListener("names", (event) => section.parentElement && markBoxes(section.parentElement, event.detail.names));
  return section;
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
