// Another version of the current item: its differences side by side, accepted piece by piece.

import { el, fill, named } from "../dom.js";
import { arrowedTriplet, drawnGraph, scrolledGraph } from "../panels/graphs.js";
import { closeDialog, openDialog } from "./command_views.js";
import { changedPart, sameValue } from "./item_sync.js";
import { exchangedTriplet, graphsOf, insertGraphAt, removeGraph, setGraph, setText } from "./item_value.js";
import { addName } from "./vocabulary_edits.js";

// Accept a whole graph: put it in the place of mine, insert it, or remove mine.
function acceptGraph(value, pair) {
  const place = { description: pair.description, graph: pair.graph ?? 0 };
  if (pair.other === null) return removeGraph(value, place);
  return pair.mine === null ? insertGraphAt(value, place, pair.other) : setGraph(value, place, pair.other);
}

// Accept all graphs of a description, and its text if that differs and may be edited.
function acceptDescription(value, { pairs, texts }, description, canText) {
  const own = pairs.filter((pair) => pair.description === description);
  const inOrder = own.map((pair, order) => ({ pair, order })).sort((one, other) =>
    other.pair.graph - one.pair.graph || (one.pair.mine === null) - (other.pair.mine === null) || other.order - one.order);
  const text = canText ? texts.find((one) => one.description === description) : null;
  const now = inOrder.reduce((before, { pair }) => acceptGraph(before, pair).value, value);
  const place = own.length ? { description, graph: own[0].graph } : { description, graph: 0 };
  return { value: text ? setText(now, place, text.other).value : now, place };
}

// Kinds of differences of the triplets of one graph against another, by number.
function marksAgainst(triplets, other, kind) {
  if (!triplets) return [];
  const known = new Set((other ?? []).map((one) => JSON.stringify(one)));
  return triplets.map((one) => (known.has(JSON.stringify(one)) ? "matched" : kind));
}

const PAIRS_SHOWN = 20;
const CHANGE_WORDS = { missing: "Add", extra: "Remove" };

// The differences of a version ("proposal" or "disk"), in a dialog that is filled anew after every piece.
export class VersionView {
  #most = PAIRS_SHOWN;

  constructor(editor, other, answers = []) {
    Object.assign(this, { editor, other });
    this.body = el("div.versions");
    this.answers = answers.length ? el("div.command-bar", answers.map(({ words, run }) => el("button", { type: "button", onclick: () => closeDialog(this.dialog, run) }, words))) : null;
    this.dialog = openDialog(editor, other === "disk" ? "The file on disk differs" : `Proposals of ${editor.document.proposals}`, [this.answers, this.body], { kind: "wide", onPaint: () => this.#update() });
    this.#update();
  }

  // Show the differences that an edit or its undo left.
  async #update() {
    const { editor } = this, { session } = editor, { value } = session;
    if (this.value === value) return;
    this.value = value;
    try {
      await session.sent();
      const versions = await editor.source.versions(session.number, this.other);
      if (value !== this.value) return;
      this.versions = versions;
      this.#draw(session);
    } catch (problem) {
      fill(this.body, el("p.notice-text", { role: "alert" }, problem.message, " ", problem.hint ?? ""));
    }
  }

  #draw(session) {
    const { pairs, texts, vocabulary } = this.versions, { descriptions } = session.value;
    const names = Object.entries(vocabulary?.only_other ?? {}).filter(([, members]) => members.length);
    const shown = pairs.slice(0, this.#most), last = shown.length < pairs.length ? shown.at(-1).description : Infinity;
    const shownNumbers = [...shown, ...texts].map((one) => one.description).filter((number) => number <= last);
    const numbers = [...new Set(shownNumbers)].sort((one, other) => one - other);
    const focused = this.#buttons().indexOf(this.editor.activeElement);
    const parts = numbers.map((number) => this.#description(number, descriptions[number], shown.filter((pair) => pair.description === number), texts.find((one) => one.description === number)));
    const growing = () => {
      this.#most += PAIRS_SHOWN;
      this.#draw(session);
    };
    const more = shown.length < pairs.length && el("button", { type: "button", onclick: growing }, `Show more of ${pairs.length} graphs`);
    const nothing = !numbers.length && !names.length && el("p", "There is no difference left in this item.");
    fill(this.body, nothing, names.map(([kind, members]) => this.#names(kind, members)), parts, more);
    if (focused >= 0) (this.#buttons()[Math.min(focused, this.#buttons().length - 1)] ?? this.dialog.querySelector("button")).focus();
  }

  #buttons() {
    return [...this.body.querySelectorAll("button")];
  }

  // A button that makes an edit of the value.
  #accepting(label, edited, words) {
    return el("button", { type: "button", onclick: () => this.editor.change(edited(this.editor.session.value), `accepting ${words}`) }, label);
  }

  #description(number, description, pairs, text) {
    const { texts: canText, graphs: canCount } = this.editor.document.can;
    const isWhole = this.versions.pairs.every((pair) => pair.description !== number || canCount || (pair.mine && pair.other));
    const whole = isWhole && this.#accepting("Accept all of this description", (value) => acceptDescription(value, this.versions, number, canText), `description ${number + 1}`);
    const other = text && el("div.text-pair", el("p", el("strong", "theirs: "), el("bdi", text.other ?? "no text")),
      canText && this.#accepting("Accept the text", (value) => acceptDescription(value, { pairs: [], texts: [text] }, number, true), "a text"));
    return el("section.version-description", el("h3", `${number + 1}. `, named(description?.text ?? "")), other, whole, pairs.map((pair) => this.#pair(pair)));
  }

  #pair(pair) {
    const { can } = this.editor.document, isPossible = can.graphs || (pair.mine !== null && pair.other !== null);
    const label = pair.mine === null ? "Add this graph" : pair.other === null ? "Remove my graph" : "Accept the whole graph";
    const changes = pair.mine && pair.other ? pair.changes : [];
    return el("section.version-pair", graphSides(this.editor, pair, "mine", this.versions.name),
      el("ul.version-changes", changes.map((change) => this.#change(pair, change))),
      isPossible && this.#accepting(label, (value) => acceptGraph(value, pair), "a graph"));
  }

  #change(pair, change) {
    const { kind, reference, candidate } = change, words = CHANGE_WORDS[kind] ?? "Exchange";
    const triplets = [candidate && arrowedTriplet(candidate), candidate && reference ? " \u21d2 " : null, reference && arrowedTriplet(reference)];
    return el("li", this.#accepting([words, " ", triplets], (value) => acceptGraph(value, { ...pair, other: exchangedTriplet(pair.mine, candidate, reference) }), "a triplet"), el("span.pale", ` ${kind}`));
  }

  #names(kind, members) {
    if (!this.editor.document.can.vocabulary) return null;
    const place = () => this.editor.session.place;
    return el("p", `Names of L (${kind}) that only theirs has: `, members.map((name) =>
      this.#accepting(["+ ", named(name)], (value) => ({ value: addName(value, kind, name), place: place() }), "a name")));
  }
}

function graphSides({ source }, { mine, other, number }, title, name) {
  const side = (words, triplets, marks) => el("figure.version-side", el("figcaption", words),
    triplets ? drawnLater(source.draw(triplets, marks), words) : el("p.pale", "no graph"));
  return el("div.version-sides",
    side(number === null || number === undefined ? title : `${title}, graph ${number + 1}`, mine, marksAgainst(mine, other, "extra")),
    side(named(name), other, marksAgainst(other, mine, "missing")));
}

function drawnLater(answer, words) {
  const frame = scrolledGraph(words, null);
  answer.then(({ drawing }) => fill(frame, drawnGraph(drawing)), (problem) => fill(frame, el("p.pale", "The graph is not drawn: ", problem.message)));
  return frame;
}

// Two versions of an item that two browsers edited; the answer is "mine" or "theirs".
export function showConflict(editor, session, answer) {
  const { start, old, inserted } = changedPart(graphsOf(session.value), graphsOf(session.sync.theirs.value)), longer = old.length > inserted.length ? old : inserted;
  const pairs = longer.map((_, place) => ({ number: start + place, mine: old[place] ?? null, other: inserted[place] ?? null })).filter(({ mine, other }) => !sameValue(mine, other));
  const shown = pairs.slice(0, PAIRS_SHOWN).map((pair) => el("section.version-pair", graphSides(editor, pair, "mine", "theirs")));
  const choose = (which) => () => closeDialog(dialog, () => answer(which));
  const dialog = openDialog(editor, "Another browser edited this item", [
    el("p", `${pairs.length} graphs differ; texts and L may differ too. Undo brings the other version back.`),
    el("div.command-bar", el("button", { type: "button", onclick: choose("theirs") }, "Take theirs"), el("button", { type: "button", onclick: choose("mine") }, "Keep mine")),
    el("div.versions", shown, pairs.length > shown.length ? el("p", `and ${pairs.length - shown.length} more`) : null),
  ], { kind: "wide" });
}
