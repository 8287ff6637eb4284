"""``tsgkit make tsg`` of many stories: in processes, and interrupted."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from suites.tsg.commands.test_benchmark_maker import made, stories_file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_where_sentences_are_written_changes_no_byte_of_them() -> None:
    source = str(stories_file(6))
    for name in ("here", "processes"):
        assert made(source, "-o", name, "--only", "import,describe", "--executor", name) == 0
    for file in ("described.jsonl", "sentences.jsonl"):
        assert Path("here", file).read_bytes() == Path("processes", file).read_bytes() != b""


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
