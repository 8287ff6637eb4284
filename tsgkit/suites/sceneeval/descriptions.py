"""A rule-based parser of descriptions: the things, their numbers and attributes, and where they are.

>>> text = "A den with at least two red armchairs next to a sofa."
>>> parsed = read_description(text, ("armchair", "sofa"), furniture())
>>> for thing in parsed.things:
...     print(thing.name, thing.quantity, thing.modifiers)
armchairs at least 2 ('red',)
sofa exactly 1 ()
>>> [(place.phrase, place.thing, place.anchor) for place in parsed.placings]
[('next to', 0, 1)]

Things are the categories of the annotation and the names in ``tasks/sceneeval/furniture.yaml``. Anything else after a
word such as ``a`` or ``two`` is an unknown thing. There is no grammar behind it: pronouns and distant references are
not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tsgkit.geometry import ELEMENTS
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.inflection import singular
from tsgkit.suites.sceneeval.annotation_replies import COMPARISONS, NUMBERS
from tsgkit.suites.sceneeval.annotations import ROOMS, WORDS, spaced
from tsgkit.suites.sceneeval.word_meanings import CERTAIN_KINDS, Furniture, furniture, key_of, relation_table, words_of

__all__ = ["DescribedThing", "Placing", "Quantity", "RoomDescription", "furniture", "names_in", "read_description"]

LONGEST = 4_000
"""The maximum number of characters that are parsed: over twice the longest published description."""
LONGEST_NAME = 4
WIDEST = 7
"""The maximum distance, in words, between a thing and its determiner, and between a phrase and its anchor."""
_TOKEN = re.compile(r"[^\W_]+|[.,;:!?()]")
ENDS = frozenset(".;:!?()")
DEFINITE = word_set("the its their his her this that these those each every both all whose which same")
VAGUE = word_set("several some many few multiple various numerous")
VERBS = word_set(
    "is are be was has have having stand stands standing sit sits sitting lie lies lying hang hangs hanging face faces",
    "facing hold holds holding rest rests resting lean leans leaning surround surrounds surrounding surrounded fill",
    "fills line lines flank flanks flanked serve serves occupy occupies feature features contain contains include",
    "includes including display displays cover covers mounted placed positioned located centered arranged",
    "attached stacked set made built complete completes add adds light lights illuminate illuminates provide",
    "provides there here situated found comes come goes go separates separate divides supports support",
)
LINKS = word_set(
    "with and or but in on at by of from to for under above below over beneath underneath behind beside near",
    "against between across around along alongside opposite inside outside within into onto next while where as so",
    "than then it them they also without not no directly right just toward towards away",
)
STOPS = DEFINITE | VAGUE | VERBS | LINKS | frozenset(NUMBERS) | word_set("a an another any")
INTRODUCING = VAGUE | frozenset(NUMBERS) | word_set("a an another")
ROOM_KEYS = frozenset(map(key_of, ROOMS[:-1]))
SHARING = word_set("each both every either")
"""Words that may apply the numbers in their sentence to each of several things."""
NEGATIONS = frozenset(("not", "without", "never", "isn", "aren", "shouldn"))
FURTHER = ("more", "others", "further", "additional")
"""Words that refer to things named before if they follow a number and no name follows them."""
MANY = {"pair": 2, "couple": 2}
IRREGULAR = {"hung": "hang"}
GROUPS = ("row", "stack", "set", "group", "collection")


class Quantity(NamedTuple):
    """The number of a thing in a description. A vague quantity has no exact number."""

    comparison: str
    n: int
    is_vague: bool = False

    def __str__(self) -> str:
        return "several" if self.is_vague else f"{WORDS[self.comparison]} {self.n}"


class DescriptionToken(NamedTuple):
    """A word or punctuation mark, and its stem."""

    word: str
    root: str


@dataclass(frozen=True)
class DescribedThing:
    """One mention of a thing in a description."""

    start: int
    end: int
    name: str
    modifiers: tuple[str, ...]
    quantity: Quantity | None
    """None if the thing was named before, or has no number."""
    is_definite: bool
    is_shared: bool
    """True if its sentence has a word such as ``each``, so that numbers may be multiplied."""
    is_known: bool = True
    """True if its name is a category of the annotation or in the table."""


class Placing(NamedTuple):
    """A phrase that says where something is: the placed thing and its anchor, if they are known.

    ``thing`` and ``anchor`` are indices of things; ``element`` is a built element; ``start`` and ``end`` are indices of
    tokens.
    """

    phrase: str
    start: int
    end: int
    thing: int | None
    anchor: int | None
    element: str


@dataclass(frozen=True)
class RoomDescription:
    """A parsed description."""

    text: str
    tokens: tuple[DescriptionToken, ...]
    things: tuple[DescribedThing, ...]
    placings: tuple[Placing, ...]

    @cached_property
    def roots(self) -> frozenset[str]:
        """The stems of all words."""
        return frozenset(token.root for token in self.tokens)

    @cached_property
    def runs(self) -> frozenset[str]:
        """The keys of all runs of words that could be a name."""
        return _runs([token.word for token in self.tokens])

    def says(self, name: str) -> bool:
        """Return True if the text contains all words of a name."""
        return set(words_of(spaced(name).replace("-", " "))) <= self.roots


def names_in(text: str, table: Furniture) -> frozenset[str]:
    """Return the keys of everything a text could name. Synonyms have the same key.

    >>> key_of("rug") in names_in("A blue carpet.", furniture())
    True
    """
    return frozenset(table.names.get(key, key) for key in _runs(_TOKEN.findall(text[:LONGEST].lower())))


def _runs(words: Sequence[str]) -> frozenset[str]:
    places = ((start, end) for start in range(len(words)) for end in _ends(words, start))
    return frozenset(key_of(" ".join(words[start:end])) for start, end in places)


def _ends(words: Sequence[str], start: int) -> Iterator[int]:
    for end in range(start + 1, min(start + LONGEST_NAME, len(words)) + 1):
        if not words[end - 1][0].isalnum():
            return
        yield end


def read_description(text: str, categories: Iterable[str], table: Furniture) -> RoomDescription:
    """Parse a description. The annotation's categories count as names of things."""
    words = _TOKEN.findall(text[:LONGEST].lower())
    things = _DescriptionReader(words, frozenset(map(key_of, categories)), table).things()
    tokens = tuple(
        DescriptionToken(word, words_of(IRREGULAR.get(word, word))[0] if word[0].isalnum() else word) for word in words
    )
    return RoomDescription(text, tokens, things, tuple(_placings(tokens, things)))


class _DescriptionReader:
    """A left-to-right search for things."""

    def __init__(self, words: Sequence[str], counted: frozenset[str], table: Furniture) -> None:
        self.words, self.table = words, table
        self.known = counted | (frozenset(table.names) - table.ambiguous)
        # for each word: does its sentence apply a number to each of several things, or add to an earlier number?
        shared: list[bool] = []
        start = 0
        for position, end in enumerate((*words, ".")):
            if end not in (".", ";", "!", "?"):
                continue
            multiplies = False
            for number in range(start, position):
                after = words[number + 1] if number + 1 < position else ""
                if words[number] in FURTHER and number > start and _number(words[number - 1]) is not None:
                    multiplies |= not after[:1].isalnum() or after in STOPS
                else:
                    multiplies |= words[number] in SHARING and after != "other"
            shared += [multiplies] * (position - start + 1)
            start = position + 1
        self.sharing = shared

    def things(self) -> tuple[DescribedThing, ...]:
        """Return the things with known names, longest first and adjacent names joined, and the unknown ones."""
        spans: list[tuple[int, int]] = []
        position = 0
        while position < len(self.words):
            end = self._end_of_name(position)
            if end and spans and spans[-1][1] == position:
                spans[-1] = (position, end)
            elif end:
                spans.append((position, end))
            position = end or position + 1
        covered = {position for start, end in spans for position in range(start, end)}
        things = [self._thing(start, end) for start, end in spans]
        return tuple(sorted([*things, *self._unknown_things(covered)], key=lambda thing: thing.start))

    def _end_of_name(self, start: int) -> int:
        """Return the end of the longest known name that starts here, or 0."""
        words = self.words[start : start + LONGEST_NAME]
        if words[0] in VERBS:  # such as faces
            return 0
        ends = [end for end in _ends(words, 0) if key_of(" ".join(words[:end])) in self.known]
        nouns = [end for end in ends if words[end - 1] != "stands"]  # a plant stands on it
        return start + (nouns or ends)[-1] if ends else 0

    def _thing(self, start: int, end: int) -> DescribedThing:
        """Return a thing with its quantity, and its attributes before and after the name."""
        position, modifiers = start - 1, list[str]()
        while position >= 0 and start - position <= WIDEST and self._goes_on(position):
            if self.words[position] not in (",", "and"):
                modifiers.insert(0, self.words[position])
            position -= 1
        is_definite = position >= 0 and self.words[position] in DEFINITE
        quantity = _quantity(self.words, position, self.words[end - 1])
        if quantity is None and not is_definite:  # before a name without a determiner, other words may be verbs
            others = [number for number, word in enumerate(modifiers, 1) if not self._is_attribute(word)]
            modifiers = modifiers[max(others, default=0) :]
        name = " ".join(self.words[start:end])
        return DescribedThing(
            start, end, name, (*modifiers, *self._after(end)), quantity, is_definite, self.sharing[start]
        )

    def _goes_on(self, position: int) -> bool:
        """Return True if a word before a name may be an attribute of it, or joins two of them."""
        word = self.words[position]
        if word in (",", "and"):
            around = [self.words[n] for n in (position - 1, position + 1) if 0 <= n < len(self.words)]
            return len(around) == 2 and all(map(self._is_attribute, around))
        return self._is_inside(position) and not word.isdecimal()

    def _is_attribute(self, word: str) -> bool:
        return word in self.table.attributes or word in self.table.shades

    def _is_inside(self, position: int) -> bool:
        return self.words[position][0].isalnum() and self.words[position] not in STOPS

    def _after(self, end: int) -> tuple[str, ...]:
        """Return attributes after a name: ``the table is round``, ``a table made of oak``."""
        first, second, third = [*self.words[end : end + 3], ".", ".", "."][:3]
        if first in ("is", "are") and second in self.table.attributes:
            return (second,) if third in ENDS | {",", "and"} else ()
        is_material = self.table.attributes.get(third) == "material"
        return (third,) if (first, second) == ("made", "of") and is_material else ()

    def _unknown_things(self, covered: set[int]) -> Iterator[DescribedThing]:
        """Yield things that have a determiner or number but no known name."""
        for start, word in enumerate(self.words):
            if word not in INTRODUCING:
                continue
            end = start + 1
            while end < len(self.words) and end - start <= WIDEST and self._is_inside(end):
                end += 1
            words = self.words[start + 1 : end]
            if not words or words[-1] in FURTHER or not covered.isdisjoint(range(start, end)):
                continue
            tails = {key_of(" ".join(words[begin:])) for begin in range(len(words))}
            runs = {key_of(" ".join(words[begin : begin + size])) for size in (1, 2) for begin in range(len(words))}
            if tails & self.table.not_things or self._is_attribute(words[-1]) or runs & ROOM_KEYS:
                continue
            quantity = _quantity(self.words, start, words[-1])
            yield DescribedThing(
                start + 1, end, " ".join(words), (), quantity, False, self.sharing[start], is_known=False
            )


def _quantity(words: Sequence[str], position: int, last: str) -> Quantity | None:
    """Return the quantity expressed at an index. ``last`` is the last word of the name that follows."""
    word, before = words[position] if position >= 0 else "", words[max(position - 2, 0) : max(position, 0)]
    if word in ("no", "without") or (word in ("a", "an", "any") and not NEGATIONS.isdisjoint(before)):
        return Quantity("eq", 0)
    if word in VAGUE:
        return Quantity("ge", 2, is_vague=True)
    if word in ("a", "an", "another"):
        return Quantity("eq", 1)
    if word == "more" and before[-1:] == ["or"] and position >= 2:
        number = _number(words[position - 2])
        return None if number is None else Quantity("ge", number)
    if (number := _number(word)) is not None:
        return Quantity("le" if before == ["up", "to"] else COMPARISONS.get(" ".join(before), "eq"), number)
    if word == "of" and before and before[-1] in MANY:
        return Quantity("eq", MANY[before[-1]])
    if word == "of" and before and last.endswith("s") and before[-1] in GROUPS:
        return Quantity("ge", 2, is_vague=True)
    return None


def _number(word: str) -> int | None:
    return int(word) if word.isdecimal() and len(word) < 4 else NUMBERS.get(word)


def _placings(tokens: Sequence[DescriptionToken], things: Sequence[DescribedThing]) -> Iterator[Placing]:
    """Yield the relation phrases outside names, except those that themselves contain names of things."""
    thing_at = {position: number for number, thing in enumerate(things) for position in range(thing.start, thing.end)}
    table = relation_table()
    phrases = table.phrases_by_first_word(words_of)
    kept = [
        position
        for position, token in enumerate(tokens)
        if token.word not in table.ignored and position not in thing_at
    ]
    roots = tuple(tokens[position].root for position in kept)
    number = 0
    while number < len(kept):
        size = 1
        for phrase, words in phrases.get(roots[number], ()):
            last = number + len(words) - 1
            # at most two ignored words may stand inside a phrase
            if "shel" in phrase or roots[number : last + 1] != words or kept[last] - kept[number] > len(words) + 1:
                continue
            start, end, size = kept[number], kept[last] + 1, len(words)
            if phrase != "by" or tokens[start - 1].word not in ("side", "surrounded"):
                yield Placing(
                    phrase, start, end, _thing_before(tokens, start, thing_at), *_what_follows(tokens, end, thing_at)
                )
            break
        number += size


def _thing_before(tokens: Sequence[DescriptionToken], start: int, thing_at: dict[int, int]) -> int | None:
    for position in range(start - 1, -1, -1):
        if tokens[position].word in ENDS:
            return None
        if position in thing_at:
            return thing_at[position]
    return None


def _what_follows(tokens: Sequence[DescriptionToken], end: int, thing_at: dict[int, int]) -> tuple[int | None, str]:
    """Return the thing or the built element after a phrase."""
    for position in range(end, min(end + WIDEST, len(tokens))):
        word = tokens[position].word
        if position in thing_at:
            return thing_at[position], ""
        name = word.removesuffix("s")
        if name in ELEMENTS:
            return None, name
        if word in ENDS or word == "," or word in VERBS or (word in LINKS and word != "of"):
            return None, ""
    return None, ""


def attribute_words(thing: DescribedThing, table: Furniture) -> tuple[tuple[str, bool], ...]:
    """Return the attributes of a thing, each with True if it certainly is one."""
    attributes, start = list[tuple[str, bool]](), 0
    words = thing.modifiers
    while start < len(words):
        size = next((n for n in (3, 2, 1) if table.attribute_kind(" ".join(words[start : start + n]))), 1)
        phrase = " ".join(words[start : start + size])
        attributes.append((phrase, table.attribute_kind(phrase) in CERTAIN_KINDS))
        start += size
    return tuple(attributes)


def category_of(name: str) -> str:
    """Return the category that a name means: in the singular, with underscores.

    >>> category_of("storage boxes"), category_of("bookshelves"), category_of("chess"), category_of("knives")
    ('storage_box', 'bookshelf', 'chess', 'knife')
    """
    *before, last = name.split()
    last = last.removesuffix("ves") + "f" if last.endswith("shelves") else singular(last)
    return "_".join([*before, last])
