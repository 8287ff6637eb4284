// Rows of a table of triplets: those of a graph, and drafts that hold nothing but defaults.

const PERSON_NAME = "person";
export const HAND_NAMES = ["hand1", "hand2"];
export const VERB_LABEL = "verb";
const DOBJ_LABEL = "dobj";
const WITH_LABEL = "with";

// The rows of triplets; without triplets a first draft, unless the table is only read.
export function rowsOf(triplets, isReadOnly = false) {
  const rows = triplets.map((triplet) => ({ values: [...triplet], defaults: null }));
  return rows.length || isReadOnly ? rows : [draftRow([])];
}

// A new row with the names that such a row nearly always has; `field` is where writing begins.
export function draftRow(rows) {
  const triplets = tripletsOf(rows), [action = ""] = actionsOf(triplets);
  if (!triplets.length) return draft([PERSON_NAME, VERB_LABEL, ""]);
  return draft(triplets.length === 1 && action ? [action, DOBJ_LABEL, ""] : [action, "", ""]);
}

function draft(values) {
  return { values: [...values], defaults: values };
}

// The first field of a row that is still to be written.
export function openField({ values }) {
  return Math.max(0, values.indexOf(""));
}

// True for a row that says nothing: each field is empty or its default.
export function isPristine({ values, defaults }) {
  return values.every((value, field) => value === "" || (defaults !== null && value === defaults[field]));
}

export function tripletsOf(rows) {
  return rows.filter((row) => !isPristine(row)).map(({ values }) => [...values]);
}

function actionsOf(triplets) {
  return [...new Set(triplets.filter(([, edge]) => edge === VERB_LABEL).map(([, , target]) => target))];
}

// The names a field may have. Persons, hands, actions and the two labels of the scheme need not be in L.
export function namesFor(rows, number, field, { nodes = [], verbs = [], edges = [] }) {
  const [, edge] = rows[number].values;
  if (field === 1) return distinct([VERB_LABEL, DOBJ_LABEL, ...edges]);
  if (field === 2 && edge === VERB_LABEL) return distinct(verbs);
  return distinct([...actionsOf(tripletsOf(rows)), ...nodes, ...HAND_NAMES, PERSON_NAME]);
}

// Names in the order of how likely they are in a field: what the sentence mentions and the graph has not used yet, then
// what graphs nearby have at such a place, then what this graph uses.
export function likelyNames(rows, number, field, { mentioned = [], nearby = [] }) {
  const triplets = tripletsOf(rows.filter((_, other) => other !== number));
  const used = new Set(triplets.flat()), unused = mentioned.filter((name) => !used.has(name));
  const around = nearby.flat(), [, edge] = rows[number].values;
  if (field === 0) return distinct([...actionsOf(triplets), PERSON_NAME, ...unused, ...triplets.flatMap(([source, , target]) => [source, target])]);
  if (field === 1) return likelyEdges(triplets, unused, around);
  const alike = around.filter((one) => one[1] === edge).map((one) => one[2]);
  if (edge === VERB_LABEL) return distinct([...mentioned, ...alike]);
  const hands = edge === WITH_LABEL ? HAND_NAMES.filter((hand) => !used.has(hand)) : [];
  return distinct([...hands, ...unused, ...alike, ...around.flatMap(([source, , target]) => [target, source]), ...used]);
}

function likelyEdges(triplets, unused, around) {
  const labels = triplets.map((one) => one[1]);
  const needed = [VERB_LABEL, DOBJ_LABEL].filter((label) => !labels.includes(label));
  const usual = around.map((one) => one[1]).filter((label) => !labels.includes(label) && label !== VERB_LABEL);
  return distinct([...needed.slice(0, 1), ...unused, ...usual, ...needed, ...labels.filter((label) => label !== VERB_LABEL)]);
}

function distinct(names) {
  return [...new Set(names)].filter((name) => name !== "");
}
