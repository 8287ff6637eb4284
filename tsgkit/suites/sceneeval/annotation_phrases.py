"""A tokeniser of descriptions into things, relation phrases and the small words between them.

>>> taken = split_description("At least two white chairs in front of the desk.", relation_table())
>>> taken[0].name, taken[0].attributes, taken[0].quantity, taken[0].n
('chair', ('white',), 'ge', 2)
>>> taken[1].phrase, taken[2].name, taken[2].is_known, taken[3]
('in front', 'desk', True, '.')

A thing starts after an article, a number or a word such as ``several`` and ends before the next relation phrase, verb
or punctuation mark. Its first words are attributes if they are in a short list of adjectives; the rest is its name.
Relation phrases are those of the table (``tasks/sceneeval/relations.yaml``), longest first. Not covered: things without
an article or number, clauses that refer to something further away, and adjectives outside the list, which become part
of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotation_replies import NUMBERS
from tsgkit.suites.sceneeval.annotations import ROOMS, spaced
from tsgkit.suites.sceneeval.word_meanings import RelationTable, element_of, relation_table

__all__ = ["PhraseTable", "Piece", "RelationPhrase", "Thing", "relation_table", "split_description"]

TOKEN = re.compile(r"[a-z]+(?:['’-][a-z]+)*|\d{1,6}|[.,;:]")
ADJECTIVES = word_set(
    "white black grey gray red green blue yellow brown purple pink orange beige silver golden dark light bright",
    "wooden oak pine metal steel glass leather wicker cardboard marble plastic brass ceramic velvet fabric stone",
    "small large big long short tall low high wide narrow tiny huge round square oval rectangular curved",
    "single double queen king twin bunk modern old antique rustic vintage formal cozy soft comfortable",
    "striped patterned checkered colorful colourful empty open closed matching simple plain spacious",
)
NAME_ENDS = word_set(
    "and or with that which who where while but as is are be it its them they each every both all there one another",
    "stands standing lie lies hang hangs hold holds holding face faces fill fills sit sits rest rests made",
    "of from to for into between has have other",
)
"""Words that end the name of a thing."""
DEFINITE = word_set("the its their this that")
ARTICLES: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("a", "an", "another"), ("eq", 1)),
    **dict.fromkeys(("some", "several"), ("ge", 2)),
    "no": ("eq", 0),
}
COMPARISON_WORDS = {"at least": "ge", "at most": "le", "more than": "gt", "fewer than": "lt", "less than": "lt"}
PLACES = word_set("corner middle center centre side foot row")
GROUP_NOUNS = {"pair": 2, "couple": 2, "row": None, "set": None, "group": None, "stack": None}
"""Words for groups of things, with their number if it is fixed."""


@dataclass(frozen=True)
class Thing:
    """A noun phrase: its category in the singular, its attributes, and how many things there are."""

    name: str
    attributes: tuple[str, ...]
    quantity: str
    n: int
    is_known: bool
    """True after a definite article: the thing was mentioned before."""

    @property
    def is_place(self) -> bool:
        """True if it names a part of something, not an object."""
        return self.name in PLACES

    @property
    def is_built(self) -> bool:
        """True if it is part of the room, or a room."""
        return spaced(self.name) in ROOMS or element_of(self.name) is not None


@dataclass(frozen=True)
class RelationPhrase:
    """A relation phrase of the table."""

    phrase: str
    has_its: bool = False
    """True if it contains ``its``, as in ``on its long side``."""
    is_inverted: bool = False
    """True if the anchor comes before it, as in ``surrounded by``."""


Piece = Thing | RelationPhrase | str
"""A thing, a relation phrase, or a word or punctuation mark between them that matters."""
CONNECTORS = word_set("it them they each all both with and . , ; :")


@dataclass(frozen=True)
class PhraseTable:
    """The relation phrases of a table."""

    table: RelationTable

    @cached_property
    def by_first(self) -> Mapping[str, list[tuple[str, ...]]]:
        """The phrases by their first word, longest first."""
        found: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted({*self.table.objects, *self.table.rooms}, key=lambda one: (-len(one.split()), one)):
            words = tuple(phrase.split())
            found.setdefault(words[0], []).append(words)
        return found

    def at(self, tokens: Sequence[str], start: int) -> tuple[RelationPhrase, int] | None:
        """Return the longest phrase that starts at a token, and the index after it."""
        if tuple(tokens[start : start + 2]) == ("surrounded", "by"):
            return RelationPhrase("surround", is_inverted=True), start + 2
        first = tokens[start]
        for word in dict.fromkeys((first, first.removesuffix("s"))):
            for phrase in self.by_first.get(word, ()):
                if end := self._end(phrase, tokens, start):
                    return RelationPhrase(" ".join(phrase), has_its="its" in tokens[start:end]), end
        return None

    def _end(self, phrase: Sequence[str], tokens: Sequence[str], start: int) -> int | None:
        at = start + 1
        for word in phrase[1:]:
            while at < len(tokens) and tokens[at] in self.table.ignored and tokens[at] != word:
                at += 1
            if at >= len(tokens) or tokens[at] != word:
                return None
            at += 1
        return at


def split_description(description: str, table: RelationTable) -> list[Piece]:
    """Return the pieces of a description in order."""
    return list(_pieces(TOKEN.findall(description.lower().replace("’", "'")), PhraseTable(table)))


def _pieces(tokens: Sequence[str], phrases: PhraseTable) -> Iterator[Piece]:
    at = 0
    while at < len(tokens):
        if found := phrases.at(tokens, at):
            link, at = found
            yield link
        elif thing := _thing_at(tokens, at, phrases):
            made, at = thing
            yield made
        else:
            if tokens[at] in CONNECTORS:
                yield tokens[at]
            at += 1


def _thing_at(tokens: Sequence[str], start: int, phrases: PhraseTable) -> tuple[Thing, int] | None:
    counted = _quantity_at(tokens, start)
    if counted is None:
        return None
    quantity, n, at = counted
    words: list[str] = []
    while at < len(tokens) and tokens[at][0].isalpha() and not _ends(tokens, at, phrases, words):
        words.append(tokens[at])
        at += 1
    if not words:
        return None
    place = next((place for place, word in enumerate(words[:-1]) if word not in ADJECTIVES), len(words) - 1)
    name = "_".join([*words[place:-1], singular(words[-1])])
    return Thing(name, tuple(words[:place]), quantity, n, tokens[start] in DEFINITE), at


def _ends(tokens: Sequence[str], at: int, phrases: PhraseTable, words: Sequence[str]) -> bool:
    word = tokens[at]
    if word in NAME_ENDS or word in ARTICLES or word in DEFINITE or word in NUMBERS:
        return True
    if word == "stand" and words and words[-1].endswith("s"):  # two lamps stand; a tv stand
        return True
    return bool(words) and phrases.at(tokens, at) is not None


def _quantity_at(tokens: Sequence[str], start: int) -> tuple[str, int, int] | None:
    """Return the comparison and number that start at a token, and the index after them."""
    if compared := COMPARISON_WORDS.get(" ".join(tokens[start : start + 2])):
        number = _number(tokens, start + 2)
        return None if number is None else (compared, number, start + 3)
    word = tokens[start]
    following = tokens[start + 1] if start + 1 < len(tokens) else ""
    if following in GROUP_NOUNS and tokens[start + 2 : start + 3] == ["of"]:
        return _group_quantity(tokens, start, GROUP_NOUNS[following])
    if (number := _number(tokens, start)) is not None:
        return "eq", number, start + 1
    if word in DEFINITE and _number(tokens, start + 1) is not None:
        return "eq", _number(tokens, start + 1) or 0, start + 2
    if word in DEFINITE:
        return "eq", 1, start + 1
    return (*ARTICLES[word], start + 1) if word in ARTICLES else None


def _group_quantity(tokens: Sequence[str], start: int, own: int | None) -> tuple[str, int, int]:
    """Return the quantity of phrases such as ``a pair of``, ``a row of two``, ``a stack of at least five``, ``a set
    of``."""
    if own is None and start + 3 < len(tokens) and (found := _quantity_at(tokens, start + 3)):
        return found
    return ("eq", own, start + 3) if own else ("ge", 2, start + 3)


def _number(tokens: Sequence[str], at: int) -> int | None:
    if at >= len(tokens):
        return None
    return int(tokens[at]) if tokens[at].isdecimal() else NUMBERS.get(tokens[at])


def singular(word: str) -> str:
    """Return the singular of a noun, by its spelling.

    >>> [singular(word) for word in ("lamps", "shelves", "benches", "boxes", "glass", "chair")]
    ['lamp', 'shelf', 'bench', 'box', 'glass', 'chair']
    """
    for ending, instead in (("shelves", "shelf"), ("knives", "knife"), ("ies", "y"), ("ss", "ss"), ("us", "us")):
        if word.endswith(ending):
            return word.removesuffix(ending) + instead
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word.removesuffix("es")
    return word.removesuffix("s") or word
