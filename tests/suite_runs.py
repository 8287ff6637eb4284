"""Runs of all suites for tests of pages: stored ones, copied, and one of the example replies."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from reported import example_run
from tsg_tasks import TASKS

STORED = Path(__file__).parent / "stored_runs" / "v0_1_0"
RUNS = {
    "tsg": "tsg/replies",
    "formalimg": "formalimg/layout",
    "sceneeval": "sceneeval/rules",
    "spatialgen": "spatialgen/judged",
}


def stored(folder: Path, name: str) -> Path:
    """Return a copy of a stored run beside its images and scenes; that of tsg is made of the example replies."""
    suite, _, run = name.partition("/")
    if suite == "tsg":  # in a thread, since a browser has an event loop in this one
        return ThreadPoolExecutor(1).submit(example_run, folder / run, *TASKS, styles=["zero-shot", "cot"]).result()
    shutil.copytree(STORED / suite, folder / suite, dirs_exist_ok=True)
    return folder / suite / run
