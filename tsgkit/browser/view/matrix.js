// All items of a task by the rows of a run: a summary, an overview as colours, and a grid with signs.

import { el, fill, named } from "../dom.js";
import { Grid } from "./grid.js";
import { MARK_ORDER, MARKS } from "./marks.js";
import { counted, countOf } from "./numbers.js";
import { Overview } from "./overview.js";
import { CHOICES, itemsByRows } from "./pairs.js";
import { cardTable } from "./tables.js";

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
    const select = el("select", { id, onchange: () => this.change({ [name]: select.value || null }, id) }, options.map(([value, words]) => el("option", { value }, words)));
    select.value = query.get(name) ?? "";
    return el("div.filter", el("label", { for: id }, title), select);
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
