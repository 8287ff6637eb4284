"""Pairs of graphs of two versions of one narrative: of two annotators, proposed and present, before and after.

>>> fill = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "cup"))
>>> lift = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "cup"))
>>> heavy = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "jug"))
>>> for pair in paired(Narrative.of([fill, lift]), Narrative.of([heavy])):
...     print(pair.graphs, pair.differs)
(0, None) True
(1, 0) True

Descriptions are matched by position where there are equally many, else by their texts, in order. Within matched
descriptions graphs are paired so that pairs share the most triplets, in order; where there are very many, equal graphs
are paired first, and only those between them so. As many graphs left on both sides of one gap are paired too, although
they share nothing. Graphs of a description without a partner have none either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate
from typing import NamedTuple

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.scoring.alignment import in_order

MOST_WEIGHED = 10_000
"""With more pairs of graphs in a description, after its equal beginning and end, equal graphs are paired first."""
MOST_COMPARED = 250_000
"""With more pairs of graphs in one gap they are paired by position."""


class GraphPair(NamedTuple):
    """A graph of the first version and its partner; None where one has none.

    ``descriptions`` are the numbers of their descriptions, ``graphs`` their own numbers along the narratives.
    """

    descriptions: tuple[int | None, int | None]
    graphs: tuple[int | None, int | None]
    first: ActionGraph | None
    second: ActionGraph | None

    @property
    def differs(self) -> bool:
        """Return whether the two are not the same set of triplets."""
        return self.first != self.second


def paired(first: Narrative, second: Narrative) -> tuple[GraphPair, ...]:
    """Return all graphs of both narratives, each once, in the order of the narratives."""
    numbers = (_first_numbers(first), _first_numbers(second))
    pairs = list[GraphPair]()
    for left, right in matched_descriptions(first, second):
        mine = () if left is None else first.descriptions[left].graphs
        theirs = () if right is None else second.descriptions[right].graphs
        start = 0 if left is None else numbers[0][left]
        right_start = 0 if right is None else numbers[1][right]
        for one, two in matched_graphs(mine, theirs):
            pairs.append(
                GraphPair(
                    (left, right),
                    (None if one is None else start + one, None if two is None else right_start + two),
                    None if one is None else mine[one],
                    None if two is None else theirs[two],
                )
            )
    return tuple(pairs)


def matched_descriptions(first: Narrative, second: Narrative) -> Iterator[tuple[int | None, int | None]]:
    """Yield the numbers of matched descriptions, in order; None where one has no partner."""
    texts = [[part.text or "" for part in narrative.descriptions] for narrative in (first, second)]
    if len(texts[0]) == len(texts[1]):
        yield from ((number, number) for number in range(len(texts[0])))
        return
    yield from _in_gaps(_equal(*texts), len(texts[0]), len(texts[1]))


def matched_graphs(
    first: Sequence[ActionGraph], second: Sequence[ActionGraph]
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the places of paired graphs, in order; None where one has no partner."""
    names: dict[ActionGraph, int] = {}
    known = [[names.setdefault(graph, len(names)) for graph in graphs] for graphs in (first, second)]
    anchors = _equal_ends(*known)
    if (len(first) - len(anchors)) * (len(second) - len(anchors)) > MOST_WEIGHED:
        anchors = _equal(*known)
    pairs = list[tuple[int, int]]()
    before = (0, 0)
    for one, two in [*anchors, (len(first), len(second))]:
        pairs += _most_alike(first, second, before, (one, two))
        pairs.append((one, two))
        before = (one + 1, two + 1)
    yield from _in_gaps(pairs[:-1], len(first), len(second))


def _first_numbers(narrative: Narrative) -> list[int]:
    """Return the number of each description's first graph along the narrative."""
    counts = (len(part.graphs) for part in narrative.descriptions)
    return list(accumulate(counts, initial=0))


def _equal_ends(first: Sequence[object], second: Sequence[object]) -> list[tuple[int, int]]:
    """Return the places of the equal parts with which both begin, then of those with which both end."""
    most = min(len(first), len(second))
    start = next((number for number in range(most) if first[number] != second[number]), most)
    end = next((number for number in range(most - start) if first[-1 - number] != second[-1 - number]), most - start)
    beginning = [(number, number) for number in range(start)]
    return [*beginning, *((len(first) - number, len(second) - number) for number in range(end, 0, -1))]


def _equal(first: Sequence[object], second: Sequence[object]) -> list[tuple[int, int]]:
    """Return the places of equal parts, without crossings."""
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]


def _most_alike(
    first: Sequence[ActionGraph], second: Sequence[ActionGraph], start: tuple[int, int], end: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the pairs within a gap that share the most triplets."""
    (left, right), (left_end, right_end) = start, end
    if left == left_end or right == right_end:
        return []
    if (left_end - left) * (right_end - right) > MOST_COMPARED:
        return list(zip(range(left, left_end), range(right, right_end), strict=False))
    mine = [frozenset(graph) for graph in first[left:left_end]]
    theirs = [frozenset(graph) for graph in second[right:right_end]]
    gains = [[len(one & two) + (0.5 if one == two else 0.0) for two in theirs] for one in mine]
    return [(left + one, right + two) for one, two in in_order(gains).pairs]


def _in_gaps(anchors: Sequence[tuple[int, int]], first: int, second: int) -> Iterator[tuple[int | None, int | None]]:
    """Yield the anchors, and before each what lies in the gap: as pairs if both sides have as many, else alone."""
    left, right = 0, 0
    for one, two in [*anchors, (first, second)]:
        if one - left == two - right:
            yield from zip(range(left, one), range(right, two), strict=True)
        else:
            yield from ((number, None) for number in range(left, one))
            yield from ((None, number) for number in range(right, two))
        if one < first:
            yield one, two
        left, right = one + 1, two + 1
