// The choices about an entry as buttons with their keys, and a note to go with the decision.

import { el, named } from "../dom.js";

export function choiceButtons(choices, chosen, choose) {
  const buttons = choices.map(({ choice, label, key }) =>
    el("button.choice", { type: "button", "aria-pressed": chosen === null ? null : String(choice === chosen), onclick: () => choose(choice) }, named(label), " ", el("kbd", key)));
  return el("div.toggles.choices", { role: "group", "aria-label": "Decision" }, buttons);
}

// The keys of choices. A key that is held decides once.
export function choiceKeys(choices, choose) {
  return choices.map(({ choice, label, key }) => ({ keys: [key], words: `decide: ${label}`, run: (event) => event.repeat || choose(choice) }));
}

// A box that makes a choice stand for all others of a kind.
export function kindBox({ kind, count }) {
  const box = el("input", { type: "checkbox" });
  return { box, element: el("label.of-kind", box, ` and the same for ${count.toLocaleString("en")} more of `, named(kind), " ", el("kbd", "x")) };
}

// A field for a note; Escape leaves it.
export function noteField(text, onInput, leave) {
  const field = el("textarea", { id: "note", rows: 2, value: text, dir: "auto", oninput: () => onInput(field.value) });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    leave();
  });
  return { field, element: el("div.note-field", el("label", { for: "note" }, "Note (optional, kept with the decision) ", el("kbd", "m")), field) };
}
