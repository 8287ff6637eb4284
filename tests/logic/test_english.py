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
from tsgkit.logic.english import reading_of, thing
from tsgkit.logic.formula import Forall, Formula, Literal, Not, Or, atoms_of, walk
from tsgkit.logic.grounding import Fact
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.plausibility import LOOKS, steps_from
from tsgkit.logic.printer import text_of
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.scene_models import faults, world_of
from tsgkit.logic.verbalisation import PLACES, instruction
from tsgkit.logic.vocabulary import NATURAL, SCENARIOS

BOTH: tuple[Scenario, ...] = ("knolling", "natural")
PAIR = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'scissors') {})))"
READINGS = {
    "(exists ?s (exists ?k (and (Is ?s 'scissors') (Has ?s 'gray') (Is ?k 'keys') (Above ?s ?k))))": (
        "There are a pair of gray scissors and a bunch of keys. The pair of scissors is above the bunch of keys."
    ),
    "(LessThanOrEquals (Count ?x (Is ?x 'mouse')) 2)": "The number of mice is at most 2.",
    "(and (IsStyle 'pixel art') (exists ?m (and (Is ?m 'man') (HasState ?m 'running'))))": (
        "The style is pixel art. There is a man. The man is running."
    ),
    "(exists ?x (and (Is ?x 'cup') (HasMaterial ?x 'glass')))": "There is a glass cup.",
    "(exists ?x (and (Is ?x 'cup') (or (HasMaterial ?x 'metal') (HasMaterial ?x 'glass'))))": (
        "There is a cup. Either the cup is made of metal or the cup is made of glass."
    ),
    "(exists ?x (not (HasMaterial ?x 'wood')))": "There is an object (object 1). Object 1 is not made of wood.",
    "(and)": "Anything is fine.",
    "(or)": "Nothing is fine.",
}
INSTRUCTIONS = {
    "(Has ?b 'gray') (LeftOf ?a ?b)": "a cup and a pair of gray scissors. The cup is to the left of",
    "(LeftOf ?a ?b) (Above ?a ?b)": "The cup is to the left of and above the pair of scissors.",
    "(not (LeftOf ?a ?b))": "The cup is not to the left of the pair of scissors.",
    "(or (LeftOf ?a ?b) (OnTopSide ?a))": "The cup is either to the left of the pair of scissors or in the",
    "(or (Has ?a 'red') (Has ?a 'blue'))": "The cup is either red or blue.",
    "(or (LeftOf ?a ?b) (LeftOf ?b ?a))": "ither the cup is left of the pair of scissors or the pair of scissors",
}


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


def test_instruction_verbalises_formulas() -> None:
    for text, part in INSTRUCTIONS.items():
        assert part in instruction(parse(PAIR.format(text)))
    assert "number of cups" in instruction(parse("(Equals (Count ?x (Is ?x 'cup')) 2)"))
    assert "(exists" not in instruction(parse("(iff (exists ?x (Is ?x 'cup')) (exists ?y (Is ?y 'pen')))"))


def test_instruction_says_that_a_forall_applies_to_at_least_one_object() -> None:
    pen = "(exists ?p (and (Is ?p 'pen') (Above ?p ?c) (not (OnTopSide ?c))))"
    text = instruction(parse(f"(forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) {pen}))"))
    assert "at least one red cup" in text
    assert "No red cup is in the top half of the image." in text
    assert "For every red cup, there is a pen: the pen is above that cup." in text


def test_natural_instruction_names_style_and_frame_of_reference() -> None:
    text = "(and (IsStyle 'pixel art') (exists ?c (exists ?d (and (Is ?c 'cat') (Is ?d 'dog') (LeftOf ?c ?d)))))"
    assert instruction(parse(text), "natural") == (
        "Left and right are those of the frame. A pixel art picture of a cat and a dog."
        " The cat is to the left of the dog."
    )


def test_instruction_mentions_every_class_value_and_relation() -> None:
    for seed in range(80):
        scenario = BOTH[seed % 2]
        formula = formula_of(configuration(1 + seed % 8, scenario, seed, universal=seed % 4 < 2))
        text = instruction(formula, scenario, seed)
        for atom in atoms_of(formula):
            value = atom.args[-1]
            if isinstance(value, Literal):
                assert (thing(value.text).rsplit(" ", 1)[-1] if atom.name == "Is" else value.text) in text, atom
            elif atom.name in PLACES and atom.name != "On":
                assert PLACES[atom.name].format("").strip() in text, atom


def test_instruction_wording_depends_on_the_seed_only() -> None:
    formula = parse(PAIR.format("(LeftOf ?a ?b)"))
    assert len({instruction(formula, seed=seed) for seed in range(20)}) > 4
    assert instruction(formula, seed=3) == instruction(formula, seed=3)


def test_configuration_has_k_objects_of_k_classes_in_one_closure() -> None:
    for scenario, k, seed in product(BOTH, range(1, 13), range(4)):
        formula = formula_of(configuration(k, scenario, seed, universal=seed % 2 == 1))
        forms = clause_form(formula), clause_form(formula, official=True)
        assert [forms[0].k, forms[1].k, k_as_defined(formula)] == [k, k, k], (scenario, k, seed)
        assert len(object_classes(formula)) == k, (scenario, k, seed)
        assert sum(isinstance(part, Forall) for _, part in walk(formula)) == seed % 2
        assert not check(text_of(formula), SCENARIOS[scenario]).findings, (scenario, k, seed)


def test_twists_are_choices_and_negations_and_seeds_differ() -> None:
    twists: tuple[tuple[Twist, type[Formula]], ...] = (("or", Or), ("not", Not))
    for scenario in BOTH:
        for twist, kind in twists:
            made = [formula_of(configuration(5, scenario, seed, twist=twist)) for seed in range(10)]
            assert any(isinstance(part, kind) for formula in made for _, part in walk(formula)), (scenario, twist)
        assert configuration(4, scenario, 5) == configuration(4, scenario, 5)
        assert len({configuration(4, scenario, seed) for seed in range(20)}) == 20


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


def test_configuration_rejects_bad_k_and_unknown_scenario() -> None:
    with pytest.raises(UsageError, match="expected 1 to 20"):
        configuration(0)
    with pytest.raises(UsageError, match="no scenario"):
        configuration(1, "kitchen")  # type: ignore[arg-type]


def test_plausible_relations_and_attributes_are_in_the_vocabulary() -> None:
    for label in NATURAL.classes:
        assert {step.label for step in steps_from(label)} <= set(NATURAL.classes) - {label}
    for kind, table in LOOKS.items():
        assert set(table) <= set(NATURAL.classes)
        assert {value for values in table.values() for value in values} <= set(NATURAL.values[kind])


CAT_AND_DOG = "(exists ?a (exists ?b (and (Is ?a 'cat') (Is ?b 'dog') {})))"


def test_implausible_formulas_have_no_world() -> None:
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
