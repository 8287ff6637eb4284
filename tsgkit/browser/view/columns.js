// Columns of the list of samples: a title, a text or element for a sample, and what it is sorted by.

import { el } from "../dom.js";
import { MARKS, markOf, VERDICTS } from "./marks.js";
import { counted, lasted, priced, scored } from "./numbers.js";
import { FACETS, isShareIn, shortTitle } from "./rows.js";
import { GROUP } from "./selection.js";

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

function profileColumn(key) {
  const shown = (value, index, number) => scored(value, isShareIn(index.rowAt(number)));
  return figures(key, key, (index, number) => index.samples[key][number], shown);
}

// All columns that a run's samples have, by key. `labels` gives a sample's label, where there are labels.
export function sampleColumns(index, labels = null) {
  const { samples } = index;
  const mark = texts("mark", "mark", (_, number) => MARKS[samples.mark[number]]?.words ?? "");
  const all = [
    texts("item", "item", (_, number) => samples.item[number]),
    { ...mark, cell: (_, number) => markOf(samples.mark[number]), width: "8.5rem" },
    profileColumn("strict"),
    profileColumn("official"),
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
    ...(labels ? [texts("label", "label", (_, number) => labelText(labels(number)))] : []),
  ];
  return new Map(all.map((column) => [column.key, column]));
}

function labelText(label) {
  return label ? `${VERDICTS[label] ?? ""} ${label}` : "";
}

// The keys of the columns that a query asks for, else those that say something about this run.
export function shownColumns(columns, index, query) {
  const asked = (query.get("columns") ?? "").split(",").filter((key) => columns.has(key));
  if (asked.length) return asked;
  const differing = ["task", "subject", "style"].filter((facet) => new Set(index.rows.map((row) => row[facet])).size > 1);
  const official = index.samples.official.some((value) => value !== null) ? ["official"] : [];
  return ["item", "mark", "strict", ...official, ...differing, "answer", "reason"];
}
