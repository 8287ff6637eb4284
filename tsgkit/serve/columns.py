"""The samples of a run as columns: what a table of 20,000 of them shows and is filtered by.

A sample's number is its place among all of the run: rows in their order, each in the order of its data. It stays the
same while the run grows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tsgkit.report.recorded_sample import RecordedSample, in_a_line
from tsgkit.runs.plan import Cell
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.scoring.pooling import Outcome

RIGHT, WRONG, UNANSWERED, MISSING, UNKNOWN = "r", "w", "u", "m", "?"
"""The marks of samples; missing is one that was not asked yet, unknown one that was answered and has no value."""
LONGEST = 160
"""Characters of an answer or a reason in a column; the page of the sample has the whole."""
NUMBERS = ("strict", "official", "tokens", "cost", "seconds")
TEXTS = ("answer", "reason", "cluster")


class SampleColumns:
    """One list for each column, with a place for every sample."""

    def __init__(self, rows: Sequence[PlannedRow]) -> None:
        """Begin with all samples missing."""
        self.rows = tuple(rows)
        self.starts: dict[Cell, int] = {}
        for row in rows:
            self.starts[row.cell] = self._total
        self.total = self._total
        self.outcomes = [str(Outcome.MISSING), *(str(outcome) for outcome in Outcome if outcome is not Outcome.MISSING)]
        self._codes = {name: code for code, name in enumerate(self.outcomes)}
        self.outcome = bytearray(self.total)
        self.mark = [MISSING] * self.total
        self.numbers: dict[str, list[float | None]] = {name: [None] * self.total for name in NUMBERS}
        self.texts: dict[str, list[str]] = {name: [""] * self.total for name in TEXTS}
        self._stored: dict[int, Mapping[str, Sequence[str]]] = {}

    @property
    def _total(self) -> int:
        return sum(len(row.numbers) for row in self.rows if row.cell in self.starts)

    def place(self, number: int) -> tuple[PlannedRow, int]:
        """Return the row of a sample, and the sample's place in it. Raise ``IndexError`` if there is no such sample."""
        for row in self.rows:
            position = number - self.starts[row.cell]
            if 0 <= position < len(row.numbers):
                return row, position
        raise IndexError(number)

    def note(self, sample: RecordedSample, position: int) -> None:
        """Take a sample at a place of its row in, instead of an earlier record of it."""
        number = self.starts[sample.cell] + position
        self.outcome[number] = self._codes[sample.outcome]
        self.mark[number] = _mark(sample)
        self._stored[number] = sample.groups
        numbers = {"strict": sample.value(), "official": sample.value("official"), **_used(sample.usage)}
        for name, value in numbers.items():
            self.numbers[name][number] = value
        texts = {"answer": in_a_line(sample.answer), "reason": sample.reason, "cluster": sample.cluster}
        for name, text in texts.items():
            self.texts[name][number] = text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."

    def value(self) -> dict[str, Any]:
        """Return all columns, as the browser takes them."""
        items = ((position, row) for position, row in enumerate(self.rows))
        placed_ids = [(position, row.dataset.item_ids[number]) for position, row in items for number in row.numbers]
        return {
            "n": self.total,
            "row": [position for position, _ in placed_ids],
            "item": [item for _, item in placed_ids],
            "outcome": list(self.outcome),
            "outcomes": self.outcomes,
            "mark": self.mark,
            **self.numbers,
            **self.texts,
            "groups": self._groups(),
        }

    def _groups(self) -> dict[str, Any]:
        """Return the members of every group, and which of them each sample belongs to."""
        groups: dict[str, dict[str, Any]] = {}
        computed: dict[tuple[str, int, str], Sequence[str]] = {}
        for row in self.rows:
            start = self.starts[row.cell]
            for group in row.task.groups.names:
                of = groups.setdefault(group, {"members": {}, "of": [[]] * self.total})
                for position, number in enumerate(row.numbers):
                    names = self._stored.get(start + position, {}).get(group)
                    if names is None and (names := computed.get(key := (row.cell.task, number, group))) is None:
                        names = computed[key] = row.task.groups.of(row.dataset.sample(number), group)
                    of["of"][start + position] = [of["members"].setdefault(name, len(of["members"])) for name in names]
        return {group: {"members": list(of["members"]), "of": of["of"]} for group, of in groups.items()}


def _mark(sample: RecordedSample) -> str:
    """Return the mark of a recorded sample; one without a reply is unanswered, and counts."""
    if sample.outcome != Outcome.ANSWERED:
        return UNANSWERED
    if None in (sample.value(), sample.full_marks) and not sample.verdicts:
        return UNKNOWN
    return WRONG if sample.is_wrong else RIGHT


def _used(usage: Mapping[str, float]) -> dict[str, float | None]:
    """Return tokens, cost and seconds; None unless every call tells them."""
    if not usage:
        return dict.fromkeys(("tokens", "cost", "seconds"))
    return {
        "tokens": None if usage.get("untold") else usage.get("prompt", 0) + usage.get("completion", 0),
        "cost": None if usage.get("unpriced") else usage.get("cost"),
        "seconds": usage.get("seconds"),
    }
