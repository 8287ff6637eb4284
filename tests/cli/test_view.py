"""``tsgkit view``: the link, what it refuses, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from tsgkit.cli import main
from tsgkit.serve import local_server

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "mine"
    assert main(["eval", "--task", "tsg/sgqa", "--limit", "3", "--out", str(out), "--quiet"]) == 0
    return out


@pytest.mark.parametrize("library", ["starlette", "uvicorn"])
def test_without_the_extra_the_command_to_install_it_is_told(
    library: str, run: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == library else ModuleSpec(name, None)

    monkeypatch.setattr(local_server, "find_spec", found)
    assert main(["view", str(run), "--no-open"]) == 2
    told = capsys.readouterr().err
    assert f"with {library.title()}, which is not installed" in told
    assert 'pip install "tsgkit[view]"' in told


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_the_link_works_and_a_signal_ends_the_server(how: signal.Signals, run: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    command = [sys.executable, "-m", "tsgkit", "view", str(run), "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.fullmatch(r"1 run: (http://127\.0\.0\.1:\d+/[\w-]{32}/)#/run/mine\n", line)
    assert found is not None, line
    with urllib.request.urlopen(found[1], timeout=20) as page:  # noqa: S310
        assert b"<title>tsgkit</title>" in page.read()
    server.send_signal(how)
    _, told = server.communicate(timeout=20)
    assert told == ""
    assert server.returncode in ((0,) if how == signal.SIGINT else (0, -signal.SIGTERM, 143))


def test_a_port_that_is_taken_is_told(run: Path, capsys: Captured) -> None:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["view", str(run), "--no-open", "--port", str(port)]) == 2
    assert f"port {port}: address already in use" in capsys.readouterr().err


def test_a_folder_without_runs_waits_for_the_first(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    command = [sys.executable, "-m", "tsgkit", "view", str(tmp_path), "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None and server.stderr is not None
    address = server.stdout.readline().split()[-1]
    assert "no runs here yet" in server.stderr.readline()
    out = tmp_path / "mine"
    assert main(["eval", "--task", "tsg/sgqa", "--limit", "1", "--out", str(out), "--quiet"]) == 0
    with urllib.request.urlopen(f"{address}data/runs", timeout=20) as listing:  # noqa: S310
        assert b'"id":"mine"' in listing.read()
    os.kill(server.pid, signal.SIGINT)
    server.communicate(timeout=20)
