"""Hands that are left out are put in with a share; written ones stay unless two rules contradict them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from seeded_faults import bundled

from tsgkit.graph import ActionGraph, Description, Narrative, Vocabulary, trace
from tsgkit.graph.hand_repairs import MOST_SURE, repair_hands, with_repairs
from tsgkit.graph.hand_shares import POSSIBLE, hand_shares, named_hands, with_hands
from tsgkit.library.documents.reader import read_file

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")


def act(action: str, thing: str, *hands: str) -> ActionGraph:
    return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)


def put_in(*graphs: ActionGraph) -> list[tuple[int, str]]:
    return [(repair.graph, repair.after.target) for repair in repair_hands(Narrative.of(graphs))]


def test_a_second_thing_goes_to_the_free_hand() -> None:
    assert put_in(act("take", "cup", "hand1"), act("take", "lid")) == [(1, "hand2")]


def test_a_hand_is_known_by_what_is_let_go_later() -> None:
    assert put_in(act("take", "cup"), act("take", "lid", "hand1"), act("put-down", "cup", "hand2")) == [(0, "hand2")]


def test_neighbours_with_both_hands_imply_both_hands() -> None:
    kneading = [act("knead", "dough", "hand1", "hand2")] * 8
    assert put_in(*kneading, act("knead", "dough"), *kneading) == [(8, "hand1"), (8, "hand2")]


def test_an_action_that_is_misnamed_is_given_no_hand() -> None:
    misnamed = ActionGraph.of(("person", "verb", "bush"), ("brush", "dobj", "wood"))
    assert put_in(act("take", "cup", "hand1"), misnamed) == []


def test_no_hand_is_put_in_where_the_vocabulary_has_no_edge_for_it() -> None:
    told = (Description(None, (act("take", "cup"),)),)
    for edges, expected in ((("verb", "dobj", "with"), 1), (("verb", "dobj"), 0)):
        assert len(repair_hands(Narrative(told, vocabulary=Vocabulary(("cup",), edges, ("take",))))) == expected


def test_hands_are_not_inferred_across_missing_graphs() -> None:
    take, later = act("take", "cup"), act("put-down", "cup", "hand2")
    told = Narrative((Description(None, (take,)), Description("Things happen."), Description(None, (later,))))
    [repair] = repair_hands(told)
    assert repair.after.target == "hand1" and named_hands(later) == ("hand2",)


def test_shares_of_every_open_graph_add_up_to_one() -> None:
    for told in bundled()[:6]:
        bare = [ActionGraph(one for one in graph if one.target not in ("hand1", "hand2")) for graph in told.graphs]
        every_other = {
            number: {hands: with_hands(graph, hands) for hands in POSSIBLE}
            for number, graph in enumerate(bare)
            if number % 2 and len(graph.actions) == 1
        }
        shares = hand_shares(told, every_other)
        assert shares.keys() == every_other.keys()
        assert all(sum(found.values()) == pytest.approx(1) for found in shares.values())


def test_repairs_of_hands_are_never_certain() -> None:
    take = [act("take", "cup", "hand1"), act("put-down", "cup", "hand1")] * 30
    [repair] = repair_hands(Narrative.of([*take, act("take", "cup")]))
    assert repair.sure == MOST_SURE and "99 % sure" in repair.reason


def test_a_written_hand_that_one_rule_contradicts_stays() -> None:
    assert put_in(act("take", "cup", "hand1"), act("take", "lid", "hand1")) == []
    assert put_in(act("take", "cup", "hand2")) == []
    assert put_in(act("take", "cup", "hand1"), act("put-down", "cup", "hand2")) == []


def test_a_written_hand_that_two_rules_contradict_is_changed_and_both_are_told() -> None:
    told = Narrative.of([act("take", "cup", "hand1"), act("take", "lid", "hand1"), act("put-down", "lid", "hand2")])
    [repair] = repair_hands(told)
    assert (repair.graph, repair.before, repair.after) == (1, ("take", "with", "hand1"), ("take", "with", "hand2"))
    assert "while it holds cup" in repair.reason and "put-down lid with hand2" in repair.reason
    assert not any(step.breaches for step in trace(with_repairs(told, [repair])))


def test_graphs_before_the_start_are_evidence_alone() -> None:
    told = Narrative.of([act("take", "cup", "hand1"), act("take", "lid"), act("take", "jug")])
    assert {repair.graph for repair in repair_hands(told, start=2)} == {2}


@pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
@pytest.mark.parametrize("name", ["tsg_sgqa_sample.jsonl", "tsg_sgds_sample.jsonl", "easg_sample.json"])
def test_no_written_hand_of_published_rows_is_changed(name: str) -> None:
    for entry in read_file(Path(FOLDER, name)).entries:
        assert [repair for repair in repair_hands(entry.narrative) if repair.before is not None] == []
