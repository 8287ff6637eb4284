"""Write a run in a format of another tool: checked first, then written beside its place and moved there whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Protocol

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.files import FORCE, folder_beside, refuse_to_fill, require_folder
from tsgkit.report.exports.recorded_run import Done, RecordedRun, nothing, recorded_run
from tsgkit.runs.folder import refuse_inside_a_run

FORMATS = {"inspect": "inspect_logs", "parquet": "parquet_tables", "csv": "csv_tables", "jsonl": "sample_logs"}
"""The formats, and the module that writes each."""


class Format(Protocol):
    """A module that writes a format."""

    ENDING: str
    """The ending of its files."""
    WHAT: str
    """The things that it writes for a run, in the plural."""

    def check(self) -> None:
        """Raise ``ExtraMissing`` if its library is not installed."""

    def names(self, run: RecordedRun) -> Sequence[str]:
        """Return the names of the files for a run."""

    def write(self, run: RecordedRun, folder: Path) -> None:
        """Write these files into a folder."""


@dataclass(frozen=True)
class Exported:
    """The files that were written, and the number of samples in them."""

    files: tuple[Path, ...]
    samples: int
    unasked: int
    """The number of samples that the run has not asked yet; they are in none of the files."""


def export_run(
    path: Path, to: str, target: Path, *, data: str | None = None, force: bool = False, done: Done = nothing
) -> Exported:
    """Write a run in a format into a folder, or into one file if the format makes one for it.

    ``data`` overrides the place of its data; ``force`` replaces files; ``done`` is called for every sample.
    """
    format_ = format_named(to)
    format_.check()
    refuse_inside_a_run(target, [path])
    with recorded_run(path, data, done) as run:
        names = tuple(format_.names(run))
        files = tuple(target / name for name in names)
        is_one_file = target.suffix.lower() == format_.ENDING and not target.is_dir()
        if is_one_file and len(names) != 1:
            hint = f"name a folder: {target.with_suffix('')}"
            raise UsageError(f"{target}: the run gives {len(names)} {format_.WHAT}, not one file", hint=hint)
        require_folder(target)
        if is_one_file:
            files = (target,)
            if target.exists() and not force:
                raise FileProblem(f"{target}: {target.stat().st_size:,} bytes already here would be lost", hint=FORCE)
        elif target.exists() and not target.is_dir():
            raise FileProblem(f"{target}: this is a file, and several are written", hint="name a folder")
        else:
            refuse_to_fill(target, force=force)
        with _staged(target) as folder:
            format_.write(run, folder)
            for name, file in zip(names, files, strict=True):
                with (folder / name).open("rb") as stream:
                    os.fsync(stream.fileno())  # on the disk before it has its name
                file.parent.mkdir(parents=True, exist_ok=True)
                (folder / name).replace(file)
        return Exported(files, run.total, run.unasked)


def format_named(name: str) -> Format:
    """Return the module of a format; ``UsageError`` for a name that none has."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name}", hint=meant(name, FORMATS))
    module: Format = import_module(f"tsgkit.report.exports.{FORMATS[name]}")
    return module


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    """Yield a new folder beside a target; it is removed at the end, whatever happens."""
    with folder_beside(target, "exporting") as folder:
        try:
            yield folder
        except OSError as error:
            if isinstance(error.filename, str) and folder not in Path(error.filename).parents:
                raise  # something else than what is written here, such as the data
            reason = error.strerror or str(error) or type(error).__name__
            hint = "make room, or write to another disk; nothing was left here"
            raise FileProblem(f"{target}: cannot be written: {reason}", hint=hint) from None
