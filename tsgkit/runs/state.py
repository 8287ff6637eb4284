"""Progress of a run: finished samples, the positions of their records, and obstacles to resuming.

Memory is small: two numbers for each sample, and two for each metric while samples are scored in order.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tsgkit.runs.journal import Journal, raw_lines
from tsgkit.runs.plan import Cell
from tsgkit.runs.row_totals import RowTotals, Scores
from tsgkit.runs.run_files import Misfit, check_number, sample_of
from tsgkit.runs.run_setup import Row
from tsgkit.scoring.outcomes import FAILURES
from tsgkit.suites.metrics import PER_ITEM

NOWHERE = -1
LEFT, DONE, FAILED = 0, 1, 2


@dataclass
class RowState:
    """The progress of a row: the position of each sample's record (-1: none), and the finished and failed samples."""

    row: Row
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
        named = [(name, self.row.task.metrics[name]) for name in reversed(self.row.task.card.metrics)]
        self.metric = next((name for name, one in named if one.is_headline and one.is_share and not one.made_by), "")

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
        return (place for place, done in enumerate(self.done) if done != DONE)

    def note(self, place: int, where: int, outcome: str) -> None:
        """Note that a sample's record was written or found."""
        before, now = self.done[place], FAILED if outcome in FAILURES else DONE
        self.places[place], self.done[place] = where, now
        self.failed += (now == FAILED) - (before == FAILED)
        self.finished += (now == DONE) - (before == DONE)

    def add_score(self, parts: Mapping[str, Any]) -> None:
        """Add a sample's part of the metric that is shown."""
        total, weight = parts.get("strict", {}).get(self.metric, (0.0, 0.0))
        if weight:
            per_item = self.row.task.metrics[self.metric].pooling is PER_ITEM
            self.score += total / weight if per_item else total
            self.weight += 1.0 if per_item else weight

    def add_up(self, place: int, record: Mapping[str, Any], scores: Scores) -> None:
        """Add a sample that was just judged to the sums, as long as all come in the order of the data."""
        self.add_score(record["parts"])
        if self.sums is not None and self.sums.n == place:
            self.sums.add(record, scores)
        else:
            self.sums = None


def states_of(rows: tuple[Row, ...], samples: Journal, least: int = 0) -> dict[Cell, RowState]:
    """Return the state of every row, as the records on disk have it; ``FileProblem`` for fewer than ``least``."""
    states = {row.cell: RowState(row) for row in rows}
    for where, cell, place, value in records_in(rows, samples.path, least):
        state = states[cell]
        state.note(place, where, value["outcome"])
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


def records_in(rows: Iterable[Row], path: Path, least: int) -> Iterator[PlacedRecord]:
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
def fitting_records(rows: Iterable[Row], samples: Journal) -> Iterator[tuple[Journal, int]]:
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

    def __init__(self, rows: Iterable[Row]) -> None:
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


def places_by_task(rows: Iterable[Row]) -> dict[str, dict[str, int]]:
    """Return the place of each item in the rows of each task, which all have the same items."""
    places: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.cell.task not in places:
            ids = row.dataset.item_ids
            places[row.cell.task] = {ids[number]: place for place, number in enumerate(row.numbers)}
    return places
