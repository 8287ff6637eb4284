// A list of any length as a grid: rows have one height, and only those that can be seen are elements.

import { el, fill } from "../dom.js";

const AROUND = 8;
let grids = 0;

// Columns are { key, title, width, look }; rows are elements that `cells(place)` returns, one for each column. `open` and
// `moved` are called with a row's place, `sort` with a column's key.
export class Grid {
  constructor({ label, cells, open = () => {}, moved = () => {}, sort = null, isCrossed = false }) {
    Object.assign(this, { cells, open, moved, sort, isCrossed });
    this.column = 0;
    this.name = `grid-${++grids}`;
    this.count = 0;
    this.active = 0;
    this.columns = [];
    this.drawn = new Map();
    this.head = el("div.grid-head", { role: "rowgroup" });
    this.body = el("div.grid-body", { role: "rowgroup" });
    this.probe = el("div.grid-probe", { role: "presentation", "aria-hidden": "true" });
    this.element = el("div.grid", { role: "grid", tabindex: "0", "aria-label": label, "aria-readonly": "true" }, this.head, this.probe, this.body);
    this.element.addEventListener("scroll", () => this.#draw(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#pressed(event));
    this.body.addEventListener("click", (event) => this.#clicked(event));
    this.sizes = new ResizeObserver(() => this.#measure());
    this.sizes.observe(this.element);
  }

  close() {
    this.sizes.disconnect();
  }

  // Show so many rows under these columns, sorted as `sorted` says ("-key": downwards).
  show(count, columns, sorted = "") {
    this.count = count;
    this.columns = columns;
    this.active = Math.max(0, Math.min(this.active, count - 1));
    this.height = null;
    this.element.style.setProperty("--grid-columns", columns.map((column) => column.width).join(" "));
    this.element.style.setProperty("--grid-least", leastWidth(columns));
    this.element.style.setProperty("--card-lines", String(cardLines(columns)));
    this.element.setAttribute("aria-rowcount", String(count + 1));
    this.element.setAttribute("aria-colcount", String(columns.length));
    this.#drawHead(sorted);
    this.#measure();
  }

  #drawHead(sorted) {
    const focused = this.head.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const cells = this.columns.map((column, place) => {
      const direction = sorted === column.key ? "ascending" : sorted === `-${column.key}` ? "descending" : this.sort && "none";
      const sign = { ascending: " ▲", descending: " ▼" }[direction] ?? "";
      const words = [column.title, sign && el("span", { "aria-hidden": "true" }, sign)];
      const title = this.sort
        ? el("button", { type: "button", "data-key": column.key, onclick: () => this.sort(column.key) }, words)
        : el("span", { title: column.hint }, words);
      const about = { role: "columnheader", "aria-sort": direction, "aria-colindex": String(place + 1), "data-key": column.key };
      return el(`div.cell${column.look ? `.${column.look}` : ""}`, about, title);
    });
    fill(this.head, el("div.grid-row", { role: "row", "aria-rowindex": "1" }, cells));
    if (focused) this.head.querySelector(`button[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  // Rows of another height, as after the screen was turned, are drawn anew.
  #measure() {
    const height = this.probe.offsetHeight;
    if (height !== this.height) {
      this.drawn.clear();
      this.body.replaceChildren();
    }
    this.height = height;
    this.body.style.setProperty("height", `${this.count * height}px`);
    this.#draw();
  }

  // Rows that a person sees, and some around them.
  #draw() {
    if (!this.height) return;
    const top = this.element.scrollTop;
    const first = Math.max(0, Math.floor(top / this.height) - AROUND);
    const last = Math.min(this.count, Math.ceil((top + (this.element.clientHeight || 600)) / this.height) + AROUND);
    const wanted = new Map();
    for (let place = first; place < last; place++) wanted.set(place, this.drawn.get(place) ?? this.#row(place));
    if (this.active < this.count && !wanted.has(this.active)) wanted.set(this.active, this.drawn.get(this.active) ?? this.#row(this.active));
    for (const [place, row] of this.drawn) if (wanted.get(place) !== row) row.remove();
    for (const row of wanted.values()) if (!row.parentNode) this.body.append(row);
    this.drawn = wanted;
    this.#point();
  }

  #row(place) {
    const parts = this.cells(place).map((content, at) => {
      const { look, key } = this.columns[at];
      const id = this.isCrossed ? `${this.name}-${place}-${at}` : null;
      const about = { role: "gridcell", id, "aria-colindex": String(at + 1), "data-key": key, "data-label": this.columns[at].title };
      return el(`div.cell${look ? `.${look}` : ""}`, about, content);
    });
    const row = el("div.grid-row", { role: "row", id: `${this.name}-${place}`, "aria-rowindex": String(place + 2), "data-place": String(place) }, parts);
    row.style.setProperty("transform", `translateY(${place * this.height}px)`);
    return row;
  }

  #point() {
    for (const [place, row] of this.drawn) {
      if (place === this.active) row.setAttribute("aria-selected", "true");
      else row.removeAttribute("aria-selected");
    }
    this.body.querySelector(".active-cell")?.classList.remove("active-cell");
    const row = this.drawn.get(this.active);
    const cell = this.isCrossed ? row?.children[this.column] : null;
    cell?.classList.add("active-cell");
    if (row) this.element.setAttribute("aria-activedescendant", (cell ?? row).id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  // Make a row the active one, wherever it is.
  activate(place) {
    this.active = Math.max(0, Math.min(place, this.count - 1));
    this.#draw();
  }

  // Make a row the active one and bring it into sight.
  move(place, { column = this.column, quietly = false } = {}) {
    if (!this.count) return;
    this.column = Math.max(0, Math.min(column, this.columns.length - 1));
    this.active = Math.max(0, Math.min(place, this.count - 1));
    this.#reveal();
    this.#draw();
    if (!quietly) this.moved(this.active, this.column);
  }

  #reveal() {
    if (!this.height) return;
    const top = this.active * this.height;
    const room = this.element.clientHeight - this.head.offsetHeight - this.height;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top > this.element.scrollTop + room) this.element.scrollTop = top - room;
    if (this.isCrossed) this.drawn.get(this.active)?.children[this.column]?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #pressed(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (event.key in steps) this.move(this.active + steps[event.key]);
    else if (this.isCrossed && event.key === "ArrowRight") this.move(this.active, { column: this.column + 1 });
    else if (this.isCrossed && event.key === "ArrowLeft") this.move(this.active, { column: this.column - 1 });
    else if (event.key === "Enter") this.count && this.open(this.active, this.column);
    else return;
    event.preventDefault();
  }

  #clicked(event) {
    const row = event.target.closest(".grid-row");
    if (!row || event.target.closest("a, button")) return;
    const column = [...row.children].indexOf(event.target.closest(".cell"));
    this.move(Number(row.dataset.place), { column: Math.max(0, column) });
    if (!String(window.getSelection())) this.open(this.active, this.column);
  }
}

// The lines of a row as a card: item and mark share one, long texts have one each, others go in pairs.
function cardLines(columns) {
  const long = columns.filter(({ key }) => key === "answer" || key === "reason").length;
  const heading = columns.filter(({ key }) => key === "item" || key === "mark").length;
  return (heading ? 1 : 0) + long + Math.ceil((columns.length - heading - long) / 2);
}

// The width below which the columns are scrolled: head and rows need the same, whatever they contain.
function leastWidth(columns) {
  const widths = columns.map(({ width }) => width.match(/^minmax\(([^,]+),/)?.[1] ?? width);
  return `calc(${widths.join(" + ")} + ${columns.length - 1} * var(--grid-gap) + 2 * var(--grid-side))`;
}
