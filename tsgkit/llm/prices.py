"""Prices of tokens and images: those of the user, else those of LiteLLM's map, else unknown.

>>> price = Price(2.5e-06, 1e-05, source="given")
>>> round(price.of(Usage(prompt=1000, completion=500, cached=0)), 6)
0.0075
>>> print(price.of(Usage(prompt=1000, completion=None)))
None

A service may have tiers, each with a price of its own:

>>> standard, flex = price_of("openai/gpt-5"), price_of("openai/gpt-5", "flex")
>>> standard.prompt, flex.prompt, flex.served("default").prompt
(1.25e-06, 6.25e-07, 1.25e-06)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.reply import Usage
from tsgkit.llm.settings import is_local, model_map

MOST_IMAGE_TOKENS = 4160
"""Tokens of a square image at the highest quality, for services that count images in tokens."""
STANDARD = ("", "auto", "default", "standard", "standard_only", "on_demand")
"""Names of the tier without a surcharge or discount; what ``auto`` brings is known by the response."""
SAME_TIER = {"fast": "priority", "batches": "batch"}
TRAFFIC = {"ON_DEMAND": "default", "ON_DEMAND_PRIORITY": "priority", "ON_DEMAND_FLEX": "flex", "FLEX": "flex"}
"""Tiers by the traffic types of Gemini."""
CHEAPER = ("flex", "batch")
CACHE_RATES = ("cache_read_input_token_cost", "cache_creation_input_token_cost")
SIZE = re.compile(r"[-_:]\d+(?:\.\d+)?b\b|:")
"""The size in the name of a model (``-8b``), or what precedes its tag."""


@dataclass(frozen=True)
class Price:
    """Dollars per input token, output token, cached input token and input token written to a cache, with the source."""

    prompt: float
    completion: float
    cached: float | None = None
    source: str = ""
    written: float | None = None
    """Price of an input token that the service puts into its prompt cache; None: that of any input token."""
    tier: str = ""
    """The service tier; empty for the standard one."""
    note: str = ""
    """The reason why the price may not be that of the tier."""
    model: str = field(default="", compare=False)
    """The model in the price map; empty for a price of the user, which holds for every tier."""

    def expected(self, prompt: int, completion: int) -> float:
        """Return what a request of about so many tokens costs."""
        return prompt * self.prompt + completion * self.completion

    def of(self, usage: Usage) -> float | None:
        """Return what this usage cost; None where tokens are not known."""
        if usage.prompt is None or usage.completion is None:
            return None
        cached, written = usage.cached or 0, usage.written or 0
        fresh = max(usage.prompt - cached - written, 0)
        read_at = self.prompt if self.cached is None else self.cached
        write_at = self.prompt if self.written is None else self.written
        return fresh * self.prompt + cached * read_at + written * write_at + usage.completion * self.completion

    def served(self, tier: str) -> Price:
        """Return the price of the tier that a response names (empty: none)."""
        if not tier or not self.model or tier_named(tier) == self.tier:
            return self
        return price_of(self.model, tier) or self


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
    provider, slash, name = model.partition("/") if "/" in model else ("", "", model)
    sized = f"{size.replace('x', '-x-')}/{name}" if size else name
    width, _, height = size.partition("x")
    pixels = int(width) * int(height) if width.isdecimal() and height.isdecimal() else 1024 * 1024
    for key in dict.fromkeys((f"{quality}/{sized}" if quality else sized, sized if size else name, name)):
        entry = _entry(f"{provider}{slash}{key}")
        counted = float(entry.get("output_cost_per_image_token") or 0) * MOST_IMAGE_TOKENS
        per_pixel = float(entry.get("input_cost_per_pixel") or 0) + float(entry.get("output_cost_per_pixel") or 0)
        prices = entry.get("output_cost_per_image"), entry.get("input_cost_per_image"), counted, per_pixel * pixels
        if dollars := next(filter(None, prices), None):
            return ImagePrice(float(dollars), map_source())
    return None


def price_given(text: str) -> Price:
    """Return the price of ``--price IN,OUT``, in dollars for a million tokens."""
    try:
        prompt, completion = (float(part) / 1e6 for part in text.split(","))
    except ValueError:
        prompt = completion = -1.0
    if not (0 <= prompt < 1 and 0 <= completion < 1):
        raise UsageError(f"{text!r} is no price", hint="give dollars per million tokens in and out, as in 2.50,10")
    return Price(prompt, completion, source="--price")


def price_of(model: str, tier: str = "") -> Price | None:
    """Return the price LiteLLM's map gives for a model in a service tier; None where it gives none for the model.

    A tier that the map has no price of is taken at the standard price, with a note. LiteLLM itself is not loaded.
    """
    if is_local(model):
        return Price(0.0, 0.0, source="this machine")
    entry, tier_name = _entry(model), tier_named(tier)
    if not entry or "input_cost_per_token" not in entry or "output_cost_per_token" not in entry:
        return None
    suffix = {"": "", "batch": "_batches"}.get(tier_name, f"_{tier_name}")
    names = "input_cost_per_token", "output_cost_per_token", *CACHE_RATES
    tier_rates = {name: float(rate) for name in names if (rate := entry.get(f"{name}{suffix}")) is not None}
    rates: dict[str, Any] = entry | tier_rates
    prompt, completion = (float(rates[name]) for name in names[:2])
    cached, written = map(rates.get, CACHE_RATES)
    note = ""
    if not tier_rates.keys() >= {*names[:2]}:
        note = f"{model}: the price of service tier {tier_name} is not known; it is counted at the standard price, "
        note += "which is the most it can cost" if tier_name in CHEAPER else "and may cost more"
    return Price(prompt, completion, cached, map_source(), written, tier_name, note, model)


def batch_price(model: str, price: Price | None) -> Price | None:
    """Return the price of a model's requests in a batch: that of the map if it is priced by it and has one, else half.

    >>> found = batch_price("openai/mine", Price(2e-06, 8e-06, source="--price"))
    >>> found.prompt, found.completion, found.source
    (1e-06, 4e-06, 'half of --price, in a batch')
    """
    if price is None:
        return None
    listed = price_of(model, "batch") if price.source == map_source() else None
    if listed is not None and not listed.note:
        return listed
    rates = {name: getattr(price, name) for name in ("prompt", "completion", "cached", "written")}
    halves = {name: rate / 2 for name, rate in rates.items() if rate is not None}
    return replace(price, **halves, source=f"half of {price.source}, in a batch", tier="batch", note="")


def tier_named(tier: str) -> str:
    """Return the tier of a name that a service gives it; empty for the standard one.

    >>> tier_named("flex"), tier_named("default"), tier_named("fast")
    ('flex', '', 'priority')
    """
    name = tier.lower()
    return "" if name in STANDARD else SAME_TIER.get(name, name)


def tier_in(response: Mapping[str, Any]) -> str:
    """Return the service tier that the JSON of a response names; empty where it names none.

    >>> tier_in({"service_tier": "flex"}), tier_in({"usage": {"service_tier": "standard"}}), tier_in({})
    ('flex', 'standard', '')
    """
    usage, traffic = response.get("usage"), response.get("usageMetadata")
    tiers = [response.get("service_tier"), usage.get("service_tier") if isinstance(usage, dict) else None]
    tiers += [TRAFFIC.get(str(traffic.get("trafficType")))] if isinstance(traffic, dict) else []
    return next((tier for tier in tiers if isinstance(tier, str)), "")


def in_catalogue(name: str) -> bool:
    """Return whether LiteLLM's map lists a model among those of OpenAI.

    >>> in_catalogue("gpt-4o"), in_catalogue("qwen3")
    (True, False)
    """
    is_price_alone = name.startswith("ft:") and name.count(":") == 1
    owner = model_map().get(name, {}).get("litellm_provider")
    return not is_price_alone and owner in ("openai", "text-completion-openai")


def reasons_by_name(model: str) -> bool:
    """Return whether LiteLLM's map lists a model that reasons under this name, whoever serves it and in whatever size.

    >>> reasons_by_name("openai/Qwen/Qwen3-8B"), reasons_by_name("openai/qwen3:0.6b"), reasons_by_name("openai/local")
    (True, True, False)
    """
    return _family(model) in {_family(name) for name, entry in model_map().items() if entry.get("supports_reasoning")}


def _family(model: str) -> str:
    """Return the name of a model without its owner, size and tag."""
    return SIZE.split(model.rpartition("/")[2].lower())[0]


def _entry(model: str) -> dict[str, Any]:
    """Return the map's entry of a model, never one of another provider with the same model name."""
    provider, _, name = model.partition("/")
    if model in model_map():
        return model_map()[model]
    entry = model_map().get(name, {})
    owner = str(entry.get("litellm_provider", ""))
    return entry if owner == provider or owner.startswith((f"{provider}-", f"{provider}_")) else {}


def map_source() -> str:
    """Return the name of the price map."""
    try:
        return f"the price map of litellm {version('litellm')}"
    except PackageNotFoundError:
        return "no price map: litellm is not installed"
