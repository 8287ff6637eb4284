"""Totals under random weights."""

from __future__ import annotations

import random

import pytest

from tsgkit.scoring.resampling import PLAIN_DRAWS, POISSON, SWAPS, Row, redrawn_totals, weighted_totals

ROUNDS = 50


def one_by_one(rows: list[Row], weights: bytes, seed: int) -> list[list[float]]:
    rng = random.Random(seed)
    times = [rng.randbytes(ROUNDS).translate(weights) for _ in rows]
    return [
        [sum(times[n][r] * row[column] for n, row in enumerate(rows)) for column in range(len(rows[0]))]
        for r in range(ROUNDS)
    ]


@pytest.mark.parametrize("weights", [POISSON, SWAPS], ids=["poisson", "swaps"])
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_all_rounds_at_once_give_what_they_give_one_by_one(weights: bytes, size: float) -> None:
    rng = random.Random(3)
    rows: list[Row] = [(rng.uniform(-size, size), float(rng.randint(0, 9)), 0.0) for _ in range(300)]
    together = weighted_totals(rows, weights, rounds=ROUNDS, rng=random.Random(8))
    for found, expected in zip(together, one_by_one(rows, weights, 8), strict=True):
        assert found[0] == pytest.approx(expected[0], abs=300 * size * 2**-28)
        assert found[1:] == tuple(expected[1:])


def test_poisson_weights_have_mean_one_and_variance_one() -> None:
    assert len(POISSON) == 256
    assert sum(POISSON) == 256
    assert sum((weight - 1) ** 2 for weight in POISSON) == 256


def test_few_clusters_are_drawn_exactly_as_often_as_there_are() -> None:
    rows: list[Row] = [(1.0, float(n)) for n in range(PLAIN_DRAWS)]
    assert {drawn for drawn, _ in redrawn_totals(rows, rounds=ROUNDS, rng=random.Random(1))} == {PLAIN_DRAWS}


def test_many_clusters_are_drawn_about_as_often_as_there_are() -> None:
    drawn = [total for (total,) in redrawn_totals([(1.0,)] * 10_000, rounds=ROUNDS, rng=random.Random(1))]
    assert all(abs(total - 10_000) < 500 for total in drawn)  # five standard deviations of Poisson(10,000)
    assert len(set(drawn)) > 1
