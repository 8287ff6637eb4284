"""Prices of tokens and images: those of the user, else those of LiteLLM's map, else unknown.

>>> price = Price(2.5e-06, 1e-05, source="given")
>>> round(price.of(Usage(prompt=1000, completion=500, cached=0)), 6)
0.0075
>>> print(price.of(Usage(prompt=1000, completion=None)))
None
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Usage

MOST_IMAGE_TOKENS = 4160
"""Tokens of a square image at the highest quality, for services that count images in tokens."""
MAP = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True)
class Price:
    """Dollars per input token, output token and cached input token, and the source of the price."""

    prompt: float
    completion: float
    cached: float | None = None
    source: str = ""

    def expected(self, prompt: int, completion: int) -> float:
        """Return what a request of about so many tokens costs."""
        return prompt * self.prompt + completion * self.completion

    def of(self, usage: Usage) -> float | None:
        """Return what this usage cost; None where tokens are not known."""
        if usage.prompt is None or usage.completion is None:
            return None
        cached = usage.cached or 0
        at = self.prompt if self.cached is None else self.cached
        return (usage.prompt - cached) * self.prompt + cached * at + usage.completion * self.completion


@dataclass(frozen=True)
class ImagePrice:
    """Dollars per image of an image model, and the source of the price."""

    dollars: float
    source: str = ""

    def expected(self, prompt: int, completion: int) -> float:
        """Return what a request costs, whatever its tokens."""
        return self.dollars

    def of(self, usage: Usage) -> float | None:
        """Return what one image cost."""
        return self.dollars


def image_price_given(text: str) -> ImagePrice:
    """Return the price of ``--price USD``, in dollars for an image."""
    try:
        dollars = float(text)
    except ValueError:
        dollars = -1.0
    if not 0 <= dollars < 1000:
        raise UsageError(f"{text!r} is no price", hint="give dollars for one image, as in 0.04")
    return ImagePrice(dollars, "--price")


def image_price_of(model: str, size: str = "", quality: str = "") -> ImagePrice | None:
    """Return LiteLLM's price of one image, at its highest if counted in tokens; None if unknown.

    >>> image_price_of("openai/no-such-image-model") is None
    True
    """
    name = model.partition("/")[2] or model
    sized = f"{size.replace('x', '-x-')}/" if size else ""
    for key in (f"{quality}/{sized}{name}" if quality else "", f"{sized}{name}" if sized else "", model):
        entry = _entry(key if "/" not in model or key == model else f"{model.partition('/')[0]}/{key}") if key else {}
        if (dollars := _dollars(entry, size)) is not None:
            return ImagePrice(dollars, map_source())
    return None


def _dollars(entry: dict[str, Any], size: str) -> float | None:
    """Return what one image costs by an entry of the map."""
    for field in ("output_cost_per_image", "input_cost_per_image"):
        if entry.get(field):
            return float(entry[field])
    if entry.get("output_cost_per_image_token"):
        return float(entry["output_cost_per_image_token"]) * MOST_IMAGE_TOKENS
    width, _, height = size.partition("x")
    pixels = int(width) * int(height) if width.isdecimal() and height.isdecimal() else 1024 * 1024
    per_pixel = float(entry.get("input_cost_per_pixel") or 0) + float(entry.get("output_cost_per_pixel") or 0)
    return per_pixel * pixels or None


def price_given(text: str) -> Price:
    """Return the price of ``--price IN,OUT``, in dollars for a million tokens."""
    try:
        prompt, completion = (float(part) / 1e6 for part in text.split(","))
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < 1 and 0 <= completion < 1):
        raise UsageError(f"{text!r} is no price", hint="give dollars per million tokens in and out, as in 2.50,10")
    return Price(prompt, completion, source="--price")


def price_of(model: str) -> Price | None:
    """Return the price LiteLLM's map gives for a model; None where it gives none. LiteLLM itself is not loaded."""
    entry = _entry(model)
    if not entry or "input_cost_per_token" not in entry or "output_cost_per_token" not in entry:
        return None
    return Price(
        float(entry["input_cost_per_token"]),
        float(entry["output_cost_per_token"]),
        entry.get("cache_read_input_token_cost"),
        map_source(),
    )


def batch_price(model: str, price: Price | None) -> Price | None:
    """Return the price of a model's requests in a batch: that of the map if it is priced by it and has one, else half.

    >>> batch_price("openai/mine", Price(2e-06, 8e-06, source="--price"))
    Price(prompt=1e-06, completion=4e-06, cached=None, source='half of --price, in a batch')
    """
    if price is None:
        return None
    entry = _entry(model) if price.source == map_source() else {}
    half = replace(
        price,
        prompt=price.prompt / 2,
        completion=price.completion / 2,
        cached=None if price.cached is None else price.cached / 2,
        source=f"half of {price.source}, in a batch",
    )
    if not entry.get("input_cost_per_token_batches") or not entry.get("output_cost_per_token_batches"):
        return half
    return replace(
        half,
        prompt=float(entry["input_cost_per_token_batches"]),
        completion=float(entry["output_cost_per_token_batches"]),
        cached=entry.get("cache_read_input_token_cost_batches", half.cached),
        source=f"{price.source}, for batches",
    )


def provider_of(model: str) -> str:
    """Return the provider of a model's name; for a bare name, the one in LiteLLM's map.

    >>> provider_of("hosted_vllm/llama"), provider_of("gpt-4o")
    ('hosted_vllm', 'openai')
    """
    if "/" in model:
        return model.partition("/")[0]
    return str(_map().get(model, {}).get("litellm_provider", model))


def _entry(model: str) -> dict[str, Any]:
    """Return the map's entry of a model, never one of another provider with the same model name."""
    provider, _, name = model.partition("/")
    if model in _map():
        return _map()[model]
    found = _map().get(name, {})
    owner = str(found.get("litellm_provider", ""))
    return found if owner == provider or owner.startswith((f"{provider}-", f"{provider}_")) else {}


def map_source() -> str:
    """Return the name of the price map."""
    try:
        return f"the price map of litellm {version('litellm')}"
    except PackageNotFoundError:
        return "no price map: litellm is not installed"


@cache
def _map() -> dict[str, dict[str, Any]]:
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    path = Path(found.origin).parent / MAP
    if not path.is_file():
        return {}
    value: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return value
