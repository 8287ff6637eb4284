"""Comparisons and grids in every format of a report.

from tsgkit.report.grid import grid

Path("grid.tex").write_text(write(grid([Path("runs/ablation")]), "latex"))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from tsgkit.report import comparison_tables, document_page, grid_table, latex
from tsgkit.report.comparison import Comparison
from tsgkit.report.formats import check_format
from tsgkit.report.grid import Grid
from tsgkit.report.plain_text import Foreign
from tsgkit.report.tables import Document
from tsgkit.report.terminal import PAPER, Screen

NO_OTHERS: Mapping[str, str] = MappingProxyType({})


class _Writers(NamedTuple):
    """Everything that formats are made of."""

    document: Callable[[], Document]
    runs: Callable[[], Iterable[str]]
    value: Callable[[], dict[str, Any]]
    terminal: Callable[[Screen], list[str]]
    markdown: Callable[[], list[str]]
    csv: Callable[[], list[str]]


def write(
    found: Comparison | Grid,
    name: str,
    *,
    with_items: bool = False,
    screen: Screen = PAPER,
    runs: Mapping[str, str] = NO_OTHERS,
) -> str:
    """Return a comparison or grid in a format; a comparison perhaps with the items won and lost.

    ``runs`` holds other paths to show for runs that were merged into another place.
    """
    check_format(name)
    writers = _of_grid(found) if isinstance(found, Grid) else _of_comparison(found, with_items=with_items)
    match name:
        case "latex":
            return latex.written(_document(writers, runs))
        case "html":
            return document_page.written(_document(writers, runs))
        case "json":
            return json.dumps(_value(writers, runs), indent=2) + "\n"
        case "markdown" | "csv":
            lines = writers.markdown() if name == "markdown" else writers.csv()
        case _:
            lines = writers.terminal(screen)
    return "\n".join(lines) + "\n"


def _document(writers: _Writers, runs: Mapping[str, str]) -> Document:
    """Return the document, which ends with the runs it is made of."""
    found, paths = writers.document(), dict.fromkeys(writers.runs())
    return replace(found, sources=tuple(("run: ", Foreign(runs.get(path, path))) for path in paths))


def _value(writers: _Writers, runs: Mapping[str, str]) -> dict[str, Any]:
    """Return the JSON value, which names the runs as the document does."""
    value = writers.value()
    for pair in value["comparisons"]:
        for row in (pair["first"], pair["second"]):
            row["run"] = runs.get(row["run"], row["run"])
    return value


def _of_grid(found: Grid) -> _Writers:
    table = grid_table
    return _Writers(
        document=lambda: table.document(found),
        runs=lambda: (cell.row.run for row in found.rows for cell in row.cells if cell is not None),
        value=lambda: table.grid_value(found),
        terminal=lambda screen: table.terminal(found, screen),
        markdown=lambda: table.markdown(found),
        csv=lambda: table.csv(found),
    )


def _of_comparison(found: Comparison, *, with_items: bool) -> _Writers:
    tables = comparison_tables
    sheet = tables.item_table if with_items else tables.pair_table
    return _Writers(
        document=lambda: tables.document(found, with_items=with_items),
        runs=lambda: (row.run for row in found.rows),
        value=lambda: tables.comparison_value(found, with_items=with_items),
        terminal=lambda screen: tables.terminal(found, with_items=with_items, screen=screen),
        markdown=lambda: tables.markdown(found, with_items=with_items),
        csv=lambda: tables.csv_lines(sheet(found)),
    )
