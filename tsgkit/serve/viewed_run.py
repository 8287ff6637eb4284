"""A run as the browser sees it: results, samples, one sample, comparisons; read again where it grew."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import RLock, Timer
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.report.comparison import Pair, paired
from tsgkit.report.comparison_formats import pair_value
from tsgkit.report.comparison_rows import ComparisonRequest, on_same_items
from tsgkit.report.comparison_rows import gather as contenders_of
from tsgkit.report.explanation import explained_value
from tsgkit.report.page import facts_of
from tsgkit.report.plain_text import abridged
from tsgkit.report.recorded_sample import RecordedRun, RecordedSample, failures, is_context
from tsgkit.report.report_rows import HEADLINE, ReportRow, gather
from tsgkit.runs.folder import SAMPLES, read_header, samples_in
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import RowState, places_by_task
from tsgkit.runs.run_setup import PlannedRow, RunSetup
from tsgkit.runs.saved_run import SavedRun, prepared_again
from tsgkit.serve.background_process import start_in_process
from tsgkit.serve.columns import SampleColumns
from tsgkit.serve.search import SearchTexts
from tsgkit.suites.panels import Panel, drawings_of
from tsgkit.suites.scoreboard import board_value

PAUSE = 0.5
"""Seconds before texts are read for a search, so that the samples reach the browser first."""
VERDICT = ("question", "text", "right", "label", "key")


def stamp_of(path: Path) -> str:
    """Return a text that changes whenever the samples of a run do."""
    try:
        status = os.stat(path / SAMPLES)  # noqa: PTH116  (one call for all three)
    except OSError:
        return "none"
    return f"{status.st_ino}-{status.st_size}-{status.st_mtime_ns}"


class ViewedRun:
    """A run that is looked at; every method may be called from any thread."""

    def __init__(self, path: Path, data: str | None = None) -> None:
        """Open a run. Raise ``UsageError`` if there is none, or its data are not those that were asked about."""
        self.path, self.data = path, data
        self._lock = RLock()
        self._cache: dict[str, tuple[str, dict[str, Any]]] = {}
        self._ahead: tuple[str, Callable[[], dict[str, Any]]] | None = None
        """Results that are being added up, and the stamp of the records that they are of."""
        self._begin()

    def _begin(self) -> None:
        self.header = read_header(self.path)
        self.prepared: RunSetup = prepared_again(self.header, self.path, self.data)
        self._states = {row.cell: RowState(row) for row in self.prepared.rows}
        self._places = places_by_task(self.prepared.rows)
        self.columns = SampleColumns(self.prepared.rows)
        self._samples = Journal(self.path / SAMPLES, writes=False)
        self._file, self._read_to = _inode(self.path / SAMPLES), 0
        self._recorded = RecordedRun(SavedRun(self.path, self.header, self.prepared, self._states, self._samples))

    def refresh(self) -> str:
        """Read what was recorded since; return a text that changes whenever something was."""
        with self._lock:
            file = self.path / SAMPLES
            if _inode(file) != self._file or (file.exists() and file.stat().st_size < self._read_to):
                self._samples.close()
                self._begin()
            for where, record in samples_in(file, self._read_to):
                cell = Cell.of(record)
                position = self._places.get(cell.task, {}).get(record["item_id"])
                if cell in self._states and position is not None:
                    self._states[cell].note(position, where, record["outcome"])
                    row = self._states[cell].row
                    self.columns.note(RecordedSample.of(self._recorded, row, row.numbers[position], record), position)
                self._read_to = where
            return stamp_of(self.path)

    def _cached(self, name: str, compute: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Return something computed from the records, again only if they changed."""
        with self._lock:
            stamp = stamp_of(self.path)
            if name not in self._cache or self._cache[name][0] != stamp:
                self._cache[name] = (stamp, compute())
            return self._cache[name][1]

    # Results

    def value(self) -> dict[str, Any]:
        """Return the facts of the run and the results of its rows."""
        return self._cached("results", self._results)

    def begin(self) -> None:
        """Begin to add up the results, which will be asked for."""
        self._ahead = stamp_of(self.path), start_in_process(self._added_up)

    def _results(self) -> dict[str, Any]:
        ahead, self._ahead = self._ahead, None
        return ahead[1]() if ahead is not None and ahead[0] == stamp_of(self.path) else self._added_up()

    def _added_up(self) -> dict[str, Any]:
        rows = gather([self.path], data=self.data, metrics=HEADLINE).rows
        groups = {row.cell.task: list(row.task.groups.names) for row in self.prepared.rows}
        short = abridged(row.subject for row in rows)
        return {
            "name": str(self.header["name"]),
            "path": str(self.path),
            "begun": self.header["begun"],
            "stamp": stamp_of(self.path),
            "facts": [list(fact) for fact in facts_of(str(self.path), self.header)],
            "notes": list(self.prepared.notes),
            "rows": [
                {**row_value(number, row), "short_subject": short[row.subject], "groups": groups[row.task]}
                for number, row in enumerate(rows)
            ],
        }

    def groups(self, by: str) -> dict[str, Any]:
        """Return the results of every row by the members of a group."""
        return self._cached(f"by {by}", lambda: self.groups_by([by])[by])

    def groups_by(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the results of every row by the members of several groups."""
        rows = gather([self.path], names, self.data, metrics=HEADLINE).rows
        values: dict[str, dict[str, Any]] = {by: {"by": by, "rows": []} for by in names}
        for number, row in enumerate(rows):
            for by in names:
                if by in row.groups:
                    members = [{"member": name, **board_value(board)} for name, board in row.groups[by].items()]
                    values[by]["rows"].append({"row": number, "members": members})
        return values

    def row(self, number: int) -> PlannedRow:
        """Return a row by its number. Raise ``UsageError`` if the run has none of this number."""
        rows = self.prepared.rows
        if not 0 <= number < len(rows):
            raise UsageError(f"there is no row {number:,}; the run has {len(rows):,}")
        return rows[number]

    # Samples

    def samples(self) -> dict[str, Any]:
        """Return the columns of all samples."""
        with self._lock:
            return {"stamp": self.refresh(), **self.columns.value()}

    def _placed(self, number: int) -> tuple[PlannedRow, int]:
        try:
            return self.columns.place(number)
        except IndexError:
            raise UsageError(f"there is no sample {number:,}; the run has {self.columns.total:,}") from None

    def sample_at(self, number: int) -> tuple[Cell, str]:
        """Return the row and the item of a sample. Raise ``UsageError`` if the run has none of this number."""
        row, position = self._placed(number)
        return row.cell, row.dataset.item_ids[row.numbers[position]]

    def rated(self, cell: Cell, item_id: str, question: str) -> tuple[int, str] | None:
        """Return the number of the sample that a rating is about, and the question of it; None if it is none of the
        run.

        An item named as ITEM/3 may have this whole id, and not be question 3 of ITEM.
        """
        places, start = self._places[cell.task], self.columns.starts[cell]
        if item_id in places:
            return start + places[item_id], question
        whole = f"{item_id}/{question}"
        return (start + places[whole], "") if whole in places else None

    def sample(self, number: int) -> tuple[dict[str, Any], tuple[Panel, ...]]:
        """Return everything about a sample, and the panels of its suite."""
        with self._lock:
            self.refresh()
            row, position = self._placed(number)
            self._recorded.calls.grow()
            state = self._states[row.cell]
            sample = self._recorded.sample(state, row.numbers[position], state.places[position])
            about = {
                "number": number,
                "row": self.prepared.rows.index(row),
                "item_id": sample.item_id,
                "question": row.task.view.question(sample.item),
                "reference": row.task.view.reference(sample.item),
                "verdicts": [{name: getattr(verdict, name) for name in VERDICT} for verdict in sample.present_verdicts],
                "failed": failures(sample.present_verdicts),
                "panels": [
                    {
                        "kind": panel.kind,
                        "title": panel.title,
                        "value": panel.value,
                        "drawings": drawings_of(panel),
                        "is_context": is_context(panel),
                    }
                    for panel in sample.panels
                ],
            }
            value = {name: part for name, part in explained_value(sample).items() if name not in Cell._fields}
            return {**value, **about}, sample.panels

    def search(self, text: str) -> list[int]:
        """Return the numbers of the samples with a text in a prompt, a reply or the reason."""
        with self._lock:
            self.refresh()
            wanted, reasons = text.casefold(), self.columns.texts["reason"]
            numbers = {number for number, reason in enumerate(reasons) if wanted in reason.casefold()}
        return sorted(numbers | self._texts.find(text))

    def begin_search(self) -> None:
        """Begin to read the texts that will be searched; the search raises the errors of what cannot be read."""
        texts = self._texts  # which is closed with the run, and then reads nothing

        def read() -> None:
            with suppress(TsgkitError):
                texts.grow()

        reading = Timer(PAUSE, read)
        reading.daemon = True
        reading.start()

    @cached_property
    def _texts(self) -> SearchTexts:
        numbers = {
            (row.cell, row.dataset.item_ids[number]): self.columns.starts[row.cell] + position
            for row in self.prepared.rows
            for position, number in enumerate(row.numbers)
        }
        return SearchTexts(self.path, numbers)

    def close(self) -> None:
        """Let go of its files."""
        with self._lock:
            self._samples.close()
            if "_texts" in self.__dict__:
                self._texts.close()


def compared(first: tuple[ViewedRun, int], second: tuple[ViewedRun, int]) -> dict[str, Any]:
    """Return the paired test of two rows of one task; the rows are named by their numbers."""
    rows = [run.row(number) for run, number in (first, second)]
    task, other = (row.task.key for row in rows)
    if task != other:
        raise UsageError(f"{task} and {other} are different tasks, which cannot be compared")
    paths = list(dict.fromkeys(run.path for run, _ in (first, second)))
    meant = [
        (paths.index(run.path), row.cell._replace(repeat=0))
        for (run, _), row in zip((first, second), rows, strict=True)
    ]
    if meant[0] == meant[1]:
        raise UsageError("these are repeats of one row, which are compared together with other rows only")
    request = ComparisonRequest((task,), common=True, data=first[0].data, rows=frozenset(meant))
    contenders = contenders_of(paths, request)
    by_row = {(contender.place, contender.cell): contender for contender in reversed(contenders.all)}
    for side in meant:
        if side not in by_row:
            raise UsageError(f"{side[1].title} has no sample with a value yet")
    return _pair_value(paired([(by_row[meant[0]], by_row[meant[1]])], 0)[0], contenders.notes)


def pair_values(run: ViewedRun, pairs: Iterable[tuple[int, int]]) -> list[tuple[tuple[int, int], dict[str, Any]]]:
    """Return the paired tests of pairs of rows of one run, without the notes on single pairs."""
    wanted, values = list(pairs), []
    if not wanted:
        return []
    contenders = contenders_of([run.path], ComparisonRequest(apart=True, data=run.data)).all
    by_cell = {contender.cell: contender for contender in contenders}
    for pair in wanted:
        cells = [run.row(number).cell._replace(repeat=0) for number in pair]
        if all(cell in by_cell for cell in cells):
            with suppress(UsageError):  # no item in common
                first, second = on_same_items([by_cell[cell] for cell in cells], common=True, notes=[])
                values.append((pair, _pair_value(paired([(first, second)], 0)[0], ())))
    return values


def _pair_value(pair: Pair, notes: Sequence[str]) -> dict[str, Any]:
    value, statistics = pair_value(pair), pair.statistics
    first, second = (
        {name: value[side][name] for name in ("value", "low", "high")} | {"n": statistics.items}
        for side in ("first", "second")
    )
    return {
        "metric": pair.first.metric,
        "is_share": pair.first.measure.is_share,
        "first": first,
        "second": second,
        "difference": value["difference"]["value"],
        "low": value["difference"]["low"],
        "high": value["difference"]["high"],
        "p": statistics.test.p,
        "test": f"{statistics.test.method}, {statistics.clusters:,} {pair.first.clusters_are}",
        "verdict": pair.verdict,
        "notes": list(notes),
    }


def row_value(number: int, row: ReportRow) -> dict[str, Any]:
    """Return the JSON value of a row of the results."""
    metrics = {
        name: {
            "meaning": metric.meaning,
            "is_share": metric.is_share,
            "more_is_better": metric.more_is_better,
            "is_headline": metric.is_headline,
        }
        for name, metric in row.metrics.items()
    }
    return {
        "row": number,
        "title": row.cell.title,
        **row.cell._asdict(),
        "judge": row.judge,
        "unasked": row.unasked,
        "metric": row.metric,
        "metrics": metrics,
        **board_value(row.board),
        "errors": row.errors,
        "usage": row.usage,
        "clusters_are": row.clusters_are,
    }


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
