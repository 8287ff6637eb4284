"""Drawing of one graph: person, action, then objects and hands, by their distance from the person.

>>> from tsgkit.graph.model import ActionGraph
>>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"), ("open", "with", "hand1"))
>>> svg = draw_graph(graph)
>>> svg.count('class="tsg-edge"'), svg.startswith("<svg ")
(3, True)
"""

from __future__ import annotations

from collections import Counter

from tsgkit.graph.drawing.document import image, kind_entries, notice
from tsgkit.graph.drawing.sketch import Edge, sketch
from tsgkit.graph.drawing.text import shown
from tsgkit.graph.model import ActionGraph, Vocabulary


def draw_graph(graph: ActionGraph, vocabulary: Vocabulary | None = None, *, title: str = "") -> str:
    """Return the graph as an SVG document. L, if known, separates verbs from objects where roles do not.

    A repeated triplet is one arrow whose label shows the count. An empty graph is drawn with a note.
    """
    actions = " and ".join(map(shown, graph.actions))
    spoken = title or ("Graph of " + actions if actions else "Graph without an action")
    if not graph.triplets:
        return notice("empty graph", heading=title, title=title or "Empty graph")
    times = Counter(graph.typed(vocabulary))
    edges = [
        Edge(source, target, shown(label) + (f" ×{many}" if many > 1 else ""))
        for (source, label, target), many in times.items()
    ]
    legend = kind_entries(node.kind for node in graph.nodes(vocabulary))
    described = f"{len(graph)} triplets: " + "; ".join(map(str, dict.fromkeys(graph.triplets)))
    return image(sketch(edges), (legend,), heading=title, title=spoken, description=described)
