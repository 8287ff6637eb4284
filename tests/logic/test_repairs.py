"""The least change of a layout that makes it satisfy a formula."""

from __future__ import annotations

import pytest

pytest.importorskip("ortools", reason="repairing layouts needs the extra logic")

from tsgkit.logic.layouts import Box, LayoutProblem
from tsgkit.logic.parser import parse
from tsgkit.logic.repairs import repair
from tsgkit.logic.verification import verify

BOOK = "(exists ?b (and (Is ?b 'book') {}))"


def scene(*things: tuple[str, str, list[float]]) -> dict[str, object]:
    return {"objects": [{"label": label, "color": color, "box_2d": box} for label, color, box in things]}


def test_repair_keeps_a_correct_layout() -> None:
    given = scene(("book", "red", [0.5, 0.5, 99.25, 100]), ("cup", "blue", [300, 300, 333.3, 400]))
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), given)
    assert (repaired.status, repaired.changes, repaired.cost, repaired.least) == ("satisfiable", (), 0, True)
    assert repaired.layout is not None
    assert repaired.layout.value == given


def test_repair_moves_a_box_only_as_far_as_needed() -> None:
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), scene(("book", "red", [500, 0, 600, 100])))
    assert repaired.changes == ("moved the book 51 left",)
    assert repaired.least


def test_repair_changes_only_failing_objects() -> None:
    cups = ("cup", "blue", [500.0, 500.0, 600.0, 600.0]), ("cup", "red", [0.0, 200.0, 9.0, 290.0])
    given = scene(("book", "red", [0, 0, 100, 100]), *cups)
    repaired = repair(parse(BOOK.format("(Has ?b 'green')")), given)
    assert repaired.changes == ("made the book green (was red)",)
    assert repaired.layout is not None
    assert [thing.box for thing in repaired.layout.objects[1:]] == [Box(500, 500, 600, 600), Box(0, 200, 9, 290)]


def test_repair_separates_overlapping_boxes() -> None:
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (LeftOf ?b ?c)))"))
    given = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [90, 0, 250, 100]))
    repaired = repair(formula, given)
    assert repaired.changes in {("moved the book 10 left",), ("moved the cup 10 right",)} or repaired.cost <= 20
    assert verify(formula, repaired.layout).truth


def test_repair_adds_missing_objects() -> None:
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (Has ?c 'pink') (LeftOf ?c ?b)))"))
    repaired = repair(formula, scene(("book", "red", [400, 400, 500, 500])))
    assert len(repaired.changes) == 1
    assert repaired.changes[0].startswith("added a pink cup at [")
    assert verify(formula, repaired.layout).truth


def test_repair_removes_an_object_only_as_a_last_resort() -> None:
    formula = parse("(not (exists ?x (Is ?x 'cup')))")
    given = scene(("book", "red", [400, 400, 500, 500]), ("cup", "red", [0, 0, 100, 100]))
    assert repair(formula, given).changes == ("removed the cup",)


def test_repair_replaces_a_forbidden_color() -> None:
    repaired = repair(parse(BOOK.format("(not (Has ?b 'red'))")), scene(("book", "red", [0, 0, 100, 100])))
    assert repaired.layout is not None
    assert repaired.layout.objects[0].color not in (None, "red")


def test_repair_of_a_contradiction_is_unsatisfiable() -> None:
    formula = parse(BOOK.format("(OnLeftSide ?b) (OnRightSide ?b)"))
    repaired = repair(formula, scene(("book", "red", [0, 0, 100, 100])))
    assert (repaired.status, repaired.layout) == ("unsatisfiable", None)


def test_repair_refuses_a_malformed_layout() -> None:
    with pytest.raises(LayoutProblem, match="x1 < x2"):
        repair(parse(BOOK.format("(OnTopSide ?b)")), scene(("book", "red", [50, 0, 10, 100])))
