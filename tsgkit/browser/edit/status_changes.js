// Changes of an item's status and note.

import { noteProblem } from "./file_notices.js";

export class StatusChanges {
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
    const { editor } = this, item = editor.document.items[session.number];
    try {
      session.status = await editor.source.setStatus(session.number, status, note);
      editor.document.items[session.number].status = session.status;
      editor.views.notices.put("status", null);
      editor.say(`${item.item}: ${status}.`);
    } catch (problem) {
      noteProblem(editor, "status", problem, { before: "The status was not kept: ", again: () => this.put(session, status, note), canClose: true });
    }
    editor.paint();
  }
}
