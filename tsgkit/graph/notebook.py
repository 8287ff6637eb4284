"""Notebook representations of graphs, differences and narratives: drawings, imported on use.

>>> from tsgkit.graph.edits import diff
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> all(shown._repr_svg_().startswith("<svg") for shown in (graph, diff(graph, graph), Narrative.of([graph])))
True
"""

from __future__ import annotations

from tsgkit.graph.edits import Diff
from tsgkit.graph.model import ActionGraph, Narrative


def _graph(graph: ActionGraph) -> str:
    from tsgkit.graph.drawing import draw_graph

    return draw_graph(graph)


def _difference(difference: Diff) -> str:
    from tsgkit.graph.drawing import draw_diff

    sides = ([change.reference for change in difference.changes], [change.candidate for change in difference.changes])
    reference, candidate = (ActionGraph([*difference.matched, *filter(None, side)]) for side in sides)
    return draw_diff(reference, candidate, difference.changes)


def _narrative(narrative: Narrative) -> str:
    from tsgkit.graph.drawing import draw_narrative

    return draw_narrative(narrative)


ActionGraph._repr_svg_ = _graph  # type: ignore[attr-defined]
Diff._repr_svg_ = _difference  # type: ignore[attr-defined]
Narrative._repr_svg_ = _narrative  # type: ignore[attr-defined]
