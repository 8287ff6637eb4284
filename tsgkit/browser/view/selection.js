// Samples of a run: rows and what tells them apart, columns, filtering and sorting. Plain work, done anew for each key.

import { el, remembered } from "../dom.js";
import { MARKS, MARK_ORDER, VERDICTS, counted, lasted, markOf, priced, scored } from "./tables.js";

// The properties of rows, as filters and columns know them.
const FACETS = ["task", "subject", "style", "solver", "repeat", "shots", "prompts", "seed", "judge"];

function facetOf(row, facet) {
  const value = row[facet];
  return value === null || value === undefined ? "" : String(value);
}

// The facets in which the rows of a run differ: [[facet, values]]. Every link to a row asks for them.
export const differingFacets = remembered((rows) =>
  FACETS.map((facet) => [facet, [...new Set(rows.map((row) => facetOf(row, facet)))]]).filter(([, values]) => values.length > 1));

// Stands in queries for a facet or a member of a group that has no name.
export const UNNAMED = "none";

// The query that picks one row among those of its run.
export function pickingRow(rows, row) {
  return differingFacets(rows).map(([facet]) => [facet, facetOf(row, facet) || UNNAMED]);
}

// True if a row has what a query asks of it; UNNAMED asks for a facet without value.
function isPicked(row, query) {
  return FACETS.every((facet) => !query.has(facet) || facetOf(row, facet) === query.get(facet) || (query.get(facet) === UNNAMED && facetOf(row, facet) === ""));
}

// The title of a row with its subject shortened by what long subjects share.
export function shortTitle(row) {
  return row.title.replace(row.subject, row.short_subject);
}

export function isShareIn(row, metric = row.metric) {
  return row.metrics?.[metric]?.is_share ?? true;
}

const WIDTHS = { item: "minmax(9rem, 1.4fr)", answer: "minmax(10rem, 2fr)", reason: "minmax(10rem, 2fr)", row: "minmax(10rem, 1.5fr)", cluster: "minmax(7rem, 1fr)" };

function texts(key, title, textAt) {
  return { key, title, text: textAt, cell: (index, number) => el("bdi", textAt(index, number)), width: WIDTHS[key] ?? "minmax(6rem, 1fr)" };
}

// A column of names that are cut: shown by what tells them apart, whole where it is pointed at.
function abridgedColumn(column, short) {
  const cell = (index, number) => {
    const row = index.rowAt(number);
    return row ? el("bdi", { title: column.text(index, number) }, short(row)) : "";
  };
  return { ...column, cell };
}

function figures(key, title, numberAt, shown) {
  return { key, title, number: numberAt, cell: (index, number) => shown(numberAt(index, number), index, number), width: "5.5rem", look: "figure" };
}

// All columns that a run's samples have, by key. `labels` gives a sample's label, where there are labels.
export function sampleColumns(index, labels = null) {
  const { samples } = index;
  const mark = texts("mark", "mark", (_, number) => MARKS[samples.mark[number]]?.words ?? "");
  const all = [
    texts("item", "item", (_, number) => samples.item[number]),
    { ...mark, cell: (_, number) => markOf(samples.mark[number]), width: "8.5rem" },
    ...["strict", "official"].map((profile) => figures(profile, profile, (_, number) => samples[profile][number], (value, one, number) => scored(value, isShareIn(one.rowAt(number))))),
    texts("answer", "answer", (_, number) => samples.answer[number] ?? ""),
    texts("reason", "reason", (_, number) => samples.reason[number] ?? ""),
    ...FACETS.filter((facet) => index.rows.some((row) => (row[facet] ?? null) !== null)).map((facet) => {
      const column = texts(facet, facet, (one, number) => String(one.rowAt(number)?.[facet] ?? ""));
      return facet === "subject" ? abridgedColumn(column, (row) => row.short_subject) : column;
    }),
    abridgedColumn(texts("row", "row", (one, number) => one.rowAt(number)?.title ?? ""), shortTitle),
    texts("outcome", "outcome", (_, number) => samples.outcomes[samples.outcome[number]] ?? ""),
    texts("cluster", "cluster", (_, number) => samples.cluster[number] ?? ""),
    figures("tokens", "tokens", (_, number) => samples.tokens[number], counted),
    figures("cost", "cost", (_, number) => samples.cost[number], priced),
    figures("seconds", "seconds", (_, number) => samples.seconds[number], lasted),
    ...Object.entries(samples.groups).map(([by, group]) => texts(GROUP + by, by, (_, number) => group.of[number].map((member) => group.members[member]).join(", "))),
    ...(labels ? [texts("label", "label", (_, number) => (labels(number) ? `${VERDICTS[labels(number)] ?? ""} ${labels(number)}` : ""))] : []),
  ];
  return new Map(all.map((column) => [column.key, column]));
}

// The keys of the columns that a query asks for, else those that say something about this run.
export function shownColumns(columns, index, query) {
  const asked = (query.get("columns") ?? "").split(",").filter((key) => columns.has(key));
  if (asked.length) return asked;
  const differing = ["task", "subject", "style"].filter((facet) => new Set(index.rows.map((row) => row[facet])).size > 1);
  const official = index.samples.official.some((value) => value !== null) ? ["official"] : [];
  return ["item", "mark", "strict", ...official, ...differing, "answer", "reason"];
}

export const GROUP = "by.";
const PLACES = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

// A run's samples with what filters need, worked out once: texts in lower case, ranks of texts.
export class SampleIndex {
  constructor(run, samples) {
    Object.assign(this, { run, samples, n: samples.n, rows: run.rows });
    this.rowOf = new Map(run.rows.map((row) => [row.row, row]));
    this.texts = samples.item.map((item, number) => `${item}\n${samples.answer[number] ?? ""}\n${samples.reason[number] ?? ""}`.toLowerCase());
    // The numbers of a column, or the order of its texts as numbers, so that sorting compares numbers alone.
    this.valuesOf = remembered((column) => {
      const all = Array.from({ length: this.n }, (_, number) => (column.number ?? column.text)(this, number));
      if (column.number) return Float64Array.from(all, (value) => value ?? NaN);
      const order = new Map([...new Set(all)].sort(PLACES.compare).map((text, rank) => [text, rank]));
      return Float64Array.from(all, (text) => (text === "" ? NaN : order.get(text)));
    });
  }

  rowAt(number) {
    return this.rowOf.get(this.samples.row[number]);
  }
}

// Tests of a query, each a function of a sample's number; `more` has the sets that need the source: { hits, labels }.
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
    tests.push((number) => index.texts[number].includes(words) || Boolean(more.hits?.has(number)));
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
