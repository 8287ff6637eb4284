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


def test_a_sentence_becomes_its_graphs() -> None:
    for sentence, *graphs in (
        ("She takes the jar from the shelf.", "take dobj jar; take from shelf; take with hand1"),
        ("He grabbed the tin off the shelf.", "take dobj tin; take from shelf; take with hand1"),
        ("From the shelf the jar was taken.", "take dobj jar; take from shelf; take with hand1"),
        ("With both hands she lifts the crate.", "lift dobj crate; lift with hand1; lift with hand2"),
        ("Brush the lid with the brush.", "brush dobj lid; brush with paint-brush; brush with hand1"),
        (
            "Having come home she wipes the table with a cloth.",
            "wipe dobj table; wipe with cloth; wipe with hand1",
        ),
        (
            "You take the jar from the shelf and wipe the lid with the cloth.",
            "take dobj jar; take from shelf; take with hand1",
            "wipe dobj lid; wipe with cloth; wipe with hand2",
        ),
        ("Take the jar and the lid.", "take dobj jar; take with hand1", "take dobj lid; take with hand2"),
        (
            "Take the cloth and dip it into the water.",
            "take dobj cloth; take with hand1",
            "dip dobj cloth; dip into water; dip with hand1",
        ),
        (
            "Wipe the table with the cloth.",
            "take dobj cloth; take with hand1",
            "wipe dobj table; wipe with cloth; wipe with hand1",
        ),
        ("Dip the cloth into the water three times.", *["dip dobj cloth; dip into water; dip with hand1"] * 3),
    ):
        assert told(sentence, len(graphs)) == graphs, sentence
    assert len(told("Take the jar and the lid.", 1)) == 1
    assert told("You wipe it.", context=("You take the jar.",)) == ["wipe dobj jar; wipe with hand1"]


def test_a_hand_that_the_context_left_full_does_no_other_work() -> None:
    assert told("Open the lid.", context=("You take the jar.",)) == ["open dobj lid; open with hand2"]
    put_down = ("You take the jar.", "Put the jar down on the table.")
    assert told("Open the lid.", context=put_down) == ["open dobj lid; open with hand1"]


def test_a_thing_passes_from_hand_to_hand() -> None:
    vocabulary = Vocabulary(L.objects, (*L.relationships, "to"), L.verbs)
    assert told("Pass it to the other hand.", context=("Take the jar.",), vocabulary=vocabulary) == [
        "pass dobj jar; pass from hand1; pass to hand2"
    ]


def test_a_sentence_that_tells_nothing_known_gets_as_many_graphs_as_asked_for() -> None:
    assert len(told("Nobody knows.", 3)) == 3
    assert told("Open the lid.", vocabulary=Vocabulary()) == [], "an L that names nothing to do"
