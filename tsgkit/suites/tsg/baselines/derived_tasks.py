"""Answers to derived tasks: nodes of a sentence, edges between given nodes, actions in order, repairs of a graph.

>>> from tsgkit.graph import Vocabulary
>>> from tsgkit.suites.tsg.items import GenerationSample
>>> take = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "lid"), ("take", "off", "pan"))
>>> L = Vocabulary(("person", "pan", "lid"), ("verb", "dobj", "off"), ("take", "open"))
>>> source = GenerationSample(item_id="0", cluster="", context=(), sentence="Take the lid off the pan.", vocabulary=L,
...                           references=(take,))
>>> sample = EdgesSample(item_id="0", cluster="", source=source, nodes=(("person", "pan", "lid", "take"),))
>>> joined(sample) == [take]
True
>>> spoilt = ActionGraph.of(("person", "verb", "take"), ("lid", "dobj", "take"), ("take", "with", "hand1"))
>>> print(mended(spoilt, L))
person -> verb -> take
take -> dobj -> lid
take -> with -> hand1

Nodes are those of the graphs that :mod:`~tsgkit.suites.tsg.baselines.generation` makes. Edges follow what the sentence
tells of a node, else what is usual: hands by *with*, the first thing as the direct object. Actions are the events of
the sentence, as often as it counts them. A repair reverses what breaks the schema, or gives it its person; errors that
keep the schema (a superfluous triplet, a wrong object) are not detected.

Of random answers, nodes are the person, two things and a hand, actions two to four of L, given nodes are joined to
their action by labels of L, and of a graph to mend one triplet is turned round or goes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Kind, Triplet, Vocabulary
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.tsg.baselines.events import Event
from tsgkit.suites.tsg.baselines.generation import generate, scene_of, times
from tsgkit.suites.tsg.baselines.mentions import elements_of
from tsgkit.suites.tsg.baselines.word_roots import words
from tsgkit.suites.tsg.items import ActionsSample, DerivedSample, EdgesSample, NodesSample, RefineSample


def guess_nodes(item: NodesSample, seed: int) -> list[str]:
    """Draw nodes."""
    lots, things = item.lots(seed), elements_of(item.vocabulary).things
    return [PERSON, *lots.sample(things, min(2, len(things))), lots.choice(HANDS)]


def nodes(sample: NodesSample) -> list[str]:
    """Return the nodes of the graphs that the rules would write, and a hand only where a *with* is given."""
    graphs = generate(sample.source)
    names = dict.fromkeys(
        node.name for graph in graphs for node in graph.nodes(sample.vocabulary) if node.kind is not Kind.ACTION
    )
    handless = all(WITH not in labels for labels in sample.labels)
    return [name for name in names if not (handless and name in HANDS)] or [PERSON]


def guess_actions(item: ActionsSample, seed: int) -> Sequence[str]:
    """Draw actions."""
    lots, elements = item.lots(seed), elements_of(item.vocabulary)
    return lots.choices(elements.actions, k=lots.randint(2, 4)) if elements.actions else ()


def actions(sample: ActionsSample) -> list[str]:
    """Return the actions of the sentence in order, repeated as often as it counts."""
    names = [part.action for event in _events(sample) for part in event.apart()]
    return names + names[-1:] * (times(words(sample.sentence)) - 1)


def guess_edges(item: EdgesSample, seed: int) -> list[ActionGraph]:
    """Draw the edges between given nodes."""
    lots, labels = item.lots(seed), (*elements_of(item.vocabulary).prepositions, DOBJ)
    graphs = []
    for names in item.nodes:
        action = _action_of(names, item.vocabulary)
        others = [name for name in names if name not in (PERSON, action)]
        graphs.append(ActionGraph([(PERSON, VERB, action), *((action, lots.choice(labels), name) for name in others)]))
    return graphs


def joined(sample: EdgesSample) -> list[ActionGraph]:
    """Return a graph of each list of nodes."""
    events, prepositions, graphs = _events(sample), elements_of(sample.vocabulary).prepositions, []
    usual = WITH if WITH in prepositions or not prepositions else prepositions[0]
    for names in sample.nodes:
        action = _action_of(names, sample.vocabulary)
        things = [name for name in names if name not in (PERSON, action, *HANDS)]

        def likeness(event: Event, action: str = action, things: Sequence[str] = things) -> int:
            mentioned = {*event.objects, *(thing for _, thing in event.links)}
            return 3 * (event.action == action) + len(mentioned.intersection(things))

        event = max(events, key=likeness, default=Event(action))
        labels = {thing: label for label, thing in event.links}
        objects = [name for name in things if name in event.objects]
        objects = objects or [name for name in things if name not in labels][:1]
        edges = [(DOBJ if name in objects else labels.get(name, usual), name) for name in things]
        edges += [(WITH, name) for name in names if name in HANDS]
        graphs.append(ActionGraph([(PERSON, VERB, action), *((action, label, name) for label, name in edges)]))
    return graphs


def _events(sample: DerivedSample) -> list[Event]:
    return scene_of(sample.source)[1] if elements_of(sample.vocabulary).actions else []


def _action_of(names: Sequence[str], vocabulary: Vocabulary) -> str:
    """Return the action among nodes: a verb of L, preferably one that is no object too."""
    verbs = [name for name in names if name in vocabulary.verbs] or [n for n in names if n not in (PERSON, *HANDS)]
    return next((name for name in verbs if vocabulary.is_only_a_verb(name)), verbs[0] if verbs else PERSON)


def guess_repair(item: RefineSample, seed: int) -> ActionGraph:
    """Draw a change of a graph with a seeded error: one triplet is turned round, or goes."""
    lots, triplets = item.lots(seed), list(item.spoilt.triplets)
    index = lots.randrange(len(triplets))
    triplets[index : index + 1] = [triplets[index].reversed] if len(triplets) == 1 or lots.random() < 0.5 else []
    return ActionGraph(triplets)


def mended(graph: ActionGraph, vocabulary: Vocabulary) -> ActionGraph:
    """Return the graph with each triplet turned round that has fewer errors so, and a person where it has none."""

    def errors(graph: ActionGraph) -> int:
        return sum(finding.severity == ERROR for finding in check_graph(graph, vocabulary))

    graph = ActionGraph(dict.fromkeys(graph.triplets))
    if not graph.actions and not any(triplet.edge == VERB for triplet in graph.triplets if PERSON in triplet):
        names = [name for triplet in graph.triplets for name in (triplet.source, triplet.target)]
        if verbs := [name for name in names if name in vocabulary.verbs]:  # most edges leave the action
            graph = ActionGraph([Triplet(PERSON, VERB, max(verbs, key=verbs.count)), *graph.triplets])
    for index, triplet in enumerate(graph.triplets):
        turned = ActionGraph([*graph.triplets[:index], triplet.reversed, *graph.triplets[index + 1 :]])
        if errors(turned) < errors(graph):
            graph = turned
    return graph
