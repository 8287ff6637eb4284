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
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotation_replies import NUMBERS
from tsgkit.suites.sceneeval.annotations import ROOMS, WORDS, spaced
from tsgkit.suites.sceneeval.makers.furniture import CERTAIN_KINDS, Furniture, furniture, key_of
from tsgkit.suites.sceneeval.word_meanings import relation_table, words_of

__all__ = ["Description", "Placing", "Quantity", "Thing", "furniture", "names_in", "read_description"]

LONGEST = 4_000
"""The maximum number of characters that are parsed: over twice the longest published description."""
LONGEST_NAME = 4
WIDEST = 7
"""The maximum distance, in words, between a thing and its determiner, and between a phrase and its anchor."""
_TOKEN = re.compile(r"[^\W_]+|[.,;:!?()]")
ENDS = frozenset(".;:!?()")
DEFINITE = word_set("the its their his her this that these those each every both all whose which same")
VAGUE = word_set("several some many few multiple various numerous")
PARTS_OF = word_set("of")
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
COMPARISONS = {
    ("at", "least"): "ge",
    ("at", "most"): "le",
    ("up", "to"): "le",
    ("more", "than"): "gt",
    ("fewer", "than"): "lt",
    ("less", "than"): "lt",
}
IRREGULAR = {"hung": "hang"}


class Quantity(NamedTuple):
    """The number of a thing in a description. A vague quantity has no exact number."""

    comparison: str
    n: int
    is_vague: bool = False

    def __str__(self) -> str:
        return "several" if self.is_vague else f"{WORDS[self.comparison]} {self.n}"


class Token(NamedTuple):
    """A word or punctuation mark, and its stem."""

    word: str
    root: str


@dataclass(frozen=True)
class Thing:
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

    ``thing`` and ``anchor`` are indices of things; ``element`` is a built element.
    """

    phrase: str
    thing: int | None
    anchor: int | None
    element: str


@dataclass(frozen=True)
class Description:
    """A parsed description."""

    text: str
    tokens: tuple[Token, ...]
    things: tuple[Thing, ...]
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


def read_description(text: str, categories: Iterable[str], table: Furniture) -> Description:
    """Parse a description. The annotation's categories count as names of things."""
    tokens = tuple(map(_token, _TOKEN.findall(text[:LONGEST].lower())))
    things = _Reader(tokens, tuple(categories), table).things()
    return Description(text, tokens, things, tuple(_placings(tokens, things)))


def _token(word: str) -> Token:
    return Token(word, words_of(IRREGULAR.get(word, word))[0] if word[0].isalnum() else word)


class _Reader:
    """A left-to-right search for things."""

    def __init__(self, tokens: Sequence[Token], categories: Sequence[str], table: Furniture) -> None:
        self.tokens, self.table = tokens, table
        counted = frozenset(map(key_of, categories))
        self.known = counted | (frozenset(table.names) - table.ambiguous)
        self.sharing = _sharing(tokens)

    def things(self) -> tuple[Thing, ...]:
        spans = self._spans()
        taken = {place for start, end in spans for place in range(start, end)}
        known = [self._thing(start, end) for start, end in spans]
        unknown = [thing for thing in self._unknown(taken) if thing is not None]
        return tuple(sorted([*known, *unknown], key=lambda thing: thing.start))

    def _spans(self) -> list[tuple[int, int]]:
        """Return the spans of known names, longest first. Adjacent names are joined."""
        spans: list[tuple[int, int]] = []
        place = 0
        while place < len(self.tokens):
            end = self._end_of_name(place)
            if end and spans and spans[-1][1] == place:
                spans[-1] = (place, end)
            elif end:
                spans.append((place, end))
            place = end or place + 1
        return spans

    def _end_of_name(self, start: int) -> int:
        if not self.tokens[start].word[0].isalnum() or self._is_verb(start):
            return 0
        words = [token.word for token in self.tokens[start : start + LONGEST_NAME]]
        ends = [end for end in _ends(words, 0) if key_of(" ".join(words[:end])) in self.known]
        nouns = [end for end in ends if words[end - 1] != "stands"]  # a plant stands on it
        return start + (nouns or ends)[-1] if ends else 0

    def _is_verb(self, start: int) -> bool:
        """Return True if the word may be a verb here, such as ``faces``."""
        return self.tokens[start].word in VERBS

    def _thing(self, start: int, end: int) -> Thing:
        modifiers, quantity, is_definite = self._before(start, self.tokens[end - 1].word)
        name = " ".join(token.word for token in self.tokens[start:end])
        after = self._after(end)
        return Thing(start, end, name, (*modifiers, *after), quantity, is_definite, self.sharing[start])

    def _before(self, start: int, last: str) -> tuple[tuple[str, ...], Quantity | None, bool]:
        """Return what comes before a name: attributes, the quantity, and whether it is definite."""
        place, modifiers = start - 1, list[str]()
        while place >= 0 and start - place <= WIDEST and self._goes_on(place):
            if self.tokens[place].word[0].isalnum() and self.tokens[place].word != "and":
                modifiers.insert(0, self.tokens[place].word)
            place -= 1
        word = self.tokens[place].word if place >= 0 else ""
        quantity = _quantity(self.tokens, place, last)
        if quantity is None and word not in DEFINITE:
            modifiers = self._attributes_at_the_end(modifiers)
        return tuple(modifiers), quantity, word in DEFINITE

    def _goes_on(self, place: int) -> bool:
        word = self.tokens[place].word
        if word in (",", "and"):
            around = [self.tokens[n].word for n in (place - 1, place + 1) if 0 <= n < len(self.tokens)]
            return len(around) == 2 and all(map(self._is_attribute, around))
        return word[0].isalnum() and word not in STOPS and not word.isdecimal()

    def _is_attribute(self, word: str) -> bool:
        return word in self.table.attributes or word in self.table.shades

    def _attributes_at_the_end(self, words: Sequence[str]) -> list[str]:
        """Return the known attributes right before a name without a determiner. Other words there may be verbs."""
        kept: list[str] = []
        for word in reversed(words):
            if not self._is_attribute(word):
                break
            kept.insert(0, word)
        return kept

    def _after(self, end: int) -> tuple[str, ...]:
        """Return attributes after a name: ``the table is round``, ``a table made of oak``."""
        words = [token.word for token in self.tokens[end : end + 3]]
        if words[:1] in (["is"], ["are"]) and len(words) > 1 and words[1] in self.table.attributes:
            after = self.tokens[end + 2].word if len(self.tokens) > end + 2 else "."
            return () if after not in ENDS | {",", "and"} else (words[1],)
        if words[:2] == ["made", "of"] and len(words) > 2 and self.table.attributes.get(words[2]) == "material":
            return (words[2],)
        return ()

    def _unknown(self, taken: set[int]) -> Iterator[Thing | None]:
        """Yield things that have a determiner or number but no known name."""
        for place, token in enumerate(self.tokens):
            if token.word not in INTRODUCING:
                continue
            end = place + 1
            while end < len(self.tokens) and end - place <= WIDEST and self._is_inside(end):
                end += 1
            yield self._unknown_thing(place, end, taken)

    def _is_inside(self, place: int) -> bool:
        word = self.tokens[place].word
        return word[0].isalnum() and word not in STOPS

    def _unknown_thing(self, start: int, end: int, taken: set[int]) -> Thing | None:
        words = [token.word for token in self.tokens[start + 1 : end]]
        if not words or words[-1] in FURTHER or any(place in taken for place in range(start, end)):
            return None
        tails = {key_of(" ".join(words[begin:])) for begin in range(len(words))}
        if tails & self.table.not_things or self._is_attribute(words[-1]) or _names_a_room(words):
            return None
        quantity = _quantity(self.tokens, start, words[-1])
        return Thing(start + 1, end, " ".join(words), (), quantity, False, self.sharing[start], is_known=False)


def _names_a_room(words: Sequence[str]) -> bool:
    runs = (" ".join(words[start : start + size]) for size in (1, 2) for start in range(len(words)))
    return any(key_of(run) in ROOM_KEYS for run in runs)


def _sharing(tokens: Sequence[Token]) -> list[bool]:
    """Return for each word if its sentence has a word that multiplies numbers."""
    found: list[bool] = []
    start = 0
    for place, token in enumerate((*tokens, Token(".", "."))):
        if token.word in (".", ";", "!", "?"):
            words = [one.word for one in tokens[start:place]]
            shared = any(_multiplies(words, number) for number in range(len(words)))
            found += [shared] * (place - start + 1)
            start = place + 1
    return found


def _multiplies(words: Sequence[str], place: int) -> bool:
    """Return True if a word applies a number to each of several things, or adds to an earlier number."""
    after = words[place + 1] if place + 1 < len(words) else ""
    if words[place] in FURTHER and place and _number(words[place - 1]) is not None:
        return not after[:1].isalnum() or after in STOPS
    return words[place] in SHARING and after != "other"


def _quantity(tokens: Sequence[Token], place: int, last: str) -> Quantity | None:
    """Return the quantity expressed at an index. ``last`` is the last word of the name that follows."""
    word = tokens[place].word if place >= 0 else ""
    before = tuple(token.word for token in tokens[max(place - 2, 0) : max(place, 0)])
    if word in ("no", "without") or (word in ("a", "an", "any") and not NEGATIONS.isdisjoint(before)):
        return Quantity("eq", 0)
    if word in VAGUE:
        return Quantity("ge", 2, is_vague=True)
    if word in ("a", "an", "another"):
        return Quantity("eq", 1)
    if word == "more" and before[-1:] == ("or",) and place >= 2:
        number = _number(tokens[place - 2].word)
        return None if number is None else Quantity("ge", number)
    if (number := _number(word)) is not None:
        return Quantity(COMPARISONS.get(before, "eq") if len(before) == 2 else "eq", number)
    if word == "of" and before and before[-1] in MANY:
        return Quantity("eq", MANY[before[-1]])
    if word == "of" and before and last.endswith("s") and before[-1] in ("row", "stack", "set", "group", "collection"):
        return Quantity("ge", 2, is_vague=True)
    return None


def _number(word: str) -> int | None:
    return int(word) if word.isdecimal() and len(word) < 4 else NUMBERS.get(word)


class _Phrase(NamedTuple):
    text: str
    roots: tuple[str, ...]


def phrases() -> tuple[_Phrase, ...]:
    """Return the relation phrases as they appear in texts, longest first, except those that contain names of things."""
    table = relation_table()
    named = {phrase for phrase in (*table.objects, *table.rooms) if phrase and "shel" not in phrase}
    made = [_Phrase(phrase, words_of(phrase)) for phrase in named]
    return tuple(sorted(made, key=lambda one: (-len(one.roots), one.text)))


def _placings(tokens: Sequence[Token], things: Sequence[Thing]) -> Iterator[Placing]:
    thing_at = {place: number for number, thing in enumerate(things) for place in range(thing.start, thing.end)}
    ignored = relation_table().ignored
    kept = [place for place, token in enumerate(tokens) if token.word not in ignored and place not in thing_at]
    roots = [tokens[place].root for place in kept]
    by_first: dict[str, list[_Phrase]] = {}
    for phrase in phrases():
        by_first.setdefault(phrase.roots[0], []).append(phrase)
    number = 0
    while number < len(kept):
        found = next((one for one in by_first.get(roots[number], ()) if _stands(one, number, kept, roots)), None)
        if found is None:
            number += 1
            continue
        start, end = kept[number], kept[number + len(found.roots) - 1] + 1
        if found.text != "by" or tokens[start - 1].word not in ("side", "surrounded"):
            yield Placing(found.text, _thing_before(tokens, start, thing_at), *_what_follows(tokens, end, thing_at))
        number += len(found.roots)


def _stands(phrase: _Phrase, number: int, kept: Sequence[int], roots: Sequence[str]) -> bool:
    """Return True if a phrase starts here, with at most two ignored words inside it."""
    size = len(phrase.roots)
    if tuple(roots[number : number + size]) != phrase.roots:
        return False
    return kept[number + size - 1] - kept[number] <= size + 1


def _thing_before(tokens: Sequence[Token], start: int, thing_at: dict[int, int]) -> int | None:
    for place in range(start - 1, -1, -1):
        if tokens[place].word in ENDS:
            return None
        if place in thing_at:
            return thing_at[place]
    return None


def _what_follows(tokens: Sequence[Token], end: int, thing_at: dict[int, int]) -> tuple[int | None, str]:
    """Return the thing or the built element after a phrase."""
    for place in range(end, min(end + WIDEST, len(tokens))):
        word = tokens[place].word
        if place in thing_at:
            return thing_at[place], ""
        name = word.removesuffix("s")
        if name in ELEMENTS:
            return None, name
        if word in ENDS or word == "," or word in VERBS or (word in LINKS and word not in PARTS_OF):
            return None, ""
    return None, ""


def attribute_words(thing: Thing, table: Furniture) -> tuple[tuple[str, bool], ...]:
    """Return the attributes of a thing, each with True if it certainly is one."""
    found, place = list[tuple[str, bool]](), 0
    words = thing.modifiers
    while place < len(words):
        size = next((n for n in (3, 2, 1) if table.attribute_kind(" ".join(words[place : place + n]))), 1)
        phrase = " ".join(words[place : place + size])
        found.append((phrase, table.attribute_kind(phrase) in CERTAIN_KINDS))
        place += size
    return tuple(found)
