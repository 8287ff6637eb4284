"""Audits of data as tables, JSON and pages, worded without knowledge of the benchmark.

print(audit_of("tsg/sgds", "sgds.jsonl"))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.drawing.svg import Markup
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.datasets import catalogue, installed
from tsgkit.library.files import look_alike
from tsgkit.library.row_sources import pinned, row_place
from tsgkit.report import html, markdown, terminal
from tsgkit.report.figures import NOTHING, number, percent
from tsgkit.report.plain_text import Foreign, count
from tsgkit.report.report_rows import comparison_metric
from tsgkit.report.table import Line, ReportDocument, Table
from tsgkit.runs.folder import read_header
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.scoring.comparison import DISCORDANT
from tsgkit.suites.audits import Audit, GroupShare, Shortcut, WithoutShortcuts, audit, without_shortcuts
from tsgkit.suites.audits.audit import CheckFindings
from tsgkit.suites.suite import task_of, tasks_named, tasks_of_data

MOST_SLIPS = 5
FIGURES = ("items", "right", "95 % interval", "chance")
_SINGULAR = {"scenarios": "scenario", "stories": "story", "contexts": "context", "vocabularies": "vocabulary"}


@dataclass(frozen=True)
class TaskAudit:
    """The audit of one task's data, and the scores of runs without items that shortcuts solve."""

    task: str
    title: str
    data: str
    audit: Audit
    runs: tuple[WithoutShortcuts, ...] = ()

    @property
    def document(self) -> ReportDocument:
        """The result in sentences, and its tables."""
        return ReportDocument(f"{self.task}: {self.title}", tuple(_tables(self)), lead=tuple(_lead(self)))

    @property
    def value(self) -> dict[str, Any]:
        """The JSON value."""
        results = self.audit
        best, worst = results.to_beat, results.worst
        of_shortcut = ("name", "sees", "n", "value", "low", "high", "chance")
        return {
            "task": self.task,
            "data": self.data,
            "items": results.n,
            "clusters": results.clusters,
            "clusters_are": results.clusters_are,
            "smallest_difference": round(results.smallest_difference, 4),
            "chance": round(results.chance, 6),
            "to_beat": None if best is None else {"shortcut": best.name, "value": best.value},
            "worst_group": None if worst is None else {"shortcut": worst[0].name, **vars(worst[1])},
            "checks": [
                {
                    "code": findings.check.code,
                    "looks_for": findings.check.looks_for,
                    "severity": "error" if findings.check.is_error else "warning",
                    "found": [{"item_id": slip.item_id, "message": slip.message} for slip in findings.slips],
                }
                for findings in results.findings
            ],
            "shortcuts": [
                {name: getattr(shortcut, name) for name in of_shortcut}
                | {
                    "blind": shortcut.is_blind,
                    "beats_chance": shortcut.beats_chance,
                    "carriers": list(shortcut.carriers),
                    "groups": [dict(vars(share)) for share in shortcut.groups],
                }
                for shortcut in results.shortcuts
            ],
            "keys": [
                {"group": spread.group or None, "counts": spread.counts, "p": spread.skew.p, "skewed": spread.is_skewed}
                for spread in results.spreads
            ],
            "runs": [dict(vars(run)) for run in self.runs],
            "notes": list(results.notes),
        }

    def __str__(self) -> str:
        return terminal.written(self.document).rstrip("\n")

    def _repr_html_(self) -> Markup:
        return html.part(self.document)


def audits_of(data: str | None, tasks: Sequence[str] = (), run: Path | None = None) -> tuple[TaskAudit, ...]:
    """Audit a file of data, or the data of tasks or of a run. The task is given, or follows from the rows or
    the run."""
    data = None if data is None else pinned(data)
    return tuple(audit_of(name, data, run) for name in _task_names(data, tasks, run))


def _task_names(data: str | None, asked: Sequence[str], run: Path | None) -> list[str]:
    """Return the tasks to audit: those that are asked for (of a suite those that can be audited), else those of the
    run and of the rows."""
    names: list[str] = []
    for name in asked:
        auditable = [task for task in tasks_named([name]) if _is_auditable(task)]
        if not auditable:
            raise UsageError(f"{name}: it cannot be audited", hint=_auditable_tasks())
        names += auditable
    if asked:
        return list(dict.fromkeys(names))
    if run is not None:
        names = [name for name in read_header(run)["plan"]["tasks"] if _is_auditable(name)]
        if not names:
            raise UsageError(f"{run}: none of its tasks can be audited", hint=_auditable_tasks())
    if data is None:
        if not names:
            raise UsageError("nothing to audit", hint=f"name a file of rows, or a task; {_auditable_tasks()}")
        return names
    of_data = _tasks_of_data(data)
    if not of_data:
        hint = f"name the task with --task; {_auditable_tasks()}"
        raise UsageError(f"{data}: the rows do not show their task", hint=hint)
    return [name for name in names if name in of_data] or of_data


def _is_auditable(name: str) -> bool:
    return task_of(load_card(name)).audit is not None


def _auditable_tasks() -> str:
    return f"these can be audited: {', '.join(filter(_is_auditable, card_names()))}"


def _tasks_of_data(data: str) -> list[str]:
    """Return the tasks whose rows a file, a folder or an installed dataset holds."""
    path = Path(data)
    if path.exists() or row_place(data):
        return list(tasks_of_data(data))
    dataset = next((dataset for dataset in installed() if dataset.name == data), None)
    if dataset is not None and dataset.known is not None:
        names = [f"{dataset.known.suite}/{file.task}" for file in dataset.files]
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
    results = audit(task.audit(task, data))
    runs = () if run is None else tuple(_without_shortcuts(run, name, data, results))
    return TaskAudit(name, card.title, data or card.data, results, runs)


def _without_shortcuts(run: Path, name: str, data: str | None, results: Audit) -> Iterator[WithoutShortcuts]:
    """Yield the strict scores of a run without the items that shortcuts solve; one not asked counts as wrong."""
    with open_saved_run(run, data, only=(name,)) as saved:
        for cell, state in saved.states.items():
            if cell.task != name:
                continue
            row, values = state.row, dict[str, tuple[float, str]]()  # by item, or by question of an item
            metric = comparison_metric(row.task.card.metrics)
            for sample, record in saved.records(cell):
                item, cluster = record["item_id"], record["cluster"]
                verdicts = tuple(row.task.view.verdicts(record, sample, metric))
                if any(verdict.question for verdict in verdicts):
                    values |= {f"{item}/{verdict.question}": (float(verdict.right), cluster) for verdict in verdicts}
                else:
                    total, weight = record["parts"]["strict"].get(metric, (0.0, 0.0))
                    values[item] = (total / weight if weight else 0.0, cluster)
            way = " ".join(filter(None, (*cell[2:4], *cell.axes)))
            yield from without_shortcuts(cell.subject, way, metric, values, results)


def as_markdown(audits: Sequence[TaskAudit]) -> str:
    """Return audits as Markdown, each under a heading of its own."""
    documents = [audited.document for audited in audits]
    return "\n".join(markdown.written(replace(document, title=f"Audit of {document.title}")) for document in documents)


def as_page(audits: Sequence[TaskAudit]) -> str:
    """Return audits as one HTML page that needs nothing but itself."""
    tasks = ", ".join(dict.fromkeys(audited.task for audited in audits))
    return html.whole_page(f"Audit of {tasks}", *(html.part(audited.document) for audited in audits))


def _lead(audited: TaskAudit) -> Iterator[Line]:
    """Yield the result in a few sentences."""
    results, units = audited.audit, audited.audit.clusters_are
    yield (Foreign(audited.task), f" ({audited.title}): {number(results.n)} items of ", Foreign(audited.data))
    origin = f"They come from {count(results.clusters, _SINGULAR.get(units, units), units)}."
    origin = "Each item stands for itself." if results.clusters == results.n else origin
    disagreeing = f"Two models that disagree on {100 * DISCORDANT:.0f} % of the items"
    least = f"must differ by about {percent(results.smallest_difference)} points before it is likely to show"
    yield (f"{origin} {disagreeing} {least} (95 %, power 80 %).",)
    slips = [slip for findings in results.defects for slip in findings.slips]
    worth = number(sum(len(findings.slips) for findings in results.remarks))
    if slips:
        items = number(len({slip.item_id for slip in slips}))
        yield (f"{number(len(slips))} slips in {items} items, and {worth} things worth knowing: see below.",)
    else:
        yield (f"No slip was found in its items; {worth} things are worth knowing.",)
    yield from _shortcut_sentences(results)
    for spread in (spread for spread in results.spreads if not spread.group):
        counts = ", ".join(f"{letter} {times:,}" for letter, times in spread.counts.items())
        if spread.skew.is_rough:
            yield (f"Right answers: {counts}; too few to say whether they are spread evenly.",)
        elif spread.is_skewed:
            yield (f"Right answers are not spread evenly: {counts} (chance alone: p = {spread.skew.p:.2g}).",)
        else:
            yield (f"Right answers are spread evenly enough: {counts} (p = {spread.skew.p:.2g}).",)
    yield from ((Foreign(note),) for note in results.notes)


def _shortcut_sentences(results: Audit) -> Iterator[Line]:
    best = results.to_beat
    if best is None:
        yield ("No shortcut of ours says anything about such items.",)
        return
    yield (f"Blind guessing gets {percent(results.chance)} %.",)
    blind = [shortcut for shortcut in results.shortcuts if shortcut.is_blind]
    beating = sum(shortcut.beats_chance for shortcut in blind)
    is_partial = best.n < results.n
    if beating:
        its_items = f" of the {number(best.n)} items that it answers" if is_partial else ""
        best_of = f"the best gets {percent(best.value)} %{its_items}: {best.name}"
        beat = "beats" if beating == 1 else "beat"
        yield (f"{beating} of {len(blind)} shortcuts {beat} chance significantly; {best_of}.",)
    else:
        yield ("None of the shortcuts beats chance significantly over all items.",)
    if results.worst is not None:
        shortcut, share = results.worst
        yield (
            f"Within groups the best gets {percent(share.value)} % of ",
            Foreign(share.group),
            f" (n = {number(share.n)}, chance {percent(share.chance)} %): {shortcut.name}.",
        )
    if beating:
        least = f"{percent(best.value)} %{' of those' if is_partial else ''}"
        yield (f"A model that gets less than {least} has shown nothing that this shortcut has not.",)


def _tables(audited: TaskAudit) -> Iterator[Table]:
    """Yield the slips, the shortcuts in all and by groups, the other findings, the keys, and what is left of runs."""
    results = audited.audit
    if results.defects:
        yield _finding_table("slips: items that cannot be trusted", results.defects)
    if results.shortcuts:
        yield _shortcut_table(results.shortcuts)
    by_group: dict[str, list[tuple[Shortcut, GroupShare]]] = {}
    for shortcut in results.shortcuts:
        for share in shortcut.groups if shortcut.is_blind else ():
            by_group.setdefault(share.group, []).append((shortcut, share))
    rows = []
    for group, shares in by_group.items():
        shares.sort(key=lambda share: -share[1].value)
        for shortcut, share in [share for share in shares if share[1].beats_chance] or shares[:1]:
            rows.append((Foreign(group), shortcut.name, *_figures(share), _verdict(share)))
    if rows:
        note = (
            "Each group with the shortcuts that beat chance there, corrected over shortcuts and groups, else the best"
        )
        notes = ((f"{note}; --json has every shortcut.",),)
        head = ("group", "shortcut", *FIGURES, "verdict")
        yield Table(("what can be had without understanding, by group",), head, tuple(rows), notes, words=2)
    clean = ", ".join(findings.check.code for findings in results.findings if not findings.slips)
    without = ((f"nothing was found by: {clean}",),) if clean else ()
    yield _finding_table("what is worth knowing of the items", results.remarks, without)
    if spreads := [spread for spread in results.spreads if spread.group]:
        letters = sorted({letter for spread in spreads for letter in spread.counts})
        keys = tuple(
            (
                Foreign(spread.group),
                *(number(spread.counts.get(letter, 0)) for letter in letters),
                f"{spread.skew.p:.2g}",
            )
            for spread in spreads
        )
        note = "p is the chance of such a spread if keys were dealt evenly; below 0.01 they were not."
        yield Table(("where the right answers stand, by group",), ("group", *letters, "p"), keys, ((note,),))
    if audited.runs:
        yield _run_table(audited.runs)


def _finding_table(title: str, found: Sequence[CheckFindings], notes: tuple[Line, ...] = ()) -> Table:
    """Return a table of findings, with the most frequent of each check in its notes."""
    rows, lines = [], list[Line]()
    for check, slips in ((findings.check, findings.slips) for findings in found):
        rows.append((check.code, check.looks_for, number(len(slips))))
        if check.is_folded:
            lines.append((f"{check.code}: {number(len(slips))} in all; --json lists them",))
            continue
        frequent = Counter(slips).most_common()  # the most frequent first, else in the order of the file
        for slip, times in frequent[:MOST_SLIPS]:
            often = f" ({number(times)} times)" if times > 1 else ""
            lines.append((f"{check.code}: item ", Foreign(slip.item_id), ": ", Foreign(slip.message), often))
        if (more := sum(times for _, times in frequent[MOST_SLIPS:])) > 0:
            kinds = number(len({slip.message for slip in slips}))
            lines.append((f"{check.code}: and {number(more)} more ({kinds} different; --json lists all)",))
    return Table((title,), ("check", "looks for", "found"), tuple(rows), (*lines, *notes), words=2)


def _shortcut_table(shortcuts: Sequence[Shortcut]) -> Table:
    has_groups = any(shortcut.groups for shortcut in shortcuts)
    rows = list[tuple[str, ...]]()
    for shortcut in sorted(shortcuts, key=lambda shortcut: -shortcut.value):
        verdict = _verdict(shortcut) if shortcut.is_blind else "not blind"
        worst = shortcut.worst
        of_worst = (NOTHING, NOTHING) if worst is None else (Foreign(worst.group), percent(worst.value))
        row = (shortcut.name, shortcut.sees, *_figures(shortcut), verdict)
        rows.append((*row, *of_worst) if has_groups else row)
    head = ("shortcut", "what it sees", *FIGURES, "verdict", *(("worst group", "right there") if has_groups else ()))
    note = "A shortcut beats chance where it is above it at 95 %, Bonferroni-corrected over all shortcuts tried."
    carriers = (f"{each.name} goes by: {'; '.join(each.carriers)}" for each in shortcuts if each.carriers)
    notes = ((note,), *((Foreign(text),) for text in carriers))
    return Table(("what can be had without understanding",), head, tuple(rows), notes, words=2)


def _figures(share: GroupShare) -> tuple[str, ...]:
    return number(share.n), percent(share.value), _around(share.low, share.high), percent(share.chance)


def _verdict(share: GroupShare) -> str:
    return "beats chance" if share.beats_chance else NOTHING


def _around(low: float | None, high: float | None) -> str:
    return NOTHING if low is None or high is None else f"[{percent(low)}, {percent(high)}]"


def _run_table(runs: Sequence[WithoutShortcuts]) -> Table:
    rows = tuple(
        (
            *(Foreign(run.subject), Foreign(run.way or NOTHING), run.shortcut or NOTHING, run.metric, number(run.n)),
            *(percent(run.value), number(run.right), number(run.on_shortcuts), number(run.left)),
            *(percent(run.value_left), _around(run.low_left, run.high_left)),
        )
        for run in runs
    )
    head = ("subject", "way", "shortcut", "metric", "items", "score", "right", "of these also by it", "items left")
    note = (
        "The last columns leave out every item that the shortcut answers right. Shortcuts that do not beat chance "
        "significantly leave out nothing."
    )
    title = ("what is left of a run without the shortcuts",)
    return Table(title, (*head, "score there", "95 % interval"), rows, ((note,),), words=4)
