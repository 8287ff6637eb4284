"""Drawings of graphs as SVG: one graph, the difference of two, or a narrative along time.

>>> from tsgkit.graph.model import ActionGraph
>>> svg = draw_graph(ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid")), title="Opening the lid")
>>> svg.startswith("<svg xmlns="), "Opening the lid" in svg
(True, True)

Pure functions of their arguments: same input, same bytes. A picture has no script, no identifiers and refers to
nothing outside or inside itself, so several may stand in one page. Nothing is refused and nothing left out: what
cannot be seen is written as an escape, and only names too long for any picture are shortened, the rest of them being
in a tooltip.
"""

from tsgkit.graph.drawing.diffs import DrawnChange, draw_diff
from tsgkit.graph.drawing.graphs import draw_graph
from tsgkit.graph.drawing.narratives import draw_narrative

__all__ = ["DrawnChange", "draw_diff", "draw_graph", "draw_narrative"]
