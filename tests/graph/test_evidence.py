"""Evidence about graphs: what a sentence and the graphs around say of an edit, and which repairs follow."""

from __future__ import annotations

import pytest
from seeded_faults import bundled, spoilt_narratives

from tsgkit.graph import ActionGraph, Corruption, Description, Narrative, Vocabulary
from tsgkit.graph.evidence import Habits, proposals_for
from tsgkit.graph.evidence.candidates import edits_of
from tsgkit.graph.evidence.features import Story
from tsgkit.graph.evidence.proposals import weighed
from tsgkit.graph.evidence.sentence import read_sentence
from tsgkit.graph.evident_repairs import given_alone, mend_by_evidence
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


@pytest.mark.parametrize(
    ("text", "name", "labels"),
    [
        ("the cup from the top shelf", "top-shelf", {"from"}),
        ("she lifts it out of the box", "box", {"of", "out-of", "from"}),
        ("a handful of beans from the old red box", "box", {"from"}),
        ("the cup and the box", "box", set()),
    ],
)
def test_a_sentence_tells_the_prepositions_before_a_name(text: str, name: str, labels: set[str]) -> None:
    assert labels <= set(read_sentence(text, L).before[name])
    assert bool(labels) == bool(read_sentence(text, L).before[name])


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("With both hands she fills the kettle.", 2),
        ("He fills the kettle with his free hand.", 1),
        ("One-handed he fills it.", 1),
        ("She lifts it in her two arms.", 2),
        ("He fills the kettle.", 0),
        ("On the other hand, the kettle was full.", 1),
    ],
)
def test_a_sentence_tells_the_number_of_hands(text: str, hands: int) -> None:
    assert read_sentence(text, L).hands == hands


@pytest.mark.parametrize(
    ("spoilt", "code"),
    [
        (with_edge(("take", "from", "top-shelf"), ("top-shelf", "from", "take")), "evidence-reversed"),
        (with_edge(("take", "dobj", "cup"), ("take", "dobj", "kettle")), "evidence-mismatched"),
    ],
    ids=["reversed", "mismatched"],
)
def test_what_the_sentence_contradicts_is_repaired_with_the_reason(spoilt: ActionGraph, code: str) -> None:
    mended = mend_by_evidence(story(spoilt))
    assert mended.narrative.graphs == (TAKE,)
    assert [(change.code, change.by) for change in mended.changes] == [(code, EXACT)]
    assert mended.changes[0].reason.startswith("the sentence")


def test_a_graph_that_the_sentence_bears_out_is_not_changed() -> None:
    mended = mend_by_evidence(story(TAKE), accept=0.5)
    assert mended.narrative.graphs == (TAKE,) and mended.changes == () == mended.proposed


def test_without_a_sentence_and_others_nothing_is_known_and_nothing_changed() -> None:
    wrong = with_edge(("take", "dobj", "cup"), ("take", "dobj", "kettle"))
    mended = mend_by_evidence(story(wrong, said=None))
    assert mended.narrative.graphs == (wrong,) and mended.changes == ()


def test_a_likely_repair_is_proposed_until_a_caller_accepts_it() -> None:
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


def test_probabilities_of_all_edits_and_of_none_are_one() -> None:
    for one in spoilt_narratives(seed=1)[:3]:
        whole = Story(one.spoilt)
        for number in range(len(one.spoilt.graphs)):
            found = weighed(whole.situation(number))
            assert found.kept + sum(sure for sure, _ in found.edits) == pytest.approx(1)
            assert [sure for sure, _ in found.edits] == sorted((sure for sure, _ in found.edits), reverse=True)


def test_every_edit_is_a_change_and_gives_a_person_and_objects_their_places() -> None:
    for one in spoilt_narratives(seed=2)[:4]:
        whole = Story(one.spoilt)
        for number, graph in enumerate(one.spoilt.graphs):
            for edit in edits_of(whole.situation(number)):
                assert edit.made(graph).triplets != graph.triplets
                assert edit.after is None or edit.after.edge == "verb" or "person" not in edit.after


def test_a_narrative_is_no_evidence_about_itself() -> None:
    [first, *_] = bundled()
    assert our_habits(first.id).graphs == our_habits().graphs - len(first.graphs)


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
