"""The published rows, where a folder of them is named: every one parses, with its K, its clauses and a layout."""

from __future__ import annotations

import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tsgkit.logic.clauses import clause_form, form_of_text, k_as_defined, object_classes
from tsgkit.logic.layouts import overlaps
from tsgkit.logic.lifting import lifted
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published
from tsgkit.logic.solver import solve
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")


def rows() -> list[dict[str, Any]]:
    text = Path(FOLDER, "formalimg_sample.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_every_row_parses_and_prints_back_without_a_finding() -> None:
    assert rows()
    for row in rows():
        checked = check(row["dsl"], SCENARIOS[row["scenario"]])
        assert checked.findings == ()
        assert checked.published_fault is None
        assert checked.formula is not None
        assert text_of(checked.formula) == row["dsl"]
        assert as_published(row["dsl"]).lifted == text_of(lifted(checked.formula))


def test_every_row_has_its_clauses_and_its_k() -> None:
    for row, official in product(rows(), (False, True)):
        formula = parse(row["dsl"])
        form = clause_form(formula, official=official)
        assert form.unordered == form_of_text(parse(row["cnf"])).unordered, row["id"]
        assert form.k == k_as_defined(formula) == row["k"], row["id"]
        assert set(object_classes(formula)) == set(row["object_classes"]), row["id"]


def test_every_knolling_row_has_a_layout_that_both_verifiers_accept() -> None:
    for row in (row for row in rows() if row["scenario"] == "knolling"):
        layout = solve(parse(row["dsl"])).layout
        assert layout is not None, row["id"]
        assert not list(overlaps(tuple(thing.box for thing in layout.objects))), row["id"]
        assert verify(row["dsl"], layout).truth, row["id"]
        assert verify(row["dsl"], layout.value, "official").truth, row["id"]
