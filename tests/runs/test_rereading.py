"""Runs say which reader read them, and what a newer one reads differently."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_files import lines

from tsgkit.cli import main
from tsgkit.replies import READER

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Path:
    """Return a run of which one reply was read by the first reader, which took the last brackets there are."""
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "--task", "sgds", "--limit", "2", "--quiet", "--out", "run", "--model", "baseline/rules"]) == 0
    path = tmp_path / "run"
    header = json.loads((path / "run.json").read_text())
    assert header.pop("reader") == READER
    (path / "run.json").write_text(json.dumps(header))
    calls, samples = lines(path / "calls.jsonl"), lines(path / "samples.jsonl")
    calls[0]["reply"]["text"] = "[A] or [B]"
    samples[0] |= {"outcome": "answered", "answer": "B"}
    for name, values in (("calls.jsonl", calls), ("samples.jsonl", samples)):
        (path / name).write_text("".join(json.dumps(value) + "\n" for value in values))
    capsys.readouterr()
    return path


def test_rescore_names_what_a_newer_reader_reads_differently(run: Path, capsys: Captured) -> None:
    item = lines(run / "samples.jsonl")[0]["item_id"]
    assert main(["rescore", str(run)]) == 0
    said = capsys.readouterr().out
    assert f"1 sample read differently by reader {READER} than by reader 1:" in said
    assert f"baseline/rules tsg/sgds {item}: answered B -> unreadable" in said
    assert json.loads((run / "run.json").read_text())["reader"] == READER
    assert main(["rescore", str(run)]) == 0
    assert "differently" not in capsys.readouterr().out


def test_rescore_lists_them_all_as_json(run: Path, capsys: Captured) -> None:
    assert main(["rescore", str(run), "--json"]) == 0
    [reread] = json.loads(capsys.readouterr().out)["reread"]
    assert (reread["before"], reread["after"]["outcome"]) == ({"outcome": "answered", "answer": "B"}, "unreadable")
    assert reread["task"] == "tsg/sgds" and reread["item_id"]


def test_going_on_reads_all_replies_with_the_reader_of_today(run: Path) -> None:
    words = ["eval", "--task", "sgds", "--limit", "2", "--quiet", "--out", str(run), "--model", "baseline/rules"]
    assert main(words) == 0
    assert json.loads((run / "run.json").read_text())["reader"] == READER
