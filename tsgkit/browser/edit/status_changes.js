// Changes of an item's status and note. They are shown at once; what a server that is gone did not get is sent again.

import { noteProblem } from "./file_notices.js";

export class StatusChanges {
  #pending = new Map();

  constructor(editor) {
    this.editor = editor;
  }

  // Set the status of the current item. Unless it is meant exactly, a status that it has already opens it again.
  async set(status, isExact = false) {
    const { session, views } = this.editor, wanted = !isExact && session.status.status === status ? "open" : status;
    if (wanted === "unsure") views.status.note.focus();
    await this.put(session, wanted, session.status.note ?? "");
  }

  async put(session, status, note) {
    const { editor } = this;
    this.#pending.delete(session);
    this.#show(session, { ...session.status, status, note });
    try {
      this.#show(session, await editor.source.setStatus(session.number, status, note));
      editor.views.notices.put("status", null);
      editor.say(`${editor.document.items[session.number].item}: ${status}.`);
    } catch (problem) {
      if (problem.isGone) this.#pending.set(session, { status, note });
      else noteProblem(editor, "status", problem, { before: "The status was not kept: ", again: () => this.put(session, status, note), canClose: true });
    }
  }

  // Send what could not be sent.
  putAgain() {
    for (const [session, { status, note }] of [...this.#pending]) this.put(session, status, note);
  }

  #show(session, status) {
    session.status = status;
    this.editor.document.items[session.number].status = status;
    this.editor.paint();
  }
}
