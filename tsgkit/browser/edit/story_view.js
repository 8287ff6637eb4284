// The story of an item: its descriptions with their texts and graphs as lines, and a strip of what the hands hold.

import { countWords, el, fill, relabel, reveal, setAttributeOf, updateMembers } from "../dom.js";
import { firstNumbers, graphsOf, numberAt, placeOf, setText, shownSummary } from "./item_value.js";
import { HAND_NAMES } from "./triplet_table.js";

class GraphLine {
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
    const findings = checks?.findings ?? [], errors = findings.filter((finding) => finding.severity === "error").length, warnings = findings.length - errors;
    if (this.#counts === `${errors}/${warnings}`) return;
    this.#counts = `${errors}/${warnings}`;
    const sign = (severity, count, mark) => count > 0 && el(`span.sign-${severity}`, { role: "img", "aria-label": countWords(count, severity) }, `${mark}${count}`);
    fill(this.signs, sign("error", errors, "\u2717"), sign("warning", warnings, "!"));
  }
}

export class StoryView {
  #blocks = [];
  #writing = null;

  constructor(editor) {
    this.editor = editor;
    this.list = el("ol.descriptions", { onkeydown: (event) => this.#pressed(event) });
    this.element = el("section.story", { "aria-label": "Story" }, this.list);
  }

  // Show the session's value. Blocks whose description, place and checks are the same are left alone.
  update(session) {
    const { value, place } = session, firsts = firstNumbers(value);
    if (this.#writing?.session !== session || this.#writing.description !== place.description) this.#writing = null;
    const writing = this.#writing?.description;
    const shown = value.descriptions.map((description, number) => ({
      session, description, number, first: firsts[number], count: value.descriptions.length, checks: session.checks,
      place: place.description === number ? place : null, isWriting: writing === number,
    }));
    updateMembers(this.list, this.#blocks, shown, () => new DescriptionBlock(this));
    const line = this.currentLine;
    const key = `${session.number}/${place.description}/${place.graph}`;
    if (line && this.revealed !== key) reveal(this.element, line);
    this.revealed = key;
  }

  get currentLine() {
    return this.#blocks[this.editor.session.place.description]?.currentLine ?? null;
  }

  // Where the text that is being edited would be cut; null while none is.
  get caret() {
    return this.#writing ? this.#blocks[this.#writing.description].field.selectionStart : null;
  }

  // Focus the line of the current graph; an item without descriptions has none, and is written in the table.
  focus() {
    if (this.currentLine) this.currentLine.focus({ preventScroll: true });
    else this.editor.views.graph.focus();
  }

  // Edit the text of the current description.
  editText() {
    const { session } = this.editor, { description } = session.place;
    if (!session.value.descriptions[description]) return;
    this.#writing = { session, description };
    this.editor.paint();
    this.#blocks[description].field.focus();
  }

  wrote(text) {
    const { session } = this.editor;
    session.edit(setText(session.value, session.place, text), "editing a text", `text/${session.place.description}`);
    this.editor.paint();
  }

  endText() {
    this.#writing = null;
    this.editor.session.history.pause();
    this.editor.paint();
    this.focus();
  }

  #pressed(event) {
    if (!event.target.matches(".graph-line") || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
    if (steps) this.editor.step(steps);
    else if (event.key === "Enter") this.editor.views.graph.focus();
    else if (event.key === "Delete") this.editor.run("delete-graph");
    else return;
    event.preventDefault();
  }
}

class DescriptionBlock {
  #lines = [];
  #shown = {};

  constructor(story) {
    this.story = story;
    this.number = el("span.description-number");
    this.text = el("bdi");
    this.field = el("textarea.description-text", { hidden: true, rows: 3, oninput: () => story.wrote(this.field.value), onkeydown: (event) => this.#pressed(event) });
    this.graphs = el("ul.graph-lines");
    this.paragraph = el("p", this.number, " ", this.text);
    this.element = el("li.description", this.paragraph, this.field, this.graphs);
  }

  get currentLine() {
    return this.#lines.find(({ button }) => button.hasAttribute("aria-current"))?.button ?? null;
  }

  update(shown) {
    const before = this.#shown, { description, number, place, isWriting } = shown;
    if (Object.keys(shown).every((key) => before[key] === shown[key])) return;
    this.#shown = shown;
    relabel(this.number, `${number + 1}.`);
    relabel(this.text, description.text === null ? "" : description.text || "no text yet");
    this.text.classList.toggle("pale", description.text === "");
    this.paragraph.hidden = isWriting || (description.text === null && shown.count === 1);
    this.element.classList.toggle("is-current", place !== null);
    this.field.hidden = !isWriting;
    setAttributeOf(this.field, "aria-label", `Text of description ${number + 1}`);
    if (isWriting && this.field.value !== (description.text ?? "")) this.field.value = description.text ?? "";
    updateMembers(this.graphs, this.#lines, lineValues(shown), () => new GraphLine((chosen) => this.story.editor.goTo(chosen)));
  }

  #pressed(event) {
    if (event.key !== "Escape" && (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing)) return;
    event.preventDefault();
    event.stopPropagation();
    this.story.endText();
  }
}

// The lines of a description: its graphs, and a draft where the place is one or where it has no graphs.
function lineValues({ session, description, number, first, place }) {
  const lines = description.graphs.map((graph, at) => ({
    graph, number: first + at, place: { description: number, graph: at }, isCurrent: place?.graph === at, checks: session.checksOf(graph, first + at),
  }));
  const isDraft = place !== null && place.graph === null;
  if (!isDraft && lines.length) return lines;
  const at = isDraft ? place.at : 0;
  return lines.toSpliced(at, 0, { graph: null, number: null, place: { description: number, graph: null, at }, isCurrent: isDraft, checks: null });
}

// The content of a hand in words; null is unknown.
export function heldWords(things) {
  return things === null || things === undefined ? "?" : things.length ? things.join(", ") : "\u2013";
}

export class HandStrip {
  #cards = [];
  #shown = {};

  constructor(editor) {
    this.editor = editor;
    this.list = el("ol.hand-cards", { onkeydown: (event) => this.#pressed(event) });
    this.element = el("section.hand-strip", { "aria-label": "Hands along the story" }, this.list);
  }

  update(session) {
    const { value, checks, place } = session, before = this.#shown, current = numberAt(value, place);
    if (before.value === value && before.checks === checks && before.current === current) return;
    const values = graphsOf(value).map((graph, number) => ({ graph, number, isCurrent: number === current, hands: session.checksOf(graph, number)?.hands ?? null }));
    updateMembers(this.list, this.#cards, values, () => new HandCard((number) => this.editor.goTo(placeOf(this.editor.session.value, number))));
    this.element.hidden = !values.length;
    if (current !== null && before.current !== current) reveal(this.list, this.#cards[current].element);
    this.#shown = { value, checks, current };
  }

  focus() {
    (this.#cards[this.#shown.current] ?? this.#cards[0])?.button.focus({ preventScroll: true });
  }

  #pressed(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter") this.editor.views.graph.focus();
    else if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      this.editor.step(step);
      this.focus();
    } else return;
    event.preventDefault();
  }
}

class HandCard {
  #shown = {};

  constructor(onClick) {
    this.head = el("bdi.hand-action");
    this.hands = HAND_NAMES.map(() => el("bdi"));
    this.button = el("button.hand-card", { type: "button", tabindex: -1, onclick: () => onClick(this.number) },
      this.head, this.hands.map((words, place) => el("span.hand-held", el("span.hand-name", HAND_NAMES[place]), " ", words)));
    this.element = el("li", this.button);
  }

  update({ graph, number, isCurrent, hands }) {
    const before = this.#shown;
    this.number = number;
    if (before.graph !== graph || before.number !== number) relabel(this.head, `${number + 1} ${shownSummary(graph)}`);
    if (before.hands !== hands) HAND_NAMES.forEach((hand, place) => relabel(this.hands[place], heldChange(hands, hand)));
    if (before.isCurrent !== isCurrent) {
      setAttributeOf(this.button, "aria-current", isCurrent ? "true" : null);
      setAttributeOf(this.button, "tabindex", isCurrent || !number ? "0" : "-1");
    }
    this.#shown = { graph, number, isCurrent, hands };
  }
}

// What a hand holds before and after, once where it is the same.
function heldChange(hands, hand) {
  if (!hands) return "?";
  const [before, after] = [hands.before, hands.after].map((state) => heldWords(state[hand]));
  return before === after ? before : `${before} \u2192 ${after}`;
}
