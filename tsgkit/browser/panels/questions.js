// Questions about an image: options with key and answer, the letters of all rounds, and the reasons.

import { el, named } from "../dom.js";
import { optionLine } from "./choices.js";

export function drawQuestions(value) {
  const rows = value.rows || [];
  const right = rows.filter((row) => row.right).length;
  const title = rows.length ? `${right} of ${rows.length} right` : "There are no questions.";
  return el("div.questions", el("p.summary", title), el("ol.question-rows", rows.map(drawQuestion)));
}

function drawQuestion({ number, text, options, key, answer, right, rounds, why }) {
  const sign = right === null ? "?" : right ? "\u2713" : "\u2717";
  const word = right === null ? "not decided" : right ? "right" : "wrong";
  const state = right === null ? "is-open" : right ? "is-right" : "is-wrong";
  const lines = (options || []).map(([label, said]) => optionLine({ label, text: said, is_key: label === key, is_answer: label === answer }));
  return el(`li.question.${state}`,
    el("p.question-head", el("span.state-sign", { role: "img", "aria-label": word }, sign), ` ${number}. `, named(text)),
    lines.length ? el("ul.options", lines) : null,
    el("p.panel-note", summaryOfAnswer({ key, answer, rounds })),
    why ? el("p.panel-note", why) : null);
}

function summaryOfAnswer({ key, answer, rounds }) {
  const letters = (rounds || []).map((letter) => (letter === null ? "\u2013" : letter));
  const parts = [`key ${key ?? "none"}`, `answer ${answer ?? "none"}`];
  if (letters.length) parts.push(`rounds ${letters.join(" ")}`);
  return parts.join("; ");
}
