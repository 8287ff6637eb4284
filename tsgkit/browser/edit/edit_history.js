// Undo and redo without end: every step keeps the value and the place before and after it.

export class EditHistory {
  #past = [];
  #future = [];

  constructor(value, place) {
    Object.assign(this, { value, place });
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  // Keep a step. Steps with the same key that follow each other, such as letters typed into one field, are one.
  record(value, place, words, key = null) {
    const last = this.#past.at(-1);
    if (key !== null && last?.key === key && !this.#future.length) last.after = { value, place };
    else this.#past.push({ key, words, before: { value: this.value, place: this.place }, after: { value, place } });
    this.#future = [];
    Object.assign(this, { value, place });
  }

  // End a step that grew: what follows is a step of its own.
  pause() {
    if (this.#past.length) this.#past.at(-1).key = null;
  }

  moveTo(place) {
    this.place = place;
  }

  // Take the last step back; its words, or null where there is none.
  undo() {
    return this.#turn(this.#past, this.#future, "before");
  }

  redo() {
    return this.#turn(this.#future, this.#past, "after");
  }

  #turn(from, to, side) {
    const step = from.pop();
    if (!step) return null;
    step.key = null;
    to.push(step);
    Object.assign(this, step[side]);
    return step.words;
  }
}
