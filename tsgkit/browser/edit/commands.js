// Commands of the editor: { name, words, keys, group, run, isPossible, why }. `why` says why one is not possible.

import { countWords } from "../dom.js";
import { showCommandList, showHelp } from "./command_views.js";
import { addDescription, draftAfter, exchangedTriplet, insertGraph, mergeDescription, mergeGraph, moveDescription, moveGraph, nearestPlace, removeDescription, removeGraph, setGraph, splitDescription, splitGraph } from "./item_value.js";
import { VersionView } from "./version_view.js";
import { VocabularyView } from "./vocabulary_view.js";

const NO_REPAIR = "No repair of this graph is certain.";

export function editorCommands(editor) {
  const at = () => editor.session, can = () => editor.document.can, table = () => editor.views.graph.table;
  const isGraph = () => at()?.graph != null, isCountable = () => isGraph() && can().graphs, hasBorders = () => at()?.value.descriptions.length && can().borders;
  const isRepairable = () => repairs(at()).length, always = () => true;
  const commandsOf = (group) => (name, keys, words, run, isPossible, why = undefined) => ({ group, name, keys, words, run, isPossible, why });
  const [graph, triplet, repair, description, item, file] = ["Graph", "Triplets", "Repairs", "Description", "Item", "File"].map(commandsOf);
  // What a command runs that changes the current item, told in words.
  const change = (words, edited, why) => () => editor.change(edited(at().value, at().place), words, why);
  return [
    graph("next-graph", ["Ctrl+ArrowDown"], "Next graph", () => editor.step(1), at),
    graph("previous-graph", ["Ctrl+ArrowUp"], "Previous graph", () => editor.step(-1), at),
    graph("new-graph", ["Ctrl+Enter"], "New graph", () => newGraph(editor), () => at() && can().graphs),
    graph("delete-graph", ["Ctrl+Shift+Backspace"], "Delete graph", change("deleting a graph", removeGraph), isCountable),
    graph("copy-graph", ["Alt+C"], "Copy graph", () => copyGraph(editor), isGraph),
    graph("paste-graph", ["Alt+V"], "Paste graph", change("pasting a graph", (value, place) => insertGraph(value, place, editor.clipboard)), () => at() && can().graphs && editor.clipboard),
    graph("duplicate-graph", ["Alt+U"], "Duplicate graph", change("duplicating a graph", (value, place) => insertGraph(value, place, at().graph)), isCountable),
    graph("move-up", ["Alt+Shift+ArrowUp"], "Move graph up", change("moving a graph up", (value, place) => moveGraph(value, place, -1), "This is the first graph."), isCountable),
    graph("move-down", ["Alt+Shift+ArrowDown"], "Move graph down", change("moving a graph down", (value, place) => moveGraph(value, place, 1), "This is the last graph."), isCountable),
    graph("split-graph", ["Alt+S"], "Split: marked triplets into a new graph", () => split(editor), isCountable),
    graph("merge-graph", ["Alt+G"], "Merge with the next graph", change("merging two graphs", mergeGraph, "The description has no further graph to merge with."), isCountable),
    triplet("mark-triplet", ["Alt+M"], "Mark or unmark the triplet", () => mark(editor), isGraph),
    triplet("remove-triplet", ["Alt+X"], "Remove the triplet", () => table().remove(), isGraph),
    triplet("add-triplet", ["Alt+N"], "New triplet", () => table().add(), at),
    repair("repair", ["Alt+R"], "Make the first repair", () => repairGraph(editor, [0]), isRepairable, NO_REPAIR),
    repair("repair-graph", ["Alt+A"], "All repairs of this graph", () => repairGraph(editor), isRepairable, NO_REPAIR),
    repair("repair-item", ["Alt+Shift+R"], "All repairs of this item", () => repairItem(editor), at),
    description("next-description", ["Ctrl+Shift+Enter", "Ctrl+Shift+ArrowDown"], "Next description", () => beside(editor, 1), at),
    description("previous-description", ["Ctrl+Shift+ArrowUp"], "Previous description", () => beside(editor, -1), at),
    description("edit-text", ["Alt+T"], "Edit the text", () => editor.views.story.editText(), () => at()?.value.descriptions.length && can().texts),
    description("add-description", ["Alt+Shift+N"], "Add a description", () => added(editor), () => at() && can().borders),
    description("split-description", ["Alt+Shift+S"], "Split the description before this graph", () => splitHere(editor), hasBorders),
    description("merge-description", ["Alt+Shift+G"], "Merge with the next description", change("merging two descriptions", mergeDescription, "This is the last description."), hasBorders),
    description("remove-description", ["Alt+Shift+X"], "Remove the description", change("removing a description", removeDescription, "The only description of an item stays."), hasBorders),
    description("description-up", ["Alt+Shift+PageUp"], "Move the description up", change("moving a description up", (value, place) => moveDescription(value, place, -1), "This is the first description."), hasBorders),
    description("description-down", ["Alt+Shift+PageDown"], "Move the description down", change("moving a description down", (value, place) => moveDescription(value, place, 1), "This is the last description."), hasBorders),
    item("next-item", ["Alt+PageDown"], "Next item", () => editor.stepItem(1), always),
    item("previous-item", ["Alt+PageUp"], "Previous item", () => editor.stepItem(-1), always),
    item("done", ["Alt+K"], "Done: the item is finished, or open again", () => editor.statuses.set("done"), at),
    item("unsure", ["Alt+Q"], "Unsure: with a note", () => editor.statuses.set("unsure"), at),
    item("vocabulary", ["Alt+L"], "L: the names of this item", () => new VocabularyView(editor), at),
    item("proposals", ["Alt+P"], "Proposals", () => new VersionView(editor, "proposal"), () => at() && editor.document.proposals),
    file("save", ["Ctrl+S"], "Save", () => editor.saving.save(), () => !editor.source.isWidget),
    file("undo", ["Ctrl+Z"], "Undo", () => editor.turn("undo"), () => at()?.history.canUndo, "There is nothing to undo in this item."),
    file("redo", ["Ctrl+Y", "Ctrl+Shift+Z"], "Redo", () => editor.turn("redo"), () => at()?.history.canRedo, "There is nothing to redo in this item."),
    file("to-story", ["Alt+B"], "Focus the story", () => editor.views.story.focus(), at),
    file("to-hands", ["Alt+H"], "Focus the hands along the story", () => editor.views.strip.focus(), at),
    file("commands", ["Ctrl+K"], "List of commands", () => showCommandList(editor), always),
    file("help", ["F1", "?"], "Help", () => showHelp(editor), always),
  ];
}

// A draft behind the current graph; where there is a draft already, writing begins there.
function newGraph(editor) {
  editor.views.graph.table.settle();
  const { session } = editor;
  if (session.graph !== null) editor.goTo(draftAfter(session.place));
  editor.views.graph.focus();
  editor.views.graph.say();
}

function mark(editor) {
  const { table } = editor.views.graph;
  if (!table.place) return editor.say("Go to a triplet first: that is the one to mark.");
  table.mark();
  const numbers = table.marked.map((number) => number + 1);
  editor.say(numbers.length ? `Marked: ${numbers.length > 1 ? "triplets" : "triplet"} ${numbers.join(", ")}.` : "No triplet is marked.");
}

function copyGraph(editor) {
  editor.clipboard = editor.session.graph;
  editor.say("The graph is copied.");
}

function split(editor) {
  const { session, views } = editor, { marked } = views.graph.table;
  if (!marked.length || marked.length === session.graph.length) return editor.say("Mark some triplets, but not all (Alt+M): they go into a new graph.");
  editor.change(splitGraph(session.value, session.place, marked), "splitting a graph");
}

function repairs(session) {
  return session?.currentChecks?.repairs ?? [];
}

// Make repairs of the current graph: those of the given numbers, or all.
export function repairGraph(editor, numbers = null) {
  const { session } = editor, all = repairs(session), chosen = numbers ? numbers.map((number) => all[number]) : all;
  if (!chosen.length || !chosen[0]) return;
  const repaired = chosen.length === 1 ? chosen[0].graph : withRepairs(session.graph, chosen);
  editor.change(setGraph(session.value, session.place, repaired), chosen.map(({ reason }) => reason).join("; "));
}

// Triplets with repairs made in order.
function withRepairs(triplets, chosen) {
  return chosen.reduce((now, { before, after }) => exchangedTriplet(now, before, after), triplets);
}

function repairItem(editor) {
  const { session } = editor;
  let number = -1, count = 0;
  const repaired = (triplets) => {
    number += 1;
    const certain = session.checksOf(triplets, number)?.repairs ?? [];
    count += certain.length;
    return certain.length ? withRepairs(triplets, certain) : triplets;
  };
  const descriptions = session.value.descriptions.map((one) => ({ ...one, graphs: one.graphs.map(repaired) }));
  if (!count) return editor.say("There is nothing to repair in this item.");
  editor.change({ value: { ...session.value, descriptions }, place: session.place }, countWords(count, "repair"));
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
