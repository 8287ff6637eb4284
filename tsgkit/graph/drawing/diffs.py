"""Drawing of the difference of two graphs: equal, missing, extra, reversed and mismatched triplets, wrong hands.

>>> from tsgkit.graph.model import ActionGraph
>>> reference = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> candidate = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> svg = draw_diff(reference, candidate, [])
>>> [words in svg for words in ("matched: 1", "− missing: 1", "+ extra: 1", "reversed")]
[True, True, True, False]

A difference shows in the dash pattern and in a mark before its label, never by colour alone. Triplets that no change
mentions are drawn too: those of both graphs as matched, those of one as missing or extra.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple, Protocol

from tsgkit.graph.drawing.document import Entry, Sketch, image, kind_entries, notice
from tsgkit.graph.drawing.layout import Size
from tsgkit.graph.drawing.node_shapes import BLUE, GREEN, ORANGE, PURPLE, VERMILION
from tsgkit.graph.drawing.sketch import Edge, Stroke, sketch
from tsgkit.graph.drawing.text import shown
from tsgkit.graph.model import VERB, ActionGraph, Kind, Node, Triplet, source_kind, target_kind

OUTSIDE = "not in L"


class DrawnChange(Protocol):
    """A change as a drawing needs it: its kind, its triplets, and their elements outside L."""

    @property
    def kind(self) -> str:
        """One of the kinds of ``MARKS``; another kind is drawn too, under its own name."""

    @property
    def reference(self) -> Triplet | None:
        """The triplet as expected."""

    @property
    def candidate(self) -> Triplet | None:
        """The triplet as found."""

    @property
    def outside(self) -> tuple[str, ...]:
        """Elements of the candidate's triplet that L does not allow."""


class Mark(NamedTuple):
    """The style of a kind of change: the sign before its labels, its line, and its legend."""

    sign: str
    stroke: Stroke
    meaning: str = ""


MATCHED = Mark("", Stroke("#333333"), "in both graphs")
OTHER = Mark("?", Stroke("#333333", "16 5", 2.0))
MARKS = {
    "missing": Mark("−", Stroke(VERMILION, "9 6", 2.0), "only in the reference"),
    "extra": Mark("+", Stroke(BLUE, "0.1 5", 2.6), "only in the candidate"),
    "reversed": Mark("⇄", Stroke(PURPLE, "14 5 0.1 5", 2.2), "hollow head: where it was expected to point"),
    "mismatched": Mark("≠", Stroke(ORANGE, "14 5 0.1 5 0.1 5", 2.2), "expected and found"),
    "wrong hand": Mark("≠hand", Stroke(GREEN, "5 5 14 5", 2.2), "expected and found"),
}
BESIDE = {
    "matched": "in both graphs",
    "missing": "only in the reference",
    "extra": "only in the answer",
    "reversed": "points the other way",
    "mismatched": "differs in one place",
    "wrong hand": "the other hand",
}
"""The meaning of the marks where two graphs stand beside each other."""
BEFORE_AND_AFTER = {"removed": "missing", "added": "extra"}
LEGEND_WIDTH = 420.0


class Sides(NamedTuple):
    """The drawings of a reference and of an answer, without legends."""

    reference: str
    candidate: str


def draw_diff(
    reference: ActionGraph, candidate: ActionGraph, changes: Sequence[DrawnChange], *, title: str = ""
) -> str:
    """Return both graphs in one SVG document, with each edge marked and a legend with counts."""
    told = [*changes, *_untold(reference, candidate, changes)]
    found = set(candidate.triplets)
    both = [triplet for triplet in dict.fromkeys(reference.triplets) if triplet in found]
    spoken = title or "Differences between two graphs"
    ends = _Ends.of(reference, candidate, told)
    edges = [_matched(triplet, ends) for triplet in both]
    edges += [edge for number, change in _numbered(told) for edge in _edges(change, number, ends)]
    if not edges:
        return notice("both graphs are empty", heading=title, title=spoken)
    counts = Counter(change.kind for change in told)
    notes = {node: OUTSIDE for change in told for node in _outsiders(change, ends)}
    kinds = {node.kind for edge in edges for node in (edge.source, edge.target)}
    legend = (kind_entries(kinds), _line_entries(len(both), counts))
    described = ", ".join([f"{len(both)} matched", *(f"{many} {kind}" for kind, many in counts.items())])
    described += "".join(f"; {edge.told}" for edge in edges)
    return image(sketch(edges, notes), legend, heading=title, title=spoken, description=described)


def draw_sides(
    reference: ActionGraph | None, candidate: ActionGraph | None, changes: Sequence[DrawnChange], *, title: str = ""
) -> Sides:
    """Return each graph as a drawing of its own, with the edges marked that differ from the other graph.

    A graph that is missing is said to be. The legend for several of them is that of :func:`draw_legend`.
    """
    expected, found = reference or ActionGraph(), candidate or ActionGraph()
    told = [*changes, *_untold(expected, found, changes)]
    ends, numbered = _Ends.of(expected, found, told), list(_numbered(told))
    common = set(expected.triplets) & set(found.triplets)
    notes = {node: OUTSIDE for change in told for node in _outsiders(change, ends)}
    drawn = []
    for graph, role in ((reference, "reference"), (candidate, "answer")):
        spoken = f"{title}, {role}" if title else role.capitalize()
        both = [triplet for triplet in dict.fromkeys((graph or ActionGraph()).triplets) if triplet in common]
        edges = [_matched(triplet, ends) for triplet in both]
        edges += [edge for number, change in numbered for edge in _edges_beside(change, role, number, ends)]
        drawn.append(_side(graph, edges, notes if role == "answer" else {}, spoken))
    return Sides(*drawn)


def _side(graph: ActionGraph | None, edges: Sequence[Edge], notes: dict[Node, str], title: str) -> str:
    if not edges:
        return notice("there is no graph" if graph is None else "empty graph", heading="", title=title)
    described = "; ".join(edge.told for edge in edges)
    return image(sketch(edges, notes), (), heading="", title=title, description=described)


def _edges_beside(change: DrawnChange, role: str, number: str, ends: _Ends) -> Iterator[Edge]:
    """Yield the edge that shows a change in the drawing of one of the graphs, if it has one there."""
    triplet = change.reference if role == "reference" else change.candidate
    if triplet is None:
        return
    mark = MARKS.get(change.kind, OTHER)
    label = shown(triplet.edge) if role == "reference" else _label(triplet, change)
    sign = (f"[{number}] " if number else "") + f"{mark.sign} "
    source, target = ends(triplet)
    if change.kind == "reversed" and role == "answer" and change.reference is not None:
        target, source = ends(change.reference)
    yield Edge(source, target, sign + label, f"{change.kind}: {triplet}", mark.stroke)


def draw_marked(graph: ActionGraph, marks: Sequence[str | None] = (), *, title: str = "") -> str:
    """Return one graph without a legend; ``marks`` are kinds of differences of its triplets in their order.

    The kinds are those of ``MARKS``, and "removed" and "added" for a graph before and after a change.
    """
    edges = []
    kinds = chain(marks, repeat(None))
    for (source, label, target), triplet, kind in zip(graph.typed(), graph.triplets, kinds, strict=False):
        mark = MATCHED if kind in (None, "matched") else MARKS.get(BEFORE_AND_AFTER.get(kind, kind), OTHER)
        told = f"{kind}: {triplet}" if kind else str(triplet)
        edges.append(Edge(source, target, f"{mark.sign} {shown(label)}".strip(), told, mark.stroke))
    actions = " and ".join(map(shown, graph.actions))
    return _side(graph, edges, {}, title or (f"Graph of {actions}" if actions else "Graph without an action"))


def draw_legend(graphs: Sequence[ActionGraph], changes: Collection[str]) -> str:
    """Return the legend for drawings of these graphs beside each other, with these kinds of differences."""
    kinds = {node.kind for graph in graphs for node in graph.nodes()} or set(Kind)
    named = [*(kind for kind in MARKS if kind in changes), *sorted(set(changes) - MARKS.keys() - {"matched"})]
    lines = [_beside("matched", MATCHED)] if "matched" in changes else []
    lines += [_beside(kind, MARKS.get(kind, OTHER)) for kind in named]
    return image(
        Sketch((), Size(LEGEND_WIDTH, 0)),
        (kind_entries(kinds), lines),
        heading="",
        title="Legend of the graphs",
        description="; ".join(entry.words for entry in lines),
    )


def _beside(kind: str, mark: Mark) -> Entry:
    words = f"{mark.sign} {shown(kind)}".strip()
    return Entry(mark.stroke.line("M1,13 H37"), f"{words}: {BESIDE[kind]}" if kind in BESIDE else words)


@dataclass(frozen=True)
class _Told:
    """A change found by comparing the graphs."""

    kind: str
    reference: Triplet | None = None
    candidate: Triplet | None = None
    outside: tuple[str, ...] = ()


def _untold(reference: ActionGraph, candidate: ActionGraph, changes: Sequence[DrawnChange]) -> Iterator[_Told]:
    """Yield the triplets of one graph only that no change mentions."""
    expected, found = dict.fromkeys(reference.triplets), dict.fromkeys(candidate.triplets)
    told_expected = {change.reference for change in changes}
    told_found = {change.candidate for change in changes}
    for triplet in expected:
        if triplet not in found and triplet not in told_expected:
            yield _Told("missing", reference=triplet)
    for triplet in found:
        if triplet not in expected and triplet not in told_found:
            yield _Told("extra", candidate=triplet)


@dataclass(frozen=True)
class _Ends:
    """The nodes that a triplet joins in the union; an action of either graph is an action.

    A reversed triplet is typed as in the reference, so that ``open -> verb -> person`` does not make the person an
    action.
    """

    actions: frozenset[str]

    @classmethod
    def of(cls, reference: ActionGraph, candidate: ActionGraph, changes: Sequence[DrawnChange]) -> _Ends:
        """Return the reading of these two graphs."""
        reversed_ = {change.candidate for change in changes if change.kind == "reversed"}
        found = (triplet.target for triplet in candidate if triplet.edge == VERB and triplet not in reversed_)
        return cls(frozenset((*reference.actions, *found)))

    def __call__(self, triplet: Triplet) -> tuple[Node, Node]:
        source, edge, target = triplet
        kind = source_kind(source, tuple(self.actions & {source}), None)
        return Node(kind, source), Node(target_kind(edge, target, None), target)


def _numbered(changes: Sequence[DrawnChange]) -> Iterator[tuple[str, DrawnChange]]:
    """Yield each change with a number if it is one of several pairs of edges, so that the eye can pair them."""
    pairs = [change for change in changes if _is_pair(change)]
    count = 0
    for change in changes:
        count += _is_pair(change)
        yield (str(count) if _is_pair(change) and len(pairs) > 1 else ""), change


def _is_pair(change: DrawnChange) -> bool:
    return change.kind != "reversed" and change.reference is not None and change.candidate is not None


def _matched(triplet: Triplet, ends: _Ends) -> Edge:
    return Edge(*ends(triplet), shown(triplet.edge), told=f"matched: {triplet}", stroke=MATCHED.stroke)


def _edges(change: DrawnChange, number: str, ends: _Ends) -> Iterator[Edge]:
    """Yield the edges that show a change: one, or the expected and the found one."""
    mark = MARKS.get(change.kind, OTHER)
    sign = (f"[{number}] " if number else "") + f"{mark.sign} "
    if change.kind == "reversed" and change.reference is not None and change.candidate is not None:
        target, source = ends(change.reference)
        label = sign + _label(change.candidate, change)
        yield Edge(source, target, label, f"reversed: {change.candidate}", mark.stroke, other_way=True)
        return
    for triplet, role in ((change.reference, "expected"), (change.candidate, "found")):
        if triplet is None:
            continue
        named = _label(triplet, change) if role == "found" else shown(triplet.edge)
        told, suffix = (f"{change.kind}, {role}", f" ({role})") if _is_pair(change) else (change.kind, "")
        yield Edge(*ends(triplet), sign + named + suffix, f"{told}: {triplet}", mark.stroke)


def _label(triplet: Triplet, change: DrawnChange) -> str:
    return shown(triplet.edge) + (f" · {OUTSIDE}" if triplet.edge in change.outside else "")


def _outsiders(change: DrawnChange, ends: _Ends) -> Iterator[Node]:
    triplet = change.reference if change.kind == "reversed" else change.candidate
    if triplet is not None:
        yield from (node for node in ends(triplet) if node.name in change.outside)


def _line_entries(matched: int, counts: Counter[str]) -> list[Entry]:
    entries = [_entry(MATCHED, "matched", matched)] if matched else []
    kinds = [*(kind for kind in MARKS if kind in counts), *(kind for kind in counts if kind not in MARKS)]
    return entries + [_entry(MARKS.get(kind, OTHER), kind, counts[kind]) for kind in kinds]


def _entry(mark: Mark, kind: str, count: int) -> Entry:
    words = f"{mark.sign} {shown(kind)}: {count}".strip() + (f" ({mark.meaning})" if mark.meaning else "")
    return Entry(mark.stroke.line("M1,13 H37"), words)
