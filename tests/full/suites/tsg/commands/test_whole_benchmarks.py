"""``tsgkit make tsg`` of many stories: in processes, and interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from suites.tsg.commands.test_benchmark_maker import made, rows, stories_file

from tsgkit.library.documents.reader import read_file

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")


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


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published clips")
def test_published_clips_are_imported_and_described() -> None:
    clips = sorted(Path(OFFICIAL).glob("easg*.json"))
    assert made(*map(str, clips), "-o", "out", "--only", "import,describe") == 0
    known = [entry.narrative for path in clips for entry in read_file(path).entries]
    dropped = [one for one in rows("out", "import.dropped.jsonl") if one["place"] == "story"]
    assert len(rows("out", "stories.jsonl")) + len(dropped) == len(known) and rows("out", "sentences.jsonl")
