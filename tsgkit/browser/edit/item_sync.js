// Sending of an item's edits: one request at a time, which holds all edits since the last one. A server that is gone is
// asked again; what another browser edited meanwhile is a conflict, which the user decides.

import { operationsBetween, sameValue } from "./value_ops.js";

const AGAIN_AFTER = 700;

export class ItemSync {
  #isSending = false;
  #timer = null;
  #isEnded = false;

  // `told` is called after every answer and failure: checked(checks, value), conflict(item), failed(problem), went(well).
  constructor(source, { number, revision, value }, told) {
    Object.assign(this, { source, number, revision, told, acknowledged: value, current: value, theirs: null, problem: null });
  }

  get isUnsent() {
    return this.acknowledged !== this.current || this.#isSending;
  }

  get isSending() {
    return this.#isSending;
  }

  get isIdle() {
    return !this.isUnsent && !this.theirs;
  }

  // The value to be sent; it is sent at once unless a request is on its way.
  push(value) {
    this.current = value;
    if (!this.problem?.isGone) this.flush();
  }

  async flush() {
    if (this.#isSending || this.theirs || this.#isEnded || this.acknowledged === this.current) return;
    clearTimeout(this.#timer);
    const sent = this.current, operations = operationsBetween(this.acknowledged, sent);
    if (!operations.length) {
      this.acknowledged = sent;
      return this.told.settled();
    }
    this.#isSending = true;
    if (!this.problem?.isGone) this.problem = null;
    try {
      const { revision, checks } = await this.source.edit(this.number, this.revision, operations);
      this.#accepted(sent, revision);
      this.told.checked(checks, sent);
    } catch (problem) {
      this.#isSending = false;
      this.#failed(problem, sent);
    }
    this.#isSending = false;
    this.told.settled();
    if (!this.problem) this.flush();
  }

  #accepted(sent, revision) {
    this.acknowledged = sent;
    this.revision = revision;
    this.problem = null;
  }

  #failed(problem, sent) {
    if (problem.conflict?.item) return this.#differs(problem.conflict.item, sent);
    if (!(problem.isGone || problem.name === "SourceProblem")) console.error(problem);
    this.problem = problem;
    if (problem.isGone) this.#timer = setTimeout(() => this.flush(), AGAIN_AFTER);
    this.told.failed(problem);
  }

  // The server has another revision: after a restart its value is the last one it acknowledged, or holds the edits whose
  // acknowledgement was lost. Anything else is another browser's.
  #differs(item, sent) {
    this.problem = null;
    this.revision = item.revision;
    if (sameValue(item.value, sent)) {
      this.#accepted(sent, item.revision);
      this.told.checked(item.checks, sent);
    } else if (!sameValue(item.value, this.acknowledged)) {
      this.theirs = item;
      this.told.conflict(item);
    }
  }

  // What the server has now, for an item without edits of one's own that are not sent. True if it is another value.
  take(item) {
    this.revision = item.revision;
    if (sameValue(item.value, this.acknowledged)) return false;
    this.acknowledged = this.current = item.value;
    return true;
  }

  // Settle a conflict: with their value as the one the server has, and the value that is wanted.
  settle(value) {
    this.acknowledged = this.theirs.value;
    this.revision = this.theirs.revision;
    this.theirs = null;
    this.push(value);
  }

  close() {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }
}
