"""A countdown is silent about quick work, changes in place on a terminal, and prints lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from itertools import count

from tsgkit.report.countdown import Countdown


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def told(stream: StringIO, parts: int, seconds: float) -> str:
    clock: Iterator[float] = (number * seconds for number in count())
    countdown = Countdown("samples", stream, now=clock.__next__)
    for done in range(1, parts + 1):
        countdown(done, parts)
    countdown.ended()
    return stream.getvalue()


def test_quick_work_shows_nothing() -> None:
    assert told(StringIO(), 100, 0.001) == told(Terminal(), 100, 0.001) == ""


def test_a_line_now_and_then_is_printed_elsewhere() -> None:
    assert told(StringIO(), 2500, 0.01).splitlines() == [
        "1,001/2,500 samples, about 0:15 left",
        "2,001/2,500 samples, about 0:05 left",
    ]


def test_a_terminal_has_one_line_that_is_gone_at_the_end() -> None:
    lines = told(Terminal(), 20, 0.5).split("\r\x1b[2K")
    assert lines[0] == lines[-1] == ""
    assert lines[1] == "3/20 samples, about 0:06 left"
    assert "\n" not in "".join(lines)
