"""Sentences by patterns: they say every node, in order, and are the same for the same lot."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Literal

import pytest
from shipped import DATA

from tsgkit.graph.model import HANDS, PERSON, ActionGraph
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, can_be_implicit, can_be_written, word, write

HANDS_SAID: tuple[Literal["named", "counted", "unsaid"], ...] = ("named", "counted", "unsaid")
TAKE = ActionGraph.of(
    ("person", "verb", "take"), ("take", "dobj", "hex-key"), ("take", "off", "bench"), ("take", "with", "hand1")
)
TURN = ActionGraph.of(
    ("person", "verb", "turn"), ("turn", "dobj", "bolt"), ("bolt", "on", "brake"), ("turn", "with", "hex-key"),
    ("turn", "with", "hand1"), ("turn", "with", "hand2"),
)  # fmt: skip
WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "scissors"), ("wash", "in", "sink"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "dobj", "hex-key"), ("dry", "with", "hand1"))


@pytest.mark.parametrize(
    ("graph", "manner", "text"),
    [
        (TAKE, Manner("imperative"), "Take the hex key off the bench with one hand."),
        (TAKE, Manner("present", "named"), "She takes the hex key off the bench with hand1."),
        (TAKE, Manner("future", "unsaid"), "She will take the hex key off the bench."),
        (TAKE, Manner("passive", is_bare=True), "Hex key is taken off bench."),
        (TAKE, Manner("present", is_denied=True), "She does not take the hex key off the bench with one hand."),
        (
            TAKE,
            Manner("imperative", "unsaid", contrast=("bench", "shelf")),
            "Take the hex key off the bench, not the shelf.",
        ),
        (TURN, Manner("imperative"), "Turn the bolt on the brake with the hex key using both hands."),
        (WASH, Manner("passive"), "The scissors are washed in the sink."),
    ],
)
def test_a_graph_is_worded_plainly(graph: ActionGraph, manner: Manner, text: str) -> None:
    assert word(graph, manner).text == text


def test_equal_actions_in_a_row_are_counted() -> None:
    sentence = write([WASH, WASH, WASH], Manner(), Random(1))
    assert sentence.text == "Wash the scissors in the sink three times." and sentence.tags == ("repetition",)


def test_a_grasp_may_go_without_saying() -> None:
    assert can_be_implicit([TAKE, DRY]) and not can_be_implicit([TAKE, TURN]) and not can_be_implicit([WASH])
    sentence = write([TAKE, DRY], Manner("imperative", is_implicit=True), Random(1))
    assert sentence.text == "Dry the hex key from the bench with one hand."
    assert sentence.implied == ("take",) and sentence.tags == ("implicit",)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("person", "verb", "take")], "nothing but an action"),
        ([("person", "verb", "take"), ("take", "dobj", "cup/lid")], "no plain word"),
        ([("person", "verb", "take"), ("take", "dobj", "cup"), ("lid", "on", "jar")], "nothing leads to"),
        ([("person", "verb", "take"), ("take", "manner", "cup")], "no preposition"),
        ([("person", "verb", "take"), ("person", "verb", "put"), ("put", "dobj", "cup")], "several"),
    ],
)
def test_what_cannot_be_worded_has_a_reason(rows: list[tuple[str, str, str]], reason: str) -> None:
    assert reason in can_be_written(ActionGraph.of(*rows)) and word(ActionGraph.of(*rows), Manner()).text == ""


def our_groups() -> Iterator[list[ActionGraph]]:
    for entry in read_file(DATA / "narratives.jsonl").entries:
        graphs = [graph for graph in entry.narrative.graphs if not can_be_written(graph)]
        yield from (graphs[start : start + 1 + start % 4] for start in range(0, len(graphs) - 4, 3))


def test_every_node_is_said_or_implied_by_words_of_the_text() -> None:
    for number, group in enumerate(our_groups()):
        choice = Random(number)
        hands = choice.choice(HANDS_SAID)
        manner = Manner(choice.choice(STYLES), hands, is_bare=number % 9 == 0, is_implicit=number % 5 == 0)
        sentence = write(group, manner, choice)
        nodes = {name for graph in group for t in graph for name in (t.source, t.target)} - {PERSON}
        assert nodes == {*sentence.said, *sentence.implied} and not {*sentence.said} & {*sentence.implied}
        assert all(words in sentence.text for phrases in sentence.said.values() for words in phrases)
        assert set(sentence.implied) <= {*HANDS} | {graph.actions[0] for graph in group}
        assert sentence.text[0].isupper() and sentence.text.endswith(".") and "  " not in sentence.text


def test_the_same_lot_writes_the_same_text_and_others_differ() -> None:
    group = [*next(our_groups())[:1], DRY, WASH, TURN]
    texts = {write(group, Manner("present"), Random(seed)).text for seed in range(8)}
    assert write(group, Manner("present"), Random(3)) == write(group, Manner("present"), Random(3)) and len(texts) > 2
