// Panels without a shape of their own: tables, texts, drawings, and the JSON of what no module draws.

import { el } from "../dom.js";

// A table that scrolls by itself where the page is narrow.
export function drawTable(value) {
  const head = el("tr", value.head.map((name) => el("th", { scope: "col" }, name)));
  const rows = value.rows.map((row) => el("tr", row.map((cell) => el("td", cellText(cell)))));
  const table = el("table", el("thead", head), el("tbody", rows));
  return el("div.scrolled", { tabindex: 0, role: "group", "aria-label": "table" }, table);
}

function cellText(cell) {
  return cell === null || cell === undefined ? "" : String(cell);
}

export function drawText(value) {
  return el("p.panel-text", String(value.text));
}

// An SVG as an image: it runs nothing and loads nothing.
export function drawDrawing(value, title) {
  return el("img.panel-drawing", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(wellFormed(value.svg))}`, alt: title });
}

// Text without halves of surrogate pairs, which no address can hold.
function wellFormed(text) {
  return Array.from(String(text), (letter) => (/^[\ud800-\udfff]$/.test(letter) ? "\ufffd" : letter)).join("");
}

export function drawJson(value) {
  return el("pre.panel-json", { tabindex: 0 }, JSON.stringify(value, null, 1));
}
