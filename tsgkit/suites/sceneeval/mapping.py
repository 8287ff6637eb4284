"""What a relation phrase means in terms of what can be measured, by a table that is shared and can be edited.

>>> table = relation_table()
>>> table.between_objects("to_the_left_of"), table.between_objects("at the foot of")
((Meant(type='side_of', side='left'),), (Meant(type='side_of', side='front'), Meant(type='next_to', side=None)))
>>> table.to_room("hanging_from", "ceiling"), table.between_objects("in harmony with") is None
('hang_from_ceiling', True)

The meaning depends on the phrase alone (and on what is built, for relations to rooms), never on a room.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry import ELEMENTS, RELATIONS_OF_OBJECTS, RELATIONS_TO_ROOMS, SIDED
from tsgkit.library.declarations import loaded
from tsgkit.library.projects import find, text_of
from tsgkit.suites.sceneeval.annotations import ROOMS, spaced

RELATIONS, SIDES, CATEGORIES = "sceneeval/relations.yaml", "sceneeval/sides.yaml", "sceneeval/categories.yaml"


class Meant(NamedTuple):
    """One measured relation between objects, with its side where it needs one."""

    type: str
    side: str | None = None

    def __str__(self) -> str:
        return f"{self.type} {self.side}" if self.side else self.type


@dataclass(frozen=True)
class RelationTable:
    """The table, by phrases as they are compared."""

    ignored: frozenset[str]
    objects: Mapping[str, tuple[Meant, ...]]
    rooms: Mapping[str, Mapping[str, str]]
    sha256: str

    def between_objects(self, phrase: str) -> tuple[Meant, ...] | None:
        """The relations that must all hold; None where the phrase is not in the table."""
        return self.objects.get(self._plain(phrase))

    def to_room(self, phrase: str, element: str) -> str | None:
        """The relation to something built; None where the phrase is not in the table for it."""
        return self.rooms.get(self._plain(phrase), {}).get(element)

    def _plain(self, phrase: str) -> str:
        return plain(phrase, self.ignored)


def plain(phrase: str, ignored: frozenset[str]) -> str:
    """A phrase as it is compared."""
    return " ".join(word for word in spaced(phrase).replace("-", " ").split() if word not in ignored)


def element_of(reference: str) -> str | None:
    """What is built that a reference means: a type of room is a room; None for anything else."""
    name = spaced(reference)
    name = name.removesuffix("s") if name.removesuffix("s") in ELEMENTS else name
    return name if name in ELEMENTS else "room" if name in ROOMS else None


@cache
def _table_of(text: str, source: str) -> RelationTable:
    value = _fields(loaded(text, source), source, "objects", "rooms")
    ignored = frozenset(str(word) for word in value.get("ignored", ()))
    objects = {
        plain(phrase, ignored): tuple(_meant(one, f"{source}: objects: {phrase}") for one in _listed(types, source))
        for phrase, types in value["objects"].items()
    }
    rooms = {
        plain(phrase, ignored): _by_element(types, f"{source}: rooms: {phrase}")
        for phrase, types in value["rooms"].items()
    }
    return RelationTable(ignored, objects, rooms, hashlib.sha256(text.encode()).hexdigest())


def _fields(value: object, source: str, *needed: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(value.get(name), dict | list) for name in needed):
        raise UsageError(f"{source}: a table has the fields {', '.join(needed)}")
    return value


def _listed(value: object, source: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f"{source}: {value!r:.60} is no list of names", hint="put words such as on in quotes")
    return value


def _meant(text: str, where: str) -> Meant:
    name, _, side = text.partition(" ")
    if name not in RELATIONS_OF_OBJECTS:
        raise UsageError(f"{where}: there is no relation {name}", hint=", ".join(RELATIONS_OF_OBJECTS))
    if (side or None) not in SIDED.get(name, (None,)):
        raise UsageError(f"{where}: {name} takes {', '.join(SIDED.get(name, ())) or 'no side'}, not {side!r}")
    return Meant(name, side or None)


def _by_element(types: object, where: str) -> dict[str, str]:
    if not isinstance(types, dict):
        raise UsageError(f"{where}: say for what is built what it means, as in {{wall: on_wall}}")
    for element, name in types.items():
        if element not in ELEMENTS:
            raise UsageError(f"{where}: nothing built is called {element}", hint=", ".join(ELEMENTS))
        if name not in RELATIONS_TO_ROOMS:
            raise UsageError(f"{where}: there is no relation {name}", hint=", ".join(RELATIONS_TO_ROOMS))
    return dict(types)


def relation_table() -> RelationTable:
    """The table of the working project, else the shipped one."""
    found = find("tasks", RELATIONS)
    return _table_of(text_of(found), str(found))


def sides_table() -> tuple[Mapping[str, tuple[str, ...]], str]:
    """From which sides things of a category are used, and a hash of the table."""
    found = find("tasks", SIDES)
    return _sides_of(text_of(found), str(found))


@cache
def _sides_of(text: str, source: str) -> tuple[Mapping[str, tuple[str, ...]], str]:
    value = _fields(loaded(text, source), source, "sides")
    listed = {spaced(str(name)): tuple(_listed(sides, f"{source}: {name}")) for name, sides in value["sides"].items()}
    for name, sides in listed.items():
        if unknown := [side for side in sides if side not in ("front", "back", "left", "right")]:
            raise UsageError(f"{source}: {name}: {unknown[0]} is none of front, back, left, right")
    return listed, hashlib.sha256(text.encode()).hexdigest()


def synonyms_table() -> tuple[Sequence[Sequence[str]], str]:
    """Names of the same kind of thing, and a hash of the table."""
    found = find("tasks", CATEGORIES)
    return _synonyms_of(text_of(found), str(found))


@cache
def _synonyms_of(text: str, source: str) -> tuple[Sequence[Sequence[str]], str]:
    value = _fields(loaded(text, source), source, "same")
    return [_listed(group, source) for group in value["same"] if group], hashlib.sha256(text.encode()).hexdigest()
