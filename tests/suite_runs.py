"""Runs of all suites for tests of pages: the stored ones, copied, and small ones of rules and baselines."""

from __future__ import annotations

import shutil
from pathlib import Path

STORED = Path(__file__).parent / "stored_runs" / "v0_1_0"
RUNS = {
    "tsg": "tsg/complete",
    "formalimg": "formalimg/layout",
    "sceneeval": "sceneeval/rules",
    "spatialgen": "spatialgen/judged",
}
"""A stored run of each suite."""


def stored(folder: Path, name: str) -> Path:
    """Return a copy of a stored run beside its images and scenes."""
    suite, _, run = name.partition("/")
    shutil.copytree(STORED / suite, folder / suite, dirs_exist_ok=True)
    return folder / suite / run
