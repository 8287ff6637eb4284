"""Progress and countdowns: plain lines where nobody can see them change, never wider than the terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from io import StringIO
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import pytest

from tsgkit.llm.asker import door_of
from tsgkit.report import progress
from tsgkit.report.progress import Countdown, Progress, line_of
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.jobs import JobPart
from tsgkit.runs.plan import Plan

PLAN = Plan(tasks=("tsg/sgqa", "tsg/sgds"), models=("baseline/rules",), first=3)


def shown(folder: Path, stream: TextIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_ELSEWHERE", 0.0)
    monkeypatch.setattr(progress, "EVERY_ON_A_TERMINAL", 0.0)
    evaluate(PLAN, RunOptions(out=folder / "run"), Progress(stream).watch)


def test_lines_are_plain_elsewhere_and_going_on_says_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = StringIO()
    shown(tmp_path, stream, monkeypatch)
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("baseline/rules tsg/sgqa: 1/3, exact_match 100.0 so far, about 0:")
    assert lines[-2:] == [f"baseline/rules tsg/{end} 66.7" for end in ("sgqa: 3/3, exact_match", "sgds: 3/3, accuracy")]
    assert not {"\x1b", "\r"} & set(stream.getvalue())
    samples = tmp_path / "run/samples.jsonl"
    whole = samples.read_bytes().splitlines(keepends=True)
    for there, said in ((1, "1 sample is"), (4, "4 samples are")):
        samples.write_bytes(b"".join(whole[:there]))
        stream = StringIO()
        shown(tmp_path, stream, monkeypatch)
        assert stream.getvalue().startswith(f"going on: {said} there already\n")


def test_lines_fit_the_terminal_and_tell_the_score_so_far_and_requests_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 20, 0, 0))
    with os.fdopen(theirs, "w") as stream:
        shown(tmp_path, stream, monkeypatch)
    seen = os.read(ours, 65_536).decode()
    os.close(ours)
    assert "\x1b[2A\r\x1b[2Kbaseline/rules tsg/" in seen
    assert max(len(line.replace("\x1b[2A", "").replace("\r\x1b[2K", "")) for line in seen.split("\r\n")) == 19
    door = door_of("openai/x", ("api_base=http://127.0.0.1:9/v1",))
    door.failed = 2
    part = JobPart("x", 3, 12, ended=3, left=9, metric="accuracy", score=0.25, failed=1, door=door)
    expected = "x: 3/12, accuracy 25.0 so far, 1 failed, 2 requests failed, 0 of at most 8 in flight"
    assert line_of(part).startswith(expected)
    assert line_of(JobPart("x", 12, 12, ended=12, left=0, metric="accuracy", score=1.0)) == "x: 12/12, accuracy 100.0"


def test_a_wait_is_said_once_and_again_when_it_lasts_and_is_a_line_of_a_terminal_as_long_as_it_lasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(progress, "EVERY_WAIT_ELSEWHERE", 1000.0)
    running: Any = SimpleNamespace(waits=[], parts=list)
    stream, wait = StringIO(), "openai/x: no answer for 3 s"
    shown = Progress(stream, running)
    shown.ticked()
    assert stream.getvalue() == ""
    running.waits = [wait]
    shown.ticked()
    shown.ticked()
    assert stream.getvalue() == f"{wait}\n"
    monkeypatch.setattr(progress, "EVERY_WAIT_ELSEWHERE", 0.0)
    shown.ticked()
    assert stream.getvalue() == f"{wait}\n" * 2
    shown = Progress(terminal := Terminal(), running)
    shown.ticked()
    running.waits = []
    shown.ticked()
    assert terminal.getvalue() == f"\r\x1b[2K{wait}\n\x1b[1A\r\x1b[2K\n"


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


def test_a_countdown_is_a_line_now_and_then_elsewhere_one_that_is_gone_on_a_terminal_and_none_of_quick_work() -> None:
    assert told(StringIO(), 100, 0.001) == told(Terminal(), 100, 0.001) == ""
    assert told(StringIO(), 2500, 0.01).splitlines() == [
        "1,001/2,500 samples, about 0:15 left",
        "2,001/2,500 samples, about 0:05 left",
    ]
    lines = told(Terminal(), 20, 0.5).split("\r\x1b[2K")
    assert (lines[0], lines[1], lines[-1]) == ("", "3/20 samples, about 0:06 left", "")
    assert "\n" not in "".join(lines)
