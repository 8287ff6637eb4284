"""Comparison of rows on the same items: differences, intervals, tests, and the smallest detectable difference.

    from pathlib import Path
    from tsgkit.report.comparison import compare

    found = compare([Path("runs/old"), Path("runs/new")], baseline="runs/old")
    for one in found.pairs:
        print(one.first.name, one.statistics.difference, one.adjusted, one.verdict)

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
from typing import NamedTuple, TypedDict

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.report.comparison_rows import ComparisonRequest, Contender, ContenderGroups, gather
from tsgkit.runs.folder import HEADER
from tsgkit.runs.plan import AXES
from tsgkit.scoring import comparison
from tsgkit.scoring.intervals import Interval, interval
from tsgkit.scoring.pooling import Part
from tsgkit.scoring.significance import holm

ALPHA = 0.05
NO_DIFFERENCE = "no difference shown"
_SLACK = 1e-9

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
    statistics: comparison.Comparison
    first_interval: Interval | None
    second_interval: Interval | None
    adjusted: float | None
    """p, Holm-corrected over all pairs of the comparison; None where a row has no value."""
    won: tuple[ItemScores, ...]
    lost: tuple[ItemScores, ...]
    tied: int
    one_sided: int
    """Items that weigh something in one of the rows only."""

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
        """In words."""
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
class Comparison:
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
    along: str | None = None,
) -> Comparison:
    """Compare the rows of runs, or of one run; ``UsageError`` where data or items differ, or there is nothing to pair.

    ``baseline`` names a run (which need not be among the others), a subject, a style or a row (subject and style).
    ``common`` restricts rows with different items to the common ones. ``by`` returns the groups of each row's items.
    ``along`` is an axis in which alone the rows of a pair may differ.
    """
    if baseline is not None and not baseline.strip():
        raise UsageError("the baseline has no name", hint="an unset variable, perhaps: --baseline SUBJECT or RUN")
    paths = _with_baseline(paths, baseline)
    gathered = gather(paths, ComparisonRequest(tuple(tasks), metric, profile, data, common, every=True, by=by))
    if along is not None:
        couples = along_axis(gathered, along, baseline)
    else:
        couples = against(gathered, paths, baseline) if baseline is not None else among(gathered)
    told = [_first_of(couples, along)] if along is not None and couples else []
    notes = tuple(dict.fromkeys((*gathered.notes, *told, *_left_out(gathered, couples, along))))
    if not couples:
        hint = f"a run with several: tsgkit eval --{along} A --{along} B" if along in RUN_AXES else MORE_ROWS
        raise UsageError("there is nothing to compare: " + "; ".join(notes), hint=hint)
    pairs = paired(couples, seed)
    has_baseline = baseline is not None or along is not None
    return Comparison(profile, seed, gathered.all, pairs, (*notes, *too_many(pairs)), has_baseline)


def _with_baseline(paths: Sequence[Path], baseline: str | None) -> Sequence[Path]:
    """Return the runs, and before them a run that is named as the baseline only."""
    if not baseline or not (Path(baseline) / HEADER).is_file() or Path(baseline) in paths:
        return paths
    return [Path(baseline), *paths]


RUN_AXES = ("style", "solver", *AXES)
BY = ("subject", *RUN_AXES)
"""Properties by which rows can be paired: the rows of a pair differ in this one only."""
MORE_ROWS = "name another run or more tasks"


class _By(TypedDict, total=False):
    by: str | None
    along: str | None


def by_option(name: str | None) -> _By:
    """Return the meaning of ``--by NAME`` for :func:`compare`: an axis of the plan, else a group of items."""
    return {"along": name} if name in BY else {"by": name}


def along_axis(gathered: ContenderGroups, axis: str, baseline: str | None = None) -> list[Couple]:
    """Return each row and the row that differs from it in an axis alone and has the first value; of its run, if any."""
    if axis not in BY:
        raise UsageError(f"--by {axis}: nothing to compare rows by", hint=meant(axis, BY))
    if baseline is not None:
        raise UsageError("--by compares each with the first, so --baseline has no use", hint="leave one of them out")
    couples: list[Couple] = []
    for group in gathered.groups:
        values = [one.on_axis(axis) for one in group]
        ranks = {value: rank for rank, value in enumerate(dict.fromkeys(values)) if value is not None}
        ranked = [(ranks[value], one) for value, one in zip(values, group, strict=True) if value is not None]
        for mine, one in ranked:
            earlier = [(rank, row) for rank, row in ranked if rank < mine and _differ_alone(row, one, axis)]
            earlier = [(rank, row) for rank, row in earlier if row.place == one.place] or earlier
            first = min((rank for rank, _ in earlier), default=0)
            couples += [(one, row) for rank, row in earlier if rank == first]
    return couples


def _differ_alone(one: Contender, other: Contender, axis: str) -> bool:
    """Return whether two rows have the same value on every other axis that both depend on."""
    rest = [(one.on_axis(name), other.on_axis(name)) for name in BY if name != axis]
    return all(None in pair or pair[0] == pair[1] for pair in rest)


def _first_of(couples: Sequence[Couple], axis: str) -> str:
    firsts = dict.fromkeys(str(second.cell.own_axes.get(axis, second.on_axis(axis))) for _, second in couples)
    return f"each pair differs in {axis} alone; all others are compared with the first, {axis} {' or '.join(firsts)}"


def among(gathered: ContenderGroups) -> list[Couple]:
    """Return all pairs of rows of one run; of several runs, those of different ones that are most like each other."""
    couples: list[Couple] = []
    for group in gathered.groups:
        if len({one.place for one in gathered.all}) == 1:
            couples += combinations(group, 2)
            continue
        couples += [
            (one, other)
            for one, other in combinations(group, 2)
            if one.place != other.place and (_is_nearest(one, other, group) or _is_nearest(other, one, group))
        ]
    return couples


def _is_nearest(one: Contender, other: Contender, group: Sequence[Contender]) -> bool:
    """Return whether no row of one's run is more like the other."""
    return one.likeness(other) == max(row.likeness(other) for row in group if row.place == one.place)


def against(gathered: ContenderGroups, paths: Sequence[Path], baseline: str) -> list[Couple]:
    """Return each row and that row of the baseline which is most like it."""
    couples: list[Couple] = []
    found = False
    for group in gathered.groups:
        bases = [one for one in group if _is_meant(one, baseline, paths)]
        found = found or bool(bases)
        others = [one for one in group if all(one is not base for base in bases)]
        couples += [(one, _base_of(one, bases, baseline)) for one in others if bases]
    if not found:
        names = [name for one in gathered.all for name in (one.subject, one.name, one.run)]
        raise UsageError(f"no row is the baseline {baseline}", hint=meant(baseline, dict.fromkeys(names)))
    return couples


def _is_meant(one: Contender, baseline: str, paths: Sequence[Path]) -> bool:
    """Return whether a name refers to a row: by its run, its own title, its subject or its style."""
    runs = [place for place, path in enumerate(paths) if path == Path(baseline)]
    if not runs:
        runs = [place for place, path in enumerate(paths) if path.name == baseline]
    if runs:
        return one.place == runs[0]
    return baseline in (one.name, one.title, one.subject, one.style)


def _base_of(one: Contender, bases: Sequence[Contender], baseline: str) -> Contender:
    ranks = [(one.likeness(base), base.place == one.place) for base in bases]
    nearest = [base for base, rank in zip(bases, ranks, strict=True) if rank == max(ranks)]
    if len(nearest) > 1:
        names = ", ".join(base.name for base in nearest)
        where = f"{one.name} on {one.task}: several rows of the baseline {baseline} are as much like it: {names}"
        raise UsageError(where, hint=f"name one: --baseline '{nearest[0].name}'")
    return nearest[0]


def _left_out(gathered: ContenderGroups, couples: Sequence[Couple], axis: str | None = None) -> Iterator[str]:
    why = "there is no row to compare with" if axis is None else f"there is no row that differs in {axis} alone from"
    compared = {id(one) for couple in couples for one in couple}
    for group in gathered.groups:
        alone = [one.name for one in group if id(one) not in compared]
        if alone:
            yield f"{group[0].task}: {why} {', '.join(alone)}"


def paired(couples: Sequence[Couple], seed: int) -> tuple[Pair, ...]:
    """Return the statistics of all couples, their p-values corrected for each other."""
    rows = dict.fromkeys(row for couple in couples for row in couple)
    around = {one: interval_of(one) for one in rows}
    found = [
        comparison.compare(first.parts, second.parts, first.measure.pooling, seed=seed, top=first.most)
        for first, second in couples
    ]
    adjusted = iter(holm([one.test.p for one in found if one.test.p is not None]))
    return tuple(
        Pair(
            first,
            second,
            one,
            around[first],
            around[second],
            None if one.test.p is None else next(adjusted),
            *_items(first, second),
        )
        for (first, second), one in zip(couples, found, strict=True)
    )


def too_many(pairs: Sequence[Pair]) -> Iterator[str]:
    """Yield a note where there are so many pairs that drawn rearrangements cannot show anything any more."""
    drawn = [pair.statistics.test.rounds for pair in pairs if pair.statistics.test.rounds]
    if drawn and len(pairs) > ALPHA * (1 + max(drawn)):
        yield f"{len(pairs):,} comparisons are too many to show anything: take fewer rows, or a baseline"


def interval_of(one: Contender) -> Interval | None:
    """Return the interval of a row's own value."""
    if not any(part.weight for part in one.parts.values()):
        return None
    return interval(one.parts.values(), one.measure.pooling, top=one.most)


def _items(first: Contender, second: Contender) -> tuple[tuple[ItemScores, ...], tuple[ItemScores, ...], int, int]:
    """Return items the first wins and loses, and how many are tied and one-sided."""
    won: list[ItemScores] = []
    lost: list[ItemScores] = []
    tied = one_sided = 0
    for item_id, mine, theirs in item_values(first, second):
        if mine is None or theirs is None:
            one_sided += 1
        elif math.isclose(mine, theirs, rel_tol=_SLACK, abs_tol=_SLACK):
            tied += 1
        else:
            better = (mine > theirs) == first.measure.more_is_better
            (won if better else lost).append(ItemScores(item_id, mine, theirs))
    return tuple(won), tuple(lost), tied, one_sided


def item_values(first: Contender, second: Contender) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield both values of every item that weighs anything."""
    for item_id, mine in first.parts.items():
        theirs = second.parts[item_id]
        if mine.weight or theirs.weight:
            yield item_id, _value(mine), _value(theirs)


def _value(part: Part) -> float | None:
    return part.sum / part.weight if part.weight else None
