"""Tests of findings between descriptions: near-duplicates, and demands from another description."""

from __future__ import annotations

from described_rooms import CLEAN, clean

from tsgkit.suites.sceneeval.makers.batch_findings import batch_findings
from tsgkit.suites.sceneeval.makers.furniture import furniture

OTHERS = (
    clean(0, "easy", "A den with a red sofa and a lamp by the window.", "eq,1,sofa;eq,1,lamp", "eq,1,sofa,red"),
    clean(1, "easy", "An office with a glass desk and a whiteboard.", "eq,1,desk;eq,1,whiteboard", "eq,1,desk,glass"),
)


def test_demand_from_another_description_is_found() -> None:
    rows: list[tuple[str, str, str]] = [
        ("eq,1,stove;eq,1,sofa", "", "sofa: this text does not name it, and that of 0 does"),
        ("eq,1,stove;ge,1,whiteboard", "", "whiteboard: this text does not name it, and that of 1 does"),
        ("eq,1,stove", "eq,1,stove,red", "eq,1,stove,red: this text does not say red, and that of 0 does"),
        ("eq,1,stove", "eq,1,stove,glass", "that of 1 does"),
    ]
    for counts, attributes, message in rows:
        mine = clean(2, "easy", "A kitchen with a stove against the wall.", counts, attributes)
        [*_, findings] = batch_findings([*OTHERS, mine], furniture())
        assert [finding.code for finding in findings] == ["carried-over"] and message in findings[0].message, counts


def test_near_duplicate_is_reported_at_the_later_item() -> None:
    rows: list[str] = [
        "A den with a red sofa and a lamp by the window.",
        "A den with a red sofa, and a lamp by the windows!",
        "There is a den with one red sofa and two lamps by the window.",
    ]
    for text in rows:
        found = batch_findings([*OTHERS, clean(2, "easy", text, "eq,1,sofa;eq,1,lamp")], furniture())
        assert [[finding.code for finding in of_one] for of_one in found] == [[], [], ["near-duplicate"]], text


def test_near_duplicate_of_known_description_is_found() -> None:
    [findings, _] = batch_findings(OTHERS, furniture(), [OTHERS[0].description])
    assert [finding.code for finding in findings] == ["near-duplicate"]


def test_different_descriptions_have_no_findings() -> None:
    assert not any(batch_findings([*OTHERS, *CLEAN], furniture()))
