"""The effort of cleaning: how often a model may be asked about one sentence, and what is repaired without it.

>>> Effort().level, Effort().looks, Effort("low").looks
('medium', 2, 1)
>>> effort_of("high", repair="hands")
Effort(level='high', repair='hands')
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, replace
from typing import Any, Literal, TypedDict, get_args

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant

Level = Literal["low", "medium", "high"]
Repair = Literal["none", "exact", "hands"]
LEVELS: tuple[Level, ...] = get_args(Level)
REPAIRS: tuple[Repair, ...] = ("exact", "hands", "none")
LOOKS: dict[Level, int] = {"low": 1, "medium": 2, "high": 4}
"""The most calls for the graphs of one sentence."""


class OldOptions(TypedDict, total=False):
    """Former options of the effort."""

    rounds: int
    critique: bool


@dataclass(frozen=True)
class Effort:
    """The level of effort, and the repairs made without asking.

    ``low`` asks a model once about a sentence, and only where something is found. ``medium`` asks once about every
    sentence, and once more where the first reply leaves a doubt. ``high`` asks two to four times, and changes what two
    replies name, or one reply and the rules.

    ``exact`` makes repairs with exactly one explanation. ``hands`` also adds missing hands, which are likely but not
    certain.
    """

    level: Level = "medium"
    repair: Repair = "exact"
    rounds: InitVar[int | None] = None
    """A former option, as is ``critique``: a level takes its place."""
    critique: InitVar[bool | None] = None

    def __post_init__(self, rounds: int | None, critique: bool | None) -> None:
        if level := level_of_old({"rounds": rounds, "critique": critique}):
            _warn_of_old({"rounds": rounds, "critique": critique}, level, 4)
            object.__setattr__(self, "level", level)
        if self.level not in LEVELS:
            raise UsageError(f"there is no effort {self.level!r}", hint=meant(str(self.level), LEVELS))
        if self.repair not in REPAIRS:
            raise UsageError(f"there is no repair {self.repair!r}", hint=meant(str(self.repair), REPAIRS))

    @property
    def looks(self) -> int:
        """The most calls for the graphs of one sentence."""
        return LOOKS[self.level]

    @property
    def needs_agreement(self) -> bool:
        """True if an edit must be named by two looks, or by one and the rules."""
        return self.level == "high"

    @property
    def most_steps(self) -> int:
        """The largest number of nodes that can run; a graph that runs more is stopped."""
        return 3 + 3 * (self.looks + 1)


def effort_of(
    effort: Effort | Level,
    repair: Repair | None = None,
    old: Mapping[str, Any] | None = None,
) -> Effort:
    """Return the effort that a caller gives as a level or whole; former options become a level, with a warning."""
    found = effort if isinstance(effort, Effort) else Effort(effort)
    if level := level_of_old(old or {}):
        _warn_of_old(old or {}, level, 5)
        found = replace(found, level=level)
    return replace(found, repair=found.repair if repair is None else repair)


def _warn_of_old(old: Mapping[str, Any], level: Level, stacklevel: int) -> None:
    given = " and ".join(f"{name}={value}" for name, value in old.items() if value is not None)
    warnings.warn(f'{given} is now effort="{level}"', FutureWarning, stacklevel=stacklevel)


def level_of_old(old: Mapping[str, Any]) -> Level | None:
    """Return the level in place of a number of rounds and a critique; None where neither is given.

    >>> level_of_old({"critique": False}), level_of_old({"rounds": 2}), level_of_old({"rounds": 5}), level_of_old({})
    ('low', 'medium', 'high', None)
    """
    rounds, critique = old.get("rounds"), old.get("critique")
    if rounds is None and critique is None:
        return None
    if critique is False or (rounds is not None and rounds <= 1):
        return "low"
    return "medium" if rounds is None or rounds <= 3 else "high"
