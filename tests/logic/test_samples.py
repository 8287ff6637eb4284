"""Made-up instructions: their shape, what they may speak of, that they come again."""

from __future__ import annotations

import pytest

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import clause_form, k_as_defined, object_classes
from tsgkit.logic.configurations import Scenario, Twist
from tsgkit.logic.formula import Forall, Formula, Not, Or, walk
from tsgkit.logic.lint import check
from tsgkit.logic.plausibility import LOOKS, steps_from
from tsgkit.logic.printer import text_of
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.vocabulary import NATURAL, SCENARIOS

BOTH: tuple[Scenario, ...] = ("knolling", "natural")


@pytest.mark.parametrize("scenario", BOTH)
@pytest.mark.parametrize("k", range(1, 13))
def test_configuration_has_k_objects_of_k_classes_in_one_closure(scenario: Scenario, k: int) -> None:
    for seed in range(8):
        formula = formula_of(configuration(k, scenario, seed, universal=seed % 2 == 1))
        assert clause_form(formula).k == clause_form(formula, official=True).k == k_as_defined(formula) == k
        assert len(object_classes(formula)) == k
        assert sum(isinstance(part, Forall) for _, part in walk(formula)) == seed % 2
        assert not check(text_of(formula), SCENARIOS[scenario]).findings


@pytest.mark.parametrize("scenario", BOTH)
def test_twists_are_choices_and_negations(scenario: Scenario) -> None:
    twists: tuple[tuple[Twist, type[Formula]], ...] = (("or", Or), ("not", Not))
    for twist, kind in twists:
        made = [formula_of(configuration(5, scenario, seed, twist=twist)) for seed in range(10)]
        assert any(isinstance(part, kind) for formula in made for _, part in walk(formula))


@pytest.mark.parametrize("scenario", BOTH)
def test_configuration_depends_on_its_seed(scenario: Scenario) -> None:
    assert configuration(4, scenario, 5) == configuration(4, scenario, 5)
    assert len({configuration(4, scenario, seed) for seed in range(20)}) == 20


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
