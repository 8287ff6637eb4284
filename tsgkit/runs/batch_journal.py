"""The batches of a run: ``batches.jsonl`` in its folder, a line for every step, written before the next one.

An ``intent`` names the requests before they are sent, ``file`` and ``batch`` what the service called them, ``read``
the requests whose results stand in ``calls.jsonl`` (all, if it names none), ``dropped`` a batch that was never made.
A merge takes along what is not collected yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem
from tsgkit.llm.batch_services import Batch
from tsgkit.llm.secrets import Secrets
from tsgkit.runs.journal import CHANGED, Journal, line_at, lines_of

Line = dict[str, Any]
FIELDS = frozenset(("step", "mark"))


class BatchJournal:
    """The record of the batches of one model at one endpoint."""

    def __init__(self, journal: Journal, model: str, endpoint: str, secrets: Secrets) -> None:
        self._journal, self._model, self._secrets = journal, model, secrets
        self._endpoint = secrets.redact(endpoint)
        self._read: dict[str, set[str]] = {}

    def open(self) -> list[Batch]:
        """Return the batches with results that were not recorded, oldest first, with the names of those."""
        found = _batches(self._journal.path, self._lines())
        held: dict[str, str] = {name: batch.mark for batch in found.values() for name in batch.names}
        for batch in found.values():  # of a request that was sent again only the last time counts
            batch.names = tuple(name for name in batch.names if held[name] == batch.mark)
        return [batch for batch in found.values() if batch.names]

    def _lines(self) -> Iterator[tuple[int, Line]]:
        """Yield the lines about batches of this model, and broken ones."""
        mine: set[str] = set()
        for place, line in self._journal:
            mark = line.get("mark")
            if isinstance(mark, str) and (line.get("model"), line.get("endpoint")) == (self._model, self._endpoint):
                mine.add(mark)
            if not isinstance(mark, str) or mark in mine:
                yield place, line

    def intend(self, batch: Batch, digest: str) -> None:
        """Note that a batch is about to be sent."""
        about = {"model": self._model, "endpoint": self._endpoint, "time": round(batch.time, 3), "sha256": digest}
        self._add(batch, "intent", **about, names=list(batch.names))

    def note(self, batch: Batch) -> None:
        """Note the file or the name of a batch."""
        if batch.id:
            self._add(batch, "batch", id=batch.id)
        else:
            self._add(batch, "file", id=batch.file)

    def read(self, batch: Batch, names: Sequence[str]) -> None:
        """Note that the results of these requests are recorded."""
        every = {} if set(names) == set(batch.names) else {"names": list(names)}
        self._add(batch, "read", **every)

    def drop(self, batch: Batch) -> None:
        """Note that the service never made a batch."""
        self._add(batch, "dropped")

    def _add(self, batch: Batch, step: str, **parts: Any) -> None:  # noqa: ANN401  (JSON values)
        value = self._secrets.redact_value({"step": step, "mark": batch.mark, **parts})
        assert isinstance(value, dict)  # noqa: S101  (as it was given)
        self._journal.add(value)


def pending(path: Path) -> int:
    """Return how many batches in a file have, or may have, results that were not recorded; 0 where there is no file."""
    return sum(bool(batch.names) for batch in _batches(path, lines_of(path, FIELDS)).values())


def unite(sources: Sequence[Path], made: Path) -> None:
    """Write the steps of all batches that are not collected yet into one file; none if all are."""
    left = {mark for path in sources for mark, batch in _batches(path, lines_of(path, FIELDS)).items() if batch.names}
    steps = [Journal.encoded(line) for path in sources for _, line in lines_of(path, FIELDS) if line["mark"] in left]
    if steps:
        made.write_bytes(b"".join(dict.fromkeys(steps)))  # a folder that was merged before has the same steps


def _batches(path: Path, lines: Iterable[tuple[int, Line]]) -> dict[str, Batch]:
    """Return batches by their marks, with the names of requests whose results were not recorded."""
    found: dict[str, Batch] = {}
    for place, line in lines:
        try:
            _take_in(found, line)
        except (KeyError, TypeError, ValueError):
            raise FileProblem(f"{line_at(path, place)}: not what a run has there", hint=CHANGED) from None
    return found


def _take_in(found: dict[str, Batch], line: Line) -> None:
    """Take one step in."""
    step, mark = line["step"], line["mark"]
    if step == "intent":
        found[mark] = Batch(mark, tuple(line["names"]), float(line["time"]))
    elif mark not in found:
        return
    elif step == "file":
        found[mark].file = line["id"]
    elif step == "batch":
        found[mark].id = line["id"]
    elif step == "dropped" or (step == "read" and "names" not in line):
        found[mark].names = ()
    elif step == "read":
        read = frozenset(line["names"])
        found[mark].names = tuple(name for name in found[mark].names if name not in read)
