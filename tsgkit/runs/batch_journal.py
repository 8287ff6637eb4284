"""The batches of a run: ``batches.jsonl`` in its folder, a line for every step, written before the next one.

An ``intent`` names the requests before they are sent, ``file`` and ``batch`` what the service called them, ``read``
the requests whose results stand in ``calls.jsonl`` (all, if it names none), ``dropped`` a batch that was never made.
A merge takes along what is not collected yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem
from tsgkit.llm.batch_services import Batch
from tsgkit.llm.secrets import Secrets
from tsgkit.runs.journal import CHANGED, Journal, line_at, lines_of

FIELDS = frozenset(("step", "mark"))


class BatchJournal:
    """The record of the batches of one model at one endpoint."""

    def __init__(self, journal: Journal, model: str, endpoint: str, secrets: Secrets) -> None:
        self._journal, self._secrets = journal, secrets
        self._asked = {"model": model, "endpoint": secrets.redact(endpoint)}

    def open(self) -> list[Batch]:
        """Return the batches with results that were not recorded, oldest first, with the names of those."""
        batches = _batches(self._journal.path, self._asked)
        last = {name: batch for batch in batches.values() for name in batch.names}
        for batch in batches.values():  # of a request that was sent again only the last time counts
            batch.names = tuple(name for name in batch.names if last[name] is batch)
        return [batch for batch in batches.values() if batch.names]

    def add(self, step: str, batch: Batch, **parts: Any) -> None:  # noqa: ANN401  (JSON values)
        """Note a step."""
        about = self._asked | {"time": round(batch.time, 3)} if step == "intent" else {}
        value = self._secrets.redact_value({"step": step, "mark": batch.mark, **about, **parts})
        assert isinstance(value, dict)  # noqa: S101  (as it was given)
        self._journal.add(value)


def pending(path: Path) -> int:
    """Return how many batches in a file have, or may have, results that were not recorded; 0 where there is no file."""
    return sum(bool(batch.names) for batch in _batches(path).values())


def unite(sources: Sequence[Path], target: Path) -> None:
    """Write the steps of all batches that are not collected yet into one file; none if all are."""
    left = {mark for path in sources for mark, batch in _batches(path).items() if batch.names}
    steps = [Journal.encoded(line) for path in sources for _, line in lines_of(path, FIELDS) if line["mark"] in left]
    if steps:
        target.write_bytes(b"".join(dict.fromkeys(steps)))  # a folder that was merged before has the same steps


def _batches(path: Path, asked: dict[str, Any] | None = None) -> dict[str, Batch]:
    """Return batches by their marks, with the names of requests whose results were not recorded.

    ``asked`` names the one model and endpoint whose batches are wanted.
    """
    batches: dict[str, Batch] = {}
    for start, line in lines_of(path, FIELDS):
        try:
            step, mark = line["step"], line["mark"]
            if step == "intent":
                batch = Batch(mark, tuple(line["names"]), float(line["time"]))
                if asked is None or asked.items() <= line.items():
                    batches[mark] = batch
            elif mark not in batches:
                continue
            elif step in ("file", "batch"):
                setattr(batches[mark], "id" if step == "batch" else "file", line["id"])
            elif step in ("read", "dropped"):
                read = frozenset(line.get("names", batches[mark].names))
                batches[mark].names = tuple(name for name in batches[mark].names if name not in read)
        except (KeyError, TypeError, ValueError):
            raise FileProblem(f"{line_at(path, start)}: not what a run has there", hint=CHANGED) from None
    return batches
