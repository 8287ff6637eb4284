// Sending of an item's edits: one request at a time, which holds all edits since the last one as operations. A server that
// is gone is asked again; what another browser edited meanwhile is a conflict, which the user decides.

// True for values that are the same, whatever parts they share.
export function sameValue(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]));
}

// The operations from one value to another, to be applied in order; none where they are the same.
export function operationsBetween(before, after) {
  return recordOperations(before, after, []) ?? [{ path: [], value: after }];
}

// The operations between two records; null where they do not have the same fields.
function recordOperations(before, after, path) {
  const keys = Object.keys(before);
  if (keys.length !== Object.keys(after).length || !keys.every((key) => Object.hasOwn(after, key))) return null;
  return keys.flatMap((key) => {
    if (sameValue(before[key], after[key])) return [];
    const isList = Array.isArray(before[key]) && Array.isArray(after[key]);
    return isList ? listOperations(before[key], after[key], [...path, key]) : [{ path: [...path, key], value: after[key] }];
  });
}

// The part in which two lists differ: where it begins, and what it was and is.
export function changedPart(before, after) {
  const least = Math.min(before.length, after.length);
  let start = 0, end = 0;
  while (start < least && sameValue(before[start], after[start])) start += 1;
  while (end < least - start && sameValue(before.at(-1 - end), after.at(-1 - end))) end += 1;
  return { start, old: before.slice(start, before.length - end), inserted: after.slice(start, after.length - end) };
}

function listOperations(before, after, path) {
  const { start, old, inserted } = changedPart(before, after);
  if (old.length !== inserted.length || ![...old, ...inserted].every(isRecord)) return [{ path, start, removed: old.length, inserted }];
  return old.flatMap((member, at) => {
    const place = start + at, wanted = inserted[at];
    return recordOperations(member, wanted, [...path, place]) ?? [{ path, start: place, removed: 1, inserted: [wanted] }];
  });
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const AGAIN_AFTER = 700;

export class ItemSync {
  isSending = false;
  #timer = null;
  #isEnded = false;

  // `answers` are called after every answer and failure: checked(checks, value), conflict(), failed(problem), and settled() last.
  constructor(source, { number, revision, value }, answers) {
    Object.assign(this, { source, number, revision, answers, acknowledged: value, current: value, theirs: null, problem: null });
  }

  get isUnsent() {
    return this.acknowledged !== this.current || this.isSending;
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
    if (this.isSending || this.theirs || this.#isEnded || this.acknowledged === this.current) return;
    clearTimeout(this.#timer);
    const sent = this.current, operations = operationsBetween(this.acknowledged, sent);
    if (!operations.length) {
      this.acknowledged = sent;
      return this.answers.settled();
    }
    this.isSending = true;
    if (!this.problem?.isGone) this.problem = null;
    try {
      const { revision, checks } = await this.source.edit(this.number, this.revision, operations);
      this.#accepted(sent, revision);
      this.answers.checked(checks, sent);
    } catch (problem) {
      this.isSending = false;
      this.#failed(problem, sent);
    }
    this.isSending = false;
    this.answers.settled();
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
    this.answers.failed(problem);
  }

  // The server has another revision: after a restart its value is the last one it acknowledged, or holds the edits whose
  // acknowledgement was lost. Anything else is another browser's.
  #differs(item, sent) {
    this.problem = null;
    this.revision = item.revision;
    if (sameValue(item.value, sent)) {
      this.#accepted(sent, item.revision);
      this.answers.checked(item.checks, sent);
    } else if (!sameValue(item.value, this.acknowledged)) {
      this.theirs = item;
      this.answers.conflict();
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
