// The paired test of two rows, as the source makes it.

import { el, fill, named } from "../dom.js";
import { counted, NONE, withSign } from "./numbers.js";
import { cardTable, withInterval } from "./tables.js";
import { awaited } from "./waiting.js";

// Fill a host with the test of a pair; the returned function gives it up.
export function pairedTest(app, host, { first, second }) {
  const title = el("h2", "Paired test");
  const result = el("div");
  fill(host, title, result);
  const place = ({ run, row }) => ({ run, row: row.row });
  return awaited(app, result, () => app.source.comparison(place(first), place(second)), (found) => fill(result, shownTest(found, first, second)), { what: "the test" });
}

function shownTest(found, first, second) {
  if (found.problem) return el("p.note", "There is no test: ", named(found.problem));
  const isShare = found.is_share;
  const line = (letter, side, value) => [[`${letter}: `, named(side.row.title)], withInterval(value, isShare), counted(value.n)];
  const around = found.low === null || found.low === undefined ? "" : ` [${withSign(found.low, isShare)}, ${withSign(found.high, isShare)}]`;
  const p = typeof found.p === "number" ? found.p.toFixed(found.p < 0.001 ? 5 : 4) : NONE;
  return [
    cardTable(`Strict ${found.metric}`, ["row", "value", "n"], [line("A", first, found.first), line("B", second, found.second)]),
    el("p", el("strong", named(found.verdict)), ` A − B: ${withSign(found.difference, isShare)}${isShare ? " points" : ""}${around}, p = ${p} (`, named(found.test), ")."),
    found.notes?.length ? el("ul", found.notes.map((words) => el("li", named(words)))) : null,
  ];
}
