"""Formulas in plain English, and instructions that say what they demand, each thing once."""

from __future__ import annotations

from hashlib import sha256
from random import Random

from logic import made_up_formulas

from tsgkit.logic.configurations import Scenario
from tsgkit.logic.english import reading_of, thing
from tsgkit.logic.formula import Literal, atoms_of
from tsgkit.logic.parser import parse
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.verbalisation import PLACES, instruction

BOTH: tuple[Scenario, ...] = ("knolling", "natural")
PAIR = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'scissors') {})))"
READINGS = {
    "(exists ?s (exists ?k (and (Is ?s 'scissors') (Has ?s 'gray') (Is ?k 'keys') (Above ?s ?k))))": (
        "There are a pair of gray scissors and a bunch of keys. The pair of scissors is above the bunch of keys."
    ),
    "(and (forall ?d (implies (Is ?d 'drill') (OnBottomSide ?d))))": (
        "For every drill: the drill is on the bottom side."
    ),
    "(forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red') (OnTopSide ?c)) (OnLeftSide ?c)))": (
        "For every red cup such that the cup is on the top side: the cup is on the left side."
    ),
    "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'cup') (LeftOf ?a ?b))))": (
        "There are a cup (cup 1) and a cup (cup 2). Cup 1 is left of cup 2."
    ),
    "(not (exists ?x (and (Is ?x 'shoe') (Has ?x 'red'))))": "There is no red shoe.",
    "(not (forall ?x (OnTopSide ?x)))": "It is not so that (for every object (object 1): object 1 is on the top side).",
    "(exists ?x (not (LeftOf ?x ?x)))": "There is an object (object 1). Object 1 is not left of object 1.",
    "(exists ?x (or (Is ?x 'cup') (Has ?x 'red')))": (
        "There is an object (object 1). Either object 1 is a cup or object 1 is red."
    ),
    "(LessThanOrEquals (Count ?x (Is ?x 'mouse')) 2)": "The number of mice is at most 2.",
    "(exists ?x (iff (OnTopSide ?x) (OnLeftSide ?x)))": (
        "There is an object (object 1). Object 1 is on the top side exactly when object 1 is on the left side."
    ),
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
