// A table of the triplets of one graph, written by keyboard: fields with completion, findings at the row they concern.

import { el, fill, inert } from "../dom.js";
import { ComboBox } from "./combo_box.js";

const PERSON_NAME = "person";
export const HAND_NAMES = ["hand1", "hand2"];
const VERB_LABEL = "verb";
const DOBJ_LABEL = "dobj";
const WITH_LABEL = "with";

// The rows of triplets; without triplets a first draft.
function rowsOf(triplets) {
  const rows = triplets.map((triplet) => ({ values: [...triplet], defaults: null }));
  return rows.length ? rows : [draftRow([])];
}

// A new row with the names that such a row nearly always has; `field` is where writing begins.
function draftRow(rows) {
  const triplets = tripletsOf(rows), [action = ""] = actionsOf(triplets);
  if (!triplets.length) return draft([PERSON_NAME, VERB_LABEL, ""]);
  return draft(triplets.length === 1 && action ? [action, DOBJ_LABEL, ""] : [action, "", ""]);
}

function draft(values) {
  return { values: [...values], defaults: values };
}

// The first field of a row that is still to be written.
function openField({ values }) {
  return Math.max(0, values.indexOf(""));
}

// True for a row that says nothing: each field is empty or its default.
function isPristine({ values, defaults }) {
  return values.every((value, field) => value === "" || (defaults !== null && value === defaults[field]));
}

function tripletsOf(rows) {
  return rows.filter((row) => !isPristine(row)).map(({ values }) => [...values]);
}

function actionsOf(triplets) {
  return [...new Set(triplets.filter(([, edge]) => edge === VERB_LABEL).map(([, , target]) => target))];
}

// The names a field may have. Persons, hands, actions and the two labels of the scheme need not be in L.
export function namesFor(rows, number, field, { nodes = [], verbs = [], edges = [] }) {
  const [, edge] = rows[number].values;
  if (field === 1) return distinct([VERB_LABEL, DOBJ_LABEL, ...edges]);
  if (field === 2 && edge === VERB_LABEL) return distinct(verbs);
  return distinct([...actionsOf(tripletsOf(rows)), ...nodes, ...HAND_NAMES, PERSON_NAME]);
}

// Names in the order of how likely they are in a field: what the sentence mentions and the graph has not used yet, then
// what graphs nearby have at such a place, then what this graph uses.
export function likelyNames(rows, number, field, { mentioned = [], nearby = [] }) {
  const triplets = tripletsOf(rows.filter((_, other) => other !== number));
  const used = new Set(triplets.flat()), unused = mentioned.filter((name) => !used.has(name));
  const around = nearby.flat(), [, edge] = rows[number].values;
  if (field === 0) return distinct([...actionsOf(triplets), PERSON_NAME, ...unused, ...triplets.flatMap(([source, , target]) => [source, target])]);
  if (field === 1) return likelyEdges(triplets, unused, around);
  const alike = around.filter((one) => one[1] === edge).map((one) => one[2]);
  if (edge === VERB_LABEL) return distinct([...mentioned, ...alike]);
  const hands = edge === WITH_LABEL ? HAND_NAMES.filter((hand) => !used.has(hand)) : [];
  return distinct([...hands, ...unused, ...alike, ...around.flatMap(([source, , target]) => [target, source]), ...used]);
}

function likelyEdges(triplets, unused, around) {
  const labels = triplets.map((one) => one[1]);
  const needed = [VERB_LABEL, DOBJ_LABEL].filter((label) => !labels.includes(label));
  const usual = around.map((one) => one[1]).filter((label) => !labels.includes(label) && label !== VERB_LABEL);
  return distinct([...needed.slice(0, 1), ...unused, ...usual, ...needed, ...labels.filter((label) => label !== VERB_LABEL)]);
}

function distinct(names) {
  return [...new Set(names)].filter((name) => name !== "");
}

export const FIELDS = ["source", "edge", "target"];
let rowCount = 0;

class TripletRow {
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
  show(values, number, findings) {
    const signs = JSON.stringify([values, number, findings]);
    if (this.#shown === signs) return;
    this.#shown = signs;
    const errors = new Set(findings.filter((one) => one.severity === "error").flatMap((one) => one.elements ?? []));
    const described = findings.length ? this.id : null;
    this.boxes.forEach((box, field) => {
      const label = `${FIELDS[field]} of triplet ${number + 1}`;
      box.show(values[field], label, { described, isWrong: errors.has(values[field]) });
    });
    this.mark.setAttribute("aria-label", `mark triplet ${number + 1}`);
    this.removal.setAttribute("aria-label", `remove triplet ${number + 1}`);
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

// A table: `elements` are { nodes, verbs, edges, mentioned, nearby }, all names of L by their role, those the sentence
// mentions, and triplets of the graphs around, the nearest first. `findings` name the triplet they concern by its number;
// those without one are the page's to show. `onChange(triplets, { row, field })` comes at every key stroke.
export class TripletTable {
  #rows = [];
  #lines = [];
  #followers = null;

  constructor({ triplets, elements = {}, onChange, findings = [] }) {
    Object.assign(this, { elements, onChange, findings });
    this.body = el("tbody");
    this.adding = el("button", { type: "button", onclick: () => this.add() }, "+ triplet");
    const heads = FIELDS.map((field) => el("th", { scope: "col" }, field));
    this.element = el("div.tsg-editor", el("div.triplet-table", { onkeydown: (event) => this.#pressed(event) },
      el("table", el("thead", el("tr", el("td"), heads, el("td"))), this.body), this.adding));
    this.update({ triplets });
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
      this.#rows = rowsOf(triplets);
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
    if (row < 0) return;
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
    if (isPristine(this.#rows[row])) return false;
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
      line.show(row.values, number, isDraft ? [] : this.findings.filter((one) => one.triplet === triplet));
      line.line.classList.toggle("is-draft", isDraft);
      if (line.line.parentNode !== this.body) this.body.append(...line.elements);
    });
  }
}
