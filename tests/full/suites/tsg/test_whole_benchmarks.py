"""``tsgkit make tsg`` of many stories: in processes, interrupted, and six hundred choices without a shortcut."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from made_up_stories import made_up_story
from suites.tsg.commands.test_benchmark_maker import made, rows, stories_file
from suites.tsg.makers.test_sentences import made as made_choices

from tsgkit.library.documents.reader import read_file
from tsgkit.report.audit_report import audit_of
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES
from tsgkit.suites.tsg.makers.choices import choice_row

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


def test_an_audit_of_many_choices_finds_neither_slips_nor_shortcuts(tmp_path: Path) -> None:
    choices, chooser, _ = made_choices(map(made_up_story, range(60)), 10)
    path = tmp_path / "choices.jsonl"
    path.write_text("".join(json.dumps(choice_row(story, choice)) + "\n" for story, choice in choices))
    audit = audit_of("tsg/sgds", str(path)).audit
    found = {one.check.code for one in audit.found if one.slips}
    assert found == {"hand2-first", "not-held"}, "slips of the made-up stories themselves"
    assert (audit.n, audit.errors, audit.solving) == (len(choices), 0, ())
    assert not any(spread.is_skewed for spread in audit.spreads)
    for group, sums in chooser.balance.excess.items():
        count = chooser.made[group] if group else sum(chooser.made.values())
        noise = 3 * math.sqrt(0.2 * 0.8 / count)
        for name, excess in zip((*NAMES, "learned"), sums, strict=True):
            assert excess / count < noise, (group, name, excess / count)
