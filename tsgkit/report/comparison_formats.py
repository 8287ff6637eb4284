"""Comparisons and grids in every format of a report: tables, text for a terminal, CSV and JSON.

from tsgkit.report.grid import grid

Path("grid.tex").write_text(write(grid([Path("runs/ablation")]), "latex"))

Names come from data and command lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tsgkit.report import terminal as plain
from tsgkit.report.comparison import ALPHA, ComparedRows, Pair
from tsgkit.report.comparison_rows import Contender
from tsgkit.report.figures import NOTHING, one_of, percent, points, with_interval
from tsgkit.report.formats import check_format, written
from tsgkit.report.grid import GridCell, GridRow, ResultsGrid
from tsgkit.report.plain_text import Foreign, count, inert
from tsgkit.report.spreadsheet import csv_text
from tsgkit.report.table import Cell, Line, ReportDocument, Table
from tsgkit.runs.plan import AXES
from tsgkit.suites.scoreboard import Value

Sheet = list[tuple[str | float | int | None, ...]]

NO_OTHERS: Mapping[str, str] = MappingProxyType({})
PAIR_COLUMNS = (
    *("task", "metric", "profile", "first", "second", "items", "clusters"),
    *("first_value", "first_low", "first_high", "second_value", "second_low", "second_high"),
    *("difference", "low", "high", "p", "p_holm", "test", "won", "lost", "tied", "resolvable", "verdict"),
)
FIGURES = ("difference", "p", "Holm", "won", "lost", "tied", "resolvable")
ITEM_COLUMNS = ("task", "metric", "profile", "first", "second", "item_id", "first_score", "second_score", "result")
GRID_COLUMNS = ("task", "metric", "profile", "value", "low", "high", "difference", "p_holm", "mark")


def write(
    shown: ComparedRows | ResultsGrid,
    format: str,
    *,
    with_items: bool = False,
    screen: plain.Screen = plain.PAPER,
    runs: Mapping[str, str] = NO_OTHERS,
) -> str:
    """Return a comparison or grid in a format; a comparison perhaps with the items won and lost.

    ``runs`` holds other paths to show for runs that were merged into another place.
    """
    check_format(format)
    if format == "json":
        value = grid_value(shown) if isinstance(shown, ResultsGrid) else comparison_value(shown, with_items=with_items)
        for pair in value["comparisons"]:
            for row in (pair["first"], pair["second"]):
                row["run"] = runs.get(row["run"], row["run"])
        return json.dumps(value, indent=2) + "\n"
    if isinstance(shown, ResultsGrid):
        if format == "csv":
            return csv_text(grid_table(shown))
        document = grid_document(shown)
        rows = tuple(cell.row for row in shown.rows for cell in row.cells if cell is not None)
    else:
        if format == "csv":
            return csv_text(item_table(shown) if with_items else pair_table(shown))
        if format == "terminal":
            return "\n".join(terminal(shown, with_items=with_items, screen=screen)) + "\n"
        document, rows = comparison_document(shown, with_items=with_items), shown.rows
    paths = dict.fromkeys(row.run for row in rows)
    sources = tuple(("run: ", Foreign(runs.get(path, path))) for path in paths)
    return written(replace(document, sources=sources), format, screen)


def terminal(comparison: ComparedRows, *, with_items: bool = False, screen: plain.Screen = plain.PAPER) -> list[str]:
    """Return a block for a task with one pair, a table for one with several pairs or metrics; then the notes."""
    lines: list[str] = []
    for task in dict.fromkeys(pair.first.task for pair in comparison.pairs):
        pairs = [pair for pair in comparison.pairs if pair.first.task == task]
        has_metrics = len({pair.first.metric for pair in pairs}) > 1
        if len(pairs) == 1:
            lines += [*_block(pairs[0], comparison.profile), ""]
        else:
            for table in (_by_metric if has_metrics else _by_number)(pairs, comparison):
                lines += [*plain.table(table, screen), ""]
        for pair in pairs if with_items else ():
            metric = f" {pair.first.metric}" if has_metrics else ""
            lines.append(f"{task}{metric}: {inert(pair.first.name)} against {inert(pair.second.name)}")
            for word, items in (("won", pair.won), ("lost", pair.lost)):
                lines.append(f"  {word}: {count(len(items), 'item')}")
                lines += (f"    {inert(item.item_id)}  {item.first:.3f} against {item.second:.3f}" for item in items)
            lines.append("")
    lines += [f"note: {inert(note)}" for note in comparison.notes]
    unanswered = (row for row in comparison.rows if row.unanswered)
    lines += dict.fromkeys(
        f"no answer, {row.task}: {inert(row.name)}: {inert(row.unanswered_ids)}" for row in unanswered
    )
    return [*lines, " ".join(_explanation(comparison))]


def _explanation(comparison: ComparedRows) -> tuple[str, str]:
    units = one_of(row.clusters_are for row in comparison.rows)
    over = count(len(comparison.pairs), "comparison")
    shown = f"A difference counts as shown at p <= {ALPHA} after Holm's correction over {over}."
    return f"Brackets hold 95 % intervals over {units}.", shown


def _block(pair: Pair, profile: str) -> list[str]:
    """Return all figures of a pair, one below the other."""
    figures, resolvable = pair.statistics, pair.statistics.resolvable
    names = [inert(row.name) for row in (pair.first, pair.second)]
    width = max(len("difference"), *map(len, names))
    one_sided = f"; {pair.one_sided:,} weigh something in one row only" if pair.one_sided else ""
    least = percent(resolvable.value, is_share=pair.first.measure.is_share)
    least = f"unknown: {resolvable.reason}" if resolvable.value is None else least
    return [
        _head(pair, profile),
        f"  {names[0]:<{width}}  {with_interval(pair.first_value)}",
        f"  {names[1]:<{width}}  {with_interval(pair.second_value)}",
        f"  {'difference':<{width}}  {points(pair.difference)}, first minus second",
        f"  p = {_p(figures.test.p)}, Holm-corrected {_p(pair.adjusted)} ({figures.test.method})",
        f"  the first is better on {count(len(pair.won), 'item')}, worse on {len(pair.lost):,}, the same on "
        f"{pair.tied:,}{one_sided}",
        f"  smallest difference that such items would probably show: {least}",
        f"  verdict: {inert(pair.verdict)}",
    ]


def _head(pair: Pair, profile: str) -> str:
    less = "" if pair.first.measure.more_is_better else ", less is better"
    size = f"{count(pair.statistics.items, 'item')} in {count(pair.statistics.clusters, 'cluster')}"
    return f"{pair.first.task}: {pair.first.metric}, {profile}{less}; {size}"


def _by_number(pairs: Sequence[Pair], comparison: ComparedRows) -> tuple[Table, ...]:
    """Return the rows with a number each, then the pairs by their numbers."""
    values = {row: value for pair in pairs for row, value in _values(pair)}
    numbers = {row: number for number, row in enumerate([row for row in comparison.rows if row in values], 1)}
    rows = tuple((f"{number}", row.name, with_interval(values[row])) for row, number in numbers.items())
    lines = []
    for pair in pairs:
        better = f"{numbers[pair.better]} is better" if pair.better is not None else pair.verdict
        lines.append((f"{numbers[pair.first]} - {numbers[pair.second]}", better, *_figures(pair)))
    head, notes = ("pair", "verdict", *FIGURES), _columns_explained(pairs)
    return (
        Table((_head(pairs[0], comparison.profile),), ("", "row", "value"), rows, words=2),
        Table(("pairs of rows",), head, tuple(lines), notes, words=2),
    )


def _by_metric(pairs: Sequence[Pair], comparison: ComparedRows) -> tuple[Table, ...]:
    """Return a line for each metric of each pair; metrics that say nothing of some items count fewer."""
    head = ("metric", "first", "second", "verdict", "first's value", "second's value", *FIGURES)
    lines = tuple(
        (
            f"{pair.first.metric}{'' if pair.first.measure.more_is_better else ' (less is better)'}",
            *(pair.first.name, pair.second.name, pair.verdict),
            *(with_interval(value) for _, value in _values(pair)),
            *_figures(pair),
        )
        for pair in pairs
    )
    most = max((pair.statistics for pair in pairs), key=lambda figures: figures.items)
    few = "" if all(pair.statistics.items == most.items for pair in pairs) else " at most"
    size = f"{count(most.items, 'item')} in {count(most.clusters, 'cluster')}{few}"
    title = f"{pairs[0].first.task}, {comparison.profile}; {size}"
    return (Table((title,), head, lines, _columns_explained(pairs), words=4),)


def _values(pair: Pair) -> tuple[tuple[Contender, Value | None], ...]:
    """Return both rows with their values."""
    return (pair.first, pair.first_value), (pair.second, pair.second_value)


def _columns_explained(pairs: Sequence[Pair]) -> tuple[Line, ...]:
    shares = {pair.first.measure.is_share for pair in pairs}
    unit = ", in points" if shares == {True} else ", of shares in points" if True in shares else ""
    return (
        (f"difference: first minus second{unit}; Holm: p corrected; won, lost, tied: items, seen from the first;",),
        ("resolvable: the smallest difference that such items would probably show",),
    )


def _figures(pair: Pair) -> tuple[Cell, ...]:
    figures = pair.statistics
    return (
        points(pair.difference),
        _p(figures.test.p),
        _p(pair.adjusted),
        *(f"{number:,}" for number in (len(pair.won), len(pair.lost), pair.tied)),
        percent(figures.resolvable.value, is_share=pair.first.measure.is_share),
    )


def _p(p: float | None) -> str:
    return "-" if p is None else f"{p:.3g}"


def comparison_document(comparison: ComparedRows, *, with_items: bool = False) -> ReportDocument:
    """Return all pairs as a table, perhaps one of items, and how to read them."""
    tasks = dict.fromkeys(pair.first.task for pair in comparison.pairs)
    task = next(iter(tasks)) if len(tasks) == 1 else ""
    head = ("task", "metric", "first", "second", "verdict", "items", "clusters", "first's value", "second's value")
    rows = []
    for pair in comparison.pairs:
        better = "" if pair.better is None else f"the {_side(pair, pair.better)} is better"
        rows.append(
            (
                *map(Foreign, (pair.first.task, pair.first.metric, pair.first.name, pair.second.name)),
                better or pair.verdict,
                f"{pair.statistics.items:,}",
                f"{pair.statistics.clusters:,}",
                *(with_interval(value) for _, value in _values(pair)),
                *_figures(pair),
            )
        )
    notes = (*_columns_explained(comparison.pairs), *((Foreign(note),) for note in comparison.notes))
    label = f"comparison {task}".strip()
    tables = [Table(("Comparisons",), (*head, *FIGURES), tuple(rows), notes, words=5, label=label)]
    if with_items:
        items = tuple(
            tuple(Foreign(value) if isinstance(value, str) else f"{value:.3f}" for value in row)
            for row in item_table(comparison)[1:]
        )
        tables.append(Table(("Items won and lost",), ITEM_COLUMNS, items, words=6, label=f"items {task}"))
    brackets, shown = _explanation(comparison)
    return ReportDocument("Comparisons", tuple(tables), ((f"Profile {comparison.profile}. {brackets}",), (shown,)))


def _side(pair: Pair, row: Contender) -> str:
    return "first" if row is pair.first else "second"


def pair_table(comparison: ComparedRows) -> Sheet:
    """Return one row a pair, in fractions of 1, under the names of its columns."""
    rows: Sheet = [PAIR_COLUMNS]
    for pair in comparison.pairs:
        figures = pair.statistics
        rows.append(
            (
                *(pair.first.task, pair.first.metric, comparison.profile, pair.first.name, pair.second.name),
                *(figures.items, figures.clusters),
                *(end for value in (pair.first_value, pair.second_value, pair.difference) for end in bounds(value)),
                *(figures.test.p, pair.adjusted, str(figures.test.method)),
                *(len(pair.won), len(pair.lost), pair.tied, figures.resolvable.value, pair.verdict),
            )
        )
    return rows


def item_table(comparison: ComparedRows) -> Sheet:
    """Return one row an item won or lost, under the names of its columns."""
    rows: Sheet = [ITEM_COLUMNS]
    for pair in comparison.pairs:
        about = (pair.first.task, pair.first.metric, comparison.profile, pair.first.name, pair.second.name)
        rows += [(*about, *item, word) for word, items in (("won", pair.won), ("lost", pair.lost)) for item in items]
    return rows


def bounds(value: Value | None) -> tuple[float | None, float | None, float | None]:
    """Return a value and both ends of its interval."""
    return (None, None, None) if value is None else (value.value, value.low, value.high)


def comparison_value(comparison: ComparedRows, *, with_items: bool = False) -> dict[str, Any]:
    """Return the JSON value of a comparison."""
    return {
        "profile": comparison.profile,
        "level": 0.95,
        "alpha": ALPHA,
        "seed": comparison.seed,
        "comparisons": [pair_value(pair, with_items=with_items) for pair in comparison.pairs],
        "notes": list(comparison.notes),
    }


def pair_value(pair: Pair, *, with_items: bool = False) -> dict[str, Any]:
    """Return the JSON value of a pair."""
    figures, test = pair.statistics, pair.statistics.test
    value: dict[str, Any] = {
        "task": pair.first.task,
        "metric": pair.first.metric,
        "more_is_better": pair.first.measure.more_is_better,
        "first": _row_value(pair.first, pair.first_value),
        "second": _row_value(pair.second, pair.second_value),
        "items": figures.items,
        "clusters": figures.clusters,
        "difference": value_and_interval(pair.difference),
        "reason": figures.reason,
        "p": test.p,
        "p_holm": pair.adjusted,
        "test": {"method": str(test.method), "differing": test.differing, "rounds": test.rounds},
        "won": len(pair.won),
        "lost": len(pair.lost),
        "tied": pair.tied,
        "one_sided": pair.one_sided,
        "resolvable": {"value": figures.resolvable.value, "reason": figures.resolvable.reason},
        "differs": pair.differs,
        "better": None if pair.better is None else _side(pair, pair.better),
        "verdict": pair.verdict,
    }
    if with_items:
        value |= {"won_items": [item._asdict() for item in pair.won]}
        value |= {"lost_items": [item._asdict() for item in pair.lost]}
    return value


def _row_value(row: Contender, value: Value | None) -> dict[str, Any]:
    about = {name: getattr(row, name) for name in ("name", "run", "subject", "solver", "style", "repeats")}
    unanswered = {outcome: list(ids) for outcome, ids in row.unanswered.items()}
    about |= {name: row.cell.value[name] for name in AXES if name in row.cell.value}
    return {**about, "style": row.style or None, **value_and_interval(value), "unanswered": unanswered}


def value_and_interval(value: Value | None) -> dict[str, float | None]:
    """Return the JSON value of a value with its interval."""
    return dict(zip(("value", "low", "high"), bounds(value), strict=True))


def grid_document(grid: ResultsGrid) -> ReportDocument:
    """Return the grid as a table, with its notes."""
    heads = (f"{task}\n{metric}" for task, metric in zip(grid.tasks, grid.metrics, strict=True))
    rows = []
    for row in grid.rows:
        words = (NOTHING if value in (None, "") else Foreign(str(value)) for value in _who(row, grid))
        values = (NOTHING if cell is None else with_interval(cell.value, cell.mark) for cell in row.cells)
        rows.append((*words, *values))
    title, head = (f"Styles by tasks, {grid.profile}",), ("model", "style", *grid.axes, *heads)
    label = " ".join(["grid", *(grid.tasks if len(grid.tasks) == 1 else ())])
    notes = tuple((Foreign(note),) for note in grid.notes)
    table = Table(title, head, tuple(rows), notes, words=2 + len(grid.axes), label=label)
    return ReportDocument("Styles by tasks", (table,), tuple((line,) for line in grid.legend))


def _who(row: GridRow, grid: ResultsGrid) -> tuple[Any, ...]:
    """Return the model, the style, and the values of the axes of a row; None for an axis that it does not depend on."""
    return row.subject, row.way, *(row.axes.get(name) for name in grid.axes)


def grid_table(grid: ResultsGrid) -> Sheet:
    """Return one line for every model, style and task, under the names of its columns.

    The mark is a word, which no spreadsheet takes for a number.
    """
    sheet: Sheet = [("model", "style", *grid.axes, *GRID_COLUMNS)]
    for row in grid.rows:
        for task, cell in zip(grid.tasks, row.cells, strict=True):
            if cell is not None:
                about = (*_who(row, grid), task, cell.row.metric, grid.profile)
                sheet.append((*about, *bounds(cell.value), *_against_first(cell)))
    return sheet


def _against_first(cell: GridCell) -> tuple[float | None, float | None, str]:
    if cell.pair is None:
        return None, None, ""
    return cell.pair.statistics.difference, cell.pair.adjusted, cell.verdict


def grid_value(grid: ResultsGrid) -> dict[str, Any]:
    """Return the JSON value of a grid."""
    rows = []
    for row in grid.rows:
        subject, way, *axes = _who(row, grid)
        tasks: dict[str, Any] = {}
        for task, cell in zip(grid.tasks, row.cells, strict=True):
            tasks[task] = None
            if cell is not None:
                difference, adjusted, verdict = _against_first(cell)
                value = {**value_and_interval(cell.value), "n": len(cell.row.parts), "difference": difference}
                tasks[task] = {**value, "p_holm": adjusted, "mark": verdict or None}
        about = {"subject": subject, "style": way or None, **dict(zip(grid.axes, axes, strict=True))}
        rows.append({**about, "tasks": tasks})
    return {
        "profile": grid.profile,
        "seed": grid.seed,
        "tasks": dict(zip(grid.tasks, grid.metrics, strict=True)),
        "rows": rows,
        "comparisons": [pair_value(pair) for pair in grid.pairs],
        "legend": "; ".join(grid.legend),
        "notes": list(grid.notes),
    }
