// Commands on descriptions, items and the file.

import { changesOf, commandsOf } from "./commands.js";
import { addDescription, mergeDescription, moveDescription, nearestPlace, removeDescription, splitDescription } from "./item_value.js";

export function storyCommands(editor) {
  const at = () => editor.session, can = () => editor.document.can;
  const change = changesOf(editor);
  const borders = () => at()?.value.descriptions.length && can().borders;
  const description = commandsOf("Description", borders), item = commandsOf("Item", borders), file = commandsOf("File", borders);
  return [
    description("next-description", ["Ctrl+Shift+Enter", "Ctrl+Shift+ArrowDown"], "Next description", () => beside(editor, 1), () => at()),
    description("previous-description", ["Ctrl+Shift+ArrowUp"], "Previous description", () => beside(editor, -1), () => at()),
    description("edit-text", ["Alt+T"], "Edit the text", () => editor.views.story.editText(), () => at()?.value.descriptions.length && can().texts),
    description("add-description", ["Alt+Shift+N"], "Add a description", () => added(editor), () => at() && can().borders),
    description("split-description", ["Alt+Shift+S"], "Split the description before this graph", () => splitHere(editor)),
    description("merge-description", ["Alt+Shift+G"], "Merge with the next description", change("merging two descriptions", mergeDescription, "This is the last description.")),
    description("remove-description", ["Alt+Shift+X"], "Remove the description", change("removing a description", removeDescription, "The only description of an item stays.")),
    description("description-up", ["Alt+Shift+PageUp"], "Move the description up", change("moving a description up", (value, place) => moveDescription(value, place, -1), "This is the first description.")),
    description("description-down", ["Alt+Shift+PageDown"], "Move the description down", change("moving a description down", (value, place) => moveDescription(value, place, 1), "This is the last description.")),
    item("next-item", ["Alt+PageDown"], "Next item", () => editor.stepItem(1), () => true),
    item("previous-item", ["Alt+PageUp"], "Previous item", () => editor.stepItem(-1), () => true),
    item("done", ["Alt+K"], "Done: the item is finished, or open again", () => editor.statuses.set("done"), () => at()),
    item("unsure", ["Alt+Q"], "Unsure: with a note", () => editor.statuses.set("unsure"), () => at()),
    item("vocabulary", ["Alt+L"], "L: the names of this item", () => editor.showVocabulary(), () => at()),
    item("proposals", ["Alt+P"], "Proposals", () => editor.showVersions("proposal"), () => at() && editor.document.proposals),
    file("save", ["Ctrl+S"], "Save", () => editor.saving.save(), () => !editor.source.isWidget),
    file("undo", ["Ctrl+Z"], "Undo", () => editor.turn("undo"), () => at()?.history.canUndo, "There is nothing to undo in this item."),
    file("redo", ["Ctrl+Y", "Ctrl+Shift+Z"], "Redo", () => editor.turn("redo"), () => at()?.history.canRedo, "There is nothing to redo in this item."),
    file("to-story", ["Alt+B"], "Focus the story", () => editor.views.story.focus(), () => at()),
    file("to-hands", ["Alt+H"], "Focus the hands along the story", () => editor.views.strip.focus(), () => at()),
    file("commands", ["Ctrl+K"], "List of commands", () => editor.showCommands(), () => true),
    file("help", ["F1", "?"], "Help", () => editor.showHelp(), () => true),
  ];
}

// The next description; writing begins there.
function beside(editor, step) {
  editor.views.graph.table.settle();
  const { value, place } = editor.session, description = place.description + step;
  if (!value.descriptions[description]) return editor.say(step > 0 ? "This is the last description." : "This is the first description.");
  editor.goTo(nearestPlace(value, { description, graph: 0 }));
  editor.views.graph.focus();
  editor.views.graph.say(true);
}

function added(editor) {
  const { value, place } = editor.session;
  editor.change(addDescription(value, place, editor.document.can.texts ? "" : null), "adding a description");
  if (editor.document.can.texts) editor.views.story.editText();
}

function splitHere(editor) {
  const { value, place } = editor.session, edit = splitDescription(value, place, editor.views.story.caret);
  if (!edit) return editor.say("A description is split before its second graph or a later one.");
  editor.change(edit, "splitting a description");
  if (editor.document.can.texts && edit.value.descriptions[edit.place.description].text === "") editor.views.story.editText();
}
