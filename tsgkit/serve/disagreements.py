"""Disagreements of two annotators, each to be decided by itself, and the document that decisions lead to.

>>> from tsgkit.library.documents.reader import read_document
>>> ours = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "ann.json")
>>> theirs = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "mug"]]]', "bob.json")
>>> merger = Merger(matched(ours, theirs))
>>> [each.name for each in merger.disagreements]
['0, graph 1']
>>> settled = merger.merged({0: merger.disagreements[0].second})
>>> settled.entries[0].narrative.graphs[0].triplets[1].target
'mug'

Equal parts are taken over, and so is everything that is not decided about: the first version's ids, frames, summaries
and other fields of rows, and texts and L where its format has no place for others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, count
from typing import Any

from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry, with_narrative
from tsgkit.report.annotated_items import ItemPair, Versions, matched
from tsgkit.scoring.versions import GraphPair

__all__ = ["Disagreement", "Matter", "Merger", "matched"]

TOLD = ("narrative", "sgg")
"""Formats in which texts and L can be exchanged."""
Place = tuple[int | None, int | None]
"""The numbers of a graph or description in both versions; None where one has none."""
Value = Any
"""A graph, a text or L, each None where there is none; True or False for a description or item, kept or left out."""


class Matter(StrEnum):
    """The part of an item that two versions disagree on."""

    GRAPH = "graph"
    TEXT = "text"
    VOCABULARY = "vocabulary"
    DESCRIPTION = "description"
    ITEM = "item"


@dataclass(frozen=True)
class Disagreement:
    """One part of an item with its value in both versions; ``place`` has its numbers there."""

    kind: Matter
    item: str
    first: Value
    second: Value
    place: Place = (None, None)
    texts: tuple[str, ...] = ()
    """The text of the description, with the ones before and after it; empty where there are none."""
    names: Vocabulary | None = None
    """All names to edit with: L, or those of the item."""
    whole: Description | Entry | None = None
    """The description or item that only one version has."""
    occurrence: int = 0
    """The number of equal ones before it in the item."""
    second_name: str = ""
    """The name of the second version."""

    @property
    def name(self) -> str:
        """The name under which it is listed, with its number (from 1) in the first version, or else in the second."""
        first, second = (None if place is None else place + 1 for place in self.place)
        number = f"{second} of {self.second_name}" if first is None else first
        if self.kind is Matter.ITEM:
            return self.item
        if self.kind is Matter.VOCABULARY:
            return f"{self.item}, L"
        what = {
            Matter.GRAPH: "graph",
            Matter.TEXT: "text of description",
            Matter.DESCRIPTION: "description",
        }[self.kind]
        return f"{self.item}, {what} {number}"

    @property
    def content(self) -> tuple[Any, ...]:
        """The JSON value of what a person is shown, by which a decision is found again."""
        both = (json_value(self.first), json_value(self.second))
        whole = self.whole.narrative if isinstance(self.whole, Entry) else self.whole
        parts = () if whole is None else whole.descriptions if isinstance(whole, Narrative) else (whole,)
        shown = [(part.text, [to_value(graph) for graph in part.graphs]) for part in parts]
        return str(self.kind), self.item, *both, self.texts[:1], shown, self.occurrence


def json_value(value: Value) -> Any:  # noqa: ANN401  (JSON)
    """Return the JSON value of a part."""
    if isinstance(value, ActionGraph):
        return to_value(value)
    return vocabulary_value(value) if isinstance(value, Vocabulary) else value


Slot = tuple[Description | None, Description | None, Place, tuple[str, ...], Sequence[GraphPair]]
"""A description in both versions, its numbers there, its text with those around it, and its graphs."""


class Merger:
    """The disagreements of two versions, and the settled version that decisions about them lead to."""

    def __init__(self, versions: Versions) -> None:
        self.versions = versions
        self.disagreements: list[Disagreement] = []
        self.is_told = versions.first.format in TOLD
        self._items = list(self._merged_items())
        self._ends: list[int] = []
        """The number of disagreements up to the end of each item."""
        equal_before = Counter[str]()

        def take_first(each: Disagreement) -> Value:
            content = repr(each.content)
            self.disagreements.append(replace(each, occurrence=equal_before[content], second_name=versions.names[1]))
            equal_before[content] += 1
            return each.first

        for item in self._items:
            self._settled(item, take_first)
            self._ends.append(len(self.disagreements))

    def merged(self, decided: Mapping[int, Value], beside: int | None = None) -> Document:
        """Return the settled document; what is not decided is as in the first version. With ``beside`` it has only the
        item of that disagreement.

        Raise ``CannotCarry`` where the rows of the first version have no place for a decision.
        """
        numbers = count(0 if beside is None else self.numbers_beside(beside).start)
        items = self._items if beside is None else [self._items[bisect_right(self._ends, beside)]]
        entries = (self._settled(item, lambda each: decided.get(next(numbers), each.first)) for item in items)
        return replace(self.versions.first, entries=tuple(entry for entry in entries if entry is not None))

    def numbers_beside(self, number: int) -> range:
        """Return the numbers of all disagreements about the item of one."""
        place = bisect_right(self._ends, number)
        return range(self._ends[place - 1] if place else 0, self._ends[place])

    def notes(self) -> Iterator[str]:
        """Yield sentences about what differs and is not decided."""
        first, second = self.versions.names
        if not self.is_told:
            if texts := sum(1 for item in self.versions.items for _ in item.differing_texts()):
                yield f"{texts:,} texts differ; {self.versions.first.format} keeps those of {first}"
            if several := sum(item.differs_in_vocabulary for item in self.versions.items):
                yield f"L differs in {several:,} items; {self.versions.first.format} keeps that of {first}"
        if self.versions.only_second and not self._takes_items():
            number = len(self.versions.only_second)
            yield f"{number:,} items only in {second} are left out: {self.versions.first.format} has no place for them"
        if flat := sum(item.is_flat for item in self.versions.items):
            yield f"{flat:,} items are without descriptions in one file: those of {first} are kept"
        if frames := sum(_frames_differ(item) for item in self.versions.items):
            yield f"frame numbers differ in {frames:,} items; those of {first} are kept"

    def _merged_items(self) -> Iterator[ItemPair | tuple[Entry, bool]]:
        """Yield all items in the order of the first version; those only in the second follow the item before them."""
        seconds = {id(item.second): item for item in self.versions.items}
        alone = {id(entry) for entry in self.versions.only_second} if self._takes_items() else set()
        after: dict[int | None, list[Entry]] = {}
        last: int | None = None
        for entry in self.versions.second.entries:
            if id(entry) in alone:
                after.setdefault(last, []).append(entry)
            elif id(entry) in seconds:
                last = id(seconds[id(entry)].first)
        firsts = {id(item.first): item for item in self.versions.items}
        yield from ((entry, False) for entry in after.get(None, ()))
        for entry in self.versions.first.entries:
            yield firsts.get(id(entry), (entry, True))
            yield from ((other, False) for other in after.get(id(entry), ()))

    def _takes_items(self) -> bool:
        """Return whether items of the second version can stand in the file of the first."""
        first, second = (formats.by_name(each.format) for each in (self.versions.first, self.versions.second))
        return first is second or (formats.NARRATIVES in first.carries and formats.ROWS not in first.carries)

    def _settled(self, item: ItemPair | tuple[Entry, bool], choose: Callable[[Disagreement], Value]) -> Entry | None:
        """Return an item of the settled version (None: it has none); ``choose`` decides about its disagreements."""
        if not isinstance(item, ItemPair):
            entry, is_first = item
            return entry if choose(Disagreement(Matter.ITEM, entry.item, is_first, not is_first, whole=entry)) else None
        old, other = item.first.narrative, item.second.narrative
        vocabulary, name = old.vocabulary, item.item
        names = item.vocabulary or Vocabulary.of((*old.graphs, *other.graphs))
        if self.is_told and item.differs_in_vocabulary:
            vocabulary = choose(Disagreement(Matter.VOCABULARY, name, old.vocabulary, other.vocabulary))
        elif self.is_told:
            vocabulary = old.vocabulary or other.vocabulary
        parts: list[Description] = []
        for first, second, slot, texts, pairs in self._flat_slots(item) if item.is_flat else self._slots(item):
            if first is None or second is None:
                whole, sides = first or second, (first is not None, second is not None)
                if whole and choose(Disagreement(Matter.DESCRIPTION, name, *sides, slot, whole=whole)):
                    parts.append(whole)
                continue
            text = first.text
            if self.is_told and (first.text or "") != (second.text or ""):
                text = choose(Disagreement(Matter.TEXT, name, first.text, second.text, slot, texts))
            graphs: list[ActionGraph | None] = []
            for pair in pairs:
                about = Disagreement(Matter.GRAPH, name, pair.first, pair.second, pair.graphs, texts, names)
                graphs.append(choose(about) if pair.differs else pair.first)
            parts.append(replace(first, text=text, graphs=tuple(graph for graph in graphs if graph is not None)))
        new = replace(old, descriptions=tuple(parts), vocabulary=vocabulary)
        is_same = new == old and [graph.triplets for graph in new.graphs] == [graph.triplets for graph in old.graphs]
        return item.first if is_same else with_narrative(item.first, new)

    def _slots(self, item: ItemPair) -> Iterator[Slot]:
        sides = (item.first.narrative.descriptions, item.second.narrative.descriptions)
        by_place: dict[Place, list[GraphPair]] = {}
        for pair in item.pairs:
            by_place.setdefault(pair.descriptions, []).append(pair)
        for slot in item.descriptions:
            first, second = (None if at is None else side[at] for at, side in zip(slot, sides, strict=True))
            yield first, second, slot, _texts_around(sides[0], slot[0]), by_place.get(slot, [])

    def _flat_slots(self, item: ItemPair) -> Iterator[Slot]:
        """Yield the descriptions of the first version; a graph only in the second follows the graph before it."""
        parts = item.first.narrative.descriptions or (Description(),)
        ends = list(accumulate(len(part.graphs) for part in parts))
        first = next((number for number, part in enumerate(parts) if part.graphs), len(parts) - 1)
        members: list[list[GraphPair]] = [[] for _ in parts]
        for pair in item.pairs:
            if pair.graphs[0] is not None:
                first = next(number for number, end in enumerate(ends) if pair.graphs[0] < end)
            members[first].append(pair)
        for number, (part, pairs) in enumerate(zip(parts, members, strict=True)):
            yield part, part, (number, number), _texts_around(parts, number), pairs


def _texts_around(parts: Sequence[Description], number: int | None) -> tuple[str, ...]:
    """Return the text of a description, then the nearest one before and after it; empty where there is none."""
    if number is None:
        return ()
    before = next((part.text for part in reversed(parts[:number]) if part.text), "")
    after = next((part.text for part in parts[number + 1 :] if part.text), "")
    return parts[number].text or "", before, after


def _frames_differ(item: ItemPair) -> bool:
    sides = (item.first.narrative.descriptions, item.second.narrative.descriptions)
    places = [(left, right) for left, right in item.descriptions if left is not None and right is not None]
    return not item.is_flat and any(sides[0][left].frames != sides[1][right].frames for left, right in places)
