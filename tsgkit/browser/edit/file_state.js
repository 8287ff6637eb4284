// What becomes of edits: the server, other browsers and the file on disk, with their notices; saving, and statuses.

import { el } from "../dom.js";
import { askInDialog } from "./command_views.js";
import { VersionView, showConflict } from "./version_view.js";

export function noteLost(editor, problem) {
  const words = problem.isGone ? "The server does not answer. Go on editing: edits are kept here and sent when it is back." : problem.message;
  editor.views.notices.put("server", { kind: "problem", words, hint: problem.isGone ? "" : problem.hint });
}

export function noteRefusedEdit(editor, session, problem) {
  const answers = [{ words: "Try again", run: () => session.sync.flush() }];
  editor.views.notices.put("sending", {
    kind: "problem", words: `An edit was not accepted: ${problem.message}`, hint: `${problem.hint} It is kept here; undo takes it back.`, answers,
  });
}

export function noteConflict(editor, session) {
  const key = `conflict-${session.number}`;
  const answer = (which) => {
    session.settle(which === "theirs");
    editor.views.notices.put(key, null);
    editor.paint();
  };
  const answers = [
    { words: "Compare", run: () => showConflict(editor, session, answer) },
    { words: "Take theirs", run: () => answer("theirs") },
    { words: "Keep mine", run: () => answer("mine") },
  ];
  const words = `Another browser edited ${editor.document.items[session.number].item} at the same time.`;
  editor.views.notices.put(key, { kind: "problem", words, hint: "Your edits are kept here until you decide.", answers });
}

// Edits that were found in the draft of a server that ended, each set once.
export function noteRestored(editor) {
  const { restored } = editor.document;
  if (!restored || editor.restored === restored.time) return;
  editor.restored = restored.time;
  const words = `${restored.edits} ${restored.edits === 1 ? "edit that was not saved was" : "edits that were not saved were"} restored.`;
  editor.views.notices.put("restored", { words, hint: "Save keeps them in the file.", canClose: true });
}

export function noteDisk(editor) {
  const answers = [{ words: "Compare", run: () => new VersionView(editor, "disk", diskAnswers(editor)) }, ...diskAnswers(editor)];
  const notice = { kind: "problem", words: "The file changed on disk since it was read.", hint: "It is not overwritten until you decide.", answers };
  editor.views.notices.put("disk", editor.document.disk ? notice : null);
}

function diskAnswers(editor) {
  return [{ words: "Keep mine", run: () => editor.resolve("mine") }, { words: "Take theirs", run: () => editor.resolve("theirs") }];
}

export function noteProblem(editor, key, problem, { before = "", again, canClose = false }) {
  if (problem.name !== "SourceProblem") console.error(problem);
  const answers = [{ words: "Try again", run: again }];
  editor.views.notices.put(key, { kind: "problem", words: `${before}${problem.message}`, hint: problem.hint, answers, canClose });
}

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
    if (this.isSaving) return;
    if (losses.length && !this.#mayLose) {
      const content = [el("p", "The format cannot hold all that the file has now. Saving would drop:"), el("ul", losses.map((loss) => el("li", loss)))];
      if ((await askInDialog(editor, "Save with losses?", content, { cancel: "Do not save", save: "Save without them" })) !== "save") return;
    }
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
      if (problem.conflict?.disk) editor.setFileState({ ...editor.document, disk: true });
      else noteProblem(editor, "saving", problem, { before: "Not saved: ", again: () => this.save(), canClose: true });
    }
    this.isSaving = false;
    editor.paint();
    if (this.#isWantedAgain) await this.save();
  }
}

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
    const wanted = this.#unsent.get(session), { editor } = this;
    if (!wanted || this.#sending.has(session)) return;
    const isNewest = () => this.#unsent.get(session) === wanted && this.#unsent.delete(session);
    let isGone = false;
    this.#sending.add(session);
    try {
      const status = await editor.source.setStatus(session.number, wanted.status, wanted.note);
      editor.views.notices.put("status", null);
      if (isNewest()) {
        this.#show(session, status);
        editor.say(`${editor.document.items[session.number].item}: ${status.status}.`);
      }
    } catch (problem) {
      isGone = problem.isGone;
      if (!isGone) {
        isNewest();
        noteProblem(editor, "status", problem, { before: "The status was not kept: ", again: () => this.put(session, wanted.status, wanted.note), canClose: true });
        editor.paint();
      }
    }
    this.#sending.delete(session);
    if (!isGone) await this.#send(session);
  }

  #show(session, status) {
    session.status = status;
    this.editor.document.items[session.number].status = status;
    this.editor.paint();
  }
}

const EVERY = 1000;

export class ChangePolling {
  #timer = null;
  #isEnded = false;
  #newest = new Map();
  #restarted = false;

  constructor(editor, since) {
    Object.assign(this, { editor, since, isGone: false });
    this.#again();
  }

  close() {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }

  #again() {
    if (!this.#isEnded) this.#timer = setTimeout(() => this.#look(), EVERY);
  }

  async #look() {
    const { editor } = this, { edits } = editor;
    try {
      const changes = await editor.source.changes(this.since);
      if (this.isGone) {
        editor.views.notices.put("server", null);
        editor.say("The server is back.");
        for (const { sync } of editor.sessions.values()) sync.flush();
      }
      this.isGone = false;
      editor.statuses.putAgain();
      await this.#take(changes, edits);
    } catch (problem) {
      if (!problem.isGone && problem.name !== "SourceProblem") console.error(problem);
      this.isGone = Boolean(problem.isGone);
      noteLost(editor, problem);
    }
    this.#again();
  }

  async #take(changes, edits) {
    const { editor } = this;
    if (changes.revision < this.since) {
      this.#newest.clear();
      this.#restarted = true;
    }
    this.since = changes.revision;
    for (const [number, revision] of Object.entries(changes.items)) this.#newest.set(Number(number), revision);
    const isOthers = [...this.#newest].some(([number, revision]) => isOlder(editor.sessions.get(number)?.sync, revision));
    editor.setFileState({ ...changes, unsaved: changes.unsaved || editor.edits !== edits });
    if (isOthers || this.#restarted) await editor.refreshDocument();
    for (const session of editor.sessions.values()) await this.#takeOver(session);
    for (const number of this.#newest.keys()) if (!editor.sessions.has(number)) this.#newest.delete(number);
    this.#restarted = false;
  }

  // An item without unsent edits is taken over as the server has it; one with them is settled when they are sent.
  async #takeOver(session) {
    const { editor } = this, newest = this.#newest.get(session.number) ?? -1;
    if (!session.sync.isIdle || !(this.#restarted || newest > session.sync.revision)) return;
    const item = await editor.source.item(session.number);
    if (!session.sync.isIdle || !(this.#restarted || item.revision >= newest)) return;
    if (session.take(item)) editor.say(`Another browser edited ${editor.document.items[session.number].item}: taken over.`);
    editor.paint();
  }
}

// True if another browser may have made a revision: it is no one of ours, and none that is on its way.
function isOlder(sync, revision) {
  return !sync || (!sync.isUnsent && sync.revision < revision);
}
