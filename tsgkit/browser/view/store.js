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

  run(id) {
    return this.#once(id, "run", () => this.source.run(id));
  }

  samples(id) {
    return this.#once(id, "samples", () => this.source.samples(id));
  }

  groups(id, by) {
    return this.#once(id, `groups ${by}`, () => this.source.groups(id, by));
  }

  search(id, text) {
    return this.#once(id, `search ${text}`, () => this.source.search(id, text));
  }

  labels(id) {
    return this.#once(id, "labels", () => this.source.labels(id));
  }

  sample(id, number) {
    const kept = this.#of(id);
    const known = [...kept.keys()].filter((key) => key.startsWith("sample "));
    if (known.length >= MOST_SAMPLES) kept.delete(known[0]);
    return this.#once(id, `sample ${number}`, () => this.source.sample(id, number));
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
