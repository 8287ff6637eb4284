"""Comparison of annotation entries: which given entries are correct, missing or extra.

>>> from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> asked = annotation_of("0", "easy", "A den.", ("eq,1,sofa", "ge,2,lamp"))
>>> said = read_annotation_reply('{"counts": ["eq,1,couch", "eq,2,lamp", "eq,one"]}')
>>> counts = compare_entries(asked, said, entry_matcher())["exact"]["cnt"]
>>> counts.right, counts.total, [spec.text for spec in counts.missing], [spec.text for spec in counts.extra]
(1, 3, ['ge,2,lamp'], ['eq,2,lamp'])
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotation_replies import AnnotationReading
from tsgkit.suites.sceneeval.annotations import KINDS, ROOMS, Annotation, Kind, Specification, spaced
from tsgkit.suites.sceneeval.word_meanings import (
    RelationTable,
    Synonyms,
    Words,
    element_of,
    plain,
    relation_table,
    synonyms_table,
    words_of,
)

Level = Literal["exact", "meaning"]
LEVELS: tuple[Level, ...] = ("exact", "meaning")
SYMMETRIC = word_set("next_to near across_from far middle_of")
"""The measured relations that are the same whichever object is the anchor."""
SPELT = {"gray": "grey", "coloured": "colored"}
CACHE_SIZE = 50_000
"""The number of normalised names and entries that are cached."""


class EntryKey(NamedTuple):
    """A normalised entry. Two entries are equal if their keys are equal."""

    kind: str
    quantity: tuple[str, int]
    what: tuple[object, ...]
    """Everything else in the entry."""
    anchor: Words = ()
    """The anchor; empty if there is none, or if it makes no difference."""


class EntryMatcher:
    """Rules for equality of entries on two levels: ``exact`` (the same words) and ``meaning``.

    >>> from tsgkit.suites.sceneeval.annotations import object_relation_of
    >>> matcher = entry_matcher()
    >>> left = object_relation_of("gt,1,beside,0,couch,Floor lamps")
    >>> right = object_relation_of("ge,2,next_to,0,floor_lamp,sofa")
    >>> matcher.key(left, "meaning") == matcher.key(right, "meaning"), matcher.key(left) == matcher.key(right)
    (True, False)
    >>> matcher.key(left).what == matcher.key(object_relation_of("eq,1,beside,1,floor_lamp,sofa")).what
    True

    Both levels ignore spelling variants, case, underscores, plurals, the numbers of instance marks, the order of
    objects other than the anchor, and the anchor itself if the measured relation is symmetric. Synonyms are equal
    (``tasks/sceneeval/categories.yaml``).

    ``exact`` compares the comparison, its number and the words of relations as written. On the level ``meaning``,
    relations are equal if they are measured alike (``tasks/sceneeval/relations.yaml``), ``gt,1`` equals ``ge,2``, and a
    type of room equals ``room`` if the description names only one type.
    """

    def __init__(self, relations: RelationTable, synonyms: Sequence[Sequence[str]]) -> None:
        self.relations, self.same = relations, Synonyms.of(synonyms)
        self.category = lru_cache(CACHE_SIZE)(self._category)
        self._key_of = lru_cache(CACHE_SIZE)(self._build_key)

    def key(self, spec: Specification, level: Level = "exact", *, one_room: bool = True) -> EntryKey:
        """Return the key of an entry on a level. ``one_room``: the description names no second type of room."""
        return self._key_of(spec, level, one_room and level == "meaning")

    def is_symmetric(self, relation: str) -> bool:
        """Return True if the measured relation is the same whichever object is the anchor."""
        meant = self.relations.between_objects(relation)
        return bool(meant) and all(one.type in SYMMETRIC for one in meant or ())

    def _category(self, name: str) -> Words:
        """Return a category normalised for comparison."""
        words = tuple(SPELT.get(word, word) for word in spaced(name).replace("-", " ").split())
        return self.same.known(words_of(" ".join(words))) or words

    def _build_key(self, spec: Specification, level: Level, one_room: bool) -> EntryKey:
        quantity = _normal(spec.quantity, spec.n) if level == "meaning" else (spec.quantity, spec.n)
        if spec.kind == "oor":
            objects = tuple(sorted(map(self.category, spec.categories)))
            anchor = () if self.is_symmetric(spec.relation) else self.category(spec.anchor)
            return EntryKey(spec.kind, quantity, (self._between(spec.relation, level), *objects), anchor)
        return EntryKey(spec.kind, quantity, (self.category(spec.category), *self._rest(spec, level, one_room)))

    def _rest(self, spec: Specification, level: Level, one_room: bool) -> tuple[object, ...]:
        """Return the part of the key after the category, for attributes and relations to the room."""
        if spec.kind == "atr":
            return (self.category(spec.attribute),)
        if spec.kind == "oar":
            elements = sorted({self._element(name, one_room) for name in spec.elements})
            return (self._to_room(spec, level), *elements)
        return ()

    def _between(self, relation: str, level: Level) -> object:
        meant = self.relations.between_objects(relation) if level == "meaning" else None
        return meant or self._words(relation, level)

    def _to_room(self, spec: Specification, level: Level) -> object:
        element = element_of(spec.elements[0]) if level == "meaning" else None
        meant = self.relations.to_room(spec.relation, element) if element else None
        return (meant,) if meant else self._words(spec.relation, level)

    def _words(self, relation: str, level: Level) -> str:
        return plain(relation, self.relations.ignored if level == "meaning" else frozenset())

    def _element(self, name: str, one_room: bool) -> Words:
        element = element_of(name)
        return (element,) if element and (one_room or spaced(name) not in ROOMS) else self.category(name)


def _normal(quantity: str, n: int) -> tuple[str, int]:
    """Return a comparison in its normal form.

    >>> _normal("gt", 1), _normal("lt", 3), _normal("le", 0)
    (('ge', 2), ('le', 2), ('eq', 0))
    """
    if quantity == "gt":
        return "ge", n + 1
    if quantity == "lt" and n:
        return _normal("le", n - 1)
    return ("eq", 0) if (quantity, n) == ("le", 0) else (quantity, n)


@lru_cache(CACHE_SIZE)
def rooms_named(description: str) -> int:
    """Return the number of types of room that a description names.

    >>> rooms_named("A flat: a living room with a sofa, and a kitchen."), rooms_named("A den with a sofa.")
    (2, 1)
    """
    words = f" {' '.join(words_of(description))} "
    return sum(f" {' '.join(words_of(name))} " in words for name in ROOMS[:-1])


def entry_matcher() -> EntryMatcher:
    """Build the rules from the tables of the working project, else the bundled ones."""
    return EntryMatcher(relation_table(), synonyms_table()[0])


@dataclass(frozen=True)
class EntryComparison:
    """The expected and given entries of one kind on one level, by key."""

    wanted: Mapping[EntryKey, Specification]
    said: Mapping[EntryKey, Specification]
    bad: int
    """The number of given entries that cannot be read."""

    @property
    def right(self) -> int:
        """The number of correct entries."""
        return len(self.wanted.keys() & self.said.keys())

    @property
    def total(self) -> int:
        """The number of given entries, with the unreadable ones."""
        return len(self.said) + self.bad

    @property
    def missing(self) -> list[Specification]:
        """The entries that are expected but not given."""
        return [spec for key, spec in self.wanted.items() if key not in self.said]

    @property
    def extra(self) -> list[Specification]:
        """The entries that are given but not expected."""
        return [spec for key, spec in self.said.items() if key not in self.wanted]

    def agreeing_in_quantity(self) -> tuple[int, int]:
        """Pair the entries that agree in all but the quantity. Return how many pairs agree in it too, and all pairs."""
        return self._agreeing(_without_quantity, lambda key: key.quantity)

    def agreeing_in_anchor(self) -> tuple[int, int]:
        """Pair the entries that agree in all but an anchor that matters. Return how many pairs agree in it, and all
        pairs."""
        return self._agreeing(_without_anchor, lambda key: key.anchor)

    def _agreeing(self, rest: Callable[[EntryKey], object], part: Callable[[EntryKey], object]) -> tuple[int, int]:
        wanted, said = (_grouped(keys, rest, part) for keys in (self.wanted, self.said))
        pairs = [(wanted[one], said[one]) for one in wanted.keys() & said.keys()]
        return sum(len(left & right) for left, right in pairs), sum(min(len(left), len(right)) for left, right in pairs)


def compare_entries(
    item: Annotation, reading: AnnotationReading, matcher: EntryMatcher
) -> dict[Level, dict[Kind, EntryComparison]]:
    """Compare the given entries with the expected ones, by kind, on each level. Repeated entries count once."""
    one_room = rooms_named(item.description) < 2
    bad = Counter(kind for kind, _ in {(one.kind, one.note.text) for one in reading.bad})

    def keyed(specs: Iterable[Specification], kind: Kind, level: Level) -> dict[EntryKey, Specification]:
        """Return the first entry of each key."""
        found: dict[EntryKey, Specification] = {}
        for spec in specs:
            if spec.kind == kind:
                found.setdefault(matcher.key(spec, level, one_room=one_room), spec)
        return found

    wanted, said = item.specifications, reading.specifications
    return {
        level: {
            kind: EntryComparison(keyed(wanted, kind, level), keyed(said, kind, level), bad[kind]) for kind in KINDS
        }
        for level in LEVELS
    }


def _without_quantity(key: EntryKey) -> object:
    return key.kind, key.what, key.anchor


def _without_anchor(key: EntryKey) -> object:
    """Return the key without its anchor, or None if the anchor makes no difference."""
    return (key.quantity, key.what) if key.anchor and len(set(key.what[1:])) > 1 else None


def _grouped(
    keys: Iterable[EntryKey], rest: Callable[[EntryKey], object], part: Callable[[EntryKey], object]
) -> Mapping[object, set[object]]:
    groups: defaultdict[object, set[object]] = defaultdict(set)
    for key in keys:
        if (group := rest(key)) is not None:
            groups[group].add(part(key))
    return groups


def near_misses(exact: EntryComparison, meaning: EntryComparison) -> Iterator[dict[str, str]]:
    """Yield each given entry that is wrong in one respect only, with the missing entry it is close to."""
    missing, extra = set(exact.missing), set(exact.extra)
    wanted = {key: spec for key, spec in meaning.wanted.items() if spec in missing}
    said = {key: spec for key, spec in meaning.said.items() if spec in extra}
    for what, rest in DIFFERENCES.items():
        waiting = {rest(key): key for key in reversed(wanted)}
        for key in [*said]:
            if (found := waiting.pop(rest(key), None)) is not None:
                yield {"said": said.pop(key).text, "wanted": wanted.pop(found).text, "differs": what}


DIFFERENCES: Mapping[str, Callable[[EntryKey], object]] = {
    "words": lambda key: key,
    "quantity": _without_quantity,
    "anchor": lambda key: (key.quantity, key.what),
}
"""The respects in which an entry can be nearly right, each with the part of the key that must agree."""
