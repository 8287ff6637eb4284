"""The effort of cleaning: how often a model may be asked about one sentence, and what is repaired without it.

>>> Effort().level, Effort().looks, Effort("low").looks
('medium', 2, 1)
>>> effort_of("high", repair="hands")
Effort(level='high', repair='hands')
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from tsgkit.defaults import Level, Repair
from tsgkit.errors import UsageError
from tsgkit.lexicon import meant

LEVELS: tuple[Level, ...] = get_args(Level)
REPAIRS: tuple[Repair, ...] = get_args(Repair)
LOOKS: dict[Level, int] = {"low": 1, "medium": 2, "high": 4}
"""The most calls for the graphs of one sentence."""


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

    def __post_init__(self) -> None:
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


def effort_of(effort: Effort | Level, repair: Repair | None = None) -> Effort:
    """Return the effort that a caller gives as a level or whole."""
    chosen = effort if isinstance(effort, Effort) else Effort(effort)
    return chosen if repair is None else replace(chosen, repair=repair)
