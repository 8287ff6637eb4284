"""Checks of a narrative that is being edited: findings, hands, exact repairs, and the names that its texts mention.

>>> from tsgkit.graph.model import ActionGraph, Description, Vocabulary
>>> L = Vocabulary(("cup", "lid"), ("verb", "dobj", "with"), ("wash",))
>>> slip = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cups"))
>>> found = checks(Narrative((Description("She washes the cup.", (slip,)),), L))
>>> [one["code"] for one in found["graphs"][0]["findings"]], found["mentioned"]
(['out-of-vocabulary'], [['wash', 'cup']])
>>> found["graphs"][0]["repairs"][0]["graph"]
[['person', 'verb', 'wash'], ['wash', 'dobj', 'cup']]

One key stroke changes one graph of many: all results about a graph are kept by its triplets and L, in caches of limited
size.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from tsgkit.graph.hands import EMPTY, UNKNOWN, State, after_gaps, hand_step
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Narrative, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.repairs import Change, mend_graph
from tsgkit.graph.rules import RULES, Finding, check_graph
from tsgkit.lexicon import mentions, same_word
from tsgkit.lexicon.inflection import family
from tsgkit.lexicon.nearest import is_slip

MOST_GRAPHS = 1 << 14
"""The number of graphs whose findings and repairs are kept, and of hand steps."""
MOST_TEXTS = 1 << 11
"""The number of texts whose mentions are kept."""
STEM = 3
"""Forms of a word that are not in its family share so many letters at the beginning."""
LONGEST_TEXT = 4000
"""Names are not looked for in longer texts."""
MOST_COMPARED = 1000
"""So many names of each list of L are compared with each other."""
_WORD = re.compile(r"[^\W_]+")
Triplets = tuple[Triplet, ...]


def checks(narrative: Narrative) -> dict[str, Any]:
    """Return the JSON value of all checks of a narrative."""
    listed = _listed(narrative.vocabulary)
    steps = _hand_steps(narrative)
    graphs = [
        {
            "findings": [*found.findings, *step.findings],
            "hands": {"before": before, "after": step.hands},
            "repairs": found.repairs,
        }
        for graph, (before, step) in zip(narrative.graphs, steps, strict=True)
        for found in [_graph_checks(graph.triplets, listed)]
    ]
    return {"graphs": graphs, "mentioned": [_mentioned(part.text, listed) for part in narrative.descriptions]}


class _Listed:
    """L with data derived once. It is compared by identity, which is quicker than by its names."""

    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self.vocabulary = vocabulary
        names = () if vocabulary is None else dict.fromkeys((*vocabulary.nodes, *vocabulary.relationships))
        left_out = {PERSON, VERB, DOBJ, *HANDS}
        self.names = {name: None for name in names if name not in left_out}


@lru_cache(maxsize=16)
def _listed(vocabulary: Vocabulary | None) -> _Listed:
    return _Listed(vocabulary)


class _GraphChecks(NamedTuple):
    findings: list[dict[str, Any]]
    repairs: list[dict[str, Any]]


@lru_cache(maxsize=MOST_GRAPHS)
def _graph_checks(triplets: Triplets, listed: _Listed) -> _GraphChecks:
    graph = ActionGraph(triplets)
    findings = check_graph(graph, listed.vocabulary)
    repairs = list(_repairs(graph, listed.vocabulary)) if findings else []
    return _GraphChecks([_finding_value(one) for one in findings], repairs)


def _finding_value(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "hint": finding.hint,
        "triplet": finding.place.triplet,
        "elements": list(finding.elements),
    }


# Repairs


def _repairs(graph: ActionGraph, vocabulary: Vocabulary | None) -> Iterator[dict[str, Any]]:
    """Yield each change of the exact repairs, with the graph after the repair of its one finding.

    Several changes have one reason where a name is respelt in several triplets: each brings the graph with all of them.
    A repair of something that another repair brings about is left out until that one is made.
    """
    _, changes = mend_graph(graph, vocabulary)
    for (code, reason), group in groupby(changes, key=lambda change: (change.code, change.reason)):
        made = list(group)
        repaired = _after(graph, made)
        if repaired is None:
            continue
        for change in made:
            pair = {name: None if one is None else list(one) for name, one in _ends(change)}
            yield {**pair, "code": code, "reason": reason, "graph": to_value(repaired)}


def _ends(change: Change) -> tuple[tuple[str, Triplet | None], ...]:
    return ("before", change.before), ("after", change.after)


def _after(graph: ActionGraph, changes: Sequence[Change]) -> ActionGraph | None:
    """Return the graph after these changes; None where it lacks what one of them changes."""
    wanted = Counter(change.before for change in changes if change.before is not None)
    if wanted - Counter(graph.triplets):
        return None
    triplets = list(graph.triplets)
    for change in changes:
        if change.before is None:
            triplets += [] if change.after is None else [change.after]
        elif change.after is None:  # the last of equal ones, since the first is the one that is meant
            del triplets[len(triplets) - 1 - triplets[::-1].index(change.before)]
        else:
            triplets[triplets.index(change.before)] = change.after
    return ActionGraph(triplets)


# Hands


class _Step(NamedTuple):
    after: State
    hands: dict[str, list[str] | None]
    findings: list[dict[str, Any]]


def _hand_steps(narrative: Narrative) -> Iterator[tuple[dict[str, list[str] | None], _Step]]:
    """Yield the hands before each graph and its step, as :func:`tsgkit.graph.hands.trace` has them."""
    state, unknown = EMPTY, after_gaps(narrative)
    for number, graph in enumerate(narrative.graphs):
        before = UNKNOWN if number in unknown else state
        step = _hand_step(graph.triplets, before)
        yield _hands_value(before), step
        state = step.after


@lru_cache(maxsize=MOST_GRAPHS)
def _hand_step(triplets: Triplets, before: State) -> _Step:
    step = hand_step(0, ActionGraph(triplets), before)
    breaches = [Finding(one.code, RULES[one.code].severity, one.message) for one in step.breaches]
    return _Step(step.after, _hands_value(step.after), [_finding_value(one) for one in breaches])


@lru_cache(maxsize=1024)
def _hands_value(state: State) -> dict[str, list[str] | None]:
    return {hand: None if held is None else list(held) for hand, held in zip(HANDS, state, strict=True)}


# Names


def mentioned(text: str | None, vocabulary: Vocabulary | None) -> list[str]:
    """Return the names of L that a text mentions, in the order of the text."""
    return _mentioned(text, _listed(vocabulary))


def _mentioned(text: str | None, listed: _Listed) -> list[str]:
    if not text or len(text) > LONGEST_TEXT:
        return []
    return _mentions(text).of(listed)


class _Mentions:
    """The names of the latest L that a text mentions. Where L changes, only its new names are looked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = frozenset(_WORD.findall(text.lower()))
        self._beginnings = frozenset(word[:STEM] for word in self._words)
        self._latest: tuple[_Listed, dict[str, int]] | None = None

    def of(self, listed: _Listed) -> list[str]:
        """Return the names in the order of the text."""
        latest = self._latest
        if latest is None or latest[0] is not listed:
            tried, known = ({}, {}) if latest is None else (latest[0].names, latest[1])
            found = {name: known.get(name, -1) if name in tried else self._place(name) for name in listed.names}
            places = {name: place for name, place in found.items() if place >= 0}
            self._latest = latest = (listed, {name: places[name] for name in sorted(places, key=places.__getitem__)})
        return list(latest[1])

    def _place(self, name: str) -> int:
        """Return where the text first mentions a name; -1 where it does not."""
        if not all(self._may_mean(word) for word in _WORD.findall(name.lower())):
            return -1
        found = mentions(self._text, name)
        return -1 if found is None else found.spans[0][0]

    def _may_mean(self, word: str) -> bool:
        """Return whether a word of the text may be this one, since looking closely takes longer."""
        return word[:STEM] in self._beginnings or not self._words.isdisjoint(family(word))


@lru_cache(maxsize=MOST_TEXTS)
def _mentions(text: str) -> _Mentions:
    return _Mentions(text)


def similar(vocabulary: Vocabulary) -> list[list[str]]:
    """Return groups of names of L that likely mean the same: forms of one word, other spellings, typing errors.

    >>> similar(Vocabulary(("cup", "cups", "kettle", "ketle", "lid"), ("verb", "in to", "in-to"), ("wash",)))
    [['cup', 'cups'], ['kettle', 'ketle'], ['in to', 'in-to']]
    """
    lists = (vocabulary.objects, vocabulary.relationships, vocabulary.verbs)
    return [group for names in lists for group in _alike(list(dict.fromkeys(names))[:MOST_COMPARED])]


def _alike(names: list[str]) -> Iterator[list[str]]:
    left = names
    while left:
        first, *others = left
        group = [first, *(other for other in others if _means_the_same(first, other))]
        if len(group) > 1:
            yield group
        left = [other for other in others if other not in group]


def _means_the_same(name: str, other: str) -> bool:
    """Return whether two names are likely one; names with different first letters never are, since that saves time."""
    if name[:1].lower() != other[:1].lower():
        return False
    match = same_word(name, other)
    return (match.same and not match.ambiguous) or is_slip(name, other)
