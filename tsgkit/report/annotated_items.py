"""Two annotators' versions of the same items: items matched by id or position, and pairs of their graphs.

>>> from tsgkit.library.documents.reader import read_document
>>> ours = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "ann.json")
>>> theirs = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "mug"]]]', "bob.json")
>>> versions = matched(ours, theirs)
>>> versions.names, [len(item.disagreements) for item in versions.items]
(('ann', 'bob'), [1])

Items without an id have their number in the file as one. Where no id is in both files, items are matched by position if
both have equally many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.graph.model import Narrative, Vocabulary
from tsgkit.library.documents.reader import Document, read_file, with_vocabulary
from tsgkit.library.documents.rows import Entry, matched_items
from tsgkit.library.files import STDIN
from tsgkit.scoring.versions import GraphPair, matched_descriptions, paired


@dataclass(frozen=True)
class ItemPair:
    """One item in two versions."""

    item: str
    first: Entry
    second: Entry

    @property
    def narratives(self) -> tuple[Narrative, Narrative]:
        """Both versions."""
        return self.first.narrative, self.second.narrative

    @cached_property
    def is_flat(self) -> bool:
        """True if a version has no borders between descriptions; then only the order of graphs is compared."""
        shapes = [[bool(part.graphs) for part in narrative.descriptions] for narrative in self.narratives]
        has_texts = [any(part.text for part in narrative.descriptions) for narrative in self.narratives]
        has_borders = [texts or sum(shape) > 1 for texts, shape in zip(has_texts, shapes, strict=True)]
        return not all(has_borders) and shapes[0] != shapes[1]

    @cached_property
    def pairs(self) -> tuple[GraphPair, ...]:
        """All graphs of both, each once; the pairs are the same in whatever order the versions are named."""
        narratives, is_turned = self._in_order
        pairs = paired(*narratives)
        if not is_turned:
            return pairs
        return tuple(GraphPair(pair.descriptions[::-1], pair.graphs[::-1], pair.second, pair.first) for pair in pairs)

    @cached_property
    def descriptions(self) -> tuple[tuple[int | None, int | None], ...]:
        """The numbers of matched descriptions; None where one has no partner."""
        narratives, is_turned = self._in_order
        return tuple(numbers[::-1] if is_turned else numbers for numbers in matched_descriptions(*narratives))

    @cached_property
    def _in_order(self) -> tuple[tuple[Narrative, Narrative], bool]:
        """Both narratives in the order of their content, and whether that is the other order than here."""
        first, second = self.narratives
        if self.is_flat:
            first, second = Narrative.of(first.graphs), Narrative.of(second.graphs)
        is_turned = _content(second) < _content(first)
        return ((second, first) if is_turned else (first, second)), is_turned

    @property
    def disagreements(self) -> tuple[GraphPair, ...]:
        """The pairs of graphs that differ, those without a partner included."""
        return tuple(pair for pair in self.pairs if pair.differs)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """L, of both where they differ; None where neither has one."""
        return joint([narrative.vocabulary for narrative in self.narratives])

    @property
    def differs_in_vocabulary(self) -> bool:
        """True if both have an L, with different names in whatever order."""
        known = [narrative.vocabulary for narrative in self.narratives if narrative.vocabulary is not None]
        return len({tuple(map(frozenset, _lists(vocabulary))) for vocabulary in known}) > 1

    @property
    def has_vocabulary_of_one(self) -> bool:
        """True if only one of the two has an L."""
        return (self.first.narrative.vocabulary is None) != (self.second.narrative.vocabulary is None)

    def differing_texts(self) -> Iterator[tuple[str | None, str | None]]:
        """Yield the texts of matched descriptions that differ; none where one version has no borders between them."""
        ours, theirs = (narrative.descriptions for narrative in self.narratives)
        for left, right in () if self.is_flat else self.descriptions:
            if left is not None and right is not None and (ours[left].text or "") != (theirs[right].text or ""):
                yield ours[left].text, theirs[right].text


@dataclass(frozen=True)
class Versions:
    """Two documents of the same items."""

    first: Document
    second: Document
    items: tuple[ItemPair, ...]
    only_first: tuple[Entry, ...] = ()
    only_second: tuple[Entry, ...] = ()
    by_position: bool = False
    """True if items were matched by position, since no id is in both."""

    @property
    def names(self) -> tuple[str, str]:
        """The names of the annotators, by their files: the shortest that tell them apart."""
        first, second = Path(self.first.file), Path(self.second.file)
        names = ((first.stem, second.stem), (first.name, second.name), (str(first), str(second)))
        return next((pair for pair in names if pair[0] != pair[1]), names[-1])

    @property
    def disagreements(self) -> int:
        """The number of pairs of graphs that differ, and of graphs without a partner."""
        return sum(len(item.disagreements) for item in self.items)

    @property
    def differing_texts(self) -> int:
        """The number of matched descriptions whose texts differ."""
        return sum(1 for item in self.items for _ in item.differing_texts())


def versions_of(first: str | Path, second: str | Path, vocabulary: Vocabulary | None = None) -> Versions:
    """Read two files and match their items; ``vocabulary`` is L for items that bring none.

    Raise ``UsageError`` if both are the same file or no item is in both, ``FileProblem`` if one cannot be read.
    """
    is_same = str(first) == str(second) == STDIN
    with suppress(OSError, ValueError):  # read_file says what is wrong with a path
        is_same = is_same or Path(first).samefile(second)
    if is_same:
        raise UsageError(f"{second}: this is the first file again", hint="name the file of another annotator")
    documents = []
    for path in (first, second):
        document = read_file(path)
        if not document.entries:
            problem = document.findings[0].message if document.findings else "it holds none"
            raise UsageError(f"{path}: no item can be read: {problem}", hint="tsgkit check shows what is wrong")
        documents.append(with_vocabulary(document, vocabulary))
    versions = matched(*documents)
    if not versions.items:
        sizes = (len(versions.only_first), len(versions.only_second))
        raise UsageError(
            f"{first} and {second}: no item is in both ({sizes[0]:,} and {sizes[1]:,} items)",
            hint="items are matched by their id, else by position if there are equally many",
        )
    return versions


def matched(first: Document, second: Document) -> Versions:
    """Return the items of two documents in pairs."""
    ids = [[entry.item for entry in document.entries] for document in (first, second)]
    places = matched_items(*ids)
    pairs = [(left, right) for left, right in places if left is not None and right is not None]
    return Versions(
        first,
        second,
        tuple(ItemPair(ids[0][left], first.entries[left], second.entries[right]) for left, right in pairs),
        tuple(first.entries[left] for left, right in places if left is not None and right is None),
        tuple(second.entries[right] for left, right in places if right is not None and left is None),
        by_position=any(ids[0][left] != ids[1][right] for left, right in pairs),
    )


def joint(vocabularies: Sequence[Vocabulary | None]) -> Vocabulary | None:
    """Return the names of several vocabularies as one, in order; None where there is none."""
    known = [vocabulary for vocabulary in vocabularies if vocabulary is not None]
    if not known or all(vocabulary == known[0] for vocabulary in known):
        return known[0] if known else None
    return Vocabulary(*(tuple(dict.fromkeys(chain(*lists))) for lists in zip(*map(_lists, known), strict=True)))


def _lists(vocabulary: Vocabulary) -> tuple[tuple[str, ...], ...]:
    return vocabulary.objects, vocabulary.relationships, vocabulary.verbs


def _content(narrative: Narrative) -> list[tuple[str, list[tuple[tuple[str, str, str], ...]]]]:
    return [(part.text or "", [graph.triplets for graph in part.graphs]) for part in narrative.descriptions]
