"""Formulas over candidate objects, layouts for formulas and conflicts in words, drawings, repairs and near misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import combinations, count
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from logic import made_up_formulas

from tsgkit.errors import UsageError
from tsgkit.logic.budget import Budget, OutOfBudget
from tsgkit.logic.clauses import clause_form
from tsgkit.logic.formula import Formula, Not
from tsgkit.logic.grounding import ground
from tsgkit.logic.layouts import CANVAS, Box, Layout, LayoutProblem, Thing, drawn, layout_of
from tsgkit.logic.parser import parse
from tsgkit.logic.repairs import repair
from tsgkit.logic.solver import NearMiss, near_misses, solve, without
from tsgkit.logic.verdicts import Profile
from tsgkit.logic.verification import verify
from tsgkit.logic.witnesses import Domain

PROFILES: tuple[Profile, ...] = ("strict", "official")
BOOK = "(exists ?b (and (Is ?b 'book') {}))"
CUP_AND_PEN = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'pen') {})))"
TRIPLE = "(exists ?a (exists ?b (exists ?c (and (Is ?a 'cup') (Is ?b 'pen') (Is ?c 'hat') {}))))"
PIZZAS = "(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'pizza') (RightOf ?q ?p)))))"
SOLVABLE = [
    BOOK.format("(not (InCenter ?b)) (not (OnLeftSide ?b)) (not (OnRightSide ?b))"),
    CUP_AND_PEN.format("(AlignedHorizontally ?a ?b) (not (AlignedVertically ?a ?b)) (LargerThan ?b ?a)"),
    "(forall ?p (implies (Is ?p 'pen') (and (OnTopSide ?p) (exists ?c (and (Is ?c 'cup') (Below ?c ?p))))))",
    "(or (exists ?x (and (Is ?x 'cup') (OnTopSide ?x) (OnBottomSide ?x))) (exists ?y (Is ?y 'pen')))",
    TRIPLE.format("(LeftOf ?a ?b) (LeftOf ?b ?c) (AlignedVertically ?a ?c)"),
    "(LessThan (Count ?x (Is ?x 'cup')) (Count ?y (Is ?y 'pen')))",
    "(and (exists ?x (OnLeftSide ?x)) (not (exists ?y (not (Is ?y 'hat')))))",
    "(and (exists ?x (Is ?x 'cup')) (not (exists ?y (and (Is ?y 'cup') (not (exists ?z (LargerThan ?z ?y)))))))",
    "(and (exists ?x (Is ?x 'cup')) (exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
    " (forall ?c (exists ?p (and (not (Is ?p 'cup')) (or (Is ?c 'pen') (LeftOf ?p ?c))))))",
]
CONFLICTS = {
    BOOK.format("(OnTopSide ?b) (OnLeftSide ?b) (Has ?b 'red') (OnRightSide ?b)"):
        ("the book is on the left side", "the book is on the right side"),
    TRIPLE.format("(Above ?a ?b) (LargerThan ?a ?b) (LargerThan ?b ?c) (Has ?a 'red') (LargerThan ?c ?a)"):
        ("the cup is larger than the pen", "the pen is larger than the hat", "the hat is larger than the cup"),
    BOOK.format("(Has ?b 'red') (OnTopSide ?b) (Has ?b 'blue')"): ("the book is red", "the book is blue"),
    "(and (exists ?x (and (Is ?x 'cup') (OnTopSide ?x))) (not (exists ?y (Is ?y 'cup'))))":
        ("there is no cup (cup 2)", "there is a cup (cup 1)"),
    "(and (exists ?p (and (Is ?p 'pen') (Has ?p 'red'))) (forall ?q (implies (and (Is ?q 'pen') (Has ?q 'red'))"
    " (and (OnLeftSide ?q) (OnTopSide ?q) (OnRightSide ?q)))))":
        ("for every red pen (pen 2): pen 2 is on the left side and pen 2 is on the right side",),
    "(and (forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) (and (OnTopSide ?c) (OnLeftSide ?c))))"
    " (not (exists ?x (Has ?x 'red'))))":
        ("there is no object (object 1) such that object 1 is red", "there is a red cup"),
    "(and (exists ?x (Is ?x 'cup')) (forall ?y (and (Is ?y 'hat'))))":
        ("for every object (object 1): object 1 is a hat", "there is a cup"),
}  # fmt: skip
LEAST_MOVES = [
    ("(OnLeftSide ?b)", [500, 0, 600, 100], "51 left"), ("(OnRightSide ?b)", [400, 0, 500, 100], "51 right"),
    ("(OnTopSide ?b)", [0, 500, 100, 600], "51 up"), ("(OnBottomSide ?b)", [0, 400, 100, 500], "51 down"),
    ("(InCenter ?b)", [0, 450, 100, 550], "284 right"), ("(InCenter ?b)", [900, 450, 1000, 550], "284 left"),
    ("(InCenter ?b)", [450, 0, 550, 100], "284 down"), ("(InCenter ?b)", [450, 900, 550, 1000], "284 up"),
    ("(not (InCenter ?b))", [560, 450, 660, 550], "57 right"),
    ("(not (OnLeftSide ?b))", [400, 0, 500, 100], "50 right"),
    ("(not (OnRightSide ?b))", [500, 0, 600, 100], "50 left"),
]  # fmt: skip
LEAST_COSTS = [
    ("(LeftOf ?b ?c)", [400, 0, 500, 100], [300, 200, 500, 300], 202),
    ("(RightOf ?b ?c)", [400, 0, 500, 100], [400, 200, 600, 300], 202),
    ("(Above ?b ?c)", [0, 400, 100, 500], [200, 300, 300, 500], 202),
    ("(Below ?b ?c)", [0, 400, 100, 500], [200, 400, 300, 600], 202),
    ("(AlignedHorizontally ?b ?c)", [0, 0, 100, 100], [200, 100, 300, 200], 2),
    ("(AlignedVertically ?b ?c)", [0, 0, 100, 100], [100, 200, 200, 300], 2),
    ("(not (LeftOf ?b ?c))", [0, 0, 100, 100], [200, 0, 210, 10], 230),
]


def test_made_up_formulas_are_grounded_the_same_in_every_version() -> None:
    grounded, seen = sha256(), Counter[str]()
    for number in range(400):
        random = Random(f"grounded/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5)))
        grounded.update(f"{Domain(formula).last_round is not None}".encode())
        tries: list[tuple[int, Profile]] = [(0, "strict"), (1, "strict"), (0, "official")]
        for spare, profile in tries:
            try:
                candidates = Domain(formula).candidates(spare=spare)
                made = ground(formula, candidates, profile, truth=random.random() < 0.8)
            except UsageError as error:
                grounded.update(error.message.encode())
                seen["refused"] += 1
                continue
            grounded.update(repr([candidates, made]).encode())
            seen[type(made).__name__] += 1
    assert set(seen) == {"All", "Any", "Lit", "Tally", "bool"}, seen
    assert grounded.hexdigest()[:16] == "820a2e979146f0de", "see that the change is meant, and write it down"


def test_solve_finds_neat_layouts_that_both_verifiers_accept_an_object_for_each_variable() -> None:
    for text in SOLVABLE:
        solution = solve(parse(text))
        assert (solution.status, solution.profiles) == ("satisfiable", ("strict", "official")), text
        assert solution.layout is not None and layout_of(solution.layout.value) == solution.layout, text
        assert verify(text, solution.layout).truth, text
        assert verify(text, solution.layout.value, "official").truth, text
    layout = solve(parse(TRIPLE.format("(LeftOf ?a ?b) (LeftOf ?b ?c) (AlignedHorizontally ?a ?c)"))).layout
    assert layout is not None
    cup, pen, hat = (thing.box for thing in layout.objects)
    assert cup.cy == hat.cy and cup.x2 + 20 <= pen.x1 < pen.x2 + 20 <= hat.x1
    assert all(30 <= edge <= CANVAS - 30 for box in (cup, pen, hat) for edge in box)
    relations = " ".join(f"(LeftOf ?v{one} ?v{other})" for one, other in combinations(range(7), 2))
    text = f"(and {relations})"
    for number in reversed(range(7)):
        text = f"(exists ?v{number} (and (Is ?v{number} 'cup') {text}))"
    solution = solve(parse(text))
    assert (solution.status, solution.objects) == ("satisfiable", 7)
    impossible = solve(parse(text.replace(relations, f"{relations} (RightOf ?v0 ?v6)")))
    assert impossible.status == "not decided" and "parts" in impossible.note
    status = dict(line.split(":\t") for line in Path("/proc/self/status").read_text().splitlines() if "SigCgt" in line)
    assert int(status["SigCgt"], 16) & 2, "Ctrl-C is Python's again"


def test_conflicts_name_necessary_conjuncts_and_counts_are_solved_with_the_fewest_objects() -> None:
    for text, conflict in CONFLICTS.items():
        solution = solve(parse(text))
        assert (solution.status, solution.outright, solution.conflict) == ("unsatisfiable", True, conflict), text
    for text in (
        PIZZAS,
        "(and (forall ?p (implies (Is ?p 'cup') (exists ?q (and (Is ?q 'pen') (Above ?q ?p)))))"
        " (forall ?p (implies (Is ?p 'pen') (exists ?q (and (Is ?q 'cup') (Above ?q ?p))))))",
        "(forall ?x (LessThanOrEquals 2 (Count ?y (LargerThan ?y ?x))))",
    ):
        solution = solve(parse(text))
        assert (solution.status, "infinitely many" in solution.text) == ("unsatisfiable", True), text
    text = "(GreaterThan (Count ?x (and (Is ?x 'cup') (OnTopSide ?x) (OnBottomSide ?x))) (Count ?y (Is ?y 'pen')))"
    solution = solve(parse(text))
    assert (solution.status, solution.conflict, solution.outright) == ("not decided", (), False)
    assert "not ruled out" in solution.text
    cups = "(Count ?x (Is ?x 'cup'))"
    for text, objects in {
        f"(Equals {cups} 2)": 2,
        f"(GreaterThanOrEquals {cups} 1.5)": 2,
        f"(not (Equals {cups} 0))": 1,
        f"(not (LessThan {cups} 2))": 2,
        f"(not (Equals 1 {cups}))": 0,
        f"(or (not (exists ?x (Is ?x 'cup'))) (GreaterThan {cups} 500))": 0,  # too many to be searched for
        f"(and (exists ?p (Is ?p 'pen')) (LessThan {cups} 1))": 1,
        f"(Equals {cups} 1.5)": None,
        f"(and (GreaterThan {cups} 1) (LessThanOrEquals {cups} 1))": None,
    }.items():
        solution = solve(parse(text))
        assert (solution.layout and len(solution.layout.objects)) == objects, text
        assert solution.status == ("unsatisfiable" if objects is None else "satisfiable"), text


def test_solve_notes_what_only_strict_accepts_and_refuses_what_layouts_cannot_decide() -> None:
    for text in (
        "(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))",
        "(exists ?x (and (Is ?x 'cup') (iff (OnTopSide ?x) (OnLeftSide ?x)) (OnTopSide ?x)))",
    ):
        solution = solve(parse(text))
        assert (solution.status, solution.profiles) == ("satisfiable", ("strict",)), text
        assert not verify(text, solution.layout, "official").truth, text
        assert "the published verifier" in solution.note, text
    formula = parse(TRIPLE.format("(LeftOf ?a ?b) (Above ?b ?c)"))
    assert len({solve(formula, seed=seed).layout for seed in range(5)}) > 1
    row = " ".join(f"(exists ?v{n} (and (Is ?v{n} 'cup') (Has ?v{n} 'red')))" for n in range(9))
    assert solve(parse(f"(and {row})"), effort=1e-9).status == "not decided"
    for text in ("(exists ?x (On ?x ?x))", "(OnTopSide ?x)", "(IsStyle 'photo')"):
        with pytest.raises(UsageError):
            solve(parse(text))


def ticking() -> Callable[[], float]:
    """Return a clock that goes on by a second whenever it is read."""
    numbers = count(0.0)
    return lambda: next(numbers)


def test_solving_verdicts_and_clause_forms_end_wherever_the_time_runs_out() -> None:
    nested = "(and (LargerThan ?b ?a) (LeftOf ?c ?d) (or (Above ?a ?d) (InCenter ?d)))"
    conflict = "(exists ?x (and (OnLeftSide ?x) (OnRightSide ?x) (OnTopSide ?x)))"
    for text in (f"(forall ?a (exists ?b (forall ?c (exists ?d {nested}))))", conflict):
        for ticks in (1, 2, 3, 8, 21, 55):
            solution = solve(parse(text), budget=Budget(ticks, ticking()))
            assert solution.status in ("not decided", "unsatisfiable"), (text, ticks)
            if solution.status == "not decided":
                assert f"after {ticks} second" in solution.note
            else:
                assert len(solution.conflict) in (2, 3)
            assert repair(parse(text), {"objects": []}, budget=Budget(ticks, ticking())).layout is None
            near_misses(parse(text), 2, budget=Budget(ticks, ticking()))
    formula = parse("(exists ?x (and (OnLeftSide ?x) (OnTopSide ?x) (Has ?x 'red') (OnRightSide ?x)))")
    notes = {solve(formula, budget=Budget(ticks, ticking())).note for ticks in range(1, 40)}
    assert any("may not be minimal" in note for note in notes)
    by_clock, by_work = Budget(2.5, ticking()), Budget(2.5)
    by_clock.check()
    by_clock.check()
    with pytest.raises(OutOfBudget, match=r"2\.5 seconds"):
        by_clock.check()
    by_work.spend(2.0)
    with pytest.raises(OutOfBudget):
        by_work.step(100_000)
    things = {"objects": [{"label": "cup", "box_2d": [20 * n, 0, 20 * n + 10, 10]} for n in range(50)]}
    row = "(and (AlignedHorizontally ?a ?b) (AlignedHorizontally ?b ?c) (SmallerThan ?a ?c))"
    for profile in ("strict", "official"):
        text = f"(exists ?a (exists ?b (exists ?c {row})))"
        verdict = verify(text, things, profile, budget=Budget(1.0, ticking()))
        assert (verdict.truth, verdict.reason) == (None, "not decided in 1 second")
    choices = " ".join(f"(and (Is ?x 'a{number}') (Is ?x 'b{number}'))" for number in range(12))
    with pytest.raises(OutOfBudget):
        clause_form(parse(f"(exists ?x (or {choices}))"), budget=Budget(1.0, ticking()))


def test_svg_draws_every_box_and_escapes_hostile_labels() -> None:
    space = "{http://www.w3.org/2000/svg}"
    layout = Layout((Thing("cutting_board", Box(10, 20, 210, 120), "brown"), Thing("pen", Box(300, 0, 310, 200.5))))
    root = ElementTree.fromstring(drawn(layout, title="a layout"))  # noqa: S314  (our own text)
    boxes = [[rect.get(key) for key in ("x", "y", "width", "height")] for rect in root.findall(f"{space}rect")[1:]]
    assert boxes == [["10", "20", "200", "100"], ["300", "0", "10", "200.5"]]
    assert [text.text for text in root.findall(f"{space}text")] == ["brown cutting board", "pen"]
    assert root.findtext(f"{space}title") == "a layout"
    dull = Layout((Thing("cup", Box(0, 0, 100, 100)),))
    layout = Layout((Thing("cup", Box(0, 0, 100, 100), "red", "glass", "round"),))
    assert drawn(dull, blueprint=True) == drawn(layout, blueprint=True) != drawn(layout)
    for label in ("<script>alert(1)</script>", "a \"quoted\" & 'other'", "\x00\x07\ud800", "", "漢字"):
        image = drawn(Layout((Thing(label, Box(0, 0, 100, 100), label),)), title=label)
        root = ElementTree.fromstring(image.encode())  # noqa: S314
        assert "<script" not in image
        assert len(list(root)) == 3 + bool(label), label


def scene(*things: tuple[str, str, Sequence[float]]) -> dict[str, object]:
    return {"objects": [{"label": label, "color": color, "box_2d": box} for label, color, box in things]}


def test_repair_keeps_what_is_right_and_moves_and_resizes_only_as_far_as_needed() -> None:
    for text, box, move in LEAST_MOVES:
        repaired = repair(parse(BOOK.format(text)), scene(("book", "red", box)))
        assert (repaired.changes, repaired.least) == ((f"moved the book {move}",), True), (text, box)
        assert repaired.cost == 2 * int(move.split()[0]), (text, box)
    for text, book, cup, cost in LEAST_COSTS:
        formula = parse(BOOK.format(f"(exists ?c (and (Is ?c 'cup') {text}))"))
        repaired = repair(formula, scene(("book", "red", book), ("cup", "red", cup)))
        assert (repaired.cost, repaired.least) == (cost, True), text
    given = scene(("book", "red", [0.5, 0.5, 99.25, 100]), ("cup", "blue", [300, 300, 333.3, 400]))
    repaired = repair(parse(BOOK.format("(OnLeftSide ?b)")), given)
    assert (repaired.status, repaired.changes, repaired.cost, repaired.least) == ("satisfiable", (), 0, True)
    assert repaired.layout == layout_of(given)
    books = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [200, 0, 300, 100]))
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (LargerThan ?b ?c)))"))
    repaired = repair(formula, books)
    assert repaired.changes == ("resized the book by +1 in width: from [0, 0, 100, 100] to [0, 0, 101, 100]",)
    assert (repaired.cost, repaired.least) == (3, True)
    cups = ("cup", "blue", [500, 500, 600, 600]), ("cup", "red", [0, 200, 9, 290])
    repaired = repair(parse(BOOK.format("(Has ?b 'green')")), scene(("book", "red", [0, 0, 100, 100]), *cups))
    assert (repaired.changes, repaired.cost) == (("made the book green (was red)",), 300)
    assert repaired.layout is not None
    assert repaired.layout.value == scene(("book", "green", [0, 0, 100, 100]), *cups)


def test_repair_adds_recolours_and_removes_as_a_last_resort() -> None:
    given = scene(("book", "red", [0, 0, 100, 100]), ("cup", "red", [90, 0, 250, 100]))
    formula = parse(BOOK.format("(exists ?c (and (Is ?c 'cup') (Has ?c 'pink') (LeftOf ?c ?b)))"))
    repaired = repair(formula, scene(("book", "red", [400, 400, 500, 500])))
    assert (len(repaired.changes), repaired.cost, repaired.least) == (1, 2000, True)
    assert repaired.changes[0].startswith("added a pink cup at [")
    assert verify(formula, repaired.layout).truth
    repaired = repair(parse("(not (exists ?x (Is ?x 'cup')))"), given)
    assert (repaired.changes, repaired.cost) == (("removed the cup",), 8000)
    book = scene(("book", "red", [0, 0, 100, 100]))
    layout = repair(parse(BOOK.format("(not (Has ?b 'red'))")), book).layout
    assert layout is not None and layout.objects[0].color not in (None, "red")
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


def test_every_conjunct_gets_a_near_miss_that_fails_it_and_nothing_that_others_imply() -> None:
    formula = parse(
        "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'pen') (Has ?a 'red') (OnLeftSide ?a) (not (OnTopSide ?b))"
        " (LeftOf ?a ?b) (forall ?c (implies (Is ?c 'hat') (and (Above ?c ?b) (LargerThan ?c ?a)))))))"
    )
    misses = near_misses(formula, 12, seed=2)
    for miss in misses:
        assert_near(formula, miss)
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
    implied = parse("(exists ?a (and (Is ?a 'cup') (OnLeftSide ?a) (not (OnRightSide ?a))))")
    assert {miss.conjunct for miss in near_misses(implied, 5)} == {"the cup is on the left side"}
    [missing] = near_misses(parse("(exists ?a (Is ?a 'cup'))"), 1)
    assert missing.conjunct == "there is a cup"
    assert verify(Not(parse("(exists ?a (Is ?a 'cup'))")), missing.layout).truth
