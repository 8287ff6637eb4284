"""Budgets with requests in flight and earlier parts of a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tsgkit.llm.budget import Budget, Estimate
from tsgkit.llm.reply import NOTHING, UNKNOWN, Usage

TEN = Estimate(tokens=10, cost=0.25)


def test_requests_in_flight_count_for_the_budget() -> None:
    for budget, reached in (
        (Budget(requests=3), "3 of 3 requests"),
        (Budget(tokens=30), "30 of 30 tokens"),
        (Budget(cost=0.75), "0.7500 of 0.7500 dollars"),
    ):
        assert [budget.take(TEN) for _ in range(5)] == [True, True, True, False, False], reached
        assert budget.reached == reached
        assert (budget.used_requests, budget.in_flight_tokens, budget.in_flight_cost) == (3, 30, 0.75)
    assert all(Budget().take(Estimate(10**9, 10.0**6)) for _ in range(9))


def test_usage_replaces_the_estimate_unless_it_is_unknown() -> None:
    for usage, tokens, cost in ((Usage(20, 5, cost=0.5), 25, 0.5), (UNKNOWN, 10, 0.25), (NOTHING, 0, 0.0)):
        budget = Budget(tokens=30, cost=1.0)
        budget.take(TEN)
        budget.settle(TEN, usage)
        assert (budget.used_requests, budget.used_tokens, budget.used_cost) == (1, tokens, cost), usage
        assert (budget.in_flight_tokens, budget.in_flight_cost) == (0, 0.0)
        assert budget.take(TEN) is (tokens <= 20)


def test_request_that_was_not_made_is_given_back() -> None:
    budget = Budget(requests=1)
    for _ in range(3):
        assert budget.take(TEN)
        budget.give_back(TEN)
    assert (budget.used_requests, budget.in_flight_tokens, budget.in_flight_cost) == (0, 0, 0.0)


def test_request_without_a_price_costs_nothing() -> None:
    unpriced, budget = Estimate(10, None), Budget(cost=0.0)
    ends: tuple[Callable[[], None], ...] = (
        partial(budget.settle, unpriced, UNKNOWN),
        partial(budget.give_back, unpriced),
    )
    for end in ends:
        assert budget.take(unpriced)
        assert budget.in_flight_cost == 0.0
        end()
        assert (budget.in_flight_cost, budget.used_cost) == (0.0, 0.0)


def test_reached_budget_stays_reached() -> None:
    budget = Budget(tokens=15)
    assert [budget.take(TEN), budget.take(TEN)] == [True, False]
    budget.settle(TEN, NOTHING)
    assert not budget.take(Estimate(1, None))


def test_earlier_part_of_the_run_counts() -> None:
    budget = Budget(requests=5, tokens=100, cost=1.0)
    budget.add(4, Usage(50, 20, cost=0.25))
    budget.add(1, UNKNOWN)
    assert (budget.used_requests, budget.used_tokens, budget.used_cost) == (5, 70, 0.25)
    assert not budget.take(TEN)
