// Changes of an item's status and note. They are shown at once and sent one at a time, so that an older note never
// replaces a newer one; what a server that is gone did not get is sent again.

import { noteProblem } from "./file_notices.js";

export class StatusChanges {
  #unsent = new Map();
  #sending = new Set();

  constructor(editor) {
    this.editor = editor;
  }

  get isIdle() {
    return !this.#unsent.size;
  }

  // Set the status of the current item. Unless it is meant exactly, a status that it has already opens it again.
  async set(status, isExact = false) {
    const { session, views } = this.editor, wanted = !isExact && session.status.status === status ? "open" : status;
    if (wanted === "unsure") views.status.note.focus();
    await this.put(session, wanted, session.status.note ?? "");
  }

  async put(session, status, note) {
    this.#unsent.set(session, { status, note });
    this.#show(session, { ...session.status, status, note });
    await this.#send(session);
  }

  // Send what could not be sent.
  putAgain() {
    for (const session of [...this.#unsent.keys()]) this.#send(session);
  }

  async #send(session) {
    const wanted = this.#unsent.get(session);
    if (!wanted || this.#sending.has(session)) return;
    let isGone = false;
    this.#sending.add(session);
    try {
      this.#kept(session, wanted, await this.editor.source.setStatus(session.number, wanted.status, wanted.note));
    } catch (problem) {
      isGone = problem.isGone;
      if (!isGone) this.#refused(session, wanted, problem);
    }
    this.#sending.delete(session);
    if (!isGone) await this.#send(session);
  }

  #kept(session, wanted, status) {
    const { editor } = this;
    editor.views.notices.put("status", null);
    if (this.#unsent.get(session) !== wanted) return;
    this.#unsent.delete(session);
    this.#show(session, status);
    editor.say(`${editor.document.items[session.number].item}: ${status.status}.`);
  }

  #refused(session, wanted, problem) {
    const { status, note } = wanted;
    if (this.#unsent.get(session) === wanted) this.#unsent.delete(session);
    noteProblem(this.editor, "status", problem, { before: "The status was not kept: ", again: () => this.put(session, status, note), canClose: true });
    this.editor.paint();
  }

  #show(session, status) {
    session.status = status;
    this.editor.document.items[session.number].status = status;
    this.editor.paint();
  }
}
