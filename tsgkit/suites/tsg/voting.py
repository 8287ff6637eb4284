"""One answer out of several draws: the majority of words and letters, of triplets for graphs, the most central list.

>>> majority_word(["cup", "lid", "cup"]), majority_word(["lid", "cup"])
('cup', 'lid')

Only draws that could be read have a vote. A tie goes to the answer that was drawn first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.reading import Reading
from tsgkit.scoring.alignment import in_order
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import compare_graphs
from tsgkit.suites.tsg.judging import Answer
from tsgkit.suites.tsg.listing import Listed
from tsgkit.suites.tsg.strict import GraphAnswer, Unreadable

Read = tuple[Outcome, Answer | Unreadable | None]
Graphs = Sequence[ActionGraph]


def majority(reads: Sequence[Read]) -> Read:
    """The outcome and answer that several readings come to.

    A draw that ended in an error of the service leaves the whole open; where no draw could be read, the first one's
    outcome stands for all.
    """
    if any(outcome is Outcome.API_ERROR for outcome, _ in reads):
        return Outcome.API_ERROR, None
    words = [answer for _, answer in reads if isinstance(answer, str)]
    if words:
        return Outcome.ANSWERED, majority_word(words)
    lists = [answer.names for _, answer in reads if isinstance(answer, Listed)]
    if lists:
        return Outcome.ANSWERED, Listed(majority_list(lists))
    graphs = [answer.graphs for _, answer in reads if isinstance(answer, GraphAnswer)]
    if graphs:
        voted = majority_graphs(graphs)
        agreed = GraphAnswer(voted, Reading(voted, (), ())) if voted else Unreadable("no triplet has a majority")
        return (Outcome.ANSWERED if voted else Outcome.UNREADABLE), agreed
    return reads[0] if reads else (Outcome.MISSING, None)


def majority_word(words: Sequence[str]) -> str:
    """The commonest word; of equally common ones the first."""
    return Counter(words).most_common(1)[0][0]


def majority_list(draws: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The list that is most like all others, by what they have in common in order; of equals the first.

    >>> majority_list([("take", "put"), ("take", "wash", "put"), ("take", "wash", "put", "dry")])
    ('take', 'wash', 'put')
    """
    likeness = [math.fsum(common_subsequence(one, other).f1 for other in draws) for one in draws]
    return tuple(draws[likeness.index(max(likeness))])


def majority_graphs(draws: Sequence[Graphs]) -> tuple[ActionGraph, ...]:
    """The triplets that more than half of the draws have, graph by graph.

    The draw most like the others gives the order of graphs; the others are aligned to it in order. A graph of which
    no triplet has a majority is left out.
    """
    pivot = draws[_centre(draws)]
    votes: list[Counter[Triplet]] = [Counter() for _ in pivot]
    for draw in draws:
        for place, other in in_order(_gains(pivot, draw)).pairs:
            votes[place].update(set(draw[other]))
    written = dict.fromkeys(triplet for draw in draws for graph in draw for triplet in graph)
    kept = [ActionGraph(triplet for triplet in written if found[triplet] * 2 > len(draws)) for found in votes]
    return tuple(graph for graph in kept if graph.triplets)


def _centre(draws: Sequence[Graphs]) -> int:
    """The draw that is most like all others, the first of equals."""
    likeness = [math.fsum(_likeness(one, other) for other in draws) for one in draws]
    return likeness.index(max(likeness))


def _likeness(one: Graphs, other: Graphs) -> float:
    return in_order(_gains(one, other)).total / max(len(one), len(other), 1)


def _gains(one: Graphs, other: Graphs) -> list[list[float]]:
    return [[compare_graphs(mine, theirs).f1 for theirs in other] for mine in one]
