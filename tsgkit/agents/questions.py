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
    questions = [
        _of_finding(finding, graphs, passage.vocabulary) for finding in findings if finding.code not in UNREMARKABLE
    ]
    questions += [_of_point(point) for point in points]
    return tuple(questions[:MOST_QUESTIONS])


def _of_finding(finding: Finding, graphs: Sequence[ActionGraph], vocabulary: Vocabulary | None) -> FindingQuestion:
    number = finding.place.graph
    if finding.code == GRAPH_COUNT or number is None:
        return FindingQuestion(f"{finding.message}: {ALL_ANEW}", finding.code, finding.message)
    graph, triplet = graphs[number], finding.place.triplet
    hint = f" ({finding.hint})" if finding.hint else ""
    return FindingQuestion(
        f"graph {number + 1}: {finding.code}: {finding.message}{hint}",
        finding.code,
        finding.message,
        number,
        None if triplet is None else graph.triplets[triplet],
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
    remedied = dict[tuple[Triplet, ...], ActionGraph]()
    for candidate in (*remedies(graph, finding, vocabulary), *_small_changes(graph, finding, vocabulary)):
        after = _faults(candidate, vocabulary)
        if after.total() < before.total() and not after - before:
            remedied.setdefault(candidate.triplets, candidate)
    return tuple(remedied.values())[:MOST_CHOICES]


def _faults(graph: ActionGraph, vocabulary: Vocabulary | None) -> Counter[str]:
    return Counter(finding.code for finding in check_graph(graph, vocabulary) if is_fault(finding))


def _small_changes(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the finding's triplet, or one with its names, reversed, joined to the action, or removed."""
    for old in _names_outside(finding, vocabulary):
        assert vocabulary is not None  # noqa: S101  (only L has an outside)
        is_edge = any(triplet.edge == old for triplet in graph)
        allowed = allowed_edges(vocabulary) if is_edge else allowed_nodes(vocabulary)
        for near in nearest(old, allowed, least=LEAST_ALIKE):
            yield ActionGraph(Triplet(*(near.name if name == old else name for name in triplet)) for triplet in graph)
    if len(graph.actions) == 1 and finding.code in JOINING:
        [action] = graph.actions
        for source in dict.fromkeys(triplet.source for triplet in graph if triplet.source in finding.elements):
            yield ActionGraph(
                triplet._replace(source=action) if triplet.source == source else triplet for triplet in graph
            )
    position = finding.place.triplet
    meant = [position] if position is not None else _places_of(graph, finding)
    for number in meant:
        old_triplet = graph.triplets[number]
        changed = [old_triplet.reversed]
        if len(graph.actions) == 1 and old_triplet.edge != VERB and old_triplet.source != graph.actions[0]:
            changed.append(old_triplet._replace(source=graph.actions[0]))
        yield from (_with(graph, number, replaced) for replaced in changed if replaced not in graph)
    if position is not None and graph.triplets[position].edge != VERB:
        yield _with(graph, position)


def _names_outside(finding: Finding, vocabulary: Vocabulary | None) -> Sequence[str]:
    return finding.elements if vocabulary is not None and finding.code == "out-of-vocabulary" else ()


def _places_of(graph: ActionGraph, finding: Finding) -> list[int]:
    """Return the triplets of a finding about a whole graph: those whose names it tells, apart from the action's."""
    return [
        number
        for number, triplet in enumerate(graph.triplets)
        if triplet.edge != VERB
        and (triplet.source in finding.elements or (triplet.edge == DOBJ and triplet.target in finding.elements))
    ]


def _with(graph: ActionGraph, number: int, *triplets: Triplet) -> ActionGraph:
    return ActionGraph((*graph.triplets[:number], *triplets, *graph.triplets[number + 1 :]))


def edits_between(number: int, before: ActionGraph, after: ActionGraph) -> tuple[CandidateEdit, ...]:
    """Return the edits that make one graph the other."""
    if len(before.triplets) == len(after.triplets):
        pairs = zip(before.triplets, after.triplets, strict=True)
        return tuple(CandidateEdit(number, old, new) for old, new in pairs if old != new)
    if set(before.triplets) == set(after.triplets):
        repeats = (Counter(before.triplets) - Counter(after.triplets)).elements()
        return tuple(CandidateEdit(number, repeat, None) for repeat in repeats)
    return tuple(CandidateEdit(number, change.candidate, change.reference) for change in diff(after, before).changes)


def edited(graph: ActionGraph, edits: Sequence[CandidateEdit]) -> ActionGraph:
    """Return a graph with edits made; one whose triplet is not there, or there already, changes nothing."""
    for edit in edits:
        if edit.before is None or edit.before in graph:
            graph = exchanged(graph, edit.before, None if edit.after in graph else edit.after)
    return graph
