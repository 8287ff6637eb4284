"""Groups computed from a sentence: implicit actions, repetition, descriptiveness."""

from __future__ import annotations

import pytest
from tsg_tasks import task

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.suites.tsg.groups import BINS, bin_of, groups_of, in_order, no_group, repeats, words_per_edge
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample


def sample(sentence: str, *actions: str) -> GenerationSample:
    graphs = tuple(ActionGraph.of(("person", "verb", action), (action, "dobj", "cup")) for action in actions)
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence=sentence, vocabulary=Vocabulary(), references=graphs
    )


def test_a_sentence_is_explicit_where_it_mentions_every_action_in_some_form() -> None:
    for sentence, actions, name in (
        ("She washes the cup and dried it.", ("wash", "dry"), "explicit"),
        ("She washes the cup.", ("wash", "dry"), "implicit"),
        ("She takes the big cup off.", ("take-off",), "explicit"),
        ("She takes the cup.", ("take-off",), "implicit"),
        ("He wrung it, then he wrung it.", ("wring", "wring"), "explicit"),
    ):
        assert groups_of(sample(sentence, *actions), "implicit") == (name,), sentence


def test_repetition_is_told_by_cue_words_alone() -> None:
    repeated = (
        "Stir it three times.|Repeat that.|She repeated it.|Again!|Tap it twice|Turn it 2 times|Shake 12.|Fold SEVEN."
    )
    single = "Sometimes stir.|Stir it once.|Use one hand.|Against the wall.|1, 01, 0||²"
    for texts, is_repeated in ((repeated, True), (single, False)):
        for text in texts.split("|"):
            assert repeats(text) is is_repeated, text
            assert groups_of(sample(text, "tap"), "repetition") == ("repetition" if is_repeated else "no repetition",)


def test_descriptiveness_is_words_for_each_edge() -> None:
    assert words_per_edge(sample("She dries the big tea-towel.", "dry")) == 5 / 2
    assert words_per_edge(sample("She dries the big tea-towel.", "dry", "lift")) == 5 / 4
    assert groups_of(sample("She dries it off now.", "dry"), "descriptiveness") == ("2 to 3",)
    names = {0.99: "under 1", 1.0: "1 to 2", 1.99: "1 to 2", 4.99: "4 to 5", 5.0: "5 and more", 99.0: "5 and more"}
    assert {ratio: bin_of(ratio) for ratio in names} == names, "a step holds its lower end"


def test_groups_stand_in_their_order_and_tasks_without_a_sentence_have_none_of_sentences() -> None:
    assert in_order(reversed(BINS), "descriptiveness") == list(BINS)
    assert in_order(["10", "9", "x", "٣"], "k") == ["9", "10", "x", "٣"]
    question = QuestionSample(item_id="q", cluster="", graphs=(), question="?", answer="cup", groups={"k": ("3",)})
    assert groups_of(question, "k") == ("3",)
    with pytest.raises(UsageError, match="item q: cannot be grouped by implicit"):
        groups_of(question, "implicit")
    assert "repetition" in task("ma-sgg").groups and "repetition" not in task("sgqa").groups
    error = no_group("repetition", ["sgqa", "sgds"])
    assert error.message == "tsg/sgqa, tsg/sgds: cannot be grouped by repetition"
    error = no_group("implict", ["ma-sgg"])
    assert (error.message, error.hint) == ("there is no group implict", "implicit?")
