// Filtering and sorting of a run's samples. Plain work on columns, done anew for each key that is pressed.

import { MARK_ORDER } from "./marks.js";
import { isPicked, UNNAMED } from "./rows.js";

export const GROUP = "by.";
const PLACES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

// A run's samples with what filters need, worked out once: texts in lower case, ranks of texts.
export class SampleIndex {
  constructor(run, samples) {
    Object.assign(this, { run, samples, n: samples.n, rows: run.rows });
    this.rowOf = new Map(run.rows.map((row) => [row.row, row]));
    this.texts = samples.item.map((item, number) => `${item}\n${samples.answer[number] ?? ""}\n${samples.reason[number] ?? ""}`.toLowerCase());
    this.ranks = new Map();
  }

  rowAt(number) {
    return this.rowOf.get(this.samples.row[number]);
  }

  // The order of a column's texts as numbers, so that sorting compares numbers alone.
  ranksOf(key, textAt) {
    if (!this.ranks.has(key)) {
      const all = Array.from({ length: this.n }, (_, number) => textAt(number));
      const order = new Map([...new Set(all)].sort(PLACES.compare).map((text, rank) => [text, rank]));
      this.ranks.set(key, Float64Array.from(all, (text) => (text === "" ? NaN : order.get(text))));
    }
    return this.ranks.get(key);
  }

  valuesOf(column) {
    if (!column.number) return this.ranksOf(column.key, (number) => column.text(this, number));
    const key = `number ${column.key}`;
    if (!this.ranks.has(key)) this.ranks.set(key, Float64Array.from({ length: this.n }, (_, number) => column.number(this, number) ?? NaN));
    return this.ranks.get(key);
  }
}

// Tests of a query, each a function of a sample's number; `more` has the sets that need the source: { found, labels }.
function testsOf(index, query, more) {
  const { samples } = index;
  const tests = [];
  const picked = new Set(index.rows.filter((row) => isPicked(row, query)).map((row) => row.row));
  if (picked.size < index.rows.length) tests.push((number) => picked.has(samples.row[number]));
  if (query.has("outcome")) {
    const wanted = samples.outcomes.indexOf(query.get("outcome"));
    tests.push((number) => samples.outcome[number] === wanted);
  }
  for (const [name, member] of query) {
    if (!name.startsWith(GROUP)) continue;
    const group = samples.groups[name.slice(GROUP.length)];
    const wanted = group?.members.findIndex((one) => (one || UNNAMED) === member) ?? -1;
    tests.push((number) => wanted >= 0 && group.of[number].includes(wanted));
  }
  if (query.has("q")) {
    const words = query.get("q").toLowerCase();
    const found = more.found;
    tests.push((number) => index.texts[number].includes(words) || (found !== null && found !== undefined && found.has(number)));
  }
  if (query.has("label") && more.labels) tests.push(more.labels);
  return tests;
}

// The numbers of the samples that a query chooses, in its order, and the counts by mark of what it chooses marks aside.
export function chosenSamples(index, query, columns, more = {}) {
  const { mark } = index.samples;
  const tests = testsOf(index, query, more);
  const marks = query.get("mark") ?? "";
  const counts = Object.fromEntries(MARK_ORDER.map((code) => [code, 0]));
  const chosen = [];
  for (let number = 0; number < index.n; number++) {
    if (!tests.every((test) => test(number))) continue;
    counts[mark[number]]++;
    if (!marks || marks.includes(mark[number])) chosen.push(number);
  }
  return { numbers: sortedSamples(index, chosen, query.get("sort") ?? "", columns), counts };
}

// Samples by a column: "-strict" from the highest. What has no value comes last either way.
function sortedSamples(index, numbers, sort, columns) {
  const isDown = sort.startsWith("-");
  const column = columns.get(isDown ? sort.slice(1) : sort);
  if (!column) return numbers;
  const values = index.valuesOf(column);
  const sign = isDown ? -1 : 1;
  return numbers.sort((one, other) => {
    const [first, second] = [values[one], values[other]];
    if (first === second) return one - other;
    if (first !== first) return second !== second ? one - other : 1;
    if (second !== second) return -1;
    return sign * (first - second);
  });
}
