// Edits that accept pieces of another version of an item, and the graphs in which two values differ.

import { exchangedTriplet } from "./graph_commands.js";
import { insertGraphAt, removeGraph, setGraph, setText } from "./item_value.js";
import { sameValue } from "./value_ops.js";

// Accept one change of a triplet.
export function acceptChange(value, pair, { reference, candidate }) {
  const place = placeOfPair(pair);
  return setGraph(value, place, exchangedTriplet(pair.mine, candidate, reference));
}

// Accept a whole graph: put it in the place of mine, insert it, or remove mine.
export function acceptGraph(value, pair) {
  const place = placeOfPair(pair);
  if (pair.other === null) return removeGraph(value, place);
  return pair.mine === null ? insertGraphAt(value, place, pair.other) : setGraph(value, place, pair.other);
}

// Accept all graphs of a description, and its text if that differs and may be edited.
export function acceptDescription(value, { pairs, texts }, description, canText) {
  const own = pairs.filter((pair) => pair.description === description);
  const inOrder = own.map((pair, order) => ({ pair, order })).sort((one, other) =>
    other.pair.graph - one.pair.graph || (one.pair.mine === null) - (other.pair.mine === null) || other.order - one.order);
  const text = canText ? texts.find((one) => one.description === description) : null;
  const now = inOrder.reduce((before, { pair }) => acceptGraph(before, pair).value, value);
  const place = own.length ? { description, graph: own[0].graph } : { description, graph: 0 };
  return { value: text ? setText(now, place, text.other).value : now, place };
}

function placeOfPair({ description, graph }) {
  return { description, graph: graph ?? 0 };
}

// The graphs in which two values differ, in order: [{ mine, other }], null where one has none.
export function differingGraphs(mine, other) {
  const least = Math.min(mine.length, other.length);
  let start = 0, end = 0;
  while (start < least && sameValue(mine[start], other[start])) start += 1;
  while (end < least - start && sameValue(mine.at(-1 - end), other.at(-1 - end))) end += 1;
  const [ours, theirs] = [mine.slice(start, mine.length - end), other.slice(start, other.length - end)];
  const count = Math.max(ours.length, theirs.length);
  const pairs = Array.from({ length: count }, (_, place) => ({ number: start + place, mine: ours[place] ?? null, other: theirs[place] ?? null }));
  return pairs.filter((pair) => !sameValue(pair.mine, pair.other));
}

// Kinds of differences of the triplets of one graph against another, by number.
export function marksAgainst(triplets, other, kind) {
  if (!triplets) return [];
  const known = new Set((other ?? []).map((one) => JSON.stringify(one)));
  return triplets.map((one) => (known.has(JSON.stringify(one)) ? "matched" : kind));
}
