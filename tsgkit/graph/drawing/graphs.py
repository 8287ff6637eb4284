"""Drawings of one graph, of two graphs beside each other, and of their difference in one drawing.

>>> from tsgkit.graph.model import ActionGraph
>>> reference = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> candidate = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> svg = draw_graph(reference)
>>> svg.count('class="tsg-edge"'), svg.startswith("<svg ")
(2, True)
>>> svg = draw_diff(reference, candidate, [])
>>> [words in svg for words in ("matched: 1", "− missing: 1", "+ extra: 1", "reversed")]
[True, True, True, False]

A difference shows in the dash pattern and in a mark before its label, never by colour alone. Triplets that no change
mentions are drawn too: those of both graphs as matched, those of one as missing or extra.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Literal, NamedTuple

from tsgkit.graph.drawing.layout import Size
from tsgkit.graph.drawing.sketch import BLUE, GREEN, ORANGE, PURPLE, VERMILION, Edge, Stroke, kind_entries, sketch
from tsgkit.graph.drawing.svg import LegendEntry, Sketch, image, notice
from tsgkit.graph.drawing.text import shown
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.graph.model import VERB, ActionGraph, Kind, Node, Triplet, Vocabulary, source_kind, target_kind

OUTSIDE = "not in L"
MATCHED = "matched"
LEGEND_WIDTH = 420.0
Role = Literal["reference", "candidate"]


class ChangeMark(NamedTuple):
    """The style of a kind of change: the sign before its labels, its line, and its legends."""

    sign: str
    stroke: Stroke
    meaning: str = ""
    """In a drawing of both graphs."""
    beside: str = ""
    """Where two graphs stand beside each other."""


MARKS = {
    MATCHED: ChangeMark("", Stroke("#333333"), "in both graphs", "in both graphs"),
    "missing": ChangeMark("−", Stroke(VERMILION, "9 6", 2.0), "only in the reference", "only in the reference"),
    "extra": ChangeMark("+", Stroke(BLUE, "0.1 5", 2.6), "only in the candidate", "only in the answer"),
    "reversed": ChangeMark(
        "⇄", Stroke(PURPLE, "14 5 0.1 5", 2.2), "hollow head: where it was expected to point", "points the other way"
    ),
    "mismatched": ChangeMark(
        "≠", Stroke(ORANGE, "14 5 0.1 5 0.1 5", 2.2), "expected and found", "differs in one place"
    ),
    "wrong hand": ChangeMark("≠hand", Stroke(GREEN, "5 5 14 5", 2.2), "expected and found", "the other hand"),
}
OTHER = ChangeMark("?", Stroke("#333333", "16 5", 2.0))
BEFORE_AND_AFTER = {"removed": "missing", "added": "extra"}


class Sides(NamedTuple):
    """The drawings of a reference and of an answer, without legends."""

    reference: str
    candidate: str


def draw_graph(graph: ActionGraph, vocabulary: Vocabulary | None = None, *, title: str = "") -> str:
    """Return the graph as an SVG document. L, if known, separates verbs from objects where roles do not.

    A repeated triplet is one arrow whose label shows the count. An empty graph is drawn with a note.
    """
    if not graph.triplets:
        return notice("empty graph", heading=title, title=title or "Empty graph")
    times = Counter(graph.typed(vocabulary))
    edges = [
        Edge(source, target, shown(label) + (f" ×{many}" if many > 1 else ""))
        for (source, label, target), many in times.items()
    ]
    legend = kind_entries(node.kind for node in graph.nodes(vocabulary))
    described = f"{len(graph)} triplets: " + "; ".join(map(str, dict.fromkeys(graph.triplets)))
    return image(sketch(edges), (legend,), heading=title, title=title or _named(graph), description=described)


def draw_marked(graph: ActionGraph, marks: Sequence[str | None] = ()) -> str:
    """Return one graph without a legend; ``marks`` are kinds of differences of its triplets in their order.

    The kinds are those of ``MARKS``, and "removed" and "added" for a graph before and after a change.
    """
    edges, kinds = list[Edge](), chain(marks, repeat(None))
    for (source, label, target), triplet, kind in zip(graph.typed(), graph.triplets, kinds, strict=False):
        mark = MARKS.get(BEFORE_AND_AFTER.get(kind, kind), OTHER) if kind else MARKS[MATCHED]
        words, tooltip = f"{mark.sign} {shown(label)}".lstrip(), f"{kind}: {triplet}" if kind else str(triplet)
        edges.append(Edge(source, target, words, tooltip, mark.stroke))
    return _side(graph, edges, {}, _named(graph))


def draw_diff(reference: ActionGraph, candidate: ActionGraph, changes: Sequence[Change], *, title: str = "") -> str:
    """Return both graphs in one SVG document, with each edge marked and a legend with counts."""
    compared = _Comparison(reference, candidate, changes)
    edges = compared.matched(reference)
    counts = Counter({MATCHED: len(edges)} if edges else {})
    summary = [f"{len(edges)} matched"]
    for change, number in compared.numbered:
        counts[change.kind] += 1
        edges += compared.edges(change, number)
    spoken = title or "Differences between two graphs"
    if not edges:
        return notice("both graphs are empty", heading=title, title=spoken)
    summary += [f"{many} {kind}" for kind, many in counts.items() if kind != MATCHED]
    described = "; ".join([", ".join(summary), *(edge.tooltip for edge in edges)])
    kinds = kind_entries(node.kind for edge in edges for node in (edge.source, edge.target))
    lines = _line_entries(counts, lambda kind, mark: f": {counts[kind]}" + f" ({mark.meaning})" * bool(mark.meaning))
    return image(sketch(edges, compared.notes), (kinds, lines), heading=title, title=spoken, description=described)


def draw_sides(
    reference: ActionGraph | None, candidate: ActionGraph | None, changes: Sequence[Change], *, title: str = ""
) -> Sides:
    """Return each graph as a drawing of its own, with the edges marked that differ from the other graph.

    A graph that is missing is said to be. The legend for several of them is that of :func:`draw_legend`.
    """
    compared = _Comparison(reference or ActionGraph(), candidate or ActionGraph(), changes)

    def side(graph: ActionGraph | None, role: Role, name: str, notes: dict[Node, str]) -> str:
        edges = compared.matched(graph or ActionGraph())
        edges += [compared.edge(change, role, number) for change, number in compared.numbered if getattr(change, role)]
        return _side(graph, edges, notes, f"{title}, {name}" if title else name.capitalize())

    return Sides(side(reference, "reference", "reference", {}), side(candidate, "candidate", "answer", compared.notes))


def draw_legend(graphs: Sequence[ActionGraph], changes: Collection[str]) -> str:
    """Return the legend for drawings of these graphs beside each other, with these kinds of differences."""
    kinds = {node.kind for graph in graphs for node in graph.nodes()} or set(Kind)
    lines = _line_entries(sorted(changes), lambda _, mark: f": {mark.beside}" if mark.beside else "")
    described, blank = "; ".join(entry.words for entry in lines), Sketch((), Size(LEGEND_WIDTH, 0))
    legend = (kind_entries(kinds), lines)
    return image(blank, legend, heading="", title="Legend of the graphs", description=described)


def _named(graph: ActionGraph) -> str:
    actions = " and ".join(map(shown, graph.actions))
    return f"Graph of {actions}" if actions else "Graph without an action"


def _side(graph: ActionGraph | None, edges: Sequence[Edge], notes: dict[Node, str], title: str) -> str:
    if not edges:
        return notice("there is no graph" if graph is None else "empty graph", heading="", title=title)
    described = "; ".join(edge.tooltip for edge in edges)
    return image(sketch(edges, notes), (), heading="", title=title, description=described)


def _line_entries(kinds: Collection[str], meaning: Callable[[str, ChangeMark], str]) -> list[LegendEntry]:
    """Return the legend of kinds of differences, those of ``MARKS`` first."""
    entries = list[LegendEntry]()
    for kind in (*(kind for kind in MARKS if kind in kinds), *(kind for kind in kinds if kind not in MARKS)):
        mark = MARKS.get(kind, OTHER)
        words = f"{mark.sign} {shown(kind)}".lstrip() + meaning(kind, mark)
        entries.append(LegendEntry(mark.stroke.line("M1,13 H37"), words))
    return entries


class _Comparison:
    """Two graphs and all changes between them, those that the list of the caller lacks included."""

    def __init__(self, reference: ActionGraph, candidate: ActionGraph, changes: Sequence[Change]) -> None:
        self.common = set(reference.triplets) & set(candidate.triplets)
        reference_mentions = self.common.union(change.reference for change in changes)
        candidate_mentions = self.common.union(change.candidate for change in changes)
        missing = (triplet for triplet in dict.fromkeys(reference.triplets) if triplet not in reference_mentions)
        extra = (triplet for triplet in dict.fromkeys(candidate.triplets) if triplet not in candidate_mentions)
        self.changes = [*changes]
        self.changes += [Change(ChangeKind.MISSING, triplet, None) for triplet in missing]
        self.changes += [Change(ChangeKind.EXTRA, None, triplet) for triplet in extra]
        turned = {change.candidate for change in self.changes if change.kind == "reversed"}
        verbs = (triplet.target for triplet in candidate if triplet.edge == VERB and triplet not in turned)
        self.actions = frozenset((*reference.actions, *verbs))

    def ends(self, triplet: Triplet) -> tuple[Node, Node]:
        """Return the nodes that a triplet joins in the union; an action of either graph is an action.

        A reversed triplet is typed as in the reference, so that ``open -> verb -> person`` does not make the person an
        action.
        """
        source, edge, target = triplet
        kind = source_kind(source, tuple(self.actions & {source}), None)
        return Node(kind, source), Node(target_kind(edge, target, None), target)

    @property
    def notes(self) -> dict[Node, str]:
        """The nodes of the candidate out of L."""
        notes = dict[Node, str]()
        for change in self.changes:
            triplet = change.reference if change.kind == "reversed" else change.candidate
            ends = self.ends(triplet) if triplet is not None else ()
            notes |= {node: OUTSIDE for node in ends if node.name in change.outside}
        return notes

    @property
    def numbered(self) -> Iterator[tuple[Change, str]]:
        """The changes, with a number for each of several pairs of edges, so that the eye can pair them."""
        are_several = sum(map(_is_pair, self.changes)) > 1
        count = 0
        for change in self.changes:
            count += _is_pair(change)
            yield change, f"[{count}] " if are_several and _is_pair(change) else ""

    def matched(self, graph: ActionGraph) -> list[Edge]:
        """Return the edges of a graph that are in both."""
        both = (triplet for triplet in dict.fromkeys(graph.triplets) if triplet in self.common)
        stroke = MARKS[MATCHED].stroke
        return [Edge(*self.ends(each), shown(each.edge), f"matched: {each}", stroke) for each in both]

    def edge(self, change: Change, role: Role, number: str) -> Edge:
        """Return the edge that shows a change in the drawing of one of the graphs, which has one there."""
        mark, triplet = MARKS.get(change.kind, OTHER), getattr(change, role)
        source, target = self.ends(triplet)
        label = f"{number}{mark.sign} {shown(triplet.edge)}"
        if role == "candidate":
            if change.kind == "reversed" and change.reference is not None:
                target, source = self.ends(change.reference)
            label += f" · {OUTSIDE}" if triplet.edge in change.outside else ""
        return Edge(source, target, label, f"{change.kind}: {triplet}", mark.stroke)

    def edges(self, change: Change, number: str) -> Iterator[Edge]:
        """Yield the edges that show a change in one drawing: one, or the expected and the found one."""
        roles: dict[Role, str] = {"reference": "expected", "candidate": "found"}
        if not _is_pair(change) and change.reference is not None and change.candidate is not None:
            yield replace(self.edge(change, "candidate", number), other_way=True)
            return
        for role, name in roles.items():
            if getattr(change, role) is not None:
                edge = self.edge(change, role, number)
                tooltip = f"{change.kind}, {name}{edge.tooltip[len(change.kind) :]}"
                yield replace(edge, label=f"{edge.label} ({name})", tooltip=tooltip) if _is_pair(change) else edge


def _is_pair(change: Change) -> bool:
    return change.kind != "reversed" and change.reference is not None and change.candidate is not None
