"""Lines that are typed, read so that a signal is heard at any moment.

Python runs the handler of a signal between two of its own steps. One that arrives when ``readline`` has begun, and its
wait for the terminal has not, is heard only with the next line. Here a signal ends the wait in either case.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from typing import TextIO


class TypedLines:
    """The lines of a stream, in turn. Nothing else may read it meanwhile."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.left = b""

    def next(self) -> str:
        """Return the next line with its end; empty at the end of the input."""
        handle = _handle_of(self.stream)
        if handle is None:
            return self.stream.readline()
        while b"\n" not in self.left:
            _wait(handle)
            if not (read := os.read(handle, 4096)):
                break
            self.left += read
        line, end, self.left = self.left.partition(b"\n")
        return (line + end).decode(self.stream.encoding, self.stream.errors or "strict")


def _handle_of(stream: TextIO) -> int | None:
    """Return what can be waited for; None for text in memory, in other threads, and for consoles of Windows."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return None
    try:
        return stream.fileno()
    except (AttributeError, OSError):
        return None


def _wait(handle: int) -> None:
    """Wait until there is something to read, or the input is at its end."""
    hears, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    try:
        while handle not in select.select([handle, hears], [], [])[0]:
            os.read(hears, 4096)  # a signal whose handler raises nothing
    finally:
        signal.set_wakeup_fd(before)
        os.close(hears)
        os.close(told)
