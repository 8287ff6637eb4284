"""Numbers as people read them: percent with one decimal, intervals, what is not known.

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


def percent(value: Value | float | None) -> str:
    """A fraction of 1 in percent; a value that is no share as it is."""
    if value is None:
        return NOTHING
    if isinstance(value, Value):
        return _shown(value.value, value)
    return f"{100 * value:.1f}"


def _shown(part: float, value: Value) -> str:
    return f"{100 * part:.1f}" if value.is_share else number(part)


def interval(value: Value | None) -> str:
    """The 95 % interval of a value."""
    if value is None or value.low is None or value.high is None:
        return NOTHING
    return f"[{_shown(value.low, value)}, {_shown(value.high, value)}]"


def with_interval(value: Value) -> str:
    """A value with its interval, alone where there is none.

    >>> with_interval(Value(0.5, 0.25, 0.75, 8.0)), with_interval(Value(1.0, None, None, 1.0))
    ('50.0 [25.0, 75.0]', '100.0')
    """
    return percent(value) if value.low is None else f"{percent(value)} {interval(value)}"


def points(value: float | None, around: Interval | None) -> str:
    """A difference in points with its interval.

    >>> points(0.25, None), points(-0.0001, None), points(None, None)
    ('+25.0', '0.0', '-')
    """
    if value is None:
        return NOTHING
    return _signed(value) + ("" if around is None else f" [{_signed(around.low)}, {_signed(around.high)}]")


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text


def weight(value: Value | None) -> str:
    """What a value rests on: its summed weight."""
    return NOTHING if value is None else number(value.n)


def one_of(units: Iterable[str]) -> str:
    """Return different units in words, each once.

    >>> one_of(["scenarios", "stories", "scenarios"])
    'scenarios or stories'
    """
    return " or ".join(dict.fromkeys(units))


def number(value: float) -> str:
    """A number, whole where it is."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def tokens(usage: Mapping[str, Any] | None, name: str) -> str:
    """How many tokens of a kind; ``(unknown)`` where no call told."""
    if usage is None:
        return NOTHING
    if usage[name] is None:
        return UNKNOWN
    return f"{_at_least(usage['calls_without_usage'])}{number(usage[name])}"


def cost(usage: Mapping[str, Any] | None) -> str:
    """What the calls cost; ``(unknown)`` where no price is known."""
    if usage is None:
        return NOTHING
    if usage["cost"] is None:
        return UNKNOWN
    return f"{_at_least(usage['calls_without_price'])}${usage['cost']:.4f}"


def _at_least(untold: int) -> str:
    return "at least " if untold else ""
