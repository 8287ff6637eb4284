"""Properties of votes for any draws."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph
from tsgkit.suites.solvers.vote_rules import plurality
from tsgkit.suites.tsg.votes import majority_graphs

GRAPHS = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, *edge) for edge in edges)]),
    st.sampled_from(["wash", "dry", "put"]),
    st.lists(st.tuples(st.sampled_from(["dobj", "with"]), st.sampled_from(["cup", "lid", "hand1"])), max_size=3),
)
DRAWS = st.lists(st.lists(GRAPHS, min_size=1, max_size=4), min_size=1, max_size=5)


@given(words=st.lists(st.sampled_from("abcd"), min_size=1, max_size=9))
def test_no_word_was_drawn_more_often_than_the_winner(words: list[str]) -> None:
    counted, winner = Counter(words), plurality(words)
    assert counted[winner] == max(counted.values())
    assert all(words.index(winner) <= words.index(one) for one in counted if counted[one] == counted[winner])


@given(draw=st.lists(GRAPHS, min_size=1, max_size=4), times=st.integers(1, 5))
def test_draws_that_agree_are_the_answer(draw: list[ActionGraph], times: int) -> None:
    assert majority_graphs([draw] * times) == tuple(draw)


@given(draws=DRAWS)
def test_every_triplet_stands_in_more_than_half_of_the_draws(draws: list[list[ActionGraph]]) -> None:
    for graph in majority_graphs(draws):
        assert graph.triplets
        for triplet in graph:
            holding = sum(any(triplet in set(other) for other in draw) for draw in draws)
            assert holding * 2 > len(draws)


@given(agreed=DRAWS.map(lambda draws: draws[0]), other=DRAWS.map(lambda draws: draws[0]), place=st.integers(0, 2))
def test_two_equal_draws_of_three_win(agreed: list[ActionGraph], other: list[ActionGraph], place: int) -> None:
    draws = [agreed, agreed]
    draws.insert(place, other)
    assert majority_graphs(draws) == tuple(agreed)
