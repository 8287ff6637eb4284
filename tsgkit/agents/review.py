"""Cleaned graphs as a person's decisions about the proposed changes leave them.

A decision has a ``choice``, the triplet of an edit (``edited``), and a ``note``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tsgkit.agents.cleaner import CleanedNarrative
from tsgkit.graph.edits import exchanged
from tsgkit.graph.model import ActionGraph, Narrative, Triplet
from tsgkit.graph.repairs import Change
from tsgkit.graph.rules import check_narrative

ACCEPT, REJECT, EDIT = "accept", "reject", "edit"
Decision = Mapping[str, Any]
ACCEPTED: Decision = {"choice": ACCEPT}


def decided(
    graph: ActionGraph, changes: Sequence[Change], decisions: Sequence[Decision]
) -> tuple[ActionGraph, tuple[Change, ...]]:
    """Return a graph after a person decided about its changes, and the changes that were really made."""
    accepted = list[Change]()
    for change, decision in zip(changes, decisions, strict=True):
        if decision["choice"] == REJECT or (change.before is not None and change.before not in graph):
            continue  # what a rejected change would have made cannot be changed any further
        if decision["choice"] == EDIT:
            change = replace(change, after=Triplet(*decision["edited"]), by="reviewer", sure=None)
        graph = exchanged(graph, change.before, change.after)
        accepted.append(change)
    return graph, tuple(accepted)


def reviewed(
    narratives: Sequence[Narrative], cleaned: Sequence[CleanedNarrative], decisions: Sequence[Decision]
) -> list[CleanedNarrative]:
    """Return the cleaned graphs with only the accepted changes, and the reviewer's notes."""
    left, results = iter(decisions), list[CleanedNarrative]()
    for narrative, result in zip(narratives, cleaned, strict=True):
        pairs = [(change, next(left)) for change in result.changes]
        graphs, accepted, touched = list(narrative.graphs), list[Change](), list[int]()
        for number in result.touched:
            changes = [change for change, _ in pairs if change.graph == number]
            choices = [decision for change, decision in pairs if change.graph == number]
            if all(decision["choice"] == ACCEPT for decision in choices):
                graphs[number] = result.narrative.graphs[number]
                accepted += changes
            else:
                graphs[number], effective = decided(narrative.graphs[number], changes, choices)
                accepted += effective
            touched += [number] if graphs[number].triplets != narrative.graphs[number].triplets else []
        notes = [
            f"graph {change.graph + 1}, {change.code}, {decision['choice']}: {decision['note']}"
            for change, decision in pairs
            if decision.get("note")
        ]
        new = narrative.with_graphs(graphs)
        result = replace(result, narrative=new, changes=tuple(accepted), after=tuple(check_narrative(new)))
        results.append(replace(result, notes=(*result.notes, *notes), touched=tuple(touched)))
    return results
