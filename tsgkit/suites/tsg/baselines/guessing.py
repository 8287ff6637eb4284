"""Answers drawn at random, in the published form: what understanding nothing is worth.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> from tsgkit.suites.tsg.samples import GenerationSample
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
>>> guess(QuestionSample(item_id="0", cluster="", graphs=(graph,), question="What?", answer="jar"), seed=1)
'[jar]'
>>> L = Vocabulary(objects=("jar",), relationships=("with",), verbs=("open",))
>>> print(guess(GenerationSample(item_id="0", cluster="", context=(), sentence="", vocabulary=L, references=(graph,))))
person -> verb -> open
open -> dobj -> jar
open -> with -> hand2

The draw depends on the seed and the item's id alone. A letter is drawn from all candidates; an answer to a question
from the different names of things in the graphs (no action, no hand: nearly all answers are things); a graph is an
action, a direct object, a hand, and half of the time a place, all of L. Of derived tasks: nodes are the person, two
things and a hand, actions two to four of L, given nodes are joined to their action by labels of L, and of a graph to
mend one triplet is turned round or goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.suites.tsg.baselines.elements import Elements, elements_of
from tsgkit.suites.tsg.baselines.halves import action_of
from tsgkit.suites.tsg.baselines.writing import bracketed, can_be_said, graphs_text, listed
from tsgkit.suites.tsg.derived import ActionsSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.samples import LETTERS, AnySample, QuestionSample, SelectionSample


def guess(sample: AnySample, seed: int = 0) -> str:
    """A random answer that could be right."""
    draw = Random(f"{seed}/{sample.item_id}")
    if isinstance(sample, SelectionSample):
        return bracketed(draw.choice(LETTERS[: len(sample.candidates)]))
    if isinstance(sample, QuestionSample):
        return bracketed(draw.choice(things_of(sample.graphs)))
    elements = elements_of(sample.vocabulary)
    if isinstance(sample, NodesSample):
        return listed([PERSON, *_several(elements.things, draw), draw.choice(HANDS)])
    if isinstance(sample, ActionsSample):
        return listed(draw.choices(elements.actions, k=draw.randint(2, 4)) if elements.actions else ())
    if isinstance(sample, EdgesSample):
        return graphs_text(_joined(nodes, sample, draw) for nodes in sample.nodes)
    if isinstance(sample, RefineSample):
        return graphs_text([_changed(sample.spoilt, draw)])
    return graphs_text(_graph(elements, draw) for _ in range(sample.k if elements.actions else 0))


def things_of(graphs: Iterable[ActionGraph]) -> list[str]:
    """The different names that edges other than verb lead to, hands apart, in order; person where there are none."""
    triplets = (triplet for graph in graphs for triplet in graph.triplets)
    targets = dict.fromkeys(target for _, edge, target in triplets if edge != VERB)
    return [name for name in targets if can_be_said(name) and name not in (PERSON, *HANDS)] or [PERSON]


def _several(things: tuple[str, ...], draw: Random) -> list[str]:
    return draw.sample(things, min(2, len(things)))


def _joined(nodes: Sequence[str], sample: EdgesSample, draw: Random) -> ActionGraph:
    action = action_of(nodes, sample.vocabulary)
    labels = (*elements_of(sample.vocabulary).prepositions, DOBJ)
    others = [name for name in nodes if name not in (PERSON, action)]
    return ActionGraph([(PERSON, VERB, action), *((action, draw.choice(labels), name) for name in others)])


def _changed(graph: ActionGraph, draw: Random) -> ActionGraph:
    """A graph with one triplet turned round or gone."""
    triplets = list(graph.triplets)
    place = draw.randrange(len(triplets))
    triplets[place : place + 1] = [triplets[place].reversed] if len(triplets) == 1 or draw.random() < 0.5 else []
    return ActionGraph(triplets)


def _graph(elements: Elements, draw: Random) -> ActionGraph:
    action = draw.choice(elements.actions)
    triplets = [(PERSON, VERB, action)]
    if elements.things:
        triplets.append((action, "dobj", draw.choice(elements.things)))
        if elements.prepositions and draw.random() < 0.5:
            triplets.append((action, draw.choice(elements.prepositions), draw.choice(elements.things)))
    grips = elements.grips(draw.choice((HANDS[:1], HANDS[1:], HANDS)))
    return ActionGraph([*triplets, *((action, label, hand) for label, hand in grips)])
