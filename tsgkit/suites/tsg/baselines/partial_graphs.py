"""Answers to derived tasks: nodes of a sentence, edges between given nodes, actions without their number.

>>> from tsgkit.graph import Vocabulary
>>> from tsgkit.suites.tsg.items import GenerationSample
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "lid"), ("take", "off", "pan"))
>>> L = Vocabulary(("person", "pan", "lid"), ("verb", "dobj", "off"), ("take", "open"))
>>> source = GenerationSample(item_id="0", cluster="", context=(), sentence="Take the lid off the pan.", vocabulary=L,
...                           references=(take,))
>>> sample = EdgesSample(item_id="0", cluster="", source=source, nodes=(("person", "pan", "lid", "take"),))
>>> joined(sample) == [take]
True

Nodes are those of the graphs that :mod:`~tsgkit.suites.tsg.baselines.generation` makes. Edges follow what the sentence
tells of a node, else what is usual: hands by *with*, the first thing as the direct object. Actions are the events of
the sentence, as often as it counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Kind, Vocabulary
from tsgkit.suites.tsg.baselines.elements import Elements, elements_of
from tsgkit.suites.tsg.baselines.events import Event, told
from tsgkit.suites.tsg.baselines.generation import Scene, counted, generate
from tsgkit.suites.tsg.baselines.word_roots import words
from tsgkit.suites.tsg.items import ActionsSample, EdgesSample, GenerationSample, NodesSample


def nodes(sample: NodesSample) -> list[str]:
    """Return the nodes of the graphs that the rules would write, and a hand only where a *with* is given."""
    graphs = generate(sample.source)
    names = dict.fromkeys(
        node.name for graph in graphs for node in graph.nodes(sample.vocabulary) if node.kind is not Kind.ACTION
    )
    handless = all(WITH not in labels for labels in sample.labels)
    return [name for name in names if not (handless and name in HANDS)] or [PERSON]


def actions(sample: ActionsSample) -> list[str]:
    """Return the actions of the sentence in order, repeated as often as it counts."""
    elements = elements_of(sample.vocabulary)
    events = _events(sample.source, elements)
    apart = [part for event in events for part in event.apart()]
    return [event.action for event in counted(apart, words(sample.sentence))]


def joined(sample: EdgesSample) -> list[ActionGraph]:
    """Return a graph of each list of nodes."""
    elements = elements_of(sample.vocabulary)
    events = _events(sample.source, elements)
    return [_joined(nodes, events, elements, sample.vocabulary) for nodes in sample.nodes]


def action_of(nodes: Sequence[str], vocabulary: Vocabulary) -> str:
    """Return the action among nodes: a verb of L, preferably one that is no object too."""
    verbs = [name for name in nodes if name in vocabulary.verbs] or [n for n in nodes if n not in (PERSON, *HANDS)]
    return next((name for name in verbs if vocabulary.is_only_a_verb(name)), verbs[0] if verbs else PERSON)


def _events(source: GenerationSample, elements: Elements) -> list[Event]:
    if not elements.actions:
        return []
    scene = Scene(elements)
    for text in source.context:
        scene.resolved(told(text, elements))
    return scene.resolved(told(source.sentence, elements))


def _joined(nodes: Sequence[str], events: Sequence[Event], elements: Elements, vocabulary: Vocabulary) -> ActionGraph:
    action = action_of(nodes, vocabulary)
    things = [name for name in nodes if name not in (PERSON, action, *HANDS)]
    event = max(events, key=lambda event: _likeness(event, action, things), default=Event(action))
    links = {thing: label for label, thing in event.links}
    direct = [name for name in things if name in event.objects] or [name for name in things if name not in links][:1]
    prepositions = elements.prepositions
    usual = WITH if WITH in prepositions or not prepositions else prepositions[0]
    edges = [(DOBJ, name) if name in direct else (links.get(name, usual), name) for name in things]
    hands = [(WITH, name) for name in nodes if name in HANDS]
    return ActionGraph([(PERSON, VERB, action), *((action, label, name) for label, name in (*edges, *hands))])


def _likeness(event: Event, action: str, things: Iterable[str]) -> int:
    told_of = {*event.objects, *(thing for _, thing in event.links)}
    return 3 * (event.action == action) + len(told_of & set(things))
