"""Output files of commands about runs: never inside a run, and never two outputs in one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import UsageError


def check_targets(files: Sequence[Path], runs: Sequence[Path]) -> None:
    """No run's folder is written into, and no two things into one file."""
    from tsgkit.runs.targets import refuse_inside_a_run

    for file in files:
        refuse_inside_a_run(file, runs)
    if len({file.resolve() for file in files}) < len(files):
        raise UsageError("two outputs name one file", hint="give each its own")
