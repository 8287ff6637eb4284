"""Typed lines come one by one, and a signal is heard however close to the wait it arrives."""

from __future__ import annotations

import io
import os
import select
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from tsgkit.cli.typed_lines import TypedLines


@pytest.fixture
def pipe() -> Iterator[tuple[TypedLines, int]]:
    reads, writes = os.pipe()
    with os.fdopen(reads, encoding="utf-8") as stream, os.fdopen(writes, "wb", buffering=0) as typed:
        yield TypedLines(stream), typed.fileno()


def test_lines_that_arrive_together_are_read_one_by_one(pipe: tuple[TypedLines, int]) -> None:
    lines, typed = pipe
    os.write(typed, "a\n\nkäse\nno end".encode())
    assert [lines.next() for _ in range(3)] == ["a\n", "\n", "käse\n"]
    assert signal.set_wakeup_fd(-1) == -1, "the wakeup of signals is left as it was"
    memory = TypedLines(io.StringIO("a\nb"))
    assert [memory.next() for _ in range(3)] == ["a\n", "b", ""]


def test_last_line_without_an_end_is_read_before_the_end_of_the_input() -> None:
    reads, writes = os.pipe()
    os.write(writes, b"q")
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as stream:
        lines = TypedLines(stream)
        assert (lines.next(), lines.next()) == ("q", "")


def test_signal_just_before_the_wait_ends_it(pipe: tuple[TypedLines, int], monkeypatch: pytest.MonkeyPatch) -> None:
    lines, typed = pipe
    heard: list[int] = []
    waits: list[list[int]] = []
    wait = select.select

    def waited(reads: list[int], writes: list[int], errors: list[int]) -> Any:  # noqa: ANN401
        if waits:
            os.write(typed, b"a\n")
        else:
            os.kill(os.getpid(), signal.SIGUSR1)
        ready = wait(reads, writes, errors, 10)
        waits.append(ready[0])
        return ready

    monkeypatch.setattr(select, "select", waited)
    before = signal.signal(signal.SIGUSR1, lambda number, _: heard.append(number))
    try:
        assert lines.next() == "a\n"
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [signal.SIGUSR1]
    assert len(waits) == 2 and waits[0], "nothing was typed, and the signal ended the first wait"
