// Problems of a source: a message, what to do about it, if the source is gone altogether, and for a change that does not
// fit the present state, what that is.

export class SourceProblem extends Error {
  constructor(message, hint = "", isGone = false) {
    super(message);
    this.name = "SourceProblem";
    this.hint = hint;
    this.isGone = isGone;
    this.conflict = null;
  }
}
