"""Comparisons as tables, as text for a terminal, and as JSON.

Names come from data and command lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tsgkit.report import terminal as plain
from tsgkit.report.comparison import ALPHA, Comparison, ItemScores, Pair
from tsgkit.report.comparison_rows import Contender
from tsgkit.report.figures import Estimate, in_brackets, one_of, percent, points
from tsgkit.report.plain_text import Foreign, count, inert
from tsgkit.report.table import Cell, Document, Table
from tsgkit.runs.plan import AXES
from tsgkit.scoring.intervals import Interval

Sheet = list[tuple[str | float | int | None, ...]]

PAIR_COLUMNS = (
    *("task", "metric", "profile", "first", "second", "items", "clusters"),
    *("first_value", "first_low", "first_high", "second_value", "second_low", "second_high"),
    *("difference", "low", "high", "p", "p_holm", "test", "won", "lost", "tied", "resolvable", "verdict"),
)
FIGURES = ("difference", "p", "Holm", "won", "lost", "tied", "resolvable")
ITEM_COLUMNS = ("task", "metric", "profile", "first", "second", "item_id", "first_score", "second_score", "result")


def _columns_explained(pairs: Sequence[Pair]) -> tuple[tuple[str], ...]:
    shares = {pair.first.measure.is_share for pair in pairs}
    unit = ", in points" if shares == {True} else ", of shares in points" if True in shares else ""
    return (
        (f"difference: first minus second{unit}; Holm: p corrected; won, lost, tied: items, seen from the first;",),
        ("resolvable: the smallest difference that such items would probably show",),
    )


def terminal(found: Comparison, *, with_items: bool = False, screen: plain.Screen = plain.PAPER) -> list[str]:
    """Return a block for a task with one pair, a table for one with several pairs or metrics; then the notes."""
    lines: list[str] = []
    for task in dict.fromkeys(pair.first.task for pair in found.pairs):
        pairs = [pair for pair in found.pairs if pair.first.task == task]
        lines += [*_of_task(pairs, found, screen), ""]
        if with_items:
            lines += [line for pair in pairs for line in _item_lines(pair, len(_metrics(pairs)) > 1)]
    lines += [f"note: {inert(note)}" for note in found.notes]
    unanswered = (row for row in found.rows if row.unanswered)
    about = (f"no answer, {row.task}: {inert(row.name)}: {inert(row.unanswered_ids)}" for row in unanswered)
    lines += dict.fromkeys(about)
    return [*lines, " ".join(_explanation(found))]


def _metrics(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(pair.first.metric for pair in pairs))


def _of_task(pairs: Sequence[Pair], found: Comparison, screen: plain.Screen) -> list[str]:
    if len(pairs) == 1:
        return _block(pairs[0], found.profile)
    return (_tables if len(_metrics(pairs)) == 1 else _by_metric)(pairs, found, screen)


def _explanation(found: Comparison) -> tuple[str, str]:
    units = one_of(one.clusters_are for one in found.rows)
    over = count(len(found.pairs), "comparison")
    shown = f"A difference counts as shown at p <= {ALPHA} after Holm's correction over {over}."
    return f"Brackets hold 95 % intervals over {units}.", shown


def _head(pair: Pair, profile: str) -> str:
    less = "" if pair.first.measure.more_is_better else ", less is better"
    size = f"{count(pair.statistics.items, 'item')} in {count(pair.statistics.clusters, 'cluster')}"
    return f"{pair.first.task}: {pair.first.metric}, {profile}{less}; {size}"


def _block(pair: Pair, profile: str) -> list[str]:
    found = pair.statistics
    names = [inert(row.name) for row in (pair.first, pair.second)]
    width = max(len("difference"), *map(len, names))
    values = _values(pair)
    return [
        _head(pair, profile),
        *(f"  {name:<{width}}  {value}" for name, value in zip(names, values, strict=True)),
        f"  {'difference':<{width}}  {_difference(pair)}, first minus second",
        f"  p = {_p(found.test.p)}, Holm-corrected {_p(pair.adjusted)} ({found.test.method})",
        f"  the first is better on {count(len(pair.won), 'item')}, worse on {len(pair.lost):,}, the same on "
        f"{pair.tied:,}{_one_sided(pair)}",
        f"  smallest difference that such items would probably show: {_resolvable(pair)}",
        f"  verdict: {inert(pair.verdict)}",
    ]


def _one_sided(pair: Pair) -> str:
    return f"; {pair.one_sided:,} weigh something in one row only" if pair.one_sided else ""


def _resolvable(pair: Pair) -> str:
    found = pair.statistics.resolvable
    if found.value is None:
        return f"unknown: {found.reason}"
    return percent(found.value, is_share=pair.first.measure.is_share)


def _values(pair: Pair) -> tuple[Estimate, Estimate]:
    """Return both values with their intervals."""
    found, is_share = pair.statistics, pair.first.measure.is_share
    return (
        in_brackets(found.first.value, pair.first_interval, is_share=is_share),
        in_brackets(found.second.value, pair.second_interval, is_share=is_share),
    )


def _difference(pair: Pair) -> Estimate:
    found, around = pair.statistics, pair.statistics.interval
    ends = None if around is None else (around.low, around.high)
    return points(found.difference, ends, is_share=pair.first.measure.is_share)


def _tables(pairs: Sequence[Pair], found: Comparison, screen: plain.Screen) -> list[str]:
    """Return the rows with a number each, then the pairs by their numbers."""
    values = {row: value for pair in pairs for row, value in zip((pair.first, pair.second), _values(pair), strict=True)}
    numbers = {row: number for number, row in enumerate([row for row in found.rows if row in values], 1)}
    named = tuple((f"{number}", row.name, values[row]) for row, number in numbers.items())
    lines = tuple((*_by_number(pair, numbers), *_figures(pair)) for pair in pairs)
    rows = Table((_head(pairs[0], found.profile),), ("", "row", "value"), named, words=2)
    table = Table(("pairs of rows",), ("pair", "verdict", *FIGURES), lines, _columns_explained(pairs), words=2)
    return [*plain.table(rows, screen), "", *plain.table(table, screen)]


def _by_metric(pairs: Sequence[Pair], found: Comparison, screen: plain.Screen) -> list[str]:
    """Return a line for each metric of each pair."""
    head = ("metric", "first", "second", "verdict", "first's value", "second's value", *FIGURES)
    lines = tuple(
        (
            f"{pair.first.metric}{'' if pair.first.measure.more_is_better else ' (less is better)'}",
            pair.first.name,
            pair.second.name,
            pair.verdict,
            *_values(pair),
            *_figures(pair),
        )
        for pair in pairs
    )
    title = f"{pairs[0].first.task}, {found.profile}; {_size(pairs)}"
    return list(plain.table(Table((title,), head, lines, _columns_explained(pairs), words=4), screen))


def _size(pairs: Sequence[Pair]) -> str:
    """Return how many items there are; metrics that say nothing of some of them count fewer."""
    most = max((pair.statistics for pair in pairs), key=lambda one: one.items)
    few = "" if all(pair.statistics.items == most.items for pair in pairs) else " at most"
    return f"{count(most.items, 'item')} in {count(most.clusters, 'cluster')}{few}"


def _by_number(pair: Pair, numbers: dict[Contender, int]) -> tuple[str, str]:
    better = f"{numbers[pair.better]} is better" if pair.better is not None else pair.verdict
    return f"{numbers[pair.first]} - {numbers[pair.second]}", better


def _figures(pair: Pair) -> tuple[Cell, ...]:
    found = pair.statistics
    return (
        _difference(pair),
        _p(found.test.p),
        _p(pair.adjusted),
        *(f"{number:,}" for number in (len(pair.won), len(pair.lost), pair.tied)),
        percent(found.resolvable.value, is_share=pair.first.measure.is_share),
    )


def _item_lines(pair: Pair, is_one_of_several: bool) -> Iterator[str]:
    metric = f" {pair.first.metric}" if is_one_of_several else ""
    yield f"{pair.first.task}{metric}: {inert(pair.first.name)} against {inert(pair.second.name)}"
    for word, items in (("won", pair.won), ("lost", pair.lost)):
        yield f"  {word}: {count(len(items), 'item')}"
        yield from (f"    {inert(one.item_id)}  {one.first:.3f} against {one.second:.3f}" for one in items)
    yield ""


def comparison_document(found: Comparison, *, with_items: bool = False) -> Document:
    """Return all pairs as a table, perhaps one of items, and how to read them."""
    tables = [table_of(found)]
    if with_items:
        items = tuple(tuple(map(_marked, row)) for row in item_table(found)[1:])
        label = f"items {tables[0].label.removeprefix('comparison')}"
        tables.append(Table(("Items won and lost",), ITEM_COLUMNS, items, words=6, label=label))
    brackets, shown = _explanation(found)
    return Document("Comparisons", tuple(tables), ((f"Profile {found.profile}. {brackets}",), (shown,)))


def table_of(found: Comparison) -> Table:
    """Return all pairs as one table."""
    tasks = dict.fromkeys(pair.first.task for pair in found.pairs)
    label = " ".join(["comparison", *(tasks if len(tasks) == 1 else ())])
    head = ("task", "metric", "first", "second", "verdict", "items", "clusters", "first's value", "second's value")
    rows = tuple(map(_row, found.pairs))
    notes = (*_columns_explained(found.pairs), *((Foreign(note),) for note in found.notes))
    return Table(("Comparisons",), (*head, *FIGURES), rows, notes, words=5, label=label)


def _marked(value: str | float | None) -> str:
    return Foreign(value) if isinstance(value, str) else f"{value:.3f}"


def _row(pair: Pair) -> tuple[Cell, ...]:
    found = pair.statistics
    better = (
        "" if pair.better is None else "the first is better" if pair.better is pair.first else "the second is better"
    )
    return (
        *map(Foreign, (pair.first.task, pair.first.metric, pair.first.name, pair.second.name)),
        better or pair.verdict,
        f"{found.items:,}",
        f"{found.clusters:,}",
        *_values(pair),
        *_figures(pair),
    )


def pair_table(found: Comparison) -> Sheet:
    """Return one row a pair, in fractions of 1, under the names of its columns."""
    return [PAIR_COLUMNS, *(tuple(_pair_cells(pair, found.profile)) for pair in found.pairs)]


def _pair_cells(pair: Pair, profile: str) -> Iterator[str | float | int | None]:
    found = pair.statistics
    yield from (pair.first.task, pair.first.metric, profile, pair.first.name, pair.second.name)
    yield from (found.items, found.clusters)
    yield from (found.first.value, *ends(pair.first_interval), found.second.value, *ends(pair.second_interval))
    yield from (found.difference, *ends(found.interval), found.test.p, pair.adjusted, str(found.test.method))
    yield from (len(pair.won), len(pair.lost), pair.tied, found.resolvable.value, pair.verdict)


def item_table(found: Comparison) -> Sheet:
    """Return one row an item won or lost, under the names of its columns."""
    rows: Sheet = [ITEM_COLUMNS]
    for pair in found.pairs:
        about = (pair.first.task, pair.first.metric, found.profile, pair.first.name, pair.second.name)
        rows += [(*about, *one, word) for word, items in (("won", pair.won), ("lost", pair.lost)) for one in items]
    return rows


def comparison_value(found: Comparison, *, with_items: bool = False) -> dict[str, Any]:
    """Return the JSON value of a comparison."""
    return {
        "profile": found.profile,
        "level": 0.95,
        "alpha": ALPHA,
        "seed": found.seed,
        "comparisons": [pair_value(pair, with_items=with_items) for pair in found.pairs],
        "notes": list(found.notes),
    }


def pair_value(pair: Pair, *, with_items: bool = False) -> dict[str, Any]:
    """Return the JSON value of a pair."""
    found, test = pair.statistics, pair.statistics.test
    value: dict[str, Any] = {
        "task": pair.first.task,
        "metric": pair.first.metric,
        "more_is_better": pair.first.measure.more_is_better,
        "first": _row_value(pair.first, found.first.value, pair.first_interval),
        "second": _row_value(pair.second, found.second.value, pair.second_interval),
        "items": found.items,
        "clusters": found.clusters,
        "difference": _around(found.difference, found.interval),
        "reason": found.reason,
        "p": test.p,
        "p_holm": pair.adjusted,
        "test": {"method": str(test.method), "differing": test.differing, "rounds": test.rounds},
        "won": len(pair.won),
        "lost": len(pair.lost),
        "tied": pair.tied,
        "one_sided": pair.one_sided,
        "resolvable": {"value": found.resolvable.value, "reason": found.resolvable.reason},
        "differs": pair.differs,
        "better": None if pair.better is None else "first" if pair.better is pair.first else "second",
        "verdict": pair.verdict,
    }
    if with_items:
        value["won_items"] = [_item_value(one) for one in pair.won]
        value["lost_items"] = [_item_value(one) for one in pair.lost]
    return value


def _row_value(row: Contender, value: float | None, around: Interval | None) -> dict[str, Any]:
    about = {name: getattr(row, name) for name in ("name", "run", "subject", "solver", "style", "repeats")}
    unanswered = {outcome: list(ids) for outcome, ids in row.unanswered.items()}
    about |= {name: row.cell.value[name] for name in AXES if name in row.cell.value}
    return {**about, "style": row.style or None, **_around(value, around), "unanswered": unanswered}


def _around(value: float | None, around: Interval | None) -> dict[str, float | None]:
    low, high = ends(around)
    return {"value": value, "low": low, "high": high}


def _item_value(one: ItemScores) -> dict[str, Any]:
    return one._asdict()


def ends(around: Interval | None) -> tuple[float | None, float | None]:
    """Return both ends of an interval."""
    return (None, None) if around is None else (around.low, around.high)


def _p(p: float | None) -> str:
    return "-" if p is None else f"{p:.3g}"
