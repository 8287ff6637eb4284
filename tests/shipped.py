"""Locations of the shipped declarations and data, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path

from tsgkit.library.bundle import bundled

TASKS = Path(str(bundled("tasks")))
EVAL = Path(str(bundled("eval")))
DATA = TASKS / "tsg" / "data" / "tsgkit-1"
POOL = TASKS / "tsg" / "data" / "few-shot"
