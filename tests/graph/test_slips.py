"""Published-style errors, slips of annotators, and graphs written carelessly."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tsgkit.errors import EditError
from tsgkit.graph.careless_texts import WRITINGS, careless_reading
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.slips import MOST, SLIPS, Slipped, annotator_slip, published_error, slipped

GRAPH = ActionGraph.of(
    ("person", "verb", "pick-up"),
    ("pick-up", "dobj", "tea-pot"),
    ("pick-up", "from", "tray"),
    ("pick-up", "with", "hand1"),
    ("pick-up", "with", "hand2"),
)
L = Vocabulary(("tea-pot", "tray", "cup"), ("verb", "dobj", "with", "from"), ("pick-up", "pour"))
ALONE = ActionGraph.of(("person", "verb", "wash"))


def slip(name: str) -> list[Slipped]:
    return [found for graph in SLIPS[name](GRAPH, L) if (found := slipped(GRAPH, graph, name))]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("verbs", "mismatched: person -> verbs -> pick-up, expected person -> verb -> pick-up"),
        ("direct-object", "mismatched: pick-up -> direct_object -> tea-pot, expected pick-up -> dobj -> tea-pot"),
        ("prep", "mismatched: pick-up -> prep -> tray, expected pick-up -> from -> tray"),
        ("not-a-preposition", "mismatched: pick-up -> manner -> tray, expected pick-up -> from -> tray"),
        ("hands", "mismatched: pick-up -> with -> hands, expected pick-up -> with -> hand1"),
        ("empty-target", "mismatched: pick-up -> from -> , expected pick-up -> from -> tray"),
        ("verb-turned", "reversed: pick-up -> verb -> person, expected person -> verb -> pick-up"),
        ("no-verb", "missing: person -> verb -> pick-up"),
        ("typo", "mismatched: pick-up -> dobj -> teapot, expected pick-up -> dobj -> tea-pot"),
        ("instance", "mismatched: pick-up -> from -> tray:1, expected pick-up -> from -> tray"),
        ("underscore", "mismatched: pick-up -> dobj -> tea_pot, expected pick-up -> dobj -> tea-pot"),
        ("other-verb", "mismatched: pour -> dobj -> tea-pot, expected pick-up -> dobj -> tea-pot"),
        ("hand-object", "mismatched: pick-up -> dobj -> hand1, expected pick-up -> with -> hand1"),
        ("second-action", "extra: person -> verb -> pour"),
        ("inflected", "mismatched: picking-up -> dobj -> tea-pot, expected pick-up -> dobj -> tea-pot"),
    ],
)
def test_a_slip_changes_what_its_name_says(name: str, change: str) -> None:
    found = {str(one) for way in slip(name) for one in way.changes}
    assert change in found


def test_every_slip_changes_few_triplets() -> None:
    for name in SLIPS:
        assert slip(name)
        assert all(1 <= len(one.changes) <= MOST for one in slip(name))


def test_published_errors_take_any_element_of_l() -> None:
    found = [published_error(GRAPH, L, seed=seed) for seed in range(300)]
    assert {one.name for one in found} == {str(kind) for kind in Corruption}
    assert all(len(one.changes) == 1 for one in found)
    added = [one.changes[0].candidate for one in found if one.name == "redundant"]
    assert {one.edge for one in added if one is not None} == {"verb", "dobj", "with", "from"}
    replaced = [one.changes[0] for one in found if one.name == "mismatched"]
    assert any(one.candidate is not None and one.candidate.target == "pour" for one in replaced)


def test_the_same_seed_makes_the_same_fault_and_others_make_others() -> None:
    draws: tuple[Callable[[int], Slipped], ...] = (
        lambda seed: published_error(GRAPH, L, seed=seed),
        lambda seed: annotator_slip(GRAPH, L, seed=seed),
        lambda seed: careless_reading(GRAPH, seed=seed),
    )
    for draw in draws:
        assert draw(3) == draw(3)
        assert len({draw(seed).graph for seed in range(30)}) > 5


def test_a_graph_that_allows_no_fault_is_an_error() -> None:
    nothing = Vocabulary((), (), ())
    assert published_error(ALONE, nothing, seed=0).changes
    with pytest.raises(EditError):
        careless_reading(ActionGraph(), seed=0)
    with pytest.raises(EditError):
        published_error(ActionGraph(), nothing, seed=0)
    with pytest.raises(EditError):
        annotator_slip(ActionGraph(), nothing, seed=0)


def test_a_graph_without_its_only_triplet_is_no_fault() -> None:
    assert slipped(ALONE, ActionGraph(), "no-verb") is None
    assert slipped(ALONE, ALONE, "nothing") is None


def test_careless_texts_run_on_into_the_next_graph_only_where_there_is_one() -> None:
    seen = {careless_reading(GRAPH, seed=seed).name for seed in range(200)}
    beside = {careless_reading(GRAPH, (GRAPH, ALONE), seed=seed).name for seed in range(200)}
    assert beside - seen == {"run-on"}
    assert beside == set(WRITINGS)
