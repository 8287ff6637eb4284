// Buttons of commands, with their keys as titles.

import { el } from "../dom.js";
import { shownKey } from "./command_keys.js";

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
