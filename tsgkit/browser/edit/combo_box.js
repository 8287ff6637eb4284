// A field for a name with a list of names that complete it: an ARIA combobox, and the ranking of its names.

import { el, fill, named } from "../dom.js";

let comboCount = 0;

// Highlight the option of a list at a place, counted on around its ends, and name it to its field; returns the place.
export function highlightOption(field, list, place) {
  const options = list.children, active = (place + options.length) % options.length;
  list.querySelector("[aria-selected=true]")?.setAttribute("aria-selected", "false");
  options[active].setAttribute("aria-selected", "true");
  options[active].scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", options[active].id);
  return active;
}

// `names()` and `likely()` are asked when the list opens or the text changes. `onInput(text)` comes with every change,
// `onNext(backwards)` when Enter or Tab leave the field; where it returns false, the key is the browser's.
export class ComboBox {
  #options = [];
  #active = -1;
  #isChosen = false;

  constructor({ names, likely, onInput, onNext }) {
    Object.assign(this, { names, likely, onInput, onNext });
    const id = `names-${(comboCount += 1)}`;
    this.input = el("input.combo-input", {
      type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "auto", size: 4,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id,
      oninput: () => { this.onInput(this.input.value); this.open(); }, onkeydown: (event) => this.#pressed(event), onblur: () => this.close(),
      onfocus: () => this.input.select(), onclick: () => this.input.value === "" && this.open(),
    });
    this.list = el("ul.combo-list", { id, role: "listbox", hidden: true, onmousedown: (event) => event.preventDefault() });
    this.element = el("div.combo", this.input, this.list);
  }

  get isOpen() {
    return !this.list.hidden;
  }

  show(value, label, { described = null, isWrong = false } = {}) {
    if (this.input.value !== value) this.input.value = value;
    const attributes = { "aria-label": label, "aria-describedby": described, "aria-invalid": isWrong ? "true" : null };
    for (const [name, one] of Object.entries(attributes)) one ? this.input.setAttribute(name, one) : this.input.removeAttribute(name);
    this.list.setAttribute("aria-label", `names for ${label}`);
  }

  // Focus the field; the list of an empty one is open at once.
  focus() {
    this.input.focus({ preventScroll: false });
    if (this.input.value === "") this.open();
  }

  open() {
    const typed = this.input.value, known = this.names();
    const fitting = rankedNames(known, typed, this.likely());
    const isNew = typed.trim() !== "" && !known.includes(typed);
    this.#options = fitting.length && isNew ? [...fitting, typed] : fitting;
    if (!this.#options.length) return this.close();
    fill(this.list, this.#options.map((name, place) => this.#option(name, isNew && place === fitting.length)));
    this.list.hidden = false;
    this.#isChosen = typed !== "";
    this.input.setAttribute("aria-expanded", "true");
    this.#active = highlightOption(this.input, this.list, 0);
  }

  // Take the highlighted name, if something was typed or chosen.
  settle() {
    if (this.isOpen && this.#isChosen) this.#take(this.#options[this.#active]);
    this.close();
  }

  close() {
    if (this.list.hidden) return;
    this.list.hidden = true;
    this.list.replaceChildren();
    this.#active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  #option(name, isAsTyped) {
    const id = `name-${(comboCount += 1)}`;
    const take = () => {
      this.#take(name);
      this.onNext(false);
    };
    return el("li.combo-option", { id, role: "option", "aria-selected": "false", onclick: take }, named(name), isAsTyped && el("span.pale", " as typed"));
  }

  #take(name) {
    this.close();
    if (this.input.value === name) return;
    this.input.value = name;
    this.onInput(name);
  }

  #pressed(event) {
    if (event.ctrlKey || event.metaKey || event.isComposing || (event.altKey && event.key !== "ArrowDown") || !this.#acted(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Do what a key means here; false where it is somebody else's.
  #acted({ key, shiftKey, altKey }) {
    if (key === "Enter" && !shiftKey) {
      if (this.isOpen) this.#take(this.#options[this.#active]);
      return this.onNext(false) !== false;
    }
    if (key === "Tab") {
      if (!shiftKey) this.settle();
      return this.onNext(shiftKey) !== false;
    }
    if (key === "Escape" && this.isOpen) return this.close() ?? true;
    if (shiftKey) return false;
    if (key === "ArrowDown" && altKey && !this.isOpen) return this.open() ?? true;
    if (!this.isOpen || !["ArrowDown", "ArrowUp"].includes(key)) return false;
    this.#isChosen = true;
    this.#active = highlightOption(this.input, this.list, this.#active + (key === "ArrowDown" ? 1 : -1));
    return true;
  }
}

const MOST_SHOWN = 12;
const UNLIKELY = 1e6;

// The names that fit, the best first: at their beginning, at the beginning of one of their words, anywhere. Among those
// that fit equally well, likely ones come first, in their own order.
export function rankedNames(names, typed, likely = []) {
  const wanted = typed.trim().toLowerCase(), order = new Map(likely.map((name, place) => [name, place]));
  const ranked = [];
  names.forEach((name, place) => {
    const fit = fitOf(name.toLowerCase(), wanted);
    if (fit >= 0) ranked.push({ name, fit, likely: order.get(name) ?? UNLIKELY, place });
  });
  ranked.sort((one, other) => one.fit - other.fit || one.likely - other.likely || one.place - other.place);
  return ranked.slice(0, MOST_SHOWN).map(({ name }) => name);
}

function fitOf(name, wanted) {
  if (!wanted) return 1;
  if (name === wanted) return 0;
  const at = name.indexOf(wanted);
  if (at <= 0) return at === 0 ? 1 : -1;
  return ["-", "_", " "].some((mark) => name.includes(mark + wanted)) ? 2 : 3;
}
