"""Agreement of two annotators who made graphs of the same items.

found = graph_agreement(versions_of("ann.jsonl", "bob.jsonl"))
print(found.measures[0].agreement.value, found.measures[0].agreement.interval)

Graphs are paired within matched descriptions (:mod:`tsgkit.scoring.versions`). No figure depends on the order of the
annotators. docs/annotating.md defines the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.report.annotated_items import Versions
from tsgkit.scoring.agreement import Agreement, MeasuredAgreement, Presence, SetPair, presence_kappa, sets_alpha
from tsgkit.scoring.intervals import interval
from tsgkit.scoring.pooling import Part, Pooling, pool
from tsgkit.scoring.set_scores import edges_of, nodes_of, triplets_of

FEWEST_ITEMS = 5
"""With fewer items in both files the clusters of intervals are descriptions."""
KIND_OF = {Kind.ACTION: "actions", Kind.OBJECT: "objects", Kind.HAND: "hands"}
RELATIONSHIPS = "relationships"
KINDS = (*KIND_OF.values(), RELATIONSHIPS)
F1 = "F1"
Element = tuple[str, str]
"""The kind of an element, and its name."""


@dataclass(frozen=True)
class ItemFigures:
    """The numbers of one item."""

    item: str
    graphs: tuple[int, int]
    unpaired: int
    disagreements: int
    f1: float | None
    equal: float | None


@dataclass(frozen=True)
class GraphAgreement:
    """The agreement of two annotators."""

    versions: Versions
    measures: tuple[MeasuredAgreement, ...]
    clusters: str
    """The unit over which intervals are computed: items or descriptions."""
    cluster_count: int
    descriptions: int
    only_descriptions: tuple[int, int]
    """The numbers of descriptions that only the first and only the second has."""
    graphs: tuple[int, int]
    unpaired: tuple[int, int]
    outside: tuple[str, ...]
    """Elements that somebody used outside L; kappa leaves them out."""
    without_vocabulary: int
    """The number of items without L."""

    @property
    def items(self) -> Iterator[ItemFigures]:
        """The figures of each item."""
        for item in self.versions.items:
            graphs = (len(item.first.narrative.graphs), len(item.second.narrative.graphs))
            both = [
                (pair.first, pair.second) for pair in item.pairs if pair.first is not None and pair.second is not None
            ]
            f1 = pool((_f1_part(frozenset(first), frozenset(second), "") for first, second in both), Pooling.POOLED)
            equal = sum(first == second for first, second in both) / len(both) if both else None
            unpaired, disagreements = len(item.pairs) - len(both), len(item.disagreements)
            yield ItemFigures(item.item, graphs, unpaired, disagreements, f1.value, equal)


class _Pair(NamedTuple):
    """A pair of graphs with the elements of both; ``uses`` knows their cluster."""

    first: ActionGraph
    second: ActionGraph
    uses: Presence


def graph_agreement(versions: Versions) -> GraphAgreement:
    """Return the agreement of two annotators on the items that both have."""
    by_item = len(versions.items) >= FEWEST_ITEMS
    without = [item for item in versions.items if item.vocabulary is None]
    spare = Vocabulary.of(  # all names that either annotator used in items without L, which stand for it there
        graph for item in without for side in (item.first, item.second) for graph in side.narrative.graphs
    )
    both = list[_Pair]()
    alone: tuple[list[Part], list[Part]] = ([], [])
    same_number, lone_descriptions = list[Part](), Counter[bool]()
    outside = set[str]()

    def cluster(item: int, descriptions: tuple[int | None, int | None]) -> str:
        return str(item) if by_item else f"{item}/{descriptions[0]}/{descriptions[1]}"

    for number, item in enumerate(versions.items):
        vocabulary = item.vocabulary
        allowed = _elements_of(vocabulary or spare)
        for pair in item.pairs:
            unit = cluster(number, pair.descriptions)
            if pair.first is not None and pair.second is not None:
                used = (_elements(pair.first, vocabulary), _elements(pair.second, vocabulary))
                outside |= {name for elements in used for _, name in elements - allowed}
                both.append(_Pair(pair.first, pair.second, Presence(*used, allowed, unit)))
            else:
                graph = pair.second if pair.first is None else pair.first
                alone[pair.first is None].append(Part(0, len(graph or ()), unit))
        sides = (item.first.narrative, item.second.narrative)
        if item.is_flat:
            same_number.append(Part(float(len(sides[0].graphs) == len(sides[1].graphs)), 1, cluster(number, (0, 0))))
            continue
        for left, right in item.descriptions:
            if left is None or right is None:
                lone_descriptions[left is None] += 1
            elif any(graphs := [sides[0].descriptions[left].graphs, sides[1].descriptions[right].graphs]):
                same_number.append(Part(float(len(graphs[0]) == len(graphs[1])), 1, cluster(number, (left, right))))
    unpaired = (len(alone[0]), len(alone[1]))
    return GraphAgreement(
        versions,
        tuple(_measures(both, (*alone[0], *alone[1]), same_number)),
        "items" if by_item else "descriptions",
        len({pair.uses.cluster for pair in both}),
        len(same_number),
        (lone_descriptions[False], lone_descriptions[True]),
        (len(both) + unpaired[0], len(both) + unpaired[1]),
        unpaired,
        tuple(sorted(outside)),
        len(without),
    )


def _measures(both: Sequence[_Pair], alone: Sequence[Part], same_number: Sequence[Part]) -> Iterator[MeasuredAgreement]:
    """Yield the agreement by graph, by element, and on the decomposition."""

    def f1_of(names: Callable[[ActionGraph], frozenset[object]]) -> list[Part]:
        return [_f1_part(names(pair.first), names(pair.second), pair.uses.cluster) for pair in both]

    triplets = f1_of(triplets_of)
    yield _share("triplets of paired graphs", F1, triplets)
    yield _share("triplets of all graphs", F1, [*triplets, *alone])
    of_graphs = [Part(part.sum / part.weight if part.weight else 1.0, 1, part.cluster) for part in triplets]
    yield _share("paired graphs", "mean F1 of a graph", of_graphs)
    equal = [Part(float(pair.first == pair.second), 1, pair.uses.cluster) for pair in both]
    yield _share("paired graphs", "share that is equal", equal)
    sets = (SetPair(frozenset(pair.first), frozenset(pair.second), pair.uses.cluster) for pair in both)
    yield MeasuredAgreement("paired graphs", sets_alpha(sets))
    yield _share("node names", F1, f1_of(nodes_of))
    yield _share("edge labels", F1, f1_of(edges_of))
    yield MeasuredAgreement("elements of L", presence_kappa(pair.uses for pair in both))
    for kind in KINDS:
        uses = [_of_kind(pair.uses, kind) for pair in both]
        yield _share(kind, F1, [_f1_part(used.first, used.second, used.cluster) for used in uses])
        yield MeasuredAgreement(kind, presence_kappa(uses))
    yield _share("descriptions", "share with equally many graphs", same_number)


def _share(on: str, measure: str, parts: Sequence[Part]) -> MeasuredAgreement:
    """Return a pooled share; units without weight, as empty graphs of both, are left out."""
    share = pool(parts, Pooling.POOLED)
    if share.value is None:
        return MeasuredAgreement(on, Agreement(None, measure, 0, reason="neither has any"))
    around = interval(parts, Pooling.POOLED)
    return MeasuredAgreement(on, Agreement(share.value, measure, share.items, interval=around))


def _f1_part(first: Set[object], second: Set[object], cluster: str) -> Part:
    """Return the contribution of a pair of sets to a pooled F1."""
    return Part(2 * len(first & second), len(first) + len(second), cluster)


@lru_cache(maxsize=64)
def _elements_of(vocabulary: Vocabulary) -> frozenset[Element]:
    """Return the elements that L allows, and those that are always allowed except the person."""
    return frozenset(
        [
            *((KIND_OF[Kind.ACTION], name) for name in vocabulary.verbs),
            *((KIND_OF[Kind.OBJECT], name) for name in vocabulary.objects if name not in (PERSON, *HANDS)),
            *((KIND_OF[Kind.HAND], name) for name in HANDS),
            *((RELATIONSHIPS, name) for name in (*vocabulary.relationships, VERB, DOBJ)),
        ]
    )


def _elements(graph: ActionGraph, vocabulary: Vocabulary | None) -> frozenset[Element]:
    nodes = ((KIND_OF[node.kind], node.name) for node in graph.nodes(vocabulary) if node.kind is not Kind.PERSON)
    return frozenset([*nodes, *((RELATIONSHIPS, triplet.edge) for triplet in graph.triplets)])


def _of_kind(uses: Presence, kind: str) -> Presence:
    first, second, allowed = (_named(elements, kind) for elements in uses[:3])
    return uses._replace(first=first, second=second, allowed=allowed)


@lru_cache(maxsize=4096)
def _named(elements: frozenset[Any], kind: str) -> frozenset[Any]:
    return frozenset(element for element in elements if element[0] == kind)
