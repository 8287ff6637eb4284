"""Prices of tokens and images: the user's, else the map's for this provider and tier, else unknown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.llm.prices import (
    ImagePrice,
    Price,
    batch_price,
    image_price_given,
    image_price_of,
    in_catalogue,
    price_given,
    price_of,
    provider_of,
    tier_in,
    tier_named,
)
from tsgkit.llm.reply import Usage

PRICE = Price(2e-6, 10e-6, cached=1e-6, written=2.5e-6)


def test_price_given_is_in_dollars_for_a_million_tokens() -> None:
    assert price_given("2.50,10") == Price(2.5e-6, 1e-5, source="--price")
    assert price_given("0,0") == Price(0, 0, source="--price")
    for text in ("", "5", "a,b", "1,2,3", "-1,2", "1,-2", "nan,1", "1,inf", "1000000,1", "1,1000000"):
        with pytest.raises(UsageError, match="is no price"):
            price_given(text)


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


@given(prompt=st.integers(0, 10**6), cached=st.integers(0, 10**6), written=st.integers(0, 10**6))
@settings(max_examples=40)
def test_reading_from_a_cache_never_costs_more(prompt: int, cached: int, written: int) -> None:
    cost = PRICE.of(Usage(prompt, 10, cached=cached, written=written)) or 0
    assert cost > 0
    if cached + written <= prompt:
        assert cost <= (PRICE.of(Usage(prompt, 10, written=written)) or 0) + 1e-12


def test_service_tier_has_the_price_of_the_map() -> None:
    standard, half, double = (1.25e-6, 10e-6, 0.125e-6), (0.625e-6, 5e-6, 0.0625e-6), (2.5e-6, 20e-6, 0.25e-6)
    for tier, wanted in (
        ("flex", half),
        ("priority", double),
        ("batch", half),
        ("FAST", double),
        ("", standard),
        ("auto", standard),
        ("default", standard),
    ):
        price = price_of("openai/gpt-5", tier)
        assert price is not None
        assert (price.prompt, price.completion, price.cached) == pytest.approx(wanted), tier
        assert (price.note, price.tier, price.model) == ("", tier_named(tier), "openai/gpt-5")
    assert (tier_named("batches"), tier_named("Standard"), tier_named("fast")) == ("batch", "", "priority")


def test_tier_without_a_price_is_counted_at_the_standard_one_with_a_note() -> None:
    flex, priority = price_of("openai/gpt-4o", "flex"), price_of("anthropic/claude-sonnet-4-5", "priority")
    assert flex is not None and priority is not None
    assert (flex.prompt, flex.completion, flex.cached) == (2.5e-6, 1e-5, 1.25e-6)
    assert flex.note.startswith("openai/gpt-4o: the price of service tier flex is not known")
    assert flex.note.endswith("the most it can cost")
    assert priority.note.endswith("may cost more")
    assert priority.written == 3.75e-6


def test_tier_that_was_served_decides_unless_the_user_gave_a_price() -> None:
    asked = price_of("openai/gpt-5", "flex")
    assert asked is not None
    assert asked.served("") is asked.served("flex") is asked
    assert asked.served("default") == price_of("openai/gpt-5")
    given_price = price_given("1,2")
    assert given_price.served("priority") is given_price


def test_tier_is_read_from_a_response() -> None:
    for value, tier in (
        ({"service_tier": "flex", "usage": {"service_tier": "x"}}, "flex"),
        ({"service_tier": None, "usage": {"service_tier": "standard"}}, "standard"),
        ({"usageMetadata": {"trafficType": "ON_DEMAND_PRIORITY"}}, "priority"),
        ({"usageMetadata": {"trafficType": "ODD"}, "usage": 5}, ""),
        ({"usageMetadata": 5}, ""),
    ):
        assert tier_in(value) == tier, value


def test_price_of_a_batch_is_that_of_the_map_else_half() -> None:
    listed = price_of("openai/gpt-5")
    assert batch_price("openai/gpt-5", listed) == price_of("openai/gpt-5", "batch")
    assert batch_price("openai/gpt-5", None) is None
    half = batch_price("openai/gpt-5", Price(2e-6, 10e-6, 1e-6, "--price", 2.5e-6, note="x"))
    assert half == Price(1e-6, 5e-6, 0.5e-6, "half of --price, in a batch", 1.25e-6, "batch")
    plain = batch_price("x/m", Price(2e-6, 10e-6, source="--price"))
    assert plain is not None and (plain.cached, plain.written) == (None, None)


def test_map_knows_models_with_and_without_their_provider() -> None:
    named, bare = price_of("openai/gpt-4o"), price_of("gpt-4o")
    assert named == Price(2.5e-6, 1e-5, 1.25e-6, named.source if named else "")
    assert bare is not None and bare == named and bare.source.startswith("the price map of litellm ")
    for model in ("openai/no-such-model", "hosted_vllm/gpt-4o", "ollama_chat/gpt-4o", "nothing", ""):
        assert price_of(model) is None, model
    assert (provider_of("groq/x/y"), provider_of("gpt-4o"), provider_of("qwen3")) == ("groq", "openai", "qwen3")
    assert [in_catalogue(name) for name in ("gpt-4o", "qwen3", "ft:gpt-4o", "claude-sonnet-4-5")] == [
        True,
        False,
        False,
        False,
    ]


def test_price_of_an_image_is_the_user_s_else_the_map_s_else_unknown() -> None:
    assert image_price_given("0.04") == ImagePrice(0.04, "--price")
    assert image_price_given("0").dollars == 0
    for text in ("free", "-1", "nan", "1,2", "1000"):
        with pytest.raises(UsageError, match="is no price"):
            image_price_given(text)
    assert ImagePrice(0.04).expected(10, 10) == ImagePrice(0.04).of(Usage()) == 0.04
    low = image_price_of("openai/gpt-image-1", "1024x1024", "low")
    most = image_price_of("openai/gpt-image-1", "1024x1024")
    assert low is not None and most is not None and 0 < low.dollars < most.dollars and "price map" in low.source
    assert image_price_of("openai/of-my-own") is None
