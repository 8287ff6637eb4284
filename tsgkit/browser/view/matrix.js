// All items of a task by the rows of a run: a summary, an overview as colours, and a grid with signs; and pairs of rows.

import { el, fill, named } from "../dom.js";
import { labelledSelect } from "./filters.js";
import { Grid } from "./grid.js";
import { MARKS, MARK_ORDER, cardTable, countOf, counted } from "./tables.js";

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
  const numbers = new Map();
  for (let number = 0; number < samples.n; number++) if (samples.row[number] === row) numbers.set(samples.item[number], number);
  return numbers;
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
function itemsByRows(samples, rows) {
  const columns = rows.map((row) => itemsOfRow(samples, row.row));
  const items = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  return items.map((item) => {
    const numbers = columns.map((column) => column.get(item));
    const marks = numbers.map((number) => (number === undefined ? "m" : samples.mark[number]));
    return { item, numbers, marks, right: marks.filter((mark) => mark === "r").length };
  });
}

const CHOICES = {
  differ: ["where rows differ", ({ marks }) => new Set(marks.map((mark) => mark === "r")).size > 1],
  none: ["no row is right", ({ right }) => right === 0],
  all: ["every row is right", ({ right, marks }) => right === marks.length],
};

const LINE = 16;
const ROOM_FOR_SIGNS = 11;
const WIDEST = 22;
const ORDERS = [
  ["", "fewest right first"],
  ["item", "number in the run"],
];

const HINT = "Point at the drawing, or go through the grid with the arrow keys, to see what stands there; Enter opens the sample.";

export class Matrix {
  // `open` is called with a sample's number, `change` with what a person alters: items or order.
  constructor({ open, change }) {
    Object.assign(this, { open, change });
    this.host = el("section");
    this.pointed = el("p.pale.pointed", { role: "status" });
    this.grid = null;
  }

  show(index, rows, query) {
    this.close();
    this.rows = rows;
    this.items = itemsByRows(index.samples, rows);
    const all = this.items;
    const [, isChosen] = CHOICES[query.get("items")] ?? [];
    this.items = isChosen ? all.filter(isChosen) : [...all];
    if (query.get("order") !== "item") this.items.sort((one, other) => one.right - other.right);
    this.overview = new Overview({
      label: `Marks of ${countOf(this.items.length, "item")} in ${countOf(rows.length, "row")}; the grid below has them one by one`,
      pointed: (place, line) => this.#point(place, line),
      chosen: (place, line) => this.grid.move(place, { column: line + 1 }),
    });
    this.grid = new Grid({
      label: "Items by rows",
      cells: (place) => this.#cells(place),
      open: (place, column) => this.#open(place, column),
      moved: (place, column) => this.#point(place, column - 1),
      isCrossed: true,
    });
    this.grid.element.classList.add("square");
    fill(this.host, el("h2", "All rows of the task"), this.#summary(all), this.#controls(query), this.overview.element, this.pointed, this.grid.element);
    this.grid.show(this.items.length, this.#columns());
    this.grid.element.hidden = this.overview.element.hidden = !this.items.length;
    this.overview.show(this.items, rows.length);
    fill(this.pointed, this.items.length ? HINT : "No item is like this.");
  }

  #summary(all) {
    const lines = this.rows.map((row, line) => [
      [`${line + 1}. `, named(row.title)],
      ...MARK_ORDER.map((code) => counted(all.filter(({ marks }) => marks[line] === code).length)),
    ]);
    const sums = Object.values(CHOICES).map(([words, isSo]) => `${words}: ${counted(all.filter(isSo).length)}`);
    const caption = `${countOf(all.length, "item")}; ${sums.join("; ")}`;
    return cardTable(caption, ["row", ...MARK_ORDER.map((code) => `${MARKS[code].sign} ${MARKS[code].words}`)], lines);
  }

  #controls(query) {
    const choices = [["", "all"], ...Object.entries(CHOICES).map(([name, [words]]) => [name, words])];
    return el("div.filter-row", this.#select("items", "Items", choices, query), this.#select("order", "Order", ORDERS, query));
  }

  #select(name, title, options, query) {
    const id = `matrix-${name}`;
    const { select, element } = labelledSelect(id, title, options, (value) => this.change({ [name]: value }, id));
    select.value = query.get(name) ?? "";
    return element;
  }

  #columns() {
    const rows = this.rows.map((row, line) => ({ key: `row-${line}`, title: String(line + 1), hint: row.title, width: "2.2rem", look: "square-cell" }));
    return [{ key: "item", title: "item", width: "clamp(8rem, 30vw, 20rem)" }, ...rows];
  }

  #cells(place) {
    const { item, marks } = this.items[place];
    const signs = marks.map((mark, line) => {
      const { sign, words, look } = MARKS[mark];
      return el(`span.square-mark.mark-${look}`, { title: `${item} in ${this.rows[line].title}: ${words}` }, el("span", { "aria-hidden": "true" }, sign), el("span.unseen", words));
    });
    return [named(item), ...signs];
  }

  #point(place, line) {
    if (place === null) return fill(this.pointed, HINT);
    const { item, marks, right } = this.items[place];
    if (line < 0) return fill(this.pointed, named(item), `: right in ${counted(right)} of ${countOf(marks.length, "row")}`);
    return fill(this.pointed, named(item), " in ", `${line + 1}. `, named(this.rows[line].title), `: ${MARKS[marks[line]].sign} ${MARKS[marks[line]].words}`);
  }

  #open(place, column) {
    const { numbers } = this.items[place];
    const number = numbers[Math.max(0, column - 1)] ?? numbers.find((one) => one !== undefined);
    if (number !== undefined) this.open(number);
  }

  close() {
    this.grid?.close();
    this.overview?.close();
  }
}

class Overview {
  // `pointed` and `chosen` are called with the places of an item and a row; `pointed` with null where there is none.
  constructor({ label, pointed, chosen }) {
    Object.assign(this, { pointed, chosen, items: [], lines: 0 });
    this.element = el("canvas.overview", { role: "img", "aria-label": label });
    this.element.addEventListener("pointermove", (event) => this.#at(event, pointed));
    this.element.addEventListener("pointerleave", () => pointed(null));
    this.element.addEventListener("click", (event) => this.#at(event, chosen));
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.element);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.redraw = () => this.draw();
    this.scheme.addEventListener("change", this.redraw);
  }

  close() {
    this.sizes.disconnect();
    this.scheme.removeEventListener("change", this.redraw);
  }

  show(items, lines) {
    Object.assign(this, { items, lines });
    this.element.style.setProperty("height", `${lines * LINE}px`);
    this.draw();
  }

  #width() {
    return Math.min(this.element.clientWidth / (this.items.length || 1), WIDEST);
  }

  #at(event, tell) {
    const place = Math.floor(event.offsetX / this.#width());
    const line = Math.floor(event.offsetY / LINE);
    if (place >= 0 && place < this.items.length && line >= 0 && line < this.lines) tell(place, line);
  }

  draw() {
    const { element, items, lines } = this;
    const scale = window.devicePixelRatio || 1;
    element.width = Math.round(element.clientWidth * scale);
    element.height = Math.round(lines * LINE * scale);
    const pen = element.getContext("2d");
    pen.scale(scale, scale);
    const width = this.#width();
    const style = getComputedStyle(element);
    const lookOf = ({ look, sign }) => ({ sign, ink: style.getPropertyValue(`--${look}`), ground: style.getPropertyValue(`--${look}-ground`) });
    const looks = Object.fromEntries(Object.entries(MARKS).map(([code, mark]) => [code, lookOf(mark)]));
    pen.font = "12px sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const hasSigns = width >= ROOM_FOR_SIGNS;
    items.forEach(({ marks }, place) =>
      marks.forEach((mark, line) => {
        const { ink, ground, sign } = looks[mark];
        pen.fillStyle = hasSigns ? ground : ink;
        const [left, top, high] = [place * width, line * LINE, hasSigns ? LINE - 1 : barOf(mark)];
        pen.fillRect(left, top + LINE - 1 - high, Math.max(width - (hasSigns ? 1 : 0), 0.5), high);
        if (!hasSigns) return;
        pen.fillStyle = ink;
        pen.fillText(sign, left + width / 2, top + LINE / 2);
      }),
    );
  }
}

// Where there is no room for signs, heights tell marks apart: right is full, wrong half, anything else low.
function barOf(mark) {
  return { r: LINE - 1, w: (LINE - 1) / 2 }[mark] ?? 3;
}
