from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from made_up_stories import made_up_story
from plain_sentences import STYLES, plain_writer
from shipped import TASKS

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.library.documents.reader import read_file
from tsgkit.report.audit_report import audit_of
from tsgkit.suites.audits import Audit
from tsgkit.suites.audits.items import words
from tsgkit.suites.audits.shortcuts import fold_of
from tsgkit.suites.tsg.makers.choice_designs import MIXED, ONE_ELEMENT
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES
from tsgkit.suites.tsg.makers.choices import Candidate, Choice, ChoiceChooser, choice_row, choose_choices, unfit
from tsgkit.suites.tsg.makers.wrong_steps import StoryView

Made = tuple[list[tuple[Narrative, Choice]], ChoiceChooser, Counter[str]]
SLIPS = [
    "duplicate",
    "twin",
    "repeated-question",
    "no-key",
    "few-options",
    "repeated-option",
    "contradiction",
    "hands",
    "step-before",
    "earlier-step",
    "better-option",
    "lone-letter",
    "position",
    "few-candidates",
    "repeated-candidate",
    "candidate-graph",
]


def made(stories: Iterable[Narrative], per_story: int, seed: int = 1) -> Made:
    """Return choices with their stories, what chose them, and the reasons why there are no more."""
    chooser, why = ChoiceChooser(seed), Counter[str]()
    found = []
    for story, chosen, dropped in choose_choices(stories, per_story, plain_writer, STYLES, chooser):
        why += dropped
        found += [(story, choice) for choice in chosen]
    return found, chooser, why


@cache
def bundled() -> Made:
    document = read_file(TASKS / "tsg" / "data" / "tsgkit-1" / "narratives.jsonl")
    return made([entry.narrative for entry in document.entries], 8)


@cache
def made_up() -> Made:
    return made(map(made_up_story, range(60)), 10)


SOURCES = pytest.mark.parametrize("source", [bundled, made_up])


def audited(found: Made, folder: Path) -> Audit:
    path = folder / "choices.jsonl"
    path.write_text("".join(json.dumps(choice_row(story, choice)) + "\n" for story, choice in found[0]))
    return audit_of("tsg/sgds", str(path)).audit


@SOURCES
def test_an_audit_finds_neither_slips_nor_shortcuts(source: Any, tmp_path: Path) -> None:  # noqa: ANN401
    audit = audited(source(), tmp_path)
    found = {one.check.code: one.slips for one in audit.found}
    assert {code: found.get(code) for code in SLIPS if found.get(code)} == {}
    assert audit.errors == 0
    assert audit.solving == ()
    assert not any(spread.is_skewed for spread in audit.spreads)


@SOURCES
def test_no_further_shortcut_is_far_above_chance(source: Any) -> None:  # noqa: ANN401
    _, chooser, _ = source()
    for group, sums in chooser.balance.excess.items():
        count = sum(chooser.made.values()) if not group else chooser.made[group]
        for name, excess in zip((*NAMES, "learned"), sums, strict=True):
            noise = 3 * math.sqrt(0.2 * 0.8 / count)
            assert excess / count < noise, (group, name, excess / count)


@SOURCES
def test_half_of_the_choices_differ_in_one_element(source: Any) -> None:  # noqa: ANN401
    tags = Counter(choice.tag for _, choice in source()[0])
    assert 0 <= tags[ONE_ELEMENT] - tags[MIXED] <= 1


@SOURCES
def test_keys_are_even_within_each_tag(source: Any) -> None:  # noqa: ANN401
    keys = Counter((choice.tag, choice.position) for _, choice in source()[0])
    for tag in (ONE_ELEMENT, MIXED):
        counts = [keys[tag, position] for position in range(5)]
        assert max(counts) - min(counts) <= 1


def test_words_learned_from_other_stories_do_not_tell_right_from_wrong() -> None:
    choices = [(story.id, choice.sentences) for story, choice in made_up()[0]]
    right = sum(_credit_of_bayes(choices, fold) for fold in range(10)) / len(choices)
    assert right < 0.2 + 0.02 + 1.64 * math.sqrt(0.2 * 0.8 / len(choices))


def test_the_same_seed_makes_the_same_choices() -> None:
    stories = [made_up_story(number) for number in range(3)]
    assert made(stories, 6)[0] == made(stories, 6)[0]
    assert made(stories, 6)[0] != made(stories, 6, seed=2)[0]


def test_a_row_shows_the_right_sentence_at_its_position() -> None:
    story, choice = made_up()[0][0]
    row = choice_row(story, choice)
    assert row["variations"][row["position"]] == row["target_sentence"] == choice.candidates[0].sentence
    assert row["kinds"][row["position"]] == "right"
    assert row["variation_triplets"][row["position"]] == row["triplet"]
    assert len(row["context_graphs"]) == choice.index
    assert row["tags"] == [choice.tag]


def test_a_row_with_a_denied_action_has_no_graphs_of_candidates() -> None:
    story, choice = made_up()[0][0]
    denied = (*choice.candidates[:4], Candidate("Do not.", None, "negation"))
    row = choice_row(story, Choice(choice.index, choice.target, denied, choice.tag))
    assert "variation_triplets" not in row


def test_a_small_story_says_why_it_has_no_choice() -> None:
    open_jar = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
    found, _, why = made([Narrative.of([open_jar, open_jar, ActionGraph.of(*open_jar.triplets[:2])])], 5)
    assert found == []
    assert why["step: nothing before it"] == 1
    assert why["step: happened before"] == 1
    assert why["step: fewer than three triplets"] == 1


def test_a_step_with_two_actions_is_unfit() -> None:
    both = ActionGraph.of(("person", "verb", "open"), ("person", "verb", "shut"), ("open", "dobj", "jar"))
    assert unfit(StoryView(Narrative.of([both, both])), 1)


def _credit_of_bayes(choices: Sequence[tuple[str, tuple[str, ...]]], fold: int) -> float:
    """Return the right answers in a fold of a naive Bayes classifier of words that has learned from the others."""
    counts: dict[bool, defaultdict[str, float]] = {True: defaultdict(float), False: defaultdict(float)}
    for story, sentences in choices:
        if fold_of(story) != fold:
            for place, text in enumerate(sentences):
                for word in set(words(text)):
                    counts[place == 0][word] += 1
    tested = [sentences for story, sentences in choices if fold_of(story) == fold]
    return sum(_share_of_first([_odds(text, counts) for text in sentences]) for sentences in tested)


def _odds(text: str, counts: Mapping[bool, Mapping[str, float]]) -> float:
    right, wrong = counts[True], counts[False]
    return math.fsum(math.log((right.get(word, 0) + 1) / (wrong.get(word, 0) / 4 + 1)) for word in set(words(text)))


def _share_of_first(values: Sequence[float]) -> float:
    best = max(values)
    return (values[0] >= best - 1e-9) / sum(value >= best - 1e-9 for value in values)
