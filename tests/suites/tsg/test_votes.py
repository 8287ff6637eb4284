"""A vote takes what most draws say, first drawn first, and stays open where a draw failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from prompt_items import document, row
from tsg_tasks import samples_of, task

from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import Reading as GraphReading
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.solvers.protocols import Reading
from tsgkit.suites.solvers.scorers import combined
from tsgkit.suites.tsg.votes import MOST_GRAPHS, comparable, majority_graphs

WASH, DRY, PUT = (ActionGraph.of(("person", "verb", verb), (verb, "dobj", "cup")) for verb in ("wash", "dry", "put"))
NONE = Unreadable("nothing")


Read = Reading[Any]
[SAMPLE] = samples_of(document(row("sgqa", "one")), "sgqa")


def word(text: str) -> Read:
    return Reading(Outcome.ANSWERED, text)


def graphs(*found: ActionGraph) -> Read:
    return Reading(Outcome.ANSWERED, GraphAnswer(found, GraphReading(found, (), ())))


def majority(readings: Sequence[Read]) -> Read:
    of_graphs = any(isinstance(reading.answer, GraphAnswer) for reading in readings)
    return combined(task("ma-sgg") if of_graphs else task("sgqa"), SAMPLE, readings)


def test_only_draws_that_could_be_read_have_a_vote() -> None:
    reads: list[Read] = [Reading(Outcome.UNREADABLE, NONE), Reading(Outcome.EMPTY, None), word("cup")]
    assert majority(reads) == (Outcome.ANSWERED, "cup")
    for outcome in (Outcome.EMPTY, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.MISSING):
        assert majority([Reading(outcome, None), Reading(Outcome.UNREADABLE, NONE)]) == (outcome, None)
        assert majority([Reading(Outcome.UNREADABLE, NONE), Reading(outcome, None)]) == (Outcome.UNREADABLE, NONE)
    assert majority([]) == (Outcome.MISSING, None)
    assert majority([word("a"), Reading(Outcome.API_ERROR, None), word("a")]) == (Outcome.API_ERROR, None)


def test_triplets_need_more_than_half_of_the_draws_and_a_forgotten_graph_shifts_no_other() -> None:
    more = ActionGraph([*WASH, ("wash", "with", "hand1")])
    for draws, voted in (
        ([[WASH], [more], [more]], (more,)),
        ([[WASH], [more]], (WASH,)),
        ([[WASH], [WASH], [DRY]], (WASH,)),
        ([[WASH, DRY, PUT], [DRY, PUT], [WASH, DRY, PUT]], (WASH, DRY, PUT)),
        ([[WASH], [WASH, DRY, PUT], [WASH, DRY, PUT]], (WASH, DRY, PUT)),
    ):
        assert majority_graphs(draws) == voted, draws


def test_draws_without_end_have_no_vote_and_a_note_says_so() -> None:
    endless = graphs(*[WASH, DRY] * MOST_GRAPHS)
    outcome, answer = majority([endless, graphs(WASH), endless, graphs(WASH), graphs(DRY)])
    assert outcome is Outcome.ANSWERED
    assert isinstance(answer, GraphAnswer)
    assert answer.graphs == (WASH,)
    assert answer.asides == (f"2 of 5 draws had no vote: the draws hold more than {MOST_GRAPHS} graphs",)
    too_many = Unreadable(f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare")
    assert majority([endless, endless]) == (Outcome.UNREADABLE, too_many)
    nothing = Unreadable("no triplet has a majority")
    assert majority([graphs(WASH), graphs(DRY)]) == (Outcome.UNREADABLE, nothing)


def test_of_draws_that_are_too_long_together_the_first_of_the_shortest_are_kept() -> None:
    long, short = [WASH] * (MOST_GRAPHS - 3), [DRY, PUT]
    assert comparable([short, long, short]) == [short, short]
    assert comparable([short, long]) == [short, long]
    assert comparable([long, short, [WASH], [DRY]]) == [short, [WASH], [DRY]]


GRAPHS = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, *edge) for edge in edges)]),
    st.sampled_from(["wash", "dry", "put"]),
    st.lists(st.tuples(st.sampled_from(["dobj", "with"]), st.sampled_from(["cup", "lid", "hand1"])), max_size=3),
)
DRAW = st.lists(GRAPHS, min_size=1, max_size=4)


@given(draws=st.lists(DRAW, min_size=1, max_size=5))
def test_every_triplet_of_a_vote_stands_in_more_than_half_of_the_draws(draws: list[list[ActionGraph]]) -> None:
    for graph in majority_graphs(draws):
        assert graph.triplets
        for triplet in graph:
            holding = sum(any(triplet in set(other) for other in draw) for draw in draws)
            assert holding * 2 > len(draws)


@given(agreed=DRAW, other=DRAW, place=st.integers(0, 2))
def test_two_equal_draws_of_three_win(agreed: list[ActionGraph], other: list[ActionGraph], place: int) -> None:
    draws = [agreed, agreed]
    draws.insert(place, other)
    assert majority_graphs(draws) == tuple(agreed) == majority_graphs([agreed] * (place + 1))
