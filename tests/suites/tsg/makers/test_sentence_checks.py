"""Checks of sentences against their graphs: wrong ones are caught, right ones pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from shipped import DATA
from spoilt_sentences import edited, spoilt
from told_sentences import told_sentences

from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.graph.rules import ERROR
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.sentence_checks import RULES, Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, Manner, can_be_written, write
from tsgkit.suites.tsg.makers.sentences import Sentence

Triplets = list[tuple[str, str, str]]
TAKE = [("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"), ("take", "with", "hand1")]
WIPE = [("person", "verb", "wipe"), ("wipe", "dobj", "bowl"), ("wipe", "with", "towel"), ("wipe", "with", "hand1")]
FOLD = [("person", "verb", "fold"), ("fold", "dobj", "towel"), ("fold", "with", "hand1"), ("fold", "with", "hand2")]
L = Vocabulary(
    ("person", "hand1", "hand2", "towel", "bowl", "cup", "shelf", "jar"),
    ("verb", "dobj", "with", "off", "on", "under"),
    ("take", "wipe", "fold", "rinse", "drop"),
)
AROUND = Surroundings(L)
SAID = {"take": ("take",), "towel": ("towel",), "bowl": ("bowl",)}


def codes(text: str, graphs: list[Triplets], said: Mapping[str, tuple[str, ...]], *implied: str) -> list[str]:
    found = check_sentence(Sentence(text, said, implied), [ActionGraph.of(*graph) for graph in graphs], AROUND)
    assert all(finding.severity == ERROR and finding.message for finding in found)
    return [finding.code for finding in found]


@pytest.mark.parametrize(
    ("text", "said", "code"),
    [
        ("Take the towel.", {"take": ("take",), "towel": ("towel",)}, "unsaid"),
        ("Take the towel off the bowl.", {**SAID, "towel": ("cloth",)}, "not-in-text"),
        ("Take the cup off the bowl.", {**SAID, "towel": ("cup",)}, "wrong-word"),
        ("Drop the towel off the bowl.", {**SAID, "take": ("drop",)}, "wrong-word"),
        ("Take it off the bowl.", {**SAID, "towel": ("it",)}, "wrong-word"),
        ("Take the towel off the bowl near the shelf.", SAID, "added"),
        ("Take the towel off the bowl and rinse it.", SAID, "added"),
        ("Take the towel off the bowl and scrub it.", SAID, "added"),
        ("Take the towel off the bowl twice.", SAID, "number"),
        ("Take the towel off the bowl with both hands.", SAID, "hands"),
        ("Take the towel off the bowl with hand2.", SAID, "hands"),
        ("Do not take the towel off the bowl.", SAID, "denied"),
        ("Forget to take the towel off the bowl.", SAID, "denied"),
        ("Take the towel under the bowl.", SAID, "wrong-preposition"),
        ("Take the bowl off the towel.", SAID, "wrong-role"),
        ("Take the towel off the bowl. " + "So it goes. " * 60, SAID, "too-long"),
    ],
)
def test_a_wrong_sentence_has_a_finding(text: str, said: dict[str, tuple[str, ...]], code: str) -> None:
    assert code in codes(text, [TAKE], said, "hand1")


@pytest.mark.parametrize(
    "text",
    [
        "Take the towel off the bowl.",
        "With one hand, she takes the towel off the bowl.",
        "Off the bowl I took the towel, the way you'd lift a veil.",
        "Take the towel, not the cup, off the bowl.",
        "The towel is taken from the bowl single-handed.",
        "Don't hesitate: take the towel off the bowl.",
        "Only now take the towel off the bowl.",
    ],
)
def test_a_right_sentence_has_none(text: str) -> None:
    assert codes(text, [TAKE], {"towel": ("towel",), "bowl": ("bowl",)}, "hand1") == []


def test_a_sentence_without_an_account_is_read_by_its_names() -> None:
    assert codes("She takes the towel off the bowl.", [TAKE], {}) == []
    assert codes("She takes the towel.", [TAKE], {}) == ["unsaid"]


def test_what_is_implied_must_be_inferable_and_unsaid() -> None:
    unsaid = codes("The towel comes off the bowl.", [TAKE], {"towel": ("towel",), "bowl": ("bowl",)}, "take")
    assert set(unsaid) == {"implied-too-much"}
    said = {"wipe": ("wiped",), "bowl": ("bowl",), "towel": ("towel",)}
    assert codes("The bowl is wiped with the towel from it.", [TAKE, WIPE], said, "take", "hand1") == []
    assert "implied-too-much" in codes("Take off the bowl.", [TAKE], {**SAID, "towel": ()}, "towel")


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("Take the towel off the bowl and wipe the bowl with it.", True),
        ("Wipe the bowl with the towel after taking it off the bowl.", True),
        ("Before wiping the bowl with the towel, take it off the bowl.", True),
        ("Once the towel is taken off the bowl, wipe the bowl with it.", True),
        ("Wipe the bowl with the towel and take it off the bowl.", False),
        ("Take the towel off the bowl after wiping the bowl with it.", False),
        ("Before taking the towel off the bowl, wipe the bowl with it.", False),
    ],
)
def test_words_of_time_decide_the_order(text: str, is_right: bool) -> None:
    found = codes(text, [TAKE, WIPE], {"towel": ("towel", "it"), "bowl": ("bowl",)}, "hand1")
    assert ("order" not in found) is is_right


@pytest.mark.parametrize(
    ("text", "is_right"),
    [
        ("Fold the towel twice with both hands.", True),
        ("Fold the towel, then fold it again.", True),
        ("Fold the towel once with both hands.", False),
        ("Fold the towel three times.", False),
        ("Fold the towel.", False),
    ],
)
def test_repetitions_are_counted(text: str, is_right: bool) -> None:
    assert ("number" not in codes(text, [FOLD, FOLD], {"towel": ("towel",)}, "hand1", "hand2")) is is_right


def test_an_opposite_is_found_though_the_account_hides_it() -> None:
    graph: Triplets = [("person", "verb", "tighten"), ("tighten", "dobj", "nut")]
    assert "wrong-word" in codes("Loosen the nut.", [graph], {"tighten": ("loosen",), "nut": ("nut",)})


def stories() -> Iterator[Narrative]:
    return (entry.narrative for entry in read_file(DATA / "narratives.jsonl").entries)


def groups(seed: int) -> Iterator[tuple[list[ActionGraph], Surroundings, Random]]:
    """Yield groups of graphs of the bundled stories that patterns can word."""
    for story in stories():
        choice, graphs, start = Random(f"{seed} {story.id}"), list(story.graphs), 0
        while start < len(graphs):
            group = graphs[start : start + choice.choice((1, 1, 2, 3, 4))]
            if not any(map(can_be_written, group)):
                yield group, Surroundings(story.vocabulary, frozenset(), tuple(graphs[:start])), choice
            start += len(group)


def test_at_least_95_percent_of_wrong_sentences_are_caught() -> None:
    caught, total = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    for group, around, choice in islice(groups(1), 0, None, 2):
        for one in spoilt(group, around.vocabulary or L, choice):
            total[one.fault, one.is_lying] += 1
            caught[one.fault, one.is_lying] += bool(check_sentence(one.sentence, group, around))
    for told in told_sentences():
        vocabulary = told.surroundings.vocabulary or L
        for one in edited(told.sentence, list(told.graphs), vocabulary, Random(told.sentence.text)):
            total[f"{one.fault} by hand", one.is_lying] += 1
            found = check_sentence(one.sentence, told.graphs, told.surroundings)
            caught[f"{one.fault} by hand", one.is_lying] += bool(found)
    assert total.total() > 1_500 and caught.total() >= 0.95 * total.total()
    weak = {kind: caught[kind] / total[kind] for kind in total if caught[kind] < 0.85 * total[kind]}
    assert not weak


def test_at_most_2_percent_of_right_sentences_are_dropped() -> None:
    """An element of L in an aside counts as added, however right the sentence is: a reader would take it for told."""
    dropped, total = 0, 0
    for group, around, choice in groups(2):
        manner = Manner(choice.choice(STYLES), choice.choice(("named", "counted", "unsaid")), is_implicit=True)
        dropped += bool(check_sentence(write(group, manner, choice), group, around))
        total += 1
    by_hand = [check_sentence(told.sentence, told.graphs, told.surroundings) for told in told_sentences()]
    by_hand = [found for found in by_hand if {one.code for one in found} != {"added"}]
    assert total > 150 and len(by_hand) > 180
    assert dropped == 0 and sum(map(bool, by_hand)) <= 0.022 * len(by_hand)
    assert sum(map(bool, by_hand)) <= 0.02 * (total + len(by_hand))


def test_hostile_texts_are_refused_and_cheap() -> None:
    graphs = [ActionGraph.of(*TAKE)]
    for text in ("take " * 10_000, "\x00{{towel}}\u202e" * 500, "", "..." * 3_000, "both hands " * 2_000):
        found = check_sentence(Sentence(text, {"towel": (text[:50],)}), graphs, AROUND)
        assert {one.code for one in found} <= set(RULES) and found


def test_hard_sentences_by_somebody_else_are_judged_no_worse_than_measured() -> None:
    """Whoever wrote these cases had not seen the checks; the figures in the manual are these."""
    lines = (Path(__file__).parent / "hard_sentences.jsonl").read_text(encoding="utf-8").splitlines()
    for cases, least_caught, most_dropped in ((lines[:103], 0.79, 0.22), (lines, 0.69, 0.27)):
        judged = Counter(map(_judged, map(json.loads, cases)))
        assert judged[False, True] >= least_caught * (judged[False, True] + judged[False, False])
        assert judged[True, True] <= most_dropped * (judged[True, True] + judged[True, False])


def _judged(case: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether a case is right, and whether the checks find something."""
    graphs, before = ([ActionGraph.of(*map(tuple, one)) for one in case[name]] for name in ("graphs", "before"))
    names = case["vocabulary"]
    vocabulary = Vocabulary(tuple(names["object"]), tuple(names["relationship"]), tuple(names["verb"]))
    said = {node: (words,) if isinstance(words, str) else tuple(words) for node, words in case["said"].items()}
    sentence = Sentence(case["sentence"], said, tuple(case["implied"]))
    return case["right"], bool(check_sentence(sentence, graphs, Surroundings(vocabulary, before=tuple(before))))
