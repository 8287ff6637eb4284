"""Editable tables: measured relations, functional sides, synonyms of categories, and furniture.

>>> table = relation_table()
>>> table.between_objects("to_the_left_of")
(MeasuredRelation(type='side_of', side='left'),)
>>> [str(relation) for relation in table.between_objects("at the foot of") or ()]
['side_of front', 'next_to']
>>> table.to_room("hanging_from", "ceiling"), table.between_objects("in harmony with") is None
('hang_from_ceiling', True)
>>> same = CategorySynonyms.of([["sofa", "couch"]])
>>> best_category("couches", "", ["chair", "sofa"], same), best_category("office chair", "", ["chair", "sofa"], same)
('sofa', 'chair')
>>> best_category("table", "a round dining table", ["coffee_table", "dining_table"], same)
'dining_table'
>>> best_category("lamp", "", ["table"], same) is None
True

The meaning of a phrase depends only on the phrase (and on the built element, for relations to rooms), never on a room.
An object belongs to at most one category: the one whose words fit best; on a tie, the most specific one.

>>> table = furniture()
>>> table.is_small("books"), table.is_small("wardrobe"), table.attribute_kind("striped"), table.attribute_kind("tall")
(True, False, 'pattern', 'size')
>>> table.rooms["bathroom"].rug
('bath mat',)
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.geometry import ELEMENTS, RELATIONS_OF_OBJECTS, RELATIONS_TO_ROOMS, SIDED
from tsgkit.lexicon import stem
from tsgkit.library.cards import loaded
from tsgkit.library.projects import find, text_of
from tsgkit.suites.sceneeval.annotations import ROOMS, spaced

RELATIONS, SIDES, CATEGORIES = "sceneeval/relations.yaml", "sceneeval/sides.yaml", "sceneeval/categories.yaml"


class MeasuredRelation(NamedTuple):
    """A measured relation between objects, with its side if it needs one."""

    type: str
    side: str | None = None

    def __str__(self) -> str:
        return f"{self.type} {self.side}" if self.side else self.type


@dataclass(frozen=True)
class RelationTable:
    """The table of relation phrases, normalised for comparison."""

    ignored: frozenset[str]
    objects: Mapping[str, tuple[MeasuredRelation, ...]]
    rooms: Mapping[str, Mapping[str, str]]
    sha256: str

    def between_objects(self, phrase: str) -> tuple[MeasuredRelation, ...] | None:
        """Return the relations that must all hold, or None if the phrase is not in the table."""
        return self.objects.get(plain(phrase, self.ignored))

    def to_room(self, phrase: str, element: str) -> str | None:
        """Return the relation to a built element, or None if the table does not have the phrase for it."""
        return self.rooms.get(plain(phrase, self.ignored), {}).get(element)

    def phrases_by_first_word(
        self, words_of_phrase: Callable[[str], Sequence[str]]
    ) -> Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]:
        """Return the phrases with their words, by the first word, longest first."""
        phrases = {phrase: tuple(words_of_phrase(phrase)) for phrase in (*self.objects, *self.rooms) if phrase}
        by_first: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
        for phrase, words in sorted(phrases.items(), key=lambda item: (-len(item[1]), item[0])):
            by_first.setdefault(words[0], []).append((phrase, words))
        return by_first


def plain(phrase: str, ignored: frozenset[str]) -> str:
    """Return a phrase normalised for comparison."""
    return " ".join(word for word in spaced(phrase).replace("-", " ").split() if word not in ignored)


def element_of(reference: str) -> str | None:
    """Return the built element that a reference means, or None. Any type of room means ``room``."""
    name = spaced(reference)
    name = name.removesuffix("s") if name.removesuffix("s") in ELEMENTS else name
    return name if name in ELEMENTS else "room" if name in ROOMS else None


@cache
def _table_of(text: str, source: str) -> RelationTable:
    value = _fields(loaded(text, source), source, "objects", "rooms")
    ignored = frozenset(str(word) for word in value.get("ignored", ()))
    objects = dict[str, tuple[MeasuredRelation, ...]]()
    for phrase, names in value["objects"].items():
        where = f"{source}: objects: {phrase}"
        objects[plain(phrase, ignored)] = tuple(_measured_relation(name, where) for name in _listed(names, source))
    rooms = dict[str, dict[str, str]]()
    for phrase, names in value["rooms"].items():
        where = f"{source}: rooms: {phrase}"
        if not isinstance(names, dict):
            raise UsageError(f"{where}: expected a relation for each built element, as in {{wall: on_wall}}")
        for element, name in names.items():
            if element not in ELEMENTS:
                raise UsageError(f"{where}: {element} is not a built element", hint=", ".join(ELEMENTS))
            if name not in RELATIONS_TO_ROOMS:
                raise UsageError(f"{where}: there is no relation {name}", hint=", ".join(RELATIONS_TO_ROOMS))
        rooms[plain(phrase, ignored)] = dict(names)
    return RelationTable(ignored, objects, rooms, hashlib.sha256(text.encode()).hexdigest())


def _fields(value: object, source: str, *needed: str) -> dict[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(value.get(name), dict | list) for name in needed):
        raise UsageError(f"{source}: expected a table with the fields {', '.join(needed)}")
    return value


def _listed(value: object, source: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UsageError(f"{source}: {value!r:.60} is not a list of names", hint="quote words such as on")
    return value


def _measured_relation(text: str, where: str) -> MeasuredRelation:
    name, _, side = text.partition(" ")
    if name not in RELATIONS_OF_OBJECTS:
        raise UsageError(f"{where}: there is no relation {name}", hint=", ".join(RELATIONS_OF_OBJECTS))
    if (side or None) not in SIDED.get(name, (None,)):
        raise UsageError(f"{where}: {name} takes {', '.join(SIDED.get(name, ())) or 'no side'}, not {side!r}")
    return MeasuredRelation(name, side or None)


def relation_table() -> RelationTable:
    """Return the table of the working project, else the bundled one."""
    path = find("tasks", RELATIONS)
    return _table_of(text_of(path), str(path))


def sides_table() -> tuple[Mapping[str, tuple[str, ...]], str]:
    """Return the functional sides of each category, and a hash of the table."""
    path = find("tasks", SIDES)
    return _sides_of(text_of(path), str(path))


@cache
def _sides_of(text: str, source: str) -> tuple[Mapping[str, tuple[str, ...]], str]:
    value = _fields(loaded(text, source), source, "sides")
    listed = {spaced(str(name)): tuple(_listed(sides, f"{source}: {name}")) for name, sides in value["sides"].items()}
    for name, sides in listed.items():
        if unknown := [side for side in sides if side not in ("front", "back", "left", "right")]:
            raise UsageError(f"{source}: {name}: {unknown[0]} is none of front, back, left, right")
    return listed, hashlib.sha256(text.encode()).hexdigest()


def synonyms_table() -> tuple[Sequence[Sequence[str]], str]:
    """Return the groups of synonymous names, and a hash of the table."""
    path = find("tasks", CATEGORIES)
    return _synonyms_of(text_of(path), str(path))


@cache
def _synonyms_of(text: str, source: str) -> tuple[Sequence[Sequence[str]], str]:
    value = _fields(loaded(text, source), source, "same")
    return [_listed(group, source) for group in value["same"] if group], hashlib.sha256(text.encode()).hexdigest()


_WORD = re.compile(r"[^\W_]+")
Words = tuple[str, ...]
EXACT, KIND_OF, DESCRIBED, BROADER = 4, 3, 2, 1
"""How a category fits: same name; more specific object; given by the description; more general object."""


def words_of(text: str) -> Words:
    """Return the stems of the words of a text. ``shelves`` and ``shelf`` have the same one."""
    roots = map(stem, _WORD.findall(text.lower()))
    return tuple(root[:-1] + "f" if root.endswith("v") else root for root in roots)


@dataclass(frozen=True)
class CategorySynonyms:
    """Groups of synonymous names. Each name maps to the first of its group."""

    first: Mapping[Words, Words]

    @staticmethod
    def of(groups: Iterable[Sequence[str]]) -> CategorySynonyms:
        """Build the mapping from groups of names."""
        return CategorySynonyms(
            {words_of(spaced(name)): words_of(spaced(group[0])) for group in groups for name in group}
        )

    def known(self, words: Words) -> Words:
        """Return the words with the name, or its last words, replaced by the first of their group."""
        for start in range(len(words)):
            if words[start:] in self.first:
                return words[:start] + self.first[words[start:]]
        return words


def fit(category: Words, name_words: Words, described: Words) -> int:
    """Return how well a category fits an object with this name and description; 0 if it does not."""
    if not category or not (name_words or described):
        return 0
    if category == name_words:
        return EXACT
    if not name_words:
        places = range(len(described) - len(category) + 1)
        is_described = any(described[start : start + len(category)] == category for start in places)
        return DESCRIBED if is_described else 0
    if set(category) <= set(name_words) and category[-1] == name_words[-1]:
        return KIND_OF
    if set(name_words) <= set(category) and category[-1] == name_words[-1]:
        return DESCRIBED if set(category) <= set(described) | set(name_words) else BROADER
    return 0


def best_category(
    object_name: str, description: str, categories: Sequence[str], synonyms: CategorySynonyms
) -> str | None:
    """Return the category of an object by its name and description, or None if none fits."""
    name, described = synonyms.known(words_of(spaced(object_name))), words_of(description)
    ranks = list[tuple[int, int, int, str]]()
    for number, category in enumerate(categories):
        words = synonyms.known(words_of(spaced(category)))
        ranks.append((fit(words, name, described), len(words), -number, category))
    best = max(ranks, default=(0, 0, 0, ""))
    return best[3] if best[0] else None


def mentions(text: str, attribute: str) -> bool:
    """Return True if a text contains all words of an attribute.

    >>> mentions("a king-size bed of dark wood", "king_size"), mentions("a bed", "red")
    (True, False)
    """
    return set(words_of(spaced(attribute))) <= set(words_of(text))


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
    return _furniture_of(text_of(path), str(path), tuple(map(tuple, synonyms_table()[0])))


@cache
def _furniture_of(text: str, source: str, synonyms: Sequence[Sequence[str]]) -> Furniture:
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
