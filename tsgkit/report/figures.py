"""Formatting of numbers: percent with one decimal, intervals, unknown values.

>>> value = Value(0.78568, 0.71095, 0.85105, 91.0)
>>> percent(value), str(with_interval(value)), weight(value)
('78.6', '78.6 [71.1, 85.1]', '91')
>>> percent(None), cost({"cost": None, "calls": 3, "from_cache": 0})
('-', '(unknown)')
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tsgkit.suites.scoreboard import Value

NOTHING, UNKNOWN = "-", "(unknown)"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure as people read it: its value, its 95 % interval, and a mark.

    >>> str(Estimate("50.0", "[25.0, 75.0]", "(+)")), str(Estimate("-"))
    ('50.0 [25.0, 75.0] (+)', '-')
    """

    value: str
    interval: str = ""
    mark: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.value, self.interval, self.mark)))


def percent(value: Value | float | None, *, is_share: bool = True) -> str:
    """Return a fraction of 1 in percent; a value that is no share as it is.

    >>> percent(0.25), percent(250, is_share=False), percent(2.75, is_share=False)
    ('25.0', '250', '2.8')
    """
    if value is None:
        return NOTHING
    if isinstance(value, Value):
        return percent(value.value, is_share=value.is_share)
    return f"{100 * value:.1f}" if is_share else number(value)


def with_interval(value: Value | None, mark: str = "") -> Estimate:
    """Return a value with its interval, alone where there is none.

    >>> str(with_interval(Value(0.5, 0.25, 0.75, 8.0))), str(with_interval(Value(1.0, None, None, 1.0)))
    ('50.0 [25.0, 75.0]', '100.0')
    """
    return _estimate(value, percent, mark)


def points(value: Value | None) -> Estimate:
    """Return a difference with its interval, all with their signs: of shares in points, else as it is.

    >>> str(points(Value(0.25, -0.05, 0.5, 8.0))), str(points(Value(12, None, None, 8.0, is_share=False)))
    ('+25.0 [-5.0, +50.0]', '+12')
    """
    return _estimate(value, _signed)


def _estimate(value: Value | None, written: Callable[..., str], mark: str = "") -> Estimate:
    if value is None:
        return Estimate(NOTHING, mark=mark)
    interval = ""
    if value.low is not None and value.high is not None:
        low, high = (written(end, is_share=value.is_share) for end in (value.low, value.high))
        interval = f"[{low}, {high}]"
    return Estimate(written(value.value, is_share=value.is_share), interval, mark)


def _signed(value: float, *, is_share: bool) -> str:
    text = percent(abs(value), is_share=is_share)
    is_zero = not any(letter in "123456789" for letter in text)
    return text if is_zero else f"{'-' if value < 0 else '+'}{text}"


def weight(value: Value | None) -> str:
    """Return what a value rests on: its summed weight."""
    return NOTHING if value is None else number(value.n)


def one_of(units: Iterable[str]) -> str:
    """Return different units in words, each once.

    >>> one_of(["scenarios", "stories", "scenarios"])
    'scenarios or stories'
    """
    return " or ".join(dict.fromkeys(units))


def number(value: float) -> str:
    """Return a number, whole where it is."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def tokens(usage: Mapping[str, Any] | None, *names: str) -> str:
    """Return a number of tokens, of several kinds together; ``(unknown)`` if no call reports it."""
    if usage is None:
        return NOTHING
    if any(usage[name] is None for name in names):
        return UNKNOWN
    return f"{'at least ' if usage['calls_without_usage'] else ''}{number(sum(usage[name] for name in names))}"


def cost(usage: Mapping[str, Any] | None) -> str:
    """Return what the calls cost; ``(unknown)`` where no price is known, ``(cached)`` where no call was made."""
    if usage is None:
        return NOTHING
    if usage["from_cache"] == usage["calls"]:
        return "(cached)"
    if usage["cost"] is None:
        return UNKNOWN
    return f"{'at least ' if usage['calls_without_price'] else ''}${usage['cost']:.4f}"


def cached_input(usage: Mapping[str, Any] | None) -> str:
    """Return the share of input tokens from the service's prompt cache; ``-`` where no service says it."""
    share = None if usage is None else usage.get("cached_input")
    return NOTHING if share is None else f"{100 * share:.1f} %"
