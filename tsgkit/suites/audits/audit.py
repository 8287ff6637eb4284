"""Results of an audit: defects by check, scores of shortcuts, spread of keys, and the smallest detectable difference.

>>> items = [AuditedItem(f"{n}/{m}", str(n), "Which?", options=("a", "b"), key=1) for n in range(9) for m in range(2)]
>>> found = audit(Auditable(items))
>>> found.n, found.clusters, found.chance, round(found.smallest_difference, 2)
(18, 9, 0.5, 0.37)
>>> found.to_beat.name, found.to_beat.value, found.to_beat.beats_chance
('always the same letter', 1.0, True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from tsgkit.scoring.comparison import planned_difference
from tsgkit.scoring.intervals import interval
from tsgkit.scoring.pooling import Part, Pooling, pool
from tsgkit.scoring.significance import Skew, skew
from tsgkit.suites.audits.items import CHECKS, LETTERS, AuditedItem, Check, Slip
from tsgkit.suites.audits.shortcuts import ANSWERERS, Answerer, answered

SURE = 0.01
"""A skew is called one where chance would show it more rarely."""
LEVEL = 0.95


@dataclass(frozen=True)
class Auditable:
    """The items of a task for an audit, with its own checks and shortcuts."""

    items: Sequence[AuditedItem]
    checks: tuple[Check, ...] = ()
    answerers: tuple[Answerer, ...] = ()
    notes: tuple[str, ...] = ()
    clusters_are: str = "scenarios"
    """The unit that the items' clusters are counted in."""


@dataclass(frozen=True)
class CheckFindings:
    """The findings of one check."""

    check: Check
    slips: tuple[Slip, ...]


@dataclass(frozen=True)
class GroupShare:
    """The score of a shortcut on one group of items: a part of the data, or a kind of question."""

    group: str
    """The name of the group; empty for all items."""
    n: int
    value: float
    low: float | None
    high: float | None
    chance: float
    beats_chance: bool
    """True if it is significantly above chance, corrected for all groups of all shortcuts."""


@dataclass(frozen=True)
class Shortcut(GroupShare):
    """The score of one shortcut on all items, beside that of guessing; corrected for all shortcuts."""

    name: str
    sees: str
    is_blind: bool
    groups: tuple[GroupShare, ...] = ()
    """Its score on every known group of the items; none where the items are of one kind."""
    carriers: tuple[str, ...] = ()
    """The features that a learned one goes by, if it beats chance on all items or on a group."""

    @property
    def beats_anywhere(self) -> bool:
        """True if it beats chance on all items or on a group."""
        return self.beats_chance or any(share.beats_chance for share in self.groups)

    @property
    def worst(self) -> GroupShare | None:
        """The group where it gains most over chance."""
        return max(self.groups, key=lambda share: share.value - share.chance, default=None)


@dataclass(frozen=True)
class KeySpread:
    """The frequency of each letter as the key, for a kind of question or all."""

    group: str
    counts: dict[str, int]
    skew: Skew

    @classmethod
    def of(cls, group: str, items: Sequence[AuditedItem]) -> KeySpread:
        """Return how often each letter is the key, of all items or of a kind of question."""
        width = max(index for item in items for index in item.choices) + 1
        counts, expected = [0.0] * width, [0.0] * width
        for item in items:
            counts[item.key or 0] += 1
            for index in item.choices:
                expected[index] += 1 / len(item.choices)
        return cls(group, {LETTERS[index]: int(n) for index, n in enumerate(counts)}, skew(counts, expected))

    @property
    def is_skewed(self) -> bool:
        """True if chance alone is an unlikely explanation."""
        return self.skew.p < SURE and not self.skew.is_rough


@dataclass(frozen=True)
class WithoutShortcuts:
    """A run's score on all items, and on those that a shortcut above chance does not solve."""

    shortcut: str
    """Its name; empty where no shortcut beats chance."""
    subject: str
    way: str
    metric: str
    n: int
    value: float
    right: int
    on_shortcuts: int
    """The number of its right answers to items that the shortcut solves too."""
    left: int
    """The number of items that the shortcut does not solve."""
    value_left: float | None
    low_left: float | None
    high_left: float | None


@dataclass(frozen=True)
class Audit:
    """The results of an audit."""

    n: int
    clusters: int
    chance: float
    smallest_difference: float
    findings: tuple[CheckFindings, ...]
    shortcuts: tuple[Shortcut, ...]
    spreads: tuple[KeySpread, ...]
    solved: Mapping[str, tuple[str, ...]] = field(repr=False)
    """By item, the blind shortcuts that solve it and beat chance on all items or on the item's group."""
    notes: tuple[str, ...] = ()
    clusters_are: str = "scenarios"

    @property
    def to_beat(self) -> Shortcut | None:
        """The best blind shortcut; a model must exceed it to show understanding."""
        return max(self._blind, key=attrgetter("value"), default=None)

    @property
    def worst(self) -> tuple[Shortcut, GroupShare] | None:
        """The blind shortcut and the group where most is gained over chance, of those that beat it for certain."""
        certain = [(blind, share) for blind in self._blind for share in blind.groups if share.beats_chance]
        return max(certain, key=lambda pair: pair[1].value - pair[1].chance, default=None)

    @property
    def solving(self) -> tuple[str, ...]:
        """The blind shortcuts that beat chance on all items or on a group, the best first."""
        certain = [blind for blind in self._blind if blind.beats_anywhere]
        return tuple(blind.name for blind in sorted(certain, key=lambda blind: -blind.value))

    @property
    def _blind(self) -> list[Shortcut]:
        return [shortcut for shortcut in self.shortcuts if shortcut.is_blind]

    @property
    def defects(self) -> tuple[CheckFindings, ...]:
        """The findings that make items unusable."""
        return tuple(findings for findings in self.findings if findings.slips and findings.check.is_error)

    @property
    def remarks(self) -> tuple[CheckFindings, ...]:
        """The other findings."""
        return tuple(findings for findings in self.findings if findings.slips and not findings.check.is_error)


def audit(auditable: Auditable) -> Audit:
    """Audit items: search for defects, let the shortcuts answer, test the spread of keys."""
    items = auditable.items
    sizes = Counter(item.cluster for item in items)
    findings = (CheckFindings(check, tuple(check.find(items))) for check in (*CHECKS, *auditable.checks))
    shortcuts, solved = _shortcuts(items, (*ANSWERERS, *auditable.answerers))
    keyed = [item for item in items if item.has_key]
    groups = sorted({item.group for item in keyed} - {""})
    of_group = {group: [item for item in keyed if item.group == group] for group in groups}
    return Audit(
        n=len(items),
        clusters=len(sizes),
        chance=math.fsum(item.chance for item in items) / len(items) if items else 0.0,
        smallest_difference=planned_difference(list(sizes.values())),
        findings=tuple(findings),
        shortcuts=tuple(shortcuts),
        spreads=tuple(KeySpread.of(group, members) for group, members in (("", keyed), *of_group.items()) if members),
        solved=solved,
        notes=auditable.notes,
        clusters_are=auditable.clusters_are,
    )


def _shortcuts(
    items: Sequence[AuditedItem], answerers: Sequence[Answerer]
) -> tuple[list[Shortcut], dict[str, tuple[str, ...]]]:
    by_id = {item.item_id: item for item in items}
    gained = {answerer: earned for answerer in answerers if (earned := answered(answerer, items))}
    groups = sorted({item.group for item in items})
    groups = groups if len(groups) > 1 else []
    tried = max(1, sum(answerer.is_blind for answerer in gained))
    group_level = 1 - (1 - LEVEL) / (tried * max(1, len(groups)))  # Bonferroni's correction counts the groups as well
    solved: dict[str, list[str]] = {}
    shortcuts = []
    for answerer, credits_ in gained.items():
        parts, members = list[tuple[Part, float]](), dict[str, list[tuple[Part, float]]]()
        for item_id, credit in credits_.items():
            item = by_id[item_id]
            parts.append((Part(credit, 1.0, item.cluster), answerer.chance(item)))
            members.setdefault(item.group, []).append(parts[-1])
        shortcut = Shortcut(
            **vars(_share("", parts, 1 - (1 - LEVEL) / tried)),
            name=answerer.name,
            sees=answerer.sees,
            is_blind=answerer.is_blind,
            groups=tuple(_share(group, members[group], group_level) for group in groups if group in members),
        )
        if answerer.carriers is not None and shortcut.chance and shortcut.beats_anywhere:
            shortcut = replace(shortcut, carriers=answerer.carriers([item for item in items if answerer.needs(item)]))
        shortcuts.append(shortcut)
        if not shortcut.is_blind:
            continue
        certain = {share.group for share in shortcut.groups if share.beats_chance}
        for item_id, value in credits_.items():
            if value == 1 and (shortcut.beats_chance or by_id[item_id].group in certain):
                solved.setdefault(item_id, []).append(shortcut.name)
    return shortcuts, {item_id: tuple(names) for item_id, names in solved.items()}


def _share(group: str, parts_and_chances: Collection[tuple[Part, float]], level: float) -> GroupShare:
    """Return the mean of credits with its 95 % interval; chance must be below the interval of the given level."""
    parts = [part for part, _ in parts_and_chances]
    around, strict = interval(parts, Pooling.POOLED), interval(parts, Pooling.POOLED, level=level)
    chance = math.fsum(chance for _, chance in parts_and_chances) / len(parts)
    return GroupShare(
        group=group,
        n=len(parts),
        value=pool(parts, Pooling.POOLED).value or 0.0,
        low=around.low if around else None,
        high=around.high if around else None,
        chance=chance,
        beats_chance=strict is not None and strict.low > chance,
    )


ANY = "any of these"


def without_shortcuts(
    subject: str, way: str, metric: str, values: Mapping[str, tuple[float, str]], results: Audit
) -> Iterator[WithoutShortcuts]:
    """Yield a run's values by item, with clusters, without the items that each shortcut above chance solves."""
    names = (*results.solving, ANY) if len(results.solving) > 1 else results.solving or ("",)
    for name in names:
        solved = {item for item, by in results.solved.items() if name == ANY or name in by}
        left = [Part(value, 1.0, cluster) for item, (value, cluster) in values.items() if item not in solved]
        right = [item for item, (value, _) in values.items() if value == 1]
        around = interval(left, Pooling.POOLED)
        yield WithoutShortcuts(
            shortcut=name,
            subject=subject,
            way=way,
            metric=metric,
            n=len(values),
            value=math.fsum(value for value, _ in values.values()) / len(values) if values else 0.0,
            right=len(right),
            on_shortcuts=sum(item in solved for item in right),
            left=len(left),
            value_left=pool(left, Pooling.POOLED).value,
            low_left=around.low if around else None,
            high_left=around.high if around else None,
        )
