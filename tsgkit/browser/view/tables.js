// Numbers, marks, bars and tables, as the pages of the view show them.

import { el } from "../dom.js";

export const NONE = "–";

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const TENTHS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const CENTS = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

function isNone(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

// A number, whole where it is.
export function counted(value) {
  if (isNone(value)) return NONE;
  return Number.isInteger(value) ? WHOLE.format(value) : TENTHS.format(value);
}

// "1 sample", "2,000 samples"
export function countOf(number, noun, plural = `${noun}s`) {
  return `${counted(number)} ${number === 1 ? noun : plural}`;
}

export function scored(value, isShare) {
  if (isNone(value)) return NONE;
  return isShare ? `${TENTHS.format(100 * value)}%` : counted(value);
}

// "[71.1, 85.1]", or nothing where there is no interval.
export function bracketed(value, isShare) {
  if (!value || isNone(value.low) || isNone(value.high)) return "";
  const bound = (one) => (isShare ? TENTHS.format(100 * one) : counted(one));
  return `[${bound(value.low)}, ${bound(value.high)}]`;
}

// A difference with its sign.
export function withSign(value, isShare) {
  if (isNone(value)) return NONE;
  const shown = isShare ? TENTHS.format(100 * Math.abs(value)) : counted(Math.abs(value));
  if (!/[1-9]/.test(shown)) return shown;
  return `${value < 0 ? "−" : "+"}${shown}`;
}

export function priced(value) {
  if (isNone(value)) return NONE;
  if (value === 0) return "$0";
  return Math.abs(value) >= 1 ? `$${CENTS.format(value)}` : `$${value.toFixed(value < 0.001 ? 6 : 4)}`;
}

export function lasted(seconds) {
  if (isNone(seconds)) return NONE;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` : `${WHOLE.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

// A time of the record, in the reader's own zone and our fixed order.
export function dated(iso) {
  const time = new Date(iso ?? "");
  if (Number.isNaN(time.getTime())) return iso || NONE;
  const two = (one) => String(one).padStart(2, "0");
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

export const MARKS = {
  r: { sign: "✓", words: "right", look: "right" },
  w: { sign: "✗", words: "wrong", look: "wrong" },
  u: { sign: "∅", words: "not answered", look: "unanswered" },
  m: { sign: "…", words: "missing", look: "missing" },
  "?": { sign: "?", words: "no value", look: "unvalued" },
};
export const MARK_ORDER = Object.keys(MARKS);
export const VERDICTS = { right: "✓", wrong: "✗", unsure: "?" };

// A mark; with an address, as a link to the sample.
export function markOf(code, href = null) {
  const { sign, words, look } = MARKS[code] ?? MARKS["?"];
  return el(`${href ? "a" : "span"}.mark.mark-${look}`, href && { href, tabindex: "-1" }, el("span", { "aria-hidden": "true" }, sign), ` ${words}`);
}

export function rightness(isRight) {
  return isRight === null || isRight === undefined ? el("span.mark", "– undecided") : markOf(isRight ? "r" : "w");
}

// Values of one bar: strict in full, official lighter below it. `reach` is the scale's [lowest, highest].
export function meter(strict, official = null, reach = [0, 1]) {
  const parts = [strict && bar(strict, reach, official ? [1, 7] : [3, 10], "strict")];
  if (official) parts.push(bar(official, reach, [8, 14], "official"));
  const axis = el("line.axis", { x1: "0", x2: "100", y1: "15.5", y2: "15.5" });
  return el("svg.meter", { viewBox: "0 0 100 16", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, axis, parts);
}

function bar(value, [lowest, highest], [top, bottom], profile) {
  const at = (one) => (100 * Math.min(Math.max(one, lowest) - lowest, highest - lowest)) / (highest - lowest || 1);
  const middle = (top + bottom) / 2;
  const zero = at(0);
  const end = at(value.value);
  const shape = el(`rect.${profile}`, { x: Math.min(zero, end), width: Math.abs(end - zero), y: top, height: bottom - top });
  if (value.low === null || value.low === undefined) return shape;
  const [low, high] = [at(value.low), at(value.high)];
  return el("g", shape, el("path.around", { d: `M${low} ${middle}H${high}M${low} ${middle - 2}V${middle + 2}M${high} ${middle - 2}V${middle + 2}` }));
}

// The scale that a set of values needs: shares from 0 to 1, anything else from 0 to its highest.
export function reachOf(values, isShare) {
  if (isShare) return [0, 1];
  const all = values.filter(Boolean).flatMap((one) => [one.value, one.low, one.high]).filter((one) => typeof one === "number");
  return [Math.min(0, ...all), Math.max(0, ...all) || 1];
}

// Rows are lists of cells, the first of which is the row's heading. A cell is a text, an element, or a list of both.
export function cardTable(caption, head, rows) {
  const columns = el("tr", { role: "row" }, head.map((word) => el("th", { scope: "col", role: "columnheader" }, word || el("span.unseen", "drawn"))));
  const lines = rows.map(([heading, ...cells]) => {
    const first = el("th", { scope: "row", role: "rowheader", "data-label": head[0] }, heading);
    const rest = cells.map((cell, place) => el(head[place + 1] ? "td" : "td.drawn", { role: "cell", "data-label": head[place + 1] }, el("span", cell)));
    return el("tr", { role: "row" }, first, rest);
  });
  const table = el("table.cards", { role: "table" }, el("caption", caption), el("thead", { role: "rowgroup" }, columns), el("tbody", { role: "rowgroup" }, lines));
  return el("div.wide", { tabindex: "0", role: "group", "aria-label": caption }, table);
}

// A value of a table with its interval.
export function withInterval(value, isShare) {
  return value ? [scored(value.value, isShare), " ", el("span.interval", bracketed(value, isShare))] : NONE;
}
