"""Locations of the shipped declarations and data, in a checkout and in an installed wheel, and of the tests' rows."""

from __future__ import annotations

from pathlib import Path

from tsgkit.library.bundle import bundled

TASKS = Path(str(bundled("tasks")))
EVAL = Path(str(bundled("eval")))
DATA = Path(__file__).parent / "data" / "slice"
"""18 stories of tsgkit-2 as it was once, with all rows: the bundled rows may be made anew, these stay."""
POOL = TASKS / "tsg" / "data" / "few-shot"
