"""The verifiers agree with plain evaluators, and the plain ones with NLTK's, on made-up formulas and layouts."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from logic import made_up_formulas, naive

from tsgkit.logic.formula import (
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Variable,
    walk,
)
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.variables import rename_apart

CHUNKS = 5
PAIRS = 1_100
"""How many pairs of a formula and a layout each chunk tries."""


def randoms(chunk: int) -> list[Random]:
    return [Random(f"{chunk}/{number}") for number in range(PAIRS)]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_official_verdict_equals_plain_evaluation_including_crashes(chunk: int) -> None:
    seen = set()
    for random in randoms(chunk):
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5, 6)), iff=random.random() < 0.3)
        scene = made_up_formulas.layout(random, broken=0.03)
        try:
            wanted: bool | str = naive.official(naive.lift(naive.tree(formula)), scene)
        except naive.Crash:
            wanted = "crashed"
        verdict = verify_official(formula, scene)
        found = verdict.status if verdict.status == "crashed" else verdict.truth
        assert found == wanted, (text_of(formula), scene, verdict)
        seen.add(wanted)
    assert seen == {True, False, "crashed"}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_strict_verdict_equals_plain_evaluation(chunk: int) -> None:
    seen = set()
    for random in randoms(chunk):
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5, 6)))
        scene = made_up_formulas.layout(random, broken=0.02, apart=random.random() < 0.9)
        distinct, grounded = random.random() < 0.5, random.random() < 0.3
        verdict = verify_strict(formula, scene, distinct=distinct, grounded=grounded)
        wanted = naive.strict(formula, scene, distinct=distinct, grounded=grounded)
        assert verdict.truth == wanted, (text_of(formula), scene, distinct, grounded, verdict)
        assert (verdict.reason == "") == wanted
        assert verdict.trace is None or verdict.trace.truth == wanted
        seen.add((wanted, verdict.status))
    assert seen == {(True, "decided"), (False, "decided"), (False, "rejected")}


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_made_up_formulas_parse_back_to_themselves(chunk: int) -> None:
    for random in randoms(chunk):
        formula = made_up_formulas.formula(random, deepest=7)
        assert parse(text_of(formula)) == formula


def test_plain_classical_truth_equals_nltk() -> None:
    seen = []
    for number in range(700):
        random = Random(f"nltk/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5)), numbers=False)
        objects = [*made_up_formulas.layout(random)["objects"], *made_up_formulas.layout(random, most=1)["objects"]]
        if not objects or any(isinstance(part, And | Or) and not part.parts for _, part in walk(formula)):
            continue
        wanted = nltk_truth(formula, objects)
        assert naive.classical(formula, objects) == wanted, text_of(formula)
        seen.append(wanted)
    assert 50 < sum(seen) < len(seen) - 50


def nltk_truth(formula: Formula, objects: list[Any]) -> bool:
    """Return what NLTK says of a formula, with the extensions of all predicates spelt out as a model."""
    from nltk import sem

    formula = rename_apart(formula)
    names = {part.variable: f"x{number}" for number, (_, part) in enumerate(walk(formula)) if hasattr(part, "variable")}
    extensions = {}
    for atom in (part for _, part in walk(formula) if isinstance(part, Atom)):
        extensions[symbol(atom)] = extension(atom, objects)
    entities = {f"o{number}" for number in range(len(objects))}
    model = sem.Model(entities, sem.Valuation(list(extensions.items())))
    truth = model.evaluate(nltk_text(formula, names), sem.Assignment(entities))
    assert isinstance(truth, bool)
    return truth


def symbol(atom: Atom) -> str:
    value = atom.args[-1]
    return f"{atom.name}_{value.text}" if isinstance(value, Literal) else atom.name


def extension(atom: Atom, objects: list[Any]) -> set[tuple[str, ...]]:
    """Return all tuples of objects that a predicate holds of."""
    numbers = range(len(objects))
    x, y = Variable("?x"), Variable("?y")
    several = len(atom.args) == 2 and not isinstance(atom.args[1], Literal)
    free = Atom(atom.name, (x, y) if several else (x, *atom.args[1:]))
    plain = naive._Classical(objects, distinct=False)
    if several:
        return {(f"o{a}", f"o{b}") for a in numbers for b in numbers if plain.atom(free, {x: a, y: b})}
    return {(f"o{a}",) for a in numbers if plain.atom(free, {x: a})}


def nltk_text(formula: Formula, names: dict[Variable, str]) -> str:
    match formula:
        case Atom(_, args):
            inside = ", ".join(names[arg] for arg in args if isinstance(arg, Variable))
            return f"{symbol(formula)}({inside})"
        case Not(body):
            return f"-({nltk_text(body, names)})"
        case And(parts) | Or(parts):
            joined = " & " if isinstance(formula, And) else " | "
            return f"({joined.join(nltk_text(part, names) for part in parts)})"
        case Implies(left, right):
            return f"({nltk_text(left, names)} -> {nltk_text(right, names)})"
        case Iff(left, right):
            return f"({nltk_text(left, names)} <-> {nltk_text(right, names)})"
        case Exists(variable, body) | Forall(variable, body):
            word = "exists" if isinstance(formula, Exists) else "all"
            return f"{word} {names[variable]}.({nltk_text(body, names)})"
    raise AssertionError("NLTK compares no numbers")


def test_both_profiles_are_classical_without_forall() -> None:
    compared = 0
    for number in range(1_500):
        random = Random(f"classical/{number}")
        formula = made_up_formulas.formula(random, deepest=4, iff=False)
        scene = made_up_formulas.layout(random, apart=True)
        if any(isinstance(part, Forall) for _, part in walk(formula)):
            continue
        wanted = naive.classical(formula, scene["objects"])
        assert verify_strict(formula, scene).truth == wanted
        if scene["objects"]:
            assert verify_official(formula, scene).truth == wanted
        compared += 1
    assert compared > 400
