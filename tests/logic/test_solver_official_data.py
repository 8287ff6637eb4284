"""Every published knolling item at hand has a layout that both verifiers accept."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("ortools", reason="solving formulas needs the extra logic")

from tsgkit.logic.layouts import overlaps
from tsgkit.logic.parser import parse
from tsgkit.logic.solver import solve
from tsgkit.logic.verification import verify

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")


def rows() -> list[dict[str, str]]:
    if not FOLDER:
        return []
    lines = Path(FOLDER, "formalimg_sample.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["scenario"] == "knolling"]


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row["id"]))
def test_a_published_item_has_a_sound_layout(row: dict[str, str]) -> None:
    layout = solve(parse(row["dsl"])).layout
    assert layout is not None
    assert not list(overlaps(tuple(thing.box for thing in layout.objects)))
    assert verify(row["dsl"], layout).truth
    assert verify(row["dsl"], layout.value, "official").truth
