// Edits of an item's descriptions and graphs. A value is never changed: an edit returns { value, place }, and the new
// value shares all that stayed. A place is { description, graph }. Where `graph` is null it is a draft: a graph that is
// not in the value yet and would be inserted `at` a place of the description. An edit that is not possible returns null.

import { remembered } from "../dom.js";
import { sameValue } from "./item_sync.js";

// All graphs along the item.
export const graphsOf = remembered((value) => value.descriptions.flatMap(({ graphs }) => graphs));

// The number of the first graph of every description, and the number of all graphs.
export const firstNumbers = remembered((value) => {
  const firsts = [0];
  for (const { graphs } of value.descriptions) firsts.push(firsts.at(-1) + graphs.length);
  return firsts;
});

// All places in order: those of the graphs, and a draft where a description has none.
export function placesOf(value) {
  return value.descriptions.flatMap(({ graphs }, description) =>
    graphs.length ? graphs.map((_, graph) => ({ description, graph })) : [{ description, graph: null, at: 0 }]);
}

// The number along the item of the graph at a place; null for a draft.
export function numberAt(value, { description, graph }) {
  return graph === null ? null : firstNumbers(value)[description] + graph;
}

export function placeOf(value, number) {
  const firsts = firstNumbers(value), description = firsts.findLastIndex((first) => first <= number);
  return value.descriptions[description]?.graphs.length ? { description, graph: number - firsts[description] } : null;
}

export function graphAt(value, { description, graph }) {
  return graph === null ? null : (value.descriptions[description]?.graphs[graph] ?? null);
}

// The place itself, or the nearest one that there is.
export function nearestPlace(value, { description, graph }) {
  const last = value.descriptions.length - 1;
  if (last < 0) return { description: 0, graph: null, at: 0 };
  const number = Math.max(0, Math.min(description, last)), { graphs } = value.descriptions[number];
  if (!graphs.length) return { description: number, graph: null, at: 0 };
  return { description: number, graph: Math.max(0, Math.min(graph ?? 0, graphs.length - 1)) };
}

// The place to begin at: the first description with a text or graphs, since one with neither may stand for what is not known.
export function firstPlace(value) {
  return nearestPlace(value, { description: value.descriptions.findIndex(({ text, graphs }) => text || graphs.length), graph: 0 });
}

// The place of a draft behind a place.
export function draftAfter({ description, graph, at = 0 }) {
  return { description, graph: null, at: graph === null ? at : graph + 1 };
}

export function samePlace(one, other) {
  return one.description === other.description && orderIn(one) === orderIn(other);
}

function orderIn({ graph, at = 0 }) {
  return graph ?? at - 0.5;
}

// The place that is so many steps on; null beyond the ends.
export function placeBeside(value, place, steps) {
  const all = placesOf(value);
  const next = all.findIndex((one) => one.description > place.description || (one.description === place.description && orderIn(one) >= orderIn(place)));
  const here = next < 0 ? all.length : next, isBetween = !all[here] || !samePlace(all[here], place);
  return all[here + steps - (isBetween && steps > 0 ? 1 : 0)] ?? null;
}

function withDescriptions(value, start, removed, ...inserted) {
  return { ...value, descriptions: value.descriptions.toSpliced(start, removed, ...inserted) };
}

// A value with some graphs of a description replaced.
function withGraphs(value, number, start, removed, ...inserted) {
  const description = value.descriptions[number];
  return withDescriptions(value, number, 1, { ...description, graphs: description.graphs.toSpliced(start, removed, ...inserted) });
}

export function setGraph(value, place, triplets) {
  return { value: withGraphs(value, place.description, place.graph, 1, triplets), place };
}

// Insert a graph behind a place, or where a draft is.
export function insertGraph(value, place, triplets) {
  return insertGraphAt(value, { description: place.description, graph: draftAfter(place).at }, triplets);
}

export function insertGraphAt(value, place, triplets) {
  if (!value.descriptions[place.description]) return null;
  return { value: withGraphs(value, place.description, place.graph, 0, triplets.map((triplet) => [...triplet])), place };
}

export function removeGraph(value, place) {
  if (graphAt(value, place) === null) return null;
  const left = withGraphs(value, place.description, place.graph, 1);
  return { value: left, place: nearestPlace(left, place) };
}

// Move a graph by one: within its description, then into the one beside.
export function moveGraph(value, place, step) {
  const moved = graphAt(value, place), beside = value.descriptions[place.description + step];
  if (moved === null) return null;
  const left = withGraphs(value, place.description, place.graph, 1), target = place.graph + step;
  if (target >= 0 && target <= left.descriptions[place.description].graphs.length) {
    return { value: withGraphs(left, place.description, target, 0, moved), place: { ...place, graph: target } };
  }
  if (!beside) return null;
  const [description, graph] = [place.description + step, step > 0 ? 0 : beside.graphs.length];
  return { value: withGraphs(left, description, graph, 0, moved), place: { description, graph } };
}

// Put some triplets of a graph into a new one behind it.
export function splitGraph(value, place, numbers) {
  const triplets = graphAt(value, place), chosen = new Set(numbers);
  if (triplets === null || !chosen.size || chosen.size === triplets.length) return null;
  const [left, taken] = [false, true].map((isTaken) => triplets.filter((_, number) => chosen.has(number) === isTaken));
  return { value: withGraphs(value, place.description, place.graph, 1, left, taken), place: { ...place, graph: place.graph + 1 } };
}

// Join a graph and the next one of its description; triplets of both stand once.
export function mergeGraph(value, place) {
  const next = place.graph === null ? null : graphAt(value, { ...place, graph: place.graph + 1 });
  if (!next) return null;
  const first = graphAt(value, place), known = new Set(first.map((triplet) => JSON.stringify(triplet)));
  const merged = [...first, ...next.filter((triplet) => !known.has(JSON.stringify(triplet)))];
  return { value: withGraphs(value, place.description, place.graph, 2, merged), place };
}

export function addDescription(value, place, text = "") {
  const description = value.descriptions.length ? place.description + 1 : 0;
  return { value: withDescriptions(value, description, 0, { text, graphs: [] }), place: { description, graph: null, at: 0 } };
}

export function setText(value, place, text) {
  return { value: withDescriptions(value, place.description, 1, { ...value.descriptions[place.description], text }), place };
}

// Split a description: the current graph and those behind it go to a new one. `at` is where the text is cut, if known.
export function splitDescription(value, place, at = null) {
  const whole = value.descriptions[place.description];
  if (!whole || !place.graph) return null;
  const cut = at ?? whole.text?.length ?? 0;
  const first = { ...whole, text: whole.text === null ? null : whole.text.slice(0, cut).trimEnd(), graphs: whole.graphs.slice(0, place.graph) };
  const second = { text: whole.text === null ? null : whole.text.slice(cut).trimStart(), graphs: whole.graphs.slice(place.graph) };
  return { value: withDescriptions(value, place.description, 1, first, second), place: { description: place.description + 1, graph: 0 } };
}

export function mergeDescription(value, place) {
  const [first, second] = value.descriptions.slice(place.description, place.description + 2);
  if (!second) return null;
  const texts = [first.text, second.text].filter((text) => text), isUnknown = first.text === null && second.text === null;
  const joined = { ...first, text: isUnknown ? null : texts.join(" "), graphs: [...first.graphs, ...second.graphs] };
  const left = withDescriptions(value, place.description, 2, joined);
  return { value: left, place: nearestPlace(left, place) };
}

export function removeDescription(value, place) {
  if (value.descriptions.length < 2) return null;
  const left = withDescriptions(value, place.description, 1);
  return { value: left, place: nearestPlace(left, { ...place, graph: 0 }) };
}

export function moveDescription(value, place, step) {
  const description = place.description + step, moved = value.descriptions[place.description];
  if (!moved || !value.descriptions[description]) return null;
  const left = value.descriptions.toSpliced(place.description, 1).toSpliced(description, 0, moved);
  return { value: { ...value, descriptions: left }, place: { ...place, description } };
}

// Triplets with one exchanged, added (`before` is null) or removed (`after` is null).
export function exchangedTriplet(triplets, before, after) {
  const place = before === null ? triplets.length : triplets.findIndex((one) => sameValue(one, before));
  if (place < 0) return triplets;
  const isKnown = after !== null && triplets.some((one, other) => other !== place && sameValue(one, after));
  return triplets.toSpliced(place, before === null ? 0 : 1, ...(after === null || isKnown ? [] : [after]));
}

// The graph in a few words: its action and what it is done to, then its hands.
export const shownSummary = remembered((triplets) => {
  const targets = (wanted) => [...new Set(triplets.filter(([, edge]) => edge === wanted).map(([, , target]) => target))];
  const hands = [...new Set(triplets.flatMap(([source, , target]) => [source, target]).filter((name) => name === "hand1" || name === "hand2"))];
  const words = [...targets("verb"), ...targets("dobj")].join(" ");
  return [words || (triplets.length ? "no action" : "empty graph"), hands.sort().join(" ")].filter(Boolean).join(" \u00b7 ");
});
