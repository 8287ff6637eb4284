// Two rows of a task, of this run or of two, compared item by item, with the paired test; and all rows of the task.

import { el, fill, named, textList } from "../dom.js";
import { altered, hashOf } from "./address.js";
import { indexOf } from "./choice.js";
import { labelledSelect } from "./filters.js";
import { Grid } from "./grid.js";
import { Matrix, SHOWN, STANDINGS, pairedItems } from "./matrix.js";
import { isShareIn, shortTitle } from "./selection.js";
import { NONE, cardTable, countOf, counted, markOf, scored, withInterval, withSign } from "./tables.js";
import { awaited } from "./waiting.js";

const MARK = { width: "8rem" }, FIGURE = { width: "5.5rem", look: "figure" }, ANSWER = { width: "minmax(8rem, 2fr)" };
const PAIR_COLUMNS = [
  { key: "item", title: "item", width: "minmax(9rem, 1.4fr)" },
  { key: "standing", title: "standing", width: "8rem" },
  { key: "first-mark", title: "A", ...MARK },
  { key: "second-mark", title: "B", ...MARK },
  { key: "first-strict", title: "A strict", ...FIGURE },
  { key: "second-strict", title: "B strict", ...FIGURE },
  { key: "first-answer", title: "A answer", ...ANSWER },
  { key: "second-answer", title: "B answer", ...ANSWER },
];

export class ComparePage {
  constructor(app, { run, query }) {
    Object.assign(this, { app, run, query });
    this.heading = el("h1", "Compare rows of ", app.runLink(run));
    this.choice = new RowChoice(app, run, (changes) => this.#change(changes));
    this.news = el("div", { role: "status" });
    this.content = el("div");
    this.result = el("div");
    this.test = el("section", el("h2", "Paired test"), this.result);
    this.matrix = new Matrix({
      open: (number) => this.#open(this.run, number),
      change: (changes, id) => {
        this.#change(changes);
        document.getElementById(id)?.focus();
      },
    });
    this.host = el("div", this.heading, this.choice.element, this.news, this.content);
    this.title = () => `Compare · ${app.runName(run)}`;
    this.keys = [
      { keys: ["j"], words: "next item", run: () => this.grid?.move(this.grid.active + 1) },
      { keys: ["k"], words: "previous item", run: () => this.grid?.move(this.grid.active - 1) },
      { keys: ["/"], words: "filter by text", run: () => this.text?.focus() },
      { keys: ["Escape"], words: "leave the filter", isAlways: true, run: () => document.activeElement === this.text && this.grid.element.focus() },
    ];
  }

  #change(changes, options) {
    this.app.go(["run", this.run, "compare"], altered(this.query, changes), options);
  }

  load(keep = false) {
    const ask = async () => {
      const [index] = await Promise.all([indexOf(this.app, this.run), this.app.store.known()]);
      return [index, await this.choice.chosen(index, this.query)];
    };
    awaited(this.app, this.content, ask, ([index, pair]) => this.#ready(index, pair), { what: "samples", keep });
  }

  #ready(index, pair) {
    fill(this.news);
    fill(this.heading, "Compare rows of ", this.app.runLink(this.run));
    Object.assign(this, { index, pair });
    this.pairs = null;
    this.grid?.close();
    this.grid = null;
    if (!index.rows.length) return fill(this.content, el("p", { role: "status" }, "This run has no rows to compare yet."));
    const rows = index.rows.filter((row) => row.task === pair.first.row.task);
    fill(this.content, pair.second ? this.#build() : el("p.note", pair.problem), this.matrix.host);
    if (pair.second) {
      this.pairs = pairedItems(...[pair.first, pair.second].map(({ index: { samples }, row }) => ({ samples, row: row.row })));
      this.#ask(pair);
      this.#draw();
    }
    this.matrix.show(index, rows, this.query);
    return undefined;
  }

  #ask({ first, second }) {
    const place = ({ run, row }) => ({ run, row: row.row });
    fill(this.result);
    awaited(this.app, this.result, () => this.app.source.comparison(place(first), place(second)), (test) => fill(this.result, shownTest(test, first, second)), { what: "the test" });
  }

  #build() {
    this.toggles = el("div.toggles", { role: "group", "aria-label": "Standing of items" });
    this.text = el("input", { type: "search", id: "compare-q", value: this.query.get("q") ?? "", oninput: () => this.#typed() });
    this.sum = el("p.sum", { role: "status" });
    this.grid = new Grid({ label: "Items of A and B", cells: (place) => this.#cells(place), open: (place) => this.#openPair(place) });
    const field = el("div.filter.text-filter", el("label", { for: "compare-q" }, "Text in items and answers"), this.text);
    const list = el("section", el("h2", "Item by item"), el("p.pale", "What was not answered counts as wrong, as in the scores."), el("div.filter-row", this.toggles, field), this.sum, this.grid.element);
    return [this.test, list];
  }

  #typed() {
    this.query = altered(this.query, { q: this.text.value.trim() || null });
    this.app.note(["run", this.run, "compare"], this.query);
    this.#draw();
  }

  #draw() {
    const words = (this.query.get("q") ?? "").toLowerCase();
    const { first, second } = this.pair;
    const isFound = (pair) => !words || [first.index.texts[pair.first], second.index.texts[pair.second]].some((text) => text?.includes(words));
    const pairs = this.pairs.filter(isFound);
    const isDifferent = this.pairs.some((pair) => SHOWN.differ[1](pair.standing));
    const asked = this.query.get("show") ?? (isDifferent ? "differ" : "all");
    const [meaning, isShown] = SHOWN[asked] ?? SHOWN.all;
    this.shown = pairs.filter((pair) => isShown(pair.standing));
    this.#toggle(pairs, asked);
    fill(this.sum, `${countOf(this.shown.length, "item")}, ${meaning}`);
    this.grid.element.hidden = !this.shown.length;
    this.grid.show(this.shown.length, PAIR_COLUMNS);
  }

  // Buttons of what can be shown with their counts, which keep the focus when they are pressed.
  #toggle(pairs, asked) {
    const at = [...this.toggles.children].indexOf(document.activeElement);
    const button = ([name, [words, isShown]]) => {
      const count = pairs.filter((pair) => isShown(pair.standing)).length;
      const pressing = { type: "button", "aria-pressed": String(name === asked), onclick: () => this.#change({ show: name }) };
      return el("button.toggle", pressing, `${words} `, el("span.count", counted(count)));
    };
    fill(this.toggles, Object.entries(SHOWN).map(button));
    this.toggles.children[at]?.focus();
  }

  #cells(place) {
    const { item, first, second, standing } = this.shown[place];
    const sides = [[this.pair.first, first], [this.pair.second, second]];
    const marks = sides.map(([{ run, index }, number]) => (number === undefined ? el("span.mark", "not asked") : markOf(index.samples.mark[number], hashOf(["run", run, "sample", number]))));
    const values = sides.map(([{ index, row }, number]) => (number === undefined ? "–" : scored(index.samples.strict[number], isShareIn(row))));
    const answers = sides.map(([{ index }, number]) => el("bdi", index.samples.answer[number] ?? ""));
    return [named(item), STANDINGS[standing], ...marks, ...values, ...answers];
  }

  #openPair(place) {
    const { first, second } = this.shown[place];
    this.#open(this.pair[first === undefined ? "second" : "first"].run, first ?? second);
  }

  #open(run, number) {
    this.app.go(["run", run, "sample", number], []);
  }

  update({ query }) {
    const isSamePair = ["first", "second"].every((name) => query.get(name) === this.query.get(name));
    const isSameMatrix = ["items", "order"].every((name) => query.get(name) === this.query.get(name));
    this.query = query;
    if (!isSamePair || !this.index) return this.load(true);
    if (this.pairs) {
      if (document.activeElement !== this.text) this.text.value = query.get("q") ?? "";
      this.#draw();
    }
    if (!isSameMatrix) this.matrix.show(this.index, this.matrix.rows, query);
    return undefined;
  }

  // A run that works grows every few seconds: what somebody looks at stays until they want the new state.
  changed(id) {
    if (![this.run, this.pair?.second?.run].includes(id)) return;
    const refresh = () => {
      this.load(true);
      this.app.main.focus({ preventScroll: true });
    };
    fill(this.news, el("p.note", "This run has grown since it was compared. ", el("button", { type: "button", onclick: refresh }, "Compare again")));
  }

  close() {
    this.grid?.close();
    this.matrix.close();
  }
}

function readPlace(text) {
  const cut = (text ?? "").lastIndexOf("/");
  return cut < 0 ? null : { run: text.slice(0, cut), row: Number(text.slice(cut + 1)) };
}

class RowChoice {
  // `change` is called with the parts of the query that a person alters: first, second.
  constructor(app, run, change) {
    Object.assign(this, { app, run });
    this.first = this.#select("first", "A", () => change({ first: this.first.value, second: null }));
    this.runs = this.#select("second-run", "B from run", () => change({ second: `${this.runs.value}/-1` }));
    this.second = this.#select("second", "B", () => change({ second: this.second.value }));
    this.element = el("div.filter-row.row-choice", this.fields);
    this.element.hidden = true;
  }

  #select(name, title, changed) {
    const { select, element } = labelledSelect(`compare-${name}`, title, [], changed);
    this.fields = [...(this.fields ?? []), element];
    return select;
  }

  // The two rows that a query means: { first, second }, each { run, row, index }; without a second, a problem in words.
  async chosen(index, query) {
    if (!index.rows.length) return {};
    const row = index.rowOf.get(readPlace(query.get("first"))?.row) ?? index.rows[0];
    const first = { run: this.run, row, index };
    const place = readPlace(query.get("second")) ?? { run: this.run, row: -1 };
    const other = place.run === this.run ? index : await indexOf(this.app, place.run);
    const candidates = other.rows.filter((one) => one.task === row.task && !(place.run === this.run && one.row === row.row));
    const opponent = candidates.find((one) => one.row === place.row) ?? candidates[0];
    this.#show(first, place.run, candidates, opponent);
    if (!opponent) return { first, problem: `There is no other row of ${row.task} in this run to compare with. Choose another run for B.` };
    return { first, second: { run: place.run, row: opponent, index: other } };
  }

  #show(first, secondRun, candidates, opponent) {
    this.element.hidden = false;
    const options = (run, rows) => rows.map((row) => el("option", { value: `${run}/${row.row}`, title: row.title }, shortTitle(row)));
    const tasks = Map.groupBy(first.index.rows, (row) => row.task);
    fill(this.first, [...tasks].map(([task, rows]) => el("optgroup", { label: task }, options(this.run, rows))));
    this.first.value = `${this.run}/${first.row.row}`;
    const runs = (this.app.store.listing?.runs ?? []).filter((run) => !run.problem && (run.id === this.run || run.id === secondRun || run.tasks?.includes(first.row.task)));
    const names = runs.length ? runs.map((run) => [run.id, run.id === this.run ? `this run (${run.name})` : run.name]) : [[this.run, "this run"]];
    fill(this.runs, names.map(([id, name]) => el("option", { value: id }, name)));
    this.runs.value = secondRun;
    fill(this.second, options(secondRun, candidates));
    if (opponent) this.second.value = `${secondRun}/${opponent.row}`;
    this.second.disabled = !opponent;
  }
}

function shownTest(test, first, second) {
  if (test.problem) return el("p.note", "There is no test: ", named(test.problem));
  const isShare = test.is_share;
  const line = (letter, side, value) => [[`${letter}: `, named(side.row.title)], withInterval(value, isShare), counted(value.n)];
  const around = test.low === null || test.low === undefined ? "" : ` [${withSign(test.low, isShare)}, ${withSign(test.high, isShare)}]`;
  const p = typeof test.p === "number" ? test.p.toFixed(test.p < 0.001 ? 5 : 4) : NONE;
  return [
    cardTable(`Strict ${test.metric}`, ["row", "value", "n"], [line("A", first, test.first), line("B", second, test.second)]),
    el("p", el("strong", named(test.verdict)), ` A − B: ${withSign(test.difference, isShare)}${isShare ? " points" : ""}${around}, p = ${p} (`, named(test.test), ")."),
    textList(test.notes),
  ];
}
