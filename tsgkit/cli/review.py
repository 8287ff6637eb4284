"""Reviews by a person, here or on a page: their options, and the way of asking for every decision that is missing.

What is typed is read so that a signal is heard at any moment. Python runs the handler of a signal between two of its
own steps: one that arrives when ``readline`` has begun, and its wait for the terminal has not, is heard only with the
next line. Here a signal ends the wait in either case.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from tsgkit.cli.terminal import say
from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.serve.decidable import Decidable

TERMINAL, BROWSER = "terminal", "browser"


def add_review_place(parser: argparse.ArgumentParser) -> None:
    """Add the option --review-in."""
    about = "review here, or on a page in the browser, which needs tsgkit[view]; implies --review (default: terminal)"
    parser.add_argument("--review-in", choices=(TERMINAL, BROWSER), help=about)


def resolve_review_place(arguments: argparse.Namespace) -> None:
    """Set --review where --review-in is given, and the place where it is not.

    Raise ``ExtraMissing`` if the page cannot be served, which is found before a model is asked.
    """
    arguments.review = arguments.review or arguments.review_in is not None
    arguments.review_in = arguments.review_in or TERMINAL
    if arguments.review_in == BROWSER:
        from tsgkit.serve.local_server import require_server

        require_server()


def require_terminal() -> None:
    """Raise ``UsageError`` if standard input is not a terminal."""
    if not sys.stdin.isatty():
        hint = "run it in a terminal, use --review-in browser, or omit --review to write all items without errors"
        raise UsageError("--review needs a terminal, and standard input is not one", hint=hint)


def all_decided(page: Decidable, ask: Callable[[int, TypedLines], bool], *, in_browser: bool) -> bool:
    """Ask for the decisions that are missing, and return whether all are made.

    In the terminal ``ask`` shows the entry of a number until the person decides; it is False where the person stops.
    """
    if in_browser:
        from tsgkit.serve.decision_page import decide_in_browser

        return decide_in_browser(page, say=say)
    left = [number for number, entry in enumerate(page.entries()) if entry["decision"] is None]
    lines = TypedLines(sys.stdin)
    return all(ask(number, lines) for number in left)


class TypedLines:
    """The lines of a stream, in turn. Nothing else may read it meanwhile."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.left = b""

    def asked(self, what: str) -> str | None:
        """Say what may be typed, and return the line without spaces around it; None at the end of the input."""
        say(f"  {what}:")
        sys.stdout.flush()
        line = self.next()
        return line.strip() if line else None

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
