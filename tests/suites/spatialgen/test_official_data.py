"""The published rows, where a folder with them is given: read whole, written back to the byte, their defects found."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tsgkit.cli import main
from tsgkit.suites.spatialgen.baselines import accuracies, baseline
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.domains import SUB_DOMAINS
from tsgkit.suites.spatialgen.rows import rows_in, written
from tsgkit.suites.spatialgen.scenes import published_scene

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
SAMPLE = Path(FOLDER, "spatialgeneval_sample.jsonl")


def test_every_row_comes_back_byte_for_byte() -> None:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    assert [written(row) for row in rows_in(SAMPLE)] == lines


def test_every_question_has_five_options_or_four_of_which_none_is_the_last() -> None:
    for row in rows_in(SAMPLE):
        assert row.types == SUB_DOMAINS
        for question, text in zip(row.questions, row.texts, strict=True):
            assert "".join(question.options) in ("ABCDE", "ABCE")
            assert question.refusal == "E"
            assert question.stem == text.split("  Options: ")[0]
            assert not any(f" {letter}: " in option for option in question.options.values() for letter in "ABCDE")


def test_every_row_is_of_the_scene_its_number_says() -> None:
    assert [published_scene(int(row.id)) for row in rows_in(SAMPLE)] == [row.scene for row in rows_in(SAMPLE)]


def test_the_question_nobody_can_answer_is_found_and_stems_about_texts_are() -> None:
    found = list(findings(rows_in(SAMPLE)))
    assert [(one.item, one.question) for one in found if one.code == "key-without-option"] == [("000119", 3)]
    text = SAMPLE.read_text(encoding="utf-8")
    questions = [question for line in text.splitlines() for question in json.loads(line)["questions"]]
    spoken = sum("mention" in stem or "describ" in stem for stem in (q.split("  Options: ")[0] for q in questions))
    assert sum(one.code == "text-reference" for one in found) >= spoken > 0
    assert any(one.code == "skewed-keys" and "all questions: C" in one.message for one in found)


def test_the_other_stems_give_away_most_object_questions() -> None:
    rows = list(rows_in(SAMPLE))
    assert accuracies(rows, baseline("overlap"))["Object"] >= 0.7
    assert accuracies(rows, baseline("random"))["Object"] < 0.6


def test_an_audit_finds_what_is_wrong_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(SAMPLE), "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    slips = {check["code"]: [one["item_id"] for one in check["found"]] for check in found["checks"]}
    assert slips["no-key"] == ["000119/3"] and "000119/3" in slips["few-options"]
    assert len(slips["text-reference"]) == 38 and slips["other-stems"] and slips["long-prompt"]
    assert found["to_beat"]["value"] > 0.4 and any(one["skewed"] for one in found["keys"])


def test_they_are_asked_as_they_are_and_a_constant_letter_gets_its_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--data", str(SAMPLE), "--model", "baseline/constant:C", "--out", str(tmp_path / "run"), "--json")
    assert main(["eval", "--task", "spatialgen", *words]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["profiles"]["strict"]["accuracy"]["value"] == pytest.approx(0.49)
