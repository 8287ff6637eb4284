"""Notes and progress of what takes long before a job begins, passed to a watch if one is set: downloads of data that
were named, a cluster whose places are taken.

>>> heard = []
>>> with watched(Watch(heard.append)):
...     note("main is commit 4f1a")
>>> note("without a watch")
>>> heard
['main is commit 4f1a']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

LARGE = 2_000_000
"""Size in bytes from which on the progress of a download is reported."""


@dataclass(frozen=True)
class Watch:
    """Callbacks for notes in one line, and for the progress of a download (a name, bytes so far, all bytes)."""

    note: Callable[[str], None]
    progress: Callable[[str, int, int | None], None] | None = None


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watched(watch: Watch) -> Iterator[None]:
    """Report what happens within the block to a watch."""
    before = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(before)


def note(text: str) -> None:
    """Report a note."""
    if watch := _WATCH.get():
        watch.note(text)


def progress_of(name: str, size: int) -> Callable[[int, int | None], None] | None:
    """Return the callback for the download of a file of this size; None for a small one, or without a watch."""
    watch = _WATCH.get()
    progress = watch.progress if watch and size >= LARGE else None
    return None if progress is None else lambda so_far, total: progress(name, so_far, total or size)
