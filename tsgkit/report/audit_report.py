"""Tables of an audit of data, worded without knowledge of the benchmark.

found = audit_of("tsg/sgds", "sgds.jsonl")
print(terminal(found))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.catalogue import catalogue
from tsgkit.library.datasets import installed
from tsgkit.library.files import look_alike
from tsgkit.library.row_sources import pinned, row_place
from tsgkit.report import html, markdown
from tsgkit.report import terminal as terminal_format
from tsgkit.report.figures import NOTHING, number, percent
from tsgkit.report.plain_text import Foreign
from tsgkit.report.report_rows import comparison_metric
from tsgkit.report.table import Line, Table
from tsgkit.runs.folder import read_header
from tsgkit.runs.results import records_of
from tsgkit.runs.saved_run import SavedRun, open_saved_run
from tsgkit.scoring.comparison import DISCORDANT
from tsgkit.suites.audits import Audit, Shortcut, WithoutShortcuts, audit, without_shortcuts
from tsgkit.suites.audits.audit import CheckFindings, GroupShare, Spread
from tsgkit.suites.suite import task_of, tasks_named, tasks_of_data

MOST_SLIPS = 5
_SINGULAR = {"scenarios": "scenario", "stories": "story", "contexts": "context", "vocabularies": "vocabulary"}


@dataclass(frozen=True)
class TaskAudit:
    """The audit of one task's data, and the scores of runs without items that shortcuts solve."""

    task: str
    title: str
    data: str
    audit: Audit
    runs: tuple[WithoutShortcuts, ...] = ()

    def __str__(self) -> str:
        return terminal(self).rstrip("\n")

    def _repr_html_(self) -> str:
        return Markup("".join(_page_parts(self)))


def audits_of(data: str | None, tasks: Sequence[str] = (), run: Path | None = None) -> tuple[TaskAudit, ...]:
    """Audit a file of data, or the data of tasks or of a run. The task is given, or follows from the rows or
    the run."""
    data = None if data is None else pinned(data)
    return tuple(audit_of(name, data, run) for name in _tasks(data, tasks, run))


def _tasks(data: str | None, named: Sequence[str], run: Path | None) -> list[str]:
    if named:
        return _tasks_named(named)
    asked = _tasks_of_run(run) if run is not None else []
    if data is None:
        if not asked:
            raise UsageError("nothing to audit", hint=f"name a file of rows, or a task; {_auditable_tasks()}")
        return asked
    fitting = _tasks_of_data(data)
    if shared := [name for name in asked if name in fitting]:
        return shared
    if not fitting:
        hint = f"name the task with --task; {_auditable_tasks()}"
        raise UsageError(f"{data}: the rows do not show their task", hint=hint)
    return fitting


def _tasks_named(names: Sequence[str]) -> list[str]:
    """Return the tasks that are named, and of a suite those that can be audited."""
    tasks: list[str] = []
    for name in names:
        audited = [task for task in tasks_named([name]) if _is_auditable(task)]
        if not audited:
            raise UsageError(f"{name}: it cannot be audited", hint=_auditable_tasks())
        tasks += audited
    return list(dict.fromkeys(tasks))


def _is_auditable(name: str) -> bool:
    return task_of(load_card(name)).audit is not None


def _auditable_tasks() -> str:
    return f"these can be audited: {', '.join(filter(_is_auditable, card_names()))}"


def _tasks_of_run(path: Path) -> list[str]:
    """Return the tasks of a run that can be audited."""
    if audited := [name for name in read_header(path)["plan"]["tasks"] if _is_auditable(name)]:
        return audited
    raise UsageError(f"{path}: none of its tasks can be audited", hint=_auditable_tasks())


def _tasks_of_data(data: str) -> list[str]:
    """Return the tasks whose rows a file, a folder or an installed dataset holds."""
    path = Path(data)
    if path.exists() or row_place(data):
        return list(tasks_of_data(data))
    datasets = {one.name: one for one in installed()}
    if data in datasets and (found := datasets[data]).known is not None:
        names = [f"{found.known.suite}/{file.task}" for file in found.files]
        return [name for name in names if name in card_names()]
    if data in (known := catalogue()):
        hint = f"tsgkit data get {data}, or from a copy on this machine: tsgkit data import {data} DIR"
        raise UsageError(f"{known[data].name} is not on this machine", hint=hint)
    raise FileProblem(f"{path}: no such file or folder, and no installed dataset", hint=look_alike(path))


def audit_of(name: str, data: str | None, run: Path | None = None) -> TaskAudit:
    """Audit a task's data (None: those its card names), beside a run over the same data."""
    card = load_card(name)
    task = task_of(card)
    if run is not None:
        plan = read_header(run)["plan"]
        if name not in plan["tasks"]:
            raise UsageError(f"{run}: no row of this run is of {name}", hint=f"it has {', '.join(plan['tasks'])}")
        data = plan.get("data") if data is None else data
    if task.audit is None:
        raise UsageError(f"{name}: such a task cannot be audited", hint="tsgkit audit names those that can be")
    found = audit(task.audit(task, data))
    runs = () if run is None else tuple(_runs(run, name, data, found))
    if run is not None and not runs:
        raise UsageError(f"{run}: no row of this run is of {name}", hint="tsgkit runs show lists its rows")
    return TaskAudit(name, card.title, data or card.data, found, runs)


def _runs(run: Path, name: str, data: str | None, found: Audit) -> Iterator[WithoutShortcuts]:
    reopened = open_saved_run(run, data, only=(name,))
    try:
        for cell, state in reopened.states.items():
            if cell.task == name:
                metric = comparison_metric(state.row.task.card.metrics)
                values = dict(_values(reopened, state.row.cell, metric))
                way = " ".join(filter(None, (*cell[2:4], *cell.axes)))
                yield from without_shortcuts(cell.subject, way, metric, values, found)
    finally:
        reopened.samples.close()


def _values(reopened: SavedRun, cell: Any, metric: str) -> Iterator[tuple[str, tuple[float, str]]]:  # noqa: ANN401
    """Yield the strict value of every item, or of each of its questions; one that was not asked counts as wrong."""
    row = reopened.states[cell].row
    for place, record in zip(row.numbers, records_of(reopened.states[cell], reopened.samples), strict=True):
        verdicts = tuple(row.task.view.verdicts(record, row.dataset.sample(place), metric))
        if any(one.question for one in verdicts):
            yield from (
                (f"{record['item_id']}/{one.question}", (float(one.right), record["cluster"])) for one in verdicts
            )
            continue
        total, weight = record["parts"]["strict"].get(metric, (0.0, 0.0))
        yield record["item_id"], (total / weight if weight else 0.0, record["cluster"])


def audited_value(found: TaskAudit) -> dict[str, Any]:
    """Return the JSON value of an audit."""
    one = found.audit
    best = one.to_beat
    return {
        "task": found.task,
        "data": found.data,
        "items": one.n,
        "clusters": one.clusters,
        "clusters_are": one.clusters_are,
        "smallest_difference": round(one.smallest_difference, 4),
        "chance": round(one.chance, 6),
        "to_beat": None if best is None else {"shortcut": best.name, "value": best.value},
        "worst_group": None if one.worst is None else {"shortcut": one.worst[0].name} | dict(one.worst[1].__dict__),
        "checks": [_check_value(each) for each in one.found],
        "shortcuts": [_shortcut_value(each) for each in one.shortcuts],
        "keys": [
            {"group": each.group or None, "counts": each.counts, "p": each.skew.p, "skewed": each.is_skewed}
            for each in one.spreads
        ],
        "runs": [dict(each.__dict__) for each in found.runs],
        "notes": list(one.notes),
    }


def _check_value(found: CheckFindings) -> dict[str, Any]:
    return {
        "code": found.check.code,
        "looks_for": found.check.looks_for,
        "severity": "error" if found.check.is_error else "warning",
        "found": [{"item_id": slip.item_id, "message": slip.message} for slip in found.slips],
    }


def _shortcut_value(one: Shortcut) -> dict[str, Any]:
    names = ("name", "sees", "n", "value", "low", "high", "chance")
    return {name: getattr(one, name) for name in names} | {
        "blind": one.is_blind,
        "beats_chance": one.beats_chance,
        "carriers": list(one.carriers),
        "groups": [dict(each.__dict__) for each in one.groups],
    }


def terminal(found: TaskAudit) -> str:
    """Return the audit for a terminal."""
    blocks = ["\n".join(map(terminal_format.line, _summary(found)))]
    blocks += ["\n".join(terminal_format.table(table)) for table in _tables(found)]
    return "\n\n".join(blocks) + "\n"


def as_markdown(audits: Sequence[TaskAudit]) -> str:
    """Audits as Markdown."""
    blocks = ["# Audit"]
    for found in audits:
        blocks.append("\n".join(f"- {markdown.line(line)}" for line in _summary(found)))
        blocks += ["\n".join(markdown.table(table)) for table in _tables(found)]
    return "\n\n".join(blocks) + "\n"


def as_page(audits: Sequence[TaskAudit]) -> str:
    """Audits as one HTML page that needs nothing but itself."""
    about = ", ".join(dict.fromkeys(found.task for found in audits))
    return html.whole_page(f"Audit of {about}", *(part for found in audits for part in _page_parts(found)))


def _page_parts(found: TaskAudit) -> Iterator[Markup]:
    lead = html.listed(map(html.line, _summary(found)))
    yield html.section(
        f"{found.task}: {found.title}", lead, *(html.drawn_up(table, level=3) for table in _tables(found))
    )


def _summary(found: TaskAudit) -> Iterator[Line]:
    """Yield the whole in a few sentences."""
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
        alike = "Each item stands for itself."
    else:
        units = one.clusters_are if one.clusters != 1 else _SINGULAR.get(one.clusters_are, one.clusters_are)
        alike = f"They come from {number(one.clusters)} {units}."
    disagreeing = f"Two models that disagree on {100 * DISCORDANT:.0f} % of the items"
    return f"{alike} {disagreeing} must differ by about {least} points before it is likely to show (95 %, power 80 %)."


def _shortcut_summary(one: Audit) -> Iterator[Line]:
    best = one.to_beat
    if best is None:
        yield ("No shortcut of ours says anything about such items.",)
        return
    beating = [each for each in one.shortcuts if each.is_blind and each.beats_chance]
    yield (f"Blind guessing gets {percent(one.chance)} %.",)
    its_items = f" of the {number(best.n)} items that it answers" if best.n < one.n else ""
    tried = sum(each.is_blind for each in one.shortcuts)
    if beating:
        beat = "beats" if len(beating) == 1 else "beat"
        best_of = f"the best gets {percent(best.value)} %{its_items}: {best.name}"
        yield (f"{len(beating)} of {tried} shortcuts {beat} chance significantly; {best_of}.",)
    else:
        yield ("None of the shortcuts beats chance significantly over all items.",)
    if one.worst is not None:
        shortcut, share = one.worst
        yield (
            f"Within groups the best gets {percent(share.value)} % of ",
            Foreign(share.group),
            f" (n = {number(share.n)}, chance {percent(share.chance)} %): {shortcut.name}.",
        )
    if beating:
        least = f"{percent(best.value)} %" + " of those" * bool(its_items)
        yield (f"A model that gets less than {least} has shown nothing that this shortcut has not.",)


def _spread_told(spread: Spread) -> str:
    told = ", ".join(f"{letter} {count:,}" for letter, count in spread.counts.items())
    if spread.skew.is_rough:
        return f"Right answers: {told}; too few to say whether they are spread evenly."
    if spread.is_skewed:
        return f"Right answers are not spread evenly: {told} (chance alone: p = {spread.skew.p:.2g})."
    return f"Right answers are spread evenly enough: {told} (p = {spread.skew.p:.2g})."


def _tables(found: TaskAudit) -> Iterator[Table]:
    yield from _slip_table(found.audit.found)
    yield from _shortcut_table(found.audit.shortcuts)
    yield from _group_table(found.audit.shortcuts)
    yield from _check_table(found.audit.found)
    yield from _spread_table(found.audit.spreads)
    yield from _run_table(found.runs)


def _shortcut_table(shortcuts: Sequence[Shortcut]) -> Iterator[Table]:
    if not shortcuts:
        return
    has_groups = any(one.groups for one in shortcuts)
    rows = tuple(
        (
            one.name,
            one.sees,
            number(one.n),
            percent(one.value),
            _around(one.low, one.high),
            percent(one.chance),
            _verdict(one),
            *(_worst(one) if has_groups else ()),
        )
        for one in sorted(shortcuts, key=lambda one: -one.value)
    )
    head = ("shortcut", "what it sees", "items", "right", "95 % interval", "chance", "verdict")
    head_of_groups = ("worst group", "right there") if has_groups else ()
    note = ("A shortcut beats chance where it is above it at 95 %, Bonferroni-corrected over all shortcuts tried.",)
    notes = (note, *((Foreign(f"{one.name} goes by: {'; '.join(one.carriers)}"),) for one in shortcuts if one.carriers))
    yield Table(("what can be had without understanding",), (*head, *head_of_groups), rows, notes, words=2)


def _worst(one: Shortcut) -> tuple[str | Foreign, str]:
    return (NOTHING, NOTHING) if one.worst is None else (Foreign(one.worst.group), percent(one.worst.value))


def _group_table(shortcuts: Sequence[Shortcut]) -> Iterator[Table]:
    """In each group of the items, the blind shortcuts that beat chance there; else the best."""
    found: dict[str, list[tuple[Shortcut, GroupShare]]] = {}
    for one in shortcuts:
        for share in one.groups if one.is_blind else ():
            found.setdefault(share.group, []).append((one, share))
    if not found:
        return
    rows: list[tuple[str | Foreign, ...]] = []
    for group, pairs in found.items():
        pairs.sort(key=lambda pair: -pair[1].value)
        rows += [_group_row(group, *pair) for pair in pairs if pair[1].beats_chance] or [_group_row(group, *pairs[0])]
    note = (
        "Each group with the shortcuts that beat chance there, corrected over shortcuts and groups, else the "
        "best; --json has every shortcut.",
    )
    head = ("group", "shortcut", "items", "right", "95 % interval", "chance", "verdict")
    yield Table(("what can be had without understanding, by group",), head, tuple(rows), (note,), words=2)


def _group_row(group: str, one: Shortcut, share: GroupShare) -> tuple[str | Foreign, ...]:
    return (
        Foreign(group),
        one.name,
        number(share.n),
        percent(share.value),
        _around(share.low, share.high),
        percent(share.chance),
        "beats chance" if share.beats_chance else NOTHING,
    )


def _verdict(one: Shortcut) -> str:
    if not one.is_blind:
        return "not blind"
    return "beats chance" if one.beats_chance else NOTHING


def _around(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def _slip_table(found: Sequence[CheckFindings]) -> Iterator[Table]:
    """Yield the slips, where there are any."""
    slips = [each for each in found if each.slips and each.check.is_error]
    if slips:
        yield _findings("slips: items that cannot be trusted", slips)


def _check_table(found: Sequence[CheckFindings]) -> Iterator[Table]:
    """Yield the tables of the other findings; checks without findings are only named."""
    worth = [each for each in found if each.slips and not each.check.is_error]
    clean = ", ".join(each.check.code for each in found if not each.slips)
    yield _findings(
        "what is worth knowing of the items", worth, ((f"nothing was found by: {clean}",),) if clean else ()
    )


def _findings(title: str, found: Sequence[CheckFindings], notes: tuple[Line, ...] = ()) -> Table:
    rows = tuple((each.check.code, each.check.looks_for, number(len(each.slips))) for each in found)
    lines = tuple(line for each in found for line in _slip_lines(each))
    return Table((title,), ("check", "looks for", "found"), rows, (*lines, *notes), words=2)


def _slip_lines(found: CheckFindings) -> Iterator[Line]:
    if found.check.is_folded:
        yield (f"{found.check.code}: {number(len(found.slips))} in all; --json lists them",)
        return
    shown = Counter(found.slips).most_common()  # the most frequent first, else in the order of the file
    for slip, times in shown[:MOST_SLIPS]:
        often = f" ({number(times)} times)" if times > 1 else ""
        yield (f"{found.check.code}: item ", Foreign(slip.item_id), ": ", Foreign(slip.message), often)
    if (more := sum(times for _, times in shown[MOST_SLIPS:])) > 0:
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
    yield Table(("where the right answers stand, by group",), ("group", *letters, "p"), rows, (note,))


def _run_table(runs: Sequence[WithoutShortcuts]) -> Iterator[Table]:
    if not runs:
        return
    rows = tuple(
        (
            Foreign(one.subject),
            Foreign(one.way or NOTHING),
            one.shortcut or NOTHING,
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
    head = ("subject", "way", "shortcut", "metric", "items", "score", "right", "of these also by it", "items left")
    note = (
        "The last columns leave out every item that the shortcut answers right. Shortcuts that do not beat chance "
        "significantly leave out nothing.",
    )
    title = ("what is left of a run without the shortcuts",)
    yield Table(title, (*head, "score there", "95 % interval"), rows, (note,), words=4)
