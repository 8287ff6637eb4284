"""Examples of each result, selected by rule: the same runs always show the same examples.

For each row: the worst answer, the median one, the one with the largest difference between the profiles, a repaired
one, and one for each outcome without an answer. Ties are broken by the order of the data, and no item is shown twice.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tsgkit.report.explanation import ExplainedRow, explained
from tsgkit.report.report_rows import Report, ReportRow, comparison_metric
from tsgkit.runs.results import RowState, records_of
from tsgkit.runs.saved_run import RecordedCalls, SavedRun, open_saved_run
from tsgkit.scoring.pooling import Outcome

MOST_ROWS = 3
"""Of how many rows of a task examples are shown."""
ENDINGS = (
    Outcome.UNREADABLE,
    Outcome.TRUNCATED,
    Outcome.REFUSED,
    Outcome.EMPTY,
    Outcome.API_ERROR,
    Outcome.ERROR,
    Outcome.MISSING,
)


@dataclass(frozen=True)
class Example:
    """An item of one row, and the reason for showing it."""

    row: ReportRow
    why: str
    explained: ExplainedRow


class _Seen(NamedTuple):
    """The part of a record that the selection needs."""

    item_id: str
    outcome: str
    strict: float
    official: float | None
    is_repaired: bool


def examples_of(report: Report) -> tuple[Example, ...]:
    """Return the examples of a report: of the first rows of each task, and of repeats only the first."""
    of_tasks: dict[str, list[ReportRow]] = {}
    for row in report.rows:
        if not row.repeat:
            of_tasks.setdefault(row.task, []).append(row)
    shown = {id(row) for rows in of_tasks.values() for row in rows[:MOST_ROWS]}
    order = {id(row): place for place, row in enumerate(report.rows) if id(row) in shown}
    examples = [
        example
        for run in report.runs
        for example in _of_run(run, [row for row in report.rows if row.run == run and id(row) in shown], report.data)
    ]
    return tuple(sorted(examples, key=lambda example: order[id(example.row)]))


def _of_run(run: str, rows: Collection[ReportRow], data: str | None) -> Iterator[Example]:
    with open_saved_run(Path(run), data) as reopened:
        chosen = [
            (row, state, why, item)
            for row in rows
            if (state := reopened.states.get(row.cell)) is not None
            for why, item in choose(_records(reopened, state))
        ]
        calls = RecordedCalls(reopened.path)
        for row, state, why, item in chosen:
            yield Example(row, why, explained(reopened, calls, state.row, item))


def _records(reopened: SavedRun, state: RowState) -> Iterator[_Seen]:
    metric = comparison_metric(state.row.task.card.metrics)
    for record in records_of(state, reopened.samples):
        parts = (record["parts"].get(profile, {}).get(metric) for profile in ("strict", "official"))
        strict, official = (part[0] / part[1] if part and part[1] else None for part in parts)
        is_repaired = bool(record["counts"].get("repaired"))
        yield _Seen(record["item_id"], record["outcome"], strict or 0.0, official, is_repaired)


def choose(records: Iterable[_Seen]) -> Iterator[tuple[str, str]]:
    """Yield why and which, from the records of a row.

    >>> answered = [_Seen(str(number), "answered", number / 10, number / 10, number == 3) for number in range(5)]
    >>> list(choose([*answered, _Seen("5", "api_error", 0.0, None, False)]))
    [('worst', '0'), ('median', '2'), ('repaired', '3'), ('api error', '5')]
    """
    records = list(records)
    answered = sorted((one for one in records if one.outcome == Outcome.ANSWERED), key=lambda one: one.strict)
    apart = [one for one in answered if one.official is not None and abs(one.official - one.strict) > 1e-9]
    candidates: list[tuple[str, _Seen]] = []
    if answered:
        candidates += [("worst", one) for one in answered[:1] if one.strict < 1]
        candidates.append(("median", answered[len(answered) // 2]))
    if apart:
        candidates.append(("read differently", max(apart, key=lambda one: abs((one.official or 0.0) - one.strict))))
    candidates += [("repaired", one) for one in records if one.is_repaired][:1]
    for ending in ENDINGS:
        candidates += [(ending.replace("_", " "), one) for one in records if one.outcome == ending][:1]
    taken = set[str]()
    for why, one in candidates:
        if one.item_id not in taken:
            taken.add(one.item_id)
            yield why, one.item_id
