"""Write a run in a format of another tool: checked first, then written beside its place and moved there whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.files import FORCE, folder_beside, refuse_to_fill, require_folder
from tsgkit.report.exports import inspect_logs, sample_logs, tables
from tsgkit.report.exports.exported_run import Done, ExportedRun, nothing, whole
from tsgkit.runs.folder import refuse_inside_a_run
from tsgkit.runs.saved_run import open_saved_run


@dataclass(frozen=True)
class ExportFormat:
    """A format of another tool."""

    ending: str
    """The ending of its files."""
    noun: str
    """The things that it writes for a run, in the plural."""
    names: Callable[[ExportedRun], Sequence[str]]
    """Returns the names of the files for a run."""
    write: Callable[[ExportedRun, Path], None]
    """Writes these files into a folder."""
    library: tuple[str, str, str] = ("", "", "")
    """The words for writing it, the library that it needs, and the extra that has it; empty where it needs none."""


FORMATS = {
    "inspect": ExportFormat(
        inspect_logs.ENDING,
        "logs",
        inspect_logs.names,
        inspect_logs.write,
        ("Inspect's logs are written", "inspect_ai", "inspect"),
    ),
    "parquet": ExportFormat(
        tables.PARQUET,
        "tables",
        lambda _: [f"{table}{tables.PARQUET}" for table in tables.TABLES],
        tables.write_parquet,
        ("Parquet is written", "pyarrow", "parquet"),
    ),
    "csv": ExportFormat(
        tables.CSV, "tables", lambda _: [f"{table}{tables.CSV}" for table in tables.TABLES], tables.write_csv
    ),
    "jsonl": ExportFormat(sample_logs.ENDING, "files", sample_logs.names, sample_logs.write),
}


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
    if to not in FORMATS:
        raise UsageError(f"there is no format {to}", hint=meant(to, FORMATS))
    format_ = FORMATS[to]
    if format_.library[1] and find_spec(format_.library[1]) is None:
        raise ExtraMissing(*format_.library)
    refuse_inside_a_run(target, [path])
    with open_saved_run(path, data) as opened:
        run = ExportedRun(opened, whole, done)
        if not run.total:
            hint = "the command that began it goes on with it: tsgkit runs show has it"
            raise UsageError(f"{path}: no sample of this run has an answer yet, so nothing can be exported", hint=hint)
        names = tuple(format_.names(run))
        files = tuple(target / name for name in names)
        is_one_file = target.suffix.lower() == format_.ending and not target.is_dir()
        if is_one_file and len(names) != 1:
            hint = f"name a folder: {target.with_suffix('')}"
            raise UsageError(f"{target}: the run gives {len(names)} {format_.noun}, not one file", hint=hint)
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
