"""Locations of the shipped declarations and data, in a checkout and in an installed wheel, and of the tests' rows."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tsgkit.library.projects import bundled

TASKS = Path(str(bundled("tasks")))
EVAL = Path(str(bundled("eval")))
DATA = Path(__file__).parent / "data" / "slice"
"""18 stories of tsgkit-2 as it was once, with all rows: the bundled rows may be made anew, these stay."""
POOL = TASKS / "tsg" / "data" / "few-shot"
OFFICIAL_DATA = Path(os.environ.get("TSGKIT_OFFICIAL_DATA", ""))
needs_official_data = pytest.mark.skipif(Path() == OFFICIAL_DATA, reason="TSGKIT_OFFICIAL_DATA names no folder")
