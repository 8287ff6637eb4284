"""Planted slips of formulas are found by proof; our own items and the published ones come out clean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ortools", reason="whether formulas can be satisfied is asked of the extra: logic")

from tsgkit.cli import main

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA")
CUP = "(exists ?x (and (Is ?x 'cup') (OnLeftSide ?x)))"
GOOD = {"scenario": "knolling", "prompt": "A cup on the left.", "dsl": CUP}


def slips(capsys: pytest.CaptureFixture[str], *words: str) -> set[tuple[str, str]]:
    assert main(["audit", *words, "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    return {(check["code"], slip["item_id"]) for check in found["checks"] for slip in check["found"]}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"dsl": "(exists ?x (and (Is ?x 'cup') (OnLeftSide ?x) (OnRightSide ?x)))"}, "unsatisfiable"),
        ({"dsl": "(or (exists ?x (Is ?x 'cup')) (not (exists ?y (Is ?y 'cup'))))"}, "trivial"),
        ({"dsl": "(exists ?x (Is ?x 'cup'))", "k": 3}, "wrong-k"),
        ({"cnf": "(exists ?x (Is ?x 'cup'))"}, "wrong-clauses"),
        ({"prompt": "A pen on the left."}, "unsaid-class"),
        ({"dsl": "(exists ?x (Is ?x 'dragon'))", "prompt": "A dragon."}, "vocabulary"),
        ({"prompt": "On the left, put a cup."}, "same-formula"),
        ({}, "duplicate"),
    ],
)
def test_audit_finds_a_planted_slip(
    changes: dict[str, Any], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "items.jsonl"
    data.write_text("".join(json.dumps(row | {"id": n}) + "\n" for n, row in enumerate([GOOD, GOOD | changes])))
    assert (code, "knolling/1") in slips(capsys, str(data), "--task", "formalimg/layout")


def test_audit_reports_an_unusable_row_as_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "items.jsonl"
    data.write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD | {"dsl": "(exists ?x", "id": 9}) + "\n")
    assert slips(capsys, str(data), "--task", "formalimg/layout") == {("unusable", "9")}


@pytest.mark.parametrize("task", ["formalimg/layout", "formalimg/natural"])
def test_audit_of_built_in_items_is_clean(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert slips(capsys, "--task", task) == set()


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA is not set")
@pytest.mark.parametrize("task", ["formalimg/layout", "formalimg/natural"])
def test_audit_of_published_rows_is_as_stated(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = slips(capsys, f"{OFFICIAL}/formalimg_sample.jsonl", "--task", task)
    assert {code for code, _ in found} <= {"unsaid-class", "read-otherwise"}
