// The view of runs as a single page. start(source, root) shows in an element what the address asks for, from a source of
// data as the view's contract has it.

import { el, fill, inert, named } from "../dom.js";
import { SourceProblem } from "../server_data.js";
import { hashOf, readAddress } from "./address.js";
import { ComparePage } from "./compare.js";
import { Keys } from "./keys.js";
import { ResultsPage } from "./results.js";
import { runsPage } from "./runs.js";
import { SamplePage } from "./sample.js";
import { SamplesPage } from "./samples.js";
import { Store } from "./store.js";
import { failure } from "./waiting.js";

const BEAT = 2000;
const PAUSE_OF_ADDRESS = 150;
const GONE = "The server does not answer. Trying again every 2 seconds …";
const PARTS = new Map([
  ["", { words: "Results", Page: ResultsPage }],
  ["samples", { words: "Samples", Page: SamplesPage }],
  ["compare", { words: "Compare", Page: ComparePage }],
]);

export function start(source, root) {
  const app = new App(source, root);
  app.open();
  return app;
}

// The page that a path means, and its key: an address with the same key is another view of the same page.
function pageOf(path) {
  const [room, run, part = "", number] = path, isRun = room === "run" && run !== undefined;
  if (!path.length) return { key: "runs", make: runsPage };
  if (isRun && path.length < 4 && PARTS.has(part)) return { key: `${part} ${run}`, make: (app, address) => new (PARTS.get(part).Page)(app, address), run };
  if (isRun && path.length === 4 && part === "sample") return { key: `sample ${run}`, make: (app, address) => new SamplePage(app, address), run, number: Number(number) };
  return { key: `unknown ${path.join("/")}`, make: unknownPage };
}

function unknownPage(app) {
  const problem = new SourceProblem("There is no such page.", "The address may be cut off, or from another version.");
  return { title: () => "No such page", host: el("div", el("h1", "No such page"), failure(problem), el("p", el("a", { href: "#/" }, "All runs"))) };
}

// The frame around the pages, and what they share. A page is { host, title() } and, where it has a use for them, run, keys,
// load(keep), update(address), heard(listing), unheard(problem), changed(run) and close(). A run that changed is loaded
// anew unless the page has its own way.
class App {
  constructor(source, root) {
    this.source = source;
    this.root = root;
    this.store = new Store(source);
    this.page = null;
    this.key = "";
    this.retries = new Set();
    this.waits = new Map();
    this.stamps = new Map();
    this.unwritten = null;
    this.writing = null;
    this.keys = new Keys([{ keys: ["?"], words: "show the keys", run: () => this.keys.explain() }]);
  }

  open() {
    this.main = el("main", { id: "main", tabindex: "-1" });
    this.pages = el("nav", { "aria-label": "Pages of the run" });
    this.connection = el("p.connection", { role: "status" });
    this.spoken = el("p.unseen", { role: "status" });
    const jump = (event) => {
      event.preventDefault();
      this.main.focus();
    };
    const help = el("button.plain", { type: "button", "aria-haspopup": "dialog", onclick: () => this.keys.explain() }, el("span", "Keys "), el("kbd", "?"));
    const header = el("header", el("a.home", { href: "#/" }, "Runs"), this.pages, help);
    fill(this.root, el("a.skip", { href: "#main", onclick: jump }, "Skip to the content"), header, this.connection, this.main, this.spoken);
    window.addEventListener("hashchange", () => this.#went());
    window.addEventListener("popstate", () => this.#went());
    this.#went();
    this.#beat();
  }

  // Go to an address: a new entry in the browser's history, or in place of the present one.
  go(path, query, { replace = false } = {}) {
    const hash = hashOf(path, query);
    if (replace) this.#write(hash);
    else if (hash !== this.shown) {
      this.#flush();
      window.history.pushState(null, "", hash);
    }
    this.#show(hash);
  }

  // Remember an address without another look at the page, which shows it already.
  note(path, query) {
    this.shown = hashOf(path, query);
    this.address = readAddress(this.shown);
    this.#write(this.shown);
  }

  // Write the address of the present entry of the history. Browsers refuse many changes a second, as when a key is held:
  // the first is written at once, those after it together.
  #write(hash) {
    this.unwritten = hash;
    if (this.writing) return;
    this.#flush();
    this.writing = setTimeout(() => {
      this.writing = null;
      this.#flush();
    }, PAUSE_OF_ADDRESS);
  }

  #flush() {
    if (this.unwritten && this.unwritten !== window.location.hash) window.history.replaceState(null, "", this.unwritten);
    this.unwritten = null;
  }

  #went() {
    this.unwritten = null;
    this.#show(window.location.hash);
  }

  #show(hash) {
    if (hash === this.shown) return;
    this.shown = hash;
    const address = readAddress(hash);
    const wanted = pageOf(address.path);
    this.address = address;
    this.#navigation(wanted.run, address.path[2] ?? "");
    if (this.page?.update && wanted.key === this.key) this.page.update({ ...wanted, ...address });
    else this.#turn(wanted, address);
  }

  #turn(wanted, address) {
    const isFirst = this.page === null;
    this.page?.close?.();
    this.waits.forEach((stop) => stop());
    this.waits.clear();
    this.key = wanted.key;
    this.page = wanted.make(this, { ...wanted, ...address });
    this.keys.ofPage = this.page.keys ?? [];
    fill(this.main, this.page.host);
    this.page.load?.();
    this.entitle();
    if (!isFirst) {
      window.scrollTo(0, 0);
      this.main.focus({ preventScroll: true });
    }
  }

  #navigation(run, part) {
    const shown = part === "sample" ? "samples" : part;
    const links = [...PARTS].map(([name, { words }]) =>
      el("a", { href: hashOf(name ? ["run", run, name] : ["run", run]), "aria-current": name === shown ? "page" : null }, words));
    fill(this.pages, run === undefined ? [] : links);
    this.pages.hidden = run === undefined;
  }

  entitle() {
    document.title = inert(`${this.page.title()} · tsgkit view`);
  }

  // Say something to those who listen to the page.
  announce(words) {
    fill(this.spoken, words);
  }

  // The name of a run as the list has it, once that is known.
  runName(id, otherwise = `run ${id}`) {
    const known = this.store.listing?.runs.find((one) => one.id === id);
    return known?.name ?? otherwise;
  }

  runLink(id) {
    return el("a", { href: hashOf(["run", id]) }, named(this.runName(id)));
  }

  gone(retry) {
    this.retries.add(retry);
    this.#say(GONE);
  }

  #say(words) {
    if (this.connection.textContent !== words) fill(this.connection, words);
  }

  // Runs are asked for every two seconds, one question at a time, as long as somebody can see the page.
  async #beat() {
    try {
      if (!document.hidden || !this.store.listing) this.#heard(await this.store.runs());
    } catch (problem) {
      this.#say(problem.isGone ? GONE : `The list of runs cannot be read: ${problem.message}`);
      this.page.unheard?.(problem);
    }
    if (this.source.isLive) setTimeout(() => this.#beat(), BEAT);
  }

  #heard(listing) {
    this.#say("");
    const retries = [...this.retries];
    this.retries.clear();
    retries.forEach((retry) => retry());
    this.page.heard?.(listing);
    this.entitle();
    for (const { id, stamp } of listing.runs) {
      const before = this.stamps.get(id);
      this.stamps.set(id, stamp);
      if (before === undefined || before === stamp) continue;
      this.store.forget(id);
      if (this.page.changed) this.page.changed(id);
      else if (this.page.run === id) this.page.load(true);
    }
  }
}
