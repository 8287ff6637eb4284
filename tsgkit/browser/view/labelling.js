// Labels of one sample: the reader's verdict on each of its questions, with a note; and those of others.

import { el, fill, named } from "../dom.js";
import { disagrees } from "./choice.js";
import { VERDICTS, rightness } from "./tables.js";

const NAMES = Object.keys(VERDICTS);
const PAUSE = 700;

export class Labelling {
  constructor(app, run, sample) {
    Object.assign(this, { app, run, sample });
    this.host = el("section.labels", { hidden: true });
    this.saves = Promise.resolve();
    this.questions = sample.verdicts.length ? sample.verdicts : [{ question: "", right: null }];
    this.current = 0;
    this.forms = [];
    this.keys = [];
  }

  #keys() {
    return [
      ...NAMES.map((name, place) => ({ keys: [String(place + 1)], words: `label: ${name} (again: take it back)`, run: () => this.#choose(this.current, name) })),
      { keys: ["m"], words: "write a note to the label", run: () => this.forms[this.current]?.note.focus() },
    ];
  }

  async load() {
    const [labels] = await Promise.all([this.app.store.ask("labels", this.run), this.app.store.known()]);
    const isOpen = this.app.source.canLabel;
    this.keys = isOpen ? this.#keys() : [];
    this.host.hidden = !isOpen && !this.#of(labels).length;
    if (this.host.hidden) return;
    this.forms = this.questions.map((verdict, place) => this.#form(verdict, place));
    this.outcome = el("p", { role: "status" });
    this.failed = el("div", { role: "alert" });
    const as = isOpen ? `You label as ${this.app.source.annotator || "nobody"}; labels are saved at once${labels.file ? `, in ${labels.file}` : ""}.` : "";
    this.host.setAttribute("aria-labelledby", "labels-title");
    fill(this.host, el("h2", { id: "labels-title" }, "Labels"), as && el("p.pale", as), this.forms.map((form) => form.element), this.outcome, this.failed);
    this.#show(labels);
    this.#turnTo(Math.max(0, this.questions.findIndex((verdict) => !this.#own(labels, verdict.question))));
  }

  #of(labels) {
    return labels.labels.filter((one) => one.number === this.sample.number);
  }

  #own(labels, question) {
    return this.#of(labels).find((one) => one.question === question && one.rater === this.app.source.annotator) ?? null;
  }

  #form({ question, text, right }, place) {
    const about = text || question || "Is the answer right?";
    const buttons = NAMES.map((name, at) =>
      el("button.toggle", { type: "button", "aria-pressed": "false", onclick: () => this.#choose(place, name) },
        el("span", { "aria-hidden": "true" }, `${VERDICTS[name]} `), name, " ", el("kbd", String(at + 1))));
    const id = `note-${place}`;
    const note = el("textarea", { id, rows: "2", oninput: () => this.#noted(place, PAUSE), onchange: () => this.#noted(place, 0) });
    note.addEventListener("keydown", (event) => event.key === "Escape" && (event.stopPropagation(), buttons[0].focus()));
    const others = el("div");
    const score = el("p.pale", "The score says: ", rightness(right));
    const writing = [el("div.toggles", { role: "group", "aria-label": `Label: ${about}` }, buttons), el("label", { for: id }, "Note"), note];
    const element = el("fieldset", { onfocusin: () => this.#turnTo(place) }, el("legend", named(about)), score, this.app.source.canLabel ? writing : null, others);
    return { element, buttons, note, others, score };
  }

  #turnTo(place) {
    this.current = place;
    this.forms.forEach((form, place) => form.element.classList.toggle("current", this.forms.length > 1 && place === this.current));
  }

  #show(labels) {
    this.labels = labels;
    this.questions.forEach((verdict, place) => {
      const form = this.forms[place];
      const own = this.#own(labels, verdict.question);
      form.buttons.forEach((button, at) => button.setAttribute("aria-pressed", String(own?.verdict === NAMES[at])));
      if (document.activeElement !== form.note) form.note.value = own?.note ?? "";
      const others = this.#of(labels).filter((one) => one.question === verdict.question && one !== own);
      fill(form.others, others.length ? el("ul", others.map(labelLine)) : null);
      fill(form.score, "The score says: ", rightness(verdict.right), own && disagrees(own, verdict) ? el("strong", " You disagree with it.") : null);
    });
  }

  #choose(place, name) {
    const { question } = this.questions[place];
    const isTaken = this.#own(this.labels, question)?.verdict === name;
    this.#save(place, isTaken ? null : name, isTaken ? "Label taken back." : `Saved: ${name}.`);
  }

  #noted(place, pause) {
    clearTimeout(this.timer);
    const own = this.#own(this.labels, this.questions[place].question);
    const note = this.forms[place].note.value;
    if (!own) return fill(this.outcome, note ? "The note is saved with a label: choose right, wrong or unsure." : "");
    if (note === (own.note ?? "")) return undefined;
    this.pending = () => this.#save(place, own.verdict, "Note saved.");
    this.timer = setTimeout(() => this.#flush(), pause);
    return undefined;
  }

  #flush() {
    clearTimeout(this.timer);
    this.pending?.();
    this.pending = null;
  }

  // Save one label after those before it. A label that could not be saved is shown as it was, with the reason.
  #save(place, verdict, words) {
    const { question } = this.questions[place];
    const note = verdict === null ? "" : this.forms[place].note.value;
    const label = { number: this.sample.number, question, verdict, note };
    this.saves = this.saves.then(async () => {
      try {
        this.#show(await this.app.store.saveLabel(this.run, label));
        fill(this.outcome, words);
        fill(this.failed);
        this.#advance(place, verdict);
      } catch (problem) {
        const again = el("button", { type: "button", onclick: () => this.#save(place, verdict, words) }, "Try again");
        fill(this.outcome);
        fill(this.failed, el("p.failure", el("strong", "Not saved: "), problem.message, problem.hint ? ` ${problem.hint}` : "", " ", again));
      }
    });
    return this.saves;
  }

  // After a label by key, the next question without one is meant.
  #advance(place, verdict) {
    if (verdict === null || this.forms[place].element.contains(document.activeElement)) return;
    const next = this.questions.findIndex((one, at) => at > place && !this.#own(this.labels, one.question));
    if (next >= 0) this.#turnTo(next);
  }

  close() {
    this.#flush();
  }
}

function labelLine({ rater, verdict, note }) {
  return el("li", named(rater), `: ${VERDICTS[verdict] ?? ""} ${verdict}`, note ? [" – ", named(note)] : null);
}
