// The list of commands, chosen by typing, and the help with all keys.

import { el } from "../dom.js";
import { setAttributeOf } from "./element_updates.js";
import { closeDialog, openDialog } from "./edit_dialog.js";
import { shownKey } from "./command_keys.js";
import { rankedNames } from "./name_ranking.js";

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
  const highlight = (place) => {
    list.children[active]?.setAttribute("aria-selected", "false");
    active = (place + shown.length) % shown.length;
    const option = list.children[active];
    if (!option) return;
    option.setAttribute("aria-selected", "true");
    setAttributeOf(field, "aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  };
  const find = () => {
    const words = field.value.trim();
    shown = (words ? rankedNames([...labels.keys()], words) : [...labels.keys()]).map((label) => labels.get(label));
    list.replaceChildren(...shown.map((command, place) => commandOption(command, place, () => run(command))));
    setAttributeOf(field, "aria-activedescendant", null);
    if (shown.length) highlight(0);
  };
  const run = (command) => closeDialog(dialog, () => editor.run(command.name));
  const pressed = (event) => {
    if (event.key === "Enter" && shown[active]) run(shown[active]);
    else if (event.key === "ArrowDown" && shown.length) highlight(active + 1);
    else if (event.key === "ArrowUp" && shown.length) highlight(active - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  find();
  field.focus();
}

function commandOption(command, place, run) {
  const isOff = !command.isPossible();
  return el("li", { role: "option", id: `command-${place}`, "aria-selected": "false", "aria-disabled": isOff ? "true" : null, onclick: run },
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
