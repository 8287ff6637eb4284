"""Costs of usage, whatever its numbers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Usage


@given(prompt=st.integers(0, 10**6), cached=st.integers(0, 10**6), written=st.integers(0, 10**6))
def test_reading_from_a_cache_never_costs_more_and_a_cost_is_never_negative(
    prompt: int, cached: int, written: int
) -> None:
    price = Price(2e-6, 10e-6, cached=1e-6, written=2.5e-6)
    cost = price.of(Usage(prompt, 10, cached=cached, written=written))
    assert cost is not None
    assert cost > 0
    if cached + written <= prompt:
        without = price.of(Usage(prompt, 10, written=written))
        assert without is not None
        assert cost <= without + 1e-12
