// Results of a task by the members of a group.

import { el, fill, named } from "../dom.js";
import { hashOf } from "./address.js";
import { meter, reachOf } from "./meters.js";
import { counted } from "./numbers.js";
import { isShareIn, pickingRow, UNNAMED } from "./rows.js";
import { GROUP } from "./selection.js";
import { cardTable, withInterval } from "./tables.js";
import { awaited } from "./waiting.js";

// Fill a host with the values of a metric for each member of a group, row by row.
export function breakdown(app, host, run, rows, metric, by) {
  const having = rows.filter((row) => row.groups.includes(by));
  if (!having.length) return fill(host, el("h3", "By ", named(by)), el("p.pale", `This task has no group ${by}.`));
  const wanted = new Set(having.map((row) => row.row));
  const tableOf = (one) => memberTable(run, having.find((row) => row.row === one.row), one.members, metric, by);
  const draw = (groups) => fill(host, el("h3", "By ", named(by)), groups.rows.filter((one) => wanted.has(one.row)).map(tableOf));
  return awaited(app, host, () => app.store.groups(run.id, by), draw, { what: `groups by ${by}` });
}

function memberTable(run, row, members, metric, by) {
  const isShare = isShareIn(row, metric);
  const valueOf = (member, profile) => member.profiles[profile]?.[metric] ?? null;
  const reach = reachOf(members.flatMap((member) => [valueOf(member, "strict"), valueOf(member, "official")]), isShare);
  const lines = members.map((member) => {
    const [strict, official] = [valueOf(member, "strict"), valueOf(member, "official")];
    const href = hashOf(["run", run.id, "samples"], [...pickingRow(run.rows, row), [GROUP + by, member.member || UNNAMED]]);
    const others = Object.entries(member.counts).filter(([name, number]) => number && !["items", "answered"].includes(name));
    return [
      el("a", { href }, named(member.member || UNNAMED)),
      withInterval(strict, isShare),
      withInterval(official, isShare),
      meter(strict, official, reach),
      counted(member.n),
      others.map(([name, number]) => `${counted(number)} ${name}`).join(", "),
    ];
  });
  return el("div", el("h4", named(row.title)), cardTable(`${metric} by ${by}`, [by, "strict", "official", "", "n", "beside answered"], lines));
}
