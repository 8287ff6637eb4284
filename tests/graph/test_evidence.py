"""Evidence about graphs: what a sentence, the graphs around and the hands say, and which repairs follow."""

from __future__ import annotations

import pytest
from seeded_faults import bundled, spoilt_narratives

from tsgkit.graph import ActionGraph, Corruption, Description, Narrative, Vocabulary, trace
from tsgkit.graph.evidence import Habits, proposals_for
from tsgkit.graph.evidence.candidates import edits_of
from tsgkit.graph.evidence.features import Story
from tsgkit.graph.evidence.proposals import weighed
from tsgkit.graph.evidence.sentence import read_sentence
from tsgkit.graph.evident_repairs import given_alone, mend_by_evidence
from tsgkit.graph.hand_repairs import MOST_SURE, repair_hands, with_repairs
from tsgkit.graph.hand_shares import POSSIBLE, hand_shares, named_hands, with_hands
from tsgkit.graph.repairs import EXACT, LESS_SURE, PROPOSED
from tsgkit.library.habits import our_habits

L = Vocabulary(
    ("cup", "kettle", "top-shelf", "box", "cloth"),
    ("verb", "dobj", "with", "from", "onto", "out-of"),
    ("take", "fill", "wipe"),
)
TAKE = ActionGraph.of(
    ("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "from", "top-shelf"), ("take", "with", "hand1")
)
SAID = "With one hand she takes the cup from the top shelf."


def story(*graphs: ActionGraph, said: str | None = SAID) -> Narrative:
    return Narrative((Description(said, graphs),), L)


def with_edge(old: tuple[str, str, str], new: tuple[str, str, str] | None) -> ActionGraph:
    return ActionGraph([one for t in TAKE for one in ([t] if tuple(t) != old else [new] if new else [])])


def test_a_sentence_tells_the_prepositions_before_a_name_the_number_of_hands_and_pronouns_behind_a_name() -> None:
    for text, name, labels in (
        ("the cup from the top shelf", "top-shelf", ("from", "the-cup-from", "cup-from")),
        ("she lifts it out of the box", "box", ("of", "lifts-it-out-of", "it-out-of", "out-of", "from")),
        (
            "a handful of beans from the old red box",
            "box",
            ("from", "handful-of-beans-from", "of-beans-from", "beans-from"),
        ),
        ("the cup and the box", "box", ()),
    ):
        assert read_sentence(text, L).before[name] == labels, text
    for text, hands in (
        ("With both hands she fills the kettle.", 2),
        ("He fills the kettle with his free hand.", 1),
        ("One-handed he fills it.", 1),
        ("She lifts it in her two arms.", 2),
        ("He fills the kettle.", 0),
        ("On the other hand, the kettle was full.", 1),
    ):
        assert read_sentence(text, L).hands == hands, text
    assert read_sentence("She takes it, and wipes the cup", L).pronouns == {"take"}


def test_what_the_sentence_contradicts_is_repaired_with_the_reason_and_what_it_bears_out_stays() -> None:
    for spoilt, code in (
        (with_edge(("take", "from", "top-shelf"), ("top-shelf", "from", "take")), "evidence-reversed"),
        (with_edge(("take", "dobj", "cup"), ("take", "dobj", "kettle")), "evidence-mismatched"),
    ):
        mended = mend_by_evidence(story(spoilt))
        assert mended.narrative.graphs == (TAKE,), code
        assert [(change.code, change.by) for change in mended.changes] == [(code, EXACT)], code
        assert mended.changes[0].reason.startswith("the sentence"), code
    mended = mend_by_evidence(story(TAKE), accept=0.5)
    assert (mended.narrative.graphs, mended.changes, mended.proposed) == ((TAKE,), (), ())


def test_proposals_are_made_from_the_probability_that_is_accepted() -> None:
    given = next(one.spoilt for one in spoilt_narratives(seed=3) if one.clean.id == "shelf")
    habits = our_habits("shelf")
    left = mend_by_evidence(given, habits)
    best = max(left.proposed, key=lambda one: one.sure or 0)
    assert {one.by for one in left.proposed} == {PROPOSED} and best.sure is not None and 0.5 < best.sure < 1
    accepted = mend_by_evidence(given, habits, accept=best.sure - 0.001)
    made = [one for one in accepted.changes if one not in left.changes]
    assert [(one.graph, one.before, one.after, one.by) for one in made] == [
        (best.graph, best.before, best.after, LESS_SURE)
    ]
    assert mend_by_evidence(given, habits, accept=best.sure + 0.001).changes == left.changes


def test_of_a_sentence_with_unknown_graphs_nothing_is_taken_for_lacking() -> None:
    said = "She takes the cup from the top shelf and wipes the kettle with the cloth."
    alone = given_alone(TAKE, said, [], L)
    beside = given_alone(TAKE, said, [], L, beside=1)

    def added(narrative: Narrative) -> set[str]:
        edits = edits_of(Story(narrative).situation(0))
        return {edit.after.target for edit in edits if edit.kind == "add" and edit.after} - {"hand1", "hand2"}

    assert "cloth" in added(alone) and "cloth" not in added(beside)
    assert mend_by_evidence(beside).narrative.graphs[0] == TAKE


def test_probabilities_of_all_edits_and_of_none_are_one_and_every_edit_is_a_change_with_places_for_persons() -> None:
    for one in spoilt_narratives(seed=1)[:3]:
        whole = Story(one.spoilt)
        for number, graph in enumerate(one.spoilt.graphs):
            found = weighed(whole.situation(number))
            assert found.kept + sum(sure for sure, _ in found.edits) == pytest.approx(1)
            assert [sure for sure, _ in found.edits] == sorted((sure for sure, _ in found.edits), reverse=True)
            for edit in edits_of(whole.situation(number)):
                assert edit.made(graph).triplets != graph.triplets
                assert edit.after is None or edit.after.edge == "verb" or "person" not in edit.after


def test_habits_count_both_hands_as_one_thing() -> None:
    habits = Habits.of([TAKE, ActionGraph.of(("person", "verb", "take"), ("take", "with", "hand2"))])
    assert habits.count("take", "with", "hand1") == habits.count("take", "with", "hand2") == 2
    assert habits.handed["take", 1] == 2 and habits.nearest("take", "cup", 5, 3) == [0]


def test_of_the_bundled_narratives_most_faults_are_restored_and_clean_graphs_stay() -> None:
    """The weights were fitted to these narratives; eval/bench/fitting_repairs.py measures narratives held out."""
    right, all_, touched = dict.fromkeys(Corruption, 0), dict.fromkeys(Corruption, 0), 0
    for one in spoilt_narratives(seed=50):
        mended = mend_by_evidence(one.spoilt, our_habits(one.clean.id)).narrative.graphs
        for number, (clean, now) in enumerate(zip(one.clean.graphs, mended, strict=True)):
            if number in one.kinds:
                all_[one.kinds[number]] += 1
                right[one.kinds[number]] += now == clean
            else:
                touched += now != clean
    least = {Corruption.REVERSED: 0.9, Corruption.MISMATCHED: 0.6, Corruption.MISSING: 0.45, Corruption.REDUNDANT: 0.4}
    assert touched == 0
    assert all(right[kind] >= share * all_[kind] for kind, share in least.items()), (right, all_)


def test_hostile_names_are_weighed_as_names_and_nothing_more() -> None:
    odd = ActionGraph.of(("person", "verb", "{take}"), ("{take}", "<b>", "\x00"), ("", "dobj", "a" * 5000))
    narrative = Narrative((Description("{take} <b> %s " * 300, (odd, ActionGraph())),), L)
    assert len(mend_by_evidence(narrative, accept=0.5).narrative.graphs) == 2
    assert proposals_for(narrative, 1) is not None
    assert proposals_for(Narrative.of([odd, ActionGraph.of(("", "", ""))], L), 0) is not None


def act(action: str, thing: str, *hands: str) -> ActionGraph:
    return with_hands(ActionGraph.of(("person", "verb", action), (action, "dobj", thing)), hands)


def test_hands_are_put_in_where_the_hand_rule_and_the_neighbours_leave_one_way() -> None:
    cup, lid, knead = act("take", "cup", "hand1"), act("take", "lid"), [act("knead", "dough", "hand1", "hand2")] * 8
    misnamed = ActionGraph.of(("person", "verb", "bush"), ("brush", "dobj", "wood"))
    rows: list[tuple[list[ActionGraph], list[tuple[int, str]]]] = [
        ([cup, lid], [(1, "hand2")]),
        ([act("take", "cup"), act("take", "lid", "hand1"), act("put-down", "cup", "hand2")], [(0, "hand2")]),
        ([*knead, act("knead", "dough"), *knead], [(8, "hand1"), (8, "hand2")]),
        ([cup, misnamed], []),
        ([cup, act("take", "lid", "hand1")], []),
        ([act("take", "cup", "hand2")], []),
        ([cup, act("put-down", "cup", "hand2")], []),
    ]
    for graphs, hands in rows:
        repairs = repair_hands(Narrative.of(graphs))
        assert [(repair.graph, repair.after.target) for repair in repairs] == hands, graphs
    told = (Description(None, (act("take", "cup"),)),)
    for edges, expected in ((("verb", "dobj", "with"), 1), (("verb", "dobj"), 0)):
        assert len(repair_hands(Narrative(told, vocabulary=Vocabulary(("cup",), edges, ("take",))))) == expected


def test_hands_are_not_inferred_across_missing_graphs_and_never_certain() -> None:
    take, later = act("take", "cup"), act("put-down", "cup", "hand2")
    told = Narrative((Description(None, (take,)), Description("Things happen."), Description(None, (later,))))
    [repair] = repair_hands(told)
    assert repair.after.target == "hand1" and named_hands(later) == ("hand2",)
    steps = [act("take", "cup", "hand1"), act("put-down", "cup", "hand1")] * 30
    [repair] = repair_hands(Narrative.of([*steps, take]))
    assert repair.sure == MOST_SURE and "99 % sure" in repair.reason


def test_shares_of_every_open_graph_add_up_to_one() -> None:
    for told in bundled()[:6]:
        every_other = {
            number: {hands: with_hands(graph, hands) for hands in POSSIBLE}
            for number, graph in enumerate(told.graphs)
            if number % 2 and len(graph.actions) == 1
        }
        shares = hand_shares(told, every_other)
        assert shares.keys() == every_other.keys()
        assert all(sum(found.values()) == pytest.approx(1) for found in shares.values())


def test_a_written_hand_that_two_rules_contradict_is_changed_and_both_are_told() -> None:
    told = Narrative.of([act("take", "cup", "hand1"), act("take", "lid", "hand1"), act("put-down", "lid", "hand2")])
    [repair] = repair_hands(told)
    assert (repair.graph, repair.before, repair.after) == (1, ("take", "with", "hand1"), ("take", "with", "hand2"))
    assert "while it holds cup" in repair.reason and "put-down lid with hand2" in repair.reason
    assert not any(step.breaches for step in trace(with_repairs(told, [repair])))
