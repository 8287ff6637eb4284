"""Layouts for formulas, and conflicts in words where there is none."""

from __future__ import annotations

import pytest

pytest.importorskip("ortools", reason="solving formulas needs the extra logic")

from tsgkit.errors import UsageError
from tsgkit.logic.layouts import CANVAS, layout_of
from tsgkit.logic.parser import parse
from tsgkit.logic.solver import solve
from tsgkit.logic.verification import verify

BOOK = "(exists ?b (and (Is ?b 'book') {}))"
PAIR = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'pen') {})))"
TRIPLE = "(exists ?a (exists ?b (exists ?c (and (Is ?a 'cup') (Is ?b 'pen') (Is ?c 'hat') {}))))"
PIZZAS = "(forall ?p (implies (Is ?p 'pizza') (exists ?q (and (Is ?q 'pizza') (RightOf ?q ?p)))))"


@pytest.mark.parametrize(
    "text",
    [
        BOOK.format("(Has ?b 'red') (not (Has ?b 'blue')) (InCenter ?b)"),
        BOOK.format("(not (InCenter ?b)) (not (OnLeftSide ?b)) (not (OnRightSide ?b))"),
        PAIR.format("(AlignedHorizontally ?a ?b) (not (AlignedVertically ?a ?b)) (LargerThan ?b ?a)"),
        PAIR.format("(not (LargerThan ?a ?b)) (not (SmallerThan ?a ?b)) (or (Above ?a ?b) (Below ?a ?b))"),
        "(forall ?p (implies (Is ?p 'pen') (and (OnTopSide ?p) (exists ?c (and (Is ?c 'cup') (Below ?c ?p))))))",
        "(or (exists ?x (and (Is ?x 'cup') (OnTopSide ?x) (OnBottomSide ?x))) (exists ?y (Is ?y 'pen')))",
        "(Equals (Count ?x (and (Is ?x 'cup') (OnLeftSide ?x))) 3)",
        "(LessThan (Count ?x (Is ?x 'cup')) (Count ?y (Is ?y 'pen')))",
        "(not (exists ?x (Is ?x 'cup')))",
        "(exists ?x (not (Is ?x 'cup')))",
    ],
)
def test_solve_finds_layouts_that_both_verifiers_accept(text: str) -> None:
    formula = parse(text)
    solution = solve(formula)
    assert solution.status == "satisfiable"
    assert solution.layout is not None
    assert layout_of(solution.layout.value) == solution.layout
    assert verify(formula, solution.layout).truth
    assert verify(text, solution.layout.value, "official").truth


def test_solved_layouts_are_neat_if_possible() -> None:
    layout = solve(parse(TRIPLE.format("(LeftOf ?a ?b) (LeftOf ?b ?c) (AlignedHorizontally ?a ?c)"))).layout
    assert layout is not None
    cup, pen, hat = (thing.box for thing in layout.objects)
    assert cup.cy == hat.cy
    assert cup.x2 + 20 <= pen.x1 < pen.x2 + 20 <= hat.x1
    assert all(30 <= edge <= CANVAS - 30 for box in (cup, pen, hat) for edge in box)


@pytest.mark.parametrize(
    ("text", "conflict"),
    [
        (
            BOOK.format("(OnTopSide ?b) (OnLeftSide ?b) (Has ?b 'red') (OnRightSide ?b)"),
            ("the book is on the left side", "the book is on the right side"),
        ),
        (
            TRIPLE.format("(Above ?a ?b) (LargerThan ?a ?b) (LargerThan ?b ?c) (Has ?a 'red') (LargerThan ?c ?a)"),
            ("the cup is larger than the pen", "the pen is larger than the hat", "the hat is larger than the cup"),
        ),
        (
            PAIR.format("(LeftOf ?a ?b) (AlignedHorizontally ?a ?b) (RightOf ?a ?b)"),
            ("the cup is left of the pen", "the cup is right of the pen"),
        ),
        (BOOK.format("(Has ?b 'red') (OnTopSide ?b) (Has ?b 'blue')"), ("the book is red", "the book is blue")),
        (
            "(and (exists ?x (and (Is ?x 'cup') (OnTopSide ?x))) (not (exists ?y (Is ?y 'cup'))))",
            ("there is no cup (cup 2)", "there is a cup (cup 1)"),
        ),
        (
            "(forall ?d (implies (Is ?d 'drill') (exists ?p (and (Is ?p 'pen') (LeftOf ?d ?p) (RightOf ?d ?p)))))",
            (
                "for every drill: there is a pen such that the drill is left of the pen"
                " and the drill is right of the pen",
            ),
        ),
        (
            "(and (exists ?p (and (Is ?p 'pen') (Has ?p 'red'))) (forall ?q (implies (and (Is ?q 'pen') (Has ?q 'red'))"
            " (and (OnLeftSide ?q) (OnTopSide ?q) (OnRightSide ?q)))))",
            ("for every red pen (pen 2): pen 2 is on the left side and pen 2 is on the right side",),
        ),
        (
            "(and (forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) (and (OnTopSide ?c) (LargerThan ?c ?c))))"
            " (exists ?p (Is ?p 'pen')))",
            ("for every red cup: the cup is larger than the cup",),
        ),
        (
            "(and (forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) (and (OnTopSide ?c) (OnLeftSide ?c))))"
            " (not (exists ?x (Has ?x 'red'))))",
            ("there is no object (object 1) such that object 1 is red", "there is a red cup"),
        ),
        (
            "(and (exists ?x (Is ?x 'cup')) (forall ?y (and (Is ?y 'hat'))))",
            ("for every object (object 1): object 1 is a hat", "there is a cup"),
        ),
    ],
)
def test_conflict_lists_only_necessary_conjuncts(text: str, conflict: tuple[str, ...]) -> None:
    solution = solve(parse(text))
    assert solution.status == "unsatisfiable"
    assert solution.outright
    assert solution.conflict == conflict


@pytest.mark.parametrize(
    "text",
    [
        "(and (exists ?x (OnLeftSide ?x)) (not (exists ?y (not (Is ?y 'hat')))))",
        "(and (exists ?x (Is ?x 'cup')) (not (exists ?y (and (Is ?y 'cup') (not (exists ?z (LargerThan ?z ?y)))))))",
        "(and (exists ?x (Is ?x 'cup')) (exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))"
        " (forall ?c (exists ?p (and (not (Is ?p 'cup')) (or (Is ?c 'pen') (LeftOf ?p ?c))))))",
    ],
)
def test_solve_gives_variables_without_a_class_any_class(text: str) -> None:
    solution = solve(parse(text))
    assert solution.status == "satisfiable"
    assert solution.layout is not None
    assert verify(text, solution.layout).truth


@pytest.mark.parametrize(
    "text",
    [
        PIZZAS,
        "(and (forall ?p (implies (Is ?p 'cup') (exists ?q (and (Is ?q 'pen') (Above ?q ?p)))))"
        " (forall ?p (implies (Is ?p 'pen') (exists ?q (and (Is ?q 'cup') (Above ?q ?p))))))",
        "(forall ?x (LessThanOrEquals 2 (Count ?y (LargerThan ?y ?x))))",
    ],
)
def test_endless_chain_is_unsatisfiable_for_any_number_of_objects(text: str) -> None:
    solution = solve(parse(text))
    assert solution.status == "unsatisfiable"
    assert "infinitely many" in solution.text


def test_formula_neither_satisfied_nor_refuted_is_not_decided() -> None:
    text = "(GreaterThan (Count ?x (and (Is ?x 'cup') (OnTopSide ?x) (OnBottomSide ?x))) (Count ?y (Is ?y 'pen')))"
    solution = solve(parse(text))
    assert (solution.status, solution.conflict, solution.outright) == ("not decided", (), False)
    assert "not ruled out" in solution.text


def test_a_false_contradiction_has_a_layout() -> None:
    solution = solve(parse(TRIPLE.format("(LeftOf ?a ?b) (LeftOf ?b ?c) (AlignedVertically ?a ?c)")))
    assert solution.status == "satisfiable"


def test_solution_notes_that_only_strict_accepts_it() -> None:
    text = "(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))"
    solution = solve(parse(text))
    assert (solution.status, solution.profiles) == ("satisfiable", ("strict",))
    assert solution.layout is not None
    assert not verify(text, solution.layout.value, "official").truth
    assert "the published verifier" in solution.note


def test_iff_is_solved_for_strict_alone() -> None:
    solution = solve(parse("(exists ?x (and (Is ?x 'cup') (iff (OnTopSide ?x) (OnLeftSide ?x)) (OnTopSide ?x)))"))
    assert solution.status == "satisfiable"
    assert solution.profiles == ("strict",)


def test_the_same_seed_gives_the_same_layout_and_another_seed_another() -> None:
    formula = parse(TRIPLE.format("(LeftOf ?a ?b) (Above ?b ?c)"))
    assert solve(formula, seed=3) == solve(formula, seed=3)
    assert len({solve(formula, seed=seed).layout for seed in range(5)}) > 1


def test_solve_is_not_decided_when_the_budget_ends() -> None:
    row = " ".join(f"(exists ?v{n} (and (Is ?v{n} 'cup') (Has ?v{n} 'red')))" for n in range(9))
    assert solve(parse(f"(and {row})"), effort=1e-9).status == "not decided"


@pytest.mark.parametrize("text", ["(exists ?x (On ?x ?x))", "(OnTopSide ?x)", "(IsStyle 'photo')"])
def test_solve_refuses_formulas_that_layouts_cannot_decide(text: str) -> None:
    with pytest.raises(UsageError):
        solve(parse(text))


def test_solve_gives_each_variable_its_own_object_of_a_class() -> None:
    relations = " ".join(f"(LeftOf ?v{one} ?v{other})" for other in range(8) for one in range(other))
    text = f"(and {' '.join(f'(Is ?v{number} {chr(39)}cup{chr(39)})' for number in range(8))} {relations})"
    for number in reversed(range(8)):
        text = f"(exists ?v{number} {text})"
    solution = solve(parse(text))
    assert (solution.status, solution.objects) == ("satisfiable", 8)
    impossible = solve(parse(text.replace(relations, f"{relations} (RightOf ?v0 ?v7)")))
    assert impossible.status == "not decided"
    assert "parts" in impossible.note
