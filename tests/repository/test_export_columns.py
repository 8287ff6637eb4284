"""The columns of exported tables: the manual lists exactly what the code writes."""

from __future__ import annotations

import re
from pathlib import Path

from tsgkit.report.exports.columns import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "exporting.md"


def documented() -> dict[str, list[tuple[str, ...]]]:
    """Return the columns that the manual lists, by table."""
    page = PAGE.read_text(encoding="utf-8")
    found: dict[str, list[tuple[str, ...]]] = {}
    for section in page.split("\n### ")[1:]:
        rows = re.findall(r"^\| `(\w+)` \| ([\w ]+) \| (.+) \|$", section, re.MULTILINE)
        found[section.split("\n")[0].lower()] = rows
    return found


def test_the_manual_lists_every_column() -> None:
    shared = documented()["every table"]
    for table, columns in TABLES.items():
        meant = [(one.name, str(one.kind), one.meaning) for one in columns]
        assert [*shared, *documented()[table]] == meant
