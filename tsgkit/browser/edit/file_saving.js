// Saving of the file: what it would lose is asked about once, and a file that changed on disk is not overwritten.

import { el } from "../dom.js";
import { askInDialog } from "./edit_dialog.js";
import { noteProblem } from "./file_notices.js";

export class FileSaving {
  #mayLose = false;
  #isWantedAgain = false;
  isSaving = false;

  constructor(editor) {
    this.editor = editor;
  }

  async save() {
    const { editor } = this, { losses } = editor.document;
    this.#isWantedAgain = this.isSaving; // the other may fail, and does not know of the newest edits
    if (this.isSaving || (losses.length && !this.#mayLose && !(await this.#ask(losses)))) return;
    this.#mayLose = true;
    this.isSaving = true;
    editor.paint();
    try {
      await Promise.all([...editor.sessions.values()].map((session) => session.sent()));
      const { time } = await editor.source.save({ accept_losses: losses.length > 0 });
      await editor.refreshDocument();
      for (const key of ["saving", "restored"]) editor.views.notices.put(key, null);
      editor.say(`Saved ${editor.document.file}${time ? ` at ${new Date(time).toLocaleTimeString()}` : ""}.`);
    } catch (problem) {
      this.#failed(problem);
    }
    this.isSaving = false;
    editor.paint();
    if (this.#isWantedAgain) await this.save();
  }

  async #ask(losses) {
    const content = [el("p", "The format cannot hold all that the file has now. Saving would drop:"), el("ul", losses.map((loss) => el("li", loss)))];
    return (await askInDialog(this.editor, "Save with losses?", content, { cancel: "Do not save", save: "Save without them" })) === "save";
  }

  #failed(problem) {
    const { editor } = this;
    if (problem.conflict?.disk) return editor.setFileState({ ...editor.document, disk: true });
    noteProblem(editor, "saving", problem, { before: "Not saved: ", again: () => this.save(), canClose: true });
  }
}
