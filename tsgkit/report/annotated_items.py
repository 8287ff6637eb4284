"""Two annotators' versions of the same items: items matched by id or position, and pairs of their graphs.

>>> from tsgkit.library.documents.reader import read_document
>>> ours = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "ann.json")
>>> theirs = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "mug"]]]', "bob.json")
>>> found = matched(ours, theirs)
>>> found.names, [len(item.disagreements) for item in found.items]
(('ann', 'bob'), [1])

Items without an id have their number in the file as one. Where no id is in both files, items are matched by position if
both have equally many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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

    @cached_property
    def is_flat(self) -> bool:
        """True if a version has no borders between descriptions; then only the order of graphs is compared."""
        sides = [one.narrative.descriptions for one in (self.first, self.second)]
        shapes = [[bool(part.graphs) for part in side] for side in sides]
        without = [
            not any(part.text for part in side) and sum(shape) < 2 for side, shape in zip(sides, shapes, strict=True)
        ]
        return any(without) and shapes[0] != shapes[1]

    @cached_property
    def pairs(self) -> tuple[GraphPair, ...]:
        """All graphs of both, each once; the pairs are the same in whatever order the versions are named."""
        one, two, turned = self._sides
        found = paired(one, two)
        if not turned:
            return found
        return tuple(GraphPair(pair.descriptions[::-1], pair.graphs[::-1], pair.second, pair.first) for pair in found)

    @cached_property
    def descriptions(self) -> tuple[tuple[int | None, int | None], ...]:
        """The numbers of matched descriptions; None where one has no partner."""
        one, two, turned = self._sides
        found = matched_descriptions(one, two)
        return tuple((right, left) if turned else (left, right) for left, right in found)

    @cached_property
    def _sides(self) -> tuple[Narrative, Narrative, bool]:
        """Both narratives in an order of their own, and whether that is the other one than theirs here."""
        both = [one.narrative for one in (self.first, self.second)]
        if self.is_flat:
            both = [Narrative.of(one.graphs) for one in both]
        turned = _content(both[1]) < _content(both[0])
        return (both[1], both[0], True) if turned else (both[0], both[1], False)

    @property
    def disagreements(self) -> tuple[GraphPair, ...]:
        """The pairs of graphs that differ, those without a partner included."""
        return tuple(pair for pair in self.pairs if pair.differs)

    @property
    def vocabulary(self) -> Vocabulary | None:
        """L, of both where they differ; None where neither has one."""
        return joint([one.narrative.vocabulary for one in (self.first, self.second)])

    @property
    def differs_in_vocabulary(self) -> bool:
        """True if both have an L, with different names in whatever order."""
        told = [one.narrative.vocabulary for one in (self.first, self.second)]
        sides = {tuple(map(frozenset, _lists(one))) for one in told if one is not None}
        return len(sides) > 1

    @property
    def has_vocabulary_of_one(self) -> bool:
        """True if only one of the two has an L."""
        return (self.first.narrative.vocabulary is None) != (self.second.narrative.vocabulary is None)

    def differing_texts(self) -> Iterator[tuple[str | None, str | None]]:
        """Yield the texts of matched descriptions that differ; none where one version has no borders between them."""
        if self.is_flat:
            return
        mine, theirs = self.first.narrative.descriptions, self.second.narrative.descriptions
        for left, right in self.descriptions:
            if left is not None and right is not None and (mine[left].text or "") != (theirs[right].text or ""):
                yield mine[left].text, theirs[right].text


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
        paths = (Path(self.first.file), Path(self.second.file))
        for told in (tuple(path.stem for path in paths), tuple(path.name for path in paths)):
            if told[0] != told[1]:
                return told[0], told[1]
        return str(paths[0]), str(paths[1])

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
    if _are_same(first, second):
        raise UsageError(f"{second}: this is the first file again", hint="name the file of another annotator")
    found = matched(*(with_vocabulary(_read(path), vocabulary) for path in (first, second)))
    if not found.items:
        sizes = (len(found.only_first), len(found.only_second))
        raise UsageError(
            f"{first} and {second}: no item is in both ({sizes[0]:,} and {sizes[1]:,} items)",
            hint="items are matched by their id, else by position if there are equally many",
        )
    return found


def _read(path: str | Path) -> Document:
    """Return a document that has items."""
    document = read_file(path)
    if not document.entries:
        problem = document.findings[0].message if document.findings else "it holds none"
        raise UsageError(f"{path}: no item can be read: {problem}", hint="tsgkit check shows what is wrong")
    return document


def _are_same(first: str | Path, second: str | Path) -> bool:
    if STDIN in (str(first), str(second)):
        return str(first) == str(second)
    try:
        return Path(first).samefile(second)
    except (OSError, ValueError):  # read_file tells what is wrong with it
        return False


def matched(first: Document, second: Document) -> Versions:
    """Return the items of two documents in pairs."""
    ids = [[entry.item for entry in document.entries] for document in (first, second)]
    places = matched_items(*ids)
    pairs = [(one, two) for one, two in places if one is not None and two is not None]
    return Versions(
        first,
        second,
        tuple(ItemPair(ids[0][one], first.entries[one], second.entries[two]) for one, two in pairs),
        tuple(first.entries[one] for one, two in places if one is not None and two is None),
        tuple(second.entries[two] for one, two in places if two is not None and one is None),
        by_position=any(ids[0][one] != ids[1][two] for one, two in pairs),
    )


def joint(vocabularies: Sequence[Vocabulary | None]) -> Vocabulary | None:
    """Return the names of several vocabularies as one, in order; None where there is none."""
    told = [one for one in vocabularies if one is not None]
    if not told:
        return None
    if all(one == told[0] for one in told):
        return told[0]
    lists = zip(*map(_lists, told), strict=True)
    return Vocabulary(*(tuple(dict.fromkeys(name for names in kind for name in names)) for kind in lists))


def _lists(vocabulary: Vocabulary) -> tuple[tuple[str, ...], ...]:
    return vocabulary.objects, vocabulary.relationships, vocabulary.verbs


def _content(narrative: Narrative) -> list[tuple[str, list[tuple[tuple[str, str, str], ...]]]]:
    return [(part.text or "", [graph.triplets for graph in part.graphs]) for part in narrative.descriptions]
