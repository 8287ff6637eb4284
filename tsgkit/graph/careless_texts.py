"""Graphs written carelessly, as models write them, and what tolerant reading leaves wrong of them.

>>> from tsgkit.graph.model import ActionGraph, Vocabulary
>>> graph = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "pot"), ("fill", "with", "hand1"))
>>> print(WRITINGS["articles"](graph, (), random.Random(0)))
person -> verb -> fill
fill -> dobj -> the pot
fill -> with -> hand1
>>> misread = careless_reading(graph, seed=1)
>>> misread.name, *map(str, misread.changes)
('cut-off', 'missing: fill -> with -> hand1')

A graph is written in one of the ways of :data:`WRITINGS` and read as the answer of a model is; a way whose text is
read as the graph that it was, or as another one altogether, makes no fault. The same seed writes the same graph in the
same way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tsgkit.errors import EditError
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Triplet
from tsgkit.graph.prompt_text import arrows
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.graph.slips import Slipped, inflections, slipped

SIDES = {"hand1": "right hand", "hand2": "left hand"}
Writing = Callable[[ActionGraph, Sequence[ActionGraph], random.Random], str]


def careless_reading(graph: ActionGraph, beside: Sequence[ActionGraph] = (), *, seed: int | str) -> Slipped:
    """Return what is read of a graph written carelessly; ``EditError`` where every way is read as it was.

    ``beside`` are the other graphs of the same sentence, which careless writers run into.
    """
    choice = random.Random(f"{seed}/reading/{sorted(graph.triplets)}")
    names = list(WRITINGS) if graph.triplets else []
    choice.shuffle(names)
    for name in names:
        answer = read_graphs(WRITINGS[name](graph, beside, choice), 1)
        if isinstance(answer, GraphAnswer) and (slip := slipped(graph, answer.graphs[0], name)):
            return slip
    raise EditError("this graph is empty, or read as it was in whatever way it is written")


def _lines(graph: ActionGraph, written: Callable[[Triplet], str]) -> str:
    return "\n".join(map(written, graph.triplets))


def _arrow(triplet: Sequence[str]) -> str:
    return " -> ".join(triplet)


def _renamed(rename: Callable[[str], str], *, once: bool = False) -> Writing:
    """Return the way that writes the names of things otherwise: all of them, or one."""

    def write(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
        names = dict.fromkeys(name for triplet in graph.triplets for name in (triplet.source, triplet.target))
        things = [name for name in names if name and name not in (PERSON, *HANDS, *graph.actions)]
        chosen = [choice.choice(things)] if once and things else things
        return _lines(graph, lambda triplet: _arrow([rename(part) if part in chosen else part for part in triplet]))

    return write


def _plural(name: str) -> str:
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")


def _hands_in_words(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    return _lines(graph, lambda triplet: _arrow([SIDES.get(part, part) for part in triplet]))


def _inflected(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """The action as the sentence has it, wherever it is not the target of verb."""
    form = {action: choice.choice(inflections(action) or [action]) for action in graph.actions}
    return _lines(
        graph, lambda triplet: _arrow((form.get(triplet.source, triplet.source), triplet.edge, triplet.target))
    )


def _without_an_arrow(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    at = choice.randrange(len(graph))
    words = ("{} {} {}", "{} -> {} {}", "{} {} -> {}")
    lines = [_arrow(triplet) for triplet in graph.triplets]
    lines[at] = choice.choice(words).format(*graph.triplets[at])
    return "\n".join(lines)


def _chained(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """Two edges of the action in one line."""
    *lines, last = map(_arrow, graph.triplets)
    if not lines:
        return last
    _, edge, target = graph.triplets[-1]
    return "\n".join([*lines[:-1], f"{lines[-1]} -> {edge} -> {target}"])


def _listed(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """The targets of edges of one kind together: *take -> with -> hand1, hand2*."""
    together: dict[tuple[str, str], list[str]] = {}
    for triplet in graph.triplets:
        together.setdefault((triplet.source, triplet.edge), []).append(triplet.target)
    return "\n".join(f"{source} -> {edge} -> {' and '.join(targets)}" for (source, edge), targets in together.items())


def _in_prose(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """The edges of the person and the object as triplets, the others written in a sentence."""
    relations = [triplet for triplet in graph.triplets if triplet.edge not in (VERB, DOBJ)]
    kept = [triplet for triplet in graph.triplets if triplet not in relations]
    sentence = (
        f"This is done {' and '.join(f'{triplet.edge} the {triplet.target}' for triplet in relations)}."
        if relations
        else ""
    )
    return "\n".join([*map(_arrow, kept), sentence])


def _split(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """The graph in two, each with its person."""
    verbs = [triplet for triplet in graph.triplets if triplet.edge == VERB]
    others = [triplet for triplet in graph.triplets if triplet.edge != VERB]
    half = max(1, len(others) // 2)
    parts = ([*verbs, *others[:half]], [*verbs, *others[half:]])
    return "\n\n".join("\n".join(map(_arrow, part)) for part in parts)


def _run_on(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """The beginning of the sentence's next action in the same graph."""
    more = next((neighbour.triplets[:2] for neighbour in neighbours if neighbour != graph), ())
    return "\n".join(map(_arrow, (*graph.triplets, *more)))


def _cut_off(graph: ActionGraph, neighbours: Sequence[ActionGraph], choice: random.Random) -> str:
    """A text that ends within its last triplet."""
    text = arrows(graph)
    return text[: text.rfind("->") + 2]


WRITINGS: dict[str, Writing] = {
    "articles": _renamed(lambda name: f"the {name}"),
    "plurals": _renamed(_plural, once=True),
    "spaces": _renamed(lambda name: name.replace("-", " ")),
    "hands-in-words": _hands_in_words,
    "inflected": _inflected,
    "missing-arrow": _without_an_arrow,
    "chained": _chained,
    "listed": _listed,
    "prose": _in_prose,
    "split": _split,
    "run-on": _run_on,
    "cut-off": _cut_off,
}
"""The ways of careless writers by name."""
