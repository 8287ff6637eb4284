"""Comparisons and grids in every format of a report.

from tsgkit.report.grid import grid

Path("grid.tex").write_text(write(grid([Path("runs/ablation")]), "latex"))
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from tsgkit.report.comparison import Comparison
from tsgkit.report.comparison_tables import comparison_document, comparison_value, item_table, pair_table, terminal
from tsgkit.report.formats import check_format, written
from tsgkit.report.grid import Grid
from tsgkit.report.grid_table import grid_document, grid_table, grid_value
from tsgkit.report.plain_text import Foreign
from tsgkit.report.spreadsheet import csv_text
from tsgkit.report.terminal import PAPER, Screen

NO_OTHERS: Mapping[str, str] = MappingProxyType({})


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
    if name == "json":
        value = grid_value(found) if isinstance(found, Grid) else comparison_value(found, with_items=with_items)
        for pair in value["comparisons"]:
            for row in (pair["first"], pair["second"]):
                row["run"] = runs.get(row["run"], row["run"])
        return json.dumps(value, indent=2) + "\n"
    if name == "csv":
        if isinstance(found, Grid):
            return csv_text(grid_table(found))
        return csv_text(item_table(found) if with_items else pair_table(found))
    if isinstance(found, Comparison):
        if name == "terminal":
            return "\n".join(terminal(found, with_items=with_items, screen=screen)) + "\n"
        document, rows = comparison_document(found, with_items=with_items), found.rows
    else:
        document = grid_document(found)
        rows = tuple(cell.row for row in found.rows for cell in row.cells if cell is not None)
    paths = dict.fromkeys(row.run for row in rows)
    sources = tuple(("run: ", Foreign(runs.get(path, path))) for path in paths)
    return written(replace(document, sources=sources), name, screen)
