"""Labels: what people say of samples, kept in one file beside a run.

The file is what ``tsgkit agree RUN --human FILE`` reads. Several servers may write it: each change is made under a lock
to what is in the file then.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.report.agreement import Rating, read_ratings
from tsgkit.runs.plan import Cell
from tsgkit.serve.line_file import Line, LineFile

VERDICTS = ("right", "wrong", "unsure")
LONGEST_NOTE = 10_000
ENDING = ".labels.jsonl"


def labels_file(run: Path) -> Path:
    """Return the file with the labels of a run, beside its folder.

    >>> labels_file(Path("runs/mine")).as_posix()
    'runs/mine.labels.jsonl'
    """
    folder = run.resolve()
    return run.parent / f"{folder.name}{ENDING}" if run.name else folder.with_name(f"{folder.name}{ENDING}")


@dataclass(frozen=True)
class Label:
    """A label as the browser sends it: a question of a sample and a verdict, None to remove it."""

    cell: Cell
    item_id: str
    question: str
    verdict: str | None
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict is not None and self.verdict not in VERDICTS:
            raise UsageError(f"there is no verdict {self.verdict}", hint=f"the verdicts: {', '.join(VERDICTS)}")
        if len(self.note) > LONGEST_NOTE:
            raise UsageError(f"the note has {len(self.note):,} characters; at most {LONGEST_NOTE:,} are kept")

    def line(self, rater: str) -> dict[str, Any]:
        """Return the line of the file."""
        said = {"unsure": True} if self.verdict == "unsure" else {"right": self.verdict == "right"}
        note = {"note": self.note} if self.note else {}
        about = {"item_id": self.item_id, "question": self.question, "rater": rater}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return {**about, **said, **note, **self.cell.value, "time": now}

    def is_in(self, line: Mapping[str, Any], rater: str) -> bool:
        """Return whether a line of the file is about the same question of the same sample, by the same rater."""
        same = (str(line.get("item_id")), str(line.get("question", "")), str(line.get("rater")))
        return same == (self.item_id, self.question, rater) and Cell.of({"repeat": 0, **line}) == self.cell


class Labels:
    """The labels of a run."""

    def __init__(self, run: Path) -> None:
        """Open them; there may be none yet."""
        self.file = labels_file(run)

    def ratings(self) -> tuple[Rating, ...]:
        """Return all labels. Raise ``UsageError`` if the file holds something else."""
        return read_ratings(self.file).ratings if self.file.exists() and self.file.stat().st_size else ()

    def save(self, label: Label, rater: str) -> None:
        """Write a label in the place of the same rater's last one about the question."""
        if not rater.strip():
            raise UsageError("labels need the name of the annotator", hint="--annotator NAME")

        def changed(lines: list[Line]) -> list[Line]:
            self.ratings()  # a file that holds anything else is not touched
            kept = [line for line in lines if not label.is_in(line, rater)]
            return kept if label.verdict is None else [*kept, label.line(rater)]

        LineFile(self.file, "labels").change(changed)


def verdict_of(rating: Rating) -> str | None:
    """Return the verdict of a rating; None where it is a label."""
    if rating.label is not None:
        return None
    return "unsure" if rating.right is None else "right" if rating.right else "wrong"
