// Tables of words and figures; on narrow screens their rows become cards.

import { el } from "../dom.js";
import { bracketed, NONE, scored } from "./numbers.js";

// Rows are lists of cells, the first of which is the row's heading. A cell is a text, an element, or a list of both.
export function cardTable(caption, head, rows) {
  const columns = el("tr", { role: "row" }, head.map((word) => el("th", { scope: "col", role: "columnheader" }, word || el("span.unseen", "drawn"))));
  const table = el(
    "table.cards",
    { role: "table" },
    el("caption", caption),
    el("thead", { role: "rowgroup" }, columns),
    el("tbody", { role: "rowgroup" }, rows.map((row) => tableRow(head, row))),
  );
  return el("div.wide", { tabindex: "0", role: "group", "aria-label": caption }, table);
}

function tableRow(head, [heading, ...cells]) {
  const first = el("th", { scope: "row", role: "rowheader", "data-label": head[0] }, heading);
  const rest = cells.map((cell, place) => el(head[place + 1] ? "td" : "td.drawn", { role: "cell", "data-label": head[place + 1] }, el("span", cell)));
  return el("tr", { role: "row" }, first, rest);
}

// A value of a table with its interval.
export function withInterval(value, isShare) {
  return value ? [scored(value.value, isShare), " ", el("span.interval", bracketed(value, isShare))] : NONE;
}
