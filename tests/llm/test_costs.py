"""Budgets with requests in flight; prices of tokens and images: the user's, else the map's, else unknown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.llm.budget import Budget, Estimate
from tsgkit.llm.prices import (
    ImagePrice,
    Price,
    batch_price,
    image_price_given,
    image_price_of,
    in_catalogue,
    map_source,
    price_given,
    price_of,
    provider_of,
    tier_in,
    tier_named,
)
from tsgkit.llm.reply import NOTHING, UNKNOWN, Usage

TEN = Estimate(tokens=10, cost=0.25)
PRICE = Price(2e-6, 10e-6, cached=1e-6, written=2.5e-6)
GIVEN = "--price"


def test_requests_in_flight_count_for_the_budget_which_stays_reached() -> None:
    for budget, reached in (
        (Budget(requests=3), "3 of 3 requests"),
        (Budget(tokens=30), "30 of 30 tokens"),
        (Budget(cost=0.75), "0.7500 of 0.7500 dollars"),
    ):
        assert [budget.take(TEN) for _ in range(5)] == [True, True, True, False, False], reached
        assert (budget.reached, budget.used_requests) == (reached, 3)
        assert (budget.in_flight_tokens, budget.in_flight_cost) == (30, 0.75)
        budget.settle(TEN, NOTHING)
        assert not budget.take(Estimate(1, None)), "it stays reached"
    assert all(Budget().take(Estimate(10**9, 10.0**6)) for _ in range(9))


def test_usage_replaces_the_estimate_unless_it_is_unknown_or_the_request_is_given_back() -> None:
    for usage, tokens, cost in ((Usage(20, 5, cost=0.5), 25, 0.5), (UNKNOWN, 10, 0.25), (NOTHING, 0, 0.0)):
        budget = Budget(tokens=30, cost=1.0)
        budget.take(TEN)
        budget.settle(TEN, usage)
        assert budget == Budget(tokens=30, cost=1.0, used_requests=1, used_tokens=tokens, used_cost=cost), usage
        assert budget.take(TEN) is (tokens <= 20)
    for estimate, limits in ((TEN, Budget(requests=1)), (Estimate(10, None), Budget(cost=0.0))):
        for _ in range(3):
            assert limits.take(estimate)
            limits.give_back(estimate)
        assert (limits.used_requests, limits.in_flight_tokens, limits.in_flight_cost) == (0, 0, 0.0)
    free, unpriced = Budget(cost=0.0), Estimate(10, None)
    assert free.take(unpriced)
    free.settle(unpriced, UNKNOWN)
    assert (free.in_flight_cost, free.used_cost, free.used_tokens) == (0.0, 0.0, 10)
    earlier = Budget(requests=5, tokens=100, cost=1.0)
    earlier.add(4, Usage(50, 20, cost=0.25))
    earlier.add(1, UNKNOWN)
    assert (earlier.used_requests, earlier.used_tokens, earlier.used_cost) == (5, 70, 0.25)
    assert not earlier.take(TEN)


def test_price_that_is_given_is_in_dollars_for_a_million_tokens_or_an_image() -> None:
    assert price_given("2.50,10") == Price(2.5e-6, 1e-5, source=GIVEN)
    assert price_given("0,0") == Price(0, 0, source=GIVEN)
    for text in ("", "5", "a,b", "1,2,3", "-1,2", "1,-2", "nan,1", "1,inf", "1000000,1", "1,1000000"):
        with pytest.raises(UsageError, match="is no price"):
            price_given(text)
    assert (image_price_given("0.04"), image_price_given("0").dollars) == (ImagePrice(0.04, GIVEN), 0)
    for text in ("free", "-1", "nan", "1,2", "1000"):
        with pytest.raises(UsageError, match="is no price"):
            image_price_given(text)
    assert ImagePrice(0.04).expected(10, 10) == ImagePrice(0.04).of(Usage()) == 0.04
    low, most = (image_price_of("openai/gpt-image-1", "1024x1024", quality) for quality in ("low", ""))
    assert low is not None and most is not None and 0 < low.dollars < most.dollars and "price map" in low.source
    assert image_price_of("openai/of-my-own") is None


@given(prompt=st.integers(0, 10**6), cached=st.integers(0, 10**6), written=st.integers(0, 10**6))
@settings(max_examples=40)
def test_reading_from_a_cache_never_costs_more(prompt: int, cached: int, written: int) -> None:
    cost = PRICE.of(Usage(prompt, 10, cached=cached, written=written)) or 0
    assert cost > 0
    if cached + written <= prompt:
        assert cost <= (PRICE.of(Usage(prompt, 10, written=written)) or 0) + 1e-12


def test_cost_counts_cached_and_written_tokens_at_their_own_prices() -> None:
    for price, usage, cost in (
        (PRICE, Usage(1000, 500), 1000 * 2e-6 + 500 * 10e-6),
        (PRICE, Usage(1000, 500, cached=800), 200 * 2e-6 + 800 * 1e-6 + 500 * 10e-6),
        (PRICE, Usage(1000, 0, cached=300, written=500), 200 * 2e-6 + 300 * 1e-6 + 500 * 2.5e-6),
        (Price(2e-6, 10e-6), Usage(1000, 0, cached=300, written=500), 1000 * 2e-6),
        (PRICE, Usage(0, 0, cached=10), 10 * 1e-6),
    ):
        assert price.of(usage) == pytest.approx(cost), usage
    assert [PRICE.of(usage) for usage in (Usage(), Usage(prompt=5), Usage(completion=5))] == [None] * 3
    assert PRICE.expected(1000, 500) == pytest.approx(0.007)


def test_service_tier_has_the_price_of_the_map() -> None:
    factors = {"flex": 0.5, "priority": 2, "batch": 0.5, "FAST": 2, "": 1, "auto": 1, "default": 1}
    for tier, factor in factors.items():
        price = price_of("openai/gpt-5", tier)
        assert price is not None
        rates = (price.prompt, price.completion, price.cached)
        assert rates == pytest.approx((1.25e-6 * factor, 10e-6 * factor, 0.125e-6 * factor)), tier
        assert (price.note, price.tier, price.model) == ("", tier_named(tier), "openai/gpt-5")
    assert [tier_named(name) for name in ("batches", "Standard", "fast")] == ["batch", "", "priority"]
    flex, priority = price_of("openai/gpt-4o", "flex"), price_of("anthropic/claude-sonnet-4-5", "priority")
    assert flex is not None and priority is not None
    assert (flex.prompt, flex.completion, flex.cached) == (2.5e-6, 1e-5, 1.25e-6)
    note = "openai/gpt-4o: the price of service tier flex is not known; it is counted at the standard price, which is "
    assert flex.note == note + "the most it can cost"
    assert priority.note.endswith("may cost more") and priority.written == 3.75e-6


def test_tier_that_was_served_decides_unless_the_user_gave_a_price() -> None:
    asked = price_of("openai/gpt-5", "flex")
    assert asked is not None
    assert asked.served("") is asked.served("flex") is asked
    assert asked.served("default") == price_of("openai/gpt-5")
    given_price = price_given("1,2")
    assert given_price.served("priority") is given_price
    for value, tier in (
        ({"service_tier": "flex", "usage": {"service_tier": "x"}}, "flex"),
        ({"service_tier": None, "usage": {"service_tier": "standard"}}, "standard"),
        ({"usageMetadata": {"trafficType": "ON_DEMAND_PRIORITY"}}, "priority"),
        ({"usageMetadata": {"trafficType": "ODD"}, "usage": 5}, ""),
        ({"usageMetadata": 5}, ""),
    ):
        assert tier_in(value) == tier, value


def test_price_of_a_batch_is_that_of_the_map_else_half() -> None:
    for known, price in (
        (price_of("openai/gpt-5"), price_of("openai/gpt-5", "batch")),
        (None, None),
        (
            Price(2e-6, 10e-6, 1e-6, GIVEN, 2.5e-6, note="x"),
            Price(1e-6, 5e-6, 0.5e-6, "half of --price, in a batch", 1.25e-6, "batch"),
        ),
        (Price(2e-6, 10e-6, source=GIVEN), Price(1e-6, 5e-6, source="half of --price, in a batch", tier="batch")),
    ):
        assert batch_price("openai/gpt-5", known) == price


def test_map_knows_models_with_and_without_their_provider() -> None:
    assert price_of("openai/gpt-4o") == price_of("gpt-4o") == Price(2.5e-6, 1e-5, 1.25e-6, map_source())
    assert map_source().startswith("the price map of litellm ")
    for model in ("openai/no-such-model", "hosted_vllm/gpt-4o", "ollama_chat/gpt-4o", "nothing", ""):
        assert price_of(model) is None, model
    assert [provider_of(model) for model in ("groq/x/y", "gpt-4o", "qwen3")] == ["groq", "openai", "qwen3"]
    assert in_catalogue("gpt-4o")
    assert not any(in_catalogue(name) for name in ("qwen3", "ft:gpt-4o", "claude-sonnet-4-5"))
