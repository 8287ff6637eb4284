"""Questions to a model about graphs: numbered findings, each with its few candidate edits as lettered choices.

>>> from tsgkit.graph.model import Vocabulary
>>> L = Vocabulary(("kettle", "cup"), ("verb", "dobj", "with"), ("fill",))
>>> slip = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettles-lid"))
>>> passage = Passage((slip,), "She fills the kettle.", vocabulary=L)
>>> [question] = questions_of(passage, (slip,), passage.findings((slip,)), ())
>>> print(question)
graph 1: out-of-vocabulary: kettles-lid is not in L (kettle?)
   a: fill -> dobj -> kettle in place of fill -> dobj -> kettles-lid
   b: without fill -> dobj -> kettles-lid
   c: leave it as it is
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.agents.passages import GRAPH_COUNT, Passage, Point
from tsgkit.graph.edits import diff, exchanged
from tsgkit.graph.model import DOBJ, VERB, ActionGraph, Triplet, Vocabulary
from tsgkit.graph.prompt_text import allowed_edges, allowed_nodes
from tsgkit.graph.remedies import remedies
from tsgkit.graph.repairs import is_fault
from tsgkit.graph.rules import Finding, check_graph
from tsgkit.lexicon import nearest

UNREMARKABLE = ("homonym-loop", "no-dobj", "several-dobj", "not-a-preposition")
"""Warnings that are more often right than wrong: a model is not sent after them."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_CHOICES = 4
MOST_QUESTIONS = 40
LEAST_ALIKE = 0.7
"""The likeness at which a name of L is offered in place of one that L lacks."""
JOINING = ("disconnected", "dobj-source")
"""Findings that end when triplets start at the action."""
LEAVE = "leave it as it is"
ALL_ANEW = "in place of all other answers, write all graphs anew, with one blank line between two graphs"


class CandidateEdit(NamedTuple):
    """One triplet of a graph changed, added (``before`` is None) or removed (``after`` is None)."""

    graph: int
    before: Triplet | None
    after: Triplet | None

    def __str__(self) -> str:
        if self.after is None:
            return f"without {self.before}"
        return f"{self.after}" + (" added" if self.before is None else f" in place of {self.before}")


@dataclass(frozen=True)
class FindingQuestion:
    """A finding that a model decides about, its graph and triplet if known, and its choices, each a few edits."""

    text: str
    code: str
    reason: str
    graph: int | None = None
    triplet: Triplet | None = None
    choices: tuple[tuple[CandidateEdit, ...], ...] = ()

    def __str__(self) -> str:
        if self.graph is None:
            return self.text
        said = [*("; ".join(map(str, choice)) for choice in self.choices), LEAVE]
        return "\n".join([self.text, *(f"   {letter}: {one}" for letter, one in zip(LETTERS, said, strict=False))])


def questions_of(
    passage: Passage, graphs: Sequence[ActionGraph], findings: Sequence[Finding], points: Sequence[Point]
) -> tuple[FindingQuestion, ...]:
    """Return what is asked about graphs: what the rules find, and errors named without a remedy."""
    found = [_of_finding(one, graphs, passage.vocabulary) for one in findings if one.code not in UNREMARKABLE]
    found += [_of_point(point) for point in points]
    return tuple(found[:MOST_QUESTIONS])


def _of_finding(finding: Finding, graphs: Sequence[ActionGraph], vocabulary: Vocabulary | None) -> FindingQuestion:
    number = finding.place.graph
    if finding.code == GRAPH_COUNT or number is None:
        return FindingQuestion(f"{finding.message}: {ALL_ANEW}", finding.code, finding.message)
    graph, place = graphs[number], finding.place.triplet
    hint = f" ({finding.hint})" if finding.hint else ""
    return FindingQuestion(
        f"graph {number + 1}: {finding.code}: {finding.message}{hint}",
        finding.code,
        finding.message,
        number,
        None if place is None else graph.triplets[place],
        tuple(edits_between(number, graph, better) for better in candidates(graph, finding, vocabulary)),
    )


def _of_point(point: Point) -> FindingQuestion:
    if point.graph is None:
        return FindingQuestion(
            f"said to hold an error of the kind {point.kind}", f"hint-{point.kind}", f"said to be {point.kind}"
        )
    return FindingQuestion(str(point), f"critique-{point.kind}", str(point), point.graph, point.triplet)


def candidates(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> tuple[ActionGraph, ...]:
    """Return the few graphs in which a small change removes a fault; none of a finding that is no fault."""
    if not is_fault(finding):
        return ()
    before = _faults(graph, vocabulary)
    found = dict[tuple[Triplet, ...], ActionGraph]()
    for one in (*remedies(graph, finding, vocabulary), *_small_changes(graph, finding, vocabulary)):
        after = _faults(one, vocabulary)
        if after.total() < before.total() and not after - before:
            found.setdefault(one.triplets, one)
    return tuple(found.values())[:MOST_CHOICES]


def _faults(graph: ActionGraph, vocabulary: Vocabulary | None) -> Counter[str]:
    return Counter(one.code for one in check_graph(graph, vocabulary) if is_fault(one))


def _small_changes(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the finding's triplet, or one with its names, reversed, joined to the action, or removed."""
    for old in _names_outside(finding, vocabulary):
        assert vocabulary is not None  # noqa: S101  (only L has an outside)
        is_edge = any(one.edge == old for one in graph)
        allowed = allowed_edges(vocabulary) if is_edge else allowed_nodes(vocabulary)
        for near in nearest(old, allowed, least=LEAST_ALIKE):
            yield ActionGraph(Triplet(*(near.name if name == old else name for name in one)) for one in graph)
    if len(graph.actions) == 1 and finding.code in JOINING:
        [action] = graph.actions
        for source in dict.fromkeys(one.source for one in graph if one.source in finding.elements):
            yield ActionGraph(one._replace(source=action) if one.source == source else one for one in graph)
    place = finding.place.triplet
    meant = [place] if place is not None else _places_of(graph, finding)
    for number in meant:
        one = graph.triplets[number]
        changed = [one.reversed]
        if len(graph.actions) == 1 and one.edge != VERB and one.source != graph.actions[0]:
            changed.append(one._replace(source=graph.actions[0]))
        yield from (_with(graph, number, other) for other in changed if other not in graph)
    if place is not None and graph.triplets[place].edge != VERB:
        yield _with(graph, place)


def _names_outside(finding: Finding, vocabulary: Vocabulary | None) -> Sequence[str]:
    return finding.elements if vocabulary is not None and finding.code == "out-of-vocabulary" else ()


def _places_of(graph: ActionGraph, finding: Finding) -> list[int]:
    """Return the triplets of a finding about a whole graph: those whose names it tells, apart from the action's."""
    return [
        number
        for number, one in enumerate(graph.triplets)
        if one.edge != VERB
        and (one.source in finding.elements or (one.edge == DOBJ and one.target in finding.elements))
    ]


def _with(graph: ActionGraph, place: int, *triplets: Triplet) -> ActionGraph:
    return ActionGraph((*graph.triplets[:place], *triplets, *graph.triplets[place + 1 :]))


def edits_between(number: int, before: ActionGraph, after: ActionGraph) -> tuple[CandidateEdit, ...]:
    """Return the edits that make one graph the other."""
    if len(before.triplets) == len(after.triplets):
        pairs = zip(before.triplets, after.triplets, strict=True)
        return tuple(CandidateEdit(number, old, new) for old, new in pairs if old != new)
    if set(before.triplets) == set(after.triplets):
        repeats = (Counter(before.triplets) - Counter(after.triplets)).elements()
        return tuple(CandidateEdit(number, one, None) for one in repeats)
    return tuple(CandidateEdit(number, one.candidate, one.reference) for one in diff(after, before).changes)


def edited(graph: ActionGraph, edits: Sequence[CandidateEdit]) -> ActionGraph:
    """Return a graph with edits made; one whose triplet is not there, or there already, changes nothing."""
    for edit in edits:
        if edit.before is None or edit.before in graph:
            graph = exchanged(graph, edit.before, None if edit.after in graph else edit.after)
    return graph
