"""Faults as they occur outside the seeded ones: published-style errors, and slips that annotators make.

>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "tea-pot"), ("fill", "with", "hand1"))
>>> L = Vocabulary(("tea-pot", "cup"), ("verb", "dobj", "with", "from"), ("fill", "pour"))
>>> slipped = annotator_slip(graph, L, seed=2)
>>> slipped.name, *map(str, slipped.changes)
('prep', 'mismatched: fill -> prep -> hand1, expected fill -> with -> hand1')
>>> slipped = published_error(graph, L, seed=1)
>>> slipped.name, *map(str, slipped.changes)
('mismatched', 'mismatched: fill -> with -> fill, expected fill -> with -> hand1')

Published-style errors are those of the paper's refinement data: of the same four kinds as the seeded ones, but an
element is replaced by any other of L (a verb for an object, a hand for a verb), and a redundant triplet may have any
edge between any two nodes. The slips of annotators are those found in the published files and by ``tsgkit check``.

The same seed makes the same fault of the same graph. ``changes`` is exactly the difference between both graphs, folded
as scores compare them, and at most :data:`MOST` changes. A fault that reading forgives (upper case, a triplet written
twice) is none here: whoever hands such a graph back as it was has handed back the right one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tsgkit.errors import EditError
from tsgkit.graph.corruptions import CHANGES, Corruption, corrupt
from tsgkit.graph.edits import Change, ChangeKind, diff
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, EdgeKind, Triplet, Vocabulary, edge_kind
from tsgkit.graph.prompt_text import arrows
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.lexicon import forms

MOST = 4
"""The most changes that one fault may make of a graph."""
TRIES = 40
KINDS = {**{change: kind for kind, change in CHANGES.items()}, ChangeKind.WRONG_HAND: Corruption.MISMATCHED}
"""The kind of error that a change is; a wrong hand is one wrong element."""


@dataclass(frozen=True)
class Slipped:
    """A graph with a fault, the fault's name, and all that differs from the graph without it."""

    graph: ActionGraph
    name: str
    changes: tuple[Change, ...]


def slipped(original: ActionGraph, spoilt: ActionGraph, name: str) -> Slipped | None:
    """Return a fault; None where it changes nothing, or more than :data:`MOST` triplets."""
    changes = diff(fold_graph(original), fold_graph(spoilt)).changes
    return Slipped(spoilt, name, changes) if 0 < len(changes) <= MOST and spoilt.triplets else None


def inflections(action: str) -> list[str]:
    """Return the other forms of an action, of which the first word is the verb.

    >>> inflections("pick-up")
    ['picked-up', 'picking-up', 'picks-up']
    """
    verb, *more = action.split("-")
    return ["-".join([form, *more]) for form in sorted(forms(verb) - {verb})]


def published_error(graph: ActionGraph, vocabulary: Vocabulary, *, seed: int | str) -> Slipped:
    """Return the graph with one error as published; ``EditError`` where it allows none."""
    choice = random.Random(f"{seed}/published/{sorted(graph.triplets)}")
    kinds = list(Corruption) if graph.triplets else []
    choice.shuffle(kinds)
    for kind in kinds:
        for spoilt in _published(graph, kind, vocabulary, choice):
            if (slip := slipped(graph, spoilt, str(kind))) and len(slip.changes) == 1:
                return slip
    raise EditError("this graph cannot be given a published error: it is empty, or L has nothing else for it")


def _published(
    graph: ActionGraph, kind: Corruption, vocabulary: Vocabulary, choice: random.Random
) -> Iterator[ActionGraph]:
    if kind in (Corruption.MISSING, Corruption.REVERSED):
        try:
            yield corrupt(graph, kind, vocabulary, seed=choice.random().hex()).graph
        except EditError:
            return
        return
    nodes = tuple(dict.fromkeys((*vocabulary.objects, *vocabulary.verbs, PERSON, *HANDS)))
    edges = tuple(dict.fromkeys((*vocabulary.relationships, VERB, DOBJ)))
    for _ in range(TRIES):
        position = choice.randrange(len(graph))
        drawn = Triplet(choice.choice(nodes), choice.choice(edges), choice.choice(nodes))
        if kind is Corruption.REDUNDANT:
            yield ActionGraph([*graph.triplets[:position], drawn, *graph.triplets[position:]])
        else:
            element = choice.randrange(3)
            kept = graph.triplets[position]
            yield _with(graph, position, kept._replace(**{kept._fields[element]: drawn[element]}))


def annotator_slip(graph: ActionGraph, vocabulary: Vocabulary, *, seed: int | str) -> Slipped:
    """Return the graph with one slip of an annotator; ``EditError`` where it allows none."""
    choice = random.Random(f"{seed}/annotator/{sorted(graph.triplets)}")
    names = list(SLIPS)
    choice.shuffle(names)
    for name in names:
        ways = list(SLIPS[name](graph, vocabulary))
        choice.shuffle(ways)
        for spoilt in ways[:TRIES]:
            if (slip := slipped(graph, spoilt, name)) and not _is_forgiven(graph, spoilt):
                return slip
    raise EditError("this graph has no place for a slip of an annotator")


def _is_forgiven(original: ActionGraph, spoilt: ActionGraph) -> bool:
    """Return whether the reader of answers takes a spoilt graph for the original."""
    answer = read_graphs(arrows(spoilt), 1)
    return isinstance(answer, GraphAnswer) and answer.graphs == (fold_graph(original),)


Ways = Callable[[ActionGraph, Vocabulary], Iterable[ActionGraph]]


def _with(graph: ActionGraph, position: int, *triplets: Triplet) -> ActionGraph:
    """Return the graph with other triplets in the place of one."""
    return ActionGraph([*graph.triplets[:position], *triplets, *graph.triplets[position + 1 :]])


def _relabelled(kind: EdgeKind, *labels: str) -> Ways:
    """Return the slip that gives an edge of a kind another label."""

    def ways(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
        for position, triplet in enumerate(graph.triplets):
            if edge_kind(triplet.edge) is kind:
                yield from (_with(graph, position, triplet._replace(edge=label)) for label in labels)

    return ways


def _hands_as_one(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """Both hands written as one node, or one hand without its number."""
    holding = [triplet for triplet in graph.triplets if triplet.target in HANDS]
    name = "hands" if len(holding) > 1 else "hand"
    yield ActionGraph(dict.fromkeys(link._replace(target=name) if link in holding else link for link in graph.triplets))


def _without_target(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """An edge that leads nowhere, as an adverb does (*down*)."""
    for position, triplet in enumerate(graph.triplets):
        if edge_kind(triplet.edge) is EdgeKind.PREPOSITION:
            yield _with(graph, position, triplet._replace(target=""))


def _verb_turned(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """The person-verb triplet turned round."""
    for position, triplet in enumerate(graph.triplets):
        if triplet.edge == VERB:
            yield _with(graph, position, triplet.reversed)


def _without_verb(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """A graph without its person-verb triplet."""
    for position, triplet in enumerate(graph.triplets):
        if triplet.edge == VERB:
            yield _with(graph, position)


def _inflected(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """The action in another form wherever it is not the target of verb, or in one place."""
    for action in graph.actions:
        for form in inflections(action):
            yield ActionGraph(
                triplet._replace(source=form) if triplet.source == action else triplet for triplet in graph.triplets
            )
            yield from _renamed_once(graph, action, form)


def _typo(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """A name with one letter left out, in one place."""
    names = dict.fromkeys(name for triplet in graph.triplets for name in (triplet.source, triplet.target))
    for name in names:
        if len(name) > 3 and name not in (PERSON, *HANDS):
            for cut in range(1, len(name)):
                yield from _renamed_once(graph, name, name[:cut] + name[cut + 1 :])


def _renamed_once(graph: ActionGraph, name: str, substitute: str) -> Iterator[ActionGraph]:
    for position, triplet in enumerate(graph.triplets):
        if triplet.source == name:
            yield _with(graph, position, triplet._replace(source=substitute))
        if triplet.target == name:
            yield _with(graph, position, triplet._replace(target=substitute))


def _respelt(change: Callable[[str], str]) -> Ways:
    """Return the slip that writes a name otherwise in every place."""

    def ways(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
        for name in dict.fromkeys(name for link in graph.triplets for name in (link.source, link.target)):
            changed = change(name)
            if changed != name and name not in (PERSON, *HANDS):
                yield ActionGraph(
                    Triplet(*(changed if part == name else part for part in triplet)) for triplet in graph.triplets
                )

    return ways


def _other_verb(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """The direct object of another verb than the graph's."""
    for position, triplet in enumerate(graph.triplets):
        if triplet.edge == DOBJ:
            others = (verb for verb in vocabulary.verbs if verb not in triplet)
            yield from (_with(graph, position, triplet._replace(source=verb)) for verb in others)


def _hand_as_object(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """A hand as the direct object."""
    for position, triplet in enumerate(graph.triplets):
        if triplet.target in HANDS and triplet.edge != DOBJ:
            yield _with(graph, position, triplet._replace(edge=DOBJ))


def _second_action(graph: ActionGraph, vocabulary: Vocabulary) -> Iterator[ActionGraph]:
    """A second action in one graph."""
    for verb in vocabulary.verbs:
        if verb not in graph.actions:
            yield ActionGraph([*graph.triplets, Triplet(PERSON, VERB, verb)])


SLIPS: dict[str, Ways] = {
    "verbs": _relabelled(EdgeKind.VERB, "verbs"),
    "direct-object": _relabelled(EdgeKind.DOBJ, "direct_object", "direct-object", "obj"),
    "prep": _relabelled(EdgeKind.PREPOSITION, "prep", "preposition"),
    "not-a-preposition": _relabelled(EdgeKind.PREPOSITION, "manner", "holding", "connected-to", "to-remove"),
    "hands": _hands_as_one,
    "empty-target": _without_target,
    "verb-turned": _verb_turned,
    "no-verb": _without_verb,
    "inflected": _inflected,
    "typo": _typo,
    "underscore": _respelt(lambda name: name.replace("-", "_")),
    "instance": _respelt(lambda name: f"{name}:1"),
    "other-verb": _other_verb,
    "hand-object": _hand_as_object,
    "second-action": _second_action,
}
"""The slips of annotators by name."""
