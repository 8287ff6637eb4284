// What the source said, kept until the run it is about changes; nothing is asked twice at the same time.

const MOST_SAMPLES = 200;

export class Store {
  #runs = new Map();

  constructor(source) {
    this.source = source;
    this.listing = null;
    this.asked = null;
  }

  async runs() {
    this.asked ??= this.source.runs().finally(() => (this.asked = null));
    this.listing = await this.asked;
    return this.listing;
  }

  // The runs as they were last listed.
  async known() {
    return this.listing ?? this.runs();
  }

  // What the source says of a run: its "run", "samples" or "labels", the "groups" by something, what a "search" finds.
  ask(name, id, ...about) {
    return this.#once(id, [name, ...about].join(" "), () => this.source[name](id, ...about));
  }

  sample(id, number) {
    const kept = this.#of(id);
    const known = [...kept.keys()].filter((key) => key.startsWith("sample "));
    if (known.length >= MOST_SAMPLES) kept.delete(known[0]);
    return this.ask("sample", id, number);
  }

  async saveLabel(id, label) {
    const labels = await this.source.saveLabel(id, label);
    this.#of(id).set("labels", Promise.resolve(labels));
    return labels;
  }

  // Something worked out from the data, kept like it.
  derived(id, name, make) {
    return this.#once(id, `derived ${name}`, make);
  }

  // Everything about a run is asked anew. Labels are no part of the run.
  forget(id) {
    const labels = this.#runs.get(id)?.get("labels");
    this.#runs.set(id, new Map(labels ? [["labels", labels]] : []));
  }

  #of(id) {
    if (!this.#runs.has(id)) this.#runs.set(id, new Map());
    return this.#runs.get(id);
  }

  #once(id, name, ask) {
    const kept = this.#of(id);
    if (!kept.has(name)) {
      const answer = Promise.resolve().then(ask);
      kept.set(name, answer);
      answer.catch(() => kept.get(name) === answer && kept.delete(name));
    }
    return kept.get(name);
  }
}
