"""Tests on the published rows, if a folder with them is given."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tsgkit.cli import main
from tsgkit.llm.reply import Reply
from tsgkit.suites.judges.shown_images import NOT_SHOWN, ShownImage
from tsgkit.suites.spatialgen.baselines import accuracies, baseline
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.judge_requests import orders_of, parse_protocol, shown
from tsgkit.suites.spatialgen.rows import Row, SpatialSample, rows_in, written
from tsgkit.suites.spatialgen.scores import judged, label_of
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS, published_scene
from tsgkit.suites.transcript import LabelledReply, Transcript

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
SAMPLE = Path(FOLDER, "spatialgeneval_sample.jsonl")
FULL = "SpatialGenEval_T2I_Prompts.jsonl"
FULL_ROWS = 1230


@pytest.fixture(scope="module")
def full() -> list[Row]:
    """Return the rows of the full published file, if the folder has it under its own name, directly or in ``eval``."""
    for path in (Path(FOLDER, FULL), Path(FOLDER, "eval", FULL)):
        if path.is_file() and len(rows := list(rows_in(path))) == FULL_ROWS:
            return rows
    pytest.skip(f"TSGKIT_OFFICIAL_DATA has no {FULL} (nor eval/{FULL}) of {FULL_ROWS:,} rows")


def test_published_rows_are_of_the_known_form_to_the_byte() -> None:
    rows = list(rows_in(SAMPLE))
    assert [written(row) for row in rows] == SAMPLE.read_text(encoding="utf-8").splitlines()
    for row in rows:
        assert row.types == SUB_DOMAINS
        assert published_scene(int(row.id)) == row.scene
        for question, text in zip(row.questions, row.texts, strict=True):
            assert "".join(question.options) in ("ABCDE", "ABCE"), text
            assert question.refusal == "E", text
            assert question.stem == text.split("  Options: ")[0]
            assert not any(f" {letter}: " in option for option in question.options.values() for letter in "ABCDE")


def test_unanswerable_question_and_stems_about_texts_are_found() -> None:
    found = list(findings(rows_in(SAMPLE)))
    assert [(one.item, one.question) for one in found if one.code == "key-without-option"] == [("000119", 3)]
    text = SAMPLE.read_text(encoding="utf-8")
    questions = [question for line in text.splitlines() for question in json.loads(line)["questions"]]
    spoken = sum("mention" in stem or "describ" in stem for stem in (q.split("  Options: ")[0] for q in questions))
    assert sum(one.code == "text-reference" for one in found) >= spoken > 0
    assert any(one.code == "skewed-keys" and "all questions: C" in one.message for one in found)


def test_other_stems_reveal_most_object_questions() -> None:
    rows = list(rows_in(SAMPLE))
    assert accuracies(rows, baseline("overlap"))["Object"] >= 0.7
    assert accuracies(rows, baseline("random"))["Object"] < 0.6


def test_audit_finds_defects_of_published_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(SAMPLE), "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    slips = {check["code"]: [one["item_id"] for one in check["found"]] for check in found["checks"]}
    assert slips["no-key"] == ["000119/3"] and "000119/3" in slips["few-options"]
    assert len(slips["text-reference"]) == 38 and slips["other-stems"] and slips["long-prompt"]
    assert found["to_beat"]["value"] > 0.4 and any(one["skewed"] for one in found["keys"])


def test_published_rows_are_usable_and_constant_letter_gets_its_share(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--data", str(SAMPLE), "--model", "baseline/constant:C", "--out", str(tmp_path / "run"), "--json")
    assert main(["eval", "--task", "spatialgen", *words]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["profiles"]["strict"]["accuracy"]["value"] == pytest.approx(0.49)


def test_full_file_lacks_210_options_and_two_keys_name_a_missing_one(full: list[Row]) -> None:
    found = Counter(one.code for one in findings(full))
    assert (found["missing-option"], found["key-without-option"]) == (210, 2)
    assert (found["no-options"], found["no-refusal"]) == (0, 0)
    questions = [question for row in full for question in row.questions]
    assert len(questions) == 12_300
    assert sum(bool(question.separators) for question in questions) == 44
    assert [question.written() for question in questions] == [text for row in full for text in row.texts]


def test_judge_that_says_every_key_misses_two_questions_of_the_full_file(full: list[Row]) -> None:
    """Two keys are not among the options. Strict reads no answer there; official ignores options and counts them."""
    for protocol in ("published", "ours"):
        way, right = parse_protocol(protocol), Counter[str]()
        for sample in map(SpatialSample, full):
            orders = orders_of(sample, way.base, 0)
            texts = ["\n".join(question.key for question in shown(sample, turn)) for turn in orders]
            said = (LabelledReply(label_of(turn), Reply(text)) for turn, text in enumerate(texts))
            records = tuple(tuple(order.record for order in turn) for turn in orders)
            found = judged(sample, Transcript((*said, ShownImage(NOT_SHOWN, orders=records).said)), way)
            right.update({profile: int(scores["accuracy"].sum) for profile, scores in found.scores.items()})
        assert right == {"strict": 12_298, **({"official": 12_300} if protocol == "published" else {})}
