// Forms for an edit: one triplet, all triplets of a graph, or texts. A form is { element, value(), focus() } and calls
// onChange() when its value changed.

import { el, named } from "../dom.js";
import { ComboBox } from "../edit/combo_box.js";
import { FIELDS, TripletTable, likelyNames, namesFor } from "../edit/triplet_table.js";

let formCount = 0;

export function editForm({ kind, value, elements }, onChange) {
  const make = FORMS[kind];
  if (!make) throw new TypeError(`There is no form for an edit of the kind ${kind}.`);
  return make(value, elements ?? {}, onChange);
}

const FORMS = { triplet: tripletForm, triplets: tripletsForm, "graph-or-none": optionalGraphForm, texts: textsForm };

// Three fields with completion.
function tripletForm(value, elements, onChange) {
  const row = { values: [...value], defaults: null };
  const boxes = FIELDS.map((place, field) => {
    const box = new ComboBox({
      names: () => namesFor([row], 0, field, elements),
      likely: () => likelyNames([row], 0, field, elements),
      onInput: (text) => {
        row.values[field] = text;
        onChange();
      },
      onNext: (isBackwards) => leaveField(boxes, field + (isBackwards ? -1 : 1)),
    });
    box.show(row.values[field], place, {});
    return box;
  });
  const fields = boxes.map((box, field) => el("div.triplet-field", el("span.pale", { "aria-hidden": "true" }, FIELDS[field]), box.element));
  return {
    element: el("div.tsg-editor", el("div.triplet-fields", { role: "group", "aria-label": "Triplet" }, fields)),
    value: () => [...row.values],
    focus: () => boxes[0].input.focus(),
  };
}

// From a field to another one, or behind the last one to the button; before the first one the browser decides.
function leaveField(boxes, place) {
  if (place < 0) return false;
  const target = boxes[place]?.input ?? boxes[0].input.form?.querySelector("button[type=submit]");
  target?.focus();
  return target !== undefined;
}

function tripletsForm(value, elements, onChange) {
  let triplets = value;
  const table = new TripletTable({
    triplets,
    elements,
    onChange: (now) => {
      triplets = now;
      onChange();
    },
  });
  return { element: table.element, value: () => triplets, focus: () => table.focus(0, 0) };
}

// A graph, or the statement that there is none.
function optionalGraphForm(value, elements, onChange) {
  const form = tripletsForm(value ?? [], elements, onChange);
  const none = el("input", { type: "checkbox", checked: value === null });
  const show = () => (form.element.hidden = none.checked);
  none.addEventListener("change", () => {
    show();
    onChange();
  });
  show();
  return {
    element: el("div", el("p", el("label", none, " There is no graph here")), form.element),
    value: () => (none.checked ? null : form.value()),
    focus: () => (none.checked ? none.focus() : form.focus()),
  };
}

function textsForm(fields, _, onChange) {
  const inputs = fields.map(({ name, label, text, is_long: isLong }) => {
    const id = `text-${(formCount += 1)}`;
    const rows = Math.min(16, Math.max(3, text.split("\n").length + 1));
    const attributes = { id, value: text, dir: "auto", spellcheck: "false", oninput: onChange };
    const input = isLong ? el("textarea", { ...attributes, rows }) : el("input", { ...attributes, type: "text" });
    return { name, input, element: el("div.text-field", el("label", { for: id }, named(label)), input) };
  });
  return {
    element: el("div", inputs.map((one) => one.element)),
    value: () => Object.fromEntries(inputs.map(({ name, input }) => [name, input.value])),
    focus: () => inputs[0]?.input.focus(),
  };
}
