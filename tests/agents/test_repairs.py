"""Exact repairs mend what the rules see and leave one remedy for, and never touch a graph without findings."""

from __future__ import annotations

from collections import Counter

import pytest
from seeded_faults import bundled, spoilt_narratives

from tsgkit.agents.repairs import EXACT, LESS_SURE, mend, mend_graph
from tsgkit.graph import ActionGraph, Corruption, Narrative, Vocabulary, check_graph, read

L = Vocabulary(("kettle", "cup", "mug"), ("verb", "dobj", "with", "on"), ("fill", "pour", "pick-up", "put-down"))


def graph(text: str) -> ActionGraph:
    return ActionGraph(line.split(" ") for line in text.split("; "))


GOOD = graph("person verb fill; fill dobj kettle; fill with hand1")


@pytest.mark.parametrize(
    "text",
    [
        "fill verb person; fill dobj kettle; fill with hand1",
        "person verb fill; kettle dobj fill; fill with hand1",
        "person verbs fill; fill dobj kettle; fill with hand1",
        "person verb fill; fill direct_object kettle; fill with hand1",
        "person verb fill; fill dobj kettle; fill with hand1; fill dobj kettle",
        "person verb fill; fill dobj kettel; fill with hand1",
        "person verb fill; fill dobj Kettle; fill with hand_1",
        "person verb fill; fill dobj kettle:1; fill with hand1",
        "person verb fill; filled dobj kettle; fill with hand1",
        "person verb fill; pour dobj kettle; fill with hand1",
        "person verb pour; fill dobj kettle; fill with hand1",
        "fill dobj kettle; fill with hand1",
    ],
)
def test_what_has_one_remedy_is_mended_and_says_why(text: str) -> None:
    mended, changes = mend_graph(graph(text), L)
    assert mended == GOOD and not check_graph(mended, L)
    assert changes and all(change.code and change.reason and change.by == EXACT for change in changes)


@pytest.mark.parametrize(
    "text",
    [
        "person verb fill; fill dobj spoon; fill with hand1",
        "person verb pour; fill dobj kettle",
        "person verb fill; person verb pour; fill dobj kettle",
        "person verb fill; fill dobj kettle; fill with left_hand",
        "hand1 on hand2",
    ],
)
def test_what_has_several_remedies_stays_and_is_told(text: str) -> None:
    mended = mend(Narrative.of([graph(text)], L))
    assert mended.narrative.graphs == (graph(text),)
    assert mended.undecided


def test_a_name_that_l_lists_is_no_slip_of_spelling() -> None:
    odd = Vocabulary(("TV",), ("verb", "dobj"), ("watch",))
    assert mend_graph(graph("person verb watch; watch dobj TV"), odd)[1] == []


def test_without_l_a_name_is_never_moved() -> None:
    assert mend_graph(graph("person verb fill; fill dobj kettel"))[1] == []


def test_no_clean_graph_is_changed_in_any_bundled_narrative() -> None:
    for narrative in bundled():
        assert mend(narrative).changes == ()


def test_the_hand_that_the_rule_would_give_is_marked_as_less_sure() -> None:
    pick = graph("person verb pick-up; pick-up dobj kettle; pick-up with hand1")
    second = graph("person verb pick-up; pick-up dobj cup; pick-up with hand1")
    down = graph("person verb put-down; put-down dobj cup; put-down with hand2")
    mended = mend(Narrative.of([pick, second, down], L))
    assert [change.by for change in mended.changes] == [LESS_SURE]
    assert ("pick-up", "with", "hand2") in mended.narrative.graphs[1]
    assert mend(Narrative.of([pick, second, down], L), hands=False).changes == ()


def test_graphs_before_the_start_are_context_alone() -> None:
    slip = graph("fill verb person; fill dobj kettle")
    mended = mend(Narrative.of([slip, slip], L), start=1)
    assert {change.graph for change in mended.changes} == {1}


def test_seeded_faults_are_restored_or_left_and_clean_neighbours_stay() -> None:
    faults, restored, otherwise, misled = Counter[str](), Counter[str](), Counter[str](), 0
    for one in spoilt_narratives():
        surely = mend(one.spoilt, hands=False)
        for number, (clean, before, after) in enumerate(
            zip(one.clean.graphs, one.spoilt.graphs, surely.narrative.graphs, strict=True)
        ):
            if number not in one.kinds:
                assert after.triplets == before.triplets == clean.triplets
                continue
            faults[one.kinds[number]] += 1
            restored[one.kinds[number]] += after == clean
            otherwise[one.kinds[number]] += after not in (clean, before)
        by_hand = mend(one.spoilt)
        touched = {change.graph for change in by_hand.changes if change.by == LESS_SURE}
        misled += len(touched - set(one.kinds))
    assert faults.total() > 90
    assert restored[Corruption.REVERSED] >= 0.3 * faults[Corruption.REVERSED]
    assert restored[Corruption.MISMATCHED] >= 0.3 * faults[Corruption.MISMATCHED]
    assert restored[Corruption.MISSING] >= 0.15 * faults[Corruption.MISSING]
    assert otherwise.total() <= 0.02 * faults.total()
    assert misled <= 0.02 * sum(len(one.clean.graphs) for one in spoilt_narratives())


@pytest.mark.parametrize("seed", range(3))
def test_mending_ends_and_mending_again_changes_nothing(seed: int) -> None:
    for one in spoilt_narratives(share=0.6, seed=seed)[:6]:
        mended = mend(one.spoilt, hands=False)
        assert mend(mended.narrative, hands=False).changes == ()


def test_hostile_names_are_names() -> None:
    [found] = read("person -> verb -> {0.__class__}\n{0.__class__} -> dobj -> ignore the rules").graphs
    assert mend(Narrative.of([found], L)).narrative.graphs
    assert mend(Narrative.of([ActionGraph(), ActionGraph.of(("", "", ""))], L)).undecided
