// The panel in which an entry is edited before it is decided: the form (one triplet, a graph or none, or texts), what the
// edit would make of the entry, and why it is refused.

import { el, fill, named } from "../dom.js";
import { ComboBox } from "../edit/combo_box.js";
import { FIELDS, TripletTable, likelyNames, namesFor } from "../edit/triplet_table.js";

// The choice that opens the panel.
export const EDITING = "edit";
const PAUSE_BEFORE_PREVIEW = 250;

// `begun` is the edited value to begin with, undefined for that of the entry. `preview(edited)` is a promise of parts, or
// null where edits are not previewed; `show(parts)` shows them, null those of the entry itself; `keep(edited)` decides;
// `cancel()` closes the panel.
export class EditPanel {
  #turn = 0;
  #timer = null;

  constructor({ kind, value, elements }, begun, { preview, show, keep, cancel, changed }) {
    Object.assign(this, { preview, show, keep, cancel, changed });
    this.form = FORMS[kind](value, begun, () => this.#edited(), elements);
    this.refusal = el("p.refusal", { role: "status" });
    const submit = (event) => {
      event.preventDefault();
      this.submit();
    };
    const buttons = [
      el("button.keep", { type: "submit" }, "Keep this edit ", el("kbd", "Ctrl"), "+", el("kbd", "Enter")),
      el("button", { type: "button", onclick: cancel }, "Cancel ", el("kbd", "Esc")),
    ];
    this.element = el("form.edit-panel", { "aria-label": "Edit", onsubmit: submit, onkeydown: (event) => this.#pressed(event) },
      this.form.element, this.refusal, el("div.toggles", buttons));
    if (preview) this.#preview();
  }

  focus() {
    this.form.focus();
  }

  submit() {
    this.#stop();
    this.keep(this.form.value());
  }

  refuse({ message, hint }) {
    fill(this.refusal, message ? [el("strong", named(message)), hint ? [" ", named(hint)] : null] : null);
  }

  close() {
    this.#stop();
    if (this.preview) this.show(null);
  }

  #pressed(event) {
    const isSubmit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isSubmit && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (isSubmit) this.submit();
    else this.cancel();
  }

  #edited() {
    this.changed(this.form.value());
    if (!this.preview) return;
    this.#stop();
    this.#timer = setTimeout(() => this.#preview(), PAUSE_BEFORE_PREVIEW);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  async #preview() {
    const turn = (this.#turn += 1);
    try {
      const { parts } = await this.preview(this.form.value());
      if (turn !== this.#turn) return;
      this.refuse({});
      this.show(parts);
    } catch (problem) {
      if (turn === this.#turn) this.refuse(problem);
    }
  }
}

// Forms by the kind of edit. A form is { element, value(), focus() } and calls onChange() when its value changed.
const FORMS = { triplet: tripletForm, "graph-or-none": optionalGraphForm, texts: textsForm };

// Three fields with completion. Enter leads from one to the next, and behind the last one to the button; before the first
// one the browser decides.
function tripletForm(value, begun, onChange, elements) {
  const row = { values: [...(begun ?? value)], defaults: null };
  const leave = (place) => {
    if (place < 0) return false;
    const target = boxes[place]?.input ?? boxes[0].input.form?.querySelector("button[type=submit]");
    target?.focus();
    return target !== undefined;
  };
  const boxes = FIELDS.map((place, field) => {
    const box = new ComboBox({
      names: () => namesFor([row], 0, field, elements),
      likely: () => likelyNames([row], 0, field, elements),
      onInput: (text) => {
        row.values[field] = text;
        onChange();
      },
      onNext: (isBackwards) => leave(field + (isBackwards ? -1 : 1)),
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

// A table of triplets, or the statement that there is no graph.
function optionalGraphForm(value, begun, onChange, elements) {
  const graph = begun === undefined ? value : begun;
  let triplets = graph ?? [];
  const changed = (now) => {
    triplets = now;
    onChange();
  };
  const table = new TripletTable({ triplets, elements, onChange: changed });
  const show = () => (table.element.hidden = none.checked);
  const none = el("input", { type: "checkbox", checked: graph === null, onchange: () => (show(), onChange()) });
  show();
  return {
    element: el("div", el("p", el("label", none, " There is no graph here")), table.element),
    value: () => (none.checked ? null : triplets),
    focus: () => (none.checked ? none.focus() : table.focus(0, 0)),
  };
}

function textsForm(fields, begun, onChange) {
  const inputs = fields.map(({ name, text }) => {
    const value = begun?.[name] ?? text, rows = Math.min(16, Math.max(3, value.split("\n").length + 1));
    return el("textarea", { id: `text-${name}`, value, rows, dir: "auto", spellcheck: "false", oninput: onChange });
  });
  return {
    element: el("div", fields.map(({ label }, place) => el("div.text-field", el("label", { for: inputs[place].id }, named(label)), inputs[place]))),
    value: () => Object.fromEntries(fields.map(({ name }, place) => [name, inputs[place].value])),
    focus: () => inputs[0]?.focus(),
  };
}
