"""Output files of commands about runs: never inside a run, and never two outputs in one file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError


def check_targets(files: Sequence[Path], runs: Sequence[Path]) -> None:
    """No run's folder is written into, and no two things into one file."""
    from tsgkit.runs.folder import HEADER

    for file in files:
        for folder in {*(path.resolve() for path in runs), *file.resolve().parents}:
            inside = folder in file.resolve().parents
            if inside and (folder / HEADER).is_file():
                raise FileProblem(f"{file}: lies in the run {folder}, whose files are not touched",
                                  hint="write to another folder")  # fmt: skip
    if len({file.resolve() for file in files}) < len(files):
        raise UsageError("two outputs name one file", hint="give each its own")
