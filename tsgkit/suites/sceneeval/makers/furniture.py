"""What descriptions speak of: things by room, what of them is small, and the words for attributes; a table to edit.

>>> table = furniture()
>>> table.is_small("books"), table.is_small("wardrobe"), table.attribute_kind("striped"), table.attribute_kind("tall")
(True, False, 'pattern', 'size')
>>> table.rooms["bathroom"].rug
('bath mat',)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.library.declarations import loaded
from tsgkit.library.projects import find, text_of
from tsgkit.suites.sceneeval.annotations import ROOMS, spaced
from tsgkit.suites.sceneeval.word_meanings import synonyms_table, words_of

FURNITURE = "sceneeval/furniture.yaml"
SURE_KINDS = ("colour", "material", "shape", "pattern", "kind")
"""Words of these right before a thing are attributes of it, whatever one compares it with."""
PLACES = ("standing", "wall", "ceiling", "rug", "small")
_WORD = re.compile(r"[^\W_]+")


def key_of(name: str) -> str:
    """A name as it is compared: ``night stands`` and ``nightstand`` are the same.

    >>> key_of("night stands") == key_of("nightstand"), key_of("Book_shelves") == key_of("bookshelf")
    (True, True)
    """
    words = _WORD.findall(spaced(name))
    return "".join(words[:-1]) + words_of(words[-1])[0] if words else ""


@dataclass(frozen=True)
class RoomThings:
    """What stands in a type of room, by its place."""

    standing: tuple[str, ...]
    wall: tuple[str, ...]
    ceiling: tuple[str, ...]
    rug: tuple[str, ...]
    small: tuple[str, ...]

    @property
    def large(self) -> tuple[str, ...]:
        """What is not small."""
        return self.standing + self.wall + self.ceiling + self.rug


@dataclass(frozen=True)
class Furniture:
    """The table."""

    rooms: Mapping[str, RoomThings]
    carriers: tuple[str, ...]
    several: Mapping[str, int]
    """Of what there may be several, and how many at most."""
    names: Mapping[str, str]
    """Every name of a thing by its key, and the key of the first name of the same kind of thing."""
    small: frozenset[str]
    ambiguous: frozenset[str]
    """Names that are other words as well."""
    not_things: frozenset[str]
    attributes: Mapping[str, str]
    """Words for attributes, and of what kind they are."""
    shades: frozenset[str]
    sha256: str

    def same(self, name: str) -> str:
        """The key that all names of the same kind of thing have in common."""
        key = key_of(name)
        return self.names.get(key, key)

    def is_small(self, name: str) -> bool:
        """Whether a thing of this name, or of its last words, is a small one."""
        words = _WORD.findall(spaced(name))
        keys = [self.same(" ".join(words[start:])) for start in range(len(words))]
        known = next((key for key in keys if key in self._kinds), "")
        return known in self.small

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(self.names.values())

    def attribute_kind(self, words: str) -> str | None:
        """Of what kind the attribute is that words tell, shades left out; None where they tell none."""
        parts = spaced(words).replace("-", " ").split()
        while len(parts) > 1 and parts[0] in self.shades and parts[1] in self.attributes:
            parts = parts[1:]
        return self.attributes.get(" ".join(parts))


def furniture() -> Furniture:
    """The table of the working project, else the shipped one."""
    found = find("tasks", FURNITURE)
    return _table_of(text_of(found), str(found), tuple(map(tuple, synonyms_table()[0])))


@cache
def _table_of(text: str, source: str, synonyms: Sequence[Sequence[str]]) -> Furniture:
    value = loaded(text, source)
    if not isinstance(value, dict) or not all(isinstance(value.get(name), dict) for name in ("rooms", "attributes")):
        raise UsageError(f"{source}: a table of things has rooms and attributes")
    lists = {name: _names(value.get(name, ()), f"{source}: {name}") for name in LISTS}
    rooms = _rooms(value["rooms"], source)
    drawn = [name for room in rooms.values() for name in (*room.large, *room.small)]
    named = [name for group in synonyms for name in group]
    known = [*drawn, *named, *lists["carriers"], *lists["small"], *lists["others"]]
    names = {key_of(name): key_of(name) for name in known}
    names |= {key_of(name): key_of(group[0]) for group in synonyms for name in group}
    small = [*lists["small"], *(name for room in rooms.values() for name in room.small)]
    return Furniture(
        rooms=rooms,
        carriers=lists["carriers"],
        several=_numbers(value.get("several", {}), source),
        names=names,
        small=frozenset(names.get(key_of(name), key_of(name)) for name in small),
        ambiguous=frozenset(map(key_of, lists["ambiguous"])),
        not_things=frozenset(map(key_of, (*lists["not_things"], *ROOMS))),
        attributes=_attributes(value["attributes"], source),
        shades=frozenset(lists["shades"]),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


LISTS = ("carriers", "small", "others", "ambiguous", "not_things", "shades")


def _names(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{where}: this is no list of names", hint="put words such as on in quotes")
    return tuple(value)


def _numbers(value: object, source: str) -> dict[str, int]:
    if not isinstance(value, dict) or not all(type(number) is int and number > 0 for number in value.values()):
        raise UsageError(f"{source}: several: a number from 1 on was expected for each thing")
    return {str(name): number for name, number in value.items()}


def _rooms(value: Mapping[str, Any], source: str) -> dict[str, RoomThings]:
    rooms = {}
    for name, places in value.items():
        if name not in ROOMS or not isinstance(places, dict) or sorted(places) != sorted(PLACES):
            raise UsageError(f"{source}: rooms: {name}: a type of room with {', '.join(PLACES)} was expected")
        rooms[name] = RoomThings(**{place: _names(places[place], f"{source}: {name}: {place}") for place in PLACES})
    return rooms


def _attributes(value: Mapping[str, Any], source: str) -> dict[str, str]:
    return {word: kind for kind, words in value.items() for word in _names(words, f"{source}: {kind}")}
