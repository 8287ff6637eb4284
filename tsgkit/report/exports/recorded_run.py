"""A saved run as exports read it: its logs (rows that differ in their repeat alone), and sample by sample.

Texts of records are whole Unicode: halves of surrogate pairs, which no other format can hold, become escapes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.report.explanation import Called, ScoredToday, calls_about, scored_today
from tsgkit.report.sample_facts import SampleFacts, facts_of, key_of
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import sample_value
from tsgkit.runs.results import NOWHERE, Result, RowState
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import RecordedCalls, SavedRun, open_saved_run

Done = Callable[[int, int], None]
"""A callback with the number of samples that were written, and the number of all."""
LONGEST_NAME = 60


def nothing(done: int, total: int) -> None:
    """Do nothing about a sample."""


@dataclass(frozen=True)
class RecordedSample:
    """A sample that was recorded, with its calls."""

    run: RecordedRun
    row: PlannedRow
    number: int | None
    """Its place in the data."""
    item: Any
    """The item as its suite has it."""
    record: Mapping[str, Any]
    lines: tuple[dict[str, Any], ...]
    """Its lines in the file of calls."""

    @cached_property
    def calls(self) -> tuple[Called, ...]:
        """Its calls in order."""
        return calls_about(self.lines, self.run.recorded)

    @cached_property
    def today(self) -> ScoredToday:
        """Its scores by the present readers, for the reasons that records leave out."""
        return scored_today(self.row, self.item, self.lines, self.record)

    @cached_property
    def scores(self) -> Mapping[str, Mapping[str, float | None] | None]:
        """Its recorded values by profile and metric."""
        scores: Mapping[str, Mapping[str, float | None] | None] = sample_value(self.record)["scores"]
        return scores

    def reason(self, profile: str, metric: str) -> str:
        """Return the reason for a score: the recorded one, else that of the present readers if they score the same."""
        if recorded := self.record["why"].get(f"{profile}.{metric}"):
            return str(recorded)
        score = self.today.judged.scores.get(profile, {}).get(metric)
        total, weight = self.record["parts"][profile][metric]
        return score.reason if score is not None and (score.sum, score.weight) == (total, weight) else ""

    @property
    def item_id(self) -> str:
        """The id of its item."""
        return str(self.record["item_id"])

    @property
    def asked(self) -> str:
        """The model that was asked: the subject or the judge."""
        return str(whole(self.row.asked))

    @cached_property
    def facts(self) -> SampleFacts:
        """Its value, whether it is right, and why not."""
        return facts_of(self.row, self.record, lambda: self.item)

    @cached_property
    def key(self) -> str:
        """The right answer, in words."""
        return key_of(self.row, self.item)


@dataclass(frozen=True)
class RecordedRun:
    """A saved run that has at least one record."""

    opened: SavedRun
    done: Done = nothing

    @cached_property
    def recorded(self) -> RecordedCalls:
        """Where its calls lie."""
        return RecordedCalls(self.opened.path)

    @cached_property
    def results(self) -> Mapping[Cell, Result]:
        """The result of each row."""
        return {result.cell: result for result in self.opened.results}

    @property
    def header(self) -> Mapping[str, Any]:
        """What the run was asked to do."""
        return self.opened.header

    @property
    def identity(self) -> str:
        """The hash of all that can change its answers."""
        return str(self.header["identity"])

    @cached_property
    def total(self) -> int:
        """The number of samples that have a record."""
        return sum(len(state.places) for state in self.opened.states.values()) - self.unasked

    @cached_property
    def unasked(self) -> int:
        """The number of samples that have none yet."""
        return sum(state.places.count(NOWHERE) for state in self.opened.states.values())

    def model_of(self, row: PlannedRow) -> Mapping[str, Any]:
        """Return the record of the model that a row asks: its parameters, without keys, and the address of its server
        if it is not that of a known service."""
        model: Mapping[str, Any] = self.header["asked"]["models"].get(row.asked, {})
        return model

    def parameters_of(self, row: PlannedRow) -> dict[str, Any]:
        """Return the recorded parameters of the model that a row asks."""
        parameters: dict[str, Any] = whole(self.model_of(row).get("parameters", {}))
        return parameters

    def logs(self) -> dict[Cell, list[RowState]]:
        """Return its rows that have records, those that differ in their repeat alone together under the first."""
        logs: dict[Cell, list[RowState]] = {}
        for cell, state in self.opened.states.items():
            if state.places.count(NOWHERE) < len(state.places):
                logs.setdefault(cell._replace(repeat=0), []).append(state)
        return logs

    def samples(self) -> Iterator[RecordedSample]:
        """Yield all samples in the order of the rows."""
        for state in self.opened.states.values():
            yield from self.samples_of(state)

    def samples_of(self, state: RowState) -> Iterator[RecordedSample]:
        """Yield the samples of a row in the order of its data."""
        row = state.row
        known = self.opened.prepared.numbers_in_data.get(row.cell.task)
        for place, number in enumerate(row.numbers):
            if state.places[place] == NOWHERE:
                continue
            record = whole(self.opened.samples.read(state.places[place]))
            item = row.dataset.sample(number)
            lines = whole(self.recorded.of(row.cell, item.item_id))
            in_data = number if known is None else known.get(item.item_id)
            yield RecordedSample(self, row, in_data, item, record, tuple(lines))
            self._written[0] += 1
            self.done(self._written[0], self.total)

    @cached_property
    def _written(self) -> list[int]:
        return [0]


@contextmanager
def recorded_run(path: Path, data: str | None = None, done: Done = nothing) -> Iterator[RecordedRun]:
    """Open a run for an export; ``UsageError`` if none of its samples has a record."""
    with open_saved_run(path, data) as opened:
        run = RecordedRun(opened, done)
        if not run.total:
            hint = "the command that began it goes on with it: tsgkit runs show has it"
            raise UsageError(f"{path}: no sample of this run has an answer yet, so nothing can be exported", hint=hint)
        yield run


def whole(value: Any) -> Any:  # noqa: ANN401  (as JSON has it)
    r"""Return a value of JSON with halves of surrogate pairs in its texts as escapes.

    >>> print(whole({"reply": ["cup \ud83d", 3]}))
    {'reply': ['cup \\ud83d', 3]}
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {whole(name): whole(part) for name, part in value.items()}
    return [whole(part) for part in value] if isinstance(value, list) else value


def file_name(*parts: str, longest: int = LONGEST_NAME) -> str:
    """Return parts of a name joined by hyphens, with letters and digits only, as any system takes it.

    >>> file_name("tsg/sgqa", "../../a b", "", "cot")
    'tsg-sgqa-a-b-cot'
    """
    words = "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in parts if part)
    return words[:longest].strip("-.") or "run"


def mark_of(run: RecordedRun, *parts: object) -> str:
    """Return a short hash that tells parts of runs apart."""
    return hashlib.sha256("\0".join(map(str, (run.identity, *parts))).encode("utf-8", "replace")).hexdigest()[:22]
