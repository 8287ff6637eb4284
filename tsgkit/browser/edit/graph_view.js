// The current graph: its triplets as a table, its drawing, its findings and repairs, and the hands before and after it.

import { el, fill, relabel } from "../dom.js";
import { arrowedTriplet, drawnGraph } from "../panels/graphs.js";
import { CommandBar, shownKey } from "./command_views.js";
import { repairGraph } from "./commands.js";
import { graphsOf, numberAt, samePlace, shownSummary } from "./item_value.js";
import { heldWords } from "./story_view.js";
import { TripletTable, findingLine } from "./triplet_table.js";

const SHOWN_COMMANDS = {
  graph: { "new-graph": "New", "delete-graph": "Delete", "copy-graph": "Copy", "paste-graph": "Paste", "duplicate-graph": "Duplicate", "move-up": "Up", "move-down": "Down", "split-graph": "Split", "merge-graph": "Merge" },
  description: { "edit-text": "Text", "add-description": "Add", "split-description": "Split", "merge-description": "Merge", "remove-description": "Remove", "description-up": "Up", "description-down": "Down" },
};

export class GraphView {
  #shown = {};
  #drawn;
  #isDrawing = false;

  constructor(editor) {
    this.editor = editor;
    this.table = new TripletTable({ triplets: [], onChange: (triplets, place) => editor.write(triplets, place) });
    this.title = el("h2", { tabindex: -1 });
    this.sentence = el("p.sentence");
    this.bars = Object.entries(SHOWN_COMMANDS).map(([kind, shown]) => new CommandBar(editor, `Commands on the ${kind}`, shown, kind));
    this.findings = el("ul.findings", { "aria-label": "Findings about the whole graph", hidden: true });
    this.repairs = el("section.repairs", { "aria-label": "Repairs", hidden: true });
    this.drawing = el("div.drawing", { tabindex: 0, role: "group", "aria-label": "Drawing of the graph" });
    this.hands = el("section.hands", { "aria-label": "Hands before and after" });
    this.element = el("section.graph", { "aria-label": "Graph" }, this.title, this.sentence, this.bars.map(({ element }) => element),
      el("div.graph-parts", this.drawing, this.table.element, this.findings, el("div.graph-aside", this.repairs, this.hands)));
  }

  // Begin to write: in the first field that is empty, else in the last one.
  focus(row, field) {
    this.table.focus(row, field);
  }

  // Say which graph this is, and its sentence if that is another one than before.
  say(isOtherSentence = false) {
    const parts = isOtherSentence ? [this.title, this.sentence] : [this.title];
    this.editor.say(parts.map((part) => part.textContent).filter(Boolean).join(". "));
  }

  update(session) {
    const { graph, place, elements, value } = session, checks = session.currentChecks, before = this.#shown;
    const isOther = before.session !== session || !samePlace(before.place, place);
    const isWritten = this.isWriting && before.session === session;
    if (isOther || before.graph !== graph || before.checks !== checks || before.value !== value) {
      this.table.update({ triplets: graph ?? [], elements, findings: checks?.findings ?? [], isOther: isOther && !isWritten });
      this.#head(session);
    }
    this.#draw(graph);
    if (isOther || before.checks !== checks) this.#check(checks);
    this.#updateBars();
    this.#shown = { session, place, graph, checks, value };
  }

  // Show the drawing of a graph, which the server makes: one after the other, so that typing waits for none.
  async #draw(graph) {
    if (this.#isDrawing || this.#drawn === graph) return;
    this.#isDrawing = true;
    this.#drawn = graph;
    try {
      fill(this.drawing, drawnGraph((await this.editor.source.draw(graph ?? [])).drawing));
      this.#isDrawing = false;
      this.#draw(this.editor.session.graph);
    } catch (problem) {
      this.#isDrawing = false;
      this.#drawn = undefined;
      fill(this.drawing, el("p.pale", "The graph is not drawn: ", problem.message));
    }
  }

  #updateBars() {
    const { borders, texts } = this.editor.document.can, [, ofDescription] = this.bars;
    this.bars.forEach((bar) => bar.update());
    ofDescription.element.hidden = !borders && !texts;
  }

  #head({ graph, value, place }) {
    const number = numberAt(value, place), count = graphsOf(value).length, { text } = value.descriptions[place.description] ?? {};
    const draft = value.descriptions.length ? `New graph in description ${place.description + 1}` : "New graph";
    const words = number === null ? draft : `Graph ${number + 1} of ${count}: ${shownSummary(graph)}`;
    relabel(this.title, words);
    relabel(this.sentence, text ?? "");
    this.sentence.hidden = !text;
  }

  #check(checks) {
    const whole = (checks?.findings ?? []).filter((one) => one.triplet === null || one.triplet === undefined);
    fill(this.findings, whole.map(findingLine));
    this.findings.hidden = !whole.length;
    this.#showRepairs(checks?.repairs ?? []);
    fill(this.hands, el("h3", "Hands"), checks?.hands ? handTable(checks.hands) : el("p.pale", "They are known once the graph has triplets."));
  }

  #showRepairs(repairs) {
    const sign = JSON.stringify(repairs);
    if (this.repairs.sign === sign) return;
    const hadFocus = this.repairs.contains(this.editor.activeElement);
    this.repairs.sign = sign;
    this.repairs.hidden = !repairs.length;
    fill(this.repairs, repairs.length ? el("h3", "Repairs") : null, el("ul", repairs.map((repair, number) => this.#repairLine(repair, number))),
      repairs.length > 1 ? el("button", { type: "button", onclick: () => repairGraph(this.editor) }, `All repairs of this graph (${shownKey("Alt+A")})`) : null);
    if (hadFocus) (this.repairs.querySelector("button") ?? this.title).focus();
  }

  #repairLine({ before, after, reason }, number) {
    const change = [before && arrowedTriplet(before), before && after ? " \u21d2 " : null, after && arrowedTriplet(after)];
    const words = before && after ? "Exchange " : after ? "Add " : "Remove ";
    return el("li", el("button.repair", { type: "button", onclick: () => repairGraph(this.editor, [number]) }, words, change),
      number ? null : el("span.pale", ` ${shownKey("Alt+R")} `), " ", el("span.reason", el("bdi", reason)));
  }
}

function handTable({ before, after }) {
  const line = (hand) => el("tr", el("th", { scope: "row" }, hand), el("td", el("bdi", heldWords(before[hand]))), el("td", el("bdi", heldWords(after[hand]))));
  return el("table", el("thead", el("tr", el("td"), el("th", { scope: "col" }, "before"), el("th", { scope: "col" }, "after"))), el("tbody", line("hand1"), line("hand2")));
}
