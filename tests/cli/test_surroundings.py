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
from amount import some
from model_server import model_server
from run_files import everything, lines
from shipped import DATA

from tsgkit.cli import main
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.declarations import loaded
from tsgkit.library.files import read_bytes

TSGKIT = f"{shlex.quote(sys.executable)} -m tsgkit"
CHECK = f"{TSGKIT} check {shlex.quote(str(DATA / 'sgqa.jsonl'))}"


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/bash", "-c", command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | environment,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"{CHECK} >/dev/full", "standard output: cannot be written: No space left on device"),
        (f"{TSGKIT} --help >/dev/full", "standard output: cannot be written"),
        (f"{CHECK} >&-", "standard output or standard error is closed"),
        (f"{TSGKIT} check - <&-", "standard input is closed"),
        (f"mkdir gone && cd gone && rmdir ../gone && {TSGKIT} eval --limit 1 --quiet", "the working folder is gone"),
        (f"{TSGKIT} eval --task sgqa --limit 1 --quiet --out {'x' * 300}", "xxx/run.json: File name too long"),
        (f"{TSGKIT} eval --task sgqa --data /proc/self/mem --quiet", "/proc/self/mem: cannot be read"),
        (f"{TSGKIT} eval --task sgqa --quiet --model script:/dev/zero", "/dev/zero: not a file of replies"),
        (f"{TSGKIT} eval --task sgqa --quiet --model script:.", ".: no run lies here"),
        (f"{TSGKIT} generate - -o x.jsonl --model script:nope.jsonl <<< Hello.", "nope.jsonl: no such file"),
    ],
)
def test_surroundings_that_fail_give_a_message_and_exit_code_2(command: str, said: str, tmp_path: Path) -> None:
    ended = shell(command, tmp_path)
    assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr
    assert "bug" not in ended.stderr


def test_closed_standard_error_keeps_the_exit_code_and_writes_nothing_elsewhere(tmp_path: Path) -> None:
    ended = shell(f"{TSGKIT} check nope.jsonl 2>&-", tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")


def test_pipe_that_is_closed_early_is_no_error(tmp_path: Path) -> None:
    ended = shell(f"{CHECK} | true; echo ${{PIPESTATUS[0]}}", tmp_path)
    assert ended.stdout.strip() == "0", ended.stderr


@pytest.mark.parametrize("path", ["-", "/dev/zero"])
def test_endless_input_stops_at_a_limit(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.library.files.MOST_PIPED", 1 << 21)
    with Path("/dev/zero").open(encoding="latin-1") as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(FileProblem, match="more than 2 MB, and it has not ended"):
            read_bytes(path)


@pytest.mark.parametrize("number", ["1:30", "190:20:30", "1:30.5"])
def test_number_in_base_60_is_refused(number: str) -> None:
    with pytest.raises(UsageError, match=r"line 2: .* is a number in base 60"):
        loaded(f"title: a\nlimit: {number}", "plan.yaml")
    assert loaded(f"limit: '{number}'", "plan.yaml") == {"limit": number}


@pytest.mark.parametrize(
    "words",
    [
        "eval --task sgqa --limit 1 --model openai/x --model-arg api_base={} --out run",
        "refine g.txt --model openai/x --model-arg api_base={} -o out.txt",
        "images --task formalimg/knolling --model openai/x --model-arg api_base={} -o out",
        "data get tsg-bench --from {}",
    ],
)
def test_address_with_a_password_is_refused_and_not_shown(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "data"))
    Path("g.txt").write_text("person -> verb -> wash\n")
    assert main(words.format("http://me:hunter2@127.0.0.1:1/v1").split()) == 2
    shown = capsys.readouterr()
    assert "an address with a user or a password" in shown.err
    assert "hunter2" not in shown.out + shown.err
    assert b"hunter2" not in everything(tmp_path)


def test_unwritable_home_costs_the_cache_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TSGKIT_CACHE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/dev/null/home")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with model_server() as server:
        words = f"eval --task sgqa --limit 2 --model openai/x --model-arg api_base={server.base} --out run --quiet"
        assert main(words.split()) == 0
    assert "note: no reply is kept for other runs" in capsys.readouterr().out


def test_hangup_drains_what_is_in_work(tmp_path: Path) -> None:
    with model_server(delay=0.2) as server:
        words = f"eval --task sgqa --limit 60 --concurrency 2 --model openai/x --model-arg api_base={server.base}"
        command = [sys.executable, "-m", "tsgkit", *words.split(), "--out", "run", "--no-cache", "--quiet"]
        environment, null = os.environ | {"OPENAI_API_KEY": "k"}, subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=null, stderr=null)
        while server.stats()["seen"] < 4:
            time.sleep(0.05)
        process.send_signal(signal.SIGHUP)
        process.wait()
        assert process.returncode == 130
        assert len(lines(tmp_path / "run/samples.jsonl")) == server.stats()["seen"] < 60


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


IN_PROCESS = """
import asyncio, os
from tsgkit.agents.refinement import Effort, Passage, refine_passage
from tsgkit.graph.model import ActionGraph
before = dict(os.environ)
asyncio.run(refine_passage(Passage((ActionGraph.of(("person", "verb", "wash")),)), None, Effort()))
assert dict(os.environ) == before
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""
TRACING = ("LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2", "LANGSMITH_TRACING")
AS_A_COMMAND = """
from tsgkit.cli import main
assert main(["refine", "g.txt", "-o", "out.txt"]) in (0, 1)
from langchain_core.tracers.langchain import wait_for_all_tracers
wait_for_all_tracers()
"""


@pytest.mark.parametrize("code", [IN_PROCESS, AS_A_COMMAND], ids=["in a process of a caller's", "as a command"])
@pytest.mark.parametrize(
    "variable", some(["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING_V2"], "LANGSMITH_TRACING")
)
def test_agents_post_no_traces_whatever_the_environment_says(code: str, variable: str, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("person -> verb -> wash\nwash -> dobj -> cup\n")
    with tracing_service() as (url, seen):
        environment = os.environ | {variable: "true", "LANGSMITH_ENDPOINT": url, "LANGSMITH_API_KEY": "k"}
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, capture_output=True)
        assert seen == []
