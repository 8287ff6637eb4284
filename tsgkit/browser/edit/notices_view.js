// Notices above the editor, and the words that are spoken.

import { el, fill } from "../dom.js";
import { relabel } from "./element_updates.js";

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
    this.#draw();
  }

  say(words) {
    const said = this.editor.dialog?.said ?? this.said;
    relabel(said, said.textContent === words ? `${words}\u00a0` : words);
  }

  #draw() {
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
}
