"""Pairings of graphs: exact, deterministic, and refused where they would cost too much."""

from __future__ import annotations

from itertools import combinations, permutations
from random import Random

import pytest

from tsgkit.scoring.alignment import assignment, best, by_place, in_order, too_large


def brute_force(gains: list[list[float]], *, ordered: bool) -> float:
    rows, columns = range(len(gains)), range(len(gains[0]))
    most = 0.0
    for size in range(min(len(rows), len(columns)) + 1):
        for some in combinations(rows, size):
            for others in combinations(columns, size) if ordered else permutations(columns, size):
                most = max(most, sum(gains[row][column] for row, column in zip(some, others, strict=True)))
    return most


@pytest.mark.parametrize("seed", range(60))
def test_both_alignments_are_the_best_there_are(seed: int) -> None:
    choice = Random(seed)
    rows, columns = choice.randint(1, 4), choice.randint(1, 5)
    gains = [[choice.choice([0.0, 0.25, 0.5, 1.0]) for _ in range(columns)] for _ in range(rows)]
    assert in_order(gains).total == pytest.approx(brute_force(gains, ordered=True))
    assert best(gains).total == pytest.approx(brute_force(gains, ordered=False))
    assert assignment(gains).total == pytest.approx(best(gains).total)


@pytest.mark.parametrize("seed", range(20))
def test_pairs_are_valid_and_earn_what_is_said(seed: int) -> None:
    choice = Random(seed)
    gains = [[choice.random() for _ in range(4)] for _ in range(3)]
    for pairing in (by_place(gains), in_order(gains), best(gains), assignment(gains)):
        assert len({row for row, _ in pairing.pairs}) == len(pairing.pairs)
        assert len({column for _, column in pairing.pairs}) == len(pairing.pairs)
        assert pairing.total == pytest.approx(sum(gains[row][column] for row, column in pairing.pairs))
    columns = [column for _, column in in_order(gains).pairs]
    assert columns == sorted(columns)


def test_ties_go_to_the_smaller_numbers() -> None:
    gains = [[1.0, 1.0], [1.0, 1.0]]
    assert in_order(gains).pairs == best(gains).pairs == ((0, 0), (1, 1))
    assert best([[1.0, 1.0, 1.0]]).pairs == ((0, 0),)


def test_a_swap_is_forgiven_only_where_order_does_not_count() -> None:
    gains = [[0.0, 1.0], [1.0, 0.0]]
    assert (by_place(gains).total, in_order(gains).total, best(gains).total) == (0.0, 1.0, 2.0)


def test_empty_lists_align() -> None:
    assert by_place([]).pairs == in_order([]).pairs == best([]).pairs == assignment([]).pairs == ()


@pytest.mark.parametrize("seed", range(10))
def test_assignment_earns_as_much_as_the_best_pairing_and_takes_many(seed: int) -> None:
    choice = Random(seed)
    rows, columns = choice.randint(5, 9), choice.randint(5, 9)
    gains = [[choice.choice([0.0, choice.random()]) for _ in range(columns)] for _ in range(rows)]
    assert assignment(gains).total == pytest.approx(best(gains).total)
    turned = [[float(row + column == 119) for column in range(120)] for row in range(100)]
    assert assignment(turned).total == 100


@pytest.mark.parametrize(
    ("references", "candidates", "refused"),
    [(4, 32, False), (4, 33, True), (1, 20, False), (1, 21, True), (11, 1, True)],
)
def test_far_too_many_graphs_are_refused(references: int, candidates: int, refused: bool) -> None:
    assert too_large(references, candidates) is refused
