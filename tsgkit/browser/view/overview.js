// An overview of a matrix: one line for each row, one column for each item, as colours and, where there is room, signs.

import { el } from "../dom.js";
import { MARKS } from "./marks.js";

const LINE = 16;
const ROOM_FOR_SIGNS = 11;
const WIDEST = 22;

export class Overview {
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
