"""Instructions say what formulas demand, each thing once."""

from __future__ import annotations

import pytest

from tsgkit.logic.configurations import Scenario
from tsgkit.logic.english import thing
from tsgkit.logic.formula import atoms_of
from tsgkit.logic.parser import parse
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.verbalisation import PLACES, instruction

PAIR = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'scissors') {})))"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "(Has ?b 'gray') (LeftOf ?a ?b)",
            "a cup and a pair of gray scissors. The cup is to the left of",
        ),
        ("(LeftOf ?a ?b) (Above ?a ?b)", "The cup is to the left of and above the pair of scissors."),
        ("(not (LeftOf ?a ?b))", "The cup is not to the left of the pair of scissors."),
        (
            "(or (LeftOf ?a ?b) (OnTopSide ?a))",
            "The cup is either to the left of the pair of scissors or in the",
        ),
        ("(or (Has ?a 'red') (Has ?a 'blue'))", "The cup is either red or blue."),
        ("(or (LeftOf ?a ?b) (LeftOf ?b ?a))", "ither the cup is left of the pair of scissors or the pair of scissors"),
    ],
)
def test_instruction_verbalises_formulas(text: str, said: str) -> None:
    assert said in instruction(parse(PAIR.format(text)))


def test_instruction_says_that_a_forall_applies_to_at_least_one_object() -> None:
    text = (
        "(forall ?c (implies (and (Is ?c 'cup') (Has ?c 'red')) (exists ?p (and (Is ?p 'pen') (Above ?p ?c)"
        " (not (OnTopSide ?c))))))"
    )
    said = instruction(parse(text))
    assert "at least one red cup" in said
    assert "No red cup is in the top half of the image." in said
    assert "For every red cup, there is a pen: the pen is above that cup." in said


def test_natural_instruction_names_style_and_frame_of_reference() -> None:
    text = "(and (IsStyle 'pixel art') (exists ?c (exists ?d (and (Is ?c 'cat') (Is ?d 'dog') (LeftOf ?c ?d)))))"
    said = instruction(parse(text), "natural")
    assert said.startswith("Left and right are those of the frame. A pixel art picture of a cat and a dog.")
    assert said.endswith(" The cat is to the left of the dog.")


@pytest.mark.parametrize("scenario", ["knolling", "natural"])
def test_instruction_mentions_every_class_value_and_relation(scenario: Scenario) -> None:
    for seed in range(40):
        formula = formula_of(configuration(1 + seed % 8, scenario, seed, universal=seed % 2 == 0))
        said = instruction(formula, scenario, seed)
        for atom in atoms_of(formula):
            if atom.name == "Is":
                assert thing(atom.args[1].text).rsplit(" ", 1)[-1] in said  # type: ignore[union-attr]
            elif atom.name.startswith("Has"):
                assert atom.args[1].text in said  # type: ignore[union-attr]
            elif atom.name in PLACES and atom.name != "On":
                assert PLACES[atom.name].format("").strip() in said


def test_instruction_wording_depends_on_the_seed_only() -> None:
    formula = parse(PAIR.format("(LeftOf ?a ?b)"))
    assert len({instruction(formula, seed=seed) for seed in range(20)}) > 4
    assert instruction(formula, seed=3) == instruction(formula, seed=3)


def test_instruction_falls_back_to_plain_english() -> None:
    assert "(exists" not in instruction(parse("(iff (exists ?x (Is ?x 'cup')) (exists ?y (Is ?y 'pen')))"))
    assert "number of cups" in instruction(parse("(Equals (Count ?x (Is ?x 'cup')) 2)"))
