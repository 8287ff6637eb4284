"""Results of importing files into a dataset, shared by all suites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tsgkit.graph.rules import Finding
from tsgkit.library.datasets import Dataset, StoredFile, dataset_value, make_folder

Watch = Callable[[str, int, int | None], None]
"""A callback with a file's name, its bytes so far and, if known, the total."""
INCOMING = ".incoming"


@contextmanager
def incoming_file(folder: Path, name: str) -> Iterator[Path]:
    """Yield where a file of a dataset is downloaded to, in a folder of its own inside the dataset's.

    At the end it is removed, and so are both folders where nothing is left in them: no file, and no part of one.
    """
    incoming = folder / INCOMING
    make_folder(incoming)
    try:
        yield incoming / name
    finally:
        (incoming / name).unlink(missing_ok=True)
        with suppress(OSError):
            incoming.rmdir()
            folder.rmdir()


class Inspected(Protocol):
    """The findings in a file."""

    @property
    def findings(self) -> Sequence[Finding]:
        """Everything that is wrong or unusual."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of findings of each code."""

    @property
    def problem(self) -> str:
        """The reason why the file cannot be used; else empty."""


@dataclass(frozen=True)
class Arrival:
    """An imported file with its findings and the file it replaced; one that was present has no inspection."""

    stored: StoredFile
    inspection: Inspected | None = None
    replaced: StoredFile | None = None


@dataclass(frozen=True)
class Intake:
    """A dataset after an import."""

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
