// One entry on the page: what is shown of it, its choices, the form of an edit, and a note.

import { el, fill, named } from "../dom.js";
import { choiceButtons, choiceKeys, kindBox, noteField } from "./choice_buttons.js";
import { EditPanel } from "./edit_panel.js";
import { entryHash } from "./entry_list.js";
import { drawContext, drawDecided, drawParts, drawReason } from "./entry_parts.js";

const EDITING = "edit";

// `page` is asked and told: decide({ choice, edited, note, of_kind }), alike(number), preview(edited) or null, draft (kept while other entries are
// shown), count, first (the first undecided number), inOrder.
export class EntryView {
  constructor(page, number, shown) {
    Object.assign(this, { page, number, shown });
    this.panel = null;
    this.parts = el("div.parts", drawParts(shown.parts));
    this.told = el("div.told", { role: "alert" });
    this.controls = el("div.controls");
    this.heading = el("h2", { id: "entry-name", tabindex: -1 }, `${number + 1} of ${page.count}: `, named(shown.name));
    this.element = el("div.entry-view", this.heading, drawContext(shown.context), this.parts, drawReason(shown),
      shown.decided ? drawDecided(shown.decided, shown.choices) : null, this.controls, this.told);
    this.keys = [];
    this.#drawControls();
  }

  // True if the entry can be decided now.
  get isOpen() {
    return !this.page.inOrder || (this.shown.decided === null && this.number === this.page.first);
  }

  #drawControls() {
    if (!this.isOpen) return fill(this.controls, this.#whyClosed());
    const { choices, edit, decided } = this.shown, choose = (choice) => this.#choose(choice);
    const offered = choices.filter(({ choice }) => choice !== EDITING || edit !== null);
    this.buttons = choiceButtons(offered, decided?.choice ?? null, choose);
    this.note = noteField(this.page.draft.note ?? decided?.note ?? "", (text) => (this.page.draft.note = text), () => this.#firstButton().focus());
    this.forms = el("div");
    const alike = this.page.alike(this.number);
    this.ofKind = alike && kindBox(alike);
    const more = this.ofKind ? [{ keys: ["x"], words: "decide all others of this kind alike", run: () => this.ofKind.box.click() }] : [];
    this.keys = [...choiceKeys(offered, choose), ...more, { keys: ["m"], words: "write a note", run: () => this.note.field.focus() }];
    fill(this.controls, this.forms, this.buttons, this.ofKind?.element ?? null, this.#lastWords(), this.note.element);
    if (this.page.draft.edited !== undefined && edit !== null) this.#openPanel();
    return undefined;
  }

  // The sign that a decision is the last one, after which none can be changed.
  #lastWords() {
    return this.page.left === 1 && this.shown.decided === null ? el("p.pale", "This is the last one: once it is decided, the command goes on.") : null;
  }

  #whyClosed() {
    const { first } = this.page;
    if (this.shown.decided !== null) return el("p.pale", "Decisions are final here.");
    return el("p.pale", "Those before it are decided first: ", el("a", { href: entryHash(first) }, `go to number ${first + 1}`), ".");
  }

  #firstButton() {
    return this.buttons.querySelector("button");
  }

  // While the form is open, keys of choices lead back to it.
  #choose(choice) {
    if (this.panel) return this.panel.focus();
    if (choice === EDITING) return this.#openPanel(true);
    return this.page.decide({ choice, note: this.note.field.value, of_kind: this.ofKind?.box.checked ?? false });
  }

  #openPanel(isAsked = false) {
    const { edit, decided } = this.shown, { draft } = this.page;
    const begin = draft.edited !== undefined ? draft.edited : decided?.choice === EDITING ? decided.edited : undefined;
    this.panel = new EditPanel(begunWith(edit, begin), {
      preview: this.page.preview,
      show: (parts) => fill(this.parts, drawParts(parts ?? this.shown.parts)),
      keep: (edited) => this.page.decide({ choice: EDITING, edited, note: this.note.field.value }),
      cancel: () => this.#closePanel(),
      changed: (edited) => (draft.edited = edited),
    });
    fill(this.forms, this.panel.element);
    this.buttons.hidden = true;
    if (isAsked) this.panel.focus();
  }

  #closePanel() {
    this.panel.close();
    this.panel = null;
    delete this.page.draft.edited;
    fill(this.forms);
    this.buttons.hidden = false;
    this.tell(null);
    this.#firstButton().focus();
  }

  // Show why a decision was not kept; null takes it away.
  tell(problem) {
    if (problem && this.panel && !problem.isGone) this.panel.refuse(problem);
    else fill(this.told, problem ? el("p.failure", el("strong", "Not kept: "), named(problem.message), problem.hint ? [" ", named(problem.hint)] : null) : null);
  }

  // Let the buttons rest while a decision is on its way.
  rest(isResting) {
    this.controls.querySelectorAll("button").forEach((button) => (isResting ? button.setAttribute("aria-disabled", "true") : button.removeAttribute("aria-disabled")));
  }
}

// An edit that begins with another value; texts are by name.
function begunWith(edit, value) {
  if (value === undefined || value === null && edit.kind !== "graph-or-none") return edit;
  if (edit.kind === "texts") return { ...edit, value: edit.value.map((field) => ({ ...field, text: value[field.name] ?? field.text })) };
  return { ...edit, value };
}
