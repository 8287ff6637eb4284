"""Pairings of graphs: exact, deterministic, and refused where they would cost too much."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Description, Narrative
from tsgkit.scoring import versions
from tsgkit.scoring.alignment import assignment, best, by_place, in_order, too_large
from tsgkit.scoring.versions import paired


def brute_force(gains: list[list[float]], *, ordered: bool) -> float:
    rows, columns = range(len(gains)), range(len(gains[0]))
    most = 0.0
    for size in range(min(len(rows), len(columns)) + 1):
        for some in combinations(rows, size):
            for others in combinations(columns, size) if ordered else permutations(columns, size):
                most = max(most, sum(gains[row][column] for row, column in zip(some, others, strict=True)))
    return most


def test_pairings_are_the_best_there_are_and_earn_what_is_said() -> None:
    for seed in range(60):
        choice = Random(seed)
        rows, columns = choice.randint(1, 4), choice.randint(1, 5)
        gains = [[choice.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(columns)] for _ in range(rows)]
        assert in_order(gains).total == brute_force(gains, ordered=True), seed
        assert best(gains).total == assignment(gains).total == brute_force(gains, ordered=False), seed
        for pairing in (by_place(gains), in_order(gains), best(gains), assignment(gains)):
            assert len({row for row, _ in pairing.pairs}) == len(pairing.pairs), seed
            assert len({column for _, column in pairing.pairs}) == len(pairing.pairs), seed
            assert pairing.total == sum(gains[row][column] for row, column in pairing.pairs), seed
            assert list(pairing.pairs) == sorted(pairing.pairs), seed
        crossing = [column for _, column in in_order(gains).pairs]
        assert crossing == sorted(crossing), seed


def test_assignment_takes_many_and_earns_as_much_as_the_best_pairing() -> None:
    for seed in range(10):
        choice = Random(seed)
        rows, columns = choice.randint(5, 9), choice.randint(5, 9)
        gains = [[choice.choice([0.0, choice.random()]) for _ in range(columns)] for _ in range(rows)]
        assert assignment(gains).total == pytest.approx(best(gains).total), seed
    turned = [[float(row + column == 59) for column in range(60)] for row in range(50)]
    assert assignment(turned).pairs == tuple((row, 59 - row) for row in range(50))


def test_ties_go_to_the_smaller_numbers() -> None:
    gains = [[1.0, 1.0], [1.0, 1.0]]
    assert in_order(gains).pairs == best(gains).pairs == assignment(gains).pairs == ((0, 0), (1, 1))
    assert in_order([[1.0, 1.0, 1.0]]).pairs == best([[1.0, 1.0, 1.0]]).pairs == ((0, 0),)
    assert in_order([[1.0], [1.0]]).pairs == best([[1.0], [1.0]]).pairs == ((0, 0),)


def test_a_swap_is_forgiven_only_where_order_does_not_count() -> None:
    gains = [[0.0, 1.0], [1.0, 0.0]]
    assert (by_place(gains).total, in_order(gains).total, best(gains).total) == (0.0, 1.0, 2.0)
    assert by_place([[0.5, 1.0], [1.0, 0.0], [1.0, 1.0]]) == (((0, 0),), 0.5)


def test_empty_lists_align() -> None:
    assert by_place([]).pairs == in_order([]).pairs == best([]).pairs == assignment([]).pairs == ()


def test_far_too_many_graphs_are_refused() -> None:
    sizes = [(4, 32), (4, 33), (1, 20), (1, 21), (11, 1), (10, 1)]
    assert [too_large(*size) for size in sizes] == [False, True, False, True, True, False]


FILL = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"))
LIFT = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "lid"))
HEAVY = ActionGraph.of(("person", "verb", "lift"), ("lift", "dobj", "pot"))
POUR = ActionGraph.of(("person", "verb", "pour"), ("pour", "dobj", "tea"))
Numbers = list[tuple[int | None, int | None]]


def numbers(first: list[ActionGraph], second: list[ActionGraph]) -> Numbers:
    return [pair.graphs for pair in paired(Narrative.of(first), Narrative.of(second))]


def test_graphs_of_two_versions_are_paired_by_what_they_share() -> None:
    pour = ActionGraph([*POUR, ("pour", "with", "hand1")])
    lift = ActionGraph([*LIFT, ("lift", "with", "hand1")])
    other_pour = ActionGraph([*POUR, ("pour", "with", "wall")])
    other_lift = ActionGraph([*LIFT, ("lift", "with", "jug")])
    rows: list[tuple[str, list[ActionGraph], list[ActionGraph], Numbers]] = [
        ("equal narratives", [FILL, LIFT, POUR], [FILL, LIFT, POUR], [(0, 0), (1, 1), (2, 2)]),
        ("one forgotten", [FILL, LIFT, POUR], [LIFT, POUR], [(0, None), (1, 0), (2, 1)]),
        ("one more", [LIFT, POUR], [FILL, LIFT, POUR], [(None, 0), (0, 1), (1, 2)]),
        ("sharing triplets at another place", [FILL, LIFT], [HEAVY], [(0, None), (1, 0)]),
        ("sharing nothing, as many left", [FILL, POUR], [LIFT, POUR], [(0, 0), (1, 1)]),
        ("repeated", [FILL, FILL, FILL], [FILL, FILL], [(0, 0), (1, 1), (2, None)]),
        (
            "repeated, some changed",
            [pour, lift] * 3,
            [other_pour, lift, pour, other_lift, pour, lift],
            [(place, place) for place in range(6)],
        ),
    ]
    for name, first, second, expected in rows:
        assert numbers(first, second) == expected, name


def test_descriptions_are_matched_by_position_where_there_are_as_many_else_by_text() -> None:
    first = Narrative((Description("one", (FILL,)), Description("two", (LIFT,))))
    second = Narrative((Description("other words", ()), Description("two", (FILL, LIFT))))
    assert [(pair.descriptions, pair.graphs, pair.differs) for pair in paired(first, second)] == [
        ((0, 0), (0, None), True),
        ((1, 1), (None, 0), True),
        ((1, 1), (1, 1), False),
    ]
    longer = Narrative((Description("one", (FILL,)), Description("new", (POUR,)), Description("two", (LIFT,))))
    assert [(pair.descriptions, pair.graphs, pair.first, pair.second) for pair in paired(first, longer)] == [
        ((0, 0), (0, 0), FILL, FILL),
        ((None, 1), (None, 1), None, POUR),
        ((1, 2), (1, 2), LIFT, LIFT),
    ]


def test_very_many_graphs_are_paired_by_equality_and_very_long_gaps_by_position(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = [POUR, LIFT], [HEAVY, FILL, FILL]
    assert numbers(first, second) == [(0, None), (1, 0), (None, 1), (None, 2)]
    monkeypatch.setattr(versions, "MOST_COMPARED", 6)
    assert numbers(first, second) == [(0, None), (1, 0), (None, 1), (None, 2)]
    monkeypatch.setattr(versions, "MOST_COMPARED", 5)
    assert numbers(first, second) == [(0, 0), (1, 1), (None, 2)]
    crossed = ([HEAVY, HEAVY, HEAVY, POUR], [POUR, LIFT, LIFT, LIFT])
    monkeypatch.setattr(versions, "MOST_COMPARED", 16)
    monkeypatch.setattr(versions, "MOST_WEIGHED", 16)
    assert numbers(*crossed) == [(None, 0), (0, 1), (1, 2), (2, 3), (3, None)]
    monkeypatch.setattr(versions, "MOST_WEIGHED", 15)
    assert numbers(*crossed) == [(0, None), (1, None), (2, None), (3, 0), (None, 1), (None, 2), (None, 3)]


graphs = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), max_size=3
).map(ActionGraph)
descriptions = st.builds(Description, st.sampled_from(("x", "y", "z")), st.lists(graphs, max_size=4).map(tuple))
narratives = st.lists(descriptions, max_size=4).map(lambda parts: Narrative(tuple(parts)))


@given(narratives, narratives)
def test_every_graph_is_in_one_pair_in_its_order(first: Narrative, second: Narrative) -> None:
    pairs = paired(first, second)
    assert [pair.graphs[0] for pair in pairs if pair.graphs[0] is not None] == list(range(len(first.graphs)))
    assert [pair.graphs[1] for pair in pairs if pair.graphs[1] is not None] == list(range(len(second.graphs)))
    assert all(pair.first == first.graphs[pair.graphs[0]] for pair in pairs if pair.graphs[0] is not None)
    assert all(pair.second == second.graphs[pair.graphs[1]] for pair in pairs if pair.graphs[1] is not None)
    assert all(pair.graphs[0] == pair.graphs[1] and not pair.differs for pair in paired(first, first))
