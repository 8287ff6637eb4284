"""Subjects judged by questions are compared question for question of the same prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tsgkit.cli import main


def test_two_subjects_are_compared_over_the_same_prompts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--model", "baseline/constant:C", "--model", "baseline/majority-per-type")
    assert main(["eval", "--task", "spatialgen", *words, "--out", "run", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["compare", "run", "--json"]) == 0
    assert "0.252" in json.dumps(json.loads(capsys.readouterr().out))
    assert main(["explain", "run", "--item", "000001", "--subject", "baseline/constant:C"]) in (0, 2)


def test_a_page_shows_the_controls_and_what_the_score_is_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["eval", "--task", "spatialgen", "--model", "baseline/longest", "--out", "run", "--quiet"]) == 0
    assert main(["report", "run", "-o", "page.html", "--against", "published"]) == 0
    page = Path("page.html").read_text()
    assert "what answering without looking gets" in page and "baseline/majority-per-type" in page
    assert "what accuracy is made of, percent" in page and "Seed Dream 4.0" in page
