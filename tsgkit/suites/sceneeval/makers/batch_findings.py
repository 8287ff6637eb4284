"""Findings that need other descriptions: near-duplicates, and demands that belong to another description.

>>> one = annotation_of("0", "easy", "A den with a red sofa by the wall.", ("eq,1,sofa",), ("eq,1,sofa,red",))
>>> other = annotation_of("1", "easy", "A kitchen with a stove.", ("eq,1,stove", "eq,1,sofa"), ("eq,1,stove,red",))
>>> for finding in batch_findings([one, other], furniture())[1]:
...     print(finding.code, finding.message)
carried-over sofa: this text does not name it, and that of 0 does
carried-over eq,1,stove,red: this text does not say red, and that of 0 does
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tsgkit.graph.rules import ERROR, Finding, Place, Rule
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of, spaced
from tsgkit.suites.sceneeval.makers.descriptions import names_in
from tsgkit.suites.sceneeval.makers.furniture import Furniture, furniture
from tsgkit.suites.sceneeval.word_meanings import words_of

__all__ = ["RULES", "Batch", "annotation_of", "batch_findings", "content_words", "furniture", "similarity"]

RULES = {
    "near-duplicate": Rule(ERROR, "a description is very similar to another one"),
    "carried-over": Rule(ERROR, "a demand comes from another description"),
}
MOST_ALIKE = 0.75
"""The share of common words above which two descriptions are near-duplicates."""
COMMON = word_set("a an the of in on at with and or to is are there it its by room next wall against stand has one two")


def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that distinguish one description from another."""
    return frozenset(words_of(text)) - COMMON


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of distinguishing words that two descriptions have in common."""
    return len(one & other) / len(one | other) if one | other else 1.0


def batch_findings(
    annotations: Sequence[Annotation], table: Furniture, known: Sequence[str] = ()
) -> list[tuple[Finding, ...]]:
    """Return the findings on each annotation, compared with the others and with known descriptions."""
    batch = Batch(annotations, table, known)
    return [batch.findings(place) for place in range(len(annotations))]


class Batch:
    """A batch of annotations to compare with each other and with known descriptions, which take precedence."""

    def __init__(self, annotations: Sequence[Annotation], table: Furniture, known: Sequence[str] = ()) -> None:
        self.annotations, self.table = annotations, table
        self.names = [names_in(one.description, table) for one in annotations]
        self.words = [content_words(one.description) for one in annotations]
        self.known = [content_words(text) for text in known]

    def findings(self, place: int, instead: Annotation | None = None) -> tuple[Finding, ...]:
        """Return the findings on the annotation at an index, or on another one in its place."""
        one = instead or self.annotations[place]
        words = content_words(one.description) if instead else self.words[place]
        return (*self._duplicates(one, place, words), *self._carried(one, place))

    def _duplicates(self, one: Annotation, place: int, words: frozenset[str]) -> Iterator[Finding]:
        if not words:
            return
        if any(similarity(words, other) > MOST_ALIKE for other in self.known):
            yield _finding("near-duplicate", one, "the description is much like one there is already")
        for other, said in zip(self.annotations[:place], self.words[:place], strict=True):
            if similarity(words, said) > MOST_ALIKE:
                yield _finding("near-duplicate", one, f"the description is much like that of {other.item_id}")
                return

    def _carried(self, one: Annotation, place: int) -> Iterator[Finding]:
        mine, names = frozenset(words_of(one.description)), names_in(one.description, self.table)
        for name in one.categories:
            key = self.table.same(name)
            if key in names or _last(name) & mine:
                continue
            if whose := self._first([key in names for names in self.names], place):
                yield _finding("carried-over", one, f"{name}: this text does not name it, and that of {whose} does")
        for spec in one.of_kind("atr"):
            wanted = frozenset(words_of(spaced(spec.attribute)))
            if not wanted or wanted & mine:
                continue
            if whose := self._first([wanted <= words for words in self.words], place):
                message = f"{spec.text}: this text does not say {spaced(spec.attribute)}, and that of {whose} does"
                yield _finding("carried-over", one, message)

    def _first(self, says: Sequence[bool], place: int) -> str:
        """Return the id of the first other item for which ``says`` is True, or an empty text."""
        return next((one.item_id for n, one in enumerate(self.annotations) if n != place and says[n]), "")


def _last(name: str) -> frozenset[str]:
    return frozenset(words_of(spaced(name))[-1:])


def _finding(code: str, one: Annotation, message: str) -> Finding:
    return Finding(code, ERROR, message, "", Place(item=one.item_id))
