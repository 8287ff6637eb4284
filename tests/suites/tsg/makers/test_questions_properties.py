"""Two evaluators of questions agree on any story, whenever the second one knows."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.suites.tsg.makers.questions import draw_questions

ACTIONS = ("take", "put", "open", "press", "pour", "pass", "lift", "drop")
THINGS = ("cup", "lid", "towel", "jar", "bowl", "shelf")
EDGES = ("from", "off", "into", "onto", "on", "in", "with", "between")


@st.composite
def graphs(draw: st.DrawFn) -> ActionGraph:
    action = draw(st.sampled_from(ACTIONS))
    things = draw(st.lists(st.sampled_from(THINGS), min_size=1, max_size=3, unique=True))
    edges = draw(st.lists(st.sampled_from(EDGES), min_size=2, max_size=2, unique=True))
    hands = draw(st.sampled_from(((), ("hand1",), ("hand2",), ("hand1", "hand2"))))
    rows = [(action, edge, thing) for edge, thing in zip(("dobj", *edges), things, strict=False)]
    return ActionGraph.of(("person", "verb", action), *rows, *((action, "with", hand) for hand in hands))


@given(st.lists(graphs(), max_size=9), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_the_evaluators_never_differ(steps: list[ActionGraph], seed: int) -> None:
    drawn = draw_questions(Narrative.of(steps), Random(seed), 16)
    assert drawn.dropped["the evaluators differ"] == 0
