"""An audit of data, put in words that ask for no knowledge of the benchmark, as tables that every format writes.

found = audit_of("tsg/sgds", "sgds.jsonl")
print(terminal(found))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.library.cards import load_card
from tsgkit.report import html, markdown
from tsgkit.report import terminal as terminal_format
from tsgkit.report.figures import NOTHING, number, percent
from tsgkit.report.gathering import main_metric
from tsgkit.report.inert import Foreign
from tsgkit.report.tables import Line, Table
from tsgkit.runs.reopened import Reopened, reopen
from tsgkit.runs.results import records_of
from tsgkit.suites.auditing import Audit, Shortcut, WithoutShortcuts, audit, without_shortcuts
from tsgkit.suites.auditing.audit import Found, Spread
from tsgkit.suites.registry import task_of

MOST_SLIPS = 5
WEIGHT = {True: "slip", False: "worth knowing"}


@dataclass(frozen=True)
class Audited:
    """The audit of one task's data, and what of a run is left without shortcuts."""

    task: str
    title: str
    data: str
    audit: Audit
    runs: tuple[WithoutShortcuts, ...] = ()


def audit_of(name: str, data: str | None, run: Path | None = None) -> Audited:
    """Audit a task's data (None: those its card names), beside a run over the same data."""
    card = load_card(name)
    task = task_of(card)
    found = audit(task.auditable(data))
    runs = () if run is None else tuple(_runs(run, name, data, found))
    if run is not None and not runs:
        raise UsageError(f"{run}: no row of this run is of {name}", hint="tsgkit runs show says what it holds")
    return Audited(name, card.title, data or card.data, found, runs)


def _runs(run: Path, name: str, data: str | None, found: Audit) -> Iterator[WithoutShortcuts]:
    reopened = reopen(run, data)
    try:
        for cell, state in reopened.states.items():
            if cell.task == name:
                metric = main_metric(state.row.task.card.metrics)
                values = dict(_values(reopened, state.row.cell, metric))
                yield without_shortcuts(cell.subject, " ".join(filter(None, cell[2:4])), metric, values, found)
    finally:
        reopened.samples.close()


def _values(reopened: Reopened, cell: Any, metric: str) -> Iterator[tuple[str, tuple[float, str]]]:  # noqa: ANN401
    """What strict says of every item, or of every question of it; what nobody was asked about counts as wrong."""
    row = reopened.states[cell].row
    for place, record in zip(row.numbers, records_of(reopened.states[cell], reopened.samples), strict=True):
        verdicts = tuple(row.task.verdicts(record, row.dataset.sample(place), metric))
        if any(one.question for one in verdicts):
            yield from (
                (f"{record['item_id']}/{one.question}", (float(one.right), record["cluster"])) for one in verdicts
            )
            continue
        total, weight = record["parts"]["strict"].get(metric, (0.0, 0.0))
        yield record["item_id"], (total / weight if weight else 0.0, record["cluster"])


def audited_value(found: Audited) -> dict[str, Any]:
    """The JSON value of an audit."""
    one = found.audit
    best = one.to_beat
    return {
        "task": found.task,
        "data": found.data,
        "items": one.n,
        "clusters": one.clusters,
        "effective_n": round(one.effective, 2),
        "smallest_difference": round(one.smallest_difference, 4),
        "chance": round(one.chance, 6),
        "to_beat": None if best is None else {"shortcut": best.name, "value": best.value},
        "checks": [_check_value(each) for each in one.found],
        "shortcuts": [_shortcut_value(each) for each in one.shortcuts],
        "keys": [
            {"group": each.group or None, "counts": each.counts, "p": each.skew.p, "skewed": each.is_skewed}
            for each in one.spreads
        ],
        "runs": [dict(each.__dict__) for each in found.runs],
        "notes": list(one.notes),
    }


def _check_value(found: Found) -> dict[str, Any]:
    return {
        "code": found.check.code,
        "looks_for": found.check.looks_for,
        "severity": "error" if found.check.is_error else "warning",
        "found": [{"item_id": slip.item_id, "message": slip.message} for slip in found.slips],
    }


def _shortcut_value(one: Shortcut) -> dict[str, Any]:
    names = ("name", "sees", "n", "value", "low", "high", "chance")
    return {name: getattr(one, name) for name in names} | {"blind": one.is_blind, "beats_chance": one.beats_chance}


def terminal(found: Audited) -> str:
    """The audit for a terminal."""
    blocks = ["\n".join(map(terminal_format.line, _summary(found)))]
    blocks += ["\n".join(terminal_format.table(table)) for table in _tables(found)]
    return "\n\n".join(blocks) + "\n"


def as_markdown(audits: Sequence[Audited]) -> str:
    """Audits as Markdown."""
    blocks = ["# Audit"]
    for found in audits:
        blocks.append("\n".join(f"- {markdown.line(line)}" for line in _summary(found)))
        blocks += ["\n".join(markdown.table(table)) for table in _tables(found)]
    return "\n\n".join(blocks) + "\n"


def as_page(audits: Sequence[Audited]) -> str:
    """Audits as one HTML page that needs nothing but itself."""
    return html.whole_page("Audit", *(part for found in audits for part in _page_parts(found)))


def _page_parts(found: Audited) -> Iterator[Markup]:
    lead = html.listed(_marked(line) for line in _summary(found))
    yield html.section(f"{found.task}: {found.title}", lead, *map(_page_table, _tables(found)))


def _page_table(table: Table) -> Markup:
    rows = ([html.name(cell) if isinstance(cell, Foreign) else html.text(cell) for cell in row] for row in table.rows)
    notes = html.listed(_marked(line) for line in table.notes)
    return Markup(html.table(table.head, rows, caption="".join(table.title)) + notes)


def _marked(line: Line) -> Markup:
    return Markup("".join(html.name(part) if isinstance(part, Foreign) else html.text(part) for part in line))


def _summary(found: Audited) -> Iterator[Line]:
    """The whole in a few sentences."""
    one = found.audit
    yield (Foreign(found.task), f" ({found.title}): {number(one.n)} items of ", Foreign(found.data))
    yield (_sizes(one),)
    errors = sum(len(each.slips) for each in one.found if each.check.is_error)
    worth = sum(len(each.slips) for each in one.found if not each.check.is_error)
    items = len({slip.item_id for each in one.found if each.check.is_error for slip in each.slips})
    if errors:
        yield (
            f"{number(errors)} slips in {number(items)} items, and {number(worth)} things worth knowing: see below.",
        )
    else:
        yield (f"No slip was found in its items; {number(worth)} things are worth knowing.",)
    yield from _shortcut_summary(one)
    for spread in one.spreads:
        if not spread.group:
            yield (_spread_told(spread),)
    yield from ((Foreign(note),) for note in one.notes)


def _sizes(one: Audit) -> str:
    least = percent(one.smallest_difference)
    if one.clusters == one.n:
        alike = "Each item stands for itself"
    else:
        alike = f"They come from {number(one.clusters)} scenarios; counted as that many independent items"
    return f"{alike}, two systems must differ by about {least} points before it is likely to show (95 %, power 80 %)."


def _shortcut_summary(one: Audit) -> Iterator[Line]:
    best = one.to_beat
    if best is None:
        yield ("No shortcut of ours says anything about such items.",)
        return
    beating = [each for each in one.shortcuts if each.is_blind and each.beats_chance]
    yield (f"Blind guessing gets {percent(one.chance)} %.",)
    if not beating:
        yield ("None of the shortcuts does surely better.",)
        return
    tried = sum(each.is_blind for each in one.shortcuts)
    yield (
        f"{len(beating)} of {tried} shortcuts do surely better; the best gets {percent(best.value)} %: {best.name}.",
    )
    yield (f"A model that gets less than {percent(best.value)} % has shown nothing that this shortcut has not.",)


def _spread_told(spread: Spread) -> str:
    told = ", ".join(f"{letter} {count:,}" for letter, count in spread.counts.items())
    if spread.skew.is_rough:
        return f"Right answers: {told}; too few to say whether they are spread evenly."
    if spread.is_skewed:
        return f"Right answers are not spread evenly: {told} (chance alone: p = {spread.skew.p:.2g})."
    return f"Right answers are spread evenly enough: {told} (p = {spread.skew.p:.2g})."


def _tables(found: Audited) -> Iterator[Table]:
    yield from _shortcut_table(found.audit.shortcuts)
    yield from _check_table(found.audit.found)
    yield from _spread_table(found.audit.spreads)
    yield from _run_table(found.runs)


def _shortcut_table(shortcuts: Sequence[Shortcut]) -> Iterator[Table]:
    if not shortcuts:
        return
    ordered = sorted(shortcuts, key=lambda one: -one.value)
    rows = tuple(
        (
            one.name,
            one.sees,
            number(one.n),
            percent(one.value),
            _around(one.low, one.high),
            percent(one.chance),
            _verdict(one),
        )
        for one in ordered
    )
    head = ("shortcut", "what it sees", "items", "right", "95 % interval", "chance", "verdict")
    yield Table(("what can be had without understanding",), head, rows, words=2)


def _beside(one: Shortcut) -> tuple[str, str]:
    return percent(one.chance), _verdict(one)


def _verdict(one: Shortcut) -> str:
    if not one.is_blind:
        return "not blind"
    return "beats chance" if one.beats_chance else NOTHING


def _around(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def _check_table(found: Sequence[Found]) -> Iterator[Table]:
    """What the checks found; those that found nothing are only named."""
    rows = tuple(
        (each.check.code, each.check.looks_for, WEIGHT[each.check.is_error], number(len(each.slips)))
        for each in found
        if each.slips
    )
    clean = ", ".join(each.check.code for each in found if not each.slips)
    notes = tuple(line for each in found if each.slips for line in _slip_lines(each))
    notes += ((f"nothing was found by: {clean}",),) if clean else ()
    yield Table(("what is wrong with the items",), ("check", "looks for", "weight", "found"), rows, notes, words=3)


def _slip_lines(found: Found) -> Iterator[Line]:
    for slip in found.slips[:MOST_SLIPS]:
        yield (f"{found.check.code}: item ", Foreign(slip.item_id), ": ", Foreign(slip.message))
    if (more := len(found.slips) - MOST_SLIPS) > 0:
        kinds = Counter(slip.message for slip in found.slips)
        yield (f"{found.check.code}: and {number(more)} more ({number(len(kinds))} different; --json lists all)",)


def _spread_table(spreads: Iterable[Spread]) -> Iterator[Table]:
    kinds = [spread for spread in spreads if spread.group]
    if not kinds:
        return
    letters = sorted({letter for spread in kinds for letter in spread.counts})
    rows = tuple(
        (Foreign(each.group), *(number(each.counts.get(letter, 0)) for letter in letters), f"{each.skew.p:.2g}")
        for each in kinds
    )
    note = ("p is the chance of such a spread if keys were dealt evenly; below 0.01 they were not.",)
    yield Table(("where the right answers stand, by kind of question",), ("kind", *letters, "p"), rows, (note,))


def _run_table(runs: Sequence[WithoutShortcuts]) -> Iterator[Table]:
    if not runs:
        return
    rows = tuple(
        (
            Foreign(one.subject),
            Foreign(one.way or NOTHING),
            one.metric,
            number(one.n),
            percent(one.value),
            number(one.right),
            number(one.on_shortcuts),
            number(one.left),
            percent(one.value_left),
            _around(one.low_left, one.high_left),
        )
        for one in runs
    )
    head = ("subject", "way", "metric", "items", "score", "right", "of these also by a shortcut", "items left")
    note = ("The last columns leave out every item that some blind shortcut answers right.",)
    title = ("what is left of a run without the shortcuts",)
    yield Table(title, (*head, "score there", "95 % interval"), rows, (note,), words=3)
