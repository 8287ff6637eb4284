"""Logs of Inspect: an ``.eval`` file for each task, subject and way of asking; repeats are its epochs.

Needs the extra ``inspect``. Every sample is added as a member of the archive as soon as it is read, since Inspect's own
writer keeps all of them in memory; that writer makes the rest of the log.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from tsgkit.errors import ExtraMissing
from tsgkit.report.exports.recorded_run import RecordedRun, file_name, mark_of
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import RowState

if TYPE_CHECKING:
    from pydantic import BaseModel

    from tsgkit.report.exports.inspect_samples import WrittenSamples

ENDING = ".eval"
WHAT = "logs"
SUMMARIES = "summaries.json"
COPIED = 1 << 20


def check() -> None:
    """Raise ``ExtraMissing`` where inspect_ai is not installed."""
    if find_spec("inspect_ai") is None:
        raise ExtraMissing("Inspect's logs are written", "inspect_ai", "inspect")


def names(run: RecordedRun) -> Sequence[str]:
    """Return the names of the logs, in the form TIME_TASK_WAY_ID by which Inspect lists them."""
    time = str(run.header["begun"]).replace(":", "-")
    return [_name(run, cell, time) for cell in run.logs()]


def _name(run: RecordedRun, cell: Cell, time: str) -> str:
    way = file_name(cell.subject.rpartition("/")[2], *cell.ways)
    return f"{file_name(time)}_{file_name(cell.task)}_{way}_{mark_of(run, *cell)}{ENDING}"


def write(run: RecordedRun, folder: Path) -> None:
    """Write the logs one after the other."""
    for name, (cell, states) in zip(names(run), run.logs().items(), strict=True):
        _write_log(run, cell, states, folder / name)


def _write_log(run: RecordedRun, cell: Cell, states: Sequence[RowState], file: Path) -> None:
    """Write the samples of a log, and then its head, which names them."""
    from inspect_ai.log import write_eval_log

    from tsgkit.report.exports.inspect_header import log_of

    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        written = _write_samples(run, states, archive, file.parent)
        empty = file.with_suffix(f".empty{ENDING}")
        write_eval_log(log_of(run, cell, states, written), empty)
        with ZipFile(empty) as made:
            for member in made.namelist():
                if member != SUMMARIES:
                    archive.writestr(member, made.read(member))
        empty.unlink()


def _write_samples(run: RecordedRun, states: Iterable[RowState], archive: ZipFile, beside: Path) -> WrittenSamples:
    """Write samples and their summaries into an archive, and return what its head says of them."""
    from tsgkit.report.exports.inspect_samples import WrittenSamples, sample_of

    written = WrittenSamples()
    with tempfile.TemporaryFile(dir=beside) as summaries:
        before = b"["
        for recorded in chain.from_iterable(map(run.samples_of, states)):
            sample = sample_of(recorded)
            archive.writestr(f"samples/{sample.id}_epoch_{sample.epoch}.json", _dumped(sample))
            summaries.write(before + _dumped(sample.summary()))
            before = b","
            written.add(sample)
        summaries.write(b"]")
        _copy(summaries, archive)
    return written


def _copy(summaries: IO[bytes], archive: ZipFile) -> None:
    summaries.seek(0)
    with archive.open(SUMMARIES, "w", force_zip64=True) as member:
        while part := summaries.read(COPIED):
            member.write(part)


def _dumped(value: BaseModel) -> bytes:
    """Return the JSON of a sample, or of its summary; an unknown score is NaN, as Inspect has it."""
    return value.model_dump_json(exclude_none=True).encode()
