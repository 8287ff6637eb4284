// One graph of the story as a line: its number, what it says in a few words, and signs for errors and warnings.

import { el } from "../dom.js";
import { relabel, setAttributeOf } from "./element_updates.js";
import { summaryOf } from "./item_value.js";

const summaries = new WeakMap();

// The summary of a graph, kept as long as the graph.
export function shownSummary(triplets) {
  if (!summaries.has(triplets)) summaries.set(triplets, summaryOf(triplets));
  return summaries.get(triplets);
}

export class GraphLine {
  #shown = {};
  #counts = "0/0";

  constructor(onClick) {
    this.number = el("span.graph-number");
    this.words = el("bdi");
    this.signs = el("span.graph-signs");
    this.button = el("button.graph-line", { type: "button", tabindex: -1, onclick: () => onClick(this.place) }, this.number, " ", this.words, " ", this.signs);
    this.element = el("li.graph-entry", this.button);
  }

  // Show { graph, number, place, isCurrent, checks }; `graph` is null for a draft.
  update({ graph, number, place, isCurrent, checks }) {
    this.place = place;
    const before = this.#shown;
    if (before.graph === graph && before.number === number && before.isCurrent === isCurrent && before.checks === checks) return;
    this.#shown = { graph, number, isCurrent, checks };
    relabel(this.number, number === null ? "+" : String(number + 1));
    relabel(this.words, graph === null ? "new graph" : shownSummary(graph));
    this.button.classList.toggle("is-draft", graph === null);
    setAttributeOf(this.button, "aria-current", isCurrent ? "true" : null);
    setAttributeOf(this.button, "tabindex", isCurrent ? "0" : "-1");
    if (before.checks !== checks) this.#sign(checks?.findings ?? []);
  }

  #sign(findings) {
    const errors = findings.filter((one) => one.severity === "error").length, warnings = findings.length - errors;
    if (this.#counts === `${errors}/${warnings}`) return;
    this.#counts = `${errors}/${warnings}`;
    this.signs.replaceChildren(
      ...(errors ? [countSign("error", errors, "\u2717")] : []),
      ...(warnings ? [countSign("warning", warnings, "!")] : []));
  }
}

function countSign(severity, count, sign) {
  return el(`span.sign-${severity}`, { role: "img", "aria-label": countWords(count, severity) }, `${sign}${count}`);
}

// "1 graph", "2 graphs".
export function countWords(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
