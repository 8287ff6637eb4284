"""The runs that are looked at: folders of runs, found anew whenever the list is asked for.

What the list shows of a run (how far it is, what it cost, its scores so far) is added up in the background, and again
when the run has grown.

Labels, which people give to samples, lie in one file beside a run: the one that ``tsgkit agree RUN --human FILE``
reads. Several servers may write it: each change is made under a lock to what is in the file then.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import RLock
from typing import Any

from pydantic import BaseModel, ConfigDict

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.lexicon import meant
from tsgkit.report.agreement import Rating, read_ratings
from tsgkit.report.report_rows import HEADLINE, gather
from tsgkit.runs.folder import HEADER, LOCK, SAMPLES, check_evaluation, read_header
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell
from tsgkit.scoring.pooling import FAILURES
from tsgkit.serve.line_file import Line, LineFile
from tsgkit.serve.viewed_run import ViewedRun, compared, row_value, stamp_of
from tsgkit.version import __version__

MOST_OPEN = 3
"""Runs whose samples are kept in memory at once."""
VERDICTS = ("right", "wrong", "unsure")
LONGEST_NOTE = 10_000
LABELS_ENDING = ".labels.jsonl"


class SentLabel(BaseModel):
    """A label as the browser sends it; no verdict removes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    number: int
    question: str = ""
    verdict: str | None
    note: str = ""


def labels_file(run: Path) -> Path:
    """Return the file with the labels of a run, beside its folder.

    >>> labels_file(Path("runs/mine")).as_posix()
    'runs/mine.labels.jsonl'
    """
    folder = run.resolve()
    return (run.parent if run.name else folder.parent) / f"{folder.name}{LABELS_ENDING}"


@dataclass(frozen=True)
class Label:
    """A label of a sample: one of its questions and a verdict, None to remove it."""

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
        return {
            "item_id": self.item_id,
            "question": self.question,
            "rater": rater,
            **({"unsure": True} if self.verdict == "unsure" else {"right": self.verdict == "right"}),
            **({"note": self.note} if self.note else {}),
            **self.cell.value,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
        }

    def is_in(self, line: Mapping[str, Any], rater: str) -> bool:
        """Return whether a line of the file is about the same question of the same sample, by the same rater."""
        identity = (str(line.get("item_id")), str(line.get("question", "")), str(line.get("rater")))
        return identity == (self.item_id, self.question, rater) and Cell.of({"repeat": 0, **line}) == self.cell


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


class ViewedRuns:
    """The runs in some folders."""

    def __init__(self, paths: Sequence[Path], data: str | None = None) -> None:
        """Look at runs and at folders of them. Raise ``UsageError`` for anything else, as painted images."""
        self.paths, self.data = tuple(paths), data
        self._lock = RLock()
        self._open: OrderedDict[str, ViewedRun] = OrderedDict()
        self._briefs: dict[str, tuple[str, Future[dict[str, Any]]]] = {}
        self._counted: dict[Path, tuple[str, int]] = {}
        self._adding = ThreadPoolExecutor(1, thread_name_prefix="tsgkit-view")
        for path in paths:
            if not path.is_dir():
                what = "this is a file" if path.exists() else "there is no such folder"
                raise UsageError(f"{path}: {what}", hint="name a run, or a folder of runs: tsgkit runs list")
            if (path / HEADER).is_file() and not _is_evaluation(path):
                check_evaluation(read_header(path), path)  # which raises, and names the work that is kept there

    def found(self) -> dict[str, Path]:
        """Return the folders of the runs by id: the name of the folder, with more of its path where that is taken."""
        runs: dict[str, Path] = {}
        for path in dict.fromkeys(_runs_below(self.paths)):
            name, parts = path.resolve().name, list(path.resolve().parts)
            for length in range(2, len(parts) + 1):
                if name not in runs:
                    break
                name = "/".join(parts[-length:])
            runs[name] = path
        return runs

    def path_of(self, run: str) -> Path:
        """Return the folder of a run. Raise ``UsageError`` if there is none of this id."""
        known = self.found()
        if run not in known:
            raise UsageError(f"there is no run {run} here", hint=meant(run, known) if known else "")
        return known[run]

    def open(self, run: str) -> ViewedRun:
        """Return an opened run; the one that was not asked for longest is closed."""
        path = self.path_of(run)
        with self._lock:
            if run not in self._open:
                self._open[run] = ViewedRun(path, self.data)
            self._open.move_to_end(run)
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)[1].close()
            return self._open[run]

    def begin(self) -> None:
        """Begin to add up what will be asked for first: the results of a single run."""
        runs = list(self.found())
        if len(runs) == 1:
            with suppress(TsgkitError):  # the page tells it
                self.open(runs[0]).begin()

    # The list

    def value(self, *, wait: bool = False) -> dict[str, Any]:
        """Return the list, the latest run first; ``wait`` for what is being added up."""
        runs = [self._listed(run, path) for run, path in self.found().items()]
        if wait:
            for _, brief in list(self._briefs.values()):
                brief.result()
            return self.value()
        return {"version": __version__, "runs": sorted(runs, key=lambda run: str(run.get("begun", "")), reverse=True)}

    def _listed(self, run: str, path: Path) -> dict[str, Any]:
        about = {"id": run, "name": path.resolve().name, "path": str(path)}
        try:
            header = read_header(path)
            plan = check_evaluation(header, path)
        except TsgkitError as error:
            return {**about, "problem": str(error)}
        stamp = stamp_of(path)
        if path not in self._counted or self._counted[path][0] != stamp:  # counted anew only if it has grown
            with closing(Journal(path / SAMPLES, writes=False)) as journal:
                self._counted[path] = stamp, journal.count()
        return {
            **about,
            "begun": header["begun"],
            "samples": header["samples"],
            "recorded": min(self._counted[path][1], header["samples"]),
            "is_working": is_working(path),
            "subjects": [*plan.models, *(folder.name for folder in plan.folders)],
            "tasks": list(plan.tasks),
            "styles": list(plan.styles),
            "stamp": stamp,
            **self._brief(run, path, stamp),
        }

    def _brief(self, run: str, path: Path, stamp: str) -> dict[str, Any]:
        """Return what was added up of a run; while that goes on, what was known before."""
        with self._lock:
            before = self._briefs.get(run)
            if before is None or (before[0] != stamp and before[1].done()):
                self._briefs[run] = (stamp, self._adding.submit(self._added_up, run, path))
            task = self._briefs[run][1]
        if task.done():
            return task.result()
        old = before[1].result() if before is not None and before[1].done() else {"scores": [], "cost": None}
        return {**old, "is_counting": True}

    def _added_up(self, run: str, path: Path) -> dict[str, Any]:
        """Return what was added up of a run, from the results that its page shows where it is open or alone."""
        try:
            if run in self._open or len(self.found()) == 1:
                return brief_of(self.open(run).value())
            rows = gather([path], data=self.data, metrics=HEADLINE).rows
            return brief_of({"rows": [row_value(number, row) for number, row in enumerate(rows)]})
        except TsgkitError as error:
            return {"scores": [], "cost": None, "problem": str(error)}

    # Labels

    def labels(self, run: str) -> dict[str, Any]:
        """Return the labels of a run, by the numbers of its samples."""
        opened = self.open(run)
        file, labels = Labels(opened.path), []
        for rating in file.ratings():
            if rating.label is not None:
                continue  # a label of one's own, which is no verdict
            verdict = "unsure" if rating.right is None else "right" if rating.right else "wrong"
            for row in opened.prepared.rows:
                if rating.is_about(row.cell) and (place := opened.rated(row.cell, *rating.place)) is not None:
                    about = {"rater": rating.rater, "verdict": verdict, "note": rating.note}
                    labels.append({"number": place[0], "question": place[1], **about})
        return {"labels": labels, "file": str(file.file)}

    def save_label(self, run: str, rater: str, sent: SentLabel) -> dict[str, Any]:
        """Write a label, and return all of the run."""
        opened = self.open(run)
        cell, item_id = opened.sample_at(sent.number)
        Labels(opened.path).save(Label(cell, item_id, sent.question, sent.verdict, sent.note), rater)
        return self.labels(run)

    # Two runs

    def compared(self, first: tuple[str, int], second: tuple[str, int]) -> dict[str, Any]:
        """Return the paired test of two rows, each named by its run and its number."""
        return compared(*((self.open(run), number) for run, number in (first, second)))

    def close(self) -> None:
        """Stop adding up, and close all runs."""
        self._adding.shutdown(wait=False, cancel_futures=True)
        for opened in self._open.values():
            opened.close()


def brief_of(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the list shows of results: the strict score of each row, the cost, how far the run is, and the
    subjects that never answered, each with an error.
    """
    rows, scores = results["rows"], []
    for row in rows:
        metric = row["metric"]
        value = row["profiles"]["strict"].get(metric) or {}
        shown = {name: value.get(name) for name in ("value", "low", "high")}
        about = {"row": row["title"], "task": row["task"], "metric": metric}
        scores.append({**about, "is_share": row["metrics"][metric]["is_share"], **shown, "n": row["n"]})
    paid = [row["usage"]["cost"] for row in rows if row["usage"] is not None]
    return {
        "scores": scores,
        "cost": sum(paid) if paid and None not in paid else None,
        "recorded": sum(row["n"] - sum(row["counts"][outcome] for outcome in FAILURES) for row in rows),
        "never_answered": {
            subject: next(iter(mine[0]["errors"]))
            for subject in dict.fromkeys(row["subject"] for row in rows)
            if (mine := [row for row in rows if row["subject"] == subject and row["n"]])
            and all(row["n"] == row["counts"]["api_error"] for row in mine)
        },
        "problem": None,
    }


def _runs_below(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if (path / HEADER).is_file():
            yield path
        elif path.is_dir():
            yield from sorted(run for run in path.iterdir() if (run / HEADER).is_file() and _is_evaluation(run))


def _is_evaluation(path: Path) -> bool:
    """Return whether a folder may hold an evaluation; the calls of an agent over files have no plan."""
    try:
        return "plan" in read_header(path)
    except TsgkitError:
        return True


def is_working(path: Path) -> bool:
    """Return whether a process holds the lock of a run, as the system tells; false where it does not tell."""
    try:
        lock = os.stat(path / LOCK)  # noqa: PTH116
        locks = Path("/proc/locks").read_text(encoding="ascii", errors="replace")
    except OSError:
        return False
    place = f"{os.major(lock.st_dev):02x}:{os.minor(lock.st_dev):02x}:{lock.st_ino}"
    return any(" FLOCK " in f" {line} " and place in line.split() for line in locks.splitlines())
