"""The command that audits data: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from samples import SGDS, SGG, SGQA, lines

from tsgkit.cli import main
from tsgkit.library.cards import load_card
from tsgkit.library.projects import find, text_of

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA is not set")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["audit", *words])
    out, err = capsys.readouterr()
    return code, out, err


def audited(capsys: pytest.CaptureFixture[str], *words: str) -> dict:  # type: ignore[type-arg]
    code, out, _ = told(capsys, *words, "--json")
    assert code == 0
    [found] = json.loads(out)["audits"]
    assert isinstance(found, dict)
    return found


def slips(found: dict) -> set[tuple[str, str]]:  # type: ignore[type-arg]
    return {(check["code"], slip["item_id"]) for check in found["checks"] for slip in check["found"]}


@pytest.mark.parametrize("task", ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"])
def test_our_own_data_have_no_slip(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, "--task", task)
    assert [check["code"] for check in found["checks"] if check["severity"] == "error" and check["found"]] == []


def test_a_report_can_be_read_by_somebody_who_knows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "--task", "tsg/sgds")
    assert code == 0
    assert "Blind guessing gets 20.0 %." in out
    assert "A model that gets less than" in out
    assert "what can be had without understanding" in out


def test_a_row_that_no_evaluation_takes_is_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(SGDS, SGDS | {"position": 9, "target_sentence": "Other."}) + "{broken\n")
    found = audited(capsys, str(data))
    assert {("no-key", "1")} <= slips(found)
    assert any(code == "broken-line" for code, _ in slips(found))


def test_an_item_of_one_graph_among_items_of_several_is_a_slip_and_audited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "ma-sgg.jsonl"
    two = SGG | {"target_sentence": "Twice.", "graphs": [*SGG["graphs"], *SGG["graphs"]]}
    data.write_text(lines(SGG | {"item_id": "one"}, SGG | {"item_id": "lone"}, two | {"item_id": "two"}))
    found = audited(capsys, "--task", "tsg/ma-sgg", str(data))
    assert {("single-graph", "one"), ("single-graph", "lone")} <= slips(found)
    assert found["items"] == 3


def test_items_that_worked_examples_show_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = load_card("tsg/sgqa")
    assert card.examples is not None
    shown = json.loads(text_of(find("tasks", card.examples)).splitlines()[0])
    data = tmp_path / "sgqa.jsonl"
    data.write_text(lines(SGQA, shown))
    assert any(code == "contamination" for code, _ in slips(audited(capsys, str(data))))


@needs_official
def test_the_slips_of_the_published_choices_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, f"{OFFICIAL}/tsg_sgds_sample.jsonl")
    assert {
        ("contradiction", "4"),
        ("contradiction", "5"),
        ("few-options", "4"),
        *(("twin", str(number)) for number in (1, 3, 5, 7, 9, 11)),
        ("hand-name", "8"),
        ("step-before", "0"),
        ("lone-letter", "3"),
    } <= slips(found)


@needs_official
def test_the_slips_of_the_published_questions_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = slips(audited(capsys, f"{OFFICIAL}/tsg_sgqa_sample.jsonl"))
    codes = {code for code, _ in found}
    assert {"edge-misspelt", "no-action", "dobj-source", "empty-name", "hand-name", "answer-in-question"} <= codes


def test_pages_and_markdown_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, begin in (("a.md", "# Audit"), ("a.html", "<!doctype html>")):
        code, out, _ = told(capsys, "--task", "tsg/sgqa", "-o", str(tmp_path / name))
        assert (code, out) == (0, f"audited: {tmp_path / name}\n")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)


def test_data_are_shown_and_never_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "sgqa.jsonl"
    evil = "<script>alert(1)</script>\x1b[31m"
    data.write_text(lines(SGQA | {"qa_pairs": [{"Q": "What?", "A": evil}]}))
    code, _, _ = told(capsys, str(data), "-o", str(tmp_path / "a.html"))
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert code == 0
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\x1b" not in told(capsys, str(data))[1]


def test_a_run_loses_what_a_shortcut_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    assert main(["eval", "--task", "tsg/sgds", "--model", "baseline/rules", "--out", run, "--quiet"]) == 0
    capsys.readouterr()
    [row] = audited(capsys, "--task", "tsg/sgds", "--run", run)["runs"]
    assert row["n"] == 60
    assert row["right"] >= row["on_shortcuts"] > 0
    assert row["value_left"] < row["value"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to audit"),
        (["no-such-file"], "no-such-file: no such file or folder"),
        (["--task", "tsg/none"], "there is no task tsg/none"),
        (["--task", "tsg/sgds", "-o", "report.txt"], "a report is Markdown or HTML"),
        (["--task", "tsg/sgds", "--run", "nowhere"], "no run lies here"),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = told(capsys, *words)
    assert code == 2
    assert message in err
