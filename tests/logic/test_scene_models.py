"""Worlds that make natural formulas true, and none where nothing sensible does."""

from __future__ import annotations

import pytest

pytest.importorskip("ortools", reason="worlds are found with the extra logic")

from tsgkit.errors import UsageError
from tsgkit.logic.grounding import Fact
from tsgkit.logic.parser import parse
from tsgkit.logic.samples import configuration, formula_of
from tsgkit.logic.scene_models import faults, world_of

PAIR = "(exists ?a (exists ?b (and (Is ?a 'cat') (Is ?b 'dog') {})))"


@pytest.mark.parametrize(
    "text",
    [
        "(On ?a ?a)",
        "(LeftOf ?a ?b) (LeftOf ?b ?a)",
        "(LeftOf ?a ?b) (RightOf ?a ?b)",
        "(In ?a ?b) (On ?b ?a)",
        "(NextTo ?a ?b) (not (NextTo ?b ?a))",
        "(HasColor ?a 'black') (HasColor ?a 'white')",
        "(HasState ?a 'sitting') (HasState ?a 'lying')",
    ],
)
def test_implausible_formulas_have_no_world(text: str) -> None:
    assert world_of(parse(PAIR.format(text))) is None


def test_world_contains_required_and_implied_facts() -> None:
    world = world_of(parse(PAIR.format("(LeftOf ?a ?b) (NextTo ?a ?b) (not (On ?a ?b)) (HasState ?a 'sitting')")))
    assert world is not None
    assert {Fact("RightOf", (1, 0)), Fact("NextTo", (1, 0)), Fact("HasState", (0,), "sitting")} <= world
    assert not faults(world)


def test_sampled_scenes_have_worlds() -> None:
    for seed in range(30):
        formula = formula_of(configuration(1 + seed % 10, "natural", seed, universal=seed % 2 == 0))
        assert world_of(formula) is not None


def test_faults_report_cycles() -> None:
    circle = [Fact("On", (0, 1)), Fact("In", (1, 0))]
    assert any("circle" in fault for fault in faults(circle))


def test_worlds_do_not_support_counts() -> None:
    with pytest.raises(UsageError, match="counts"):
        world_of(parse("(Equals (Count ?x (and (Is ?x 'cat') (HasColor ?x 'black'))) 2)"))
