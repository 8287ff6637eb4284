// One entry on the page: what is shown of it, its choices as buttons with keys, the form of an edit, and a note.

import { el, fill, named } from "../dom.js";
import { drawMarkedGraph } from "../panels/graphs.js";
import { EDITING, EditPanel } from "./edit_panel.js";
import { entryHash } from "./entry_list.js";

// `page` has decide({ choice, edited, note, of_kind }), preview(edited) or null, draft (kept while other entries are
// shown), and the state of the list: count, left, first (the first undecided number), inOrder, alike(number).
export class EntryView {
  constructor(page, number, shown) {
    Object.assign(this, { page, number, shown, panel: null, keys: [] });
    this.parts = el("div.parts", drawParts(shown.parts));
    this.told = el("div.told", { role: "alert" });
    this.controls = el("div.controls");
    this.heading = el("h2", { id: "entry-name", tabindex: -1 }, `${number + 1} of ${page.count}: `, named(shown.name));
    this.element = el("div.entry-view", this.heading, drawContext(shown.context), this.parts, drawReason(shown),
      shown.decided && drawDecided(shown.decided, shown.choices), this.controls, this.told);
    if (page.inOrder && (shown.decided || number !== page.first)) fill(this.controls, this.#whyClosed());
    else this.#drawControls();
  }

  #whyClosed() {
    const { first } = this.page;
    if (this.shown.decided) return el("p.pale", "Decisions are final here.");
    return el("p.pale", "Those before it are decided first: ", el("a", { href: entryHash(first) }, `go to number ${first + 1}`), ".");
  }

  #drawControls() {
    const { page, shown } = this, { edit, decided } = shown, alike = page.alike(this.number);
    const choices = shown.choices.filter(({ choice }) => choice !== EDITING || edit);
    const pressed = (choice) => (decided ? String(choice === decided.choice) : null);
    this.buttons = el("div.toggles.choices", { role: "group", "aria-label": "Decision" }, choices.map(({ choice, label, key }) =>
      el("button.choice", { type: "button", "aria-pressed": pressed(choice), onclick: () => this.#choose(choice) }, named(label), " ", el("kbd", key))));
    this.ofKind = el("input", { type: "checkbox" });
    const ofKind = alike && el("label.of-kind", this.ofKind, ` and the same for ${alike.count.toLocaleString("en")} more of `, named(alike.kind), " ", el("kbd", "x"));
    this.note = el("textarea", { id: "note", rows: 2, value: page.draft.note ?? decided?.note ?? "", dir: "auto", oninput: () => (page.draft.note = this.note.value) });
    this.note.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#firstButton().focus();
    });
    const note = el("div.note-field", el("label", { for: "note" }, "Note (optional, kept with the decision) ", el("kbd", "m")), this.note);
    this.forms = el("div");
    this.keys = [
      ...choices.map(({ choice, label, key }) => ({ keys: [key], words: `decide: ${label}`, run: (event) => event.repeat || this.#choose(choice) })),
      ...(alike ? [{ keys: ["x"], words: "decide all others of this kind alike", run: () => this.ofKind.click() }] : []),
      { keys: ["m"], words: "write a note", run: () => this.note.focus() },
    ];
    const isLast = page.left === 1 && !decided;
    const last = isLast && el("p.pale", "This is the last one: once it is decided, the command goes on.");
    fill(this.controls, this.forms, this.buttons, ofKind, last, note);
    if (page.draft.edited !== undefined && edit) this.#openPanel();
  }

  #firstButton() {
    return this.buttons.querySelector("button");
  }

  // While the form is open, keys of choices lead back to it.
  #choose(choice) {
    if (!this.panel && choice !== EDITING) {
      this.page.decide({ choice, note: this.note.value, of_kind: this.ofKind.checked });
      return;
    }
    if (!this.panel) this.#openPanel();
    this.panel.focus();
  }

  #openPanel() {
    const { edit, decided } = this.shown, { draft, preview } = this.page;
    this.panel = new EditPanel(edit, draft.edited !== undefined ? draft.edited : decided?.edited, {
      preview,
      show: (parts) => fill(this.parts, drawParts(parts ?? this.shown.parts)),
      keep: (edited) => this.page.decide({ choice: EDITING, edited, note: this.note.value }),
      cancel: () => this.#closePanel(),
      changed: (edited) => (draft.edited = edited),
    });
    fill(this.forms, this.panel.element);
    this.buttons.hidden = true;
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
    else fill(this.told, problem && el("p.failure", el("strong", "Not kept: "), named(problem.message), problem.hint ? [" ", named(problem.hint)] : null));
  }

  // Let the buttons rest while a decision is on its way.
  rest(isResting) {
    this.controls.querySelectorAll("button").forEach((button) => (isResting ? button.setAttribute("aria-disabled", "true") : button.removeAttribute("aria-disabled")));
  }
}

function drawContext(texts) {
  return texts.length ? el("div.context", texts.map(({ text, pale }) => el(pale ? "p.pale" : "p.context-here", named(text)))) : null;
}

function drawParts(parts) {
  return parts.map((part) => el(`section.part.is-${part.kind}.panel`, el("h3", named(part.title)), PART_DRAWINGS[part.kind](part)));
}

const PART_DRAWINGS = {
  graph: (part) => {
    if (part.triplets === null) return el("p.panel-note", "There is no graph.");
    return part.triplets.length ? drawMarkedGraph(part) : el("p.panel-note", "The graph has no triplets.");
  },
  text: ({ text }) => el("p.part-words", named(text)),
  lines: ({ lines }) => !lines.length ? el("p.panel-note", "None.") : el("ol.part-lines", lines.map((line) => el("li", named(line)))),
};

function drawReason({ reason, code }) {
  if (!reason && !code) return null;
  return el("p.reason", reason ? el("strong", "Reason: ") : null, named(reason), code ? [" ", el("code", named(code))] : null);
}

// The words about a decision that was made: by whom and when, where that is known, and its note.
function drawDecided({ choice, edited, note, by, time }, choices) {
  const label = choices.find((offered) => offered.choice === choice)?.label ?? choice;
  const isTriplet = Array.isArray(edited) && edited.length === 3 && edited.every((name) => typeof name === "string");
  return el("p.decided", el("strong", "\u2713 Decided: ", named(label)), isTriplet ? [" (", named(edited.join(" \u2192 ")), ")"] : null,
    by ? [" by ", named(by)] : null, time ? [", ", el("time", { datetime: time }, time.replace("T", " ").replace(/(:\d\d)(\.\d+)?(Z|\+00:00)$/, "$1 UTC"))] : null,
    note ? [". Note: ", named(note)] : ".");
}
