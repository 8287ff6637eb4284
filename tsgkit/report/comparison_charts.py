"""Comparisons arranged for a figure: differences with intervals, and items won and lost.

>>> kinds = share_out([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], more_is_better=True)
>>> list(kinds.items())
[('only the first right', 1), ('both right', 1), ('both wrong', 2), ('only the second right', 0)]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.report.charts import MOST_CATEGORIES, MOST_PANELS
from tsgkit.report.comparison import ALPHA, Comparison, Pair, item_values
from tsgkit.report.figures import points
from tsgkit.scoring.intervals import Interval

RIGHT_OR_WRONG = ("only the first right", "both right", "both wrong", "only the second right")
MORE_OR_LESS = ("the first better", "the same", "the second better")
_SLACK = 1e-9


class Difference(NamedTuple):
    """The difference of one pair: the first's value minus the second's."""

    first: str
    second: str
    value: float
    interval: Interval | None
    items: int
    is_shown: bool
    """True if the difference is significant after Holm's correction."""
    is_share: bool = True


class Differences(NamedTuple):
    """The pairs of one task and metric."""

    title: str
    measure: str
    rows: tuple[Difference, ...]


class Shares(NamedTuple):
    """The numbers of items of a pair, or of a group, that went each way."""

    label: str
    counts: tuple[int, ...]

    @property
    def items(self) -> int:
        """The number of items."""
        return sum(self.counts)


class ItemShares(NamedTuple):
    """Bars with the same divisions."""

    title: str
    kinds: tuple[str, ...]
    rows: tuple[Shares, ...]


@dataclass(frozen=True)
class ComparisonChart:
    """A figure of a comparison as data; ``notes`` name what it leaves out."""

    title: str
    panels: tuple[Differences, ...] | tuple[ItemShares, ...]
    ending: str
    notes: tuple[str, ...] = ()

    @property
    def alt(self) -> str:
        """All that the figure shows, in words."""
        told = (f"{panel.title}: {'; '.join(map(_told, _rows(panel), _kinds(panel)))}" for panel in self.panels)
        return ". ".join([self.title, *told, self.ending]) + "".join(f" Left out: {note}." for note in self.notes)


def _rows(panel: Differences | ItemShares) -> Sequence[Difference | Shares]:
    return panel.rows


def _kinds(panel: Differences | ItemShares) -> list[tuple[str, ...]]:
    return [panel.kinds if isinstance(panel, ItemShares) else ()] * len(panel.rows)


def _told(row: Difference | Shares, kinds: tuple[str, ...]) -> str:
    if isinstance(row, Shares):
        counts = ", ".join(f"{number:,} {kind}" for number, kind in zip(row.counts, kinds, strict=True))
        return f"{row.label}: {counts} (n = {row.items:,})"
    verdict = "" if row.is_shown else ", no difference shown"
    return f"{row.first} minus {row.second}: {_said(row)} (n = {row.items:,}){verdict}"


def _said(row: Difference) -> str:
    return str(points(row.value, row.interval, is_share=row.is_share))


def differences(found: Comparison) -> ComparisonChart:
    """Return the difference of every pair with its interval; of shares in points."""
    panels = tuple(
        Differences(
            f"{pairs[0].first.task}, {pairs[0].first.metric}, {found.profile}",
            f"difference{_unit(pairs[0])}{_direction(pairs[0])}",
            tuple(_difference(pair, value) for pair in pairs if (value := pair.statistics.difference) is not None),
        )
        for pairs in _by_metric(found.pairs)
    )
    ending = (
        f"Brackets hold 95 % intervals; n counts items. A difference counts as shown at p <= {ALPHA} after Holm's "
        "correction."
    )
    left_out = tuple(
        f"{pair.first.task}: {pair.first.name} minus {pair.second.name}: {pair.statistics.reason}"
        for pair in found.pairs
        if pair.statistics.difference is None
    )
    return _checked(ComparisonChart("Differences", tuple(one for one in panels if one.rows), ending, left_out))


def _difference(pair: Pair, value: float) -> Difference:
    statistics = pair.statistics
    names = pair.first.name, pair.second.name
    return Difference(*names, value, statistics.interval, statistics.items, pair.differs, pair.first.measure.is_share)


def _unit(pair: Pair) -> str:
    return " in points" if pair.first.measure.is_share else ""


def _direction(pair: Pair) -> str:
    return "" if pair.first.measure.more_is_better else ", less is better"


def _by_metric(pairs: Iterable[Pair]) -> list[list[Pair]]:
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        found.setdefault((pair.first.task, pair.first.metric), []).append(pair)
    return list(found.values())


def items(found: Comparison, by: str | None = None) -> ComparisonChart:
    """Return how many items each pair got right and wrong, or scored better; by a group that was asked for."""
    panels = tuple(panel for pairs in _by_metric(found.pairs) for panel in _item_panels(pairs, found.profile, by))
    title = f"Items by {by}" if by else "Items"
    without = dict.fromkeys(pair.first.task for pair in found.pairs if by and not pair.first.groups)
    notes = tuple(f"{task}: not grouped by {by}" for task in without)
    return _checked(ComparisonChart(title, panels, "n counts items.", notes))


def _item_panels(pairs: Sequence[Pair], profile: str, by: str | None) -> Iterator[ItemShares]:
    """Yield one panel with a bar for each pair; by a group one for each pair, with a bar for each member."""
    title = f"{pairs[0].first.task}, {pairs[0].first.metric}, {profile}"
    if by is None:
        yield _cut(title, {f"{pair.first.name} against {pair.second.name}": _both(pair) for pair in pairs}, pairs[0])
        return
    for pair in pairs:
        if pair.first.groups:
            yield _cut(f"{title}: {pair.first.name} against {pair.second.name}", _members(pair, by), pair)


def _both(pair: Pair) -> dict[str, tuple[float, float]]:
    """Return both values of the items that weigh something in both rows."""
    found = item_values(pair.first, pair.second)
    return {item: (mine, theirs) for item, mine, theirs in found if mine is not None and theirs is not None}


def _members(pair: Pair, by: str) -> dict[str, dict[str, tuple[float, float]]]:
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for item, values in _both(pair).items():
        for name in pair.first.groups.get(item, ()):
            found.setdefault(name, {})[item] = values
    names = list(found) if pair.first.of is None else pair.first.of.groups.order(found, by)
    return {f"{by} = {name}" if name.isdecimal() else name: found[name] for name in names}


def _cut(title: str, bars: Mapping[str, Mapping[str, tuple[float, float]]], pair: Pair) -> ItemShares:
    """Bars of a panel; in right and wrong where every value is one or the other."""
    more = pair.first.measure.more_is_better
    is_binary = all(value in (0.0, 1.0) for bar in bars.values() for both in bar.values() for value in both)
    rows = tuple(
        Shares(name, tuple(share_out(bar.values(), more_is_better=more, is_binary=is_binary).values()))
        for name, bar in bars.items()
    )
    return ItemShares(title, RIGHT_OR_WRONG if is_binary else MORE_OR_LESS, rows)


def share_out(values: Iterable[tuple[float, float]], *, more_is_better: bool, is_binary: bool = True) -> dict[str, int]:
    """Return how many of these values of two rows are of each kind."""
    counts = dict.fromkeys(RIGHT_OR_WRONG if is_binary else MORE_OR_LESS, 0)
    kinds = list(counts)
    for mine, theirs in values:
        if not math.isclose(mine, theirs, rel_tol=_SLACK, abs_tol=_SLACK):
            kind = kinds[0] if (mine > theirs) == more_is_better else kinds[-1]
        else:
            kind = kinds[1] if not is_binary or bool(mine) == more_is_better else kinds[2]
        counts[kind] += 1
    return counts


def _checked(chart: ComparisonChart) -> ComparisonChart:
    """``UsageError`` where there is nothing to draw, or more than a page holds."""
    panels, most = len(chart.panels), max((len(panel.rows) for panel in chart.panels), default=0)
    if not most:
        raise UsageError("there is nothing to draw" + "".join(f"; {note}" for note in chart.notes))
    if panels > MOST_PANELS or most > MOST_CATEGORIES:
        hint = "name one task and metric (--task, --metric), or a baseline"
        size = f"{panels:,} panels of up to {most:,} rows are too many for a figure"
        raise UsageError(f"{size}, at most {MOST_PANELS} of {MOST_CATEGORIES}", hint=hint)
    return chart
