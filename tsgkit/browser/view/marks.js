// Marks of samples: a sign, a word and a class each, so that colour says nothing alone.

import { el } from "../dom.js";

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
