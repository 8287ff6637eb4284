"""Random answers in the published form.

>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
>>> guess_name(QuestionSample(item_id="0", cluster="", graphs=(graph,), question="What?", answer="jar"), seed=1)
'jar'
>>> L = Vocabulary(objects=("jar",), relationships=("with",), verbs=("open",))
>>> item = GenerationSample(item_id="0", cluster="", context=(), sentence="", vocabulary=L, references=(graph,))
>>> print(*guess_graphs(item, 0))
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
from tsgkit.suites.tsg.baselines.answer_text import can_be_said
from tsgkit.suites.tsg.baselines.elements import Elements, elements_of
from tsgkit.suites.tsg.baselines.partial_graphs import action_of
from tsgkit.suites.tsg.items import (
    LETTERS,
    ActionsSample,
    EdgesSample,
    GenerationSample,
    NodesSample,
    QuestionSample,
    RefineSample,
    Sample,
    SelectionSample,
)


def guess_name(item: QuestionSample, seed: int) -> str:
    """Draw the answer to a question."""
    return _draw(item, seed).choice(things_of(item.graphs))


def guess_letter(item: SelectionSample, seed: int) -> str:
    """Draw a candidate."""
    return _draw(item, seed).choice(LETTERS[: len(item.candidates)])


def guess_nodes(item: NodesSample, seed: int) -> list[str]:
    """Draw nodes."""
    draw = _draw(item, seed)
    return [PERSON, *_several(elements_of(item.vocabulary).things, draw), draw.choice(HANDS)]


def guess_actions(item: ActionsSample, seed: int) -> Sequence[str]:
    """Draw actions."""
    draw, elements = _draw(item, seed), elements_of(item.vocabulary)
    return draw.choices(elements.actions, k=draw.randint(2, 4)) if elements.actions else ()


def guess_edges(item: EdgesSample, seed: int) -> list[ActionGraph]:
    """Draw the edges between given nodes."""
    draw = _draw(item, seed)
    return [_joined(nodes, item, draw) for nodes in item.nodes]


def guess_repair(item: RefineSample, seed: int) -> ActionGraph:
    """Draw a change of a graph with a seeded error."""
    return _changed(item.spoilt, _draw(item, seed))


def guess_graphs(item: GenerationSample, seed: int) -> list[ActionGraph]:
    """Draw as many graphs as are asked for."""
    draw, elements = _draw(item, seed), elements_of(item.vocabulary)
    return [_graph(elements, draw) for _ in range(item.k if elements.actions else 0)]


def _draw(item: Sample, seed: int) -> Random:
    return Random(f"{seed}/{item.item_id}")


def things_of(graphs: Iterable[ActionGraph]) -> list[str]:
    """Return the different names that edges other than verb lead to, hands apart, in order; person where there are
    none.
    """
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
    """Return a graph with one triplet turned round or gone."""
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
