"""Formatting of numbers: percent with one decimal, intervals, unknown values.

>>> found = Value(0.78568, 0.71095, 0.85105, 91.0)
>>> percent(found), str(with_interval(found)), weight(found)
('78.6', '78.6 [71.1, 85.1]', '91')
>>> percent(None), cost({"cost": None, "calls_without_price": 3})
('-', '(unknown)')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tsgkit.scoring.intervals import Interval
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


def interval(value: Value | None) -> str:
    """Return the 95 % interval of a value; nothing where there is none."""
    return with_interval(value).interval


def with_interval(value: Value | None) -> Estimate:
    """Return a value with its interval, alone where there is none.

    >>> str(with_interval(Value(0.5, 0.25, 0.75, 8.0))), str(with_interval(Value(1.0, None, None, 1.0)))
    ('50.0 [25.0, 75.0]', '100.0')
    """
    if value is None or value.low is None or value.high is None:
        return Estimate(percent(value))
    return Estimate(percent(value), _brackets(value.low, value.high, is_share=value.is_share))


def _brackets(low: float, high: float, *, is_share: bool) -> str:
    return f"[{percent(low, is_share=is_share)}, {percent(high, is_share=is_share)}]"


def in_brackets(value: float | None, around: Interval | None, *, is_share: bool, mark: str = "") -> Estimate:
    """Return a value with its interval, if it has one.

    >>> str(in_brackets(0.5, None, is_share=True)), str(in_brackets(12, None, is_share=False))
    ('50.0', '12')
    """
    bounds = "" if value is None or around is None else _brackets(around.low, around.high, is_share=is_share)
    return Estimate(percent(value, is_share=is_share), bounds, mark)


def points(value: float | None, ends: tuple[float, float] | None, *, is_share: bool = True) -> Estimate:
    """Return a difference with the ends of its interval: of shares in points, else as it is.

    >>> [points(value, None).value for value in (0.25, -0.0001, None)], points(12, None, is_share=False).value
    (['+25.0', '0.0', '-'], '+12')
    """
    if value is None:
        return Estimate(NOTHING)
    if ends is None:
        return Estimate(_signed(value, is_share=is_share))
    bounds = f"[{_signed(ends[0], is_share=is_share)}, {_signed(ends[1], is_share=is_share)}]"
    return Estimate(_signed(value, is_share=is_share), bounds)


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


def tokens(usage: Mapping[str, Any] | None, name: str) -> str:
    """Return a number of tokens; ``(unknown)`` if no call reports it."""
    if usage is None:
        return NOTHING
    if usage[name] is None:
        return UNKNOWN
    return f"{_at_least(usage['calls_without_usage'])}{number(usage[name])}"


def cost(usage: Mapping[str, Any] | None) -> str:
    """Return what the calls cost; ``(unknown)`` where no price is known."""
    if usage is None:
        return NOTHING
    if usage["cost"] is None:
        return UNKNOWN
    return f"{_at_least(usage['calls_without_price'])}${usage['cost']:.4f}"


def cached_input(usage: Mapping[str, Any] | None) -> str:
    """Return the share of input tokens from the service's prompt cache; ``-`` where no service says it."""
    share = None if usage is None else usage.get("cached_input")
    return NOTHING if share is None else f"{100 * share:.1f} %"


def _at_least(untold: int) -> str:
    return "at least " if untold else ""
