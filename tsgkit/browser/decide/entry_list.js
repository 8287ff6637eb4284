// The list of all entries with their decisions.

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
    if (!this.lines.length) {
      this.lines = entries.map((_, number) => ({ link: el("a", { href: entryHash(number) }) }));
      fill(this.list, this.lines.map(({ link }) => el("li", link)));
      fill(this.summary, `All entries (${entries.length.toLocaleString("en")})`);
    }
    entries.forEach(({ name, decision }, number) => {
      const line = this.lines[number];
      if (line.decision === decision) return;
      line.decision = decision;
      line.link.classList.toggle("is-decided", decision !== null);
      fill(line.link, el("span.entry-sign", { "aria-hidden": "true" }, decision === null ? "\u25cb" : "\u2713"),
        el("span.entry-name", named(name)), " ", el("span.entry-decision", decision === null ? "open" : named(decision)));
    });
  }

  // Mark the entry that is shown, and scroll the list to it, without moving the page.
  turnTo(number) {
    this.lines[this.current]?.link.removeAttribute("aria-current");
    this.current = number;
    const link = this.lines[number]?.link;
    if (!link) return;
    link.setAttribute("aria-current", "page");
    const { list } = this, { offsetTop: top, offsetHeight: high } = link.parentElement;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + high > list.scrollTop + list.clientHeight) list.scrollTop = top + high - list.clientHeight;
  }

  // Close the list on narrow screens, where it covers what was chosen.
  fold() {
    if (!window.matchMedia(WIDE).matches) this.box.open = false;
  }
}

// The address of an entry, counted from 1.
export function entryHash(number) {
  return `#/${number + 1}`;
}

// The number of the entry in an address; -1 where there is none.
export function entryOfHash(hash) {
  const digits = /^#\/(\d{1,9})$/.exec(hash)?.[1];
  return digits ? Number(digits) - 1 : -1;
}
