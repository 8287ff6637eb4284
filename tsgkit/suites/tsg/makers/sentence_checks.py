"""Checks of a sentence against the graphs that it tells, along the account of its words.

>>> graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"))
>>> sentence = Sentence("Take the cloth.", {"take": ("Take",), "towel": ("cloth",)})
>>> [finding.code for finding in check_sentence(sentence, [graph], Surroundings())]
['unsaid']

A finding says what is wrong and what to write instead, since the writer is asked again with it. Not covered: a wrong
word that no list of names knows (a *wrench* for the towel), and an additional action told without a name of L by more
than a verb after *and*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tsgkit.graph.model import DOBJ, HANDS, ActionGraph, Vocabulary
from tsgkit.graph.rules import ERROR, Finding, Rule
from tsgkit.suites.tsg.makers.sentence_relations import denied, misplaced, wrong_hands, wrong_numbers
from tsgkit.suites.tsg.makers.sentence_words import added_clauses, added_names, names_of, opposites_told, wrong_words
from tsgkit.suites.tsg.makers.sentences import Sentence, nodes_of
from tsgkit.suites.tsg.makers.told_order import events, wrong_order
from tsgkit.suites.tsg.makers.told_text import ToldText, tokens_of

RULES: dict[str, Rule] = {
    "unsaid": Rule(ERROR, "an action or thing of the graphs is neither said nor implied"),
    "not-in-text": Rule(ERROR, "the account names words that the text does not have"),
    "implied-too-much": Rule(ERROR, "no reader can infer what is implied, or it is said after all"),
    "wrong-word": Rule(ERROR, "the words for a node mean another one, or nothing"),
    "added": Rule(ERROR, "the text tells a thing or an action that the graphs do not have"),
    "number": Rule(ERROR, "the text tells an action more or less often than the graphs"),
    "hands": Rule(ERROR, "the text tells other hands than the graphs"),
    "order": Rule(ERROR, "the text tells the actions in another order"),
    "denied": Rule(ERROR, "the text denies something that the graphs have"),
    "opposite": Rule(ERROR, "the text tells the opposite action"),
    "wrong-preposition": Rule(ERROR, "a preposition contradicts the graph"),
    "wrong-role": Rule(ERROR, "two things have changed places"),
    "too-long": Rule(ERROR, "the text is far longer than the graphs need"),
}
WORDS_PER_GRAPH = 60


@dataclass(frozen=True)
class Surroundings:
    """The elements and graphs around a sentence."""

    vocabulary: Vocabulary | None = None
    """L, or the elements of the story."""
    others: frozenset[str] = frozenset()
    """Names of actions and things of other stories; no synonym may be one of them."""
    before: tuple[ActionGraph, ...] = ()
    """The graphs before, for pronouns and for *again*."""


def check_sentence(
    sentence: Sentence, graphs: Sequence[ActionGraph], surroundings: Surroundings
) -> tuple[Finding, ...]:
    """Return everything that is wrong in a sentence, each rule's findings in the order of :data:`RULES`."""
    if len(tokens_of(sentence.text)) > WORDS_PER_GRAPH * (1 + len(graphs)):
        return (_finding("too-long", "The text is too long: tell the graphs and nothing else."),)
    told = ToldText.of(sentence, graphs)
    found: dict[str, list[str]] = {code: [] for code in RULES}
    for code, messages in _checks(sentence, told, surroundings).items():
        found[code] += dict.fromkeys(messages)
    return tuple(_finding(code, message) for code, messages in found.items() for message in messages)


def _checks(sentence: Sentence, told: ToldText, around: Surroundings) -> dict[str, Iterator[str]]:
    names = names_of(around.vocabulary, around.others)
    found = events(told)
    return {
        "unsaid": _unsaid(sentence, told),
        "not-in-text": _not_in_text(told),
        "implied-too-much": _implied(sentence, told, around),
        "wrong-word": wrong_words(sentence, told, names, around.before),
        "added": chain(added_names(told, names), added_clauses(told)),
        "number": wrong_numbers(told, found, around.before),
        "hands": wrong_hands(told, found, around.before),
        "order": wrong_order(told, found),
        "denied": denied(told),
        "opposite": opposites_told(told),
        **{code: iter(messages) for code, messages in misplaced(told, found).items()},
    }


def _finding(code: str, message: str) -> Finding:
    return Finding(code, RULES[code].severity, message)


def _unsaid(sentence: Sentence, told: ToldText) -> Iterator[str]:
    for node, places in told.places.items():
        if not places and node not in sentence.implied and node not in HANDS:
            yield f"{node} is not told: name it, or another word for it, in the sentence and in said."


def _not_in_text(told: ToldText) -> Iterator[str]:
    for node, phrase in told.missing:
        yield f'said gives "{phrase}" for {node}, but these words are not in the sentence.'


def _implied(sentence: Sentence, told: ToldText, around: Surroundings) -> Iterator[str]:
    """Find implied nodes that are said after all, and those that a reader cannot infer."""
    implied = [name for name in sentence.implied if name in told.places and name not in HANDS]
    if told.actions and told.actions <= set(implied):
        yield "The sentence says no action: say at least one in words."
    known = {name for graph in around.before for name in nodes_of(graph)} | {
        name for name, places in told.places.items() if places
    }
    for name in implied:
        if told.claimed[name]:
            yield f"{name} is both in said and in implied."
        elif name in told.actions:
            if name not in known and not _can_be_inferred(name, told):
                yield f"No reader can infer {name} from the rest: tell it."
        elif name not in known:
            yield f"No reader can infer {name}, which nothing else tells: name it."


def _can_be_inferred(action: str, told: ToldText) -> bool:
    """Return whether everything that an action is about occurs in other graphs, so that only it is missing."""
    own = [graph for graph in told.graphs if action in graph.actions]
    others = {name for graph in told.graphs if action not in graph.actions for name in nodes_of(graph)}
    return all(any(t.target in others for t in graph if t.edge == DOBJ) for graph in own)
