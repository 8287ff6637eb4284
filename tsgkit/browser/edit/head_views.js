// The head of the editor, its notices, the items of the file with their statuses, and the status of the current one.

import { countWords, el, fill, relabel, reveal, setAttributeOf, updateMembers } from "../dom.js";
import { CommandBar } from "./command_views.js";
import { graphsOf } from "./item_value.js";

const HEAD_COMMANDS = { save: "Save", undo: "Undo", redo: "Redo", vocabulary: "L", proposals: "Proposals", commands: "Commands", help: "Help" };
const KEPT = "\u2713 in the notebook";
const SAVE_WORDS = { unsent: "\u25cf edits not sent", unsaved: "\u25cf not saved", saved: "\u2713 saved", saving: "\u2026 saving" };

export class HeaderView {
  constructor(editor) {
    this.editor = editor;
    this.file = el(editor.source.isWidget ? "h2.file" : "h1.file");
    this.about = el("span.pale");
    this.state = el("strong.save-state");
    this.bar = new CommandBar(editor, "Commands on the file", HEAD_COMMANDS);
    this.element = el("div.editor-head", this.file, this.about, this.state, this.bar.element);
  }

  update() {
    const { document: story, saveState, source } = this.editor;
    const done = story.items.filter(({ status }) => status.status === "done").length;
    relabel(this.file, story.file);
    relabel(this.about, `${story.format}${story.annotator ? ` \u00b7 ${story.annotator}` : ""} \u00b7 ${done} of ${story.items.length} done`);
    relabel(this.state, source.isWidget && saveState === "saved" ? KEPT : SAVE_WORDS[saveState]);
    setAttributeOf(this.state, "data-state", saveState);
    this.bar.update();
    for (const { command, button } of this.bar.buttons) {
      button.hidden = (command.name === "proposals" && !story.proposals) || (command.name === "save" && source.isWidget);
    }
    if (!source.isWidget) document.title = `${saveState === "saved" ? "" : "\u25cf "}${story.file} \u00b7 tsgkit`;
  }
}

export class NoticesView {
  #notices = new Map();
  #sign = "";

  constructor(editor) {
    this.editor = editor;
    this.list = el("div.notices");
    this.said = el("p.said", { role: "status", "aria-live": "polite" });
    this.element = el("div", this.list, this.said);
  }

  // Show a notice in place of the one with the same key; null takes it away. `answers` are { words, run }.
  put(key, notice) {
    if (!notice) this.#notices.delete(key);
    else this.#notices.set(key, notice);
    const sign = JSON.stringify([...this.#notices].map(([key, { words, hint }]) => [key, words, hint]));
    if (sign === this.#sign) return;
    this.#sign = sign;
    const hadFocus = this.list.contains(this.editor.activeElement);
    fill(this.list, [...this.#notices].map(([key, { words, hint, kind = "info", answers = [], canClose = false }]) =>
      el(`div.notice.is-${kind}`, { role: kind === "problem" ? "alert" : "status", "data-notice": key }, el("p.notice-text", el("strong", words), hint ? ` ${hint}` : null),
        answers.map((answer) => el("button", { type: "button", onclick: answer.run }, answer.words)),
        canClose && el("button", { type: "button", onclick: () => this.put(key, null) }, "Dismiss"))));
    if (hadFocus) this.editor.frame.focus({ preventScroll: true });
  }

  say(words) {
    const said = this.editor.dialog?.said ?? this.said;
    relabel(said, said.textContent === words ? `${words}\u00a0` : words);
  }
}

const NOTE_AFTER = 500;
const STATUS_SIGNS = { open: "\u25cb", done: "\u2713", unsure: "?" };

export class ItemsView {
  #lines = [];

  constructor(editor) {
    this.editor = editor;
    this.list = el("ul.item-lines", { onkeydown: (event) => this.#pressed(event) });
    this.words = el("summary");
    this.element = el("details.items", { open: true }, this.words, this.list);
  }

  update() {
    const { document: story, number: current } = this.editor;
    const done = story.items.filter(({ status }) => status.status === "done").length;
    relabel(this.words, `Items: ${done} of ${story.items.length} done`);
    const values = story.items.map((item, number) => {
      const session = this.editor.sessions.get(number);
      return { item, isCurrent: number === current, graphs: session ? graphsOf(session.value).length : item.graphs, isUnsaved: item.unsaved };
    });
    updateMembers(this.list, this.#lines, values, () => new ItemLine((number) => this.editor.open(number)));
    if (this.revealed !== current && this.#lines[current]) reveal(this.list, this.#lines[current].element);
    this.revealed = current;
  }

  #pressed(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], place = this.#lines.findIndex(({ button }) => button === this.editor.activeElement);
    if (!step || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    this.#lines[place + step]?.button.focus();
    event.preventDefault();
  }
}

class ItemLine {
  #shown = "";

  constructor(onClick) {
    this.sign = el("span.item-sign", { role: "img" });
    this.name = el("bdi.item-name");
    this.about = el("span.pale");
    this.button = el("button.item-line", { type: "button", onclick: () => onClick(this.number) }, this.sign, " ", this.name, " ", this.about);
    this.element = el("li", this.button);
  }

  update({ item, isCurrent, graphs, isUnsaved }, number) {
    this.number = number;
    const { status, annotator, time } = item.status, sign = JSON.stringify([item.item, item.title, item.status, isCurrent, graphs, isUnsaved]);
    if (this.#shown === sign) return;
    this.#shown = sign;
    relabel(this.sign, STATUS_SIGNS[status]);
    setAttributeOf(this.sign, "aria-label", status);
    setAttributeOf(this.sign, "data-status", status);
    relabel(this.name, `${item.item}${item.title ? `: ${item.title}` : ""}`);
    relabel(this.about, [countWords(graphs, "graph"), annotator, shownTime(time), isUnsaved ? "not saved" : ""].filter(Boolean).join(" \u00b7 "));
    setAttributeOf(this.button, "aria-current", isCurrent ? "true" : null);
    setAttributeOf(this.button, "tabindex", isCurrent ? "0" : "-1");
  }
}

// A time of the server as the minute it was.
function shownTime(time) {
  const moment = new Date(time);
  return time && !Number.isNaN(moment.getTime()) ? moment.toLocaleString([], { dateStyle: "short", timeStyle: "short" }) : "";
}

// The status of the current item: three choices, and a note.
export class StatusView {
  constructor(editor) {
    this.editor = editor;
    this.buttons = ["open", "done", "unsure"].map((status) => el("button", { type: "button", "data-status": status, onclick: () => editor.statuses.set(status, true) }, `${STATUS_SIGNS[status]} ${status}`));
    const wait = () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.commit(), NOTE_AFTER);
    };
    this.note = el("input.status-note", { type: "text", "aria-label": "Note on this item", placeholder: "note", dir: "auto", oninput: wait, onchange: () => this.commit(), onkeydown: (event) => this.#pressed(event) });
    this.about = el("span.pale");
    this.element = el("div.status", { role: "group", "aria-label": "Status of the item" }, this.buttons, this.note, this.about);
  }

  // Send a note that was written, at the latest half a second after the last letter.
  commit() {
    clearTimeout(this.timer);
    const { session, note: { value } } = this;
    if (session && value !== (session.status.note ?? "")) this.editor.statuses.put(session, session.status.status, value);
  }

  #pressed(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    this.commit();
    this.editor.views.story.focus();
  }

  update(session) {
    const { status, note, annotator, time } = session.status, isOther = this.session !== session;
    this.session = session;
    for (const button of this.buttons) setAttributeOf(button, "aria-pressed", String(button.dataset.status === status));
    if (isOther || !this.note.matches(":focus")) this.note.value = note ?? "";
    relabel(this.about, [annotator, shownTime(time)].filter(Boolean).join(" \u00b7 "));
  }
}
