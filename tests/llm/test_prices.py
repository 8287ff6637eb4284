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
