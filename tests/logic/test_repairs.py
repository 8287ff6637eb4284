"""The least change of a layout that makes it satisfy a formula, and the least that makes it fail by one conjunct."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.logic.configurations import Twist
from tsgkit.logic.conjuncts import without
from tsgkit.logic.formula import Formula, Not
from tsgkit.logic.layouts import Box, Layout, LayoutProblem, Thing
from tsgkit.logic.near_misses import NearMiss, near_misses
from tsgkit.logic.parser import parse
from tsgkit.logic.repairs import repair
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.solver import solve
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify

PROFILES: tuple[Profile, ...] = ("strict", "official")
BOOK = "(exists ?b (and (Is ?b 'book') {}))"


def scene(*things: tuple[str, str, list[float]]) -> dict[str, object]:
    return {"objects": [{"label": label, "color": color, "box_2d": box} for label, color, box in things]}


def test_repair_keeps_a_correct_layout() -> None:
    given = scene(("book", "red", [0.5, 0.5, 99.25, 100]), ("cup", "blue", [300, 300, 333.3, 400]))
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), given)
    assert (repaired.status, repaired.changes, repaired.cost, repaired.least) == ("satisfiable", (), 0, True)
    assert repaired.layout is not None
    assert repaired.layout.value == given


LEAST_MOVES = [
    ("(OnLeftSide ?b)", [500, 0, 600, 100], "51 left"),
    ("(OnRightSide ?b)", [400, 0, 500, 100], "51 right"),
    ("(OnTopSide ?b)", [0, 500, 100, 600], "51 up"),
    ("(OnBottomSide ?b)", [0, 400, 100, 500], "51 down"),
    ("(InCenter ?b)", [0, 450, 100, 550], "284 right"),
    ("(InCenter ?b)", [900, 450, 1000, 550], "284 left"),
    ("(InCenter ?b)", [450, 0, 550, 100], "284 down"),
    ("(InCenter ?b)", [450, 900, 550, 1000], "284 up"),
    ("(not (InCenter ?b))", [560, 450, 660, 550], "57 right"),
    ("(not (OnLeftSide ?b))", [400, 0, 500, 100], "50 right"),
    ("(not (OnRightSide ?b))", [500, 0, 600, 100], "50 left"),
]
LEAST_COSTS: list[tuple[str, list[float], list[float], int]] = [
    ("(LeftOf ?b ?c)", [400, 0, 500, 100], [300, 200, 500, 300], 202),
    ("(RightOf ?b ?c)", [400, 0, 500, 100], [400, 200, 600, 300], 202),
    ("(Above ?b ?c)", [0, 400, 100, 500], [200, 300, 300, 500], 202),
    ("(Below ?b ?c)", [0, 400, 100, 500], [200, 400, 300, 600], 202),
    ("(AlignedHorizontally ?b ?c)", [0, 0, 100, 100], [200, 100, 300, 200], 2),
    ("(AlignedVertically ?b ?c)", [0, 0, 100, 100], [100, 200, 200, 300], 2),
    ("(not (LeftOf ?b ?c))", [0, 0, 100, 100], [200, 0, 210, 10], 230),
]


def test_repair_moves_a_box_only_as_far_as_needed() -> None:
    for text, box, move in LEAST_MOVES:
        repaired = repair(parse(BOOK.format(text)), scene(("book", "red", [*box])))
        assert (repaired.changes, repaired.least) == ((f"moved the book {move}",), True), (text, box)
        assert repaired.cost == 2 * int(move.split()[0]), (text, box)
    for text, book, cup, cost in LEAST_COSTS:
        formula = parse(BOOK.format(f"(exists ?c (and (Is ?c 'cup') {text}))"))
        repaired = repair(formula, scene(("book", "red", book), ("cup", "red", cup)))
        assert (repaired.cost, repaired.least) == (cost, True), text


def test_repair_resizes_no_more_than_needed_and_changes_only_failing_objects() -> None:
    books = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [200, 0, 300, 100]))
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (LargerThan ?b ?c)))"))
    repaired = repair(formula, books)
    assert repaired.changes == ("resized the book by +1 in width: from [0, 0, 100, 100] to [0, 0, 101, 100]",)
    assert (repaired.cost, repaired.least) == (3, True)
    cups = ("cup", "blue", [500.0, 500.0, 600.0, 600.0]), ("cup", "red", [0.0, 200.0, 9.0, 290.0])
    given = scene(("book", "red", [0, 0, 100, 100]), *cups)
    repaired = repair(parse(BOOK.format("(Has ?b 'green')")), given)
    assert (repaired.changes, repaired.cost) == (("made the book green (was red)",), 300)
    assert repaired.layout is not None
    assert [thing.box for thing in repaired.layout.objects[1:]] == [Box(500, 500, 600, 600), Box(0, 200, 9, 290)]


def test_repair_adds_separates_recolours_and_removes_as_a_last_resort() -> None:
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (LeftOf ?b ?c)))"))
    given = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [90, 0, 250, 100]))
    repaired = repair(formula, given)
    assert repaired.changes in {("moved the book 10 left",), ("moved the cup 10 right",)} or repaired.cost <= 20
    assert verify(formula, repaired.layout).truth
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (Has ?c 'pink') (LeftOf ?c ?b)))"))
    repaired = repair(formula, scene(("book", "red", [400, 400, 500, 500])))
    assert (len(repaired.changes), repaired.cost, repaired.least) == (1, 2000, True)
    assert repaired.changes[0].startswith("added a pink cup at [")
    assert verify(formula, repaired.layout).truth
    formula = parse("(not (exists ?x (Is ?x 'cup')))")
    given = scene(("book", "red", [400, 400, 500, 500]), ("cup", "red", [0, 0, 100, 100]))
    repaired = repair(formula, given)
    assert (repaired.changes, repaired.cost) == (("removed the cup",), 8000)
    book = scene(("book", "red", [0, 0, 100, 100]))
    repaired = repair(parse(BOOK.format("(not (Has ?b 'red'))")), book)
    assert repaired.layout is not None
    assert repaired.layout.objects[0].color not in (None, "red")
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b) (OnRightSide ?b)")), book)
    assert (repaired.status, repaired.layout) == ("unsatisfiable", None)
    repaired = repair(parse("(Equals (Count ?x (Is ?x 'cup')) 1000)"), {"objects": []})
    assert (repaired.status, repaired.note) == ("not decided", "the formula needs 1000 objects, more than 60")
    with pytest.raises(LayoutProblem, match="x1 < x2"):
        repair(parse(BOOK.format("(OnTopSide ?b)")), scene(("book", "red", [50, 0, 10, 100])))


def assert_near(formula: Formula, miss: NearMiss) -> None:
    for profile in PROFILES:
        assert verify(formula, miss.layout, profile).truth is False
        assert verify(without(formula, [miss.path]), miss.layout, profile).truth is True


def test_every_conjunct_gets_a_near_miss_that_fails_it_and_nothing_else() -> None:
    formula = parse(
        "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'pen') (Has ?a 'red') (OnLeftSide ?a) (not (OnTopSide ?b))"
        " (LeftOf ?a ?b) (forall ?c (implies (Is ?c 'hat') (and (Above ?c ?b) (LargerThan ?c ?a)))))))"
    )
    misses = near_misses(formula, 6, seed=1)
    assert len(misses) == 6
    for miss in misses:
        assert_near(formula, miss)
    misses = near_misses(formula, 12, seed=2)
    assert len({miss.layout for miss in misses}) == 12
    assert {miss.conjunct for miss in misses} == {
        "the cup is red",
        "the cup is on the left side",
        "the cup is left of the pen",
        "the pen is not on the top side",
        "for every hat: the hat is above the pen",
        "for every hat: the hat is larger than the cup",
    }
    assert near_misses(formula, 3, seed=2) == misses[:3]


def test_near_misses_lack_what_must_exist_but_nothing_that_others_imply() -> None:
    formula = parse("(exists ?a (and (Is ?a 'cup') (OnLeftSide ?a) (not (OnRightSide ?a))))")
    assert {miss.conjunct for miss in near_misses(formula, 5)} == {"the cup is on the left side"}
    misses = near_misses(parse("(exists ?a (Is ?a 'cup'))"), 1)
    assert [miss.conjunct for miss in misses] == ["there is a cup"]
    assert verify(Not(parse("(exists ?a (Is ?a 'cup'))")), misses[0].layout).truth


@st.composite
def samples(draw: st.DrawFn) -> Formula:
    """Formulas of the published shape."""
    twists: tuple[Twist, ...] = ("", "or", "not")
    twist = draw(st.sampled_from(twists))
    k, seed = draw(st.integers(1, 6)), draw(st.integers(0, 10**6))
    return formula_of(configuration(k, "knolling", seed, universal=draw(st.booleans()), twist=twist))


@settings(max_examples=15)
@given(samples(), st.integers(0, 10**6))
def test_samples_have_solutions_that_need_no_repair_and_near_misses(formula: Formula, seed: int) -> None:
    solution = solve(formula, seed=seed)
    assert solution == solve(formula, seed=seed)
    assert solution.layout is not None
    repaired = repair(formula, solution.layout)
    assert (repaired.layout, repaired.changes) == (solution.layout, ())
    for miss in near_misses(formula, 2, seed):
        assert_near(formula, miss)


@settings(max_examples=4)
@given(samples(), st.integers(0, 10**6))
def test_a_shaken_layout_is_repaired_to_one_that_verifies(formula: Formula, seed: int) -> None:
    layout = solve(formula, seed=seed).layout
    assert layout is not None
    boxes = [thing.box for thing in layout.objects]
    Random(seed).shuffle(boxes)
    shaken = Layout(tuple(Thing(thing.label, box, "pink") for thing, box in zip(layout.objects, boxes, strict=True)))
    repaired = repair(formula, shaken, effort=1.0)
    if repaired.layout is None:
        assert repaired.status == "not decided"
        return
    assert all(verify(formula, repaired.layout, profile).truth for profile in PROFILES)
    assert bool(repaired.changes) is (repaired.layout != shaken)
