"""The choice of some items of a dataset: by id, the first ones, or a few spread over scenarios and kinds.

>>> ids = [f"{story}/{number}" for story in "abc" for number in range(4)]
>>> traits = [Traits(item_id[0], (("k", "1" if item_id[-1] in "012" else "2"),)) for item_id in ids]
>>> some = chosen_numbers(ids, range(12), ItemChoice(limit=4), traits.__getitem__)
>>> sorted(ids[number][0] for number in some)
['a', 'b', 'b', 'c']
>>> sum(traits[number].members == (("k", "2"),) for number in some)
1
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant

LOT = "spread"
"""A name mixed into the order in which items are drawn: it is the same in every run, so that runs can be compared."""
LOOKED_AT = 32
"""So many items of a scenario are looked at for the kind that is wanted most."""


@dataclass(frozen=True)
class ItemChoice:
    """Which items are asked: these ids (none: all), of them the first ones, or so many spread evenly."""

    ids: tuple[str, ...] = ()
    limit: int | None = None
    """So many, spread over scenarios and, in the same shares as in the data, over kinds."""
    first: int | None = None

    def __post_init__(self) -> None:
        for name in ("limit", "first"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name} {value}: it must be more than 0")
        if self.limit is not None and self.first is not None:
            raise UsageError("--limit and --first exclude each other", hint="--limit spreads over the whole file")


ALL = ItemChoice()


class Traits(NamedTuple):
    """The scenario of an item, and the groups that it belongs to, each with its member."""

    cluster: Hashable
    members: tuple[Hashable, ...]


def traits_of(cluster: Hashable, groups: Mapping[str, tuple[str, ...]]) -> Traits:
    """Return the traits of a sample."""
    return Traits(cluster, tuple((group, member) for group, members in groups.items() for member in members))


def numbers_of(ids: Collection[str], numbers: Mapping[str, int], item_ids: Sequence[str], file: str) -> Sequence[int]:
    """Return the numbers of these items (none: all), in the order of the file; ``UsageError`` for an unknown id."""
    for item_id in ids:
        if item_id not in numbers:
            hint = meant(item_id, item_ids[:10_000]) if item_ids else ""
            raise UsageError(f"{file}: there is no item {item_id}", hint=hint)
    return sorted({numbers[item_id] for item_id in ids}) if ids else range(len(item_ids))


def chosen_numbers(
    item_ids: Sequence[str], numbers: Sequence[int], choice: ItemChoice, traits: Callable[[int], Traits]
) -> Sequence[int]:
    """Return those of these numbers that are asked, in the order of the file.

    The items of a smaller ``limit`` are among those of a larger one.
    """
    if choice.first is not None:
        return numbers[: choice.first]
    if choice.limit is None or choice.limit >= len(numbers):
        return numbers
    return sorted(_spread({number: traits(number) for number in numbers}, item_ids, choice.limit))


def _spread(traits: Mapping[int, Traits], item_ids: Sequence[str], count: int) -> list[int]:
    """Take one item of each scenario after the other, of the kinds that are furthest behind their shares."""
    lots = {number: _lot(item_ids[number]) for number in traits}
    clusters: dict[Hashable, list[int]] = {}
    for number in sorted(traits, key=lots.__getitem__, reverse=True):
        clusters.setdefault(traits[number].cluster, []).append(number)
    order = sorted(clusters.values(), key=lambda numbers: lots[numbers[-1]])
    held = Counter(member for one in traits.values() for member in one.members)
    taken, chosen = Counter[Hashable](), list[int]()
    while len(chosen) < count:
        for numbers in order[: count - len(chosen)]:
            place = _most_wanted(numbers, traits, held, taken, len(chosen) + 1)
            chosen.append(number := numbers.pop(place))
            taken.update(traits[number].members)
        order = [numbers for numbers in order if numbers]
    return chosen


def _lot(item_id: str) -> bytes:
    return hashlib.blake2b(f"{LOT} {item_id}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _most_wanted(
    numbers: Sequence[int],
    traits: Mapping[int, Traits],
    held: Mapping[Hashable, int],
    taken: Mapping[Hashable, int],
    so_far: int,
) -> int:
    """Return the place of the item whose members lack most; of equals the one that the lot puts first."""

    def lacking(place: int) -> tuple[float, int]:
        members = traits[numbers[place]].members
        return sum(held[one] * so_far / len(traits) - taken.get(one, 0) for one in members), place

    return max(range(max(0, len(numbers) - LOOKED_AT), len(numbers)), key=lacking)
