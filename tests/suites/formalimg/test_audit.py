"""Planted slips of formulas are found by proof; our own items and the published ones come out clean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tsgkit.cli import main

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA")
CUP = "(exists ?x (and (Is ?x 'cup') (OnLeftSide ?x)))"
GOOD = {"scenario": "knolling", "prompt": "A cup on the left.", "dsl": CUP}
SLIPS: dict[str, dict[str, Any]] = {
    "unsatisfiable": {"dsl": "(exists ?x (and (Is ?x 'cup') (OnLeftSide ?x) (OnRightSide ?x)))"},
    "trivial": {"dsl": "(or (exists ?x (Is ?x 'cup')) (not (exists ?y (Is ?y 'cup'))))"},
    "wrong-k": {"dsl": "(exists ?x (Is ?x 'cup'))", "k": 3},
    "wrong-clauses": {"cnf": "(exists ?x (Is ?x 'cup'))"},
    "unsaid-class": {"prompt": "A pen on the left."},
    "vocabulary": {"dsl": "(exists ?x (Is ?x 'dragon'))", "prompt": "A dragon."},
    "same-formula": {"prompt": "On the left, put a cup."},
    "duplicate": {},
}


def slips(capsys: pytest.CaptureFixture[str], *words: str) -> set[tuple[str, str]]:
    assert main(["audit", *words, "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    return {(check["code"], slip["item_id"]) for check in found["checks"] for slip in check["found"]}


def test_audit_finds_planted_slips(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, changes in SLIPS.items():
        data = tmp_path / f"{code}.jsonl"
        data.write_text("".join(json.dumps(row | {"id": n}) + "\n" for n, row in enumerate([GOOD, GOOD | changes])))
        assert (code, "knolling/1") in slips(capsys, str(data), "--task", "formalimg/layout"), code
    data.write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD | {"dsl": "(exists ?x", "id": 9}) + "\n")
    assert slips(capsys, str(data), "--task", "formalimg/layout") == {("unusable", "9")}


def test_audit_of_built_in_items_is_clean(capsys: pytest.CaptureFixture[str]) -> None:
    for task in ("formalimg/layout", "formalimg/natural"):
        assert slips(capsys, "--task", task) == set(), task


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA is not set")
def test_audit_of_published_rows_is_as_stated(capsys: pytest.CaptureFixture[str]) -> None:
    for task in ("formalimg/layout", "formalimg/natural"):
        found = slips(capsys, f"{OFFICIAL}/formalimg_sample.jsonl", "--task", task)
        assert {code for code, _ in found} <= {"unsaid-class", "read-otherwise"}, task
