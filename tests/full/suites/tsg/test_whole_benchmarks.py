"""``tsgkit make tsg`` of many stories, interrupted, and of published clips."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from full.suites.tsg.commands.test_benchmark_maker import made, rows, stories_file

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")


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


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published clips")
def test_published_clips_pass_the_gate() -> None:
    clips = json.loads((Path(OFFICIAL) / "easg_fit.json").read_text(encoding="utf-8"))
    Path("clips.json").write_text(json.dumps(dict([*clips.items()][:12])))
    assert made("clips.json", "-o", "out", "--questions", "4", "--fix") == 0
    assert len(rows("out", "stories.jsonl")) == 12 and len(rows("out", "ma-sgg.jsonl")) > 40
