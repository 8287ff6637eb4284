"""Budgets with requests in flight and earlier parts of a run."""

from __future__ import annotations

import pytest

from tsgkit.llm.budget import Budget, Estimate
from tsgkit.llm.reply import NOTHING, UNKNOWN, Usage

TEN = Estimate(tokens=10, cost=0.1)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        (Budget(requests=3), "3 of 3 requests"),
        (Budget(tokens=30), "30 of 30 tokens"),
        (Budget(cost=0.35), "0.3000 of 0.3500 dollars"),
    ],
)
def test_requests_in_flight_count_for_the_budget(budget: Budget, said: str) -> None:
    assert [budget.take(TEN) for _ in range(5)] == [True, True, True, False, False]
    assert budget.reached == said


def test_usage_replaces_the_estimate() -> None:
    budget = Budget(tokens=30, cost=1.0)
    budget.take(TEN)
    budget.settle(TEN, Usage(20, 5, cost=0.5))
    assert (budget.used_tokens, budget.used_cost, budget.in_flight_tokens) == (25, 0.5, 0)
    assert not budget.take(TEN)


def test_unknown_usage_keeps_the_estimate() -> None:
    budget = Budget(tokens=30)
    budget.take(TEN)
    budget.settle(TEN, UNKNOWN)
    assert (budget.used_tokens, budget.used_cost) == (10, 0.1)


def test_unused_requests_return_everything_but_the_request() -> None:
    budget = Budget(requests=9)
    budget.take(TEN)
    budget.settle(TEN, NOTHING)
    assert (budget.used_requests, budget.used_tokens, budget.used_cost) == (1, 0, 0.0)


def test_reached_budget_stays_reached() -> None:
    budget = Budget(tokens=15)
    assert budget.take(TEN)
    assert not budget.take(TEN)
    budget.settle(TEN, NOTHING)
    assert not budget.take(Estimate(1, None))


def test_an_earlier_part_of_the_run_counts() -> None:
    budget = Budget(requests=5, tokens=100, cost=1.0)
    budget.add(5, Usage(50, 20, cost=0.2))
    assert (budget.used_tokens, budget.used_cost) == (70, 0.2)
    assert not budget.take(TEN)


def test_without_limits_everything_fits() -> None:
    budget = Budget()
    assert all(budget.take(Estimate(10**9, 10.0**6)) for _ in range(1000))
