"""Writing graphs of what a sentence tells."""

from __future__ import annotations

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.items import GenerationSample

L = Vocabulary(
    ("person", "hand1", "hand2", "jar", "lid", "shelf", "paint-brush", "tin", "table", "cloth", "crate", "water"),
    ("verb", "dobj", "with", "from", "on", "into"),
    ("take", "open", "put-down", "wipe", "dip", "lift", "brush", "pass"),
)


def told(sentence: str, k: int = 1, context: tuple[str, ...] = (), vocabulary: Vocabulary = L) -> list[str]:
    sample = GenerationSample(
        item_id="0",
        cluster="",
        context=context,
        sentence=sentence,
        vocabulary=vocabulary,
        references=(ActionGraph(),) * k,
    )
    return ["; ".join(f"{a} {b} {c}" for a, b, c in graph if a != "person") for graph in generate(sample)]


def test_a_plain_sentence_becomes_its_graph() -> None:
    assert told("She takes the jar from the shelf.") == ["take dobj jar; take from shelf; take with hand1"]


def test_a_synonym_and_a_near_preposition_are_linked_to_l() -> None:
    assert told("He grabbed the tin off the shelf.") == ["take dobj tin; take from shelf; take with hand1"]


def test_each_verb_has_the_things_of_its_own_clause() -> None:
    assert told("You take the jar from the shelf and wipe the lid with the cloth.", 2) == [
        "take dobj jar; take from shelf; take with hand1",
        "wipe dobj lid; wipe with cloth; wipe with hand2",
    ]


def test_a_passive_and_a_fronted_place_belong_to_the_verb_behind_them() -> None:
    assert told("From the shelf the jar was taken.") == ["take dobj jar; take from shelf; take with hand1"]


def test_a_pronoun_means_what_was_spoken_of_last() -> None:
    assert told("Take the cloth and dip it into the water.", 2)[1] == "dip dobj cloth; dip into water; dip with hand1"
    assert told("You wipe it.", context=("You take the jar.",)) == ["wipe dobj jar; wipe with hand1"]


def test_a_hand_that_the_context_left_full_does_no_other_work() -> None:
    assert told("Open the lid.", context=("You take the jar.",)) == ["open dobj lid; open with hand2"]
    put_down = ("You take the jar.", "Put the jar down on the table.")
    assert told("Open the lid.", context=put_down) == ["open dobj lid; open with hand1"]


def test_both_hands_are_drawn_where_they_are_told() -> None:
    assert told("With both hands she lifts the crate.") == ["lift dobj crate; lift with hand1; lift with hand2"]


def test_a_word_that_is_action_and_thing_is_told_apart_by_its_place() -> None:
    assert told("Brush the lid with the brush.") == ["brush dobj lid; brush with paint-brush; brush with hand1"]


def test_a_thing_passes_from_hand_to_hand() -> None:
    vocabulary = Vocabulary(L.objects, (*L.relationships, "to"), L.verbs)
    assert told("Pass it to the other hand.", context=("Take the jar.",), vocabulary=vocabulary) == [
        "pass dobj jar; pass from hand1; pass to hand2"
    ]


def test_two_things_are_two_graphs_where_two_are_asked_for() -> None:
    assert told("Take the jar and the lid.", 2) == ["take dobj jar; take with hand1", "take dobj lid; take with hand2"]
    assert len(told("Take the jar and the lid.", 1)) == 1


def test_repeats_are_counted() -> None:
    graphs = told("Dip the cloth into the water three times.", 3)
    assert len(set(graphs)) == 1
    assert len(graphs) == 3


def test_a_tool_is_taken_before_it_is_used_where_there_is_room() -> None:
    assert told("Wipe the table with the cloth.", 2) == [
        "take dobj cloth; take with hand1",
        "wipe dobj table; wipe with cloth; wipe with hand1",
    ]


def test_the_least_sure_verb_goes_where_there_are_too_many() -> None:
    assert told("Having come home she wipes the table with a cloth.") == [
        "wipe dobj table; wipe with cloth; wipe with hand1"
    ]


def test_a_sentence_that_tells_nothing_known_gets_as_many_graphs_as_asked_for() -> None:
    assert len(told("Nobody knows.", 3)) == 3


def test_an_l_that_names_nothing_to_do_gets_no_graph() -> None:
    assert told("Open the lid.", vocabulary=Vocabulary()) == []
