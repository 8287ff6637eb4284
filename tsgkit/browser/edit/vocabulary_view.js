// The editor of L: names by kind with where they are used; add, remove, rename and merge them, or move them to another list.

import { commaSeparated, el, fill, named } from "../dom.js";
import { closeDialog, openDialog } from "./command_views.js";
import { sameValue } from "./item_sync.js";
import { graphsOf, placeOf, shownSummary } from "./item_value.js";
import { NAME_KINDS, addName, moveName, namesByKind, namesOutside, removeName, renameNames, usesOf } from "./vocabulary_edits.js";

const KIND_WORDS = { object: "Objects", relationship: "Relationships", verb: "Verbs" };
const OTHER_LIST = { object: "verb", verb: "object" };
const USES_SHOWN = 100;

export class VocabularyView {
  #marked = new Set();
  #chosen = null;
  #similar = [];

  constructor(editor) {
    this.editor = editor;
    this.filter = el("input", { type: "search", "aria-label": "Filter names", placeholder: "filter", autofocus: true, oninput: () => this.draw() });
    this.detail = el("section.name-detail", { "aria-label": "Name", "aria-live": "polite" });
    this.proposals = el("section.similar", { "aria-label": "Names that likely mean the same" });
    this.lists = el("div.name-lists", { onkeydown: (event) => this.#pressed(event) });
    this.dialog = openDialog(editor, "L: the names of this item", [
      el("p.pale", "Enter shows a name and where it is used, Space marks it to be merged with others. Every change is one step of undo."),
      this.filter, this.detail, this.lists, this.proposals,
    ], { kind: "wide", onPaint: () => this.#update() });
    this.#update();
  }

  // Show what an edit or its undo left, and ask anew which names are alike.
  #update() {
    if (this.value === this.editor.session.value) return;
    this.draw();
    this.#propose();
  }

  async #propose() {
    const { session } = this.editor, { value } = this;
    try {
      await session.sent();
      const { groups } = await this.editor.source.similar(session.number);
      if (value !== this.value || sameValue(groups, this.#similar)) return;
      this.#similar = groups;
      fill(this.proposals, this.#proposals());
    } catch (problem) {
      this.editor.say(`Synonyms could not be looked up: ${problem.message}`);
    }
  }

  draw() {
    const { value } = this.editor.session, graphs = graphsOf(value), focused = this.editor.activeElement;
    this.value = value;
    this.uses = usesOf(graphs);
    this.names = namesByKind(value, graphs);
    this.outside = namesOutside(value, this.uses);
    this.canList = Boolean(value.vocabulary) && this.editor.document.can.vocabulary;
    fill(this.lists, NAME_KINDS.map((kind) => this.#list(kind)));
    fill(this.detail, this.#detail());
    fill(this.proposals, this.#proposals());
    if (focused && !focused.isConnected) (this.#element(focused.dataset.focus) ?? this.#element(this.#chosen?.key) ?? this.filter).focus();
  }

  // What stands now in the place of an element that was drawn anew.
  #element(key) {
    return key === undefined ? null : this.dialog.querySelector(`[data-focus="${CSS.escape(key)}"]`);
  }

  // Make a change one step of undo.
  #change(value, words) {
    this.#marked.clear();
    this.editor.change({ value, place: this.editor.session.place }, words);
  }

  #list(kind) {
    const wanted = this.filter.value.trim().toLowerCase();
    const names = (this.names[kind] ?? []).filter((name) => name.toLowerCase().includes(wanted));
    const entry = el("input", { type: "text", dir: "auto", size: 8, "aria-label": `New name for ${KIND_WORDS[kind]}`, "data-focus": `add/${kind}`, onkeydown: (event) => event.key === "Enter" && this.#add(kind, entry) });
    return el("section.name-list", el("h3", `${KIND_WORDS[kind]} (${this.names[kind]?.length ?? 0})`),
      this.canList && el("p.name-entry", entry, el("button", { type: "button", onclick: () => this.#add(kind, entry) }, "Add")),
      el("ul", { "data-kind": kind }, names.map((name, place) => this.#line(kind, name, place))),
      this.outside[kind].length ? el("div.outside", el("h4", "Used, but not in L"), el("ul", this.outside[kind].map((name) => this.#outsider(kind, name)))) : null);
  }

  #line(kind, name, place) {
    const key = nameKey(kind, name), isChosenIn = this.#chosen?.kind === kind && this.names[kind].includes(this.#chosen.name);
    const toggle = () => {
      this.#marked.has(key) ? this.#marked.delete(key) : this.#marked.add(key);
      this.draw();
    };
    return el("li", el("input", { type: "checkbox", tabindex: -1, "aria-label": `mark ${name}`, checked: this.#marked.has(key), onchange: toggle }),
      this.#button(kind, name, this.#chosen?.key === key || (!place && !isChosenIn) ? 0 : -1));
  }

  // A name as a button that chooses it, with the number of its uses.
  #button(kind, name, tabindex = null) {
    const key = nameKey(kind, name), count = this.uses[kind].get(name)?.length ?? 0;
    const choose = () => {
      this.#chosen = { kind, name, key };
      this.draw();
    };
    return el("button.name", { type: "button", tabindex, "data-focus": key, "aria-pressed": String(this.#chosen?.key === key), onclick: choose },
      named(name), el("span.pale", ` ${count}`, el("span.unseen", count === 1 ? " use" : " uses"), this.#marked.has(key) ? el("span.unseen", ", marked") : null));
  }

  #outsider(kind, name) {
    return el("li", this.#button(kind, name),
      this.canList && el("button", { type: "button", "aria-label": `add ${name} to L`, onclick: () => this.#change(addName(this.editor.session.value, kind, name), `adding ${name} to L`) }, "Add"));
  }

  #add(kind, entry) {
    const name = entry.value.trim();
    if (!name) return;
    this.#change(addName(this.editor.session.value, kind, name), `adding ${name} to L`);
  }

  #detail() {
    const { value } = this.editor.session;
    const make = !value.vocabulary && this.editor.document.can.vocabulary && el("p", "This item has no L. ", el("button", { type: "button", onclick: () => this.#change({ ...value, vocabulary: namesByKind(value, graphsOf(value)) }, "making L") }, "Make L from the graphs"));
    return [make, this.#chosen ? this.#chosenName(this.#chosen) : null, ...NAME_KINDS.map((kind) => this.#merge(kind, (this.names[kind] ?? []).filter((name) => this.#marked.has(nameKey(kind, name)))))];
  }

  #chosenName({ kind, name }) {
    const field = el("input", { type: "text", dir: "auto", value: name, "aria-label": `New name of ${name}`, "data-focus": "rename", onkeydown: (event) => event.key === "Enter" && rename() });
    const rename = () => field.value.trim() && field.value !== name && this.#rename(kind, [name], field.value.trim());
    const other = OTHER_LIST[kind], { value } = this.editor.session, isIn = value.vocabulary?.[kind]?.includes(name);
    const uses = this.uses[kind].get(name) ?? [];
    return el("div.chosen-name", el("p", field, el("button", { type: "button", onclick: rename }, "Rename everywhere"),
      this.canList && isIn && el("button", { type: "button", onclick: () => this.#change(removeName(value, kind, name), `removing ${name} from L`) }, "Remove from L"),
      this.canList && isIn && other && el("button", { type: "button", onclick: () => this.#change(moveName(value, name, kind, other), `moving ${name}`) }, `Move to ${KIND_WORDS[other].toLowerCase()}`)),
    el("p", uses.length ? `Used in ${uses.length} ${uses.length === 1 ? "graph" : "graphs"}: ` : "Not used in any graph.", uses.slice(0, USES_SHOWN).map((number) => this.#use(number)), uses.length > USES_SHOWN ? ` and ${uses.length - USES_SHOWN} more` : null));
  }

  #use(number) {
    const { value } = this.editor.session;
    return el("button.use", { type: "button", title: shownSummary(graphsOf(value)[number]), onclick: () => closeDialog(this.dialog, () => {
      this.editor.goTo(placeOf(value, number));
      this.editor.views.graph.focus(0, 0);
    }) }, `${number + 1}`, el("span.unseen", ` ${shownSummary(graphsOf(value)[number])}`));
  }

  #rename(kind, names, wanted) {
    this.#chosen = { kind, name: wanted, key: nameKey(kind, wanted) };
    this.#change(renameNames(this.editor.session.value, kind, names, wanted), names.length > 1 ? `merging into ${wanted}` : `renaming ${names[0]} to ${wanted}`);
  }

  // Names of one kind to be merged into one of them, chosen from a list; nothing where there is only one.
  #merge(kind, names) {
    if (names.length < 2) return null;
    const choice = el("select", { "aria-label": "Name that stays" }, names.map((name) => el("option", { value: name }, name)));
    return el("p", "Merge ", commaSeparated(names.map(named)), " into ", choice, " ",
      el("button", { type: "button", onclick: () => this.#rename(kind, names.filter((name) => name !== choice.value), choice.value) }, "Merge"));
  }

  #proposals() {
    const groups = this.#similar.flatMap((names) => NAME_KINDS.map((kind) => ({ kind, names: names.filter((name) => this.names[kind]?.includes(name)) })))
      .filter(({ names }) => names.length > 1);
    return groups.length ? [el("h3", "Names that likely mean the same"), groups.map(({ kind, names }) => this.#merge(kind, names))] : [];
  }

  #pressed(event) {
    const button = event.target.closest?.("button.name"), line = button?.parentElement;
    if (!line || event.ctrlKey || event.altKey || event.metaKey) return;
    const beside = { ArrowDown: line.nextElementSibling, ArrowUp: line.previousElementSibling }[event.key];
    if (beside) beside.querySelector("button.name").focus();
    else if (event.key === " ") line.querySelector("input")?.click();
    else return;
    event.preventDefault();
  }
}

function nameKey(kind, name) {
  return `${kind}/${name}`;
}
