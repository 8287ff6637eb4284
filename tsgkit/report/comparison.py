"""Comparison of rows on the same items: differences, intervals, tests, and the smallest detectable difference.

    from pathlib import Path
    from tsgkit.report.comparison import compare

    comparison = compare([Path("runs/old"), Path("runs/new")], baseline="runs/old")
    for pair in comparison.pairs:
        print(pair.first.name, pair.statistics.difference, pair.adjusted, pair.verdict)

Rows are compared on the named metric, else on those that their task is known by. Within one run all rows of a task are
compared with each other. Rows of several runs are compared with the most similar rows of the others: the same subject,
solver and style, as far as possible. With a baseline, each other row is compared with the most similar row of the
baseline. Along an axis (style, solver, shots, prompts, seed or subject) each row is compared with the one that differs
in this axis only and has its first value. p-values are Holm-corrected over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.report.comparison_rows import ComparisonRequest, Contender, ContenderGroups, gather
from tsgkit.runs.folder import HEADER
from tsgkit.runs.plan import AXES
from tsgkit.scoring import comparison
from tsgkit.scoring.intervals import Interval, interval
from tsgkit.scoring.pooling import pool
from tsgkit.scoring.significance import holm
from tsgkit.suites.scoreboard import Value

ALPHA = 0.05
NO_DIFFERENCE = "no difference shown"

Couple = tuple[Contender, Contender]


class ItemScores(NamedTuple):
    """An item with different scores in two rows."""

    item_id: str
    first: float
    second: float


@dataclass(frozen=True)
class Pair:
    """Two rows on their common items. The difference is the first's value minus the second's."""

    first: Contender
    second: Contender
    statistics: comparison.PairedComparison
    first_value: Value | None
    """The value of the first row on these items, with its own interval."""
    second_value: Value | None
    adjusted: float | None
    """p, Holm-corrected over all pairs of the comparison; None where a row has no value."""
    won: tuple[ItemScores, ...]
    lost: tuple[ItemScores, ...]
    tied: int
    one_sided: int
    """Items that weigh something in one of the rows only."""

    @property
    def difference(self) -> Value | None:
        """The difference with its interval."""
        return _value(self.statistics.difference, self.statistics.interval, self.statistics.items, self.first)

    @property
    def differs(self) -> bool:
        """True if the difference is significant."""
        return self.adjusted is not None and self.adjusted <= ALPHA

    @property
    def better(self) -> Contender | None:
        """The row that is shown to be better, if one is."""
        if not self.differs or not self.statistics.difference:
            return None
        more = self.statistics.difference > 0
        return self.first if more == self.first.measure.more_is_better else self.second

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if self.statistics.difference is None:
            return f"cannot be compared: {self.statistics.reason}"
        if self.better is not None:
            return f"{self.better.name} is better"
        return f"{NO_DIFFERENCE}: the same on every item" if self.is_same else NO_DIFFERENCE

    @property
    def is_same(self) -> bool:
        """True if the rows have the same score on every item."""
        return not (self.won or self.lost or self.one_sided)


@dataclass(frozen=True)
class ComparedRows:
    """All pairs with their rows and notes."""

    profile: str
    seed: int
    rows: tuple[Contender, ...]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]
    has_baseline: bool

    @property
    def worse(self) -> tuple[Pair, ...]:
        """Pairs whose first row is shown to be worse than its baseline, or has no value while that has one."""
        if not self.has_baseline:
            return ()
        return tuple(
            pair
            for pair in self.pairs
            if pair.better is pair.second
            or (pair.statistics.first.value is None and pair.statistics.second.value is not None)
        )


def compare(
    paths: Sequence[Path],
    *,
    tasks: Sequence[str] = (),
    metric: str | None = None,
    profile: str = "strict",
    baseline: str | None = None,
    common: bool = False,
    data: str | None = None,
    seed: int = 0,
    by: str | None = None,
) -> ComparedRows:
    """Compare the rows of runs, or of one run; ``UsageError`` where data or items differ, or there is nothing to pair.

    ``baseline`` names a run (which need not be among the others), a subject, a style or a row (subject and style).
    ``common`` restricts rows with different items to the common ones. ``by`` is a property in which alone the rows of a
    pair may differ (:data:`BY`), else a group, whose members are returned for each row's items.
    """
    along, by = (by, None) if by in BY else (None, by)
    if baseline is not None:
        if not baseline.strip():
            raise UsageError("the baseline has no name", hint="an unset variable, perhaps: --baseline SUBJECT or RUN")
        if (Path(baseline) / HEADER).is_file() and Path(baseline) not in paths:
            paths = [Path(baseline), *paths]
    gathered = gather(paths, ComparisonRequest(tuple(tasks), metric, profile, data, common, every=True, by=by))
    notes, why = [*gathered.notes], "there is no row to compare with"
    if along is not None:
        couples = along_axis(gathered, along, baseline)
        why = f"there is no row that differs in {along} alone from"
        firsts = dict.fromkeys(str(second.cell.own_axes.get(along, second.on_axis(along))) for _, second in couples)
        if firsts:
            first = f"{along} {' or '.join(firsts)}"
            notes.append(f"each pair differs in {along} alone; all others are compared with the first, {first}")
    else:
        couples = against(gathered, paths, baseline) if baseline is not None else among(gathered)
    compared = {id(row) for couple in couples for row in couple}
    for group in gathered.groups:
        alone = [row.name for row in group if id(row) not in compared]
        notes += [f"{group[0].task}: {why} {', '.join(alone)}"] if alone else []
    notes = list(dict.fromkeys(notes))
    if not couples:
        hint = f"a run with several: tsgkit eval --{along} A --{along} B" if along in RUN_AXES else MORE_ROWS
        raise UsageError("there is nothing to compare: " + "; ".join(notes), hint=hint)
    pairs = paired(couples, seed)
    has_baseline = baseline is not None or along is not None
    return ComparedRows(profile, seed, gathered.all, pairs, (*notes, *too_many(pairs)), has_baseline)


RUN_AXES = ("style", "solver", *AXES)
BY = ("subject", *RUN_AXES)
"""Properties by which rows can be paired: the rows of a pair differ in this one only."""
MORE_ROWS = "name another run or more tasks"


def along_axis(gathered: ContenderGroups, axis: str, baseline: str | None = None) -> list[Couple]:
    """Return each row and the row that differs from it in an axis alone and has the first value; of its run, if any."""
    if baseline is not None:
        raise UsageError("--by compares each with the first, so --baseline has no use", hint="leave one of them out")
    couples: list[Couple] = []
    for group in gathered.groups:
        values = [row.on_axis(axis) for row in group]
        ranks = {value: rank for rank, value in enumerate(dict.fromkeys(values)) if value is not None}
        ranked = [(ranks[value], row) for value, row in zip(values, group, strict=True) if value is not None]
        for rank, row in ranked:
            earlier = [
                (other_rank, rival)
                for other_rank, rival in ranked
                if other_rank < rank and _differ_alone(row, rival, axis)
            ]
            earlier = [(other_rank, rival) for other_rank, rival in earlier if rival.place == row.place] or earlier
            first = min((other_rank for other_rank, _ in earlier), default=0)
            couples += [(row, rival) for other_rank, rival in earlier if other_rank == first]
    return couples


def _differ_alone(row: Contender, other: Contender, axis: str) -> bool:
    """Return whether two rows have the same value on every other axis that both depend on."""
    rest = [(row.on_axis(name), other.on_axis(name)) for name in BY if name != axis]
    return all(None in pair or pair[0] == pair[1] for pair in rest)


def among(gathered: ContenderGroups) -> list[Couple]:
    """Return all pairs of rows of one run; of several runs, those of different ones that are most like each other."""
    is_one_run = len({row.place for row in gathered.all}) == 1
    return [
        (row, rival)
        for group in gathered.groups
        for row, rival in combinations(group, 2)
        if is_one_run
        or (row.place != rival.place and (_is_nearest(row, rival, group) or _is_nearest(rival, row, group)))
    ]


def _is_nearest(row: Contender, other: Contender, group: Sequence[Contender]) -> bool:
    """Return whether no row of the first one's run is more like the other."""
    return row.likeness(other) == max(mate.likeness(other) for mate in group if mate.place == row.place)


def against(gathered: ContenderGroups, paths: Sequence[Path], baseline: str) -> list[Couple]:
    """Return each row and that row of the baseline which is most like it.

    A baseline is named by its run, else by the name, title, subject or style of its rows.
    """
    runs = [number for number, path in enumerate(paths) if path == Path(baseline)]
    runs = runs or [number for number, path in enumerate(paths) if path.name == baseline]
    couples: list[Couple] = []
    is_known = False
    for group in gathered.groups:
        bases = [
            row
            for row in group
            if (row.place == runs[0] if runs else baseline in (row.name, row.title, row.subject, row.style))
        ]
        is_known = is_known or bool(bases)
        others = [row for row in group if all(row is not base for base in bases)]
        couples += [(row, _base_of(row, bases, baseline)) for row in others if bases]
    if not is_known:
        names = [name for row in gathered.all for name in (row.subject, row.name, row.run)]
        raise UsageError(f"no row is the baseline {baseline}", hint=meant(baseline, dict.fromkeys(names)))
    return couples


def _base_of(row: Contender, bases: Sequence[Contender], baseline: str) -> Contender:
    ranks = [(row.likeness(base), base.place == row.place) for base in bases]
    nearest = [base for base, rank in zip(bases, ranks, strict=True) if rank == max(ranks)]
    if len(nearest) > 1:
        names = ", ".join(base.name for base in nearest)
        where = f"{row.name} on {row.task}: several rows of the baseline {baseline} are as much like it: {names}"
        raise UsageError(where, hint=f"name one: --baseline '{nearest[0].name}'")
    return nearest[0]


def paired(couples: Sequence[Couple], seed: int) -> tuple[Pair, ...]:
    """Return the statistics of all couples, their p-values corrected for each other."""
    values = {row: value_of(row) for row in dict.fromkeys(row for couple in couples for row in couple)}
    statistics = [
        comparison.compare(first.parts, second.parts, first.measure.pooling, seed=seed, top=first.most)
        for first, second in couples
    ]
    adjusted = iter(holm([figures.test.p for figures in statistics if figures.test.p is not None]))
    return tuple(
        Pair(
            first,
            second,
            figures,
            values[first],
            values[second],
            None if figures.test.p is None else next(adjusted),
            *_items(first, second),
        )
        for (first, second), figures in zip(couples, statistics, strict=True)
    )


def too_many(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a note where there are so many pairs that drawn rearrangements cannot show anything any more."""
    drawn = [pair.statistics.test.rounds for pair in pairs if pair.statistics.test.rounds]
    if drawn and len(pairs) > ALPHA * (1 + max(drawn)):
        yield f"{len(pairs):,} comparisons are too many to show anything: take fewer rows, or a baseline"


def value_of(row: Contender) -> Value | None:
    """Return the value of a row on its metric; None where no item carries weight."""
    pooled = pool(row.parts.values(), row.measure.pooling)
    around = None if pooled.value is None else interval(row.parts.values(), row.measure.pooling, top=row.most)
    return _value(pooled.value, around, pooled.items, row)


def _value(value: float | None, around: Interval | None, items: int, row: Contender) -> Value | None:
    low, high = (None, None) if around is None else (around.low, around.high)
    return None if value is None else Value(value, low, high, items, row.measure.is_share)


def _items(first: Contender, second: Contender) -> tuple[tuple[ItemScores, ...], tuple[ItemScores, ...], int, int]:
    """Return items the first wins and loses, and how many are tied and one-sided."""
    won: list[ItemScores] = []
    lost: list[ItemScores] = []
    tied = one_sided = 0
    for item_id, mine, theirs in item_values(first, second):
        if mine is None or theirs is None:
            one_sided += 1
        elif is_tie(mine, theirs):
            tied += 1
        else:
            better = (mine > theirs) == first.measure.more_is_better
            (won if better else lost).append(ItemScores(item_id, mine, theirs))
    return tuple(won), tuple(lost), tied, one_sided


def is_tie(first: float, second: float) -> bool:
    """Return whether two scores of an item are equal but for rounding."""
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


def item_values(first: Contender, second: Contender) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield both values of every item that weighs anything, None where it weighs nothing."""
    for item_id, mine in first.parts.items():
        theirs = second.parts[item_id]
        if mine.weight or theirs.weight:
            first_value, second_value = (part.sum / part.weight if part.weight else None for part in (mine, theirs))
            yield item_id, first_value, second_value
