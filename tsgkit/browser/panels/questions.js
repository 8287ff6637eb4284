// Questions about an image with options, key, answer, rounds and reasons; and candidates of a choice, marked alike.

import { el, named } from "../dom.js";

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

export function drawChoices(value) {
  const options = value.options || [], answered = options.some((option) => option.is_answer);
  const note = answered ? null : el("p.panel-note", "No candidate was chosen.");
  return el("div.choices", el("ul.options", options.map(optionLine)), note);
}

// A line for an option: its label and text, and words for what it is.
function optionLine({ label, text, is_key, is_answer }) {
  const state = is_key && is_answer ? "is-right" : is_answer ? "is-wrong" : is_key ? "is-key" : "is-plain";
  const words = [is_key && "key", is_answer && (is_key ? "answer: right" : "answer: wrong")].filter(Boolean);
  const sign = { "is-right": "\u2713", "is-wrong": "\u2717", "is-key": "\u2190", "is-plain": "" }[state];
  const tag = words.length ? el("span.option-tag", `${sign} ${words.join(", ")}`) : null;
  return el(`li.option.${state}`, el("span.option-label", label), el("span.option-text", el("bdi", text), " ", tag));
}
