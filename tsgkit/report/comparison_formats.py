"""Comparisons and grids in every format of a report.

from tsgkit.report.grid import grid

Path("grid.tex").write_text(write(grid([Path("runs/ablation")]), "latex"))
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tsgkit.report.comparison import Comparison
from tsgkit.report.comparison_tables import (
    Sheet,
    bounds,
    comparison_document,
    comparison_value,
    item_table,
    pair_table,
    pair_value,
    terminal,
    value_and_interval,
)
from tsgkit.report.figures import NOTHING, with_interval
from tsgkit.report.formats import check_format, written
from tsgkit.report.grid import Grid, GridCell, GridRow
from tsgkit.report.plain_text import Foreign
from tsgkit.report.spreadsheet import csv_text
from tsgkit.report.table import Cell, Document, Table
from tsgkit.report.terminal import PAPER, Screen

NO_OTHERS: Mapping[str, str] = MappingProxyType({})
GRID_COLUMNS = ("task", "metric", "profile", "value", "low", "high", "difference", "p_holm", "mark")


def write(
    shown: Comparison | Grid,
    format: str,
    *,
    with_items: bool = False,
    screen: Screen = PAPER,
    runs: Mapping[str, str] = NO_OTHERS,
) -> str:
    """Return a comparison or grid in a format; a comparison perhaps with the items won and lost.

    ``runs`` holds other paths to show for runs that were merged into another place.
    """
    check_format(format)
    if format == "json":
        value = grid_value(shown) if isinstance(shown, Grid) else comparison_value(shown, with_items=with_items)
        for pair in value["comparisons"]:
            for row in (pair["first"], pair["second"]):
                row["run"] = runs.get(row["run"], row["run"])
        return json.dumps(value, indent=2) + "\n"
    if isinstance(shown, Grid):
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


def grid_document(grid: Grid) -> Document:
    """Return the grid as a table, with its notes."""
    heads = (f"{task}\n{metric}" for task, metric in zip(grid.tasks, grid.metrics, strict=True))
    rows = []
    for row in grid.rows:
        words = (NOTHING if value in (None, "") else Foreign(str(value)) for value in _who(row, grid))
        rows.append((*words, *map(_estimate, row.cells)))
    title, head = (f"Styles by tasks, {grid.profile}",), ("model", "style", *grid.axes, *heads)
    label = " ".join(["grid", *(grid.tasks if len(grid.tasks) == 1 else ())])
    notes = tuple((Foreign(note),) for note in grid.notes)
    table = Table(title, head, tuple(rows), notes, words=2 + len(grid.axes), label=label)
    return Document("Styles by tasks", (table,), tuple((line,) for line in grid.legend))


def _who(row: GridRow, grid: Grid) -> tuple[Any, ...]:
    """Return the model, the style, and the values of the axes of a row; None for an axis that it does not depend on."""
    return row.subject, row.way, *(row.axes.get(name) for name in grid.axes)


def _estimate(cell: GridCell | None) -> Cell:
    return NOTHING if cell is None else with_interval(cell.value, cell.mark)


def grid_table(grid: Grid) -> Sheet:
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


def grid_value(grid: Grid) -> dict[str, Any]:
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
