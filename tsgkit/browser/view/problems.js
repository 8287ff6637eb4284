// Problems of a source: a message, what to do about it, and if the source is gone altogether.

export class SourceProblem extends Error {
  constructor(message, hint = "", isGone = false) {
    super(message);
    this.name = "SourceProblem";
    this.hint = hint;
    this.isGone = isGone;
  }
}
