// A table of the triplets of one graph, written by keyboard: fields with completion, findings at the row they concern.

import { el } from "../dom.js";
import { FIELDS, TripletRow } from "./triplet_row.js";
import { VERB_LABEL, draftRow, isPristine, likelyNames, namesFor, openField, rowsOf, tripletsOf } from "./triplet_rows.js";

// A table: `elements` are { nodes, verbs, edges, mentioned, nearby }, all names of L by their role, those the sentence
// mentions, and triplets of the graphs around, the nearest first. `findings` name the triplet they concern by its number;
// those without one are the page's to show. `onChange(triplets, { row, field })` comes at every key stroke.
export function tripletTable({ triplets, elements = {}, onChange = () => {}, findings = [], readOnly = false }) {
  const table = new TripletTable(elements, onChange, findings, readOnly);
  table.update({ triplets });
  return table;
}

class TripletTable {
  #rows = [];
  #lines = [];
  #followers = null;

  constructor(elements, onChange, findings, readOnly) {
    Object.assign(this, { elements, onChange, findings, readOnly });
    this.body = el("tbody");
    this.adding = el("button", { type: "button", hidden: readOnly, onclick: () => this.add() }, "+ triplet");
    const heads = FIELDS.map((field) => el("th", { scope: "col" }, field));
    this.element = el("div.tsg-editor", el("div.triplet-table", { onkeydown: (event) => this.#pressed(event) },
      el("table", el("thead", el("tr", el("td"), heads, el("td"))), this.body), this.adding));
  }

  get triplets() {
    return tripletsOf(this.#rows);
  }

  // The row and field with the focus, or null.
  get place() {
    const row = this.#lines.findIndex((line) => line.field >= 0);
    return row < 0 ? null : { row, field: this.#lines[row].field };
  }

  // The numbers of the marked triplets.
  get marked() {
    const kept = this.#rows.map((row, place) => ({ row, place })).filter(({ row }) => !isPristine(row));
    return kept.flatMap(({ place }, number) => (this.#lines[place].mark.checked ? [number] : []));
  }

  // Show other triplets, findings or elements. Triplets that the table shows already leave it and its drafts alone.
  update({ triplets, findings, elements, isOther = false }) {
    if (elements) this.elements = elements;
    if (findings) this.findings = findings;
    if (triplets && (isOther || !this.#lines.length || JSON.stringify(triplets) !== JSON.stringify(this.triplets))) {
      this.#rows = rowsOf(triplets, this.readOnly);
      if (isOther) this.#lines.forEach((line) => (line.mark.checked = false));
    }
    this.#draw();
  }

  // Focus a field; without a place the first one that is still to be written.
  focus(row, field) {
    const number = Math.max(0, Math.min(row ?? this.#rows.length - 1, this.#rows.length - 1));
    if (this.#rows[number]) this.#lines[number].boxes[field ?? openField(this.#rows[number])].focus();
  }

  // Open a new row at the end, or the one that is open there already.
  add() {
    const last = this.#rows.at(-1);
    if (!last || !isPristine(last)) this.#rows.push(draftRow(this.#rows));
    this.#draw();
    this.focus(this.#rows.length - 1);
  }

  // Remove the row of a line, or the one with the focus.
  remove(line = this.#lines[this.place?.row]) {
    const row = this.#lines.indexOf(line);
    if (row < 0 || this.readOnly) return;
    const field = line.field;
    this.#rows.splice(row, 1);
    this.#lines.splice(row, 1)[0].elements.forEach((element) => element.remove());
    if (!this.#rows.length) this.#rows.push(draftRow([]));
    this.#draw();
    this.focus(row, field < 0 ? undefined : field);
    this.onChange(this.triplets, { row, field: 0 });
  }

  // Mark the triplet with the focus, or take its mark away.
  mark() {
    const line = this.#lines[this.place?.row];
    if (line) line.mark.checked = !line.mark.checked;
  }

  // Take the name that is highlighted in the field with the focus.
  settle() {
    const { place } = this;
    if (place) this.#lines[place.row].boxes[place.field].settle();
  }

  names(line, field) {
    return namesFor(this.#rows, this.#lines.indexOf(line), field, this.elements);
  }

  likely(line, field) {
    return likelyNames(this.#rows, this.#lines.indexOf(line), field, this.elements);
  }

  wrote(line, field, text) {
    const row = this.#lines.indexOf(line), { values } = this.#rows[row];
    const followers = this.#followersOf(row, field);
    values[field] = text;
    for (const { values: other, defaults } of followers) {
      other[0] = text;
      if (defaults) defaults[0] = text;
    }
    this.#draw();
    this.onChange(this.triplets, { row, field });
  }

  // The rows whose source is the action that is being renamed: they follow it.
  #followersOf(row, field) {
    const { values } = this.#rows[row], key = this.#lines[row];
    if (field !== 2 || values[1] !== VERB_LABEL) return [];
    if (this.#followers?.key !== key) {
      const verbs = this.#rows.filter(({ values: other }) => other[1] === VERB_LABEL);
      const rows = verbs.length > 1 || values[2] === "" ? [] : this.#rows.filter((other) => other.values !== values && other.values[0] === values[2]);
      this.#followers = { key, rows };
    }
    return this.#followers.rows;
  }

  next(line, field, isBackwards) {
    this.#followers = null;
    const row = this.#lines.indexOf(line), place = row * FIELDS.length + field + (isBackwards ? -1 : 1);
    if (place < 0) return false;
    if (place < this.#rows.length * FIELDS.length) return void this.focus(Math.floor(place / FIELDS.length), place % FIELDS.length);
    if (this.readOnly || isPristine(this.#rows[row])) return false;
    return void this.add();
  }

  #pressed(event) {
    const { place } = this, { key } = event;
    if (!place || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.defaultPrevented) return;
    const isUp = key === "ArrowUp", row = this.#rows[place.row];
    if (isUp || key === "ArrowDown") this.focus(place.row + (isUp ? -1 : 1), place.field);
    else if (key === "Backspace" && place.row && isPristine(row) && row.values[place.field] === "") {
      this.remove();
      this.focus(place.row - 1, FIELDS.length - 1);
    } else return;
    event.preventDefault();
  }

  #draw() {
    while (this.#lines.length < this.#rows.length) this.#lines.push(new TripletRow(this));
    this.#lines.splice(this.#rows.length).forEach((line) => line.elements.forEach((element) => element.remove()));
    let triplet = -1;
    this.#rows.forEach((row, number) => {
      const line = this.#lines[number], isDraft = isPristine(row);
      if (!isDraft) triplet += 1;
      line.show(row.values, number, isDraft ? [] : this.findings.filter((one) => one.triplet === triplet), this.readOnly);
      line.line.classList.toggle("is-draft", isDraft);
      if (line.line.parentNode !== this.body) this.body.append(...line.elements);
    });
  }
}
