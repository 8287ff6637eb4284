// The page on which a person decides about entries one after the other: progress, the list, one entry, keys, and what
// becomes of the server that served it.

import { EntryList, entryHash, entryOfHash } from "./decide/entry_list.js";
import { EntryView } from "./decide/entry_view.js";
import { el, fill, inert, named } from "./dom.js";
import { serverData } from "./server_data.js";
import { Keys } from "./view/keys.js";
import { failure } from "./view/waiting.js";

const SERVER_ENDED = "If the command has ended, all decisions that were acknowledged are kept: run it again, and it prints a new link.";
const STATE_BEAT = 2000;

class Deciding {
  #turn = 0;

  constructor(root) {
    Object.assign(this, { server: serverData(SERVER_ENDED), state: null, view: null, number: -1, drafts: new Map(), isBusy: false });
    const moves = [
      { keys: ["j"], words: "next entry", name: "Next", run: () => this.#goTo(() => this.#step(1)) },
      { keys: ["k"], words: "previous entry", name: "Previous", run: () => this.#goTo(() => this.#step(-1)) },
      { keys: ["u"], words: "next undecided entry", name: "Next undecided", run: () => this.#goTo(() => this.#nextUndecided()) },
    ];
    this.keys = new Keys([...moves, { keys: ["?"], words: "show the keys", run: () => this.keys.explain() }]);
    const [next, previous, undecided] = moves.map(({ keys, name, run }) => el("button", { type: "button", onclick: run }, `${name} `, el("kbd", keys)));
    const help = el("button.plain", { type: "button", "aria-haspopup": "dialog", onclick: () => this.keys.explain() }, el("span", "Keys "), el("kbd", "?"));
    const skip = (event) => {
      event.preventDefault();
      this.view?.heading.focus();
    };
    this.heading = el("h1", "Decisions");
    this.progress = el("p.decided-count");
    this.bar = el("progress", { "aria-label": "Decided" });
    this.connection = el("p.connection", { role: "status" });
    this.spoken = el("p.unseen", { role: "status" });
    this.list = new EntryList();
    this.entry = el("section.entry", { "aria-labelledby": "entry-name" });
    const pager = el("nav.pager", { "aria-label": "Other entries" }, previous, next, undecided);
    this.main = el("main.deciding", { id: "main", tabindex: -1 }, this.list.element, el("div", this.entry, pager));
    fill(root, el("a.skip", { href: "#main", onclick: skip }, "Skip to the entry"),
      el("header", this.heading, el("div.progress", this.progress, this.bar), help), this.connection, this.main, this.spoken);
    window.addEventListener("hashchange", () => this.#went());
    window.addEventListener("beforeunload", (event) => this.#isDirty() && event.preventDefault());
    this.#beat();
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

  get preview() {
    const { number } = this;
    return this.state.previews ? (edited) => this.server.post("preview", { number, edited }) : null;
  }

  // How many others of the kind of an entry are not decided yet, and the kind; null if there are none.
  alike(number) {
    const { kind } = this.state.entries[number];
    const count = this.state.entries.filter((entry, place) => place !== number && kind && entry.kind === kind && entry.decision === null).length;
    return count ? { kind, count } : null;
  }

  #draftOf(number) {
    if (!this.drafts.has(number)) this.drafts.set(number, {});
    return this.drafts.get(number);
  }

  #isDirty() {
    return !this.state?.finished && [...this.drafts.values()].some((draft) => draft.edited !== undefined || draft.note);
  }

  // The next undecided entry after the one that is shown, or else the first.
  #nextUndecided() {
    const later = this.state.entries.findIndex(({ decision }, number) => number > this.number && decision === null);
    return later < 0 ? this.first : later;
  }

  async #beat() {
    if (!document.hidden || !this.state) await this.#listen();
    if (!this.state?.finished) setTimeout(() => this.#beat(), STATE_BEAT);
  }

  // Ask for the state of the list, which other windows may have changed; at the beginning show the entry of the address, or
  // the first undecided one.
  async #listen() {
    try {
      const state = await this.server.get("state", this.state ? { revision: this.state.revision } : {});
      fill(this.connection);
      if (state.entries && state.revision > (this.state?.revision ?? -1)) this.#heardState(state);
      if (this.state.finished || this.view || this.entry.hasAttribute("aria-busy")) return;
      const place = entryOfHash(window.location.hash);
      await this.#show(this.number >= 0 ? this.number : place >= 0 && place < this.count ? place : this.first);
    } catch (problem) {
      const words = `${problem.message} ${problem.hint ?? ""}`;
      if (!this.state?.finished && this.connection.textContent !== words) fill(this.connection, words);
    }
  }

  #heardState(state) {
    const before = this.state?.entries[this.number]?.decision, wasFirst = this.state ? this.first : -1;
    this.state = state;
    const { count } = this, done = count - this.left;
    fill(this.heading, named(state.title));
    fill(this.progress, `${done.toLocaleString("en")} of ${count.toLocaleString("en")} decided`);
    Object.assign(this.bar, { max: count, value: done });
    document.title = inert(`(${done}/${count}) ${state.title} · tsgkit`);
    if (state.finished) {
      this.#finish();
      return;
    }
    if (state.in_order) state.entries.forEach(({ decision }, number) => decision !== null && this.drafts.delete(number));
    this.list.show(state.entries);
    const isOther = before !== state.entries[this.number]?.decision || (state.in_order && wasFirst !== this.first);
    if (this.view && isOther && !this.isBusy) this.#show(this.number);
  }

  #went() {
    const place = entryOfHash(window.location.hash);
    if (!this.state || this.state.finished || place === this.number || place < 0 || place >= this.count) return;
    this.list.fold();
    this.#show(place, true);
  }

  #step(by) {
    return Math.min(Math.max(this.number + by, 0), this.count - 1);
  }

  // Go to the entry whose number `place` returns. The browser tells of the new address later, when another key may have
  // been pressed.
  #goTo(place) {
    if (!this.state || this.state.finished) return;
    const number = place();
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
      const shown = await this.server.get("shown", { number });
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

  // Send a decision. The next entry is shown when it is kept; a second one on the way is not sent.
  async decide(decision) {
    if (this.isBusy || !this.view) return;
    const { view, number } = this;
    this.isBusy = true;
    view.rest(true);
    view.tell(null);
    try {
      const state = await this.server.post("decide", { number, revision: view.shown.revision, ...decision });
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
    const next = this.#nextUndecided();
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
    this.server.post("heard", {}).catch(() => undefined); // the server ends without it, too
  }
}

const decidingRoot = document.getElementById("app");
if (decidingRoot) new Deciding(decidingRoot);
