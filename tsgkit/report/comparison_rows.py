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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import listed
from tsgkit.report.report_rows import chosen_tasks, comparison_metric, planned_tasks
from tsgkit.runs.folder import read_header
from tsgkit.runs.plan import AXES, Axes, Cell
from tsgkit.runs.results import NOWHERE, RowState
from tsgkit.runs.saved_run import SavedRun, open_saved_run, saved_tasks
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.pooling import Part, Pooling
from tsgkit.suites.metrics import Metric, check_profile
from tsgkit.suites.task import Task, no_group


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
        """The way of asking in words; empty for a baseline."""
        solver = "" if self.solver in ("single", "baseline") else self.solver
        return " ".join(filter(None, [self.style, solver]))

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
        return " ".join(filter(None, [self.subject, self.way, *self.cell.axes]))

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
        return tuple(one for group in self.groups for one in group)


def gather(paths: Sequence[Path], asked: ComparisonRequest) -> ContenderGroups:
    """Return the rows of these runs; ``UsageError`` where data or items differ."""
    check_profile(asked.profile)
    if not paths:
        raise UsageError("no run is named", hint="tsgkit runs list shows what there is")
    headers = [read_header(path) for path in paths]
    tasks = chosen_tasks(asked.tasks, planned_tasks(headers))
    _check_data(paths, headers, tasks)
    _check_group(asked.by, paths, tasks)
    notes = _notes_on_runs(headers)
    found: list[Contender] = []
    for place, path in enumerate(paths):
        with open_saved_run(path, asked.data) as reopened:
            found += _contenders(reopened, place, tasks, asked, notes)
    named = _named(found, paths)
    groups = _grouped(named, tasks)
    level = tuple(tuple(group) if asked.apart else on_same_items(group, asked.common, notes) for group in groups)
    if not level:
        raise UsageError("there is nothing to compare" + "".join(f"; {note}" for note in dict.fromkeys(notes)))
    for group in level:
        notes += _repeat_notes(group)
        notes += [note for one in group if (note := _unanswered_note(one, asked.profile))]
    return ContenderGroups(level, tuple(dict.fromkeys(notes)))


def _grouped(named: Sequence[Contender], tasks: Sequence[str]) -> list[list[Contender]]:
    """Return those of one task and metric together, the tasks in their order."""
    groups: dict[tuple[str, str], list[Contender]] = {}
    for one in sorted(named, key=lambda one: tasks.index(one.task)):
        groups.setdefault((one.task, one.metric), []).append(one)
    return list(groups.values())


def _check_group(by: str | None, paths: Sequence[Path], names: Collection[str]) -> None:
    """``UsageError`` where no task has a group of this name."""
    if by is None:
        return
    tasks = list({task.key: task for path in paths for task in saved_tasks(path) if task.key in names}.values())
    if not any(by in task.groups.names for task in tasks):
        raise no_group(by, tasks)


def _check_data(paths: Sequence[Path], headers: Sequence[dict[str, Any]], tasks: Iterable[str]) -> None:
    for task in tasks:
        hashes: dict[str, Path] = {}
        for path, header in zip(paths, headers, strict=True):
            if (sha256 := header["asked"]["data"].get(task)) is not None:
                hashes.setdefault(sha256, path)
        if len(hashes) > 1:
            shown = "; ".join(f"{path}: SHA-256 {sha256[:16]}" for sha256, path in hashes.items())
            hint = "scores on different data say nothing of each other: evaluate both on the same file"
            raise UsageError(f"{task}: the runs were asked about different data ({shown})", hint=hint)


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
    notes += [f"{task}: its card changed between the runs" for task, found in cards.items() if len(found) > 1]
    return notes


def _contenders(
    reopened: SavedRun, place: int, tasks: Collection[str], asked: ComparisonRequest, notes: list[str]
) -> Iterator[Contender]:
    """Yield a contender for every row of a run, its repeats taken together."""
    draws: dict[Cell, list[RowState]] = {}
    for cell, state in reopened.states.items():
        if cell.task in tasks:
            draws.setdefault(cell._replace(repeat=0), []).append(state)
    plan = reopened.prepared.plan
    for cell, states in draws.items():
        if asked.rows is not None and (place, cell) not in asked.rows:
            continue
        (subject, task, solver, style), row = cell[:4], states[0].row
        if asked.profile == "official" and (reason := row.solver.unpublished):
            notes.append(f"{' '.join([subject, style, *cell.axes])} on {task}: no official figures: {reason}")
            continue
        if unasked := sum(state.places.count(NOWHERE) for state in states):
            total = sum(state.total for state in states)
            who = " ".join([subject, style, *cell.axes])
            notes.append(f"{who} on {task}: unfinished: {unasked:,} of {total:,} samples were not asked")
        groups = _groups(states[0], reopened, asked.by)
        for metric in _metrics(asked, row.task, notes):
            measure = row.task.metrics[metric]
            parts, unanswered = _parts(states, reopened, asked.profile, metric, measure.pooling)
            if not parts:
                continue
            yield Contender(
                name="",
                run=str(reopened.path),
                place=place,
                subject=subject,
                task=task,
                solver=solver,
                style=style,
                axes=cell[-3:],
                settings=plan.only_values | cell.own_axes,
                depends=row.values(plan),
                repeats=len(states),
                metric=metric,
                measure=measure,
                parts=parts,
                unanswered=unanswered,
                clusters_are=states[0].row.task.rows.clusters_are(states[0].row.dataset),
                groups=groups,
                of=states[0].row.task,
            )


def _groups(state: RowState, reopened: SavedRun, by: str | None) -> dict[str, tuple[str, ...]]:
    """Return the members of a group that each item of a row belongs to, as its record says, else its words."""
    row, found = state.row, dict[str, tuple[str, ...]]()
    if by is None or by not in row.task.groups.names:
        return found
    for place, number in zip(state.places, row.numbers, strict=True):
        stored = None if place == NOWHERE else reopened.samples.read(place)["groups"].get(by)
        names = row.task.groups.of(row.dataset.sample(number), by) if stored is None else stored
        found[row.dataset.item_ids[number]] = tuple(names)
    return found


def _metrics(asked: ComparisonRequest, task: Task, notes: list[str]) -> tuple[str, ...]:
    """Return the metric asked for, or those that a task is known by."""
    if asked.metric is None:
        return (asked.every and task.shown) or (comparison_metric(task.card.metrics),)
    if asked.metric in task.metrics:
        return (asked.metric,)
    notes.append(f"{task.key} has no metric {asked.metric}; it has {', '.join(task.metrics)}")
    return ()


def _parts(
    states: Sequence[RowState], reopened: SavedRun, profile: str, metric: str, pooling: Pooling
) -> tuple[dict[str, Part], dict[str, tuple[str, ...]]]:
    """Return the contribution of each item, averaged over repeats, and the items without an answer."""
    draws: dict[str, list[Part]] = {}
    unanswered: dict[str, list[str]] = {}
    for state in states:
        for item_id, outcome, part in _draws(state, reopened, profile, metric):
            draws.setdefault(item_id, []).append(part)
            if outcome != Outcome.ANSWERED:
                unanswered.setdefault(str(outcome), []).append(item_id)
    parts = {item_id: averaged(found, pooling) for item_id, found in draws.items()}
    return parts, {outcome: tuple(ids) for outcome, ids in unanswered.items()}


def _draws(state: RowState, reopened: SavedRun, profile: str, metric: str) -> Iterator[tuple[str, str, Part]]:
    """Yield every sample of a row that ended: its id, outcome and part."""
    for place in state.places:
        if place == NOWHERE:
            continue
        record = reopened.samples.read(place)
        try:
            total, weight = record["parts"][profile][metric]
        except KeyError:
            where = f"{reopened.path}: item {record['item_id']}: its record has no {profile} {metric}"
            raise UsageError(where, hint=f"score it again: tsgkit rescore {reopened.path}") from None
        yield record["item_id"], record["outcome"], Part(total, weight, record["cluster"])


def averaged(draws: Sequence[Part], pooling: Pooling) -> Part:
    """Return an item asked several times: the mean of sums and weights, or of values where items are averaged.

    >>> averaged([Part(1, 4, "tea"), Part(3, 4, "tea"), Part(0, 0, "tea")], Pooling.PER_ITEM)
    Part(sum=0.5, weight=1.0, cluster='tea')
    """
    if len(draws) == 1:
        return draws[0]
    counted = [draw.counted(pooling) for draw in draws]
    if pooling is Pooling.PER_ITEM:
        counted = [one for one in counted if one.weight]
    number = len(counted) or 1
    total, weight = math.fsum(one.sum for one in counted), math.fsum(one.weight for one in counted)
    return Part(total / number, weight / number, draws[0].cluster)


def _named(found: Sequence[Contender], paths: Sequence[Path]) -> list[Contender]:
    """Give each a name of its own: who and how, and the run where several have that row."""
    times = Counter((one.task, one.metric, one.title) for one in found)
    several = {title for (_, _, title), number in times.items() if number > 1}
    labels = _labels(paths)
    return [
        replace(one, name=f"{one.title} ({labels[one.place]})" if one.title in several else one.title) for one in found
    ]


def _labels(paths: Sequence[Path]) -> list[str]:
    """Return a unique label for each run: its folder name, else its path, else a number too."""
    names, whole = [path.name for path in paths], [str(path) for path in paths]
    if len(set(names)) == len(names):
        return names
    if len(set(whole)) == len(whole):
        return whole
    return [f"{text}, run {number}" for number, text in enumerate(whole, 1)]


def on_same_items(group: Sequence[Contender], common: bool, notes: list[str]) -> tuple[Contender, ...]:
    """Return the contenders of a task on the items that all have; ``UsageError`` where they differ and that was not
    asked.
    """
    task = group[0].task
    shared = set.intersection(*(set(one.parts) for one in group))
    most = max(len(one.parts) for one in group)
    if all(len(one.parts) == len(shared) for one in group):
        return tuple(group)
    numbers = ", ".join(f"{one.name} ({one.run}) has {len(one.parts):,}" for one in group)
    if not common:
        hint = "--common compares them on the items that all have" if shared else "evaluate them on the same items"
        raise UsageError(f"{task}: the rows have different items: {len(shared):,} in common; {numbers}", hint=hint)
    if not shared:
        raise UsageError(f"{task}: the rows have no item in common: {numbers}", hint="evaluate them on the same items")
    notes.append(f"{task}: restricted to the {len(shared):,} items that all rows have, of {most:,} at most: {numbers}")
    return tuple(_restricted(one, shared) for one in group)


def _restricted(one: Contender, items: Collection[str]) -> Contender:
    """Return the same row on some of its items."""
    unanswered = {
        outcome: kept
        for outcome, ids in one.unanswered.items()
        if (kept := tuple(item_id for item_id in ids if item_id in items))
    }
    parts = {item_id: part for item_id, part in one.parts.items() if item_id in items}
    return replace(one, parts=parts, unanswered=unanswered)


def _repeat_notes(group: Sequence[Contender]) -> list[str]:
    names: dict[int, list[str]] = {}
    for one in group:
        names.setdefault(one.repeats, []).append(one.name)
    return [
        f"{group[0].task}: {repeats} repeats, averaged per item: {', '.join(those)}"
        for repeats, those in names.items()
        if repeats > 1
    ]


def _unanswered_note(one: Contender, profile: str) -> str:
    number = sum(map(len, one.unanswered.values()))
    if not number:
        return ""
    listed = ", ".join(f"{len(ids):,} {outcome}" for outcome, ids in one.unanswered.items())
    samples = "sample has" if number == 1 else "samples have"
    return f"{one.task}: {one.name}: {number:,} {samples} no answer ({listed}); {_counted_as(one, profile)}"


def _counted_as(one: Contender, profile: str) -> str:
    """Return what becomes of samples without an answer, in words."""
    if profile == "official":
        return "official scores what text there is, none as an empty text"
    ids = {item_id for ids in one.unanswered.values() for item_id in ids}
    if not all(one.parts[item_id].weight for item_id in ids):
        return f"where nothing was said, {one.metric} has nothing to count"
    faultless = not one.measure.more_is_better and not any(one.parts[item_id].sum for item_id in ids)
    return f"{one.metric} counts no fault in them" if faultless else "they count as wrong"
