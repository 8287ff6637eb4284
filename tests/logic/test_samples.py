"""Made-up instructions: their shape, their vocabulary, and the worlds that make natural ones true."""

from __future__ import annotations

from hashlib import sha256
from itertools import product

import pytest

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import clause_form, k_as_defined, object_classes
from tsgkit.logic.configurations import Scenario, Twist
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
