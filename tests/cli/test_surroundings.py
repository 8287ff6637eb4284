"""Surroundings that fail a command: closed or full streams, a folder that is gone, names too long, addresses with
passwords. Each gives a message and a documented exit code, never 70. Signals are heard while lines are typed."""

from __future__ import annotations

import io
import os
import select
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from model_server import model_server
from run_files import everything
from shipped import DATA

from tsgkit.cli.review import TypedLines
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import loaded
from tsgkit.library.files import read_bytes

TSGKIT = f"{shlex.quote(sys.executable)} -m tsgkit"
CHECK = f"{TSGKIT} check {shlex.quote(str(DATA / 'sgqa.jsonl'))}"


def shell(command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    words = ["/bin/bash", "-c", command]
    return subprocess.run(words, capture_output=True, text=True, env=environment, check=False)


def test_streams_and_folders_that_fail_give_a_message_and_exit_code_2(tsgkit: CommandLine) -> None:
    for command, message in {
        f"{CHECK} >/dev/full": "standard output: cannot be written: No space left on device",
        f"{CHECK} >&-": "standard output or standard error is closed",
        f"{TSGKIT} check - <&-": "standard input is closed",
        f"mkdir gone && cd gone && rmdir ../gone && {TSGKIT} tasks": "the working folder is gone",
    }.items():
        ended = shell(command)
        assert (ended.returncode, message in ended.stderr) == (2, True), f"{command}: {ended.stderr}"
        assert "bug" not in ended.stderr
    ended = shell(f"{TSGKIT} check nope.jsonl 2>&-")
    assert (ended.returncode, ended.stdout) == (2, ""), "nothing is written elsewhere"
    ended = shell(f"{CHECK} --all | true; echo ${{PIPESTATUS[0]}}")
    assert (ended.stdout.strip(), ended.stderr) == ("0", ""), "a pipe that is closed early is no error"
    for words, message in {
        f"eval --task sgqa --limit 1 --quiet --out {'x' * 300}": "xxx/run.json: File name too long",
        "eval --task sgqa --data /proc/self/mem --quiet": "/proc/self/mem: cannot be read",
        "eval --task sgqa --quiet --model script:/dev/zero": "/dev/zero: not a file of replies",
        "eval --task sgqa --quiet --model script:.": ".: no run lies here",
        f"generate {DATA / 'sgqa.jsonl'} -o x.jsonl --model script:nope.jsonl": "nope.jsonl: no such file",
    }.items():
        assert message in tsgkit(words, code=2).err, words


@pytest.mark.parametrize("path", ["-", "/dev/zero"])
def test_endless_input_stops_at_a_limit(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.library.files.MOST_PIPED", 1 << 21)
    with Path("/dev/zero").open(encoding="latin-1") as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(FileProblem, match="more than 2 MB, and it has not ended"):
            read_bytes(path)


def test_numbers_in_base_60_are_refused() -> None:
    for number in ("1:30", "190:20:30", "1:30.5"):
        with pytest.raises(UsageError, match=r"line 2: .* is a number in base 60"):
            loaded(f"title: a\nlimit: {number}", "plan.yaml")
        assert loaded(f"limit: '{number}'", "plan.yaml") == {"limit": number}


def test_addresses_with_a_password_are_refused_and_not_shown(folder: Path, tsgkit: CommandLine) -> None:
    for words in (
        "eval --task sgqa --limit 1 --model openai/x --model-arg api_base={} --out run",
        "data get tsg-bench --from {}",
    ):
        ended = tsgkit(words.format("http://me:hunter2@127.0.0.1:1/v1"), code=2)
        assert "an address with a user or a password" in ended.err, words
        assert "hunter2" not in ended.out + ended.err, words
        assert b"hunter2" not in everything(folder), words


def test_unwritable_home_costs_the_cache_alone(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    for name in ("TSGKIT_CACHE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/dev/null/home")
    with model_server() as server:
        words = f"eval --task sgqa --limit 2 --model openai/x --model-arg api_base={server.base} --out run --quiet"
        assert "note: no reply is kept for other runs" in tsgkit(words).out


REFINING = """
import asyncio, os
from tsgkit.agents.refinement import Effort, Passage, refine_passage
from tsgkit.cli import main
from tsgkit.graph.model import ActionGraph
before = dict(os.environ)
asyncio.run(refine_passage(Passage((ActionGraph.of(("person", "verb", "wash")),)), None, Effort()))
assert dict(os.environ) == before
assert main(["refine", "g.txt", "-o", "out.txt"]) in (0, 1)
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


def test_agents_post_no_traces_whatever_the_environment_says() -> None:
    Path("g.txt").write_text("person -> verb -> wash\nwash -> dobj -> cup\n")
    with socket.create_server(("127.0.0.1", 0)) as service:
        service.setblocking(False)
        names = ("LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2", "LANGSMITH_TRACING")
        url = f"http://127.0.0.1:{service.getsockname()[1]}"
        environment = os.environ | dict.fromkeys(names, "true") | {"LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "k"}
        subprocess.run([sys.executable, "-c", REFINING], env=environment, check=True, capture_output=True)
        with pytest.raises(BlockingIOError):
            service.accept()


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
    reads, writes = os.pipe()
    os.write(writes, b"a\nb")
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as stream:
        ended = TypedLines(stream)
        assert [ended.next() for _ in range(3)] == ["a\n", "b", ""], "the last line needs no end"
    memory = TypedLines(io.StringIO("a\nb"))
    assert [memory.next() for _ in range(3)] == ["a\n", "b", ""]


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
