// All runs: progress, cost, running scores, problems. What changes is repainted alone.

import { commaSeparated, el, fill, named, repaint } from "../dom.js";
import { altered, hashOf } from "./address.js";
import { bracketed, cardTable, countOf, counted, dated, meter, priced, scored } from "./tables.js";
import { failure } from "./waiting.js";

const MOST_SCORES = 12;

export function runsPage(app, address) {
  const list = el("div.runs");
  const state = el("p.pale", { role: "status" }, "Loading runs …");
  const filter = el("input", { type: "search", id: "run-filter", value: address.query.get("q") ?? "", oninput: () => typed() });
  const box = el("p.filters", { hidden: true }, el("label", { for: "run-filter" }, "Filter by name"), filter);
  const host = el("div", el("h1", "Runs"), box, state, list);

  function typed() {
    app.note([], altered(app.address.query, { q: filter.value.trim() || null }));
    draw();
  }

  function draw() {
    const listing = app.store.listing;
    if (!listing) return;
    const words = filter.value.trim().toLowerCase();
    const runs = listing.runs.filter((run) => `${run.name} ${run.path}`.toLowerCase().includes(words));
    box.hidden = listing.runs.length < 5 && !words;
    const sum = words ? `${counted(runs.length)} of ${countOf(listing.runs.length, "run")}` : countOf(runs.length, "run");
    const said = listing.runs.length ? sum : "There are no runs here. A run appears as soon as `tsgkit eval` begins it.";
    if (state.textContent !== said) fill(state, said);
    repaint(list, runs.map((run) => ({ key: run.id, sign: JSON.stringify(run), make: () => runCard(run) })));
  }

  draw();
  return {
    host,
    title: () => "Runs",
    heard: draw,
    unheard: (problem) => app.store.listing || fill(state, failure(problem)),
    update: (next) => {
      filter.value = next.query.get("q") ?? "";
      draw();
    },
    keys: [{ keys: ["/"], words: "filter by name", run: () => !box.hidden && filter.focus() }],
  };
}

function runCard(run) {
  const title = el("h2", run.problem ? named(run.name) : el("a", { href: hashOf(["run", run.id]) }, named(run.name)));
  const path = el("p.pale", named(run.path));
  if (run.problem) return el("article.run", title, path, el("p.note", el("strong", "Problem: "), named(run.problem)));
  const unanswered = Object.entries(run.never_answered ?? {}).map(([subject, error]) => el("p.note", el("strong", named(subject), " never answered: "), named(error)));
  return el("article.run", title, path, progress(run), unanswered, subjectsOf(run), scoresOf(run.scores ?? [], run));
}

function progress(run) {
  const share = run.samples ? run.recorded / run.samples : 0;
  const isDone = run.samples > 0 && run.recorded >= run.samples;
  const state = run.is_working ? "● working" : isDone ? "✓ complete" : "◌ stopped";
  const words = run.samples ? `${counted(run.recorded)} of ${countOf(run.samples, "sample")} (${scored(share, true)})` : "no samples";
  const bar = el("progress", { max: String(run.samples || 1), value: run.recorded, "aria-label": `Progress of ${run.name}` });
  return el("div.progress", bar, el("p", el("span.state", state), ` · ${words} · ${run.cost === null ? "cost unknown" : priced(run.cost)} · begun ${dated(run.begun)}`));
}

function subjectsOf(run) {
  const parts = [["subject", run.subjects], ["task", run.tasks], ["style", run.styles]];
  const shown = parts.filter(([, names]) => names?.length);
  return el("dl", shown.map(([noun, names]) => [el("dt", names.length === 1 ? noun : `${noun}s`), el("dd", commaSeparated(names.map(named)))]));
}

function scoresOf(scores, run) {
  if (!scores.length) return el("p.pale", run.samples && run.recorded >= run.samples ? "The scores are being added up." : "No scores yet.");
  const left = scores.length - MOST_SCORES;
  const more = left > 0 ? el("p", el("a", { href: hashOf(["run", run.id]) }, `${countOf(left, "more row")} in the results`)) : null;
  const rows = scores.slice(0, MOST_SCORES).map((score) => {
    const { value, is_share: isShare, n } = score;
    return [...[score.row, score.task, score.metric].map(named), scored(value, isShare), el("span.interval", bracketed(score, isShare)), isShare ? meter(score) : null, counted(n)];
  });
  return el("div", cardTable("Strict scores so far", ["row", "task", "metric", "score", "interval", "", "n"], rows), more);
}
