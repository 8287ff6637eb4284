"""Rows to compare: repeats averaged, on the same items of the same data.

>>> draws = [Part(1, 1, "tea"), Part(0, 1, "tea"), Part(1, 1, "tea"), Part(1, 1, "tea")]
>>> averaged(draws, Pooling.POOLED)
Part(sum=0.75, weight=1.0, cluster='tea')

Every sample that ended is included, with any outcome. Samples without an answer, and unfinished rows, are named in the
notes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import listed
from tsgkit.report.report_rows import check_groups, chosen_tasks, comparison_metric, planned_tasks
from tsgkit.runs.folder import read_header
from tsgkit.runs.plan import AXES, Axes, Cell
from tsgkit.runs.results import NOWHERE, RowState
from tsgkit.runs.saved_run import SavedRun, open_saved_run
from tsgkit.scoring.pooling import Outcome, Part, Pooling
from tsgkit.suites.metrics import Metric, check_profile
from tsgkit.suites.task import Task


@dataclass(frozen=True)
class ComparisonRequest:
    """A request for a comparison: tasks (none: all), a metric (none: the task's last headline), a profile,
    and the place of data.

    Without a metric, ``every`` takes all metrics in the table of a task; ``by`` is a group of items.
    """

    tasks: tuple[str, ...] = ()
    metric: str | None = None
    profile: str = "strict"
    data: str | None = None
    common: bool = False
    every: bool = False
    by: str | None = None
    rows: frozenset[tuple[int, Cell]] | None = None
    """The only rows that are meant, each by the place of its run and its first repeat; None for all."""
    apart: bool = False
    """True if rows keep their own items, to be brought to common ones pair by pair."""


@dataclass(frozen=True, eq=False)
class Contender:
    """One row of a run on one metric, with the contribution of each item."""

    name: str
    run: str
    place: int
    """The number of its run among those named, from 0."""
    subject: str
    task: str
    solver: str
    style: str
    repeats: int
    metric: str
    measure: Metric
    parts: Mapping[str, Part]
    unanswered: Mapping[str, tuple[str, ...]]
    """Items without an answer, by outcome; an item appears once for each repeat."""
    clusters_are: str = "scenarios"
    """The unit that clusters are counted in."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The members of the group asked for that each item belongs to; empty where none was, or the task has it not."""
    axes: Axes = (None, None, None)
    """Shots, prompts and seed, each None unless its run has several, and it depends on which."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Its own values of them, else those that are the only ones of its run; prompts by name."""
    depends: Mapping[str, Any] = field(default_factory=dict)
    """The values of those that it depends on; prompts by their folder."""
    of: Task | None = field(default=None, repr=False, compare=False)
    """Its task; None for a row of figures alone."""

    @property
    def most(self) -> float:
        """The most that an item can score."""
        return 1.0 if self.measure.is_share else math.inf

    @property
    def way(self) -> str:
        """The way of asking in words, without its axes; empty for a baseline."""
        return " ".join(self.cell._replace(shots=None, prompts=None, seed=None).ways)

    def on_axis(self, axis: str) -> object:
        """Return its value on an axis; None where it does not depend on it."""
        return self.depends.get(axis) if axis in AXES else getattr(self, axis) or None

    @property
    def cell(self) -> Cell:
        """Its place in its run, the first repeat for all."""
        return Cell(self.subject, self.task, self.solver, self.style, 0, *self.axes)

    @property
    def unanswered_ids(self) -> str:
        """The items without an answer, the first ones by name."""
        return "; ".join(f"{outcome} {listed(tuple(dict.fromkeys(ids)))}" for outcome, ids in self.unanswered.items())

    @property
    def title(self) -> str:
        """The subject and the way of asking."""
        return " ".join([self.subject, *self.cell.ways])

    def likeness(self, other: Contender) -> int:
        """Return how much of what makes a row two rows share."""
        parts: int = sum(getattr(self, name) == getattr(other, name) for name in ("subject", "solver", "style"))
        return parts + sum(1 for name, value in self.settings.items() if other.settings.get(name) == value)


@dataclass(frozen=True)
class ContenderGroups:
    """Contenders in groups of one task and metric on the same items, with notes."""

    groups: tuple[tuple[Contender, ...], ...]
    notes: tuple[str, ...]

    @property
    def all(self) -> tuple[Contender, ...]:
        """All contenders, group by group."""
        return tuple(row for group in self.groups for row in group)


def gather(paths: Sequence[Path], request: ComparisonRequest) -> ContenderGroups:
    """Return the rows of these runs; ``UsageError`` where data or items differ."""
    check_profile(request.profile)
    if not paths:
        raise UsageError("no run is named", hint="tsgkit runs list shows what there is")
    headers = [read_header(path) for path in paths]
    tasks = chosen_tasks(request.tasks, planned_tasks(headers))
    for task in tasks:
        hashes: dict[str, Path] = {}
        for path, header in zip(paths, headers, strict=True):
            if (sha256 := header["asked"]["data"].get(task)) is not None:
                hashes.setdefault(sha256, path)
        if len(hashes) > 1:
            shown = "; ".join(f"{path}: SHA-256 {sha256[:16]}" for sha256, path in hashes.items())
            hint = "scores on different data say nothing of each other: evaluate both on the same file"
            raise UsageError(f"{task}: the runs were asked about different data ({shown})", hint=hint)
    check_groups(() if request.by is None else (request.by,), paths, tasks)
    notes = _notes_on_runs(headers)
    rows: list[Contender] = []
    for run_number, path in enumerate(paths):
        with open_saved_run(path, request.data) as saved:
            rows += _contenders(saved, run_number, tasks, request, notes)
    groups: dict[tuple[str, str], list[Contender]] = {}
    for row in sorted(_named(rows, paths), key=lambda row: tasks.index(row.task)):
        groups.setdefault((row.task, row.metric), []).append(row)
    level = tuple(
        tuple(group) if request.apart else on_same_items(group, request.common, notes) for group in groups.values()
    )
    if not level:
        raise UsageError("there is nothing to compare" + "".join(f"; {note}" for note in dict.fromkeys(notes)))
    for group in level:
        repeated: dict[int, list[str]] = {}
        for row in group:
            repeated.setdefault(row.repeats, []).append(row.name)
        repeated.pop(1, None)
        for repeats, names in repeated.items():
            notes.append(f"{group[0].task}: {repeats} repeats, averaged per item: {', '.join(names)}")
        notes += [_unanswered_note(row, request.profile) for row in group if any(row.unanswered.values())]
    return ContenderGroups(level, tuple(dict.fromkeys(notes)))


def _notes_on_runs(headers: Sequence[dict[str, Any]]) -> list[str]:
    notes = []
    versions = sorted({str(header["tsgkit"]) for header in headers})
    if len(versions) > 1:
        notes.append(f"judged by different versions of tsgkit ({', '.join(versions)}): tsgkit rescore makes them alike")
    judges = sorted({judge["name"] for header in headers if (judge := header["asked"].get("judge"))})
    if len(judges) > 1:
        notes.append(f"different judges looked ({', '.join(judges)}): what differs may lie with them")
    cards: dict[str, set[str]] = {}
    for header in headers:
        for task, card in header["asked"]["tasks"].items():
            cards.setdefault(task, set()).add(card["card"])
    return notes + [f"{task}: its card changed between the runs" for task, known in cards.items() if len(known) > 1]


def _contenders(
    saved: SavedRun, place: int, tasks: Collection[str], request: ComparisonRequest, notes: list[str]
) -> Iterator[Contender]:
    """Yield a contender for every row of a run, its repeats taken together."""
    draws: dict[Cell, list[RowState]] = {}
    for cell, state in saved.states.items():
        if cell.task in tasks:
            draws.setdefault(cell._replace(repeat=0), []).append(state)
    plan = saved.prepared.plan
    for cell, states in draws.items():
        if request.rows is not None and (place, cell) not in request.rows:
            continue
        row, task = states[0].row, states[0].row.task
        who = f"{' '.join([cell.subject, cell.style, *cell.axes])} on {cell.task}"
        if request.profile == "official" and (reason := row.solver.unpublished):
            notes.append(f"{who}: no official figures: {reason}")
            continue
        if unasked := sum(state.places.count(NOWHERE) for state in states):
            total = sum(state.total for state in states)
            notes.append(f"{who}: unfinished: {unasked:,} of {total:,} samples were not asked")
        metrics = (request.every and task.shown) or (comparison_metric(task.card.metrics),)
        if request.metric is not None:
            metrics = (request.metric,) if request.metric in task.metrics else ()
            if not metrics:
                notes.append(f"{task.key} has no metric {request.metric}; it has {', '.join(task.metrics)}")
        groups = {} if request.by is None else _members(states[0], saved, request.by)
        for metric in metrics:
            measure = task.metrics[metric]
            parts, unanswered = _parts(states, saved, request.profile, metric, measure.pooling)
            if not parts:
                continue
            yield Contender(
                name="",
                run=str(saved.path),
                place=place,
                subject=cell.subject,
                task=cell.task,
                solver=cell.solver,
                style=cell.style,
                axes=cell[-3:],
                settings=plan.only_values | cell.own_axes,
                depends=row.values(plan),
                repeats=len(states),
                metric=metric,
                measure=measure,
                parts=parts,
                unanswered=unanswered,
                clusters_are=task.rows.clusters_are(row.dataset),
                groups=groups,
                of=task,
            )


def _members(state: RowState, saved: SavedRun, group: str) -> dict[str, tuple[str, ...]]:
    """Return the members of a group that each item of a row belongs to, as its record says, else its words."""
    row, members = state.row, dict[str, tuple[str, ...]]()
    if group not in row.task.groups.names:
        return members
    for record, number in zip(state.places, row.numbers, strict=True):
        stored = None if record == NOWHERE else saved.samples.read(record)["groups"].get(group)
        names = row.task.groups.of(row.dataset.sample(number), group) if stored is None else stored
        members[row.dataset.item_ids[number]] = tuple(names)
    return members


def _parts(
    states: Sequence[RowState], saved: SavedRun, profile: str, metric: str, pooling: Pooling
) -> tuple[dict[str, Part], dict[str, tuple[str, ...]]]:
    """Return the contribution of each item that ended, averaged over repeats, and the items without an answer."""
    draws: dict[str, list[Part]] = {}
    unanswered: dict[str, list[str]] = {}
    for offset in (offset for state in states for offset in state.places if offset != NOWHERE):
        record = saved.samples.read(offset)
        item_id, outcome = record["item_id"], record["outcome"]
        try:
            total, weight = record["parts"][profile][metric]
        except KeyError:
            where = f"{saved.path}: item {item_id}: its record has no {profile} {metric}"
            raise UsageError(where, hint=f"score it again: tsgkit rescore {saved.path}") from None
        draws.setdefault(item_id, []).append(Part(total, weight, record["cluster"]))
        if outcome != Outcome.ANSWERED:
            unanswered.setdefault(str(outcome), []).append(item_id)
    parts = {item_id: averaged(of_item, pooling) for item_id, of_item in draws.items()}
    return parts, {outcome: tuple(ids) for outcome, ids in unanswered.items()}


def averaged(draws: Sequence[Part], pooling: Pooling) -> Part:
    """Return an item asked several times: the mean of sums and weights, or of values where items are averaged.

    >>> averaged([Part(1, 4, "tea"), Part(3, 4, "tea"), Part(0, 0, "tea")], Pooling.PER_ITEM)
    Part(sum=0.5, weight=1.0, cluster='tea')
    """
    if len(draws) == 1:
        return draws[0]
    counted = [draw.counted(pooling) for draw in draws]
    if pooling is Pooling.PER_ITEM:
        counted = [draw for draw in counted if draw.weight]
    number = len(counted) or 1
    total, weight = math.fsum(draw.sum for draw in counted), math.fsum(draw.weight for draw in counted)
    return Part(total / number, weight / number, draws[0].cluster)


def _named(rows: Sequence[Contender], paths: Sequence[Path]) -> list[Contender]:
    """Give each a name of its own: who and how, and the run where several have that row.

    A run is named by its folder, by its path where two folders have the same name, and by a number too where even that
    is not unique.
    """
    times = Counter((row.task, row.metric, row.title) for row in rows)
    several = {title for (_, _, title), number in times.items() if number > 1}
    labels, whole = [path.name for path in paths], [str(path) for path in paths]
    if len(set(labels)) < len(labels):
        labels = whole
    if len(set(labels)) < len(labels):
        labels = [f"{text}, run {number}" for number, text in enumerate(whole, 1)]
    return [
        replace(row, name=f"{row.title} ({labels[row.place]})" if row.title in several else row.title) for row in rows
    ]


def on_same_items(group: Sequence[Contender], common: bool, notes: list[str]) -> tuple[Contender, ...]:
    """Return the contenders of a task on the items that all have; ``UsageError`` where they differ and that was not
    asked.
    """
    task = group[0].task
    shared = set.intersection(*(set(row.parts) for row in group))
    most = max(len(row.parts) for row in group)
    if all(len(row.parts) == len(shared) for row in group):
        return tuple(group)
    numbers = ", ".join(f"{row.name} ({row.run}) has {len(row.parts):,}" for row in group)
    if not common:
        hint = "--common compares them on the items that all have" if shared else "evaluate them on the same items"
        raise UsageError(f"{task}: the rows have different items: {len(shared):,} in common; {numbers}", hint=hint)
    if not shared:
        raise UsageError(f"{task}: the rows have no item in common: {numbers}", hint="evaluate them on the same items")
    notes.append(f"{task}: restricted to the {len(shared):,} items that all rows have, of {most:,} at most: {numbers}")
    restricted = []
    for row in group:
        parts = {item_id: part for item_id, part in row.parts.items() if item_id in shared}
        unanswered = {outcome: tuple(item_id for item_id in ids if item_id in shared)
                      for outcome, ids in row.unanswered.items() if shared.intersection(ids)}  # fmt: skip
        restricted.append(replace(row, parts=parts, unanswered=unanswered))
    return tuple(restricted)


def _unanswered_note(row: Contender, profile: str) -> str:
    """Return how many samples have no answer, and what becomes of them."""
    number = sum(map(len, row.unanswered.values()))
    listed = ", ".join(f"{len(ids):,} {outcome}" for outcome, ids in row.unanswered.items())
    items = [row.parts[item_id] for item_id in {item_id for ids in row.unanswered.values() for item_id in ids}]
    if profile == "official":
        counted = "official scores what text there is, none as an empty text"
    elif not all(part.weight for part in items):
        counted = f"where nothing was said, {row.metric} has nothing to count"
    elif not row.measure.more_is_better and not any(part.sum for part in items):
        counted = f"{row.metric} counts no fault in them"
    else:
        counted = "they count as wrong"
    samples = "sample has" if number == 1 else "samples have"
    return f"{row.task}: {row.name}: {number:,} {samples} no answer ({listed}); {counted}"
