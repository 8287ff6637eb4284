"""Drawings of graphs as SVG: one graph, the difference of two, or a narrative along time.

>>> from tsgkit.graph.model import ActionGraph
>>> svg = draw_graph(ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid")), title="Opening the lid")
>>> svg.startswith("<svg xmlns="), "Opening the lid" in svg
(True, True)

Pure functions: the same input gives the same bytes. A drawing has no script, no identifiers and no references, so
several can be in one page. Nothing is refused or left out: invisible characters are written as escapes, and only very
long names are shortened, with the rest in a tooltip.
"""

from tsgkit.graph.drawing.graphs import draw_diff, draw_graph, draw_legend, draw_marked, draw_sides
from tsgkit.graph.drawing.narratives import draw_narrative

__all__ = ["draw_diff", "draw_graph", "draw_legend", "draw_marked", "draw_narrative", "draw_sides"]
