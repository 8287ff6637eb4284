"""Grid of styles by tasks as a table, CSV and JSON."""

from __future__ import annotations

from typing import Any

from tsgkit.report.comparison_tables import Sheet, ends, pair_value
from tsgkit.report.figures import NOTHING, in_brackets
from tsgkit.report.grid import Grid, GridCell, GridRow
from tsgkit.report.plain_text import Foreign
from tsgkit.report.table import Cell, Document, Table

CSV_COLUMNS = ("task", "metric", "profile", "value", "low", "high", "difference", "p_holm", "mark")


def grid_document(found: Grid) -> Document:
    """Return the grid as a table, with its notes."""
    return Document("Styles by tasks", (_table(found),), tuple((line,) for line in found.legend))


def _table(found: Grid) -> Table:
    heads = (f"{task}\n{metric}" for task, metric in zip(found.tasks, found.metrics, strict=True))
    rows = tuple((*map(_word_cell, _who(row, found)), *map(_cell, row.cells)) for row in found.rows)
    head = ("model", "style", *found.axes, *heads)
    label = " ".join(["grid", *(found.tasks if len(found.tasks) == 1 else ())])
    title, words = f"Styles by tasks, {found.profile}", 2 + len(found.axes)
    return Table((title,), head, rows, tuple((Foreign(note),) for note in found.notes), words, label=label)


def _who(row: GridRow, found: Grid) -> tuple[Any, ...]:
    """Return the model, the style, and the values of the axes of a row; None for an axis that it does not depend on."""
    return row.subject, row.way, *(row.axes.get(name) for name in found.axes)


def _word_cell(value: object) -> str:
    return NOTHING if value in (None, "") else Foreign(str(value))


def _cell(cell: GridCell | None) -> Cell:
    if cell is None:
        return NOTHING
    return in_brackets(cell.value, cell.interval, is_share=cell.row.measure.is_share, mark=cell.mark)


def grid_table(found: Grid) -> Sheet:
    """Return one line for every model, style and task, under the names of its columns."""
    rows = [
        (
            *_who(row, found),
            task,
            cell.row.metric,
            found.profile,
            cell.value,
            *ends(cell.interval),
            *_against_first(cell),
        )
        for row in found.rows
        for task, cell in zip(found.tasks, row.cells, strict=True)
        if cell is not None
    ]
    return [("model", "style", *found.axes, *CSV_COLUMNS), *rows]


def _against_first(cell: GridCell) -> tuple[float | None, float | None, str]:
    if cell.pair is None:
        return None, None, ""
    return cell.pair.statistics.difference, cell.pair.adjusted, _word(cell)


def _word(cell: GridCell) -> str:
    """Return the mark as a word, which no spreadsheet takes for a number."""
    if cell.pair is None or cell.pair.better is None:
        return ""
    return "better" if cell.pair.better is cell.row else "worse"


def grid_value(found: Grid) -> dict[str, Any]:
    """Return the JSON value of a grid."""
    return {
        "profile": found.profile,
        "seed": found.seed,
        "tasks": dict(zip(found.tasks, found.metrics, strict=True)),
        "rows": [_row_value(row, found) for row in found.rows],
        "comparisons": [pair_value(pair) for pair in found.pairs],
        "legend": "; ".join(found.legend),
        "notes": list(found.notes),
    }


def _row_value(row: GridRow, found: Grid) -> dict[str, Any]:
    cells = zip(found.tasks, row.cells, strict=True)
    return {
        "subject": row.subject,
        "style": row.way or None,
        **{name: row.axes.get(name) for name in found.axes},
        "tasks": {task: _cell_value(cell) for task, cell in cells},
    }


def _cell_value(cell: GridCell | None) -> dict[str, Any] | None:
    if cell is None:
        return None
    low, high = ends(cell.interval)
    difference, adjusted, word = _against_first(cell)
    value = {"value": cell.value, "low": low, "high": high, "n": len(cell.row.parts)}
    return {**value, "difference": difference, "p_holm": adjusted, "mark": word or None}
