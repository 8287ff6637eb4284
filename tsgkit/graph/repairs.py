"""Exact repairs of graphs without a model, each with the finding that is its reason.

>>> from tsgkit.graph.model import ActionGraph, Narrative
>>> slip = ActionGraph.of(("wash", "verb", "person"), ("wash", "direct_object", "cup"), ("wash", "with", "hand1"))
>>> mended = mend(Narrative.of([slip]))
>>> for change in mended.changes:
...     print(change)
graph 1: person -> verb -> wash, was wash -> verb -> person [verb-source] (exact)
graph 1: wash -> dobj -> cup, was wash -> direct_object -> cup [edge-misspelt] (exact)
>>> mended.narrative.graphs[0].actions, mended.undecided
(('wash',), ())

A repair is made only if the rules have a finding, exactly one remedy is left (:mod:`tsgkit.graph.remedies`), and
afterwards the rules find less and nothing new. A graph without findings is therefore never changed, and no object
becomes another. Missing hands are estimated (:mod:`tsgkit.graph.hand_repairs`): they are added on request only, are
marked as less sure, and carry a probability.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tsgkit.graph.edits import diff
from tsgkit.graph.hand_repairs import repair_hands, with_repairs
from tsgkit.graph.model import ActionGraph, Narrative, Triplet, Vocabulary
from tsgkit.graph.remedies import REMEDIES, remedies
from tsgkit.graph.rules import ERROR, Finding, check_graph, check_narrative

EXACT, LESS_SURE, MODEL, PROPOSED = "exact", "less sure", "model", "proposed"
SLIPS = ("duplicate", "disconnected")
"""Warnings treated like errors, because they are never intended."""
MOST_REPAIRS = 50
"""After so many repairs a graph is beyond repair."""
HAND_CODES = ("hand2-first", "hand-occupied", "wrong-hand", "hand-unstated")
"""Breaches of the hand rule that leave something to decide."""


@dataclass(frozen=True)
class Change:
    """One triplet changed, added (``before`` is None) or removed (``after`` is None), with the reason.

    ``sure`` is the probability of a change that is not exact, if known.
    """

    graph: int
    before: Triplet | None
    after: Triplet | None
    code: str
    reason: str
    by: str = EXACT
    round: int = 0
    sure: float | None = None

    def __str__(self) -> str:
        if self.after is None:
            what = f"without {self.before}"
        else:
            what = f"{self.after}" + (f", was {self.before}" if self.before is not None else ", which was missing")
        sure = "" if self.sure is None else f": {100 * self.sure:.0f} %"
        return f"graph {self.graph + 1}: {what} [{self.code}] ({self.by}{sure})"


@dataclass(frozen=True)
class RepairedNarrative:
    """A repaired narrative and its repairs; graphs before ``start`` were left alone."""

    narrative: Narrative
    changes: tuple[Change, ...]
    start: int = 0

    @cached_property
    def undecided(self) -> tuple[Finding, ...]:
        """The findings without exactly one remedy."""
        left = (finding for finding in check_narrative(self.narrative) if (finding.place.graph or 0) >= self.start)
        return tuple(filter(is_undecided, left))


def mend(narrative: Narrative, *, hands: bool = False, start: int = 0) -> RepairedNarrative:
    """Return the narrative with all exact repairs made, then those of hands if wanted; graphs before ``start`` stay."""
    graphs, changes = list(narrative.graphs), list[Change]()
    for number in range(start, len(graphs)):
        graphs[number], repairs_of_graph = mend_graph(graphs[number], narrative.vocabulary)
        changes += [replace(change, graph=number) for change in repairs_of_graph]
    narrative = narrative.with_graphs(graphs)
    if hands:
        repairs = repair_hands(narrative, start=start)
        narrative = with_repairs(narrative, repairs)
        changes += [
            Change(
                repair.graph, None, repair.after, "hand-unstated", repair.reason, LESS_SURE, sure=round(repair.sure, 3)
            )
            for repair in repairs
        ]
    return RepairedNarrative(narrative, tuple(changes), start)


def is_fault(finding: Finding) -> bool:
    """Return whether a finding says that a graph is wrong, rather than unusual."""
    return finding.severity == ERROR or finding.code in SLIPS


def is_undecided(finding: Finding) -> bool:
    """Return whether a finding that is left says that something is to be decided: a fault, or hands that break their
    rule.
    """
    return is_fault(finding) or finding.code in HAND_CODES


def mend_graph(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> tuple[ActionGraph, list[Change]]:
    """Return one graph with its exact repairs made, and these.

    One typing error may hide a warning about another, so steps are accepted by errors first. If the final graph has any
    new finding, each step must avoid new findings.
    """
    findings = check_graph(graph, vocabulary)
    for is_better in (_has_fewer_faults, _has_fewer_findings):
        mended, changes = graph, list[Change]()
        while len(changes) < MOST_REPAIRS and (repair := _next_repair(mended, vocabulary, is_better)) is not None:
            mended, more_changes = repair
            changes += more_changes
        if not changes or _has_fewer_findings(findings, check_graph(mended, vocabulary)):
            return mended, changes
    return graph, []


IsBetter = Callable[[Sequence[Finding], Sequence[Finding]], bool]


def _next_repair(
    graph: ActionGraph, vocabulary: Vocabulary | None, is_better: IsBetter
) -> tuple[ActionGraph, list[Change]] | None:
    """Return the first finding with exactly one remedy that makes things better, by the order of :data:`REMEDIES`."""
    findings = check_graph(graph, vocabulary)
    codes = list(REMEDIES)
    contested = set[tuple[Triplet, ...]]()
    for finding in sorted(
        (entry for entry in findings if entry.code in codes), key=lambda entry: codes.index(entry.code)
    ):
        tried = remedies(graph, finding, vocabulary)
        better = [candidate for candidate in tried if is_better(findings, check_graph(candidate, vocabulary))]
        if len(better) > 1:
            contested |= {candidate.triplets for candidate in better}
        elif better and better[0].triplets not in contested:
            return better[0], list(_changes(graph, better[0], finding))
    return None


def _has_fewer_faults(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    return _has_fewer_findings(*(tuple(filter(is_fault, findings)) for findings in (before, after)))


def _has_fewer_findings(before: Sequence[Finding], after: Sequence[Finding]) -> bool:
    """Return whether fewer findings are left, and of no kind more than before."""
    return len(after) < len(before) and not Counter(finding.code for finding in after) - Counter(
        finding.code for finding in before
    )


def _changes(before: ActionGraph, after: ActionGraph, finding: Finding) -> Iterator[Change]:
    code, why = finding.code, finding.message
    if len(before.triplets) == len(after.triplets):
        pairs = zip(before.triplets, after.triplets, strict=True)
        yield from (Change(0, old, new, code, why) for old, new in pairs if old != new)
    elif before == after:  # a repeat is gone
        [gone] = (Counter(before.triplets) - Counter(after.triplets)).elements()
        yield Change(0, gone, None, code, why)
    else:
        yield from (Change(0, change.candidate, change.reference, code, why) for change in diff(after, before).changes)
