from __future__ import annotations

from drawn_graphs import drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_sentences import STYLES, plain_writer

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.suites.tsg.makers.choices import ChoiceChooser, choice_row, choose_choices
from tsgkit.suites.tsg.makers.claims import may_be_true


@given(st.lists(drawn_graphs(), max_size=8), st.integers(0, 5))
@settings(max_examples=60, deadline=None)
def test_each_choice_has_five_texts_and_one_true_of_what_happened(steps: list[ActionGraph], seed: int) -> None:
    story = Narrative.of(steps)
    [(_, chosen, _)] = choose_choices([story], 4, plain_writer, STYLES, ChoiceChooser(seed))
    for choice in chosen:
        right, *wrong = choice.candidates
        assert right.graph == choice.target
        assert len({text.lower() for text in choice.sentences}) == 5
        assert choice.target not in steps[: choice.index]
        for candidate in wrong:
            if candidate.graph is not None:
                told = " with hand" in candidate.sentence or " hand" in candidate.sentence
                is_counted = " both hands" in candidate.sentence or " one hand" in candidate.sentence
                assert not any(
                    may_be_true(candidate.graph, step, hands=told, counted=is_counted)
                    for step in steps[: choice.index + 1]
                )
        assert choice_row(story, choice)["variations"][choice.position] == right.sentence
