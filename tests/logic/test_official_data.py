"""The published rows, where a folder of them is named."""

from __future__ import annotations

import json
import os
from pathlib import Path

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


def test_every_row_reads_as_published_with_its_clauses_and_a_layout() -> None:
    rows = [json.loads(line) for line in Path(FOLDER, "formalimg_sample.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        checked = check(row["dsl"], SCENARIOS[row["scenario"]])
        assert (checked.findings, checked.published_fault) == ((), None), row["id"]
        formula = parse(row["dsl"])
        assert text_of(formula) == row["dsl"]
        assert as_published(row["dsl"]).lifted == text_of(lifted(formula))
        for official in (False, True):
            form = clause_form(formula, official=official)
            assert form.unordered == form_of_text(parse(row["cnf"])).unordered, row["id"]
            assert form.k == k_as_defined(formula) == row["k"], row["id"]
        assert set(object_classes(formula)) == set(row["object_classes"]), row["id"]
        if row["scenario"] == "knolling":
            layout = solve(formula).layout
            assert layout is not None, row["id"]
            assert not list(overlaps(tuple(thing.box for thing in layout.objects))), row["id"]
            assert verify(row["dsl"], layout).truth, row["id"]
            assert verify(row["dsl"], layout.value, "official").truth, row["id"]
