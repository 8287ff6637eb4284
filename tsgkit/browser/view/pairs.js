// Two rows item by item, and all rows of a task by item. Plain work on columns.

// Where both rows of a pair stand: an item that one of them was not asked, or has no value for, is left open.
export const STANDINGS = {
  both: "both right",
  first: "only A right",
  second: "only B right",
  neither: "both wrong",
  open: "not comparable",
};
// What a list of pairs can be narrowed to; it opens with the first that holds anything.
export const SHOWN = {
  differ: ["where A and B differ", (standing) => standing === "first" || standing === "second"],
  ...Object.fromEntries(Object.entries(STANDINGS).map(([name, words]) => [name, [words, (standing) => standing === name]])),
  all: ["all items", () => true],
};
const IS_KNOWN = new Set(["r", "w", "u"]);

// The numbers of a row's samples by item.
function itemsOfRow(samples, row) {
  const found = new Map();
  for (let number = 0; number < samples.n; number++) if (samples.row[number] === row) found.set(samples.item[number], number);
  return found;
}

// A pair is { item, first, second, standing }; first and second are numbers of samples, or undefined.
export function pairedItems(first, second) {
  const [one, other] = [itemsOfRow(first.samples, first.row), itemsOfRow(second.samples, second.row)];
  return [...new Set([...one.keys(), ...other.keys()])].map((item) => {
    const pair = { item, first: one.get(item), second: other.get(item) };
    return { ...pair, standing: standingOf(first.samples.mark[pair.first], second.samples.mark[pair.second]) };
  });
}

function standingOf(one, other) {
  if (!IS_KNOWN.has(one) || !IS_KNOWN.has(other)) return "open";
  if (one === "r") return other === "r" ? "both" : "first";
  return other === "r" ? "second" : "neither";
}

// Items of a task by rows: { item, numbers (one for each row, or undefined), marks, right (how many rows are) }.
export function itemsByRows(samples, rows) {
  const columns = rows.map((row) => itemsOfRow(samples, row.row));
  const items = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  return items.map((item) => {
    const numbers = columns.map((column) => column.get(item));
    const marks = numbers.map((number) => (number === undefined ? "m" : samples.mark[number]));
    return { item, numbers, marks, right: marks.filter((mark) => mark === "r").length };
  });
}

export const CHOICES = {
  differ: ["where rows differ", ({ marks }) => new Set(marks.map((mark) => mark === "r")).size > 1],
  none: ["no row is right", ({ right }) => right === 0],
  all: ["every row is right", ({ right, marks }) => right === marks.length],
};
