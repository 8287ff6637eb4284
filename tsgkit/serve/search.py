"""Search in the prompts, replies and reasons of a run.

The texts are folded once into a file without a name, which ends with the process; only positions are kept in memory.
"""

from __future__ import annotations

import tempfile
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from threading import RLock

from tsgkit.runs.folder import CALLS, PROMPTS, calls_in, prompts_in
from tsgkit.runs.plan import Cell

CHUNK = 4_194_304
END = "\0"


class SearchTexts:
    """The texts of a run's calls, with the samples that they belong to; any thread may use them."""

    def __init__(self, path: Path, numbers: Mapping[tuple[Cell, str], int]) -> None:
        """Prepare for the samples of these numbers."""
        self._path, self._numbers = path, numbers
        self._lock = RLock()
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (kept open for as long as this lives)
        self._starts = array("q")
        self._owners: list[str | int] = []
        """The hash of a prompt, or the number of a sample, for each text."""
        self._users: dict[str, array[int]] = {}
        self._seen: set[str] = set()
        self._read_to = {CALLS: -1, PROMPTS: -1}
        self._size = 0

    def grow(self) -> None:
        """Take in what was recorded since."""
        with self._lock:
            if self._file.closed:
                return
            self._file.seek(self._size)
            for offset, value in prompts_in(self._path / PROMPTS, max(self._read_to[PROMPTS], 0)):
                self._read_to[PROMPTS] = offset
                if value["hash"] not in self._seen:
                    self._seen.add(value["hash"])
                    parts: list[object] = []
                    for message in value["messages"]:
                        content = message.get("content")
                        parts += content if isinstance(content, list) else [content]
                    self._add(value["hash"], [part.get("text") if isinstance(part, dict) else part for part in parts])
            for offset, value in calls_in(self._path / CALLS, max(self._read_to[CALLS], 0)):
                number = self._numbers.get((Cell.of(value), value["sample"]))
                was_read, self._read_to[CALLS] = offset == self._read_to[CALLS], offset
                if was_read or number is None:
                    continue
                if value.get("prompt"):
                    self._users.setdefault(value["prompt"], array("l")).append(number)
                self._add(number, [value["reply"].get(name) for name in ("text", "reasoning", "refusal", "error")])
            self._file.flush()

    def _add(self, owner: str | int, parts: Sequence[object]) -> None:
        text = "\n".join(part for part in parts if isinstance(part, str))
        folded = (text.replace(END, " ").casefold() + END).encode("utf-8", "surrogatepass")
        self._starts.append(self._size)
        self._owners.append(owner)
        self._file.write(folded)
        self._size += len(folded)

    def find(self, text: str) -> set[int]:
        """Return the numbers of the samples with a text in a prompt or a reply; letters of any case are the same."""
        wanted = text.replace(END, " ").casefold().encode("utf-8", "surrogatepass")
        numbers: set[int] = set()
        with self._lock:
            self.grow()
            for offset in self._places(wanted) if wanted else ():
                owner = self._owners[offset]
                numbers.update(self._users.get(owner, ()) if isinstance(owner, str) else (owner,))
        return numbers

    def _places(self, wanted: bytes) -> Iterator[int]:
        """Yield the places of the texts that contain some bytes, each once."""
        self._file.seek(0)
        start, kept = 0, b""
        last = -1
        while chunk := self._file.read(CHUNK):
            window, begins = kept + chunk, start - len(kept)
            at = window.find(wanted)
            while at >= 0:
                offset = bisect_right(self._starts, begins + at) - 1
                if offset > last:
                    last = offset
                    yield offset
                end = self._starts[last + 1] if last + 1 < len(self._starts) else self._size
                at = window.find(wanted, max(end - begins, at + 1))
            start += len(chunk)
            kept = window[-(len(wanted) - 1) :] if len(wanted) > 1 else b""

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._file.close()
