// The frame of the page: progress, the list, one entry, keys, and what becomes of the server.

import { el, fill, inert, named } from "../dom.js";
import { Keys } from "../view/keys.js";
import { failure } from "../view/waiting.js";
import { EntryList, entryHash, entryOfHash } from "./entry_list.js";
import { EntryView } from "./entry_view.js";

const STATE_BEAT = 2000;

export function startDeciding(source, root) {
  const page = new Deciding(source, root);
  page.open();
  return page;
}

class Deciding {
  #turn = 0;

  constructor(source, root) {
    Object.assign(this, { source, root, state: null, view: null, number: -1, drafts: new Map(), isBusy: false });
    this.keys = new Keys([
      { keys: ["j"], words: "next entry", run: () => this.#step(1) },
      { keys: ["k"], words: "previous entry", run: () => this.#step(-1) },
      { keys: ["u"], words: "next undecided entry", run: () => this.#goToUndecided() },
      { keys: ["?"], words: "show the keys", run: () => this.keys.explain() },
    ]);
  }

  async open() {
    this.heading = el("h1", "Decisions");
    this.progress = el("p.decided-count");
    this.bar = el("progress", { "aria-label": "Decided" });
    this.connection = el("p.connection", { role: "status" });
    this.spoken = el("p.unseen", { role: "status" });
    this.list = new EntryList();
    this.entry = el("section.entry", { "aria-labelledby": "entry-name" });
    this.pager = this.#pager();
    this.main = el("main.deciding", { id: "main", tabindex: -1 }, this.list.element, el("div", this.entry, this.pager));
    const help = el("button.plain", { type: "button", "aria-haspopup": "dialog", onclick: () => this.keys.explain() }, el("span", "Keys "), el("kbd", "?"));
    const skip = (event) => {
      event.preventDefault();
      this.view?.heading.focus();
    };
    fill(this.root, el("a.skip", { href: "#main", onclick: skip }, "Skip to the entry"),
      el("header", this.heading, el("div.progress", this.progress, this.bar), help), this.connection, this.main, this.spoken);
    window.addEventListener("hashchange", () => this.#went());
    window.addEventListener("beforeunload", (event) => this.#isDirty() && event.preventDefault());
    await this.#listen();
    this.#beat();
  }

  #pager() {
    const button = (words, key, run) => el("button", { type: "button", onclick: run }, `${words} `, el("kbd", key));
    return el("nav.pager", { "aria-label": "Other entries" },
      button("Previous", "k", () => this.#step(-1)), button("Next", "j", () => this.#step(1)), button("Next undecided", "u", () => this.#goToUndecided()));
  }

  // What the view of an entry asks for.
  get count() {
    return this.state.entries.length;
  }

  get first() {
    return this.state.entries.findIndex(({ decision }) => decision === null);
  }

  get left() {
    return this.state.entries.filter(({ decision }) => decision === null).length;
  }

  get inOrder() {
    return this.state.in_order;
  }

  get draft() {
    return this.#draftOf(this.number);
  }

  #draftOf(number) {
    if (!this.drafts.has(number)) this.drafts.set(number, {});
    return this.drafts.get(number);
  }

  // True while an entry is on its way.
  get isLoading() {
    return this.entry.hasAttribute("aria-busy");
  }

  get preview() {
    const { number } = this;
    return this.state.previews ? (edited) => this.source.preview(number, edited) : null;
  }

  #isDirty() {
    return !this.state?.finished && [...this.drafts.values()].some((draft) => draft.edited !== undefined || draft.note);
  }

  // Ask for the state of the list; other windows may have changed it.
  async #listen() {
    try {
      const state = await this.source.state(this.state?.revision);
      fill(this.connection);
      if (state.entries && state.revision > (this.state?.revision ?? -1)) this.#heardState(state);
      if (!this.state.finished && !this.view && !this.isLoading) await this.#show(this.number < 0 ? this.#placeToBegin() : this.number);
    } catch (problem) {
      if (!this.state?.finished) this.#unheard(problem);
    }
  }

  #unheard(problem) {
    const words = `${problem.message} ${problem.hint ?? ""}`;
    if (this.connection.textContent !== words) fill(this.connection, words);
  }

  #beat() {
    setTimeout(async () => {
      if (this.state?.finished) return;
      if (!document.hidden) await this.#listen();
      this.#beat();
    }, STATE_BEAT);
  }

  #heardState(state) {
    const before = this.state?.entries[this.number]?.decision;
    const wasFirst = this.state ? this.first : -1;
    this.state = state;
    const done = this.count - this.left;
    fill(this.heading, named(state.title));
    fill(this.progress, `${done.toLocaleString("en")} of ${this.count.toLocaleString("en")} decided`);
    Object.assign(this.bar, { max: this.count, value: done });
    document.title = inert(`(${done}/${this.count}) ${state.title} · tsgkit`);
    if (state.finished) return this.#finish();
    if (state.in_order) state.entries.forEach(({ decision }, number) => decision !== null && this.drafts.delete(number));
    this.list.show(state.entries);
    const isOther = before !== state.entries[this.number]?.decision || (state.in_order && wasFirst !== this.first);
    if (this.view && isOther && !this.isBusy) this.#show(this.number);
    return undefined;
  }

  // Where the address says, or at the first undecided entry.
  #placeToBegin() {
    const place = entryOfHash(window.location.hash);
    return place >= 0 && place < this.count ? place : this.first;
  }

  #went() {
    const place = entryOfHash(window.location.hash);
    if (!this.state || this.state.finished || place === this.number || place < 0 || place >= this.count) return;
    this.list.fold();
    this.#show(place, true);
  }

  #step(by) {
    if (this.state && !this.state.finished) this.#goTo(Math.min(Math.max(this.number + by, 0), this.count - 1));
  }

  #goToUndecided() {
    if (!this.state || this.state.finished) return;
    const later = this.state.entries.findIndex(({ decision }, number) => number > this.number && decision === null);
    this.#goTo(later < 0 ? this.first : later);
  }

  // The browser tells of the new address later, when another key may have been pressed.
  #goTo(number) {
    if (number === this.number) return;
    window.location.hash = entryHash(number);
    this.#went();
  }

  // Show an entry; its heading gets the focus where somebody went there.
  async #show(number, isGone = false) {
    const turn = (this.#turn += 1);
    this.number = number;
    this.view = null;
    this.keys.ofPage = [];
    this.list.turnTo(number);
    if (entryOfHash(window.location.hash) !== number) window.history.replaceState(null, "", entryHash(number));
    this.entry.setAttribute("aria-busy", "true");
    try {
      const shown = await this.source.shown(number);
      if (turn === this.#turn && !this.state.finished) this.#draw(shown, isGone);
    } catch (problem) {
      if (turn !== this.#turn) return;
      this.entry.removeAttribute("aria-busy");
      fill(this.entry, failure(problem, () => this.#show(number, true)));
      if (problem instanceof TypeError) console.error(problem);
    }
  }

  #draw(shown, isGone) {
    this.view = new EntryView(this, this.number, shown);
    this.keys.ofPage = this.view.keys;
    this.entry.removeAttribute("aria-busy");
    fill(this.entry, this.view.element);
    const { problem } = this.draft;
    if (problem) this.view.tell(problem);
    delete this.draft.problem;
    if (!isGone) return;
    this.view.heading.focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  // How many others of the kind of an entry are not decided yet, and the kind; null if there are none.
  alike(number) {
    const { kind } = this.state.entries[number];
    const count = this.state.entries.filter((entry, place) => place !== number && kind && entry.kind === kind && entry.decision === null).length;
    return count ? { kind, count } : null;
  }

  // Send a decision. The next entry is shown when it is kept; a second one on the way is not sent.
  async decide(decision) {
    if (this.isBusy || !this.view) return;
    const { view, number } = this;
    this.isBusy = true;
    view.rest(true);
    view.tell(null);
    try {
      const state = await this.source.decide(number, view.shown.revision, decision);
      this.drafts.delete(number);
      this.#kept(state, number);
    } catch (problem) {
      await this.#notKept(problem, view, number);
    } finally {
      this.isBusy = false;
      view.rest(false);
    }
  }

  #kept(state, number) {
    const { name, decision } = state.entries[number];
    this.#heardState(state);
    fill(this.spoken, `Kept: ${decision}, ${name}. ${this.count - this.left} of ${this.count} decided.`);
    if (state.finished || number !== this.number) return; // somebody looks at another entry already
    const later = state.entries.findIndex(({ decision }, place) => place > number && decision === null);
    const next = later < 0 ? this.first : later;
    window.history.pushState(null, "", entryHash(next));
    this.#show(next, true);
  }

  // Say why a decision was not kept, at its entry, whenever that is drawn. Where another window was faster, the entry is
  // shown as it is now.
  async #notKept(problem, view, number) {
    if (problem.conflict?.state) this.#heardState(problem.conflict.state);
    if (this.state.finished) return;
    if (this.view === view && !problem.conflict?.state) {
      view.tell(problem);
    } else {
      this.#draftOf(number).problem = problem;
      await this.#show(number, true);
    }
  }

  // All is decided: say so, and tell the server, which then ends.
  #finish() {
    const counts = new Map();
    for (const { decision } of this.state.entries) counts.set(decision, (counts.get(decision) ?? 0) + 1);
    this.#turn += 1;
    this.view = null;
    this.keys.ofPage = [];
    fill(this.connection);
    const title = el("h2", { tabindex: -1 }, "All is decided");
    const lines = [...counts].map(([decision, count]) => el("li", named(decision), `: ${count.toLocaleString("en")}`));
    fill(this.main, el("section.all-decided", title, el("p", named(this.state.done_message)), el("ul", lines), el("p.pale", "This page can be closed.")));
    title.focus();
    this.source.heard().catch(() => undefined); // the server ends without it, too
  }
}
