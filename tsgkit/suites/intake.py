"""What becomes of files that are brought to this machine as a dataset, as every suite tells it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tsgkit.graph.rules import Finding
from tsgkit.library.datasets import Dataset, StoredFile, dataset_value

Watch = Callable[[str, int, int | None], None]
"""Told a file's name, its bytes so far and, where known, how many there will be."""
INCOMING = ".incoming"


class Inspected(Protocol):
    """What was found in a file."""

    @property
    def findings(self) -> Sequence[Finding]:
        """Everything that is wrong or unusual."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many findings of each code."""

    @property
    def problem(self) -> str:
        """Why the file cannot be used; empty where it can."""


@dataclass(frozen=True)
class Arrival:
    """A file that went into a dataset, with what was found in it and what it replaced; one that was there already has
    no inspection."""

    stored: StoredFile
    inspection: Inspected | None = None
    replaced: StoredFile | None = None


@dataclass(frozen=True)
class Intake:
    """A dataset after files went into it."""

    dataset: Dataset
    arrivals: tuple[Arrival, ...]


def intake_value(intake: Intake) -> dict[str, object]:
    """Return the JSON value of what went into a dataset."""
    arrived = [
        {
            "task": arrival.stored.task,
            "action": "kept" if arrival.inspection is None else "replaced" if arrival.replaced else "installed",
            "problem": arrival.inspection.problem if arrival.inspection else "",
        }
        for arrival in intake.arrivals
    ]
    return {"arrived": arrived, "dataset": dataset_value(intake.dataset)}
