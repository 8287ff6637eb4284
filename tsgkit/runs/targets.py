"""Output files of what reads runs: never inside a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tsgkit.errors import FileProblem
from tsgkit.runs.folder import HEADER


def refuse_inside_a_run(file: Path, runs: Sequence[Path] = ()) -> None:
    """Raise ``FileProblem`` for a file, or a folder, that lies in a run or is one."""
    for folder in {*(path.resolve() for path in runs), *file.resolve().parents, file.resolve()}:
        if folder in (file.resolve(), *file.resolve().parents) and (folder / HEADER).is_file():
            raise FileProblem(
                f"{file}: lies in the run {folder}, whose files are not touched", hint="write to another folder"
            )
