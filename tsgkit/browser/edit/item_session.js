// One item in work: its value with undo and redo, the place in it, its checks, and the sending of its edits.

import { SourceProblem } from "../server_data.js";
import { ItemSync } from "./item_sync.js";
import { firstNumbers, firstPlace, graphAt, graphsOf, insertGraphAt, nearestPlace, numberAt, removeGraph, samePlace, setGraph } from "./item_value.js";
import { namesByKind } from "./vocabulary_edits.js";

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

const NEARBY = 8;
const SENT_AFTER = 15;

export class ItemSession {
  #byGraph = new WeakMap();
  #byText = new Map();

  // `answers` has what follows an answer of the server, or none: { conflict, failed, settled }, each called with the session.
  constructor(source, item, answers) {
    this.number = item.number;
    this.status = item.status;
    this.history = new EditHistory(item.value, firstPlace(item.value));
    this.sync = new ItemSync(source, item, {
      checked: (checks, value) => this.#keep(checks, value),
      conflict: () => answers.conflict(this),
      failed: (problem) => answers.failed(this, problem),
      settled: () => answers.settled(this),
    });
    this.#keep(item.checks, item.value);
  }

  get value() {
    return this.history.value;
  }

  get place() {
    return this.history.place;
  }

  get graph() {
    return graphAt(this.value, this.place);
  }

  // An edit { value, place }; null is one that is not possible.
  edit(edit, words, key = null) {
    if (!edit || edit.value === this.value) return false;
    this.history.record(edit.value, edit.place, words, key);
    this.sync.push(edit.value);
    return true;
  }

  // Other triplets of the current graph. A graph comes into being with its first triplet and goes with its last one,
  // where the format allows other numbers of graphs.
  write(triplets, { row, field }, canCount) {
    const { place, value } = this, key = `${place.description}/${place.graph ?? place.at}/${row}/${field}`;
    const written = this.#written(value, place, triplets, canCount);
    return written && this.edit({ value: written.value, place: { ...written.place, row, field } }, "typing", key);
  }

  #written(value, place, triplets, canCount) {
    if (!value.descriptions.length) return triplets.length ? { value: { ...value, descriptions: [{ text: null, graphs: [triplets] }] }, place: { description: 0, graph: 0 } } : null;
    if (place.graph === null) return triplets.length ? insertGraphAt(value, { description: place.description, graph: place.at }, triplets) : null;
    if (triplets.length || !canCount) return setGraph(value, place, triplets);
    return { value: removeGraph(value, place).value, place: { description: place.description, graph: null, at: place.graph } };
  }

  goTo(place) {
    if (!samePlace(place, this.place)) this.history.pause();
    this.history.place = place;
  }

  // Take the last step back ("undo") or make it again ("redo"); its words.
  turn(way) {
    const words = this.history[way]();
    if (words !== null) this.sync.push(this.value);
    return words;
  }

  // Wait until the server has all edits. Raise the problem that prevents it.
  async sent() {
    this.sync.flush();
    while (!this.sync.isIdle) {
      if (this.sync.problem && !this.sync.isSending) throw this.sync.problem; // else it may be solved just now
      if (this.sync.theirs) throw new SourceProblem("Another browser edited this item meanwhile.", "Decide first which version stays.");
      await new Promise((resolve) => setTimeout(resolve, SENT_AFTER));
    }
  }

  // Take over what the server has, if that is something else.
  take(item) {
    this.status = item.status;
    const isOther = this.sync.take(item);
    if (isOther) this.history.record(item.value, nearestPlace(item.value, this.place), "an edit of another browser");
    this.#keep(item.checks, item.value);
    return isOther;
  }

  // Settle a conflict by one of the two values; undo leads to the other one.
  settle(isTheirs) {
    const { theirs } = this.sync;
    const { value, place } = this;
    this.history.record(theirs.value, nearestPlace(theirs.value, place), "taking the other browser's version");
    if (!isTheirs) this.history.record(value, place, "keeping this browser's version");
    this.#keep(theirs.checks, theirs.value);
    this.sync.settle(this.value);
  }

  #keep(checks, value) {
    this.checks = checks;
    this.checkedValue = value;
    graphsOf(value).forEach((graph, number) => this.#byGraph.set(graph, checks.graphs[number]));
    this.#byText = new Map(value.descriptions.map(({ text }, number) => [text, checks.mentioned[number] ?? []]));
  }

  // The last checks of a graph; until there are any, those of the graph that was in its place; null where there are none.
  checksOf(graph, number) {
    const checks = this.#byGraph.get(graph);
    if (checks) return checks;
    return graphsOf(this.value).length === graphsOf(this.checkedValue).length ? (this.checks.graphs[number] ?? null) : null;
  }

  get currentChecks() {
    return this.graph === null ? null : this.checksOf(this.graph, numberAt(this.value, this.place));
  }

  // Names for the fields of the current graph, each list computed when it is asked for.
  get elements() {
    const session = this;
    return {
      get nodes() { return session.#names("object"); },
      get verbs() { return session.#names("verb"); },
      get edges() { return session.#names("relationship"); },
      get mentioned() { return session.#mentioned(); },
      get nearby() { return session.#nearby(); },
    };
  }

  #names(kind) {
    return namesByKind(this.value, graphsOf(this.value))[kind];
  }

  // What the sentence mentions; actions and edges that its earlier graphs have come last.
  #mentioned() {
    const { graphs = [], text } = this.value.descriptions[this.place.description] ?? {};
    const done = new Set(graphs.filter((graph) => graph !== this.graph).flat().flatMap(([, edge, target]) => (edge === "verb" ? [target] : [edge])));
    const all = this.#byText.get(text) ?? [];
    return [...all.filter((name) => !done.has(name)), ...all.filter((name) => done.has(name))];
  }

  #nearby() {
    const graphs = graphsOf(this.value), { description, graph, at = 0 } = this.place;
    const here = (firstNumbers(this.value)[description] ?? 0) + (graph ?? at);
    const before = graphs.slice(Math.max(0, here - NEARBY), here).reverse();
    return [...before, ...graphs.slice(here + (graph === null ? 0 : 1), here + NEARBY / 2)];
  }
}
