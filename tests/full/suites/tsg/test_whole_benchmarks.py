"""``tsgkit make tsg`` of many stories, interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from full.suites.tsg.commands.test_benchmark_maker import made, stories_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_an_interrupt_leaves_finished_stages_and_no_half_one() -> None:
    source = stories_file(80, 30)
    command = [sys.executable, "-m", "tsgkit", "make", "tsg", str(source), "-o", "out", "--only"]
    process = subprocess.Popen([*command, "import,describe"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline().startswith("import: 80 stories")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    if process.returncode != 0:  # a fast machine may be done
        assert process.returncode == 130 and "goes on" in said and "Traceback" not in said
        assert not Path("out/described.jsonl").exists() and not list(Path("out").glob(".*.part"))
    assert made(str(source), "-o", "out", "--only", "describe") == 0
