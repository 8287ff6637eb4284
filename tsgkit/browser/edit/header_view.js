// The head of the editor: the file, who annotates, how much is done, what is saved, and the most used commands.

import { el } from "../dom.js";
import { relabel, setAttributeOf } from "./element_updates.js";
import { shownKey } from "./command_keys.js";

const HEAD_COMMANDS = { save: "Save", undo: "Undo", redo: "Redo", vocabulary: "L", proposals: "Proposals", commands: "Commands", help: "Help" };
const SAVE_WORDS = { unsent: "\u25cf edits not sent", unsaved: "\u25cf not saved", saved: "\u2713 saved", saving: "\u2026 saving" };

export class HeaderView {
  constructor(editor) {
    this.editor = editor;
    this.file = el(editor.source.isWidget ? "h2.file" : "h1.file");
    this.about = el("span.pale");
    this.state = el("strong.save-state");
    this.buttons = Object.entries(HEAD_COMMANDS).map(([name, words]) => {
      const command = editor.commands.find((one) => one.name === name);
      const title = `${command.words} (${command.keys.map(shownKey).join(" or ")})`;
      return { command, button: el("button", { type: "button", title, onclick: () => editor.run(name) }, words) };
    });
    this.element = el("div.editor-head", this.file, this.about, this.state, el("div.command-bar", { role: "group", "aria-label": "Commands on the file" }, this.buttons.map(({ button }) => button)));
  }

  update() {
    const { document: story, saveState, source } = this.editor;
    const done = story.items.filter(({ status }) => status.status === "done").length;
    relabel(this.file, story.file);
    relabel(this.about, `${story.format}${story.annotator ? ` \u00b7 ${story.annotator}` : ""} \u00b7 ${done} of ${story.items.length} done`);
    relabel(this.state, SAVE_WORDS[saveState]);
    setAttributeOf(this.state, "data-state", saveState);
    for (const { command, button } of this.buttons) {
      const isOff = !command.isPossible();
      if (button.disabled !== isOff) button.disabled = isOff;
      button.hidden = command.name === "proposals" && !story.proposals;
    }
    if (!source.isWidget) document.title = `${saveState === "saved" ? "" : "\u25cf "}${story.file} \u00b7 tsgkit`;
  }
}
