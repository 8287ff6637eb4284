"""Formulas in plain English, made-up instructions, and the worlds that make natural ones true."""

from __future__ import annotations

from hashlib import sha256
from itertools import product
from random import Random

import pytest
from logic import made_up_formulas

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import clause_form, k_as_defined, object_classes
from tsgkit.logic.configurations import Scenario, Twist
from tsgkit.logic.english import reading_of
from tsgkit.logic.formula import Forall, Formula, Not, Or, walk
from tsgkit.logic.grounding import Fact
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.plausibility import LOOKS, steps_from
from tsgkit.logic.printer import text_of
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.scene_models import faults, world_of
from tsgkit.logic.verbalisation import instruction
from tsgkit.logic.vocabulary import NATURAL, SCENARIOS

BOTH: tuple[Scenario, ...] = ("knolling", "natural")
PAIR = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'scissors') {})))"
READINGS = {
    "(exists ?s (exists ?k (and (Is ?s 'scissors') (Has ?s 'gray') (Is ?k 'keys') (Above ?s ?k))))": (
        "There are a pair of gray scissors and a bunch of keys. The pair of scissors is above the bunch of keys."
    ),
    "(LessThanOrEquals (Count ?x (Is ?x 'mouse')) 2)": "The number of mice is at most 2.",
    "(exists ?x (and (Is ?x 'cup') (or (HasMaterial ?x 'metal') (HasMaterial ?x 'glass'))))": (
        "There is a cup. Either the cup is made of metal or the cup is made of glass."
    ),
    "(and)": "Anything is fine.",
    "(or)": "Nothing is fine.",
}
DEMANDS = (
    "(Has ?b 'gray') (LeftOf ?a ?b)", "(LeftOf ?a ?b) (Above ?a ?b)", "(not (LeftOf ?a ?b))", "(RightOf ?b ?a)",
    "(or (LeftOf ?a ?b) (OnTopSide ?a))", "(or (Has ?a 'red') (Has ?a 'blue'))", "(or (LeftOf ?a ?b) (LeftOf ?b ?a))",
    "(HasMaterial ?a 'glass') (not (HasMaterial ?b 'wood'))", "(iff (OnTopSide ?a) (OnLeftSide ?b))",
)  # fmt: skip


def test_every_formula_has_a_reading() -> None:
    for text, reading in READINGS.items():
        assert reading_of(parse(text)) == reading
    readings = sha256()
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"reading/{number}"), deepest=6)
        reading = reading_of(formula)
        readings.update(reading.encode())
        assert reading == reading_of(formula)
        assert (reading[0].isupper(), reading[-1], "?" in reading) == (True, ".", False), reading
    assert readings.hexdigest()[:16] == "259d77f495e04fbf", "see that the change is meant, and write it down"


def test_instructions_say_what_formulas_demand_in_words_of_their_seed() -> None:
    """Each told here, and then in a digest those of formulas of all shapes and both scenarios, and their readings."""
    pen = "(exists ?p (and (Is ?p 'pen') (Above ?p ?c) (not (OnTopSide ?c))))"
    text = instruction(parse(f"(forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) {pen}))"))
    assert "at least one red cup" in text
    assert "No red cup is in the top half of the image." in text
    assert "For every red cup, there is a pen: the pen is above that cup." in text
    text = "(and (IsStyle 'pixel art') (exists ?c (exists ?d (and (Is ?c 'cat') (Is ?d 'dog') (LeftOf ?c ?d)))))"
    assert instruction(parse(text), "natural") == (
        "Left and right are those of the frame. A pixel art picture of a cat and a dog."
        " The cat is to the left of the dog."
    )
    texts = sha256()
    pairs = [parse(PAIR.format(text)) for text in DEMANDS]
    assert len({instruction(pairs[0], seed=seed) for seed in range(20)}) > 4
    made_up = [made_up_formulas.formula(Random(f"reading/{number}"), deepest=4) for number in range(60)]
    for seed, formula in enumerate([*pairs, *made_up]):
        texts.update(instruction(formula, seed=seed).encode())
    for seed in range(60):
        texts.update(reading_of(formula_of(configuration(1 + seed % 8, "natural", seed))).encode())
    assert texts.hexdigest()[:16] == "a07104ddc78e01e6", "see that the change is meant, and write it down"


def test_configuration_has_k_objects_of_k_classes_in_one_closure() -> None:
    for scenario, k, seed in product(BOTH, range(1, 13), range(4)):
        formula = formula_of(configuration(k, scenario, seed, universal=seed % 2 == 1))
        forms = clause_form(formula), clause_form(formula, official=True)
        assert [forms[0].k, forms[1].k, k_as_defined(formula)] == [k, k, k], (scenario, k, seed)
        assert len(object_classes(formula)) == k, (scenario, k, seed)
        assert sum(isinstance(part, Forall) for _, part in walk(formula)) == seed % 2
        assert not check(text_of(formula), SCENARIOS[scenario]).findings, (scenario, k, seed)


def test_configurations_follow_their_twist_and_seed_and_bad_wishes_are_refused() -> None:
    twists: list[tuple[Twist, type[Formula]]] = [("or", Or), ("not", Not)]
    for (twist, kind), scenario in product(twists, BOTH):
        made = [formula_of(configuration(5, scenario, seed, twist=twist)) for seed in range(10)]
        assert any(isinstance(part, kind) for formula in made for _, part in walk(formula)), (scenario, twist)
        assert len(set(made)) == 10
    for k in (0, 21):
        with pytest.raises(UsageError, match="expected 1 to 20"):
            configuration(k)
    with pytest.raises(UsageError, match="no scenario"):
        configuration(1, "kitchen")  # type: ignore[arg-type]


def test_seeds_give_the_same_formulas_and_instructions_in_every_version() -> None:
    """Two digests: of 60 formulas, and of the instructions for 60 more. A change here changes what users have made."""
    digests = {
        "knolling": ("40ec7b1a0d8a5bb7", "924fe8707c0f5d5f"),
        "natural": ("51248e8795f1ac4f", "63bc5dfaea8856c7"),
    }
    twists: tuple[Twist, ...] = ("", "or", "not")
    for scenario in BOTH:
        formulas, texts = sha256(), sha256()
        for seed in range(60):
            twist = twists[seed % 3]
            formula = formula_of(configuration(1 + seed % 10, scenario, seed, universal=seed % 2 == 1, twist=twist))
            formulas.update(text_of(formula).encode())
            formula = formula_of(configuration(1 + seed % 8, scenario, seed, universal=seed % 4 < 2, twist=twist))
            texts.update(instruction(formula, scenario, seed).encode())
        assert (formulas.hexdigest()[:16], texts.hexdigest()[:16]) == digests[scenario], scenario


def test_implausible_formulas_have_no_world() -> None:
    for label in NATURAL.classes:
        assert {step.label for step in steps_from(label)} <= set(NATURAL.classes) - {label}
    for kind, table in LOOKS.items():
        assert set(table) <= set(NATURAL.classes)
        assert {value for values in table.values() for value in values} <= set(NATURAL.values[kind])
    for text in (
        "(On ?a ?a)",
        "(LeftOf ?a ?b) (LeftOf ?b ?a)",
        "(LeftOf ?a ?b) (RightOf ?a ?b)",
        "(In ?a ?b) (On ?b ?a)",
        "(NextTo ?a ?b) (not (NextTo ?b ?a))",
        "(HasColor ?a 'black') (HasColor ?a 'white')",
        "(HasState ?a 'sitting') (HasState ?a 'lying')",
        "(Holding ?a ?b) (exists ?c (and (Is ?c 'man') (Holding ?c ?b)))",
    ):
        assert world_of(parse(CAT_AND_DOG.format(text))) is None, text
    with pytest.raises(UsageError, match="counts"):
        world_of(parse("(Equals (Count ?x (and (Is ?x 'cat') (HasColor ?x 'black'))) 2)"))


CAT_AND_DOG = "(exists ?a (exists ?b (and (Is ?a 'cat') (Is ?b 'dog') {})))"


def test_world_contains_required_and_implied_facts() -> None:
    text = "(LeftOf ?a ?b) (NextTo ?a ?b) (not (On ?a ?b)) (HasState ?a 'sitting')"
    world = world_of(parse(CAT_AND_DOG.format(text)))
    assert world is not None
    assert {Fact("RightOf", (1, 0)), Fact("NextTo", (1, 0)), Fact("HasState", (0,), "sitting")} <= world
    assert not faults(world)
    assert any("circle" in fault for fault in faults([Fact("On", (0, 1)), Fact("In", (1, 0))]))
    for seed in range(30):
        formula = formula_of(configuration(1 + seed % 10, "natural", seed, universal=seed % 2 == 0))
        assert world_of(formula) is not None, seed
