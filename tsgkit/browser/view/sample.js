// One sample: what was asked, what came back, what was read of it, and how it was scored.

import { el, fill, named, textList } from "../dom.js";
import { drawPanel } from "../panels/panels.js";
import { altered, hashOf } from "./address.js";
import { block, shownValue, transcript } from "./calls.js";
import { chosenBy, indexOf } from "./choice.js";
import { Labelling } from "./labelling.js";
import { isShareIn } from "./selection.js";
import { cardTable, countOf, counted, markOf, rightness, scored } from "./tables.js";
import { awaited, failure } from "./waiting.js";

export class SamplePage {
  constructor(app, { run, number, query }) {
    Object.assign(this, { app, run, number, query });
    this.heading = el("h1", "Sample ", counted(number));
    this.pager = el("nav.pager", { "aria-label": "Samples of the list" });
    this.content = el("div.sample");
    this.twins = el("div");
    this.host = el("div", this.pager, this.heading, this.content);
    this.title = () => `${this.item ?? `Sample ${this.number}`} · ${app.runName(run)}`;
    this.chosen = null;
    this.ownKeys = [
      { keys: ["j"], words: "next sample of the list", run: () => this.#step(1) },
      { keys: ["k"], words: "previous sample of the list", run: () => this.#step(-1) },
      { keys: ["n"], words: "next wrong sample", run: () => this.#step(1, "w") },
      { keys: ["N"], words: "previous wrong sample", run: () => this.#step(-1, "w") },
      { keys: ["Escape"], words: "back to the list", run: () => this.app.go(["run", this.run, "samples"], this.#listQuery()) },
    ];
    this.keys = [...this.ownKeys];
  }

  #listQuery() {
    return altered(this.query, { at: String(this.number) });
  }

  load(keep = false) {
    if (!keep) this.sign = null;
    const { app, run, number, query } = this;
    const ask = () => Promise.all([app.store.sample(run, number), app.store.ask("run", run)]);
    awaited(app, this.content, ask, ([sample, about]) => this.#draw(sample, about), { what: "the sample", keep });
    this.#paged();
    chosenBy(app, run, query).then(
      (chosen) => {
        if (query !== this.query) return;
        this.chosen = chosen;
        this.#paged();
      },
      (problem) => query === this.query && fill(this.pager, this.#back(), el("span.note", `The list cannot be read: ${problem.message}`)),
    );
  }

  #back() {
    return el("a", { href: hashOf(["run", this.run, "samples"], this.#listQuery()) }, "Back to the list");
  }

  #paged() {
    const numbers = this.chosen?.numbers;
    const place = numbers ? numbers.indexOf(this.number) : -1;
    const where = !numbers ? "…" : place >= 0 ? `${counted(place + 1)} of ${counted(numbers.length)} in the list` : "not in the filtered list";
    const button = (words, key, step, mark) => {
      const isThere = this.#neighbour(step, mark) !== null;
      return el("button", { type: "button", "aria-disabled": String(!isThere), onclick: () => this.#step(step, mark) }, words, " ", el("kbd", key));
    };
    const focused = [...this.pager.children].indexOf(document.activeElement);
    fill(this.pager, this.#back(), el("span", { role: "status" }, where), button("Previous", "k", -1), button("Next", "j", 1), button("Next wrong", "n", 1, "w"));
    this.pager.children[focused]?.focus();
  }

  // The next number of the list in a direction, of those with a mark if one is given; null if there is none.
  #neighbour(step, mark) {
    const { numbers, index } = this.chosen ?? { numbers: [] };
    const here = numbers.indexOf(this.number);
    const from = here >= 0 || step > 0 ? here : numbers.length;
    for (let place = from + step; place >= 0 && place < numbers.length; place += step) {
      if (!mark || index.samples.mark[numbers[place]] === mark) return numbers[place];
    }
    return null;
  }

  #step(step, mark) {
    const next = this.#neighbour(step, mark);
    if (next === null) return this.app.announce(this.chosen ? "There is none in the list." : "The list is still loading.");
    return this.app.go(["run", this.run, "sample", next], this.query, { replace: true });
  }

  update({ number, query }) {
    const isSameList = JSON.stringify([...query]) === JSON.stringify([...this.query]);
    if (!isSameList) this.chosen = null;
    this.number = number;
    this.query = query;
    this.item = null;
    fill(this.heading, "Sample ", counted(number));
    this.load();
    window.scrollTo(0, 0);
  }

  // Show a sample, unless it is shown already and has not changed: a live run grows beside what somebody reads or writes.
  #draw(sample, run) {
    const sign = JSON.stringify(sample);
    if (sign === this.sign && !this.content.querySelector(".failure")) return;
    this.sign = sign;
    const row = run.rows.find((one) => one.row === sample.row);
    const wasOpen = [...this.content.querySelectorAll("details[open] > summary")].map((one) => one.textContent);
    fill(this.heading, named(sample.item_id));
    this.item = sample.item_id;
    this.app.entitle();
    this.app.announce(`Sample ${sample.item_id}, ${sample.outcome}`);
    this.labelling?.close();
    this.labelling = new Labelling(this.app, this.run, sample);
    fill(this.content, stateOf(sample, row), el("div.sample-parts", this.#parts(sample, row)), this.labelling.host);
    for (const one of this.content.querySelectorAll("details > summary")) if (wasOpen.includes(one.textContent)) one.parentNode.open = true;
    this.#label(this.labelling);
    this.#meet(sample);
  }

  async #label(labelling) {
    try {
      await labelling.load();
    } catch (problem) {
      labelling.host.hidden = false;
      fill(labelling.host, failure(problem, () => this.#label(labelling)));
    }
    if (this.labelling === labelling && this.app.page === this) this.app.keys.ofPage = this.keys = [...this.ownKeys, ...labelling.keys];
  }

  #parts(sample, row) {
    const panels = (sample.panels ?? []).map((panel, place) => ({ panel, drawn: () => drawPanel(panel, (name) => this.app.source.imageURL(this.run, sample.number, place, name)) }));
    const answers = panels.filter(({ panel }) => !panel.is_context);
    const context = panels.filter(({ panel }) => panel.is_context);
    return [
      part("Question", shownValue(sample.question)),
      sample.calls.length ? part("Reply", transcript(sample.calls)) : null,
      part("Scores", metricTables(sample, row)),
      sample.verdicts.length > 1 ? verdictPart(sample, answers.length > 0) : null,
      answers.length ? part("In detail", el("div", answers.map(({ panel, drawn }) => [el("h3", named(panel.title)), drawn()]))) : null,
      part("Answer", shownValue(sample.answer)),
      part("Reference", shownValue(sample.reference)),
      sample.trace?.length ? part("Strict verdict, part by part", block(sample.trace.join("\n"))) : null,
      context.map(({ panel, drawn }) => el("details", el("summary", named(panel.title), ` (${countOf(panel.value.pairs.length, "graph")})`), drawn())),
      this.twins,
    ];
  }

  // Links to the same item in the other rows of the run.
  async #meet(sample) {
    fill(this.twins);
    const index = await indexOf(this.app, this.run).catch(() => null);
    if (!index || sample.number !== this.number) return;
    const { item, mark } = index.samples;
    const others = [...item.keys()].filter((number) => item[number] === sample.item_id && number !== sample.number && isSameTask(index, number, sample));
    const link = (number) => el("a", { href: hashOf(["run", this.run, "sample", number], this.query) }, named(index.rowAt(number).title));
    const links = others.map((number) => el("li", link(number), " ", markOf(mark[number])));
    fill(this.twins, links.length ? part("The same item in other rows", el("ul", links)) : null);
  }

  close() {
    this.labelling?.close();
  }
}

function isSameTask(index, number, sample) {
  return index.rowAt(number)?.task === index.rowOf.get(sample.row)?.task;
}

function part(title, ...content) {
  return el("section", el("h2", named(title)), content);
}

function stateOf(sample, row) {
  const notes = [sample.error, sample.unasked, sample.changed].filter(Boolean);
  const value = sample.scores?.strict?.[row?.metric]?.value;
  const score = value === null || value === undefined ? null : ` · ${row.metric} ${scored(value, isShareIn(row))}`;
  const state = el("p", el("span.outcome", sample.outcome), sample.failed ? ` · ${sample.failed}` : null, score, row ? [" · ", named(row.title)] : null);
  const remarks = sample.notes?.map((words) => (typeof words === "string" ? words : JSON.stringify(words)));
  return el("div.state-of", state, notes.map((words) => el("p.note", named(words))), textList(remarks));
}

// Headline metrics, and the others folded.
function metricTables(sample, row) {
  const { strict = {}, official } = sample.scores ?? {};
  const names = [...new Set([...Object.keys(strict ?? {}), ...Object.keys(official ?? {})])];
  const missing = !official ? el("p.note", "No official scores", sample.unpublished ? [": ", named(sample.unpublished)] : ".") : null;
  if (!names.length) return [el("p.pale", "There are no scores for this sample."), missing];
  const cells = (scores, name) => [scored(scores?.[name]?.value, row ? isShareIn(row, name) : true), el("bdi", scores?.[name]?.reason ?? "")];
  const table = (some) => {
    const rows = some.map((name) => [named(name), ...cells(strict, name), ...cells(official, name)]);
    return cardTable("Values of both profiles", ["metric", "strict", "because", "official", "because (official)"], rows);
  };
  const isFurther = (name) => row && !row.metrics[name]?.is_headline;
  const [first, further] = [names.filter((name) => !isFurther(name)), names.filter(isFurther)];
  return [first.length ? table(first) : null, missing, further.length ? el("details", el("summary", "Further metrics"), table(further)) : null];
}

// Verdicts on the sample's questions, folded where a panel shows them too.
function verdictPart({ verdicts, failed }, isShownElsewhere) {
  const rows = verdicts.map(({ question, text, right, label, key }) => [named(text || question), rightness(right), named(label ?? "–"), named(key ?? "–")]);
  const table = cardTable("Verdicts on the sample's questions", ["question", "verdict", "label", "key"], rows);
  return isShownElsewhere ? el("details", el("summary", `Verdicts (${failed || "all right"})`), table) : part("Verdicts", table);
}
