"""Disagreements of two annotators, each to be decided by itself, and the document that decisions lead to.

>>> from tsgkit.library.documents.reader import read_document
>>> ours = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "ann.json")
>>> theirs = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "mug"]]]', "bob.json")
>>> merger = Merger(matched(ours, theirs))
>>> [one.name for one in merger.disagreements]
['0, graph 1']
>>> found = merger.merged({0: merger.disagreements[0].second})
>>> found.entries[0].narrative.graphs[0].triplets[1].target
'mug'

Equal parts are taken over, and so is everything that is not decided about: the first version's ids, frames, summaries
and other fields of rows, and texts and L where its format has no place for others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import Any

from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry, with_narrative
from tsgkit.report.annotated_items import ItemPair, Versions, matched
from tsgkit.scoring.versions import GraphPair

__all__ = ["Disagreement", "Kind", "Merger", "matched"]

TOLD = ("narrative", "sgg")
"""Formats in which texts and L can be exchanged."""
Value = Any
"""A graph, a text or L, each None where there is none; True or False for a description or item, kept or left out."""


class Kind(StrEnum):
    """The part of an item that two versions disagree on."""

    GRAPH = "graph"
    TEXT = "text"
    VOCABULARY = "vocabulary"
    DESCRIPTION = "description"
    ITEM = "item"


@dataclass(frozen=True)
class Disagreement:
    """One part of an item with its value in both versions; ``place`` has its numbers there."""

    kind: Kind
    item: str
    first: Value
    second: Value
    place: tuple[int | None, int | None]
    texts: tuple[str, ...]
    """The text of the description, with the ones before and after it; empty where there are none."""
    vocabulary: Vocabulary | None = None
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
        if self.kind is Kind.ITEM:
            return self.item
        if self.kind is Kind.VOCABULARY:
            return f"{self.item}, L"
        what = {Kind.GRAPH: "graph", Kind.TEXT: "text of description", Kind.DESCRIPTION: "description"}[self.kind]
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


@dataclass(frozen=True)
class _Slot:
    """A description of the settled version: its value in both, and the places of its decisions."""

    first: Description | None
    second: Description | None
    text: int | None
    graphs: tuple[tuple[GraphPair, int | None], ...]
    kept: int | None = None
    """The place of the decision about all of it, where only one version has it."""


@dataclass(frozen=True)
class _Plan:
    """An item of the settled version, with the places of its decisions."""

    entry: Entry
    slots: tuple[_Slot, ...] = ()
    vocabulary: int | None = None
    other_vocabulary: Vocabulary | None = None
    kept: int | None = None


class Merger:
    """The disagreements of two versions, and the settled version that decisions about them lead to."""

    def __init__(self, versions: Versions) -> None:
        self.versions = versions
        self.disagreements: list[Disagreement] = []
        self.is_told = versions.first.format in TOLD
        self._seen: Counter[str] = Counter()
        self._names: dict[int, Vocabulary] = {}
        self._plans = [self._planned(one) for one in self._merged_items()]

    def merged(self, decided: Mapping[int, Value]) -> Document:
        """Return the settled document; what is not decided is as in the first version.

        Raise ``CannotCarry`` where the rows of the first version have no place for a decision.
        """
        entries = (self._entry(plan, decided) for plan in self._plans)
        return replace(self.versions.first, entries=tuple(entry for entry in entries if entry is not None))

    def merged_item(self, number: int, decided: Mapping[int, Value]) -> Document:
        """Return a document of the one item that a disagreement is about."""
        plan = self._plans[self._plan_of[number]]
        entry = self._entry(plan, decided)
        return replace(self.versions.first, entries=() if entry is None else (entry,))

    @cached_property
    def _plan_of(self) -> dict[int, int]:
        found = dict[int, int]()
        for place, plan in enumerate(self._plans):
            numbers = [plan.vocabulary, plan.kept]
            for slot in plan.slots:
                numbers += [slot.text, slot.kept, *(number for _, number in slot.graphs)]
            found |= {number: place for number in numbers if number is not None}
        return found

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what differs and is not decided."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
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

    # Plans

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
        first, second = (formats.by_name(one.format) for one in (self.versions.first, self.versions.second))
        return first is second or (formats.NARRATIVES in first.carries and formats.ROWS not in first.carries)

    def _planned(self, item: ItemPair | tuple[Entry, bool]) -> _Plan:
        if not isinstance(item, ItemPair):
            entry, is_first = item
            kept = self._add(Kind.ITEM, entry.item, (is_first, not is_first), (None, None), whole=entry)
            return _Plan(entry, kept=kept)
        one, two = item.first.narrative.vocabulary, item.second.narrative.vocabulary
        number = None
        if self.is_told and item.differs_in_vocabulary:
            number = self._add(Kind.VOCABULARY, item.item, (one, two), (None, None))
        slots = tuple(self._flat_slots(item) if item.is_flat else self._slots(item))
        return _Plan(item.first, slots, number, two if self.is_told and one is None else None)

    def _slots(self, item: ItemPair) -> Iterator[_Slot]:
        sides = (item.first.narrative.descriptions, item.second.narrative.descriptions)
        by_place: dict[tuple[int | None, int | None], list[GraphPair]] = {}
        for pair in item.pairs:
            by_place.setdefault(pair.descriptions, []).append(pair)
        for place in item.descriptions:
            first, second = (None if at is None else side[at] for at, side in zip(place, sides, strict=True))
            pairs = by_place.get(place, [])
            if first is None or second is None:
                both = (first is not None, second is not None)
                kept = self._add(Kind.DESCRIPTION, item.item, both, place, whole=first or second)
                yield _Slot(first, second, None, tuple((pair, None) for pair in pairs), kept)
                continue
            texts = _texts_around(sides[0], place[0])
            text = None
            if self.is_told and (first.text or "") != (second.text or ""):
                text = self._add(Kind.TEXT, item.item, (first.text, second.text), place, texts=texts)
            yield _Slot(first, second, text, tuple(self._decided_pairs(item, pairs, texts)))

    def _flat_slots(self, item: ItemPair) -> Iterator[_Slot]:
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
            texts = _texts_around(parts, number)
            yield _Slot(part, part, None, tuple(self._decided_pairs(item, pairs, texts)))

    def _decided_pairs(
        self, item: ItemPair, pairs: Sequence[GraphPair], texts: tuple[str, ...]
    ) -> Iterator[tuple[GraphPair, int | None]]:
        for pair in pairs:
            if not pair.differs:
                yield pair, None
                continue
            both = (pair.first, pair.second)
            yield pair, self._add(Kind.GRAPH, item.item, both, pair.graphs, texts=texts, listed=self._listed(item))

    def _listed(self, item: ItemPair) -> tuple[Vocabulary | None, Vocabulary]:
        """Return L of an item, and the names to edit its graphs with."""
        if id(item) not in self._names:
            graphs = (graph for side in (item.first, item.second) for graph in side.narrative.graphs)
            self._names[id(item)] = item.vocabulary or Vocabulary.of(graphs)
        return item.vocabulary, self._names[id(item)]

    def _add(
        self,
        kind: Kind,
        item: str,
        both: tuple[Value, Value],
        place: tuple[int | None, int | None],
        *,
        texts: tuple[str, ...] = (),
        listed: tuple[Vocabulary | None, Vocabulary | None] = (None, None),
        whole: Description | Entry | None = None,
    ) -> int:
        """Add a disagreement, and return its number."""
        found = Disagreement(kind, item, *both, place, texts, *listed, whole)
        known = repr(found.content)
        second_name = self.versions.names[1]
        self.disagreements.append(replace(found, occurrence=self._seen[known], second_name=second_name))
        self._seen[known] += 1
        return len(self.disagreements) - 1

    # The settled version

    def _decided(self, number: int | None, decided: Mapping[int, Value], equal: Value) -> Value:
        """Return what is decided; where there is nothing to decide, the equal value."""
        if number is None:
            return equal
        return decided.get(number, self.disagreements[number].first)

    def _entry(self, plan: _Plan, decided: Mapping[int, Value]) -> Entry | None:
        if plan.kept is not None:
            return plan.entry if self._decided(plan.kept, decided, True) else None
        old = plan.entry.narrative
        parts = [part for slot in plan.slots if (part := self._description(slot, decided)) is not None]
        vocabulary = self._decided(plan.vocabulary, decided, old.vocabulary or plan.other_vocabulary)
        new = replace(old, descriptions=tuple(parts), vocabulary=vocabulary)
        is_same = new == old and [one.triplets for one in new.graphs] == [one.triplets for one in old.graphs]
        return plan.entry if is_same else with_narrative(plan.entry, new)

    def _description(self, slot: _Slot, decided: Mapping[int, Value]) -> Description | None:
        if slot.kept is not None:
            return (slot.first or slot.second) if self._decided(slot.kept, decided, True) else None
        graphs = [self._decided(number, decided, pair.first) for pair, number in slot.graphs]
        base = slot.first or Description()
        text = self._decided(slot.text, decided, base.text)
        return replace(base, text=text, graphs=tuple(graph for graph in graphs if graph is not None))


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
