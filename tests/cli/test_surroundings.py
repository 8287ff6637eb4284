"""Surroundings that fail a command: closed or full streams, a folder that is gone, names too long, addresses with
passwords. Each gives a message and a documented exit code, never 70."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from command_line import CommandLine
from model_server import model_server
from prefork import Prefork
from run_files import everything, lines
from shipped import DATA

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.declarations import loaded
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
    Path("g.txt").write_text("person -> verb -> wash\n")
    for words in (
        "eval --task sgqa --limit 1 --model openai/x --model-arg api_base={} --out run",
        "refine g.txt --model openai/x --model-arg api_base={} -o out.txt",
        "images --task formalimg/knolling --model openai/x --model-arg api_base={} -o out",
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


def test_hangup_drains_what_is_in_work(commands: Prefork, folder: Path) -> None:
    with model_server(delay=0.2) as server:
        words = f"eval --task sgqa --limit 60 --concurrency 2 --model openai/x --model-arg api_base={server.base}"
        process = commands.start(*words.split(), "--out", "run", "--no-cache", "--quiet", cwd=folder)
        while server.stats()["seen"] < 4:
            time.sleep(0.01)
        process.signal(signal.SIGHUP)
        assert process.wait().code == 130
        assert len(lines(folder / "run/samples.jsonl")) == server.stats()["seen"] < 60


@contextmanager
def tracing_service() -> Iterator[tuple[str, list[str]]]:
    """Yield a stand-in for the service that traces are posted to, and what it was sent."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        do_POST = do_PATCH = do_GET  # noqa: N815  (as the server calls them)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        server.server_close()


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
    with tracing_service() as (url, seen):
        names = ("LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2", "LANGSMITH_TRACING")
        environment = os.environ | dict.fromkeys(names, "true") | {"LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "k"}
        subprocess.run([sys.executable, "-c", REFINING], env=environment, check=True, capture_output=True)
        assert seen == []
