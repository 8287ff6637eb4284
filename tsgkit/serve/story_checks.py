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
from typing import Any

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
Values = list[dict[str, Any]]


def checks(narrative: Narrative) -> dict[str, Any]:
    """Return the JSON value of all checks of a narrative; the hands are those of :func:`tsgkit.graph.hands.trace`."""
    listed = _listed(narrative.vocabulary)
    graphs, state, unknown = [], EMPTY, after_gaps(narrative)
    for number, graph in enumerate(narrative.graphs):
        before = UNKNOWN if number in unknown else state
        state, breaches = _hand_step(graph.triplets, before)
        findings, repairs = _graph_checks(graph.triplets, listed)
        hands = {"before": _hands_value(before), "after": _hands_value(state)}
        graphs.append({"findings": [*findings, *breaches], "hands": hands, "repairs": repairs})
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


@lru_cache(maxsize=MOST_GRAPHS)
def _graph_checks(triplets: Triplets, listed: _Listed) -> tuple[Values, Values]:
    """Return the findings of a graph, and its repairs."""
    graph = ActionGraph(triplets)
    findings = check_graph(graph, listed.vocabulary)
    repairs = list(_repairs(graph, listed.vocabulary)) if findings else []
    return [_finding_value(finding) for finding in findings], repairs


@lru_cache(maxsize=MOST_GRAPHS)
def _hand_step(triplets: Triplets, before: State) -> tuple[State, Values]:
    """Return the hands after a graph, and the findings about them."""
    step = hand_step(0, ActionGraph(triplets), before)
    findings = [Finding(breach.code, RULES[breach.code].severity, breach.message) for breach in step.breaches]
    return step.after, [_finding_value(finding) for finding in findings]


@lru_cache(maxsize=1024)
def _hands_value(state: State) -> dict[str, list[str] | None]:
    return {hand: None if things is None else list(things) for hand, things in zip(HANDS, state, strict=True)}


def _finding_value(finding: Finding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "hint": finding.hint,
        "triplet": finding.place.triplet,
        "elements": list(finding.elements),
    }


def _repairs(graph: ActionGraph, vocabulary: Vocabulary | None) -> Iterator[dict[str, Any]]:
    """Yield each change of the exact repairs, with the graph after the repair of its one finding.

    Several changes have one reason where a name is respelt in several triplets: each brings the graph with all of them.
    A repair of something that another repair brings about is left out until that one is made.
    """
    _, changes = mend_graph(graph, vocabulary)
    for (code, reason), group in groupby(changes, key=lambda change: (change.code, change.reason)):
        repair = list(group)
        repaired = _after(graph, repair)
        if repaired is None:
            continue
        for change in repair:
            before, after = (None if end is None else list(end) for end in (change.before, change.after))
            yield {"before": before, "after": after, "code": code, "reason": reason, "graph": to_value(repaired)}


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


# Names


def mentioned(text: str | None, vocabulary: Vocabulary | None) -> list[str]:
    """Return the names of L that a text mentions, in the order of the text."""
    return _mentioned(text, _listed(vocabulary))


def _mentioned(text: str | None, listed: _Listed) -> list[str]:
    return _mentions(text).of(listed) if text and len(text) <= LONGEST_TEXT else []


@lru_cache(maxsize=MOST_TEXTS)
def _mentions(text: str) -> _Mentions:
    return _Mentions(text)


class _Mentions:
    """The names of the latest L that a text mentions. Where L changes, only its new names are looked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = frozenset(_WORD.findall(text.lower()))
        self._beginnings = frozenset(word[:STEM] for word in self._words)
        self._latest: tuple[_Listed, dict[str, int]] | None = None

    def of(self, listed: _Listed) -> list[str]:
        """Return the names in the order of the text."""
        if self._latest is None or self._latest[0] is not listed:
            tried, known = ({}, {}) if self._latest is None else (self._latest[0].names, self._latest[1])
            places = {name: known.get(name, -1) if name in tried else self._place(name) for name in listed.names}
            names = sorted((name for name in places if places[name] >= 0), key=places.__getitem__)
            self._latest = listed, {name: places[name] for name in names}
        return list(self._latest[1])

    def _place(self, name: str) -> int:
        """Return where the text first mentions a name; -1 where it does not.

        Looking closely takes long, so every word of the name must be like one of the text.
        """
        for word in _WORD.findall(name.lower()):
            if word[:STEM] not in self._beginnings and self._words.isdisjoint(family(word)):
                return -1
        match = mentions(self._text, name)
        return -1 if match is None else match.spans[0][0]


def similar(vocabulary: Vocabulary) -> list[list[str]]:
    """Return groups of names of L that likely mean the same: forms of one word, other spellings, typing errors.

    >>> similar(Vocabulary(("cup", "cups", "kettle", "ketle", "lid"), ("verb", "in to", "in-to"), ("wash",)))
    [['cup', 'cups'], ['kettle', 'ketle'], ['in to', 'in-to']]
    """
    lists = (vocabulary.objects, vocabulary.relationships, vocabulary.verbs)
    return [group for names in lists for group in _alike(list(dict.fromkeys(names))[:MOST_COMPARED])]


def _alike(names: list[str]) -> Iterator[list[str]]:
    while names:
        first, *others = names
        group = [first, *(other for other in others if _means_the_same(first, other))]
        if len(group) > 1:
            yield group
        names = [other for other in others if other not in group]


def _means_the_same(name: str, other: str) -> bool:
    """Return whether two names are likely one; names with different first letters never are, since that saves time."""
    if name[:1].lower() != other[:1].lower():
        return False
    match = same_word(name, other)
    return (match.same and not match.ambiguous) or is_slip(name, other)
