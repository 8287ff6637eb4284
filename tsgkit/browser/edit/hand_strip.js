// A strip of what each hand holds before and after every action of an item.

import { el } from "../dom.js";
import { relabel, reveal, setAttributeOf, updateMembers } from "./element_updates.js";
import { shownSummary } from "./graph_line.js";
import { graphsOf, numberAt, placeOf } from "./item_value.js";
import { HAND_NAMES } from "./triplet_rows.js";

// The content of a hand in words; null is unknown.
export function heldWords(things) {
  return things === null || things === undefined ? "?" : things.length ? things.join(", ") : "\u2013";
}

export class HandStrip {
  #cards = [];
  #shown = {};

  constructor(editor) {
    this.editor = editor;
    this.list = el("ol.hand-cards", { onkeydown: (event) => this.#pressed(event) });
    this.element = el("section.hand-strip", { "aria-label": "Hands along the story" }, this.list);
  }

  update(session) {
    const { value, checks, place } = session, before = this.#shown, current = numberAt(value, place);
    if (before.value === value && before.checks === checks && before.current === current) return;
    const values = graphsOf(value).map((graph, number) => ({ graph, number, isCurrent: number === current, hands: session.checksOf(graph, number)?.hands ?? null }));
    updateMembers(this.list, this.#cards, values, () => new HandCard((number) => this.editor.goTo(placeOf(this.editor.session.value, number))));
    this.element.hidden = !values.length;
    if (current !== null && before.current !== current) reveal(this.list, this.#cards[current].element);
    this.#shown = { value, checks, current };
  }

  focus() {
    (this.#cards[this.#shown.current] ?? this.#cards[0])?.button.focus({ preventScroll: true });
  }

  #pressed(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (event.key === "Enter") this.editor.views.graph.focus();
    else if (step && !event.ctrlKey && !event.altKey && !event.metaKey) {
      this.editor.step(step);
      this.focus();
    } else return;
    event.preventDefault();
  }
}

class HandCard {
  #shown = {};

  constructor(onClick) {
    this.head = el("bdi.hand-action");
    this.hands = HAND_NAMES.map(() => el("bdi"));
    this.button = el("button.hand-card", { type: "button", tabindex: -1, onclick: () => onClick(this.number) },
      this.head, this.hands.map((words, place) => el("span.hand-held", el("span.hand-name", HAND_NAMES[place]), " ", words)));
    this.element = el("li", this.button);
  }

  update({ graph, number, isCurrent, hands }) {
    const before = this.#shown;
    this.number = number;
    if (before.graph !== graph || before.number !== number) relabel(this.head, `${number + 1} ${shownSummary(graph)}`);
    if (before.hands !== hands) HAND_NAMES.forEach((hand, place) => relabel(this.hands[place], heldChange(hands, hand)));
    if (before.isCurrent !== isCurrent) {
      setAttributeOf(this.button, "aria-current", isCurrent ? "true" : null);
      setAttributeOf(this.button, "tabindex", isCurrent || !number ? "0" : "-1");
    }
    this.#shown = { graph, number, isCurrent, hands };
  }
}

// What a hand holds before and after, once where it is the same.
function heldChange(hands, hand) {
  if (!hands) return "?";
  const [before, after] = [hands.before, hands.after].map((state) => heldWords(state[hand]));
  return before === after ? before : `${before} \u2192 ${after}`;
}
