// Candidates of a choice, with the key and the answer marked.

import { el } from "../dom.js";

export function drawChoices(value) {
  const options = value.options || [], answered = options.some((option) => option.is_answer);
  const note = answered ? null : el("p.panel-note", "No candidate was chosen.");
  return el("div.choices", el("ul.options", options.map(optionLine)), note);
}

// A line for an option: its label and text, and words for what it is.
export function optionLine({ label, text, is_key, is_answer }) {
  const state = is_key && is_answer ? "is-right" : is_answer ? "is-wrong" : is_key ? "is-key" : "is-plain";
  const words = [is_key && "key", is_answer && (is_key ? "answer: right" : "answer: wrong")].filter(Boolean);
  const sign = { "is-right": "\u2713", "is-wrong": "\u2717", "is-key": "\u2190", "is-plain": "" }[state];
  const tag = words.length ? el("span.option-tag", `${sign} ${words.join(", ")}`) : null;
  return el(`li.option.${state}`, el("span.option-label", label), el("span.option-text", el("bdi", text), " ", tag));
}
