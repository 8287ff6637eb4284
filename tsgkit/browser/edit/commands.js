// Commands of the editor: { name, words, keys, group, run, isPossible, why }. `why` says why one is not possible.

import { sameValue } from "./item_sync.js";
import { addDescription, draftAfter, insertGraph, mergeDescription, mergeGraph, moveDescription, moveGraph, nearestPlace, removeDescription, removeGraph, setGraph, splitDescription, splitGraph } from "./item_value.js";
import { countWords } from "./story_view.js";

// A function that makes the commands of a group; `isUsual` is what most of them need.
export function commandsOf(group, isUsual) {
  return (name, keys, words, run, isPossible = isUsual, why = undefined) => ({ group, name, keys, words, run, isPossible, why });
}

// A function that makes what a command runs: a change of the current item, told in words.
export function changesOf(editor) {
  return (words, make, why) => () => editor.change(make(editor.session.value, editor.session.place), words, why);
}

const NO_REPAIR = "No repair of this graph is certain.";

export function graphCommands(editor) {
  const at = () => editor.session, can = () => editor.document.can;
  const change = changesOf(editor);
  const isGraph = () => at()?.graph != null, canCount = () => can().graphs;
  const graph = commandsOf("Graph", isGraph), triplet = commandsOf("Triplets", isGraph), repair = commandsOf("Repairs", isGraph);
  const countable = () => isGraph() && canCount();
  return [
    graph("next-graph", ["Ctrl+ArrowDown"], "Next graph", () => editor.step(1), () => at()),
    graph("previous-graph", ["Ctrl+ArrowUp"], "Previous graph", () => editor.step(-1), () => at()),
    graph("new-graph", ["Ctrl+Enter"], "New graph", () => newGraph(editor), () => at() && canCount()),
    graph("delete-graph", ["Ctrl+Shift+Backspace"], "Delete graph", change("deleting a graph", removeGraph), countable),
    graph("copy-graph", ["Alt+C"], "Copy graph", () => copyGraph(editor)),
    graph("paste-graph", ["Alt+V"], "Paste graph", change("pasting a graph", (value, place) => insertGraph(value, place, editor.clipboard)), () => at() && canCount() && editor.clipboard),
    graph("duplicate-graph", ["Alt+U"], "Duplicate graph", change("duplicating a graph", (value, place) => insertGraph(value, place, at().graph)), countable),
    graph("move-up", ["Alt+Shift+ArrowUp"], "Move graph up", change("moving a graph up", (value, place) => moveGraph(value, place, -1), "This is the first graph."), countable),
    graph("move-down", ["Alt+Shift+ArrowDown"], "Move graph down", change("moving a graph down", (value, place) => moveGraph(value, place, 1), "This is the last graph."), countable),
    graph("split-graph", ["Alt+S"], "Split: marked triplets into a new graph", () => split(editor), countable),
    graph("merge-graph", ["Alt+G"], "Merge with the next graph", change("merging two graphs", mergeGraph, "The description has no further graph to merge with."), countable),
    triplet("mark-triplet", ["Alt+M"], "Mark or unmark the triplet", () => mark(editor)),
    triplet("remove-triplet", ["Alt+X"], "Remove the triplet", () => editor.views.graph.table.remove()),
    triplet("add-triplet", ["Alt+N"], "New triplet", () => editor.views.graph.table.add(), () => at()),
    repair("repair", ["Alt+R"], "Make the first repair", () => repairGraph(editor, [0]), () => repairs(at()).length, NO_REPAIR),
    repair("repair-graph", ["Alt+A"], "All repairs of this graph", () => repairGraph(editor), () => repairs(at()).length, NO_REPAIR),
    repair("repair-item", ["Alt+Shift+R"], "All repairs of this item", () => repairItem(editor), () => at()),
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

// Triplets with one exchanged, added (`before` is null) or removed (`after` is null).
export function exchangedTriplet(triplets, before, after) {
  const place = before === null ? triplets.length : triplets.findIndex((one) => sameValue(one, before));
  if (place < 0) return triplets;
  const isKnown = after !== null && triplets.some((one, other) => other !== place && sameValue(one, after));
  return triplets.toSpliced(place, before === null ? 0 : 1, ...(after === null || isKnown ? [] : [after]));
}

function repairItem(editor) {
  const { session } = editor;
  let number = -1, count = 0;
  const repaired = (triplets) => {
    number += 1;
    const found = session.checksOf(triplets, number)?.repairs ?? [];
    count += found.length;
    return found.length ? withRepairs(triplets, found) : triplets;
  };
  const descriptions = session.value.descriptions.map((one) => ({ ...one, graphs: one.graphs.map(repaired) }));
  if (!count) return editor.say("There is nothing to repair in this item.");
  editor.change({ value: { ...session.value, descriptions }, place: session.place }, countWords(count, "repair"));
}

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
