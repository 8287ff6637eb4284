"""Formatting of numbers: percent with one decimal, intervals, unknown values.

>>> found = Value(0.78568, 0.71095, 0.85105, 91.0)
>>> percent(found), interval(found), weight(found)
('78.6', '[71.1, 85.1]', '91')
>>> percent(None), cost({"cost": None, "calls_without_price": 3})
('-', '(unknown)')
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tsgkit.scoring.intervals import Interval
from tsgkit.suites.scoreboard import Value

NOTHING, UNKNOWN = "-", "(unknown)"


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
    """Return the 95 % interval of a value."""
    if value is None or value.low is None or value.high is None:
        return NOTHING
    return _brackets(value.low, value.high, is_share=value.is_share)


def _brackets(low: float, high: float, *, is_share: bool) -> str:
    return f"[{percent(low, is_share=is_share)}, {percent(high, is_share=is_share)}]"


def with_interval(value: Value) -> str:
    """Return a value with its interval, alone where there is none.

    >>> with_interval(Value(0.5, 0.25, 0.75, 8.0)), with_interval(Value(1.0, None, None, 1.0))
    ('50.0 [25.0, 75.0]', '100.0')
    """
    return percent(value) if value.low is None else f"{percent(value)} {interval(value)}"


def in_brackets(value: float | None, around: Interval | None, *, is_share: bool) -> str:
    """Return a value with its interval, if it has one.

    >>> in_brackets(0.5, None, is_share=True), in_brackets(12, None, is_share=False)
    ('50.0', '12')
    """
    shown = percent(value, is_share=is_share)
    return (
        shown if value is None or around is None else f"{shown} {_brackets(around.low, around.high, is_share=is_share)}"
    )


def points(value: float | None, around: Interval | None, *, is_share: bool = True) -> str:
    """Return a difference with its interval: of shares in points, else as it is.

    >>> points(0.25, None), points(-0.0001, None), points(None, None), points(12, None, is_share=False)
    ('+25.0', '0.0', '-', '+12')
    """
    if value is None:
        return NOTHING
    shown = _signed(value, is_share=is_share)
    if around is None:
        return shown
    return f"{shown} [{_signed(around.low, is_share=is_share)}, {_signed(around.high, is_share=is_share)}]"


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
