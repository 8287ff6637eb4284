// The list of all entries with their decisions, and how many are decided.

import { el, fill, named } from "../dom.js";

const WIDE = "(min-width: 60rem)";

export class EntryList {
  constructor() {
    this.summary = el("summary");
    this.list = el("ol");
    this.box = el("details", { open: window.matchMedia(WIDE).matches }, this.summary, this.list);
    this.element = el("nav.entries", { "aria-label": "Entries" }, this.box);
    this.lines = [];
  }

  // Show entries; lines of those that did not change stay, with the focus.
  show(entries) {
    if (entries.length !== this.lines.length) this.lines = entries.map((entry, number) => new EntryLine(number));
    if (this.list.children.length !== this.lines.length) fill(this.list, this.lines.map((line) => line.element));
    entries.forEach((entry, number) => this.lines[number].show(entry));
    fill(this.summary, `All entries (${entries.length.toLocaleString("en")})`);
  }

  // Mark the entry that is shown, and scroll the list to it, without moving the page.
  turnTo(number) {
    this.lines[this.current]?.link.removeAttribute("aria-current");
    this.current = number;
    const line = this.lines[number];
    if (!line) return;
    line.link.setAttribute("aria-current", "page");
    const { list } = this, { offsetTop: top, offsetHeight: high } = line.element;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + high > list.scrollTop + list.clientHeight) list.scrollTop = top + high - list.clientHeight;
  }

  // Close the list on narrow screens, where it covers what was chosen.
  fold() {
    if (!window.matchMedia(WIDE).matches) this.box.open = false;
  }
}

class EntryLine {
  constructor(number) {
    this.sign = el("span.entry-sign", { "aria-hidden": "true" });
    this.name = el("span.entry-name");
    this.decision = el("span.entry-decision");
    this.link = el("a", { href: entryHash(number) }, this.sign, this.name, " ", this.decision);
    this.element = el("li", this.link);
  }

  show({ name, decision }) {
    const shown = JSON.stringify([name, decision]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.link.classList.toggle("is-decided", decision !== null);
    fill(this.sign, decision === null ? "\u25cb" : "\u2713");
    fill(this.name, named(name));
    fill(this.decision, decision === null ? "open" : named(decision));
  }
}

// The address of an entry, counted from 1.
export function entryHash(number) {
  return `#/${number + 1}`;
}

// The number of the entry in an address; -1 where there is none.
export function entryOfHash(hash) {
  const found = /^#\/(\d{1,9})$/.exec(hash);
  return found ? Number(found[1]) - 1 : -1;
}
