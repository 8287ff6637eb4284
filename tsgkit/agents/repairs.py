"""Exact repairs: what can be mended in a graph without asking anybody, each with the finding that is its reason.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> slip = ActionGraph.of(("wash", "verb", "person"), ("wash", "direct_object", "cup"), ("wash", "with", "hand1"))
>>> mended = mend(Narrative.of([slip]))
>>> for change in mended.changes:
...     print(change)
graph 0: person -> verb -> wash, was wash -> verb -> person [verb-source] (exact)
graph 0: wash -> dobj -> cup, was wash -> direct_object -> cup [edge-misspelt] (exact)
>>> mended.narrative.graphs[0].actions, mended.undecided
(('wash',), ())

A repair is made only where the rules find something, only where one remedy is left, and only if afterwards the rules
find less and nothing new. So a graph without findings is never touched. Hands are another matter: the rule for them
looks along the narrative, and a neighbour that is wrong can mislead it; their repairs are marked as less sure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tsgkit.graph.edits import diff, snap
from tsgkit.graph.hands import GRASPS, HandStep, trace
from tsgkit.graph.model import (
    DOBJ,
    HANDS,
    INSTANCE,
    PERSON,
    VERB,
    WITH,
    ActionGraph,
    Kind,
    Narrative,
    Triplet,
    Vocabulary,
)
from tsgkit.graph.rules import ERROR, MISSPELT, Finding, check_graph, check_narrative
from tsgkit.lexicon import fold, only_near

EXACT, LESS_SURE, MODEL = "exact", "less sure", "model"
SLIPS = ("duplicate", "disconnected")
"""Warnings that are as good as errors: nobody writes them on purpose."""
MOST_REPAIRS = 50
"""After so many repairs a graph is beyond repair."""
MOST_GRAPHS = 500
"""Longer narratives are not looked through for hands: every try looks along all of it."""
NUMBERED_HAND = re.compile(r"hand[-_ ]?([12])", re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """One triplet changed, added (``before`` is None) or taken out (``after`` is None), and why."""

    graph: int
    before: Triplet | None
    after: Triplet | None
    code: str
    reason: str
    by: str = EXACT
    round: int = 0

    def __str__(self) -> str:
        if self.after is None:
            what = f"without {self.before}"
        else:
            what = f"{self.after}" + (f", was {self.before}" if self.before is not None else ", which was missing")
        return f"graph {self.graph}: {what} [{self.code}] ({self.by})"


@dataclass(frozen=True)
class Mended:
    """A narrative after its repairs, the repairs, and the findings for which there was no one remedy."""

    narrative: Narrative
    changes: tuple[Change, ...]
    undecided: tuple[Finding, ...]


def mend(narrative: Narrative, *, hands: bool = True, start: int = 0) -> Mended:
    """The narrative with all exact repairs made, those of hands last; graphs before ``start`` are left alone."""
    graphs, changes = list(narrative.graphs), list[Change]()
    for number in range(start, len(graphs)):
        graphs[number], made = mend_graph(graphs[number], narrative.vocabulary)
        changes += [replace(change, graph=number) for change in made]
    narrative = narrative.with_graphs(graphs)
    if hands and len(graphs) <= MOST_GRAPHS:
        narrative, made = _mend_hands(narrative, start)
        changes += made
    left = (finding for finding in check_narrative(narrative) if (finding.place.graph or 0) >= start)
    return Mended(narrative, tuple(changes), tuple(filter(is_undecided, left)))


def is_fault(finding: Finding) -> bool:
    """Whether a finding says that a graph is wrong, rather than unusual."""
    return finding.severity == ERROR or finding.code in SLIPS


def is_undecided(finding: Finding) -> bool:
    """Whether a finding that is left says that something is to be decided: a fault, or hands that break their rule."""
    return is_fault(finding) or finding.code in HAND_CODES


def mend_graph(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> tuple[ActionGraph, list[Change]]:
    """One graph with its exact repairs made, and these."""
    changes: list[Change] = []
    while len(changes) < MOST_REPAIRS and (found := _next_repair(graph, vocabulary)) is not None:
        graph, made = found
        changes += made
    return graph, changes


def _next_repair(graph: ActionGraph, vocabulary: Vocabulary | None) -> tuple[ActionGraph, list[Change]] | None:
    """The first repair that makes things better, by the order of remedies: spelling, direction, names."""
    findings = check_graph(graph, vocabulary)
    codes = list(REMEDIES)
    for finding in sorted((one for one in findings if one.code in REMEDIES), key=lambda one: codes.index(one.code)):
        for remedy in REMEDIES[finding.code]:
            mended = remedy(graph, finding, vocabulary)
            if mended is not None and _is_better(findings, check_graph(mended, vocabulary)):
                return mended, list(_changes(graph, mended, finding))
    return None


def _is_better(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Whether fewer faults are left, and no kind of fault more often than before."""
    faults_before, faults_after = (
        Counter(one.code for one in findings if is_fault(one)) for findings in (before, after)
    )
    return faults_after.total() < faults_before.total() and not faults_after - faults_before


def _changes(before: ActionGraph, after: ActionGraph, finding: Finding) -> Iterator[Change]:
    code, why = finding.code, finding.message
    if len(before.triplets) == len(after.triplets):
        pairs = zip(before.triplets, after.triplets, strict=True)
        yield from (Change(0, old, new, code, why) for old, new in pairs if old != new)
    elif before == after:  # a repeat is gone
        [gone] = (Counter(before.triplets) - Counter(after.triplets)).elements()
        yield Change(0, gone, None, code, why)
    else:
        yield from (Change(0, one.candidate, one.reference, code, why) for one in diff(after, before).changes)


Remedy = Callable[[ActionGraph, Finding, Vocabulary | None], ActionGraph | None]


def _renamed(rename: Callable[[str], str]) -> Remedy:
    """A remedy that renames the elements of the triplet found, wherever they stand, unless L lists them so."""

    def remedy(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
        triplet = graph.triplets[finding.place.triplet or 0]
        names = {name: rename(name) for name in triplet if not _is_listed(name, vocabulary)}
        return ActionGraph(Triplet(*(names.get(name, name) for name in one)) for one in graph)

    return remedy


def _is_listed(name: str, vocabulary: Vocabulary | None) -> bool:
    return vocabulary is not None and (vocabulary.allows_node(name) or vocabulary.allows_edge(name))


def _hand_of(name: str) -> str:
    found = NUMBERED_HAND.fullmatch(name)
    return f"hand{found[1]}" if found else name


def _edge_spelt(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    source, edge, target = graph.triplets[finding.place.triplet or 0]
    folded = fold(edge)
    return _put(graph, finding, Triplet(source, MISSPELT.get(folded, folded), target))


def _turned(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    triplet = graph.triplets[finding.place.triplet or 0]
    if triplet.edge == DOBJ and triplet.target not in graph.actions:
        return None
    return _put(graph, finding, triplet.reversed)


def _put(graph: ActionGraph, finding: Finding, triplet: Triplet) -> ActionGraph:
    place = finding.place.triplet or 0
    return ActionGraph((*graph.triplets[:place], triplet, *graph.triplets[place + 1 :]))


def _without_repeat(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    place = finding.place.triplet or 0
    return ActionGraph((*graph.triplets[:place], *graph.triplets[place + 1 :]))


def _snapped(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    """The graph with the elements of the triplet found moved into L, where they have one clear neighbour there."""
    if vocabulary is None:
        return None
    triplet = graph.triplets[finding.place.triplet or 0]
    moves = {move.element: move.near.name for move in snap(graph, vocabulary)[1] if move.element in triplet}
    return ActionGraph(Triplet(*(moves.get(name, name) for name in one)) for one in graph)


def _with_one_action(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    """One word for the action, where another verb stands in its place: the one that more of the graph hangs on.

    Undecided where neither has more than the other, unless they are forms of one word.
    """
    if len(graph.actions) != 1:
        return None
    [action] = graph.actions
    others = _other_verbs(graph, action, vocabulary)
    if len(others) != 1:
        return None
    [other] = others
    rest = [triplet for triplet in graph.triplets if triplet.edge != VERB]
    mine, theirs = (sum(name in (one.source, one.target) for one in rest) for name in (action, other))
    if only_near(other, [action]) is not None or (mine >= 1 and theirs == 1):
        return _renaming(graph, other, action)
    if mine == 0 and theirs >= 2 and (vocabulary is None or other in vocabulary.verbs):
        return ActionGraph(
            Triplet(PERSON, VERB, other) if one == Triplet(PERSON, VERB, action) else one for one in graph
        )
    return None


def _other_verbs(graph: ActionGraph, action: str, vocabulary: Vocabulary | None) -> list[str]:
    """Names beside the action that must be meant as one: where a dobj starts, and what L lists as a verb only."""
    starts = (one.source for one in graph if one.edge == DOBJ and one.source not in (PERSON, *HANDS))
    verbs = (node.name for node in graph.nodes(vocabulary) if node.kind is Kind.ACTION)
    return [name for name in dict.fromkeys((*starts, *verbs)) if name != action]


def _renaming(graph: ActionGraph, old: str, new: str) -> ActionGraph:
    """The graph with a node renamed; where the renamed triplet stands there already, it is not written twice."""
    rename = {old: new}
    renamed = (
        Triplet(rename.get(one.source, one.source), one.edge, rename.get(one.target, one.target)) for one in graph
    )
    return ActionGraph(dict.fromkeys(renamed))


def _with_person(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> ActionGraph | None:
    """The graph with its person-verb triplet, where all direct objects start at one name that can be an action."""
    starts = {one.source for one in graph if one.edge == DOBJ}
    if len(starts) != 1 or any(one.edge == VERB for one in graph):
        return None
    [action] = starts
    if action in (PERSON, *HANDS) or (vocabulary is not None and action not in vocabulary.verbs):
        return None
    return ActionGraph((Triplet(PERSON, VERB, action), *graph.triplets))


REMEDIES: dict[str, tuple[Remedy, ...]] = {
    "verb-source": (_turned,),
    "person-target": (_turned,),
    "edge-misspelt": (_edge_spelt,),
    "not-lower-case": (_renamed(str.lower),),
    "not-hyphenated": (_renamed(fold),),
    "instance-suffix": (_renamed(lambda name: INSTANCE.sub("", name)),),
    "hand-name": (_renamed(_hand_of),),
    "dobj-source": (_turned, _with_one_action),
    "dobj-action": (_turned,),
    "action-action": (_with_one_action,),
    "disconnected": (_with_one_action,),
    "duplicate": (_without_repeat,),
    "no-action": (_with_person,),
    "out-of-vocabulary": (_snapped,),
}

HAND_CODES = ("hand2-first", "hand-occupied", "wrong-hand", "hand-unstated")


def _mend_hands(narrative: Narrative, start: int) -> tuple[Narrative, list[Change]]:
    """The narrative with the hands that the rule would give, where one other hand mends more than it breaks."""
    changes: list[Change] = []
    for number in range(start, len(narrative.graphs)):
        steps = trace(narrative)
        for breach in steps[number].breaches:
            if breach.code not in HAND_CODES:
                continue
            other = _other_hand(narrative.graphs[number], steps[number])
            if other is None:
                continue
            graphs = [*narrative.graphs[:number], other, *narrative.graphs[number + 1 :]]
            tried = narrative.with_graphs(graphs)
            if _breaches(trace(tried)) < _breaches(steps):
                pairs = diff(other, narrative.graphs[number]).changes
                changes += [
                    Change(number, one.candidate, one.reference, breach.code, breach.message, LESS_SURE)
                    for one in pairs
                ]
                narrative = tried
                break
    return narrative, changes


def _breaches(steps: Sequence[HandStep]) -> int:
    return sum(len(step.breaches) for step in steps)


def _other_hand(graph: ActionGraph, step: HandStep) -> ActionGraph | None:
    """The graph with the other one of its one hand, or with the free hand where it takes something with none."""
    named = [one for one in graph if one.edge == WITH and {one.source, one.target} & set(HANDS)]
    if len(named) == 1 and not any(one not in named and {one.source, one.target} & set(HANDS) for one in graph):
        swap = {HANDS[0]: HANDS[1], HANDS[1]: HANDS[0]}
        [old] = named
        new = Triplet(swap.get(old.source, old.source), old.edge, swap.get(old.target, old.target))
        return ActionGraph(new if one == old else one for one in graph)
    free = next((hand for hand in HANDS if step.before.of(hand) == ()), None)
    if not named and step.action in GRASPS and free is not None and None not in step.before:
        return ActionGraph((*graph.triplets, Triplet(step.action, WITH, free)))
    return None
