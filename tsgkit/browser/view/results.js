// The results of a run: tables by task and group, bars with intervals, and the reasons for what has no value.

import { commaSeparated, el, fill, inert, named, repaint, textList } from "../dom.js";
import { altered, hashOf } from "./address.js";
import { labelledSelect } from "./filters.js";
import { GROUP, UNNAMED, isShareIn, pickingRow } from "./selection.js";
import { cardTable, counted, dated, lasted, meter, priced, reachOf, withInterval } from "./tables.js";
import { awaited } from "./waiting.js";

export class ResultsPage {
  constructor(app, { run, query }) {
    Object.assign(this, { app, run, query });
    this.heading = el("h1", "Results of ", named(app.runName(run)));
    this.state = el("div");
    this.controls = el("div.filter-row");
    this.tables = el("div");
    this.host = el("div", this.heading, this.state, this.controls, this.tables);
    this.title = () => `Results · ${this.#name()}`;
  }

  #name() {
    return this.app.runName(this.run, this.data?.name);
  }

  // The name of the run, which the list of runs may tell later than its results.
  heard() {
    if (this.heading.textContent !== `Results of ${inert(this.#name())}`) fill(this.heading, "Results of ", named(this.#name()));
    this.app.entitle();
  }

  load(keep = false) {
    awaited(this.app, this.state, () => this.app.store.ask("run", this.run), (run) => this.#ready(run), { what: "results", keep });
  }

  #ready(run) {
    this.data = run;
    this.heard();
    fill(this.state, run.rows.length ? null : el("p", { role: "status" }, "This run has no results: nothing was asked yet."));
    this.#control();
    this.#draw();
  }

  // The choice of the metric and of the group; made anew only where there is another choice.
  #control() {
    const metrics = [...new Set(this.data.rows.flatMap((row) => Object.keys(row.metrics)))];
    const groups = [...new Set(this.data.rows.flatMap((row) => row.groups))];
    const offered = JSON.stringify([metrics, groups]);
    if (offered !== this.offered) {
      this.offered = offered;
      this.metric = this.#select("metric", "Metric", "last headline of each task", metrics);
      this.by = this.#select("by", "Break down by", "nothing", groups);
      fill(this.controls, metrics.length ? this.metric.element : null, groups.length ? this.by.element : null);
    }
    this.metric.select.value = this.query.get("metric") ?? "";
    this.by.select.value = this.query.get("by") ?? "";
  }

  #select(name, title, none, values) {
    const change = (value) => this.app.go(["run", this.run], altered(this.query, { [name]: value }));
    return labelledSelect(`results-${name}`, title, [["", none], ...values.map((value) => [value, value])], change);
  }

  #draw() {
    const tasks = Map.groupBy(this.data.rows, (row) => row.task);
    const [metric, by] = [this.query.get("metric"), this.query.get("by")];
    const blocks = [...tasks].map(([task, rows]) => ({
      key: `task ${task}`,
      sign: JSON.stringify([metric, by, rows, by && this.data.stamp]),
      make: () => taskSection(this.app, this.data, task, rows, { metric, by }),
    }));
    const first = { key: "all", sign: JSON.stringify(this.data.rows), make: () => headlineSection(this.data.rows) };
    repaint(this.tables, [first, ...blocks, { key: "facts", sign: JSON.stringify([this.data.facts, this.data.notes]), make: () => factsSection(this.data) }]);
  }

  update({ query }) {
    this.query = query;
    if (!this.data) return;
    this.#control();
    this.#draw();
  }
}

// The headline metrics of all tasks, a line for each model and way of asking.
function headlineSection(rows) {
  const tasks = Map.groupBy(rows, (row) => row.task);
  const columns = [...tasks].flatMap(([task, [row]]) =>
    Object.entries(row.metrics).filter(([name, about]) => about.is_headline || name === row.metric).map(([name, about]) => ({ task, name, about })));
  if (columns.length < 2) return el("div");
  const wayOf = (row) => row.title.replace(` ${row.task}`, "");
  const lines = [...new Set(rows.map(wayOf))].map((way) => {
    const cells = columns.map(({ task, name, about }) => {
      const row = tasks.get(task).find((candidate) => wayOf(candidate) === way);
      return withInterval(row ? profileValue(row.profiles, "strict", name) : null, about.is_share);
    });
    return [named(way), ...cells];
  });
  const isOneSuite = new Set([...tasks.keys()].map((task) => task.split("/")[0])).size === 1;
  const heads = columns.map(({ task, name, about }) => `${isOneSuite ? task.split("/")[1] : task}\n${name}${about.more_is_better ? "" : " \u2193"}`);
  const less = columns.some(({ about }) => !about.more_is_better) ? " \u2193: less is better." : "";
  return el("section", el("h2", "All tasks"), cardTable("headline metrics, strict", ["row", ...heads], lines), el("p.pale", `Brackets hold 95 % intervals.${less}`));
}

function taskSection(app, run, task, rows, { metric, by }) {
  const chosen = rows.some((row) => metric in row.metrics) ? metric : rows[0].metric;
  const about = rows[0].metrics[chosen] ?? {};
  const note = metric && chosen !== metric ? el("p.note", `This task has no metric ${metric}; shown is ${chosen}.`) : null;
  const hasOfficial = rows.some((row) => profileValue(row.profiles, "official", chosen));
  const groups = el("div");
  if (by) breakdown(app, groups, run, rows, chosen, by);
  const clusters = rows[0].clusters_are ? ` Intervals are of 95 %, over ${rows[0].clusters_are}.` : "";
  const meaning = el("p", el("strong", named(chosen)), about.meaning ? [": ", named(about.meaning)] : null, `; ${about.more_is_better === false ? "less" : "more"} is better.${clusters}`);
  const legend = hasOfficial && el("p.pale", "Bars: ", el("span.key-strict", "■ strict"), " above, ", el("span.key-official", "■ official"), " below; the line is the interval.");
  return el("section.task", el("h2", named(task)), note, meaning, resultTable(run, rows, chosen), legend, reasonList(rows, chosen), groups);
}

function profileValue(profiles, profile, metric) {
  return profiles[profile]?.[metric] ?? null;
}

// A function that gives the cells of a row, or of a member of a group: its values in both profiles, and their bars.
function profileCells(holders, metric, isShare) {
  const valuesOf = ({ profiles }) => ["strict", "official"].map((profile) => profileValue(profiles, profile, metric));
  const reach = reachOf(holders.flatMap(valuesOf), isShare);
  return (holder) => {
    const [strict, official] = valuesOf(holder);
    return [withInterval(strict, isShare), withInterval(official, isShare), meter(strict, official, reach)];
  };
}

function resultTable(run, rows, metric) {
  const cellsOf = profileCells(rows, metric, isShareIn(rows[0], metric));
  const lines = rows.map((row) => {
    const link = el("a", { href: hashOf(["run", run.id, "samples"], pickingRow(run.rows, row)) }, named(row.title)), { usage } = row;
    const costs = [counted(usage?.prompt_tokens), counted(usage?.completion_tokens), priced(usage?.cost), lasted(usage?.seconds)];
    return [link, ...cellsOf(row), counted(row.n), outcomesOf(run, row), ...costs];
  });
  return cardTable(`${metric} of ${lines.length === 1 ? "one row" : `${lines.length} rows`}`, ["row", "strict", "official", "", "n", "outcomes", "tokens in", "out", "cost", "time"], lines);
}

// The outcomes of a row, each with a link to its samples.
function outcomesOf(run, row) {
  const shown = Object.entries(row.counts).filter(([name, number]) => number && name !== "items");
  const isOutcome = new Set(["answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error", "error"]);
  const link = (name, words) => el("a", { href: hashOf(["run", run.id, "samples"], [...pickingRow(run.rows, row), ["outcome", name]]) }, words);
  const parts = shown.map(([name, number]) => (isOutcome.has(name) ? link(name, `${counted(number)} ${name}`) : `${counted(number)} ${name}`));
  if (row.unasked) parts.push(`${counted(row.unasked)} not asked`);
  return parts.length ? commaSeparated(parts) : "–";
}

// Reasons for missing values, each once, with the rows that it holds for.
function reasonList(rows, metric) {
  const titlesOf = new Map();
  for (const row of rows) {
    for (const [what, reason] of Object.entries(row.reasons)) {
      const [profile, name] = what.split(/\.(.*)/s);
      if (name && name !== metric) continue;
      const words = `${profile}${name ? ` ${name}` : ""}: ${reason}`;
      titlesOf.set(words, [...(titlesOf.get(words) ?? []), row.title]);
    }
  }
  if (!titlesOf.size) return null;
  const lines = [...titlesOf].map(([words, titles]) => el("li", named(words), titles.length < rows.length ? [" (", commaSeparated(titles.map(named)), ")"] : null));
  return el("div", el("h3", "Without a value"), el("ul", lines));
}

function factsSection(run) {
  const known = new Set(run.facts.flat());
  const facts = [...(known.has(run.path) ? [] : [["path", run.path]]), ...(known.has("begun") ? [] : [["begun", dated(run.begun)]]), ...run.facts];
  return el("section", el("h2", "The run"), el("dl", facts.map(([name, words]) => [el("dt", named(name)), el("dd", named(words))])), textList(run.notes));
}

// Fill a host with the values of a metric for each member of a group, row by row.
function breakdown(app, host, run, rows, metric, by) {
  const having = rows.filter((row) => row.groups.includes(by));
  if (!having.length) return fill(host, el("h3", "By ", named(by)), el("p.pale", `This task has no group ${by}.`));
  const wanted = new Set(having.map((row) => row.row));
  const tableOf = (one) => memberTable(run, having.find((row) => row.row === one.row), one.members, metric, by);
  const draw = (groups) => fill(host, el("h3", "By ", named(by)), groups.rows.filter((one) => wanted.has(one.row)).map(tableOf));
  return awaited(app, host, () => app.store.ask("groups", run.id, by), draw, { what: `groups by ${by}` });
}

function memberTable(run, row, members, metric, by) {
  const cellsOf = profileCells(members, metric, isShareIn(row, metric));
  const lines = members.map((member) => {
    const link = el("a", { href: hashOf(["run", run.id, "samples"], [...pickingRow(run.rows, row), [GROUP + by, member.member || UNNAMED]]) }, named(member.member || UNNAMED));
    const others = Object.entries(member.counts).filter(([name, number]) => number && !["items", "answered"].includes(name));
    return [link, ...cellsOf(member), counted(member.n), others.map(([name, number]) => `${counted(number)} ${name}`).join(", ")];
  });
  return el("div", el("h4", named(row.title)), cardTable(`${metric} by ${by}`, [by, "strict", "official", "", "n", "beside answered"], lines));
}
