"""Votes on graphs and lists: the majority of triplets, the central list.

Only draws that could be read have a vote. A tie goes to the answer that was drawn first. Graphs are compared with all
others: where the draws hold too many of them, the longest draws have no vote, and a note says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.reading import Reading as GraphReading
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.replies import Unreadable
from tsgkit.scoring.alignment import in_order
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import overlap, triplets_of

Graphs = Sequence[ActionGraph]
Sets = Sequence[frozenset[object]]
MOST_GRAPHS = 2000
"""So many graphs, of all draws together, are compared each with each, which takes a few seconds."""


def voted_graphs(draws: Sequence[Graphs]) -> GraphAnswer | Unreadable:
    """Return the voted graphs of several draws, as an answer."""
    kept = comparable(draws)
    if not kept:
        return Unreadable(f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare")
    found = majority_graphs(kept)
    if not found:
        return Unreadable("no triplet has a majority")
    left_out = len(draws) - len(kept)
    note = f"{left_out} of {len(draws)} draws had no vote: the draws hold more than {MOST_GRAPHS} graphs"
    notes = (note,) if left_out else ()
    return GraphAnswer(found, GraphReading(found, (), ()), notes)


def comparable(draws: Sequence[Graphs]) -> list[Graphs]:
    """Return the draws that can be compared with each other: the shortest ones, as many as hold ``MOST_GRAPHS``
    together.
    """
    shortest_first = sorted(range(len(draws)), key=lambda place: len(draws[place]))
    totals = accumulate(len(draws[place]) for place in shortest_first)
    kept = {place for place, total in zip(shortest_first, totals, strict=True) if total <= MOST_GRAPHS}
    return [draw for place, draw in enumerate(draws) if place in kept]


def central_list(draws: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Return the list that is most similar to all others, by common subsequences; the first of equals.

    >>> central_list([("take", "put"), ("take", "wash", "put"), ("take", "wash", "put", "dry")])
    ('take', 'wash', 'put')
    """
    likeness = [math.fsum(common_subsequence(one, other).f1 for other in draws) for one in draws]
    return tuple(draws[likeness.index(max(likeness))])


def majority_graphs(draws: Sequence[Graphs]) -> tuple[ActionGraph, ...]:
    """Return the triplets that more than half of the draws have, graph by graph.

    The draw most similar to the others gives the order of graphs; the others are aligned to it in order. A graph
    without a majority for any triplet is left out.
    """
    sets = [[triplets_of(graph) for graph in draw] for draw in draws]
    centre = _centre(sets)
    votes: list[Counter[Triplet]] = [Counter() for _ in draws[centre]]
    for draw, mine in zip(draws, sets, strict=True):
        for place, other in in_order(_gains(sets[centre], mine)).pairs:
            votes[place].update(set(draw[other]))
    written = dict.fromkeys(triplet for draw in draws for graph in draw for triplet in graph)
    kept = [ActionGraph(triplet for triplet in written if found[triplet] * 2 > len(draws)) for found in votes]
    return tuple(graph for graph in kept if graph.triplets)


def _centre(draws: Sequence[Sets]) -> int:
    """Return the draw that is most like all others, the first of equals."""
    likeness = [math.fsum(_likeness(one, other) for other in draws) for one in draws]
    return likeness.index(max(likeness))


def _likeness(one: Sets, other: Sets) -> float:
    return in_order(_gains(one, other)).total / max(len(one), len(other), 1)


def _gains(one: Sets, other: Sets) -> list[list[float]]:
    return [[overlap(mine, theirs).f1 for theirs in other] for mine in one]
