"""Sentences by patterns, and checks of sentences against their graphs: wrong ones are caught, right ones pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Literal

from shipped import DATA

from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Narrative, Vocabulary
from tsgkit.graph.rules import ERROR
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.tsg.makers.claims import may_be_same_action, may_be_same_thing
from tsgkit.suites.tsg.makers.sentence_checks import RULES, Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, Manner, can_be_implicit, can_be_written, word, write
from tsgkit.suites.tsg.makers.sentences import Sentence

HANDS_SAID: tuple[Literal["named", "counted", "unsaid"], ...] = ("named", "counted", "unsaid")


def step(action: str, *edges: str) -> ActionGraph:
    return ActionGraph([("person", "verb", action), *((action, *edge.split()) for edge in edges)])


KEY = step("take", "dobj hex-key", "off bench", "with hand1")
TURN = ActionGraph.of(
    ("person", "verb", "turn"), ("turn", "dobj", "bolt"), ("bolt", "on", "brake"), ("turn", "with", "hex-key"),
    ("turn", "with", "hand1"), ("turn", "with", "hand2"),
)  # fmt: skip
WASH = step("wash", "dobj scissors", "in sink")
DRY = step("dry", "dobj hex-key", "with hand1")
TAKE = step("take", "dobj towel", "off bowl", "with hand1")
WIPE = step("wipe", "dobj bowl", "with towel", "with hand1")
FOLD = step("fold", "dobj towel", "with hand1", "with hand2")
L = Vocabulary(
    ("person", "hand1", "hand2", "towel", "bowl", "cup", "shelf", "jar"),
    ("verb", "dobj", "with", "off", "on", "under"),
    ("take", "wipe", "fold", "rinse", "drop"),
)
SAID = {"take": ("take",), "towel": ("towel",), "bowl": ("bowl",)}


def stories() -> Iterator[Narrative]:
    return (entry.narrative for entry in read_file(DATA / "narratives.jsonl").entries)


def test_a_graph_is_worded_plainly_or_has_a_reason_why_it_cannot_be() -> None:
    shelf = Manner("imperative", "unsaid", contrast=("bench", "shelf"))
    for graph, manner, text in (
        (KEY, Manner("imperative"), "Take the hex key off the bench with one hand."),
        (KEY, Manner("present", "named"), "She takes the hex key off the bench with hand1."),
        (KEY, Manner("future", "unsaid"), "She will take the hex key off the bench."),
        (KEY, Manner("passive", is_bare=True), "Hex key is taken off bench."),
        (KEY, Manner("present", is_denied=True), "She does not take the hex key off the bench with one hand."),
        (KEY, shelf, "Take the hex key off the bench, not the shelf."),
        (TURN, Manner("imperative"), "Turn the bolt on the brake with the hex key using both hands."),
        (WASH, Manner("passive"), "The scissors are washed in the sink."),
    ):
        assert word(graph, manner).text == text
    sentence = write([WASH, WASH, WASH], Manner(), Random(1))
    assert sentence.text == "Wash the scissors in the sink three times." and sentence.tags == ("repetition",)
    assert can_be_implicit([KEY, DRY]) and not can_be_implicit([KEY, TURN]) and not can_be_implicit([WASH])
    sentence = write([KEY, DRY], Manner("imperative", is_implicit=True), Random(1))
    assert sentence.text == "Dry the hex key from the bench with one hand."
    assert sentence.implied == ("take",) and sentence.tags == ("implicit",), "a grasp may go without saying"
    take = ("person", "verb", "take")
    for rows, reason in (
        ([take], "nothing but an action"),
        ([take, ("take", "dobj", "cup/lid")], "no plain word"),
        ([take, ("take", "dobj", "cup"), ("lid", "on", "jar")], "nothing leads to"),
        ([take, ("take", "manner", "cup")], "no preposition"),
        ([take, ("person", "verb", "put"), ("put", "dobj", "cup")], "several"),
    ):
        graph = ActionGraph.of(*rows)
        assert reason in can_be_written(graph) and word(graph, Manner()).text == ""


def test_sentences_by_patterns_say_or_imply_every_node_and_pass_the_checks() -> None:
    number = 0
    for story in stories():
        graphs, start = [graph for graph in story.graphs if not can_be_written(graph)], 0
        while start < len(graphs):
            choice = Random(f"{story.id} {start}")
            group = graphs[start : start + choice.choice((1, 1, 2, 3, 4))]
            manner = Manner(choice.choice(STYLES), choice.choice(HANDS_SAID), number % 9 == 0, is_implicit=True)
            sentence = write(group, manner, choice)
            nodes = {name for graph in group for t in graph for name in (t.source, t.target)} - {PERSON}
            assert nodes == {*sentence.said, *sentence.implied} and not {*sentence.said} & {*sentence.implied}
            assert all(words in sentence.text for phrases in sentence.said.values() for words in phrases)
            assert set(sentence.implied) <= {*HANDS} | {graph.actions[0] for graph in group}
            assert sentence.text[0].isupper() and sentence.text.endswith(".") and "  " not in sentence.text
            around = Surroundings(story.vocabulary, frozenset(), tuple(graphs[:start]))
            assert manner.is_bare or not check_sentence(sentence, group, around), sentence.text
            start, number = start + len(group), number + 1
    assert number > 150


def codes(text: str, graphs: list[ActionGraph], said: Mapping[str, tuple[str, ...]], *implied: str) -> list[str]:
    found = check_sentence(Sentence(text, said, implied), graphs, Surroundings(L))
    assert all(finding.severity == ERROR and finding.message for finding in found)
    return [finding.code for finding in found]


def test_a_wrong_sentence_has_a_finding() -> None:
    for text, said, code in (
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
        ("Do not take the towel off the bowl.", SAID, "denied"),
        ("Forget to take the towel off the bowl.", SAID, "denied"),
        ("Take the towel under the bowl.", SAID, "wrong-preposition"),
        ("Take the bowl off the towel.", SAID, "wrong-role"),
        ("Take the towel off the bowl. " + "So it goes. " * 60, SAID, "too-long"),
    ):
        assert code in codes(text, [TAKE], said, "hand1"), text
    nut = ActionGraph.of(("person", "verb", "tighten"), ("tighten", "dobj", "nut"))
    assert "wrong-word" in codes("Loosen the nut.", [nut], {"tighten": ("loosen",), "nut": ("nut",)})
    for text in ("take " * 10_000, "\x00{{towel}}\u202e" * 500, "", "..." * 3_000, "both hands " * 2_000):
        found = codes(text, [TAKE], {"towel": (text[:50],)})
        assert found and {*found} <= set(RULES), text[:50]


def test_a_right_sentence_has_no_finding_and_what_it_implies_must_be_inferable_and_unsaid() -> None:
    for text in (
        "Take the towel off the bowl.",
        "With one hand, she takes the towel off the bowl.",
        "Off the bowl I took the towel, the way you'd lift a veil.",
        "Take the towel, not the cup, off the bowl.",
        "The towel is taken from the bowl single-handed.",
        "Don't hesitate: take the towel off the bowl.",
        "Only now take the towel off the bowl.",
    ):
        assert codes(text, [TAKE], {"towel": ("towel",), "bowl": ("bowl",)}, "hand1") == [], text
    assert codes("She takes the towel off the bowl.", [TAKE], {}) == [], "without an account it is read by its names"
    assert codes("She takes the towel.", [TAKE], {}) == ["unsaid"]
    unsaid = codes("The towel comes off the bowl.", [TAKE], {"towel": ("towel",), "bowl": ("bowl",)}, "take")
    assert set(unsaid) == {"implied-too-much"}
    said = {"wipe": ("wiped",), "bowl": ("bowl",), "towel": ("towel",)}
    assert codes("The bowl is wiped with the towel from it.", [TAKE, WIPE], said, "take", "hand1") == []
    assert "implied-too-much" in codes("Take off the bowl.", [TAKE], {**SAID, "towel": ()}, "towel")


def test_words_of_time_decide_the_order_and_of_number_the_repetitions() -> None:
    for text, is_right in (
        ("Take the towel off the bowl and wipe the bowl with it.", True),
        ("Wipe the bowl with the towel after taking it off the bowl.", True),
        ("Before wiping the bowl with the towel, take it off the bowl.", True),
        ("Once the towel is taken off the bowl, wipe the bowl with it.", True),
        ("Wipe the bowl with the towel and take it off the bowl.", False),
        ("Take the towel off the bowl after wiping the bowl with it.", False),
        ("Before taking the towel off the bowl, wipe the bowl with it.", False),
    ):
        found = codes(text, [TAKE, WIPE], {"towel": ("towel", "it"), "bowl": ("bowl",)}, "hand1")
        assert ("order" not in found) is is_right, text
    for text, is_right in (
        ("Fold the towel twice with both hands.", True),
        ("Fold the towel, then fold it again.", True),
        ("Fold the towel once with both hands.", False),
        ("Fold the towel three times.", False),
        ("Fold the towel.", False),
    ):
        found = codes(text, [FOLD, FOLD], {"towel": ("towel",)}, "hand1", "hand2")
        assert ("number" not in found) is is_right, text


ToldSentence = tuple[Sentence, tuple[ActionGraph, ...], Surroundings]


def told_sentences() -> Iterator[ToldSentence]:
    """Yield the sentences of the bundled narratives with their graphs and what is around them.

    Whoever wrote the accounts of their words by hand had not seen the checks.
    """
    lines = (Path(__file__).parent / "hand_written_accounts.jsonl").read_text(encoding="utf-8").splitlines()
    accounts = {(line["story"], line["description"]): line for line in map(json.loads, lines)}
    for story in stories():
        before: tuple[ActionGraph, ...] = ()
        for number, description in enumerate(story.descriptions):
            line = accounts[story.id, number]
            said = {node: tuple(phrases) for node, phrases in line["said"].items()}
            sentence = Sentence(description.text or "", said, tuple(line["implied"]))
            yield sentence, description.graphs, Surroundings(story.vocabulary, frozenset(), before)
            before += description.graphs


def edited(told: ToldSentence, choice: Random) -> Iterator[tuple[str, Sentence]]:
    """Yield a sentence with one of its things replaced by another of L, and one with one more action."""
    sentence, graphs, around = told
    vocabulary = around.vocabulary or L
    names = {name for graph in graphs for t in graph for name in (t.source, t.target)}
    phrases = [(node, words) for node, found in sentence.said.items() for words in found]
    actions = {action for graph in graphs for action in graph.actions}
    said = [(node, words) for node, words in phrases if words.lower() not in ("it", "them", "that")]
    said = [(node, words) for node, words in said if node not in (*actions, *HANDS)]
    others = [name for name in vocabulary.objects if name not in (*names, PERSON, *HANDS)]
    others = [name for name in others if not any(may_be_same_thing(name, node) for node, _ in said)]
    verbs = [name for name in vocabulary.verbs if not any(may_be_same_action(name, other) for other in names)]
    if said and others:
        node, words = choice.choice(said)
        wrong = choice.choice(others).replace("-", " ")
        account = {**sentence.said, node: (wrong,)}
        yield "wrong-thing", Sentence(sentence.text.replace(words, wrong), account, sentence.implied)
    if verbs and others and sentence.text.endswith("."):
        more = f", and then {choice.choice(verbs)} the {choice.choice(others)}.".replace("-", " ")
        yield "added", replace(sentence, text=sentence.text[:-1] + more)


def test_sentences_written_by_hand_pass_unless_an_aside_names_an_element_and_are_caught_when_edited() -> None:
    """An element of L in an aside counts as added, however right the sentence is: a reader would take it for told."""
    found, caught = Counter[tuple[str, ...]](), Counter[tuple[str, bool]]()
    for told in told_sentences():
        sentence, graphs, around = told
        codes = {one.code for one in check_sentence(sentence, graphs, around)}
        found[tuple(sorted(codes))] += 1
        for fault, wrong in edited(told, Random(sentence.text)):
            caught[fault, bool(check_sentence(wrong, graphs, around))] += 1
    assert found == {(): 186, ("added",): 8, ("number",): 2, ("number", "wrong-word"): 1, ("order",): 1}
    assert caught == {("wrong-thing", True): 198, ("added", True): 135, ("added", False): 1}


def test_hard_sentences_by_somebody_else_are_judged_as_measured() -> None:
    """Whoever wrote these cases had not seen the checks; the figures in the manual are these."""
    lines = (Path(__file__).parent / "hard_sentences.jsonl").read_text(encoding="utf-8").splitlines()
    first, later = (Counter(map(_judged, map(json.loads, cases))) for cases in (lines[:103], lines[103:]))
    assert first == {(False, True): 42, (False, False): 11, (True, True): 11, (True, False): 39}
    assert later == {(False, True): 51, (False, False): 29, (True, True): 21, (True, False): 49}


def _judged(case: dict[str, Any]) -> tuple[bool, bool]:
    """Return whether a case is right, and whether the checks find something."""
    graphs, before = ([ActionGraph.of(*map(tuple, one)) for one in case[name]] for name in ("graphs", "before"))
    names = case["vocabulary"]
    vocabulary = Vocabulary(tuple(names["object"]), tuple(names["relationship"]), tuple(names["verb"]))
    said = {node: (words,) if isinstance(words, str) else tuple(words) for node, words in case["said"].items()}
    sentence = Sentence(case["sentence"], said, tuple(case["implied"]))
    return case["right"], bool(check_sentence(sentence, graphs, Surroundings(vocabulary, before=tuple(before))))
