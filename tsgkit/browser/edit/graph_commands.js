// Commands on graphs and triplets: { name, words, keys, group, run, isPossible }.

import { countWords } from "./graph_line.js";
import { changesOf, commandsOf } from "./commands.js";
import { draftAfter, insertGraph, mergeGraph, moveGraph, removeGraph, setGraph, splitGraph } from "./item_value.js";
import { sameValue } from "./value_ops.js";

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
