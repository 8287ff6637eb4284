"""Baselines of derived tasks answer in a form that is read, use what is given and never what is asked."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from shipped import DATA
from tsg_tasks import BASELINES, DERIVATIONS, judge, samples_of

from tsgkit.graph import ActionGraph, Triplet, Vocabulary
from tsgkit.library.documents.reader import read_file
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg.baselines.graph_repair import mended
from tsgkit.suites.tsg.baselines.partial_graphs import action_of, actions, joined, nodes
from tsgkit.suites.tsg.items import (
    ActionsSample,
    AnySample,
    DerivedSample,
    EdgesSample,
    GenerationSample,
    NodesSample,
    RefineSample,
)

L = Vocabulary(
    ("person", "hand1", "hand2", "lid", "pan", "cloth", "brush"),
    ("verb", "dobj", "with", "off", "from"),
    ("take", "wipe", "put", "brush"),
)
TAKE = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "lid"), ("take", "off", "pan"))


@cache
def bundled(task: str) -> tuple[AnySample, ...]:
    return samples_of(read_file(DATA / f"{DERIVATIONS[task].sources[0]}.jsonl"), task)[:36]


def source(sentence: str, *references: ActionGraph) -> GenerationSample:
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence=sentence, vocabulary=L, references=references or (TAKE,)
    )


def blind(sample: AnySample) -> AnySample:
    """Return the sample with another answer than its own, and everything that is given as it was."""
    assert isinstance(sample, DerivedSample)
    other = ActionGraph([Triplet("person", "verb", "vanish")])
    hidden = replace(sample.source, references=(other,) * sample.source.k)
    if isinstance(sample, NodesSample):
        return replace(sample, source=hidden, nodes=("nothing",))
    if isinstance(sample, ActionsSample):
        return replace(sample, source=replace(hidden, references=(other,)), actions=("vanish",))
    if isinstance(sample, RefineSample):
        return replace(sample, source=hidden, changes=(), kinds=(), error="")
    return replace(sample, source=hidden)


def test_every_answer_is_read_and_nothing_that_is_asked_is_used_and_rules_beat_chance() -> None:
    for task in DERIVATIONS:
        means = {}
        for name, baseline in BASELINES.items():
            total = 0.0
            for sample in bundled(task):
                reply = baseline(sample, 3)
                assert baseline(blind(sample), 3) == reply, (name, sample.item_id)
                found = judge(sample, Reply(reply))
                assert found.outcome is Outcome.ANSWERED, (name, sample.item_id)
                total += found.scores["strict"]["f1"].value or 0
            means[name] = total / len(bundled(task))
        assert means["rules"] > means["random"] + 0.1, task


def test_hands_are_named_only_where_a_with_is_given() -> None:
    told = source("Take the lid off the pan.")
    common = {"item_id": "0", "cluster": "", "source": told}
    without = NodesSample(**common, labels=(("verb", "dobj", "off"),), nodes=())  # type: ignore[arg-type]
    assert nodes(without) == ["person", "lid", "pan"]
    assert "hand1" in nodes(replace(without, labels=(("verb", "dobj", "off", "with"),)))


def test_given_nodes_are_joined_by_what_the_sentence_says_of_them_or_by_usual_edges() -> None:
    asked: tuple[str, ...] = ("person", "hand1", "lid", "pan", "take")
    sample = EdgesSample(item_id="0", cluster="", source=source("Take the lid off the pan."), nodes=(asked,))
    assert joined(sample) == [ActionGraph([*TAKE, ("take", "with", "hand1")])]
    asked = ("person", "cloth", "hand2", "wipe")
    (graph,) = joined(EdgesSample(item_id="0", cluster="", source=source("So it goes."), nodes=(asked,)))
    assert set(graph) == {("person", "verb", "wipe"), ("wipe", "dobj", "cloth"), ("wipe", "with", "hand2")}


def test_the_action_is_the_node_that_is_nothing_but_a_verb() -> None:
    assert action_of(("person", "brush", "wipe", "lid"), L) == "wipe"
    assert action_of(("person", "brush", "lid"), L) == "brush"
    assert action_of(("person",), L) == "person"


def test_actions_are_told_in_order_and_as_often_as_they_are_counted() -> None:
    for sentence, expected in (
        ("Take the lid and wipe the pan.", ["take", "wipe"]),
        ("Wipe the pan three times.", ["wipe", "wipe", "wipe"]),
        ("Take the cloth, then wipe the pan twice.", ["take", "wipe", "wipe"]),
    ):
        sample = ActionsSample(item_id="0", cluster="", source=source(sentence), nodes=(), labels=(), actions=())
        assert actions(sample) == expected


def test_a_clean_graph_is_left_alone() -> None:
    assert mended(TAKE, L).triplets == TAKE.triplets
    for sample in samples_of(read_file(DATA / "sa-sgg.jsonl"), "sa-sgg"):
        assert isinstance(sample, GenerationSample)
        assert mended(sample.references[0], sample.vocabulary) == sample.references[0]


def test_a_triplet_that_breaks_the_schema_is_turned_round_and_a_missing_person_added() -> None:
    for place in (0, 1):  # a preposition may be read both ways, so no rule sees it
        triplets = list(TAKE)
        triplets[place] = triplets[place].reversed
        assert mended(ActionGraph(triplets), L) == TAKE
    assert mended(ActionGraph(TAKE.triplets[1:]), L) == TAKE
