"""One answer out of several draws: the majority of words and letters, of triplets for graphs, the most central list.

>>> majority_word(["cup", "lid", "cup"]), majority_word(["lid", "cup"])
('cup', 'lid')

Only draws that could be read have a vote. A tie goes to the answer that was drawn first. Graphs are compared with all
others: where the draws hold too many of them, the longest draws have no vote, and a note says so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.reading import Reading
from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.scoring.alignment import in_order
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.sequences import common_subsequence
from tsgkit.scoring.sets import overlap, triplets_of
from tsgkit.suites.tsg.judging import Answer
from tsgkit.suites.tsg.strict import GraphAnswer

Read = tuple[Outcome, Answer | Unreadable | None]
Graphs = Sequence[ActionGraph]
Sets = Sequence[frozenset[object]]
MOST_GRAPHS = 2000
"""So many graphs, of all draws together, are compared each with each, which takes a few seconds."""


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
        return _vote(graphs)
    return reads[0] if reads else (Outcome.MISSING, None)


def _vote(draws: Sequence[Graphs]) -> Read:
    """The graphs that draws come to, as an answer."""
    kept = comparable(draws)
    if not kept:
        return Outcome.UNREADABLE, Unreadable(f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare")
    voted = majority_graphs(kept)
    if not voted:
        return Outcome.UNREADABLE, Unreadable("no triplet has a majority")
    left_out = len(draws) - len(kept)
    note = f"{left_out} of {len(draws)} draws had no vote: the draws hold more than {MOST_GRAPHS} graphs"
    return Outcome.ANSWERED, GraphAnswer(voted, Reading(voted, (), ()), (note,) if left_out else ())


def comparable(draws: Sequence[Graphs]) -> list[Graphs]:
    """The draws that can be compared with each other: the shortest ones, as many as hold ``MOST_GRAPHS`` together."""
    shortest_first = sorted(range(len(draws)), key=lambda place: len(draws[place]))
    totals = accumulate(len(draws[place]) for place in shortest_first)
    kept = {place for place, total in zip(shortest_first, totals, strict=True) if total <= MOST_GRAPHS}
    return [draw for place, draw in enumerate(draws) if place in kept]


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
    """The draw that is most like all others, the first of equals."""
    likeness = [math.fsum(_likeness(one, other) for other in draws) for one in draws]
    return likeness.index(max(likeness))


def _likeness(one: Sets, other: Sets) -> float:
    return in_order(_gains(one, other)).total / max(len(one), len(other), 1)


def _gains(one: Sets, other: Sets) -> list[list[float]]:
    return [[overlap(mine, theirs).f1 for theirs in other] for mine in one]
