// All samples of a run in a list: filtered, sorted, in the columns that are wanted.

import { el, fill } from "../dom.js";
import { altered, hashOf } from "./address.js";
import { columnsWithLabels, foundText, indexOf, labelTest, labelled } from "./choice.js";
import { filterBar } from "./filters.js";
import { Grid } from "./grid.js";
import { chosenSamples, shownColumns } from "./selection.js";
import { MARKS, MARK_ORDER, countOf, counted } from "./tables.js";
import { awaited } from "./waiting.js";

const TYPING = 120;

export class SamplesPage {
  constructor(app, { run, query }) {
    Object.assign(this, { app, run, query });
    this.content = el("div");
    this.heading = el("h1", "Samples of ", app.runLink(run));
    this.host = el("div.samples-page", this.heading, this.content);
    this.title = () => `Samples · ${app.runName(run)}`;
    this.chosen = { numbers: [], counts: {} };
    this.more = { hits: null, labels: null };
    this.turn = 0;
    this.keys = this.#keys();
  }

  #keys() {
    const step = (by) => () => this.grid?.move(this.grid.active + by);
    return [
      { keys: ["j"], words: "next sample (also ↓ in the list)", run: step(1) },
      { keys: ["k"], words: "previous sample (also ↑ in the list)", run: step(-1) },
      { keys: ["ArrowDown"], run: () => this.#isIdle() && this.#enter() && this.grid.move(this.grid.active + 1) },
      { keys: ["ArrowUp"], run: () => this.#isIdle() && this.#enter() && this.grid.move(this.grid.active - 1) },
      { keys: ["Enter"], words: "open the sample", run: () => this.#isIdle() && this.grid?.count && this.#open(this.grid.active) },
      { keys: ["n"], words: "next wrong sample", run: () => this.#wrong(1) },
      { keys: ["N"], words: "previous wrong sample", run: () => this.#wrong(-1) },
      { keys: ["/"], words: "filter by text", run: () => this.bar?.text.focus() },
      { keys: ["Escape"], words: "leave the filter, then the list", isAlways: true, run: () => this.#leave() },
    ];
  }

  // True if no control has the focus, so that keys are meant for the list.
  #isIdle() {
    return [document.body, this.app.main].includes(document.activeElement);
  }

  #enter() {
    this.grid?.element.focus({ preventScroll: true });
    return Boolean(this.grid);
  }

  #leave() {
    const now = document.activeElement;
    if (this.bar?.element.contains(now)) (this.grid.count ? this.grid.element : this.app.main).focus({ preventScroll: true });
    else this.app.go(["run", this.run], []);
  }

  load(keep = false) {
    const ask = async () => {
      const index = await indexOf(this.app, this.run);
      return [index, await labelled(this.app, this.run).catch(() => null), await this.app.store.known()];
    };
    awaited(this.app, this.content, ask, ([index, labels]) => this.#ready(index, labels), { what: "samples", keep });
  }

  #ready(index, labels) {
    this.index = index;
    this.columns = columnsWithLabels(index, labels?.size || this.app.source.canLabel ? labels : null);
    fill(this.heading, "Samples of ", this.app.runLink(this.run));
    if (!index.n) {
      this.grid?.close();
      this.grid = this.bar = this.offered = null;
      fill(this.content, el("p", { role: "status" }, "This run has no samples yet."));
      return;
    }
    const isNew = !this.grid;
    if (isNew) this.#build();
    if (this.offered !== this.#offers()) this.#offer(labels !== null);
    this.draw();
    this.#deepen(isNew);
    this.#seek(isNew);
  }

  // What the filters offer; they are made anew only where it changed.
  #offers() {
    const { samples, rows } = this.index;
    return JSON.stringify([rows.length, [...new Set(samples.outcome)], Object.entries(samples.groups).map(([by, group]) => [by, group.members]), [...this.columns.keys()]]);
  }

  #build() {
    this.grid = new Grid({
      label: "Samples",
      cells: (place) => this.#cells(place),
      open: (place) => this.#open(place),
      moved: (place) => this.#at(place),
      sort: (key) => this.#change({ sort: this.query.get("sort") === key ? `-${key}` : key }),
    });
    this.filters = el("div");
    this.sum = el("p.sum", { role: "status" });
    this.note = el("div");
    fill(this.content, this.filters, this.sum, this.note, this.grid.element);
  }

  // The filters of these data; the one that has the focus keeps it.
  #offer(hasLabels) {
    const focused = this.filters.contains(document.activeElement) ? document.activeElement.id : "";
    this.offered = this.#offers();
    this.bar = filterBar(this.index, this.columns, hasLabels, (changes, isTyping) => this.#change(changes, isTyping));
    this.bar.text.value = this.query.get("q") ?? "";
    fill(this.filters, this.bar.element);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }

  // Show what the query chooses of the data that are here.
  draw() {
    const begun = performance.now();
    this.chosen = chosenSamples(this.index, this.query, this.columns, this.more);
    const shown = shownColumns(this.columns, this.index, this.query);
    this.bar.show(this.query, this.chosen.counts, shown);
    this.grid.element.hidden = !this.chosen.numbers.length; // before rows are measured, which have no height in a hidden one
    this.grid.show(this.chosen.numbers.length, shown.map((key) => this.columns.get(key)), this.query.get("sort") ?? "");
    fill(this.sum, this.#summary());
    performance.measure("filter samples", { start: begun });
  }

  #summary() {
    const { numbers, counts } = this.chosen;
    const sum = numbers.length === this.index.n ? countOf(this.index.n, "sample") : `${counted(numbers.length)} of ${countOf(this.index.n, "sample")}`;
    if (!numbers.length) return `No sample is like this (of ${counted(this.index.n)}). Clear some filters.`;
    const marks = this.query.get("mark") ?? MARK_ORDER.join("");
    const parts = MARK_ORDER.filter((code) => counts[code] && marks.includes(code)).map((code) => `${counted(counts[code])} ${MARKS[code].words}`);
    return `${sum}: ${parts.join(", ")}`;
  }

  #cells(place) {
    const number = this.chosen.numbers[place];
    return this.grid.columns.map((column) => {
      const content = column.cell(this.index, number);
      return column.key === "item" ? el("a", { href: this.#hashOf(number), tabindex: "-1" }, content) : content;
    });
  }

  #hashOf(number) {
    return hashOf(["run", this.run, "sample", number], altered(this.query, { at: null }));
  }

  #open(place) {
    const number = this.chosen.numbers[place];
    this.#at(place);
    this.app.go(["run", this.run, "sample", number], altered(this.query, { at: null }));
  }

  #at(place) {
    this.query = altered(this.query, { at: String(this.chosen.numbers[place]) });
    this.app.note(["run", this.run, "samples"], this.query);
  }

  #wrong(step) {
    const { numbers } = this.chosen;
    for (let place = (this.grid?.active ?? 0) + step; place >= 0 && place < numbers.length; place += step) {
      if (this.index.samples.mark[numbers[place]] === "w") return this.grid.move(place);
    }
    this.app.announce(step > 0 ? "No wrong sample further down." : "No wrong sample further up.");
    return undefined;
  }

  #change(changes, isTyping = false) {
    const kept = new Map([...this.query].filter(([name]) => ["sort", "columns"].includes(name)));
    const query = changes === null ? kept : altered(this.query, changes);
    if (isTyping) {
      this.query = query;
      this.app.note(["run", this.run, "samples"], query);
      this.#redraw(true);
    } else this.app.go(["run", this.run, "samples"], query);
  }

  #redraw(isTyping = false) {
    if (this.query.get("q") !== this.sought) this.more.hits = null;
    if (this.query.get("label") !== this.labelled) this.more.labels = null;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#deepen(), isTyping ? TYPING : 0);
  }

  // Ask the source for what columns do not tell: texts of prompts and replies, verdicts of labelled questions.
  async #deepen(isSought = true) {
    const [query, turn] = [this.query, ++this.turn];
    if (!query.has("q") && !query.has("label")) {
      this.more = { hits: null, labels: null };
      return fill(this.note);
    }
    const late = setTimeout(() => turn === this.turn && fill(this.note, el("p.pale", { role: "status" }, "Searching prompts and replies …")), TYPING);
    try {
      const [hits, labels] = await Promise.all([foundText(this.app, this.run, query), labelTest(this.app, this.run, this.index, query)]);
      if (turn !== this.turn) return undefined;
      this.more = { hits, labels };
      this.sought = query.get("q");
      this.labelled = query.get("label");
      fill(this.note);
      this.draw();
      this.#seek(isSought);
    } catch (problem) {
      const again = el("button", { type: "button", onclick: () => this.#deepen() }, "Try again");
      if (turn === this.turn) fill(this.note, el("p.note", { role: "alert" }, `Prompts, replies and labels were not searched: ${problem.message} `, again));
    } finally {
      clearTimeout(late);
    }
    return undefined;
  }

  // The sample of the address becomes the active one, and is brought into sight where somebody goes there.
  #seek(isSought = true) {
    const place = this.chosen.numbers.indexOf(Number(this.query.get("at") ?? -1));
    if (!isSought) return this.grid.activate(place >= 0 ? place : this.grid.active);
    this.grid.move(place >= 0 ? place : this.grid.active, { quietly: true });
    if (place >= 0 && this.#isIdle()) this.grid.element.focus({ preventScroll: true });
    return undefined;
  }

  update({ query }) {
    this.query = query;
    if (!this.grid) return;
    this.#redraw();
    this.#seek();
  }

  close() {
    this.turn++;
    clearTimeout(this.timer);
    this.grid?.close();
  }
}
