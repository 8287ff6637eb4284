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


def test_nothing_is_moved_where_nothing_is_wrong() -> None:
    given = scene(("book", "red", [0.5, 0.5, 99.25, 100]), ("cup", "blue", [300, 300, 333.3, 400]))
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), given)
    assert (repaired.status, repaired.changes, repaired.cost, repaired.least) == ("satisfiable", (), 0, True)
    assert repaired.layout is not None
    assert repaired.layout.value == given


def test_a_box_is_moved_just_as_far_as_it_must_be() -> None:
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), scene(("book", "red", [500, 0, 600, 100])))
    assert repaired.changes == ("moved the book 51 left",)
    assert repaired.least


def test_only_what_is_wrong_is_changed() -> None:
    cups = ("cup", "blue", [500.0, 500.0, 600.0, 600.0]), ("cup", "red", [0.0, 200.0, 9.0, 290.0])
    given = scene(("book", "red", [0, 0, 100, 100]), *cups)
    repaired = repair(parse(BOOK.format("(Has ?b 'green')")), given)
    assert repaired.changes == ("made the book green (was red)",)
    assert repaired.layout is not None
    assert [thing.box for thing in repaired.layout.objects[1:]] == [Box(500, 500, 600, 600), Box(0, 200, 9, 290)]


def test_boxes_that_overlap_are_moved_apart() -> None:
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (LeftOf ?b ?c)))"))
    given = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [90, 0, 250, 100]))
    repaired = repair(formula, given)
    assert repaired.changes in {("moved the book 10 left",), ("moved the cup 10 right",)} or repaired.cost <= 20
    assert verify(formula, repaired.layout).truth


def test_what_is_missing_is_added() -> None:
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (Has ?c 'pink') (LeftOf ?c ?b)))"))
    repaired = repair(formula, scene(("book", "red", [400, 400, 500, 500])))
    assert len(repaired.changes) == 1
    assert repaired.changes[0].startswith("added a pink cup at [")
    assert verify(formula, repaired.layout).truth


def test_an_object_is_removed_only_where_nothing_else_helps() -> None:
    formula = parse("(not (exists ?x (Is ?x 'cup')))")
    given = scene(("book", "red", [400, 400, 500, 500]), ("cup", "red", [0, 0, 100, 100]))
    assert repair(formula, given).changes == ("removed the cup",)


def test_a_color_that_must_go_makes_place_for_another() -> None:
    repaired = repair(parse(BOOK.format("(not (Has ?b 'red'))")), scene(("book", "red", [0, 0, 100, 100])))
    assert repaired.layout is not None
    assert repaired.layout.objects[0].color not in (None, "red")


def test_a_contradiction_has_no_repair() -> None:
    formula = parse(BOOK.format("(OnLeftSide ?b) (OnRightSide ?b)"))
    repaired = repair(formula, scene(("book", "red", [0, 0, 100, 100])))
    assert (repaired.status, repaired.layout) == ("unsatisfiable", None)


def test_a_malformed_layout_is_refused() -> None:
    with pytest.raises(LayoutProblem, match="x1 < x2"):
        repair(parse(BOOK.format("(OnTopSide ?b)")), scene(("book", "red", [50, 0, 10, 100])))
