"""Results of a run: one score for every row, and the usage of its calls."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from operator import lt
from typing import Any

from tsgkit.library.bundle import portable
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import AXES, Cell
from tsgkit.runs.records import record_of, sample_value, scores_of
from tsgkit.runs.row_totals import RowTotals
from tsgkit.runs.run_setup import Row
from tsgkit.runs.state import NOWHERE, RowState
from tsgkit.scoring.outcomes import FAILURES
from tsgkit.suites.judgement import Judged
from tsgkit.suites.scoreboard import Board, board_value
from tsgkit.suites.transcript import Transcript


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
    return tuple(_result(state, samples, seed) for state in states.values())


def _result(state: RowState, samples: Journal, seed: int) -> Result:
    row = state.row
    sums = state.sums if state.sums is not None and state.sums.n == state.total else _sums_of(state, samples)
    board = row.task.board(sums.tally, row.solver, seed if row.cell.seed is None else row.cell.seed)
    board = board.without_values if board.never_answered else board
    unasked = state.places.count(NOWHERE)
    unreadable = "" if row.judge is None else sums.unreadable
    told = (sums.errors, sums.raised, sums.partial, unreadable)
    return Result(row.cell, board, sums.usage, portable(row.dataset.file), unasked, state.given_up, state.advice, *told)


def _sums_of(state: RowState, samples: Journal) -> RowTotals:
    """Return the totals of a row whose records were not added in order, or not all of them."""
    sums = RowTotals(state.row.task.tally())
    for place in state.places:
        if place != NOWHERE:
            record = samples.read(place)
            sums.add(record, scores_of(record))
    return sums


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
    told = usage["calls"] > usage["untold"]
    paid = usage["calls"] - usage["from_cache"]
    return {
        "calls": usage["calls"],
        "from_cache": usage["from_cache"],
        "requests": usage["requests"],
        "retried": usage.get("retried", 0),
        "seconds": round(usage["seconds"], 3),
        "prompt_tokens": usage["prompt"] if told else None,
        "completion_tokens": usage["completion"] if told else None,
        "reasoning_tokens": usage["reasoning"] if told else None,
        "cached_tokens": usage["cached"] if told else None,
        "cached_input": cached_share(usage),
        "calls_without_usage": usage["untold"],
        "cost": usage["cost"] if not paid or (told and (usage["cost"] or not usage["unpriced"])) else None,
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
    for place, number in enumerate(state.row.numbers):
        if state.places[place] == NOWHERE:
            yield record_of(state.row.cell, missing(state.row, number), Transcript(()))
        else:
            yield samples.read(state.places[place])


def missing(row: Row, number: int) -> Judged:
    """Return the scores of a sample without a reply."""
    return row.scoring.judged(row.dataset.sample(number), None).judged


def put_in_order(states: Mapping[Cell, RowState], samples: Journal) -> None:
    """Write the records anew: each sample once, rows and samples in order."""
    places = array("q", (place for state in states.values() for place in state.places if place != NOWHERE))
    if samples.count() == len(places) and all(map(lt, places, islice(places, 1, None))):
        return
    samples.replace(samples.line(place) for place in places)
    start = 0
    for state in states.values():
        for place, old in enumerate(state.places):
            if old != NOWHERE:
                state.places[place] = start
                start += len(samples.line(start))
