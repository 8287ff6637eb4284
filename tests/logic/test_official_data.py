"""The published rows, where a folder of them is named: every one parses, with its K and its clauses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tsgkit.logic.clauses import clause_form, form_of_text, k_as_defined, object_classes
from tsgkit.logic.lifting import lifted
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published
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


@pytest.mark.parametrize("official", [False, True])
def test_every_row_has_its_clauses_and_its_k(official: bool) -> None:
    for row in rows():
        formula = parse(row["dsl"])
        form = clause_form(formula, official=official)
        assert form.unordered == form_of_text(parse(row["cnf"])).unordered
        assert form.k == k_as_defined(formula) == row["k"]
        assert set(object_classes(formula)) == set(row["object_classes"])
