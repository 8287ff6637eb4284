// Commands as their keys, as buttons, as a list to choose from and as the help; and the dialogs of the editor.

import { el } from "../dom.js";
import { highlightOption, rankedNames } from "./combo_box.js";

const KEY_WORDS = { ArrowUp: "\u2191", ArrowDown: "\u2193", PageUp: "Page Up", PageDown: "Page Down", " ": "Space" };

// The key of an event; "" where it writes a character. Letters behind Alt are those of the keyboard, whatever they write.
export function keyOfEvent(event) {
  const { ctrlKey, metaKey, altKey, shiftKey, key, code } = event;
  if (event.isComposing || event.getModifierState?.("AltGraph")) return "";
  const name = altKey && /^Key[A-Z]$/.test(code) ? code.slice(3) : key.length === 1 ? key.toUpperCase() : key;
  const isSign = name.length === 1 && !/[A-Z]/.test(name);
  const before = [(ctrlKey || metaKey) && "Ctrl", altKey && "Alt", shiftKey && !isSign && "Shift"].filter(Boolean);
  return [...before, name].join("+");
}

// A key as it is shown to people.
export function shownKey(key) {
  return key.split("+").map((part) => KEY_WORDS[part] ?? part).join("+");
}

let dialogCount = 0;

// Open a dialog with a title. `onPaint` is called when the editor shows an edit or its undo, `onClose` when the dialog is
// closed, after the focus is back. What the editor says meanwhile is said in the dialog: the rest of the page is inert.
export function openDialog(editor, title, content, { kind = "small", onPaint = () => {}, onClose = () => {} } = {}) {
  const id = `dialog-title-${(dialogCount += 1)}`, before = editor.activeElement;
  const dialog = el(`dialog.editor-dialog.is-${kind}`, { "aria-labelledby": id, onclose: () => close() },
    el("div.dialog-head", el("h2", { id }, title), el("button", { type: "button", onclick: () => dialog.close() }, "Close")), content);
  dialog.said = dialog.appendChild(el("p.said", { role: "status" }));
  dialog.onPaint = onPaint;
  const close = () => {
    dialog.remove();
    (before?.isConnected ? before : editor.frame).focus({ preventScroll: true });
    onClose();
    dialog.afterwards?.();
  };
  editor.frame.append(dialog);
  dialog.showModal();
  return dialog;
}

// Close a dialog, then do something, with the focus where it was before.
export function closeDialog(dialog, afterwards) {
  dialog.afterwards = afterwards;
  dialog.close();
}

// Ask a question with some answers; the promise is the name of the answer, or null.
export function askInDialog(editor, title, content, answers) {
  return new Promise((resolve) => {
    let answer = null;
    const buttons = Object.entries(answers).map(([name, words]) => el("button", { type: "button", onclick: () => {
      answer = name;
      dialog.close();
    } }, words));
    const dialog = openDialog(editor, title, [content, el("div.command-bar", buttons)], { onClose: () => resolve(answer) });
    buttons[0].focus();
  });
}

export class CommandBar {
  // `shown` are short words for commands, by their names; `title` stands before the buttons, if it is given.
  constructor(editor, about, shown, title = null) {
    this.buttons = Object.entries(shown).map(([name, words]) => {
      const command = editor.commands.find((one) => one.name === name), keys = command.keys.map(shownKey).join(" or ");
      return { command, button: el("button", { type: "button", title: `${command.words} (${keys})`, "aria-label": title && command.words, onclick: () => editor.run(name) }, words) };
    });
    this.element = el("div.command-bar", { role: "group", "aria-label": about }, title && el("span.pale", { "aria-hidden": "true" }, title), this.buttons.map(({ button }) => button));
  }

  // Let the buttons of commands that are not possible now rest.
  update() {
    for (const { command, button } of this.buttons) {
      const isOff = !command.isPossible();
      if (button.disabled !== isOff) button.disabled = isOff;
    }
  }
}

const FIELD_KEYS = [
  ["\u2191 \u2193", "The same field of the row above or below; in an open list, another name"],
  ["Enter", "Take the highlighted name and go on; in the last field, open a new row"],
  ["Tab", "Take the name that was begun and go on"],
  ["Alt+\u2193", "Open the list of names"],
  ["Esc", "Close the list; then go to the story"],
  ["\u232b", "In an empty new row: remove it"],
];
const STORY_KEYS = [["\u2191 \u2193", "Previous or next graph"], ["Enter", "Write in the graph"], ["Delete", "Delete the graph"]];

export function showCommandList(editor) {
  const commands = editor.commands.filter((one) => one.name !== "commands");
  const labels = new Map(commands.map((command) => [`${command.group}: ${command.words}`, command]));
  let shown = [], active = 0;
  const list = el("ul.command-list", { role: "listbox", id: "command-list", "aria-label": "Commands" });
  const field = el("input", { type: "text", role: "combobox", autocomplete: "off", "aria-expanded": "true", "aria-controls": "command-list", "aria-label": "Find a command", oninput: () => find(), onkeydown: (event) => pressed(event) });
  const dialog = openDialog(editor, "Commands", [field, list]);
  const find = () => {
    const words = field.value.trim();
    shown = (words ? rankedNames([...labels.keys()], words) : [...labels.keys()]).map((label) => labels.get(label));
    list.replaceChildren(...shown.map((command, place) => commandOption(command, place, () => run(command))));
    if (shown.length) active = highlightOption(field, list, 0);
    else field.removeAttribute("aria-activedescendant");
  };
  const run = (command) => closeDialog(dialog, () => editor.run(command.name));
  const pressed = (event) => {
    if (event.key === "Enter" && shown[active]) run(shown[active]);
    else if (shown.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) active = highlightOption(field, list, active + (event.key === "ArrowDown" ? 1 : -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  find();
  field.focus();
}

function commandOption(command, place, run) {
  return el("li", { role: "option", id: `command-${place}`, "aria-selected": "false", "aria-disabled": command.isPossible() ? null : "true", onclick: run },
    el("span", el("span.pale", `${command.group}: `), command.words), el("span.command-keys", command.keys.map((key) => el("kbd", shownKey(key)))));
}

export function showHelp(editor) {
  const groups = Map.groupBy(editor.commands, (one) => one.group);
  const parts = [...groups].map(([group, commands]) => keyList(group, commands.map(({ keys, words }) => [keys.map(shownKey).join(" or "), words])));
  openDialog(editor, "Help", el("div.help-columns", { tabindex: 0, role: "group", "aria-label": "Keys" },
    keyList("In a field", FIELD_KEYS), keyList("In the story", STORY_KEYS), parts,
    el("section", el("h3", "Good to know"), el("p", "Names that the sentence mentions come first. A name outside of L can be typed: it is marked. A row with nothing but its defaults is no triplet, and a new graph exists from its first triplet on."))), { kind: "wide" });
}

function keyList(title, lines) {
  return el("section", el("h3", title), el("dl", lines.map(([keys, words]) => [el("dt", el("kbd", keys)), el("dd", words)])));
}
