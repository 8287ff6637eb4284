// Edits of L: names by their role in the graphs, renamed everywhere, merged, added, removed and moved between lists.

import { remembered } from "../dom.js";

export const NAME_KINDS = ["object", "relationship", "verb"];
const ALWAYS_ALLOWED = { object: ["person", "hand1", "hand2"], relationship: ["verb", "dobj"], verb: [] };

// The names of a graph by their role: a target of `verb` is an action, and so is a source of that name.
const namesInGraph = remembered((triplets) => {
  const actions = new Set(triplets.filter(([, edge]) => edge === "verb").map(([, , target]) => target));
  const names = { object: new Set(), relationship: new Set(), verb: actions };
  for (const [source, edge, target] of triplets) {
    if (!actions.has(source)) names.object.add(source);
    if (edge !== "verb") names.object.add(target);
    names.relationship.add(edge);
  }
  return names;
});

// The numbers of the graphs that use each name: { object: Map, relationship: Map, verb: Map }.
export function usesOf(graphs) {
  const uses = { object: new Map(), relationship: new Map(), verb: new Map() };
  graphs.forEach((triplets, number) => {
    const names = namesInGraph(triplets);
    for (const kind of NAME_KINDS) {
      for (const name of names[kind]) uses[kind].has(name) ? uses[kind].get(name).push(number) : uses[kind].set(name, [number]);
    }
  });
  return uses;
}

// The names of L, or of the graphs where there is no L.
export function namesByKind(value, graphs) {
  if (value.vocabulary) return value.vocabulary;
  const uses = usesOf(graphs);
  return Object.fromEntries(NAME_KINDS.map((kind) => [kind, [...uses[kind].keys()].filter(Boolean)]));
}

// The names that graphs use although L lacks them.
export function namesOutside(value, uses) {
  if (!value.vocabulary) return { object: [], relationship: [], verb: [] };
  return Object.fromEntries(NAME_KINDS.map((kind) => {
    const allowed = new Set([...(value.vocabulary[kind] ?? []), ...ALWAYS_ALLOWED[kind], ""]);
    return [kind, [...uses[kind].keys()].filter((name) => !allowed.has(name))];
  }));
}

function withNames(value, kind, names) {
  return value.vocabulary ? { ...value, vocabulary: { ...value.vocabulary, [kind]: [...new Set(names)] } } : value;
}

export function addName(value, kind, name) {
  return withNames(value, kind, [...(value.vocabulary?.[kind] ?? []), name]);
}

export function removeName(value, kind, name) {
  return withNames(value, kind, (value.vocabulary?.[kind] ?? []).filter((one) => one !== name));
}

// Move a name from one list to the other; the graphs stay as they are.
export function moveName(value, name, from, to) {
  return addName(removeName(value, from, name), to, name);
}

// Give several names of a kind one name, in L and in all graphs; triplets that become the same stand once.
export function renameNames(value, kind, names, wanted) {
  const old = new Set(names.filter((name) => name !== wanted));
  if (!old.size) return value;
  const descriptions = value.descriptions.map((one) => {
    const graphs = one.graphs.map((triplets) => renamedGraph(triplets, kind, old, wanted));
    return graphs.every((graph, place) => graph === one.graphs[place]) ? one : { ...one, graphs };
  });
  return withNames({ ...value, descriptions }, kind, (value.vocabulary?.[kind] ?? []).map((name) => (old.has(name) ? wanted : name)));
}

function renamedGraph(triplets, kind, old, wanted) {
  const names = namesInGraph(triplets);
  if (![...names[kind]].some((name) => old.has(name))) return triplets;
  const exchange = (name, isOne) => (isOne && old.has(name) ? wanted : name);
  const renamed = triplets.map(([source, edge, target]) => [
    exchange(source, kind === (names.verb.has(source) ? "verb" : "object")),
    exchange(edge, kind === "relationship"),
    exchange(target, kind === (edge === "verb" ? "verb" : "object")),
  ]);
  const kept = new Map(renamed.map((triplet) => [JSON.stringify(triplet), triplet]));
  return [...kept.values()];
}
