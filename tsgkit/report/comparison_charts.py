"""Comparisons arranged for a figure: differences with intervals, and items won and lost.

>>> kinds = share_out([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)], more_is_better=True)
>>> list(kinds.items())
[('only the first right', 1), ('both right', 1), ('both wrong', 2), ('only the second right', 0)]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tsgkit.errors import UsageError
from tsgkit.report.charts import COUNTED, WITH_INTERVALS, Bar, Bars, Chart, Mark, Panel, Series
from tsgkit.report.comparison import ALPHA, Comparison, Pair, item_values
from tsgkit.suites.scoreboard import Value

RIGHT_OR_WRONG = ("only the first right", "both right", "both wrong", "only the second right")
MORE_OR_LESS = ("the first better", "the same", "the second better")
_SLACK = 1e-9


def differences(found: Comparison) -> Chart[Panel]:
    """Return the difference of every pair, the first's value minus the second's, with its interval."""
    panels = [panel for pairs in _by_metric(found.pairs) if (panel := _panel(pairs, found.profile)).categories]
    ending = f"{WITH_INTERVALS} A difference counts as shown at p <= {ALPHA} after Holm's correction."
    left_out = tuple(
        f"{pair.first.task}: {_minus(pair)}: {pair.statistics.reason}"
        for pair in found.pairs
        if pair.statistics.difference is None
    )
    if not panels:
        raise UsageError("there is nothing to draw" + "".join(f"; {note}" for note in left_out))
    return Chart("Differences", tuple(panels), left_out, ending)


def _panel(pairs: Sequence[Pair], profile: str) -> Panel:
    """Return the differences of the pairs of one task and metric; of shares in points."""
    first = pairs[0].first
    marks = tuple(_mark(pair, value) for pair in pairs if (value := pair.statistics.difference) is not None)
    unit = " in points" if first.measure.is_share else ""
    return Panel(
        title=f"{first.task}, {first.metric}, {profile}",
        by="",
        axis="",
        measure=f"difference{unit}{'' if first.measure.more_is_better else ', less is better'}",
        categories=tuple(mark.category for mark in marks),
        is_share=first.measure.is_share,
        series=(Series("", marks),),
        is_difference=True,
    )


def _mark(pair: Pair, value: float) -> Mark:
    around, items = pair.statistics.interval, pair.statistics.items
    low, high = (None, None) if around is None else (around.low, around.high)
    return Mark(_minus(pair), Value(value, low, high, items, pair.first.measure.is_share), items, pair.differs)


def _minus(pair: Pair) -> str:
    return f"{pair.first.name} minus {pair.second.name}"


def _by_metric(pairs: Iterable[Pair]) -> list[list[Pair]]:
    found: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        found.setdefault((pair.first.task, pair.first.metric), []).append(pair)
    return list(found.values())


def items(found: Comparison, by: str | None = None) -> Chart[Bars]:
    """Return how many items each pair got right and wrong, or scored better; by a group that was asked for."""
    panels = tuple(panel for pairs in _by_metric(found.pairs) for panel in _item_panels(pairs, found.profile, by))
    title = f"Items by {by}" if by else "Items"
    without = dict.fromkeys(pair.first.task for pair in found.pairs if by and not pair.first.groups)
    notes = tuple(f"{task}: not grouped by {by}" for task in without)
    if not any(panel.rows for panel in panels):
        raise UsageError("there is nothing to draw" + "".join(f"; {note}" for note in notes))
    return Chart(title, panels, notes, COUNTED)


def _item_panels(pairs: Sequence[Pair], profile: str, by: str | None) -> Iterator[Bars]:
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


def _cut(title: str, bars: Mapping[str, Mapping[str, tuple[float, float]]], pair: Pair) -> Bars:
    """Bars of a panel; in right and wrong where every value is one or the other."""
    more = pair.first.measure.more_is_better
    is_binary = all(value in (0.0, 1.0) for bar in bars.values() for both in bar.values() for value in both)
    rows = tuple(
        Bar(name, tuple(share_out(bar.values(), more_is_better=more, is_binary=is_binary).values()))
        for name, bar in bars.items()
    )
    return Bars(title, "items (%)", RIGHT_OR_WRONG if is_binary else MORE_OR_LESS, rows)


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
