// Values of samples as they are shown: texts, triplets, lists, and anything else as folded JSON.

import { el } from "../dom.js";

function isTriplet(value) {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "string");
}

function isGraph(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isTriplet);
}

// A text of several lines, as it was written.
export function block(...content) {
  return el("pre", { tabindex: "0", dir: "auto" }, content.flat().map((part) => (typeof part === "string" ? written(part) : part)));
}

function tripletList(graph) {
  const arrows = (triplet) => triplet.map((part, place) => [place ? el("span.pale", " → ") : null, el("bdi", part)]);
  return el("ul.triplet-list", graph.map((triplet) => el("li", arrows(triplet))));
}

export function shownValue(value) {
  if (value === null || value === undefined) return el("p.pale", "none");
  if (value === "") return el("p.pale", "an empty text");
  if (typeof value === "string") return block(value);
  if (isTriplet(value)) return tripletList([value]);
  if (isGraph(value)) return tripletList(value);
  if (Array.isArray(value) && value.length && value.every(isGraph)) {
    return el("div.graph-lists", value.map((graph, place) => el("div", el("h4", `Graph ${place}`), tripletList(graph))));
  }
  if (Array.isArray(value) && value.length && value.every((one) => typeof one === "string")) return el("ul", value.map((one) => el("li", el("bdi", one))));
  return el("details", el("summary", "JSON"), block(JSON.stringify(value, null, 2)));
}

// A text with some of it marked: spans count Unicode code points.
export function markedText(text, spans) {
  const letters = [...text];
  const kept = [...spans].sort(([one], [other]) => one - other);
  const parts = [];
  let at = 0;
  for (const [start, end] of kept) {
    if (start < at || end <= start) continue;
    parts.push(letters.slice(at, start).join(""), el("mark", written(letters.slice(start, end).join(""))));
    at = end;
  }
  parts.push(letters.slice(at).join(""));
  return block(parts);
}

function written(text) {
  return text.replaceAll("\r\n", "\n");
}
