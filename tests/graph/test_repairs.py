"""Repairs: exact ones where the rules leave one remedy, and hands where the steps around leave one way."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from seeded_faults import bundled, spoilt_narratives

from tsgkit.errors import EditError
from tsgkit.graph import ActionGraph, Corruption, Description, Narrative, Vocabulary, check_graph, corrupt
from tsgkit.graph.hand_repairs import repair_hands, with_hands, with_repairs
from tsgkit.graph.repairs import EXACT, LESS_SURE, mend, mend_graph

L = Vocabulary(("kettle", "cup", "mug"), ("verb", "dobj", "with", "on"), ("fill", "pour", "pick-up", "put-down"))


def graph(text: str) -> ActionGraph:
    return ActionGraph(line.split(" ") for line in text.split("; "))


GOOD = graph("person verb fill; fill dobj kettle; fill with hand1")


def test_findings_with_one_remedy_are_repaired_with_a_reason() -> None:
    rows: list[str] = [
        "fill verb person; fill dobj kettle; fill with hand1",
        "fill verb person; kettle dobj fill; fill with hand1",
        "person verb fill; kettle dobj fill; fill with hand1",
        "person verbs fill; fill dobj kettle; fill with hand1",
        "person verb fill; fill direct_object kettle; fill with hand1",
        "person verb fill; fill dobj kettle; fill with hand1; fill dobj kettle",
        "person verb fill; fill dobj kettel; fill with hand1",
        "person verb fill; fill dobj Kettle; fill with hand_1",
        "person verb fill; fill dobj kettle:1; fill with hand1",
        "person verb fill; fill dobj the_kettle; fill with hand1",
        "person verb fill; filled dobj kettle; fill with hand1",
        "person verb fill; pour dobj kettle; fill with hand1",
        "person verb pour; fill dobj kettle; fill with hand1",
        "fill dobj kettle; fill with hand1",
        "person with fill; fill dobj kettle; fill with hand1",
        *(f"person verb fill; fill dobj kettle; fill with {hand}" for hand in ("hand1x", "hnad1", "hand-1", "Hans1")),
        "person verb fill; fill dobj kettle; hand1 with fill",
        "fill verb person; kettle dobj fill; hand1 with fill",
        "fill dobj kettle; hand1 with fill",
        "person verb fill; fill dobj kettle; hand1 with fill; fill with hand1",
    ]
    for text in rows:
        mended, changes = mend_graph(graph(text), L)
        assert mended == GOOD and not check_graph(mended, L), text
        assert changes and all(change.code and change.reason and change.by == EXACT for change in changes), text


def test_findings_with_several_remedies_are_reported_unrepaired() -> None:
    rows: list[tuple[str, Vocabulary | None]] = [
        ("person verb fill; fill dobj spoon; fill with hand1", L),
        ("person verb fill; fill dobj kettle; pour with hand1", L),
        ("person verb fill; fill dobj kettle; pour dobj cup", L),
        ("person with pour; fill dobj kettle", L),
        ("person verb pour; fill dobj kettle", L),
        ("person verb fill; person verb pour; fill dobj kettle", L),
        ("person verb fill; fill dobj kettle; fill with left_hand", L),
        ("person verb fill; fill dobj kettle; fill with hand3", None),
        ("person verb fill; fill dobj kettle; fill with hand1; fill with hand1x", None),
        ("hand1 on hand2", L),
        ("person verb bush; brush dobj wood; brush with brush", None),
        ("person verb sweep; remaining-dust dobj remaining-dust", None),
        ("person verb clean; brush dobj wood; clean with hand1", None),
        ("person verb fill; pour dobj fill", L),
        ("fill dobj kettle", None),
        ("hand1 dobj kettle", L),
        ("fill dobj kettle; pour on cup", L),
        ("kettle verb person; fill dobj cup", None),
        ("person verb fill; fill dobj handle", Vocabulary(("candle",), ("verb", "dobj"), ("fill",))),
        ("person verb fill; fill dobj cloth", Vocabulary(("clock",), ("verb", "dobj"), ("fill",))),
        ("person verb fill; fill dobj ground", Vocabulary(("grind",), ("verb", "dobj"), ("fill",))),
    ]
    for text, vocabulary in rows:
        mended = mend(Narrative.of([graph(text)], vocabulary))
        assert (mended.narrative.graphs, mended.changes) == ((graph(text),), ()), text
        assert mended.undecided, text


def test_only_what_is_wrong_is_mended_and_a_hand_put_in_only_where_hands_are_asked_for() -> None:
    sweep = "person verb sweep; {} dobj remaining-dust; sweep with broom; sweep with hand1"
    mended, changes = mend_graph(graph(sweep.format("remaining-dust")))
    assert (mended, [change.code for change in changes]) == (graph(sweep.format("sweep")), ["dobj-source"])
    mended, _ = mend_graph(graph("person verb fill; fill dobj cup:1; fill dobj cup:2; fill with hand1"), L)
    assert mended.triplets == graph("person verb fill; fill dobj cup; fill with hand1").triplets
    slip = graph("fill verb person; fill dobj kettle")
    assert {change.graph for change in mend(Narrative.of([slip, slip], L), start=1).changes} == {1}
    bare = "person verb pick-up; pick-up dobj cup"
    handless = narrative(PICK.format("kettle", "hand1"), bare, DOWN.format("cup", "hand2"))
    assert mend(handless).changes == ()
    [change] = mend(handless, hands=True).changes
    assert (change.graph, change.after, change.by) == (1, ("pick-up", "with", "hand2"), LESS_SURE)
    assert change.code == "hand-unstated" and change.sure is not None and 0.9 < change.sure < 1
    assert mend(narrative("grab verb cup; grab dobj kettle", "person verb ; cup on mug"), hands=True).changes == ()


PICK = "person verb pick-up; pick-up dobj {}; pick-up with {}"
DOWN = "person verb put-down; put-down dobj {}; put-down with {}"


def narrative(*texts: str) -> Narrative:
    return Narrative.of([graph(text) for text in texts], L)


def test_seeded_faults_are_restored_or_left_and_clean_neighbours_stay() -> None:
    faults, restored, otherwise = Counter[str](), Counter[str](), Counter[str]()
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
    assert faults.total() > 90
    for kind, share in {Corruption.REVERSED: 0.3, Corruption.MISMATCHED: 0.15, Corruption.MISSING: 0.15}.items():
        assert restored[kind] >= share * faults[kind], kind
    assert otherwise.total() <= 0.02 * faults.total()


NODES = "person brush bush wood cloth clock kettel kettle Kettle cup:1 cup fill filled pour hand1 hand_2 wood_piece"
NAMES = st.sampled_from([*NODES.split(), "remaining-dust", "sweep", ""])
LABELS = st.sampled_from(["verb", "verbs", "dobj", "direct object", "with", "on", "With"])
MADE_UP = st.lists(st.tuples(NAMES, LABELS, NAMES), max_size=7).map(ActionGraph)
MADE_UP_L = Vocabulary(
    ("kettle", "cup", "brush", "wood", "clock", "remaining-dust", "wood-piece"),
    ("verb", "dobj", "with", "on"),
    ("fill", "pour", "brush", "sweep"),
)
NARRATIVES = bundled()


@st.composite
def spoilt_graphs(draw: st.DrawFn) -> tuple[ActionGraph, Vocabulary]:
    """Return a bundled graph spoilt one to three times."""
    narrative = draw(st.sampled_from(NARRATIVES))
    assert narrative.vocabulary is not None
    graph = draw(st.sampled_from(narrative.graphs))
    for seed in draw(st.lists(st.integers(0, 999), min_size=1, max_size=3)):
        try:
            graph = corrupt(graph, draw(st.sampled_from(Corruption)), narrative.vocabulary, seed=seed).graph
        except EditError:
            continue
    return graph, narrative.vocabulary


def mended_as_promised(graph: ActionGraph, vocabulary: Vocabulary | None) -> ActionGraph:
    """Mend one graph, and hold the repairs to what exact repairs promise."""
    mended, changes = mend_graph(graph, vocabulary)
    before, after = check_graph(graph, vocabulary), check_graph(mended, vocabulary)
    if not changes:
        assert mended.triplets == graph.triplets
        return mended
    assert {change.by for change in changes} == {EXACT}
    assert len(after) < len(before)
    assert not Counter(one.code for one in after) - Counter(one.code for one in before)
    named = {name for finding in before for name in finding.elements}
    for change in changes:
        named |= {name for name in change.before or () if name in re.findall(r"[^\s,:;()]+", change.reason)}
    gone = {*graph.elements} - {*mended.elements}
    assert gone <= named, f"{gone - named} vanished, and no finding names them, then or at an earlier step"
    for change in changes:
        if change.before is not None and change.after not in (None, change.before.reversed):
            assert change.after is not None
            replaced = {old for old, new in zip(change.before, change.after, strict=True) if old != new}
            assert all(name in change.reason for name in replaced), f"{change}: {change.reason}"
    return mended


@given(graph=MADE_UP, vocabulary=st.sampled_from([None, MADE_UP_L]), case=spoilt_graphs(), is_known=st.booleans())
def test_repairs_of_made_up_and_spoilt_graphs_keep_what_exact_repairs_promise(
    graph: ActionGraph, vocabulary: Vocabulary | None, case: tuple[ActionGraph, Vocabulary], is_known: bool
) -> None:
    for one, known in ((graph, vocabulary), (case[0], case[1] if is_known else None)):
        assert mend_graph(mended_as_promised(one, known), known)[1] == []


def act(action: str, thing: str, *hands: str) -> ActionGraph:
    return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)


def test_missing_hands_are_added_where_two_pieces_of_evidence_agree_and_the_action_surely_uses_one() -> None:
    cup, lid, down = act("take", "cup", "hand1"), act("take", "lid"), act("put-down", "lid", "hand2")
    knead = [act("knead", "dough", "hand1", "hand2")] * 8
    ball = [act("take", "ball", "hand1"), act("throw", "ball", "hand1")] * 2
    rows: list[tuple[list[ActionGraph], list[tuple[int, str]]]] = [
        ([cup, lid, down], [(1, "hand2")]),
        ([act("take", "cup"), act("take", "lid", "hand1"), act("put-down", "cup", "hand2")], []),
        ([*knead, act("knead", "dough"), *knead], [(8, "hand1"), (8, "hand2")]),
        ([*ball, act("throw", "ball"), *ball], [(4, "hand1")]),
        *(([*ball, act(action, "ball"), *ball], []) for action in ("kick", "bite", "look-at", "squeeze", "pump-up")),
        ([*ball, with_hands(act("throw", "ball"), ("foot",)), *ball], []),
        ([*ball, *[act("throw", "ball")] * 3, *ball], []),
        ([cup, lid], []),
        ([cup, lid, act("take", "lid", "hand1")], []),
        ([cup, ActionGraph.of(("person", "verb", "bush"), ("brush", "dobj", "wood"))], []),
        ([act("take", "cup", "hand1"), act("take", "lid", "hand1"), down], []),
    ]
    for graphs, hands in rows:
        told = Narrative.of(graphs)
        repairs = repair_hands(told)
        assert [(repair.graph, repair.after.target) for repair in repairs] == hands, graphs
        assert all(0.9 <= repair.sure < 1 and repair.after.target in repair.reason for repair in repairs), graphs
        for before, after in zip(graphs, with_repairs(told, repairs).graphs, strict=True):
            assert after.triplets[: len(before.triplets)] == before.triplets, graphs
    for text, edges, expected in (
        ("", "with", 1), ("", "on", 0), ("With her foot she takes the lid.", "with", 0), ("The football.", "with", 1),
    ):  # fmt: skip
        told = Narrative(tuple(Description(text, (one,)) for one in (cup, lid, down)), Vocabulary((), (edges,), ()))
        assert len(repair_hands(told)) == expected, (text, edges)
