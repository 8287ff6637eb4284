"""A strategy that draws well-formed action graphs, sensible or not."""

from __future__ import annotations

from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph

ACTIONS = ("take", "put", "open", "close", "press", "brush", "pour", "pass", "lift", "drop")
THINGS = ("cup", "lid", "towel", "brush", "jar", "bowl", "shelf")
EDGES = ("from", "off", "into", "onto", "under", "on", "in", "with", "between")


@st.composite
def drawn_graphs(draw: st.DrawFn) -> ActionGraph:
    """Draw a graph of one action with up to three things, by one hand, both or none that is named."""
    action = draw(st.sampled_from(ACTIONS))
    things = draw(st.lists(st.sampled_from(THINGS), min_size=1, max_size=3, unique=True))
    edges = draw(st.lists(st.sampled_from(EDGES), min_size=2, max_size=2, unique=True))
    hands = draw(st.sampled_from(((), ("hand1",), ("hand2",), ("hand1", "hand2"))))
    rows = [(action, edge, thing) for edge, thing in zip(("dobj", *edges), things, strict=False)]
    return ActionGraph.of(("person", "verb", action), *rows, *((action, "with", hand) for hand in hands))
