"""Saved runs, opened to be shown, rescored or reported without asking a model.

Data, tasks and metrics are the present ones; the data must be those of the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card, load_card
from tsgkit.library.datasets import shipped_datasets
from tsgkit.llm.reply import Reply, reply_from
from tsgkit.llm.secrets import Secrets
from tsgkit.replies import READER
from tsgkit.runs.folder import CALLS, PROMPTS, SAMPLES, SHARD, RunFolder, read_header
from tsgkit.runs.item_errors import judge, written
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell, cells_of
from tsgkit.runs.results import Result, results_of
from tsgkit.runs.run_files import calls_in, check_evaluation, prompts_in, samples_in
from tsgkit.runs.run_setup import Row, RunSetup, chosen_numbers, in_shard, row_of
from tsgkit.runs.shards import shard_of
from tsgkit.runs.state import RowState, states_of
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.suite import task_of
from tsgkit.suites.task import Dataset, Task
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript
from tsgkit.version import __version__

Place = tuple[Cell, str]


@dataclass(frozen=True)
class SavedRun:
    """A saved run."""

    path: Path
    header: dict[str, Any]
    prepared: RunSetup
    states: Mapping[Cell, RowState]
    samples: Journal

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of all rows, from the records."""
        return results_of(self.states, self.samples, self.prepared.plan.at("seed"))


def open_saved_run(path: Path, data: str | None = None, *, only: Collection[str] = ()) -> SavedRun:
    """Open a run for reading. ``data`` overrides the paths of its data; ``only`` selects tasks."""
    header = read_header(path)
    prepared = prepared_again(header, path, data, only=only)
    samples = Journal(path / SAMPLES, writes=False)
    return SavedRun(path, header, prepared, states_of(prepared.rows, samples), samples)


def prepared_again(
    header: Mapping[str, Any], path: Path, data: str | None = None, *, only: Collection[str] = ()
) -> RunSetup:
    """Return the rows of a run without those who answered; ``UsageError`` where the data are others."""
    plan = check_evaluation(header, path)
    if only:
        plan = plan.model_copy(update={"tasks": tuple(name for name in plan.tasks if name in only)})
    tasks = {name: task_of(_card(name)) for name in plan.tasks}
    asked = header["asked"]["data"]
    datasets = {
        name: _dataset(task, plan.data if data is None else data, asked.get(name)) for name, task in tasks.items()
    }
    for name, dataset in datasets.items():
        if asked.get(name) not in (None, dataset.sha256):
            hint = "name where they lie now: --data D (tsgkit audit: DATA), or nothing if they never moved"
            raise UsageError(f"{path}: {dataset.file}: not the data that were asked about", hint=hint)
    chosen = chosen_numbers(plan, datasets, is_part=bool(only))
    recorded = cache(lambda task, solver, style: tasks[task].recorded(solver, style))
    rows = tuple(
        row_of(cell, plan, tasks, recorded(cell.task, cell.solver, cell.style), datasets, chosen)
        for cell in cells_of(plan, tasks)
        if chosen[cell.task]
    )
    prepared = RunSetup(plan, rows, {}, Secrets(), dict(header["asked"]))
    return in_shard(prepared, shard_of(header[SHARD])) if SHARD in header else prepared


def _dataset(task: Task, data: str | None, asked: str | None) -> Dataset:
    """Return the data of a run; where it named none, those that were the default when it began."""
    found = task.dataset(data)
    if data is None and asked not in (None, found.sha256):
        for name in shipped_datasets(task.key.partition("/")[0]):
            other = task.dataset(name)
            if other.sha256 == asked:
                return other
    return found


def _card(name: str) -> Card:
    try:
        return load_card(name)
    except UsageError as error:
        hint = "load a task of your own first, with --code FILE or tsgkit.Task(...), or install its package"
        raise UsageError(error.message, hint=hint) from None


class Reread(NamedTuple):
    """A sample that the present reader reads differently: outcome and answer before and after."""

    cell: Cell
    item_id: str
    before: tuple[str, Any]
    after: tuple[str, Any]


@dataclass(frozen=True)
class Rescored:
    """The results of a run before and after rescoring, and the samples that are read differently."""

    before: tuple[Result, ...]
    after: tuple[Result, ...]
    reader: int
    """The version of the reader before."""
    reread: tuple[Reread, ...]


def reader_of(header: Mapping[str, Any]) -> int:
    """Return the version of the reader that scored a run; the first runs do not name one."""
    return int(header.get("reader", 1))


def rescore(path: Path, data: str | None = None) -> Rescored:
    """Score every recorded reply again with today's readers and metrics.

    All records are replaced at once; no model is called.
    """
    header = read_header(path)
    prepared = prepared_again(header, path, data)
    folder = RunFolder(path, header)
    try:
        before = results_of(states_of(prepared.rows, folder.samples), folder.samples, prepared.plan.at("seed"))
        read_before, reader = _read_in(folder.samples), reader_of(folder.header)
        folder.samples.replace(records_from_calls(prepared.rows, path, _errors_in(folder.samples)))
        after = results_of(states_of(prepared.rows, folder.samples), folder.samples, prepared.plan.at("seed"))
        read_now = _read_in(folder.samples)
        folder.update_header(tsgkit=__version__, reader=READER)
    finally:
        folder.close()
    changed = (place for place, read in read_now.items() if place in read_before and read != read_before[place])
    return Rescored(
        before, after, reader, tuple(Reread(*place, read_before[place], read_now[place]) for place in changed)
    )


def _read_in(samples: Journal) -> dict[Place, tuple[str, Any]]:
    """Return the outcome and the answer of every record."""
    return {
        (Cell.of(value), value["item_id"]): (value["outcome"], value["answer"]) for _, value in samples_in(samples.path)
    }


def _errors_in(samples: Journal) -> dict[Place, bytes]:
    """Return the records of samples that ended in an exception; most have no calls in full."""
    found: dict[Place, bytes] = {}
    for where, value in samples_in(samples.path):
        if value["outcome"] == Outcome.ERROR:
            found[Cell.of(value), value["item_id"]] = samples.line(where)
    return found


class Places(Protocol):
    """The positions of the calls of samples in a file."""

    def get(self, sample: Place, default: Sequence[int], /) -> Sequence[int]:
        """Return where those of one sample lie."""


def records_from_calls(
    rows: Iterable[Row], path: Path, errors: Mapping[Place, bytes] | None = None, places: Places | None = None
) -> Iterator[bytes]:
    """Score every sample of some rows whose calls are recorded in full; yield the records in order.

    ``errors`` holds the records of samples without such calls; ``places`` the positions of calls, if known.
    """
    places = places_of_calls(path) if places is None else places
    calls = Journal(path / CALLS, writes=False)
    for row in rows:
        for number in row.numbers:
            sample = row.dataset.sample(number)
            lines = places.get((row.cell, sample.item_id), ())
            transcript = transcript_of(calls.read(place) for place in lines)
            if lines and not row.solver.unfinished(transcript):
                yield written(row, judge(row, sample, transcript), transcript)[1]
            elif (kept := (errors or {}).get((row.cell, sample.item_id))) is not None:
                yield kept


class RecordedCalls:
    """The calls of a run and their prompts, found by sample; only their positions are kept in memory."""

    def __init__(self, path: Path) -> None:
        """Find all that is recorded so far."""
        self.path = path
        self.places: dict[Place, list[int]] = {}
        """Where the calls of each sample lie."""
        self._prompts: dict[str, int] = {}
        self._read_to = {CALLS: 0, PROMPTS: 0}
        self.grow()

    def grow(self) -> None:
        """Find what was recorded since, too."""
        for place, value in prompts_in(self.path / PROMPTS, self._read_to[PROMPTS]):
            self._prompts[value["hash"]] = self._read_to[PROMPTS] = place
        cells: dict[Cell, Cell] = {}
        for place, value in calls_in(self.path / CALLS, self._read_to[CALLS]):
            cell = Cell.of(value)
            places = self.places.setdefault((cells.setdefault(cell, cell), value["sample"]), [])
            if not places or places[-1] != place:
                places.append(place)
            self._read_to[CALLS] = place

    def of(self, cell: Cell, item_id: str) -> list[dict[str, Any]]:
        """Return the calls about a sample, in the order in which they were recorded."""
        return self._read(CALLS, self.places.get((cell, item_id), ()))

    def messages(self, prompt: str) -> list[dict[str, Any]]:
        """Return the messages of a prompt by its hash; none if no model was asked."""
        places = [self._prompts[prompt]] if prompt in self._prompts else []
        return [message for value in self._read(PROMPTS, places) for message in value["messages"]]

    def _read(self, file: str, places: Sequence[int]) -> list[dict[str, Any]]:
        if not places:
            return []
        journal = Journal(self.path / file, writes=False)
        try:
            return [journal.read(place) for place in places]
        finally:
            journal.close()


def places_of_calls(path: Path) -> Mapping[Place, list[int]]:
    """Return where the calls of each sample lie."""
    return RecordedCalls(path).places


def transcript_of(calls: Iterator[dict[str, Any]]) -> Transcript:
    """Return the calls of a sample in order, the solver's own result last; of repeated calls, the last one."""
    found: dict[tuple[str, int], Reply] = {}
    for value in calls:
        found[value["label"], value["draw"]] = reply_from(value["reply"])
    in_order = sorted(found.items(), key=lambda item: (item[1].source == LOCAL, item[0][1]))
    return Transcript(tuple(LabelledReply(label, reply) for (label, _), reply in in_order))
