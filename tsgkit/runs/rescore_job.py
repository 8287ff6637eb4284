"""Scoring of stored replies by the readers and metrics of this version, as a job; no model is called.

    Rescoring(Path("runs/gpt-4o-tsg-0123456789abcdef")).carry_out()

All records are replaced at once, or, after an interrupt or an error, none. Scores that take computing are made where
the executor says, and, if there are many, in processes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import Interrupted
from tsgkit.replies import READER
from tsgkit.runs.executors import Executor, Here, checked_executor, executor_named, usual_executor
from tsgkit.runs.executors.workers import NotImportable
from tsgkit.runs.folder import RECORDS, RunFolder, read_header, samples_in
from tsgkit.runs.jobs import Engine, JobWatch
from tsgkit.runs.journal import Journal
from tsgkit.runs.kept import keep, keeps_rows
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import Scoring
from tsgkit.runs.results import Result, fitting_records, results_of, states_of
from tsgkit.runs.run_setup import PlannedRow, RunSetup
from tsgkit.runs.saved_run import (
    Place,
    StoredSample,
    errors_in,
    places_of_calls,
    prepared_again,
    recorded_samples,
)
from tsgkit.suites.judgement import ItemError
from tsgkit.version import __version__

MANY = 500
"""For fewer samples whose scoring computes, no process is started."""
TOGETHER = 25
"""Samples that are scored at a time."""


class Reread(NamedTuple):
    """A sample that the present reader reads differently: outcome and answer before and after."""

    cell: Cell
    item_id: str
    before: tuple[str, Any]
    after: tuple[str, Any]


@dataclass(frozen=True)
class RescoredRun:
    """The results of a run before and after rescoring, and the samples that are read differently."""

    before: tuple[Result, ...]
    after: tuple[Result, ...]
    reader: int
    """The version of the reader before."""
    reread: tuple[Reread, ...]
    misfits: int = 0
    """The number of records that were not as they were written, or of no sample; they are in no figure before."""


class _Batch(NamedTuple):
    """Some samples of a row."""

    row: PlannedRow
    recorded: Sequence[StoredSample]


@dataclass
class Rescoring:
    """The rescoring of a run, as a job."""

    path: Path
    data: str | None = None
    executor: str | None = None

    def carry_out(self, watch: JobWatch | None = None) -> RescoredRun:
        """Score every recorded reply again, and return what changed."""
        with self._opened() as (prepared, folder, executor):
            engine = self._engine(prepared, executor, watch)
            engine.carry_out(lambda: self._replace(engine, prepared, folder, executor))
            return self._finished(engine, prepared, folder)

    async def acarry_out(self, watch: JobWatch | None = None) -> RescoredRun:
        """Do the same in the running event loop."""
        with self._opened() as (prepared, folder, executor):
            engine = self._engine(prepared, executor, watch)
            await engine.acarry_out(lambda: self._replace(engine, prepared, folder, executor))
            return self._finished(engine, prepared, folder)

    @contextmanager
    def _opened(self) -> Iterator[tuple[RunSetup, RunFolder, Executor]]:
        checked_executor(self.executor)
        header = read_header(self.path)
        prepared = prepared_again(header, self.path, self.data, cards_of_today=True, to_be="scored again")
        with closing(RunFolder(self.path, header)) as folder:
            with fitting_records(prepared.rows, folder.samples) as (records, self._misfits):
                self._before, self._readings = _results(prepared, records), _readings(records)
                self._errors = errors_in(records)
            computing = sum(len(row.numbers) for row in prepared.rows if row.task.computes == "scoring")
            with executor_named(self.executor or usual_executor(computing, MANY)) as executor:
                yield prepared, folder, executor

    def _engine(self, prepared: RunSetup, executor: Executor, watch: JobWatch | None) -> Engine:
        total = sum(len(row.numbers) for row in prepared.rows)
        return Engine(watch=watch or JobWatch(), noun="part", title="rescoring", expected=total, executor=executor)

    async def _replace(self, engine: Engine, prepared: RunSetup, folder: RunFolder, executor: Executor) -> None:
        for row in prepared.rows:
            if row.task.computes == "scoring":
                try:
                    executor.check(row.scoring)
                except NotImportable:
                    if self.executor is not None:
                        raise
                    executor = Here()
        with folder.samples.replacing() as put:

            async def scored(batch: _Batch) -> list[bytes]:
                if batch.row.task.computes == "scoring":
                    return await _scored_by(executor, batch.row.scoring, batch.recorded)
                await asyncio.sleep(0)  # an interrupt wants to be heard
                return lines_of(batch.row.scoring, batch.recorded)

            def put_all(lines: list[bytes]) -> None:
                for line in lines:
                    put(line)

            batches = _batches(prepared.rows, self.path, self._errors)
            await engine.streamed(batches, scored, put_all, workers=executor.workers, steps=len)

    def _finished(self, engine: Engine, prepared: RunSetup, folder: RunFolder) -> RescoredRun:
        if engine.interrupted:
            raise Interrupted(f"interrupted: {self.path} is as it was")
        after, readings, reader = _results(prepared, folder.samples), _readings(folder.samples), folder.header["reader"]
        folder.update_header(**{"tsgkit": __version__, "reader": READER, RECORDS: len(readings)})
        keep(prepared, self.path, rows=keeps_rows(self.path))
        changed = (sample for sample, read in readings.items() if read != self._readings.get(sample, read))
        reread = tuple(Reread(*sample, self._readings[sample], readings[sample]) for sample in changed)
        return RescoredRun(self._before, after, reader, reread, self._misfits)


def _results(prepared: RunSetup, samples: Journal) -> tuple[Result, ...]:
    return results_of(states_of(prepared.rows, samples), samples, prepared.plan.at("seed"))


def _readings(samples: Journal) -> dict[Place, tuple[str, Any]]:
    """Return the outcome and the answer of every record."""
    return {
        (Cell.of(value), value["item_id"]): (value["outcome"], value["answer"]) for _, value in samples_in(samples.path)
    }


def _batches(rows: Sequence[PlannedRow], path: Path, errors: Mapping[Place, bytes]) -> Iterator[_Batch]:
    places = places_of_calls(path)
    for row in rows:
        samples = recorded_samples(row, path, errors, places)
        while batch := list(islice(samples, TOGETHER)):
            yield _Batch(row, batch)


def lines_of(scoring: Scoring, recorded: Sequence[StoredSample]) -> list[bytes]:
    """Return the records of samples, in their order."""
    return [sample.line(scoring) for sample in recorded]


async def _scored_by(executor: Executor, scoring: Scoring, recorded: Sequence[StoredSample]) -> list[bytes]:
    """Return the records of samples that an executor scores. One that kills its workers is an error of its own."""
    try:
        lines: list[bytes] = await executor.run(lines_of, scoring, recorded)
    except ItemError as error:
        if len(recorded) > 1:
            return [line for sample in recorded for line in await _scored_by(executor, scoring, [sample])]
        return [recorded[0].failed(scoring, str(error))]
    return lines
