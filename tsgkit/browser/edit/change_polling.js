// Looking once a second for what others changed: edits of other browsers, the file on disk, a server that is gone or back.

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
      if (this.isGone) editor.isBack();
      this.isGone = false;
      editor.statuses.putAgain();
      await this.#take(changes, edits);
    } catch (problem) {
      if (!problem.isGone && problem.name !== "SourceProblem") console.error(problem);
      this.isGone = Boolean(problem.isGone);
      editor.lost(problem);
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
    if (session.sync.isIdle && (this.#restarted || item.revision >= newest)) editor.taken(session, session.take(item));
  }
}

// True if another browser may have made a revision: it is no one of ours, and none that is on its way.
function isOlder(sync, revision) {
  return !sync || (!sync.isUnsent && sync.revision < revision);
}
