// One row of the table of triplets: a mark, three fields, a button to remove it, and its findings below.

import { el, fill, inert } from "../dom.js";
import { ComboBox } from "./combo_box.js";

export const FIELDS = ["source", "edge", "target"];
let rowCount = 0;

export class TripletRow {
  #shown = null;

  // `table` is asked for names and told what happens: names(row, field), likely(row, field), wrote(row, field, text),
  // next(row, field, isBackwards), remove(row).
  constructor(table) {
    this.id = `triplet-${(rowCount += 1)}`;
    this.boxes = FIELDS.map((_, field) => new ComboBox({
      names: () => table.names(this, field),
      likely: () => table.likely(this, field),
      onInput: (text) => table.wrote(this, field, text),
      onNext: (isBackwards) => table.next(this, field, isBackwards),
    }));
    this.mark = el("input.triplet-mark", { type: "checkbox", tabindex: -1 });
    this.removal = el("button.triplet-removal", { type: "button", tabindex: -1, onclick: () => table.remove(this) }, "\u00d7");
    this.line = el("tr.triplet-line", el("td", this.mark), this.boxes.map((box) => el("td", box.element)), el("td", this.removal));
    this.list = el("ul", { id: this.id });
    this.findings = el("tr.triplet-findings", { hidden: true }, el("td", { colspan: 5 }, this.list));
    this.elements = [this.line, this.findings];
  }

  // Show the values of the row, and the findings about it.
  show(values, number, findings, readOnly) {
    const signs = JSON.stringify([values, number, findings, readOnly]);
    if (this.#shown === signs) return;
    this.#shown = signs;
    const errors = new Set(findings.filter((one) => one.severity === "error").flatMap((one) => one.elements ?? []));
    const described = findings.length ? this.id : null;
    this.boxes.forEach((box, field) => {
      const label = `${FIELDS[field]} of triplet ${number + 1}`;
      box.show(values[field], label, { readOnly, described, isWrong: errors.has(values[field]) });
    });
    this.mark.setAttribute("aria-label", `mark triplet ${number + 1}`);
    this.removal.setAttribute("aria-label", `remove triplet ${number + 1}`);
    this.removal.hidden = readOnly;
    this.mark.disabled = readOnly;
    this.findings.hidden = !findings.length;
    fill(this.list, findings.map(findingLine));
  }

  // The field that has the focus; -1 where none has.
  get field() {
    return this.boxes.findIndex(({ input }) => input.matches(":focus"));
  }
}

const FINDING_SIGNS = { error: "\u2717", warning: "!" };

// A finding as a line of a list: a sign, its severity in words, what it says and what to do.
export function findingLine({ severity, message, hint, code }) {
  return el(`li.finding.is-${severity === "error" ? "error" : "warning"}`, { title: inert(code ?? "") },
    el("span.finding-sign", { "aria-hidden": "true" }, FINDING_SIGNS[severity] ?? "!"),
    el("span.finding-severity", ` ${severity}: `), el("bdi", message), hint ? el("span.pale", " (", el("bdi", hint), ")") : null);
}
