"""Two evaluators of questions agree on any story, whenever the second one knows."""

from __future__ import annotations

from random import Random

from drawn_graphs import drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.suites.tsg.makers.questions import draw_questions


@given(st.lists(drawn_graphs(), max_size=9), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_the_evaluators_never_differ(steps: list[ActionGraph], seed: int) -> None:
    drawn = draw_questions(Narrative.of(steps), Random(seed), 16)
    assert drawn.dropped["the evaluators differ"] == 0
