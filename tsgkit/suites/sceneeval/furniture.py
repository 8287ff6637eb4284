"""The editable table of furniture: things by room, small things, and words for attributes.

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

from tsgkit.errors import UsageError
from tsgkit.library.cards import loaded
from tsgkit.library.projects import find, text_of
from tsgkit.suites.sceneeval.annotations import ROOMS, spaced
from tsgkit.suites.sceneeval.word_meanings import synonyms_table, words_of

FURNITURE = "sceneeval/furniture.yaml"
CERTAIN_KINDS = ("colour", "material", "shape", "pattern", "kind")
"""The kinds of words that, right before a name, are certainly attributes of it."""
PLACES = ("standing", "wall", "ceiling", "rug", "small")
LISTS = ("carriers", "small", "others", "ambiguous", "not_things", "shades")
_WORD = re.compile(r"[^\W_]+")


def key_of(name: str) -> str:
    """Return a name normalised for comparison: ``night stands`` and ``nightstand`` are the same.

    >>> key_of("night stands") == key_of("nightstand"), key_of("Book_shelves") == key_of("bookshelf")
    (True, True)
    """
    words = _WORD.findall(spaced(name))
    return "".join(words[:-1]) + words_of(words[-1])[0] if words else ""


@dataclass(frozen=True)
class RoomThings:
    """The things in a type of room, by place."""

    standing: tuple[str, ...]
    wall: tuple[str, ...]
    ceiling: tuple[str, ...]
    rug: tuple[str, ...]
    small: tuple[str, ...]

    @property
    def large(self) -> tuple[str, ...]:
        """The things that are not small."""
        return self.standing + self.wall + self.ceiling + self.rug


@dataclass(frozen=True)
class Furniture:
    """The furniture table."""

    rooms: Mapping[str, RoomThings]
    carriers: tuple[str, ...]
    several: Mapping[str, int]
    """The greatest number of each thing that may occur several times."""
    names: Mapping[str, str]
    """The key of each name, mapped to the key of the first synonym."""
    small: frozenset[str]
    ambiguous: frozenset[str]
    """Names that are also other words."""
    not_things: frozenset[str]
    attributes: Mapping[str, str]
    """Words for attributes, mapped to the kind of attribute."""
    shades: frozenset[str]
    sha256: str

    def same(self, name: str) -> str:
        """Return the key shared by all synonyms of a name."""
        key = key_of(name)
        return self.names.get(key, key)

    def is_small(self, name: str) -> bool:
        """Return True if the name, or its last words, name a small thing."""
        words = _WORD.findall(spaced(name))
        keys = [self.same(" ".join(words[start:])) for start in range(len(words))]
        return next((key for key in keys if key in self._kinds), "") in self.small

    @cached_property
    def _kinds(self) -> frozenset[str]:
        return frozenset(self.names.values())

    def attribute_kind(self, words: str) -> str | None:
        """Return the kind of the attribute, ignoring shades, or None if the words are no attribute."""
        parts = spaced(words).replace("-", " ").split()
        while len(parts) > 1 and parts[0] in self.shades and parts[1] in self.attributes:
            parts = parts[1:]
        return self.attributes.get(" ".join(parts))


def furniture() -> Furniture:
    """Return the table of the working project, else the bundled one."""
    path = find("tasks", FURNITURE)
    return _table_of(text_of(path), str(path), tuple(map(tuple, synonyms_table()[0])))


@cache
def _table_of(text: str, source: str, synonyms: Sequence[Sequence[str]]) -> Furniture:
    value = loaded(text, source)
    if not isinstance(value, dict) or not all(isinstance(value.get(name), dict) for name in ("rooms", "attributes")):
        raise UsageError(f"{source}: expected a table with the fields rooms and attributes")
    lists = {name: _names(value.get(name, ()), f"{source}: {name}") for name in LISTS}
    rooms = dict[str, RoomThings]()
    for name, places in value["rooms"].items():
        if name not in ROOMS or not isinstance(places, dict) or sorted(places) != sorted(PLACES):
            raise UsageError(f"{source}: rooms: {name}: expected a type of room with {', '.join(PLACES)}")
        rooms[name] = RoomThings(
            **{room_place: _names(places[room_place], f"{source}: {name}: {room_place}") for room_place in PLACES}
        )
    drawn = [name for room in rooms.values() for name in (*room.large, *room.small)]
    synonym_names = [name for group in synonyms for name in group]
    known = [*drawn, *synonym_names, *lists["carriers"], *lists["small"], *lists["others"]]
    names = {key_of(name): key_of(name) for name in known}
    names |= {key_of(name): key_of(group[0]) for group in synonyms for name in group}
    small = [*lists["small"], *(name for room in rooms.values() for name in room.small)]
    several = value.get("several", {})
    if not isinstance(several, dict) or not all(type(number) is int and number > 0 for number in several.values()):
        raise UsageError(f"{source}: several: expected a number of at least 1 for each thing")
    attributes = {
        word: kind for kind, words in value["attributes"].items() for word in _names(words, f"{source}: {kind}")
    }
    return Furniture(
        rooms=rooms,
        carriers=lists["carriers"],
        several={str(name): number for name, number in several.items()},
        names=names,
        small=frozenset(names.get(key_of(name), key_of(name)) for name in small),
        ambiguous=frozenset(map(key_of, lists["ambiguous"])),
        not_things=frozenset(map(key_of, (*lists["not_things"], *ROOMS))),
        attributes=attributes,
        shades=frozenset(lists["shades"]),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )


def _names(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{where}: expected a list of names", hint="quote words such as on")
    return tuple(value)
