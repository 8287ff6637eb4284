"""Repairs by evidence: what rules leave open is decided by the sentence and the graphs around it, where they are clear.

>>> graph = ActionGraph.of(
...     ("person", "verb", "take"), ("take", "dobj", "kettle"), ("take", "from", "shelf"), ("take", "with", "hand1")
... )
>>> L = Vocabulary(("cup", "shelf", "kettle"), ("verb", "dobj", "with", "from"), ("take",))
>>> story = Narrative((Description("She takes the cup from the shelf with one hand.", (graph,)),), L)
>>> [change] = mend_by_evidence(story).changes
>>> print(change, "|", change.reason)
graph 0: take -> dobj -> cup, was take -> dobj -> kettle [evidence-mismatched] (exact) | the sentence mentions cup

Rules come first (:mod:`tsgkit.graph.repairs`). Evidence then repairs what has one explanation
(:func:`tsgkit.graph.evidence.proposals.is_exact`), or what is at least as sure as the caller accepts. The rest is
proposed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import exchanged
from tsgkit.graph.evidence import Habits, Proposal, proposals_for
from tsgkit.graph.evidence.features import Story
from tsgkit.graph.evidence.weights import WEIGHTS
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.repairs import (
    EVIDENCE,
    EXACT,
    LESS_SURE,
    PROPOSED,
    Change,
    RepairedNarrative,
    is_fault,
    mend,
)
from tsgkit.graph.rules import check_graph

MOST_EDITS = 4
"""So many edits of one graph at most."""
LEAST = 0.3
"""Less likely repairs are not proposed."""
MOST_PROPOSED = 3
"""So many proposals of one graph at most."""
KINDS = {
    "remove": Corruption.REDUNDANT,
    "add": Corruption.MISSING,
    "reverse": Corruption.REVERSED,
    "replace": Corruption.MISMATCHED,
}
"""The kind of error that an edit mends."""


def given_alone(
    graph: ActionGraph, sentence: str, context: Sequence[str], vocabulary: Vocabulary | None, beside: int = 0
) -> Narrative:
    """Return the narrative in which one graph of a sentence is known; it is the first graph, ``beside`` others follow.

    Nothing is known of what the hands hold after the context.
    """
    told = Description(sentence or None, (graph, *[ActionGraph()] * beside))
    return Narrative((*map(Description, context), told), vocabulary)


def mend_by_evidence(
    narrative: Narrative,
    corpus: Habits | None = None,
    *,
    accept: float | None = None,
    hands: bool = False,
    start: int = 0,
    weights: Mapping[str, float] = WEIGHTS,
) -> RepairedNarrative:
    """Return the narrative with all repairs that rules and evidence leave no doubt about; graphs before ``start`` stay.

    With ``accept`` proposals of at least that probability are made too, marked as less sure.
    """
    mended = mend(narrative, hands=hands, start=start)
    work = _Work(Story(mended.narrative, corpus or Habits()), accept, weights)
    graphs, changes, proposed = list(mended.narrative.graphs), list(mended.changes), list[Change]()
    for number in range(start, len(graphs)):
        graphs[number], made, likely = work.mended(number, graphs[number])
        changes += made
        proposed += likely
    changed = mended.narrative.with_graphs(graphs)
    return RepairedNarrative(changed, tuple(changes), start, tuple(proposed))


@dataclass(frozen=True)
class _Work:
    story: Story
    accept: float | None
    weights: Mapping[str, float]

    def mended(self, number: int, graph: ActionGraph) -> tuple[ActionGraph, list[Change], list[Change]]:
        """Return one graph with its repairs made, these, and what is likely and was not made."""
        made, faults = list[Change](), None
        while True:
            found = proposals_for(self.story, number, graph, least=LEAST, weights=self.weights)
            best = found[0] if found and len(made) < MOST_EDITS else None
            if best is None or not (best.is_exact or (self.accept is not None and best.sure >= self.accept)):
                break
            after = exchanged(graph, best.before, best.after)
            faults = self._faults(graph) if faults is None else faults
            left = self._faults(after)
            if left > faults:
                break
            graph, faults = after, left
            made.append(_change(number, best, EXACT if best.is_exact else LESS_SURE))
        return graph, made, [_change(number, one, PROPOSED) for one in found[:MOST_PROPOSED]]

    def _faults(self, graph: ActionGraph) -> int:
        return sum(map(is_fault, check_graph(graph, self.story.narrative.vocabulary)))


def _change(number: int, proposal: Proposal, by: str) -> Change:
    sure = None if by == EXACT else round(proposal.sure, 3)
    code = f"{EVIDENCE}{KINDS[proposal.kind]}"
    return Change(number, proposal.before, proposal.after, code, "; ".join(proposal.reasons), by, sure=sure)
