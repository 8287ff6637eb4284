"""A saved run as exports read it: its logs (rows that differ in their repeat alone), and sample by sample.

Texts of records are whole Unicode: halves of surrogate pairs, which no other format can hold, become escapes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from tsgkit.report.recorded_sample import RecordedRun, RecordedSample
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import NOWHERE, Result, RowState
from tsgkit.runs.run_setup import PlannedRow
from tsgkit.runs.saved_run import SavedRun

Done = Callable[[int, int], None]
"""A callback with the number of samples that were written, and the number of all."""
LONGEST_NAME = 60


def nothing(done: int, total: int) -> None:
    """Do nothing about a sample."""


@dataclass(frozen=True)
class ExportedRun(RecordedRun):
    """A saved run that has at least one record."""

    done: Done = nothing

    @cached_property
    def results(self) -> Mapping[Cell, Result]:
        """The result of each row."""
        return {result.cell: result for result in self.opened.results}

    @property
    def header(self) -> Mapping[str, Any]:
        """The header of the run: what it was asked to do."""
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
        return chain.from_iterable(map(self.recorded_of, self.opened.states.values()))

    def recorded_of(self, state: RowState) -> Iterator[RecordedSample]:
        """Yield the samples of a row that have a record, in the order of its data."""
        for number, offset in zip(state.row.numbers, state.places, strict=True):
            if offset != NOWHERE:
                yield self.sample(state, number, offset)
                self._written[0] += 1
                self.done(self._written[0], self.total)

    @cached_property
    def _written(self) -> list[int]:
        return [0]


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


def mark_of(run: SavedRun, *parts: object) -> str:
    """Return a short hash that tells parts of runs apart."""
    words = "\0".join(map(str, (run.header["identity"], *parts)))
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:22]
