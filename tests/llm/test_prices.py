"""Prices of tokens: the user's, else the map's for this provider, else unknown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.llm.prices import Price, price_given, price_of
from tsgkit.llm.reply import Usage

ROOT = Path(tsgkit.__file__).parents[1]


def test_a_price_given_is_in_dollars_for_a_million_tokens() -> None:
    price = price_given("2.50,10")
    assert price.of(Usage(1_000_000, 1_000_000)) == pytest.approx(12.5)
    assert price.source == "--price"


@pytest.mark.parametrize("text", ["", "5", "a,b", "1,2,3", "-1,2", "nan,1", "1,inf", "9e9,1"])
def test_invalid_prices_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no price"):
        price_given(text)


def test_cached_tokens_have_a_price_of_their_own() -> None:
    price = Price(2e-6, 10e-6, cached=1e-6)
    assert price.of(Usage(1000, 500, cached=800)) == pytest.approx(200 * 2e-6 + 800 * 1e-6 + 500 * 10e-6)
    assert Price(2e-6, 10e-6).of(Usage(1000, 0, cached=800)) == pytest.approx(1000 * 2e-6)


def test_tokens_written_to_a_cache_have_a_price_of_their_own() -> None:
    price = price_of("anthropic/claude-sonnet-4-5")  # a million: 3 in, 15 out, 0.30 read from a cache, 3.75 written
    assert price is not None
    cost = price.of(Usage(1000, 100, cached=400, written=500))
    assert cost == pytest.approx(100 * 3e-6 + 400 * 0.3e-6 + 500 * 3.75e-6 + 100 * 15e-6)
    assert Price(2e-6, 10e-6).of(Usage(1000, 0, written=500)) == pytest.approx(1000 * 2e-6)


TIERS = {
    "flex": (0.625e-6, 5e-6, 0.0625e-6),
    "priority": (2.5e-6, 20e-6, 0.25e-6),
    "batch": (0.625e-6, 5e-6, 0.0625e-6),
    "fast": (2.5e-6, 20e-6, 0.25e-6),
    "": (1.25e-6, 10e-6, 0.125e-6),
    "auto": (1.25e-6, 10e-6, 0.125e-6),
    "default": (1.25e-6, 10e-6, 0.125e-6),
}
"""Prices of gpt-5 in the map: input, output, cached input."""


@pytest.mark.parametrize("tier", TIERS)
def test_a_service_tier_has_the_price_of_the_map(tier: str) -> None:
    price = price_of("openai/gpt-5", tier)
    assert price is not None
    assert (price.prompt, price.completion, price.cached) == pytest.approx(TIERS[tier])
    assert price.note == ""


def test_a_tier_without_a_price_is_counted_at_the_standard_one_with_a_note() -> None:
    flex, priority = price_of("openai/gpt-4o", "flex"), price_of("anthropic/claude-sonnet-4-5", "priority")
    assert flex is not None
    assert (flex.prompt, flex.completion) == (2.5e-6, 1e-5)
    assert flex.note.startswith("openai/gpt-4o: the price of service tier flex is not known")
    assert flex.note.endswith("the most it can cost")
    assert priority is not None
    assert priority.note.endswith("may cost more")


def test_the_tier_that_was_served_decides_unless_the_user_gave_a_price() -> None:
    asked = price_of("openai/gpt-5", "flex")
    assert asked is not None
    assert asked.served("") is asked
    assert asked.served("flex") is asked
    assert asked.served("default") == price_of("openai/gpt-5")
    given_price = price_given("1,2")
    assert given_price.served("priority") is given_price


@pytest.mark.parametrize("usage", [Usage(), Usage(prompt=5), Usage(completion=5)])
def test_unknown_usage_has_no_cost(usage: Usage) -> None:
    assert Price(1e-6, 1e-6).of(usage) is None


def test_the_map_knows_models_with_and_without_their_provider() -> None:
    named, bare = price_of("openai/gpt-4o"), price_of("gpt-4o")
    assert named == bare
    assert named is not None
    assert (named.prompt, named.completion, named.cached) == (2.5e-6, 1e-5, 1.25e-6)
    assert named.source.startswith("the price map of litellm ")


@pytest.mark.parametrize("model", ["openai/no-such-model", "hosted_vllm/gpt-4o", "ollama_chat/gpt-4o", "nothing", ""])
def test_a_price_that_nobody_names_is_unknown(model: str) -> None:
    assert price_of(model) is None


def test_a_price_does_not_load_litellm() -> None:
    code = "import sys; from tsgkit.llm.prices import price_of; price = price_of('openai/gpt-4o')\n"
    code += "print(price is None, 'litellm' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "False False\n"


def test_importing_the_room_does_not_load_litellm() -> None:
    names = sorted(path.stem for path in (ROOT / "tsgkit" / "llm").glob("*.py") if path.stem != "__init__")
    code = f"import sys; import {', '.join('tsgkit.llm.' + name for name in names)}; print('litellm' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout == "False\n"
