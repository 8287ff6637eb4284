// The head of the editor: the file, who annotates, how much is done, what is saved, and the most used commands.

import { el } from "../dom.js";
import { CommandBar } from "./command_bar.js";
import { relabel, setAttributeOf } from "./element_updates.js";

const HEAD_COMMANDS = { save: "Save", undo: "Undo", redo: "Redo", vocabulary: "L", proposals: "Proposals", commands: "Commands", help: "Help" };
const KEPT = "\u2713 in the notebook";
const SAVE_WORDS = { unsent: "\u25cf edits not sent", unsaved: "\u25cf not saved", saved: "\u2713 saved", saving: "\u2026 saving" };

export class HeaderView {
  constructor(editor) {
    this.editor = editor;
    this.file = el(editor.source.isWidget ? "h2.file" : "h1.file");
    this.about = el("span.pale");
    this.state = el("strong.save-state");
    this.bar = new CommandBar(editor, "Commands on the file", HEAD_COMMANDS);
    this.element = el("div.editor-head", this.file, this.about, this.state, this.bar.element);
  }

  update() {
    const { document: story, saveState, source } = this.editor;
    const done = story.items.filter(({ status }) => status.status === "done").length;
    relabel(this.file, story.file);
    relabel(this.about, `${story.format}${story.annotator ? ` \u00b7 ${story.annotator}` : ""} \u00b7 ${done} of ${story.items.length} done`);
    relabel(this.state, source.isWidget && saveState === "saved" ? KEPT : SAVE_WORDS[saveState]);
    setAttributeOf(this.state, "data-state", saveState);
    this.bar.update();
    for (const { command, button } of this.bar.buttons) {
      button.hidden = (command.name === "proposals" && !story.proposals) || (command.name === "save" && source.isWidget);
    }
    if (!source.isWidget) document.title = `${saveState === "saved" ? "" : "\u25cf "}${story.file} \u00b7 tsgkit`;
  }
}
