"""Progress and results of the rows of a run: finished samples, the positions of their records, scores and usage.

Memory is small: two numbers for each sample, and two for each metric while samples are scored in order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from operator import lt
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tsgkit.library.projects import portable
from tsgkit.runs.folder import Misfit, check_number, sample_of
from tsgkit.runs.journal import Journal, raw_lines
from tsgkit.runs.plan import AXES, Cell
from tsgkit.runs.records import RowTotals, Scores, record_of, sample_value, scores_of
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.scoring.pooling import FAILURES
from tsgkit.suites.metrics import PER_ITEM
from tsgkit.suites.scoreboard import Board, board_value
from tsgkit.suites.transcript import Transcript

NOWHERE = -1
LEFT, DONE, FAILED = 0, 1, 2


@dataclass
class RowState:
    """The progress of a row: the position of each sample's record (-1: none), and the finished and failed samples."""

    row: PlannedRow
    places: array[int] = field(init=False)
    sums: RowTotals | None = field(init=False)
    """Totals of the first samples; None once a sample was scored out of order, so that records must be read again."""
    done: bytearray = field(init=False)
    finished: int = 0
    failed: int = 0
    spent: float = 0.0
    knows_cost: bool = True
    metric: str = ""
    """The metric that is shown while the row is worked on; empty where there is none to show."""
    score: float = 0.0
    weight: float = 0.0
    """The strict total of the samples that ended."""
    given_up: str = ""
    """The reason why the remaining samples are not asked, or why the model never answered."""
    advice: str = ""
    """The one thing to change about it, where it is known."""
    began: float = 0.0
    """The start of its first sample by the monotonic clock; 0 before it."""
    busy: int = 0
    """The number of samples in progress."""
    at_start: int = 0

    def __post_init__(self) -> None:
        self.places = array("q", [NOWHERE]) * len(self.row.numbers)
        self.done = bytearray([LEFT]) * len(self.row.numbers)
        self.sums = RowTotals(self.row.task.tally())
        metrics = [(name, self.row.task.metrics[name]) for name in reversed(self.row.task.card.metrics)]
        self.metric = next(
            (name for name, metric in metrics if metric.is_headline and metric.is_share and not metric.made_by), ""
        )

    @property
    def total(self) -> int:
        """The number of samples."""
        return len(self.row.numbers)

    @property
    def recorded(self) -> int:
        """The number of samples that have a record."""
        return self.total - self.places.count(NOWHERE)

    def left(self) -> Iterator[int]:
        """Return which samples, by their place in the row, are still to be worked on."""
        return (position for position, done in enumerate(self.done) if done != DONE)

    def note(self, position: int, where: int, outcome: str) -> None:
        """Note that a sample's record was written or found."""
        before, now = self.done[position], FAILED if outcome in FAILURES else DONE
        self.places[position], self.done[position] = where, now
        self.failed += (now == FAILED) - (before == FAILED)
        self.finished += (now == DONE) - (before == DONE)

    def add_score(self, parts: Mapping[str, Any]) -> None:
        """Add a sample's part of the metric that is shown."""
        total, weight = parts.get("strict", {}).get(self.metric, (0.0, 0.0))
        if weight:
            per_item = self.row.task.metrics[self.metric].pooling is PER_ITEM
            self.score += total / weight if per_item else total
            self.weight += 1.0 if per_item else weight

    def add_up(self, position: int, record: Mapping[str, Any], scores: Scores) -> None:
        """Add a sample that was just judged to the sums, as long as all come in the order of the data."""
        self.add_score(record["parts"])
        if self.sums is not None and self.sums.n == position:
            self.sums.add(record, scores)
        else:
            self.sums = None


def states_of(rows: tuple[PlannedRow, ...], samples: Journal, least: int = 0) -> dict[Cell, RowState]:
    """Return the state of every row, as the records on disk have it; ``FileProblem`` for fewer than ``least``."""
    states = {row.cell: RowState(row) for row in rows}
    for where, cell, position, value in records_in(rows, samples.path, least):
        state = states[cell]
        state.note(position, where, value["outcome"])
        if value["outcome"] not in FAILURES:  # what failed is tried again
            state.add_score(value["parts"])
    for state in states.values():
        state.at_start = state.finished
    return states


class PlacedRecord(NamedTuple):
    """A record with its position in the file, and its row and place there."""

    position: int
    cell: Cell
    place: int
    value: dict[str, Any]


def records_in(rows: Iterable[PlannedRow], path: Path, least: int) -> Iterator[PlacedRecord]:
    """Yield the records of rows; ``FileProblem`` for the first that does not fit, and for records of fewer samples than
    ``least``.
    """
    recorded = _RecordedSamples(rows)
    for position, line in raw_lines(path):
        try:
            record = recorded.record(position, line)
        except Misfit as misfit:
            raise misfit.at(path, position) from None
        if record is not None:
            yield record
    check_number(recorded.number, least, path)


@contextmanager
def fitting_records(rows: Iterable[PlannedRow], samples: Journal) -> Iterator[tuple[Journal, int]]:
    """Yield the records that fit into the run, in a file of their own if some do not, and the number of the others."""
    recorded, kept, misfits = _RecordedSamples(rows), array("q"), 0
    for position, line in raw_lines(samples.path):
        try:
            recorded.record(position, line)
        except Misfit:
            misfits += 1
        else:
            kept.append(position)
    if not misfits:
        yield samples, 0
        return
    with TemporaryDirectory() as folder, closing(Journal(Path(folder, samples.path.name), *samples.fields)) as records:
        for position in kept:
            records.add_line(samples.line(position))
        yield records, misfits


class _RecordedSamples:
    """The samples of rows, each of which has one record, or further ones after one that failed."""

    def __init__(self, rows: Iterable[PlannedRow]) -> None:
        rows = tuple(rows)
        self._places = places_by_task(rows)
        self._known = {row.cell: bytearray([LEFT]) * len(row.numbers) for row in rows}

    @property
    def number(self) -> int:
        """The number of samples that have a record."""
        return sum(len(known) - known.count(LEFT) for known in self._known.values())

    def record(self, position: int, line: bytes) -> PlacedRecord | None:
        """Return the record in a line; None for one of a task without rows here, as where some tasks are chosen."""
        value = sample_of(line)
        cell, item_id = Cell.of(value), value["item_id"]
        if (places := self._places.get(cell.task)) is None:
            return None
        place, known = places.get(item_id), self._known.get(cell)
        if place is None or known is None:
            raise Misfit(f"{item_id}: no sample of this run")
        if known[place] == DONE:
            raise Misfit(f"{item_id}: a second record of this sample")
        known[place] = FAILED if value["outcome"] in FAILURES else DONE
        return PlacedRecord(position, cell, place, value)


def places_by_task(rows: Iterable[PlannedRow]) -> dict[str, dict[str, int]]:
    """Return the place of each item in the rows of each task, which all have the same items."""
    places: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.cell.task not in places:
            ids = row.dataset.item_ids
            places[row.cell.task] = {ids[number]: position for position, number in enumerate(row.numbers)}
    return places


@dataclass(frozen=True)
class Result:
    """A row of the result."""

    cell: Cell
    board: Board
    usage: dict[str, Any]
    data: str
    unasked: int
    """The number of samples not asked yet. Scores cover the samples that ended, with any outcome."""
    given_up: str = ""
    advice: str = ""
    """The change that would make a given-up model answer, if known."""
    errors: dict[str, int] = field(default_factory=dict)
    """Errors with the number of samples that ended with them."""
    raised: dict[str, int] = field(default_factory=dict)
    """Exceptions of our own or a suite's code, and how many samples ended with each."""
    partial: dict[str, int] = field(default_factory=dict)
    """Errors with the number of samples that were answered in part."""
    unreadable: str = ""
    """For folders, the reason why the first unreadable image or scene cannot be read; ``explain`` has those of
    replies."""

    @property
    def total(self) -> int:
        """The number of samples, including those not asked yet."""
        return self.board.n + self.unasked

    @property
    def never_answered(self) -> bool:
        """True if every sample ended in an error of the service, or the model was given up before the first ended."""
        return self.board.never_answered or (bool(self.given_up) and not self.board.n)

    @property
    def failed(self) -> int:
        """The number of samples that ended in an error of the service or of code."""
        return sum(self.board.counts[outcome] for outcome in FAILURES)


def results_of(states: Mapping[Cell, RowState], samples: Journal, seed: int) -> tuple[Result, ...]:
    """Return the results of all rows, over the samples that have a record."""
    results = []
    for state in states.values():
        row, totals = state.row, state.sums
        if totals is None or totals.n != state.total:  # its records were not added in order, or not all of them
            totals = RowTotals(row.task.tally())
            for record in (samples.read(offset) for offset in state.places if offset != NOWHERE):
                totals.add(record, scores_of(record))
        board = row.task.board(totals.tally, row.solver, seed if row.cell.seed is None else row.cell.seed)
        result = Result(
            row.cell,
            board.without_values if board.never_answered else board,
            totals.usage,
            portable(row.dataset.file),
            unasked=state.places.count(NOWHERE),
            given_up=state.given_up,
            advice=state.advice,
            errors=totals.errors,
            raised=totals.raised,
            partial=totals.partial,
            unreadable="" if row.judge is None else totals.unreadable,
        )
        results.append(result)
    return tuple(results)


def result_value(result: Result, state: RowState, samples: Journal, *, with_samples: bool = False) -> dict[str, Any]:
    """Return the JSON value of a row."""
    cell = result.cell
    value: dict[str, Any] = {
        "subject": cell.subject,
        "judge": state.row.judge,
        "solver": cell.solver,
        "style": cell.style or None,
        "repeat": cell.repeat,
        **{name: cell.value[name] for name in AXES if name in cell.value},
        "data": result.data,
        "task": cell.task,
        **board_value(result.board),
        "unasked": result.unasked,
    }
    if notes := state.row.notes:
        value["notes"] = list(notes)
    if with_samples:
        value["samples"] = [sample_value(record) for record in records_of(state, samples)]
    return value | {"usage": usage_value(result.usage)}


def usage_value(usage: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return tokens, cost and time of a row; null if no call knows, and marked if some do not."""
    if not usage:
        return None
    is_known = usage["calls"] > usage["untold"]
    paid = usage["calls"] - usage["from_cache"]
    return {
        "calls": usage["calls"],
        "from_cache": usage["from_cache"],
        "requests": usage["requests"],
        "retried": usage.get("retried", 0),
        "seconds": round(usage["seconds"], 3),
        "prompt_tokens": usage["prompt"] if is_known else None,
        "completion_tokens": usage["completion"] if is_known else None,
        "reasoning_tokens": usage["reasoning"] if is_known else None,
        "cached_tokens": usage["cached"] if is_known else None,
        "cached_input": cached_share(usage),
        "calls_without_usage": usage["untold"],
        "cost": usage["cost"] if not paid or (is_known and (usage["cost"] or not usage["unpriced"])) else None,
        "calls_without_price": usage["unpriced"],
    }


def cached_share(usage: Mapping[str, Any]) -> float | None:
    """Return the share of input tokens that services read from their prompt caches; None where no service says it.

    >>> cached_share({"prompt": 300, "cached": 50, "cached_of": 200}), cached_share({"prompt": 300, "cached": 0})
    (0.25, None)
    """
    return min(usage.get("cached", 0) / of, 1.0) if (of := usage.get("cached_of")) else None


def records_of(state: RowState, samples: Journal) -> Iterator[dict[str, Any]]:
    """Yield the records of a row in the order of its data; samples not asked yet are missing."""
    for position, number in enumerate(state.row.numbers):
        if state.places[position] == NOWHERE:
            missing = state.row.scoring.judged(state.row.dataset.sample(number), None).judged
            yield record_of(state.row.cell, missing, Transcript(()))
        else:
            yield samples.read(state.places[position])


def put_in_order(states: Mapping[Cell, RowState], samples: Journal) -> None:
    """Write the records anew: each sample once, rows and samples in order."""
    places = array("q", (offset for state in states.values() for offset in state.places if offset != NOWHERE))
    if samples.count() == len(places) and all(map(lt, places, islice(places, 1, None))):
        return
    samples.replace(samples.line(offset) for offset in places)
    start = 0
    for state in states.values():
        for number, old in enumerate(state.places):
            if old != NOWHERE:
                state.places[number] = start
                start += len(samples.line(start))
