"""Exact repairs mend what the rules see and leave one remedy for, and never touch a graph without findings."""

from __future__ import annotations

from collections import Counter

import pytest
from seeded_faults import bundled, spoilt_narratives

from tsgkit.graph import ActionGraph, Corruption, Narrative, Vocabulary, check_graph, read
from tsgkit.graph.repairs import EXACT, LESS_SURE, mend, mend_graph

L = Vocabulary(("kettle", "cup", "mug"), ("verb", "dobj", "with", "on"), ("fill", "pour", "pick-up", "put-down"))


def graph(text: str) -> ActionGraph:
    return ActionGraph(line.split(" ") for line in text.split("; "))


GOOD = graph("person verb fill; fill dobj kettle; fill with hand1")


@pytest.mark.parametrize(
    "text",
    [
        "fill verb person; fill dobj kettle; fill with hand1",
        "fill verb person; kettle dobj fill; fill with hand1",
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
def test_findings_with_one_remedy_are_repaired_with_a_reason(text: str) -> None:
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
def test_findings_with_several_remedies_are_reported_unrepaired(text: str) -> None:
    mended = mend(Narrative.of([graph(text)], L))
    assert mended.narrative.graphs == (graph(text),)
    assert mended.undecided


@pytest.mark.parametrize(
    ("text", "vocabulary"),
    [
        ("person verb bush; brush dobj wood; brush with brush", None),
        ("person verb sweep; remaining-dust dobj remaining-dust", None),
        ("person verb clean; brush dobj wood; clean with hand1", None),
        ("person verb fill; pour dobj fill", L),
        ("fill dobj kettle", None),
        ("kettle verb person; fill dobj cup", None),
        ("person verb fill; fill dobj handle", Vocabulary(("candle",), ("verb", "dobj"), ("fill",))),
        ("person verb fill; fill dobj cloth", Vocabulary(("clock",), ("verb", "dobj"), ("fill",))),
        ("person verb fill; fill dobj ground", Vocabulary(("grind",), ("verb", "dobj"), ("fill",))),
    ],
)
def test_a_graph_with_several_remedies_is_left_as_it_is(text: str, vocabulary: Vocabulary | None) -> None:
    assert mend_graph(graph(text), vocabulary) == (graph(text), [])


def test_a_direct_object_of_itself_stays_where_only_its_source_is_wrong() -> None:
    sweep = "person verb sweep; {} dobj remaining-dust; sweep with broom; sweep with hand1"
    mended, changes = mend_graph(graph(sweep.format("remaining-dust")))
    assert mended == graph(sweep.format("sweep"))
    assert [change.code for change in changes] == ["dobj-source"]


def test_a_repair_changes_only_the_name_that_its_finding_names() -> None:
    mended, changes = mend_graph(graph("person verb Fill; Fill dobj Kettle; Fill with hand1"), L)
    assert mended == GOOD
    for change in changes:
        assert change.before is not None and change.after is not None
        replaced = [old for old, new in zip(change.before, change.after, strict=True) if old != new]
        assert len(replaced) == 1 and replaced[0] in change.reason


def test_instances_that_become_one_name_become_one_triplet() -> None:
    mended, _ = mend_graph(graph("person verb fill; fill dobj cup:1; fill dobj cup:2; fill with hand1"), L)
    assert mended.triplets == graph("person verb fill; fill dobj cup; fill with hand1").triplets


def test_a_name_that_l_lists_is_no_slip_of_spelling() -> None:
    odd = Vocabulary(("TV",), ("verb", "dobj"), ("watch",))
    assert mend_graph(graph("person verb watch; watch dobj TV"), odd)[1] == []


def test_without_l_a_name_is_never_moved() -> None:
    assert mend_graph(graph("person verb fill; fill dobj kettel"))[1] == []


def test_no_clean_graph_is_changed_in_any_bundled_narrative() -> None:
    for told in bundled():
        assert mend(told, hands=True).changes == ()


PICK = "person verb pick-up; pick-up dobj {}; pick-up with {}"
DOWN = "person verb put-down; put-down dobj {}; put-down with {}"


def narrative(*texts: str) -> Narrative:
    return Narrative.of([graph(text) for text in texts], L)


def test_a_hand_left_out_is_put_in_only_where_hands_are_asked_for() -> None:
    handless = narrative(
        PICK.format("kettle", "hand1"), "person verb pick-up; pick-up dobj cup", DOWN.format("cup", "hand2")
    )
    assert mend(handless).changes == ()
    [change] = mend(handless, hands=True).changes
    assert (change.graph, change.after, change.by) == (1, ("pick-up", "with", "hand2"), LESS_SURE)
    assert change.sure is not None and f"{100 * change.sure:.0f} % sure" in change.reason


def test_a_hand_is_read_from_what_comes_before_and_after() -> None:
    before, after = PICK.format("kettle", "hand1"), DOWN.format("cup", "hand1")
    opened = "person verb pick-up; pick-up dobj cup"
    for texts, hand in (([opened, after], "hand1"), ([before, opened], "hand2"), ([opened], "hand1")):
        [change] = mend(narrative(*texts), hands=True).changes
        assert change.after == ("pick-up", "with", hand)


def test_a_written_hand_is_changed_only_where_two_rules_agree() -> None:
    first, second = PICK.format("kettle", "hand1"), PICK.format("cup", "hand1")
    [change] = mend(narrative(first, second, DOWN.format("cup", "hand2")), hands=True).changes
    assert (change.graph, change.after, change.by) == (1, ("pick-up", "with", "hand2"), LESS_SURE)
    assert "it holds kettle" in change.reason and "put-down cup with hand2" in change.reason
    assert mend(narrative(first, second), hands=True).changes == ()
    assert mend(narrative(first, DOWN.format("kettle", "hand2")), hands=True).changes == ()


def test_actions_without_hands_get_none() -> None:
    walk = "person verb walk; walk to cup"
    watch = "person verb watch; watch dobj kettle"
    pour = "person verb pour; pour dobj kettle"
    named = [PICK.format("cup", "hand1"), DOWN.format("cup", "hand1")] * 3
    changes = mend(narrative(*named, walk, watch, pour), hands=True).changes
    assert [change.graph for change in changes] == [8]
    assert mend(narrative(walk, watch, pour, pour), hands=True).changes == ()
    assert mend(narrative("grab verb cup; grab dobj kettle", "person verb ; cup on mug"), hands=True).changes == ()


def test_hands_are_repaired_in_narratives_of_any_length() -> None:
    cycle = [PICK.format("kettle", "hand1"), PICK.format("cup", "hand2"), "person verb put-down; put-down dobj cup"]
    long = narrative(*[*cycle, DOWN.format("kettle", "hand1")] * 300)
    changes = mend(long, hands=True).changes
    assert [change.graph for change in changes] == [*range(2, 1200, 4)]
    assert {change.after for change in changes} == {("put-down", "with", "hand2")}


def test_graphs_before_the_start_are_context_alone() -> None:
    slip = graph("fill verb person; fill dobj kettle")
    mended = mend(Narrative.of([slip, slip], L), start=1)
    assert {change.graph for change in mended.changes} == {1}


def test_seeded_faults_are_restored_or_left_and_clean_neighbours_stay() -> None:
    faults, restored, otherwise, misled = Counter[str](), Counter[str](), Counter[str](), 0
    for one in spoilt_narratives():
        surely = mend(one.spoilt)
        for number, (clean, before, after) in enumerate(
            zip(one.clean.graphs, one.spoilt.graphs, surely.narrative.graphs, strict=True)
        ):
            if number not in one.kinds:
                assert after.triplets == before.triplets == clean.triplets
                continue
            faults[one.kinds[number]] += 1
            restored[one.kinds[number]] += after == clean
            otherwise[one.kinds[number]] += after not in (clean, before)
        by_hand = mend(one.spoilt, hands=True)
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
        mended = mend(one.spoilt)
        assert mend(mended.narrative).changes == ()


def test_hostile_names_are_names() -> None:
    [found] = read("person -> verb -> {0.__class__}\n{0.__class__} -> dobj -> ignore the rules").graphs
    assert mend(Narrative.of([found], L)).narrative.graphs
    assert mend(Narrative.of([ActionGraph(), ActionGraph.of(("", "", ""))], L)).undecided
