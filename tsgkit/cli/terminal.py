"""Terminal output: data without control characters, errors in one line, counts in words."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from tsgkit.errors import FileProblem
from tsgkit.report.plain_text import OUTPUT
from tsgkit.report.plain_text import count as count
from tsgkit.report.plain_text import inert as inert

if TYPE_CHECKING:
    from tsgkit.report.terminal import Screen

EVERY_ON_A_TERMINAL, EVERY_ELSEWHERE = 0.2, 10.0
"""Seconds between two lines about progress."""


def say(text: str = "") -> None:
    """One line of a command's output; ``FileProblem`` where it cannot be written."""
    try:
        _print(text, OUTPUT.get() or sys.stdout)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from None


def say_lines(lines: Iterable[str]) -> None:
    """Say several lines."""
    for line in lines:
        say(line)


def wants_colour() -> bool:
    """Return whether standard output is a terminal that shows colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def screen() -> Screen:
    """Return the output device: a terminal with its width and colours, else a pipe or file."""
    from tsgkit.report.terminal import Screen

    if OUTPUT.get() is not None or not sys.stdout.isatty():
        return Screen()
    return Screen(shutil.get_terminal_size((80, 24)).columns, wants_colour())


def flush() -> None:
    """Write pending output. Raise ``FileProblem`` if it cannot be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from None


def _unwritable(error: OSError) -> FileProblem:
    let_go_of_stdout()
    return FileProblem(f"standard output: cannot be written: {error.strerror}")


def let_go_of_stdout() -> None:
    """Discard pending output, so that Python's own last write does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fill_closed_streams() -> None:
    """Open null devices for closed standard streams, so that no file of ours gets their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def complain(message: str, hint: str = "") -> None:
    """Print one error or note, with what to do next."""
    with suppress(OSError):  # where errors cannot be told either, the exit code says it
        _print("tsgkit: " + "\n".join(filter(None, [inert(message), _hint(hint)])), sys.stderr)


def progress_line(noun: str) -> Callable[[int, int], None]:
    """Return a function that prints how many of a total are done: in place on a terminal, now and then elsewhere."""
    is_terminal, shown_at, is_shown = sys.stderr.isatty(), time.monotonic(), False

    def show(done: int, total: int) -> None:
        nonlocal shown_at, is_shown
        is_last, now = done >= total, time.monotonic()
        every = EVERY_ON_A_TERMINAL if is_terminal else EVERY_ELSEWHERE
        if is_terminal and is_shown if is_last else now - shown_at >= every:
            shown_at, is_shown = now, True
            with suppress(OSError):
                end = "\r" if is_terminal and not is_last else "\n"
                print(f"{done:,} of {total:,} {noun}", end=end, file=sys.stderr, flush=True)

    return show


def _hint(hint: str) -> str:
    return "\n".join("  " + inert(line) for line in hint.split("\n")) if hint else ""


def _print(text: str, stream: object) -> None:
    """Print, with a question mark for each character that the terminal's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=stream)  # type: ignore[call-overload]
