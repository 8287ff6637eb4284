// The editor of action graphs, in any element: drawEditor(root, requests, isWidget) for a page or a notebook.

import { countWords, el, fill, isField } from "../dom.js";
import { keyOfEvent } from "./command_views.js";
import { editorCommands } from "./commands.js";
import { ChangePolling, FileSaving, StatusChanges, noteConflict, noteDisk, noteLost, noteProblem, noteRefusedEdit, noteRestored } from "./file_state.js";
import { GraphView } from "./graph_view.js";
import { HeaderView, ItemsView, NoticesView, StatusView } from "./head_views.js";
import { ItemSession } from "./item_session.js";
import { graphsOf, placeBeside, placesOf, samePlace } from "./item_value.js";
import { HandStrip, StoryView } from "./story_view.js";

const DRAWINGS_KEPT = 200;
const ALLOWED_IN_DIALOGS = new Set(["undo", "redo", "save"]);

// Draw the editor into an element, over functions that get and send data by name; the returned function ends it.
export function drawEditor(root, { get, post }, isWidget = false) {
  const drawings = new Map();
  const draw = (triplets, marks = []) => {
    const key = JSON.stringify([triplets, marks]);
    if (drawings.size > DRAWINGS_KEPT) drawings.clear();
    if (!drawings.has(key)) {
      drawings.set(key, post("draw", { triplets, marks }));
      drawings.get(key).catch(() => drawings.delete(key));
    }
    return drawings.get(key);
  };
  const editor = new Editor(root, {
    isWidget,
    document: () => get("document"),
    item: (number) => get("item", { number }),
    edit: (number, revision, ops) => post("edit", { number, revision, ops }),
    save: (options) => post("save", options),
    setStatus: (number, status, note) => post("status", { number, status, note }),
    changes: (since) => get("changes", { since }),
    versions: (number, other) => get("versions", { number, other }),
    resolve: (how) => post("resolve", { how }),
    draw,
    similar: (number) => get("similar", { number }),
  });
  editor.start();
  return () => editor.close();
}

class Editor {
  sessions = new Map();
  number = null;
  session = null;
  clipboard = null;
  edits = 0;

  constructor(root, source) {
    Object.assign(this, { root, source });
    this.frame = el(source.isWidget ? "div.editor-frame" : "main.editor-frame", { tabindex: -1, onkeydown: (event) => this.#pressed(event), "data-lm-suppress-shortcuts": "true" });
    this.body = this.frame.appendChild(el("div.editor-body"));
    this.leaving = (event) => this.isUnsent && event.preventDefault();
    this.unfocused = (event) => event.target === document.body && this.#pressed(event);
    root.classList.add("tsg-editor");
    fill(root, this.frame);
  }

  get activeElement() {
    return this.root.getRootNode().activeElement;
  }

  // The dialog in front; undefined where none is open.
  get dialog() {
    return [...this.frame.children].findLast((part) => part.matches("dialog"));
  }

  get isUnsent() {
    return !this.statuses.isIdle || [...this.sessions.values()].some(({ sync }) => !sync.isIdle);
  }

  get saveState() {
    if (this.saving.isSaving) return "saving";
    return this.isUnsent ? "unsent" : this.document.unsaved ? "unsaved" : "saved";
  }

  async start() {
    fill(this.body, el("p.pale", { role: "status" }, "Loading \u2026"));
    try {
      this.document = await this.source.document();
    } catch (problem) {
      if (problem.name !== "SourceProblem") console.error(problem);
      const again = el("button", { type: "button", onclick: () => this.start() }, "Try again");
      return fill(this.body, el("div.notice.is-problem", { role: "alert" }, el("p.notice-text", el("strong", problem.message), " ", problem.hint ?? ""), again));
    }
    this.#build();
    if (!this.source.isWidget) {
      window.addEventListener("beforeunload", this.leaving);
      document.addEventListener("keydown", this.unfocused); // in a page of its own, keys count where nothing has the focus
    }
    this.polling = new ChangePolling(this, this.document.revision);
    this.#setDocument(this.document);
    if (!this.document.items.length) return this.views.notices.put("empty", { words: "The file has no items." });
    return this.open(0);
  }

  close() {
    this.polling?.close();
    this.sessions.forEach(({ sync }) => sync.close());
    window.removeEventListener("beforeunload", this.leaving);
    document.removeEventListener("keydown", this.unfocused);
    this.frame.remove();
  }

  #build() {
    this.saving = new FileSaving(this);
    this.statuses = new StatusChanges(this);
    this.commands = editorCommands(this);
    this.byKey = new Map(this.commands.flatMap((command) => command.keys.map((key) => [key, command])));
    this.views = {
      notices: new NoticesView(this), header: new HeaderView(this), items: new ItemsView(this), status: new StatusView(this),
      story: new StoryView(this), graph: new GraphView(this), strip: new HandStrip(this),
    };
    const { notices, header, items, status, story, graph, strip } = this.views;
    this.work = el("div.editor-work", { hidden: true }, el("div.editor-side", items.element, status.element, story.element), el("div.editor-main", graph.element, strip.element));
    fill(this.body, header.element, notices.element, this.work);
  }

  // Show what is now; every view leaves alone what did not change.
  paint() {
    const { header, items, status, story, graph, strip } = this.views;
    header.update();
    items.update();
    this.work.hidden = !this.session;
    if (this.session) [status, story, graph, strip].forEach((view) => view.update(this.session));
    this.dialog?.onPaint();
  }

  say(words) {
    this.views.notices.say(words);
  }

  // Open an item. Items stay open, with their undo, until the editor is closed.
  async open(number) {
    const focused = this.views.items.element.contains(this.activeElement) ? null : (this.#part() ?? "story");
    this.views.status.commit();
    this.number = number;
    try {
      if (!this.sessions.has(number)) this.sessions.set(number, new ItemSession(this.source, await this.source.item(number), this.#answers()));
      this.views.notices.put("item", null);
    } catch (problem) {
      return noteProblem(this, "item", problem, { again: () => this.open(number) });
    }
    if (this.number !== number) return;
    this.session = this.sessions.get(number);
    this.paint();
    if (!this.frame.contains(this.activeElement) ? !this.source.isWidget : focused) this.#refocus(focused ?? "story");
    const { item, title } = this.document.items[number];
    this.say(`Item ${item}, ${countWords(graphsOf(this.session.value).length, "graph")}${title ? `: ${title}` : "."}`);
  }

  // What follows when the server answers an edit, or does not.
  #answers() {
    return {
      conflict: (session) => noteConflict(this, session),
      failed: (session, problem) => (problem.isGone ? noteLost(this, problem) : noteRefusedEdit(this, session, problem)),
      settled: () => {
        if (![...this.sessions.values()].some(({ sync }) => sync.problem)) this.views.notices.put("sending", null);
        this.paint();
      },
    };
  }

  setFileState({ disk, unsaved }) {
    const isNew = disk !== this.document.disk || unsaved !== this.document.unsaved;
    this.document = { ...this.document, disk, unsaved };
    if (!unsaved) this.document.items.forEach((item) => (item.unsaved = false));
    if (!this.polling?.isGone) this.views.notices.put("server", null);
    noteDisk(this);
    if (isNew) this.paint();
  }

  async refreshDocument() {
    this.#setDocument(await this.source.document());
  }

  #setDocument(story) {
    this.document = story;
    for (const session of this.sessions.values()) session.status = story.items[session.number]?.status ?? session.status;
    noteRestored(this);
    noteDisk(this);
    this.paint();
  }

  // Settle a file that changed on disk. Taking it drops what is not saved, here and in the server.
  async resolve(how) {
    try {
      const story = await this.source.resolve(how);
      if (how === "theirs") {
        this.sessions.forEach(({ sync }) => sync.close());
        this.sessions.clear();
      }
      this.#setDocument(story);
      if (how === "theirs") await this.open(Math.min(this.number, story.items.length - 1));
      this.say(how === "mine" ? "The next save replaces the file on disk." : "The file was read again.");
    } catch (problem) {
      noteProblem(this, "resolving", problem, { again: () => this.resolve(how), canClose: true });
    }
  }

  // Make an edit { value, place }; null is one that is not possible here, and `why` says so.
  change(edit, words, why = "That is not possible here.") {
    const focused = this.#part();
    if (!this.session.edit(edit, words)) return this.say(why);
    this.#marked();
    this.paint();
    this.#refocus(focused);
    this.say(`Done: ${words}.`);
  }

  // Triplets written in the table.
  write(triplets, place) {
    this.views.graph.isWriting = true;
    if (this.session.place.graph === null && !this.document.can.graphs) this.say("This format cannot hold more graphs.");
    else if (this.session.write(triplets, place, this.document.can.graphs)) this.#marked();
    this.paint();
    this.views.graph.isWriting = false;
  }

  #marked() {
    this.edits += 1;
    if (this.source.isWidget) return;
    this.document.unsaved = true;
    this.document.items[this.session.number].unsaved = true;
  }

  turn(way) {
    const focused = this.#part(), words = this.session.turn(way);
    this.paint();
    this.#refocus(focused, this.session.place);
    this.say(`${way === "undo" ? "Undone" : "Done again"}: ${words}.`);
  }

  goTo(place) {
    if (!place || samePlace(place, this.session.place)) return;
    this.session.goTo(place);
    this.paint();
  }

  step(steps) {
    const { value, place } = this.session, all = placesOf(value), focused = this.#part();
    const wanted = Number.isFinite(steps) ? placeBeside(value, place, steps) : all.at(steps < 0 ? 0 : -1);
    if (!wanted) return this.say(steps > 0 ? "This is the last graph." : "This is the first graph.");
    this.views.graph.table.settle();
    this.goTo(wanted);
    this.#refocus(focused);
    this.views.graph.say();
  }

  stepItem(step) {
    const number = this.number + step;
    if (this.document.items[number]) return this.open(number);
    return this.say(step > 0 ? "This is the last item." : "This is the first item.");
  }

  // The part of the editor with the focus.
  #part() {
    const element = this.activeElement;
    return ["graph", "story", "strip"].find((name) => this.views[name].element.contains(element)) ?? null;
  }

  #refocus(part, { row = 0, field } = {}) {
    const { graph, story, strip } = this.views, isInTable = part === "graph" && (graph.table.place || !graph.element.contains(this.activeElement) || this.activeElement?.disabled);
    if (isInTable) graph.focus(this.session.graph === null ? undefined : row, field ?? (this.session.graph === null ? undefined : 2));
    else if (part === "story" && !this.activeElement?.matches("textarea:not([hidden])")) story.focus();
    else if (part === "strip") strip.focus();
  }

  // Run a command by its name, if it is possible now.
  run(name) {
    const command = this.commands.find((one) => one.name === name);
    if (command.isPossible()) return command.run();
    return this.say(command.why ?? `${command.words}: that is not possible here.`);
  }

  #pressed(event) {
    if (this.source.isWidget) event.stopPropagation();
    if (event.defaultPrevented || !this.views) return;
    const key = keyOfEvent(event), command = this.byKey.get(key), isInDialog = event.target.closest("dialog") !== null;
    if (key === "Escape" && !isInDialog && this.views.graph.table.place) {
      this.views.story.focus();
      return event.preventDefault();
    }
    if (!command || (key.length === 1 && isField(event.target))) return;
    if (isInDialog && (!ALLOWED_IN_DIALOGS.has(command.name) || (command.name !== "save" && isField(event.target)))) return;
    event.preventDefault();
    event.stopPropagation();
    this.run(command.name);
  }
}
