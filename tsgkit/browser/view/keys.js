// Keys of the view: those of the page that is shown, and a list of them.

import { el, fill, isField } from "../dom.js";

const ACTING = new Set(["A", "BUTTON", "SUMMARY"]);
const SPOKEN = { ArrowDown: "↓", ArrowUp: "↑", Escape: "Esc" };

// Keys that are pressed anywhere, as long as nobody writes: { keys: ["j"], words: "next sample", run: () => ... }. One
// with `isAlways` counts while somebody writes, too. A run that returns false leaves the key to the browser.
export class Keys {
  constructor(ownKeys) {
    this.own = ownKeys;
    this.ofPage = [];
    this.help = null;
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || this.help?.open) return;
    if (event.key === "Enter" && ACTING.has(event.target.tagName)) return;
    const writes = isField(event.target);
    const action = [...this.ofPage, ...this.own].find((one) => one.keys.includes(event.key) && (!writes || one.isAlways));
    if (action && action.run(event) !== false) event.preventDefault();
  }

  // Show the keys of this page in a dialog, or close it.
  explain() {
    this.help ??= document.body.appendChild(el("dialog.keys", { "aria-labelledby": "keys-title" }));
    const rows = [...this.ofPage, ...this.own].filter((one) => one.words).map((one) => [
      el("dt", one.keys.map((key, place) => [place ? " or " : null, el("kbd", SPOKEN[key] ?? key)])),
      el("dd", one.words),
    ]);
    fill(this.help, el("h2", { id: "keys-title" }, "Keys"), el("dl", rows), el("button", { type: "button", onclick: () => this.help.close() }, "Close"));
    this.help.showModal();
  }
}
