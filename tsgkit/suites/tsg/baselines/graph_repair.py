"""Repair of a seeded error by rules: what breaks the schema is reversed, or given its person.

>>> from tsgkit.graph import Vocabulary
>>> L = Vocabulary(("person", "hand1", "lid"), ("verb", "dobj", "with"), ("take", "open"))
>>> spoilt = ActionGraph.of(("person", "verb", "take"), ("lid", "dobj", "take"), ("take", "with", "hand1"))
>>> print(mended(spoilt, L))
person -> verb -> take
take -> dobj -> lid
take -> with -> hand1

Errors that keep the schema (a superfluous triplet, a wrong object) are not detected.
"""

from __future__ import annotations

from tsgkit.graph.model import PERSON, VERB, ActionGraph, Triplet, Vocabulary
from tsgkit.graph.repairs import mend_graph
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.tsg.items import RefineSample


def mend(sample: RefineSample) -> ActionGraph:
    """Return the graph of a sample without the errors that rules can see."""
    return mended(sample.spoilt, sample.vocabulary)


def mend_exactly(sample: RefineSample) -> ActionGraph:
    """Return the graph of a sample as ``tsgkit refine`` makes it without a model."""
    return mend_graph(sample.spoilt, sample.vocabulary)[0]


def mended(graph: ActionGraph, vocabulary: Vocabulary) -> ActionGraph:
    """Return the graph with each triplet turned round that has fewer errors so, and a person where it has none."""
    graph = ActionGraph(dict.fromkeys(graph.triplets))
    if not graph.actions:
        graph = _with_person(graph, vocabulary)
    for place, triplet in enumerate(graph.triplets):
        turned = ActionGraph([*graph.triplets[:place], triplet.reversed, *graph.triplets[place + 1 :]])
        if _errors(turned, vocabulary) < _errors(graph, vocabulary):
            graph = turned
    return graph


def _with_person(graph: ActionGraph, vocabulary: Vocabulary) -> ActionGraph:
    """Return the graph with a person who does the action: the source of most edges that L lists as a verb."""
    if any(triplet.edge == VERB for triplet in graph.triplets if PERSON in triplet):
        return graph
    sources = [name for triplet in graph.triplets for name in (triplet.source, triplet.target)]
    actions = [name for name in sources if name in vocabulary.verbs]
    if not actions:
        return graph
    return ActionGraph([Triplet(PERSON, VERB, max(actions, key=actions.count)), *graph.triplets])


def _errors(graph: ActionGraph, vocabulary: Vocabulary) -> int:
    return sum(finding.severity == ERROR for finding in check_graph(graph, vocabulary))
