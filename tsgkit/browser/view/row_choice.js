// The choice of two rows of one task, the second of this run or of another.

import { el, fill } from "../dom.js";
import { indexOf } from "./choice.js";
import { shortTitle } from "./rows.js";

function readPlace(text) {
  const cut = (text ?? "").lastIndexOf("/");
  return cut < 0 ? null : { run: text.slice(0, cut), row: Number(text.slice(cut + 1)) };
}

export class RowChoice {
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
    const select = el("select", { id: `compare-${name}`, onchange: changed });
    this.fields = [...(this.fields ?? []), el("div.filter", el("label", { for: select.id }, title), select)];
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
    const found = candidates.find((one) => one.row === place.row) ?? candidates[0];
    this.#show(first, place.run, candidates, found);
    if (!found) return { first, problem: `There is no other row of ${row.task} in this run to compare with. Choose another run for B.` };
    return { first, second: { run: place.run, row: found, index: other } };
  }

  #show(first, secondRun, candidates, found) {
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
    if (found) this.second.value = `${secondRun}/${found.row}`;
    this.second.disabled = !found;
  }
}
