"""Saved runs, opened to be shown, rescored or reported without asking a model.

Cards and rows are those that the run keeps.
Readers and metrics are always the present ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self
from warnings import warn

from tsgkit.errors import FileProblem, Lacking, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import load_card
from tsgkit.library.datasets import shipped_datasets
from tsgkit.library.hub import without_hub
from tsgkit.llm.reply import Reply, reply_from
from tsgkit.llm.retries import PROBE_LABEL
from tsgkit.llm.secrets import Secrets
from tsgkit.runs.folder import (
    CALLS,
    PROMPTS,
    RECORDS,
    SAMPLES,
    SHARD,
    calls_in,
    check_evaluation,
    prompts_in,
    read_header,
    samples_in,
)
from tsgkit.runs.journal import Journal
from tsgkit.runs.kept import CHANGED_FILE, Kept, NamedData, kept_in
from tsgkit.runs.plan import Cell, Plan, cells_of
from tsgkit.runs.records import Scoring
from tsgkit.runs.results import Result, RowState, records_of, results_of, states_of
from tsgkit.runs.run_setup import ChosenItems, PlannedRow, RunSetup, chosen_items, in_shard, row_of
from tsgkit.runs.shards import shard_of
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.recorded_task import RecordedScorer
from tsgkit.suites.rows import Dataset, hash_of_items
from tsgkit.suites.solvers.offline_solvers import OfflineSolver
from tsgkit.suites.solvers.ways import recorded_of
from tsgkit.suites.suite import task_of
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

Place = tuple[Cell, str]


@dataclass(frozen=True)
class SavedRun:
    """A saved run; as a context manager it is closed at the end."""

    path: Path
    header: dict[str, Any]
    prepared: RunSetup
    states: Mapping[Cell, RowState]
    samples: Journal

    @property
    def results(self) -> tuple[Result, ...]:
        """The results of all rows, from the records."""
        return results_of(self.states, self.samples, self.prepared.plan.at("seed"))

    def cells(self, subject: str | None = None) -> list[Cell]:
        """Return the rows, of a subject or of all; ``UsageError`` where there is no such subject."""
        subjects = {cell.subject for cell in self.states}
        if subject is not None and subject not in subjects:
            raise UsageError(f"{self.path}: no subject is called {subject}", hint=meant(subject, sorted(subjects)))
        return [cell for cell in self.states if subject in (None, cell.subject)]

    def records(self, cell: Cell) -> Iterator[tuple[Any, dict[str, Any]]]:
        """Yield the samples of a row with their records, in order; one not asked counts as wrong."""
        state = self.states[cell]
        for number, record in zip(state.row.numbers, records_of(state, self.samples), strict=True):
            yield state.row.dataset.sample(number), record

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.samples.close()


def open_saved_run(path: Path, data: str | None = None, *, only: Collection[str] = ()) -> SavedRun:
    """Open a run for reading. ``data`` overrides the paths of its data; ``only`` selects tasks."""
    header = read_header(path)
    prepared = prepared_again(header, path, data, only=only)
    samples = Journal(path / SAMPLES, writes=False)
    least = 0 if only else header.get(RECORDS, 0)
    return SavedRun(path, header, prepared, states_of(prepared.rows, samples, least), samples)


def prepared_again(
    header: Mapping[str, Any],
    path: Path,
    data: str | None = None,
    *,
    only: Collection[str] = (),
    cards_of_today: bool = False,
    to_be: str = "",
) -> RunSetup:
    """Return the rows of a run without those who answered; ``UsageError`` where the data are others.

    Cards and rows are those that the run keeps, or, with ``cards_of_today``, the present cards of its tasks. What lacks
    its code or its data is shown as it was recorded, and warned of (:class:`~tsgkit.errors.Lacking`); it is an error
    if the run is ``to_be`` something that needs the code, such as "merged".
    """
    plan = check_evaluation(header, path)
    if only:
        plan = plan.model_copy(update={"tasks": tuple(name for name in plan.tasks if name in only)})
    opened = _OpenedRun(header, path, plan, data, kept_in(path), cards_of_today)
    with_items = {*opened.kept.value["tasks"], *header["asked"]["items"]}
    parts = {name: opened.part(name) for name in plan.tasks if name in with_items}
    tasks = {name: task for name, (task, _) in parts.items()}
    datasets = {name: dataset for name, (_, dataset) in parts.items()}
    items = opened.checked(chosen_items(plan, tasks, datasets, is_part=bool(only)))
    rows = tuple(
        row_of(cell, plan, items, opened.solver(cell, tasks[cell.task]))
        for cell in cells_of(plan, tasks)
        if cell.task in items
    )
    for name, words in opened.lacking.items():
        if to_be:
            raise UsageError(f"{path}: {name}: cannot be {to_be} here: {words}")
        warn(f"{path}: {name}: shown as recorded: {words}", Lacking, stacklevel=2)
    prepared = RunSetup(
        plan,
        rows,
        {},
        Secrets(),
        dict(header["asked"]),
        lacking=opened.lacking,
        items=items,
        numbers_in_data=opened.numbers_in_data,
    )
    return in_shard(prepared, shard_of(header[SHARD])) if SHARD in header else prepared


def saved_tasks(path: Path) -> tuple[Task, ...]:
    """Return the tasks of a run without their data: to look up their groups and metrics."""
    plan, kept = check_evaluation(read_header(path), path), kept_in(path)
    return tuple(kept.shown_task(name) for name in plan.tasks if name in kept.value["tasks"])


@dataclass
class _OpenedRun:
    """A run whose tasks, data and solvers are found: what it keeps first, then what lies here."""

    header: Mapping[str, Any]
    path: Path
    plan: Plan
    data: str | None
    kept: Kept
    cards_of_today: bool
    lacking: dict[str, str] = field(default_factory=dict)
    """The parts that are only shown as they were recorded, and what is missing here to do more."""
    _solvers: dict[tuple[str, str, str], OfflineSolver] = field(default_factory=dict)
    _kept_rows: set[str] = field(default_factory=set)
    """The tasks whose rows are those that the run keeps."""
    numbers_in_data: dict[str, Mapping[str, int]] = field(default_factory=dict)

    @cached_property
    def _records(self) -> _Records:
        return _Records(self.path)

    def part(self, name: str) -> tuple[Task, Dataset]:
        """Return a task with its data."""
        loaded = self._task(name)
        dataset = None if loaded is None else self._rows(name, loaded)
        if loaded is not None and dataset is not None:
            task, metrics = self.kept.with_recorded_metrics(name, loaded)
            if metrics:
                self.lacking[f"{name}: {metrics}"] = self.kept.lacking(name)
            return task, dataset
        items = self.kept.items(name, self._asked(name))
        if items is None:
            return (task := task_of(load_card(name))), self._present(task)
        lacking = self.kept.lacking(name) if loaded is None else "its rows were not kept: --data D says where they lie"
        self.lacking[name] = lacking
        self._note_numbers(name, items)
        return self.kept.recorded_task(name, items, lacking), items

    def _task(self, name: str) -> Task | None:
        if self.cards_of_today:
            with suppress(UsageError):
                today, before = load_card(name), self.kept.card(name)
                if (today.task, today.version) == (before.task, before.version):
                    return task_of(today)
        return self.kept.task(name)

    def _rows(self, name: str, task: Task) -> Dataset | None:
        """Return the rows of a task: those named, those kept, else those that lie here; None where they do not."""
        if self.data is not None:
            return self._present(task)
        if (rows := self.kept.rows(name, task, self._asked(name))) is not None:
            self._kept_rows.add(name)
            self._note_numbers(name, rows)
            return rows
        with suppress(UsageError):
            return self._present(task)
        return None

    def _note_numbers(self, name: str, dataset: Dataset) -> None:
        if (numbers := self.kept.numbers(name, dataset)) is not None:
            self.numbers_in_data[name] = numbers

    def _present(self, task: Task) -> Dataset:
        """Return the rows as they lie here; ``UsageError`` where they are others."""
        asked = self.header["asked"]["data"].get(task.key)
        loaded = _dataset(task, self.data, asked) if self.data is not None else self._named_by_run(task, asked)
        if asked not in (None, loaded.sha256):
            hint = "name where they lie now: --data D (tsgkit audit: DATA), or nothing if they never moved"
            raise UsageError(f"{self.path}: {loaded.file}: not the data that were asked about", hint=hint)
        return loaded

    def _named_by_run(self, task: Task, asked: str | None) -> Dataset:
        """Return the rows that the run names. It may be anybody's: nothing is fetched, and no device is opened."""
        data = self.plan.data
        if data is not None and (place := Path(data)).exists() and not (place.is_file() or place.is_dir()):
            raise UsageError(f"{self.path}: {data}: neither a file nor a folder", hint="name the data: --data D")
        with without_hub():
            return _dataset(task, data, asked)

    def _asked(self, name: str) -> NamedData:
        return NamedData(str(self.header["data"].get(name, "")), str(self.header["asked"]["data"].get(name, "")))

    def checked(self, chosen: Mapping[str, ChosenItems]) -> dict[str, ChosenItems]:
        """Return the items that were asked; ``FileProblem`` where others are found in what the run keeps."""
        items = {}
        for name, (task, dataset, numbers) in chosen.items():
            kept = self.kept.chosen(name, dataset) if name in self._kept_rows else None
            items[name] = ChosenItems(task, dataset, numbers if kept is None else kept)
            if hash_of_items(dataset, items[name].numbers) != self.header["asked"]["items"].get(name):
                raise FileProblem(f"{self.path}: {name}: not the items that were asked", hint=CHANGED_FILE)
        return items

    def solver(self, cell: Cell, task: Task) -> OfflineSolver:
        """Return what scores or shows the answers of a row."""
        way = cell.task, cell.solver, cell.style
        if way not in self._solvers:
            self._solvers[way] = self._recorded(cell, task)
        solver = self._solvers[way]
        if not isinstance(solver.scorer, RecordedScorer):
            return solver
        return replace(solver, scorer=replace(solver.scorer, records=partial(self._records.of, cell)))

    def _recorded(self, cell: Cell, task: Task) -> OfflineSolver:
        try:
            solver = recorded_of(task, cell.solver, cell.style)
        except UsageError:  # a solver of the user's may not be loaded
            self.lacking[f"{cell.task}: {cell.solver} {cell.style}".strip()] = self.kept.lacking(cell.task)
            solver = OfflineSolver(RecordedScorer(task, cell.solver, cell.style), cell.solver, cell.style)
        if isinstance(solver.scorer, RecordedScorer):
            unpublished = self.kept.unpublished(cell.task, cell.solver, cell.style)
            return replace(solver, scorer=replace(solver.scorer, unpublished=unpublished))
        return solver


class _Records:
    """The records of a run, found by row and item; the file is read when the first is wanted."""

    def __init__(self, path: Path) -> None:
        self._path = path / SAMPLES

    @cached_property
    def _places(self) -> dict[Place, int]:
        return {(Cell.of(value), value["item_id"]): offset for offset, value in samples_in(self._path)}

    def of(self, cell: Cell, item_id: str) -> Mapping[str, Any] | None:
        """Return the record of a sample; None where there is none."""
        place = self._places.get((cell, item_id))
        if place is None:
            return None
        samples = Journal(self._path, writes=False)
        try:
            return samples.read(place)
        finally:
            samples.close()


def _dataset(task: Task, data: str | None, asked: str | None) -> Dataset:
    """Return the data of a run; where it named none, those that were the default when it began."""
    loaded = task.dataset(data)
    if data is None and asked not in (None, loaded.sha256):
        for name in shipped_datasets(task.key.partition("/")[0]):
            other = task.dataset(name)
            if other.sha256 == asked:
                return other
    return loaded


def errors_in(samples: Journal) -> dict[Place, bytes]:
    """Return the records of samples that ended in an exception; most have no calls in full."""
    loaded: dict[Place, bytes] = {}
    for where, value in samples_in(samples.path):
        if value["outcome"] == Outcome.ERROR:
            loaded[Cell.of(value), value["item_id"]] = samples.line(where)
    return loaded


class Places(Protocol):
    """The positions of the calls of samples in a file."""

    def get(self, sample: Place, default: Sequence[int], /) -> Sequence[int]:
        """Return where those of one sample lie."""


def records_from_calls(
    rows: Iterable[PlannedRow], path: Path, errors: Mapping[Place, bytes] | None = None, places: Places | None = None
) -> Iterator[bytes]:
    """Score every sample of some rows whose calls are recorded in full; yield the records in order.

    ``errors`` holds the records of samples without such calls; ``places`` the positions of calls, if known.
    """
    places = places_of_calls(path) if places is None else places
    for row in rows:
        yield from (sample.line(row.scoring) for sample in recorded_samples(row, path, errors or {}, places))


class StoredSample(NamedTuple):
    """A sample with its transcript."""

    sample: Any
    transcript: Transcript
    kept: bytes | None = None
    """The record that stays as it is; None if one is to be made."""

    def line(self, scoring: Scoring) -> bytes:
        """Return its record."""
        if self.kept is not None:
            return self.kept
        return scoring.written(scoring.judged(self.sample, self.transcript), self.transcript)[1]

    def failed(self, scoring: Scoring, error: str) -> bytes:
        """Return its record where scoring it failed."""
        return scoring.written(scoring.failed(self.sample, error), self.transcript)[1]


def recorded_samples(
    row: PlannedRow, path: Path, errors: Mapping[Place, bytes], places: Places
) -> Iterator[StoredSample]:
    """Yield the samples of a row whose calls are recorded in full, and those that have only a record of an error."""
    calls = Journal(path / CALLS, writes=False)
    for number in row.numbers:
        sample = row.dataset.sample(number)
        lines = places.get((row.cell, sample.item_id), ())
        transcript = transcript_of(calls.read(offset) for offset in lines)
        if transcript.said and not row.solver.unfinished(transcript):
            yield StoredSample(sample, transcript)
        elif (kept := errors.get((row.cell, sample.item_id))) is not None:
            yield StoredSample(sample, transcript, kept)


class RecordedCalls:
    """The calls of a run and their prompts, found by sample; only their positions are kept in memory."""

    def __init__(self, path: Path) -> None:
        """Find all that is recorded so far."""
        self.path = path
        self.places: dict[Place, list[int]] = {}
        """The places of the calls of each sample."""
        self._prompts: dict[str, int] = {}
        self._read_to = {CALLS: 0, PROMPTS: 0}
        self.grow()

    def grow(self) -> None:
        """Find what was recorded since, too."""
        for offset, value in prompts_in(self.path / PROMPTS, self._read_to[PROMPTS]):
            self._prompts[value["hash"]] = self._read_to[PROMPTS] = offset
        cells: dict[Cell, Cell] = {}
        for offset, value in calls_in(self.path / CALLS, self._read_to[CALLS]):
            cell = Cell.of(value)
            places = self.places.setdefault((cells.setdefault(cell, cell), value["sample"]), [])
            if not places or places[-1] != offset:
                places.append(offset)
            self._read_to[CALLS] = offset

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
            return [journal.read(offset) for offset in places]
        finally:
            journal.close()


def places_of_calls(path: Path) -> Mapping[Place, list[int]]:
    """Return where the calls of each sample lie."""
    return RecordedCalls(path).places


def transcript_of(calls: Iterator[dict[str, Any]]) -> Transcript:
    """Return the calls of a sample in order, the solver's own result last; of repeated calls, the last one.

    Probes of the service are recorded with a sample, but are no calls about it.
    """
    loaded: dict[tuple[str, int], Reply] = {}
    for value in (value for value in calls if value["label"] != PROBE_LABEL):
        loaded[value["label"], value["draw"]] = reply_from(value["reply"])
    in_order = sorted(loaded.items(), key=lambda item: (item[1].source == LOCAL, item[0][1]))
    return Transcript(tuple(LabelledReply(label, reply) for (label, _), reply in in_order))
