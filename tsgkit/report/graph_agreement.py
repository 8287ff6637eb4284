"""Agreement of two annotators who made graphs of the same items.

found = graph_agreement(versions_of("ann.jsonl", "bob.jsonl"))
print(found.figures[0].value, found.figures[0].interval)

Graphs are paired within matched descriptions (:mod:`tsgkit.scoring.versions`). No figure depends on the order of the
annotators. docs/annotating.md defines the figures.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph, Kind, Vocabulary
from tsgkit.report.annotated_items import ItemPair, Versions
from tsgkit.report.plain_text import count, inert
from tsgkit.report.terminal import Screen, aligned
from tsgkit.scoring.intervals import Interval, interval
from tsgkit.scoring.pooling import Part, Pooling, pool
from tsgkit.scoring.set_agreement import BeyondChance, Presence, SetPair, presence_kappa, sets_alpha
from tsgkit.scoring.sets import edges_of, nodes_of, overlap, triplets_of
from tsgkit.scoring.versions import GraphPair

FEWEST_ITEMS = 5
"""With fewer items in both files the clusters of intervals are descriptions."""
KIND_OF = {Kind.ACTION: "actions", Kind.OBJECT: "objects", Kind.HAND: "hands"}
RELATIONSHIPS = "relationships"
KINDS = (*KIND_OF.values(), RELATIONSHIPS)
F1, MEAN_F1, EQUAL = "F1", "mean F1 of a graph", "share that is equal"
ALPHA, KAPPA, SAME_NUMBER = "Krippendorff's alpha (MASI)", "Cohen's kappa", "share with equally many graphs"
HEAD = ("agreement on", "measure", "value", "95 % interval", "n")
NAMED = 5
"""The number of items named in a note."""
Element = tuple[str, str]
"""The kind of an element, and its name."""


@dataclass(frozen=True)
class Figure:
    """One figure: its subject, its measure, and the number of units it is about."""

    on: str
    measure: str
    value: float | None
    n: int
    interval: Interval | None = None
    reason: str | None = None


@dataclass(frozen=True)
class ItemFigures:
    """The numbers of one item."""

    item: str
    graphs: tuple[int, int]
    unpaired: int
    differing: int
    f1: float | None
    equal: float | None


@dataclass(frozen=True)
class GraphAgreement:
    """The agreement of two annotators."""

    versions: Versions
    figures: tuple[Figure, ...]
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
            yield _item_figures(item)


@dataclass(frozen=True)
class _Pair:
    """A pair of graphs with its cluster and the elements of both."""

    pair: GraphPair
    cluster: str
    allowed: frozenset[Element]
    elements: tuple[frozenset[Element], frozenset[Element]]

    def presence(self, kinds: Sequence[str]) -> Presence:
        first, second, allowed = (_of_kinds(one, kinds) for one in (*self.elements, self.allowed))
        return Presence(first, second, allowed, self.cluster)


def graph_agreement(versions: Versions) -> GraphAgreement:
    """Return the agreement of two annotators on the items that both have."""
    by_item = len(versions.items) >= FEWEST_ITEMS
    spare = _spare_vocabulary(versions.items)
    both = list[_Pair]()
    alone: tuple[list[Part], list[Part]] = ([], [])
    same_number = list[Part]()
    for number, item in enumerate(versions.items):
        vocabulary = item.vocabulary
        allowed = _elements_of(vocabulary or spare)
        for pair in item.pairs:
            cluster = _cluster(number, pair.descriptions, by_item=by_item)
            if pair.first is not None and pair.second is not None:
                elements = (_elements(pair.first, vocabulary), _elements(pair.second, vocabulary))
                both.append(_Pair(pair, cluster, allowed, elements))
            else:
                graph = pair.second if pair.first is None else pair.first
                alone[pair.first is None].append(Part(0, len(graph or ()), cluster))
        same_number += _same_number(item, number, by_item=by_item)
    outside = {element for one in both for side in one.elements for element in side - one.allowed}
    left, right = len(alone[0]), len(alone[1])
    return GraphAgreement(
        versions,
        tuple(_figures(both, (*alone[0], *alone[1]), same_number)),
        "items" if by_item else "descriptions",
        len({one.cluster for one in both}),
        len(same_number),
        _only_descriptions(versions.items),
        (len(both) + left, len(both) + right),
        (left, right),
        tuple(sorted({name for _, name in outside})),
        sum(item.vocabulary is None for item in versions.items),
    )


def _figures(both: Sequence[_Pair], alone: Sequence[Part], same_number: Sequence[Part]) -> Iterator[Figure]:
    """Yield the figures by graph, by element, and of the decomposition."""
    triplets = list(_overlaps(both, triplets_of))
    yield _share("triplets of paired graphs", F1, triplets)
    yield _share("triplets of all graphs", F1, [*triplets, *alone])
    yield _share("paired graphs", MEAN_F1, [Part(_ratio(part), 1, part.cluster) for part in triplets])
    yield _share("paired graphs", EQUAL, [Part(float(not one.pair.differs), 1, one.cluster) for one in both])
    units = [SetPair(frozenset(one.pair.first or ()), frozenset(one.pair.second or ()), one.cluster) for one in both]
    yield _beyond_chance("paired graphs", ALPHA, sets_alpha(units))
    yield _share("node names", F1, list(_overlaps(both, nodes_of)))
    yield _share("edge labels", F1, list(_overlaps(both, edges_of)))
    yield _beyond_chance("elements of L", KAPPA, presence_kappa(one.presence(KINDS) for one in both))
    for kind in KINDS:
        parts = [
            _part(_of_kinds(one.elements[0], (kind,)), _of_kinds(one.elements[1], (kind,)), one.cluster) for one in both
        ]
        yield _share(kind, F1, parts)
        yield _beyond_chance(kind, KAPPA, presence_kappa(one.presence((kind,)) for one in both))
    yield _share("descriptions", SAME_NUMBER, same_number)


def _share(on: str, measure: str, parts: Sequence[Part]) -> Figure:
    """Return a pooled share; units without weight, as empty graphs of both, are left out."""
    found = pool(parts, Pooling.POOLED)
    n = sum(part.weight > 0 for part in parts)
    if found.value is None:
        return Figure(on, measure, None, 0, reason="neither has any")
    return Figure(on, measure, found.value, n, interval(parts, Pooling.POOLED))


def _beyond_chance(on: str, measure: str, found: BeyondChance) -> Figure:
    return Figure(on, measure, found.value, found.n, found.interval, found.reason)


def _overlaps(both: Iterable[_Pair], part: Callable[[ActionGraph], frozenset[object]]) -> Iterator[Part]:
    for one in both:
        if one.pair.first is not None and one.pair.second is not None:
            yield _part(part(one.pair.first), part(one.pair.second), one.cluster)


def _part(first: frozenset[Any], second: frozenset[Any], cluster: str) -> Part:
    """Return the contribution of a pair of sets to a pooled F1."""
    found = overlap(first, second)
    return Part(2 * found.right, found.said + found.wanted, cluster)


def _ratio(part: Part) -> float:
    """Return the F1 of one pair; 1 for two empty graphs."""
    return part.sum / part.weight if part.weight else 1.0


def _cluster(item: int, descriptions: tuple[int | None, int | None], *, by_item: bool) -> str:
    return str(item) if by_item else f"{item}/{descriptions[0]}/{descriptions[1]}"


def _same_number(item: ItemPair, number: int, *, by_item: bool) -> Iterator[Part]:
    """Yield whether both made equally many graphs of each matched description."""
    if item.is_flat:
        same = len(item.first.narrative.graphs) == len(item.second.narrative.graphs)
        yield Part(float(same), 1, _cluster(number, (0, 0), by_item=by_item))
        return
    mine, theirs = item.first.narrative.descriptions, item.second.narrative.descriptions
    for left, right in item.descriptions:
        if left is not None and right is not None and (mine[left].graphs or theirs[right].graphs):
            same = len(mine[left].graphs) == len(theirs[right].graphs)
            yield Part(float(same), 1, _cluster(number, (left, right), by_item=by_item))


def _only_descriptions(items: Iterable[ItemPair]) -> tuple[int, int]:
    places = [place for item in items if not item.is_flat for place in item.descriptions]
    return sum(right is None for _, right in places), sum(left is None for left, _ in places)


def _spare_vocabulary(items: Iterable[ItemPair]) -> Vocabulary:
    """Return all names that either annotator used in items without L, which stand for it there."""
    without = (item for item in items if item.vocabulary is None)
    return Vocabulary.of(
        graph for item in without for side in (item.first, item.second) for graph in side.narrative.graphs
    )


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


@lru_cache(maxsize=4096)
def _of_kinds(elements: frozenset[Element], kinds: Sequence[str]) -> frozenset[Element]:
    if kinds == KINDS:
        return elements
    return frozenset(element for element in elements if element[0] in kinds)


def _item_figures(item: ItemPair) -> ItemFigures:
    graphs = (len(item.first.narrative.graphs), len(item.second.narrative.graphs))
    both = [pair for pair in item.pairs if pair.first is not None and pair.second is not None]
    parts = [_part(frozenset(pair.first or ()), frozenset(pair.second or ()), "") for pair in both]
    equal = sum(not pair.differs for pair in both) / len(both) if both else None
    f1 = pool(parts, Pooling.POOLED).value
    return ItemFigures(item.item, graphs, len(item.pairs) - len(both), len(item.disagreements), f1, equal)


def agreement_value(found: GraphAgreement, *, by_item: bool = False) -> dict[str, Any]:
    """Return the JSON value of an agreement; a value or interval that is undefined is null, with a reason."""
    versions = found.versions
    value = {
        "first": versions.first.file,
        "second": versions.second.file,
        "items": len(versions.items),
        "matched_by": "position" if versions.by_position else "id",
        "only_first": [entry.item for entry in versions.only_first],
        "only_second": [entry.item for entry in versions.only_second],
        "descriptions": found.descriptions,
        "only_descriptions": list(found.only_descriptions),
        "graphs": list(found.graphs),
        "unpaired_graphs": list(found.unpaired),
        "disagreements": versions.disagreements,
        "texts_that_differ": sum(1 for item in versions.items for _ in item.differing_texts()),
        "vocabularies_that_differ": [item.item for item in versions.items if item.differs_in_vocabulary],
        "items_without_vocabulary": found.without_vocabulary,
        "outside_vocabulary": list(found.outside),
        "clusters": {"of": found.clusters, "n": found.cluster_count},
        "measures": [_figure_value(one) for one in found.figures],
    }
    if by_item:
        value["by"] = {"item": [_item_value(one) for one in found.items]}
    return value


def _figure_value(one: Figure) -> dict[str, Any]:
    low, high = (one.interval.low, one.interval.high) if one.interval is not None else (None, None)
    described = {"on": one.on, "measure": one.measure, "value": one.value, "low": low, "high": high}
    return {**described, "n": one.n, "reason": one.reason}


def _item_value(one: ItemFigures) -> dict[str, Any]:
    counted = {"item": one.item, "graphs": list(one.graphs), "unpaired": one.unpaired, "disagreements": one.differing}
    return {**counted, "f1": one.f1, "equal": one.equal}


def graph_agreement_lines(agreement: GraphAgreement, screen: Screen, *, by_item: bool) -> Iterator[str]:
    """Yield the agreement of two annotators as text; ``by_item``: with a row for each item."""
    versions = agreement.versions
    one, two = map(inert, versions.names)
    yield f"{one} and {two}: {count(len(versions.items), 'item')}, {count(agreement.descriptions, 'description')}"
    graphs = f"{agreement.graphs[0]:,} and {agreement.graphs[1]:,} graphs"
    yield f"  {graphs}; without a partner: {agreement.unpaired[0]:,} of {one}, {agreement.unpaired[1]:,} of {two}"
    rows: list[Sequence[str]] = [HEAD]
    for figure in agreement.figures:
        span = "-" if figure.interval is None else f"{figure.interval.low:.3f} to {figure.interval.high:.3f}"
        rows.append((figure.on, figure.measure, _decimal(figure.value), span, f"{figure.n:,}"))
    yield from aligned(rows, 2, screen)
    if by_item:
        yield ""
        head = ("item", *versions.names, "unpaired", "disagreements", "F1 of triplets", "equal")
        items: list[Sequence[str]] = [head]
        for item in agreement.items:
            counts = (f"{number:,}" for number in (*item.graphs, item.unpaired, item.differing))
            items.append((item.item, *counts, _decimal(item.f1), _decimal(item.equal)))
        yield from aligned(items, 1, screen)
    for note in _notes(agreement):
        yield f"  {note}"
    if not versions.disagreements:
        yield "  no graph differs"
        return
    settled = f"settled{Path(versions.first.file).suffix}"
    words = shlex.join(["tsgkit", "view", versions.first.file, versions.second.file, "--edit", "-o", settled])
    yield f"  {count(versions.disagreements, 'graph differs', 'graphs differ')}; to settle: {inert(words)}"


def _decimal(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _notes(agreement: GraphAgreement) -> Iterator[str]:
    if agreement.cluster_count > 1:
        yield f"intervals: over {agreement.cluster_count:,} {agreement.clusters}, which are taken as independent"
    elif agreement.cluster_count == 1:
        cluster = agreement.clusters.removesuffix("s")
        yield f"no intervals: all paired graphs are of one {cluster}; at least two are needed"
    else:
        yield "no graph of one has a partner of the other"
    for figure in agreement.figures:
        if figure.reason:
            yield f"no value for {figure.on}, {figure.measure}: {figure.reason}"
    if agreement.without_vocabulary:
        items = count(agreement.without_vocabulary, "item")
        yield f"{items} without L: all names that either annotator used there stand for it"
    if agreement.outside:
        yield f"kappa leaves out {count(len(agreement.outside), 'name')} outside L: {_listed(agreement.outside)}"
    versions = agreement.versions
    if versions.by_position:
        yield "items are matched by position: no id is in both files"
    for name, entries in zip(versions.names, (versions.only_first, versions.only_second), strict=True):
        if entries:
            items = _listed([entry.item for entry in entries])
            yield f"only in {inert(name)}: {count(len(entries), 'item')}, left out: {items}"
    if texts := sum(1 for item in versions.items for _ in item.differing_texts()):
        yield count(texts, "text of a description differs", "texts of descriptions differ")
    if differing := [item.item for item in versions.items if item.differs_in_vocabulary]:
        items = f"{count(len(differing), 'item')} with another L in each file"
        yield f"{items}, which count together as L: {_listed(differing)}"
    if alone := [item.item for item in versions.items if item.has_vocabulary_of_one]:
        yield f"{count(len(alone), 'item')} with L in one file alone: {_listed(alone)}"
    if any(agreement.only_descriptions):
        (one, two), (left, right) = map(inert, versions.names), agreement.only_descriptions
        yield f"descriptions without a partner: {left:,} of {one}, {right:,} of {two}"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(inert, names[:NAMED])) + more
