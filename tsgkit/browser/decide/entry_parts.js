// One entry: texts around it, its parts side by side, and the reason.

import { el, named } from "../dom.js";
import { drawMarkedGraph } from "../panels/graphs.js";

export function drawContext(texts) {
  return texts.length ? el("div.context", texts.map(({ text, pale }) => el(pale ? "p.pale" : "p.context-here", named(text)))) : null;
}

export function drawParts(parts) {
  return parts.map((part) => el(`section.part.is-${part.kind}.panel`, el("h3", named(part.title)), (PART_DRAWINGS[part.kind] ?? unknownPart)(part)));
}

const PART_DRAWINGS = {
  graph: (part) => {
    if (part.triplets === null) return el("p.panel-note", "There is no graph.");
    return part.triplets.length ? drawMarkedGraph(part) : el("p.panel-note", "The graph has no triplets.");
  },
  text: ({ text }) => el("p.part-words", named(text)),
  lines: ({ lines }) => !lines.length ? el("p.panel-note", "None.") : el("ol.part-lines", lines.map((line) => el("li", named(line)))),
};

function unknownPart({ kind }) {
  return el("p.panel-note", `Parts of the kind ${kind} are not shown by this version.`);
}

export function drawReason({ reason, code }) {
  if (!reason && !code) return null;
  return el("p.reason", reason ? el("strong", "Reason: ") : null, named(reason), code ? [" ", el("code", named(code))] : null);
}

// The words about a decision that was made: by whom and when, where that is known, and its note.
export function drawDecided({ choice, edited, note, by, time }, choices) {
  const label = choices.find((one) => one.choice === choice)?.label ?? choice;
  const isTriplet = Array.isArray(edited) && edited.length === 3 && edited.every((name) => typeof name === "string");
  return el("p.decided", el("strong", "\u2713 Decided: ", named(label)), isTriplet ? [" (", named(edited.join(" \u2192 ")), ")"] : null,
    by ? [" by ", named(by)] : null, time ? [", ", el("time", { datetime: time }, time.replace("T", " ").replace(/(:\d\d)(\.\d+)?(Z|\+00:00)$/, "$1 UTC"))] : null,
    note ? [". Note: ", named(note)] : ".");
}
