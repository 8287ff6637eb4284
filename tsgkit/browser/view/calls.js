// The calls of a sample: messages, reply with what was read as the answer marked, and what was ignored; and values.

import { el, named, textList } from "../dom.js";
import { countOf, counted, lasted, priced } from "./tables.js";

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
    return el("div.graph-lists", value.map((graph, place) => el("div", el("h4", `Graph ${place + 1}`), tripletList(graph))));
  }
  if (Array.isArray(value) && value.length && value.every((one) => typeof one === "string")) return el("ul", value.map((one) => el("li", el("bdi", one))));
  return el("details", el("summary", "JSON"), block(JSON.stringify(value, null, 2)));
}

// A text with some of it marked: spans count Unicode code points.
function markedText(text, spans) {
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

// All calls in order. The last that asked a model is open, not a record that code added; without any, the last.
export function transcript(calls) {
  const lastAsked = calls.findLastIndex((call) => call.messages?.length);
  const opened = lastAsked < 0 ? calls.length - 1 : lastAsked;
  return calls.map((call, place) => {
    const draw = call.draw === null || call.draw === undefined ? "" : `, draw ${call.draw}`;
    const title = `${call.label || `call ${place + 1}`}${draw}`;
    const replaced = call.made_again ? el("p.note", "A later call took the place of this one.") : null;
    const parts = [replaced, el("p.pale", endingOf(call.reply)), replyOf(call), readingsOf(call), notesOf(call), promptOf(call.messages ?? [])];
    return el("section.call", { "aria-label": `Call ${place + 1}` }, place === opened ? [el("h3", named(title)), parts] : el("details", el("summary", named(title)), parts));
  });
}

function endingOf(reply) {
  if (!reply) return "There is no reply.";
  const usage = reply.usage ?? {};
  const known = [
    reply.model,
    reply.finish_reason && `finish reason ${reply.finish_reason}`,
    typeof reply.seconds === "number" && lasted(reply.seconds),
    typeof usage.prompt === "number" && `${counted(usage.prompt)} tokens in`,
    typeof usage.completion === "number" && `${counted(usage.completion)} out`,
    typeof usage.cost === "number" && priced(usage.cost),
  ].filter(Boolean);
  return known.join(", ") || "Nothing is known about how it ended.";
}

function promptOf(messages) {
  if (!messages.length) return el("p.pale", "No model was asked.");
  const shown = messages.map(({ role, content }) => [el("h4", named(role)), typeof content === "string" ? block(content) : shownValue(content)]);
  return el("details", el("summary", `Prompt (${countOf(messages.length, "message")})`), shown);
}

function isJson(text) {
  try {
    return /^\s*[[{]/.test(text) && typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

function replyOf({ reply, messages = [], spans = [], strict, unreadable }) {
  if (!reply) return null;
  const parts = [el("h4", "Reply")];
  if (!messages.length && isJson(reply.text)) parts.push(el("details", el("summary", "JSON"), block(reply.text)));
  else if (reply.text) {
    const isUnread = !spans.length && (strict === null || unreadable);
    const legend = spans.length ? el("p.pale", el("mark", "Marked"), " is what was read as the answer; the rest was not.") : null;
    parts.push(markedText(reply.text, spans), isUnread ? el("p.pale", "Nothing in it was read as the answer.") : legend);
  }
  else parts.push(el("p.pale", reply.text === "" ? "The reply is empty." : "The reply has no text."));
  for (const [words, value] of [["Refusal", reply.refusal], ["Error", reply.error], ["Note", reply.note]]) {
    if (value) parts.push(el("h4", words), shownValue(value));
  }
  if (reply.reasoning) parts.push(el("details", el("summary", "Reasoning"), shownValue(reply.reasoning)));
  return parts;
}

function readingsOf(call) {
  const isSame = call.strict !== null && JSON.stringify(call.strict) === JSON.stringify(call.official);
  const official = call.not_official ? el("p", named(call.not_official)) : isSame ? el("p.pale", "the same") : shownValue(call.official);
  const strict = call.unreadable ? el("p.note", el("strong", "Not readable: "), named(call.unreadable)) : shownValue(call.strict);
  return el("dl.readings", el("dt", "strict reads"), el("dd", strict), el("dt", "official reads"), el("dd", official));
}

function notesOf({ notes = [], why = [] }) {
  const reasons = why.length ? [el("h4", "Why it was read so"), textList(why)] : [];
  if (!notes.length) return reasons;
  const lines = notes.map(({ line, kind, reason, text }) =>
    el("li", el("strong", `line ${line}: ${kind}`), reason ? [": ", named(reason)] : null, text ? [" ", el("code", el("bdi", text))] : null),
  );
  return [reasons, el("h4", "Repaired, unread or ignored lines"), el("ul", lines)];
}
