// The story of an item: its descriptions with their texts, below each its graphs as lines. What did not change stays.

import { el } from "../dom.js";
import { relabel, reveal, setAttributeOf, updateMembers } from "./element_updates.js";
import { GraphLine } from "./graph_line.js";
import { firstNumbers, setText } from "./item_value.js";

export class StoryView {
  #blocks = [];
  #writing = null;
  #caret = null;

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
    return this.#writing ? this.#caret : null;
  }

  // Focus the line of the current graph; an item without descriptions has none, and is written in the table.
  focus() {
    if (this.currentLine) this.currentLine.focus({ preventScroll: true });
    else this.editor.views.graph.focus();
  }

  goTo(place) {
    this.editor.goTo(place);
  }

  // Edit the text of the current description.
  editText() {
    const { session } = this.editor, { description } = session.place;
    if (!session.value.descriptions[description]) return;
    this.#writing = { session, description };
    this.#caret = null;
    this.editor.paint();
    this.#blocks[description].field.focus();
  }

  wrote(text, caret) {
    const { session } = this.editor;
    this.#caret = caret;
    session.edit(setText(session.value, session.place, text), "editing a text", `text/${session.place.description}`);
    this.editor.paint();
  }

  moved(caret) {
    this.#caret = caret;
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
    this.field = el("textarea.description-text", {
      hidden: true, rows: 3, oninput: () => story.wrote(this.field.value, this.field.selectionStart), onblur: () => story.moved(this.field.selectionStart),
      onselect: () => story.moved(this.field.selectionStart), onkeyup: () => story.moved(this.field.selectionStart), onkeydown: (event) => this.#pressed(event),
    });
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
    updateMembers(this.graphs, this.#lines, lineValues(shown), () => new GraphLine((chosen) => this.story.goTo(chosen)));
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
