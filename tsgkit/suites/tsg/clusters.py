"""Clusters of rows: samples of one story are not independent, and only the whole file shows which rows share one.

Rows are joined where they share an id (``scenario_id`` or ``data_id``), where they have none and one context or L, and
where the context of one continues that of the other, graph by graph; a row's own graph continues its context.

>>> from tsgkit.library.documents.rows import entry_from
>>> wash, dry, put = ([["person", "verb", verb], [verb, "dobj", "cup"]] for verb in ("wash", "dry", "put"))
>>> clustering = Clustering()
>>> for number, (context, graph) in enumerate([([wash, dry], put), ([wash, dry, put], wash), ([put], dry)]):
...     row = {"context_graphs": context, "triplet": graph, "target_sentence": "", "position": 0, "variations": [""]}
...     clustering.add(entry_from(row, "sgds", number, None)[0])
>>> found = clustering.clusters()
>>> found.name(0), found.name(1), found.name(2), found.unit
('story of item 0', 'story of item 0', '', 'stories')

Not covered: stories that begin elsewhere, or that differ in one graph.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry

LEAST_SHARED = 2
"""Graphs that must agree before one context continues another. One is no evidence: many stories open with the same
picking up of the same tool."""
SCENARIOS, CONTEXTS, STORIES, VOCABULARIES = "scenarios", "contexts", "stories", "vocabularies"


@dataclass(frozen=True)
class Clusters:
    """The cluster of every row by its number, and the unit of the clusters."""

    roots: array[int]
    names: Mapping[int, str]
    """By the first row of a cluster; only of clusters that were joined of several."""
    unit: str

    def name(self, row: int) -> str:
        """Return the name of the row's cluster, or nothing where the row's own name stays."""
        return self.names.get(self.roots[row], "")


def ids_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return every id that the row's scenario goes by."""
    return tuple(str(row[field]) for field in ("scenario_id", "data_id") if row.get(field) not in (None, ""))


def scenarios_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of a row's scenario, by the first of which its cluster goes: its ids, else its context or L."""
    if ids := ids_of(row):
        return ids
    shared: object = row.get("context_graphs") or row.get("target_sentence") or row.get("qa_pairs")
    if "mandatory_space" in row:
        shared = {name: sorted(names) for name, names in row["mandatory_space"].items()}
    return (json.dumps(shared, sort_keys=True),)


class Clustering:
    """An incremental grouping of rows, which keeps one number for each graph."""

    def __init__(self) -> None:
        self._roots = array("l")
        self._own = array("q")
        """A hash of each row's own name."""
        self._ids: dict[int, str] = {}
        self._items: list[str] = []
        self._with_id: dict[str, int] = {}
        self._with_own: dict[int, int] = {}
        self._with_end: dict[int, int] = {}
        """The first row with an id, with a name of its own, with a context that ends so."""
        self._beginnings = array("q")
        self._stops = array("l")
        self._has_vocabularies = False

    def add(self, entry: Entry) -> None:
        """Take the next row."""
        row = entry.row or {}
        number, own_name = len(self._roots), scenarios_of(row)[0]
        self._roots.append(number)
        self._own.append(hash(own_name))
        self._items.append(entry.item)
        ids = ids_of(row)
        if ids:
            self._ids[number] = ids[0]
        self._has_vocabularies |= "mandatory_space" in row
        for name in ids:
            self._unite(number, self._with_id.setdefault(name, number))
        graphs = entry.narrative.graphs
        has_context = "mandatory_space" not in row and len(graphs) >= LEAST_SHARED
        # a context that is too short as evidence is extended by the row's own graph
        beginning, end = 0, max(LEAST_SHARED, len(graphs) - ("variations" in row))
        for length, graph in enumerate(graphs if has_context else (), 1):
            beginning = hash((beginning, graph))
            if length >= LEAST_SHARED:
                self._beginnings.append(beginning)
            if length == end:
                self._unite(number, self._with_end.setdefault(beginning, number))
        if not ids and not (has_context and len(row.get("context_graphs", ())) >= LEAST_SHARED):
            self._unite(number, self._with_own.setdefault(hash(own_name), number))
        self._stops.append(len(self._beginnings))

    def clusters(self) -> Clusters:
        """Join rows that continue each other, and name the clusters."""
        start = 0
        for number, stop in enumerate(self._stops):
            for index in range(start, stop):
                if (earlier := self._with_end.get(self._beginnings[index])) is not None:
                    self._unite(number, earlier)
            start = stop
        roots = array("l", (self._root(number) for number in range(len(self._roots))))
        joined = {root for number, root in enumerate(roots) if self._own[number] != self._own[root]}
        names = {root: f"story of item {self._items[root]}" for root in joined}
        for number in sorted(self._ids, reverse=True):
            if (root := roots[number]) in joined:
                names[root] = self._ids[number]
        unit = VOCABULARIES if self._has_vocabularies else STORIES if joined or self._ids else CONTEXTS
        return Clusters(roots, names, SCENARIOS if len(self._ids) == len(self._roots) else unit)

    def _unite(self, row: int, joined_row: int) -> None:
        first, second = self._root(row), self._root(joined_row)
        self._roots[max(first, second)] = min(first, second)

    def _root(self, number: int) -> int:
        while (above := self._roots[number]) != number:
            self._roots[number] = number = self._roots[above]
        return number


def clusters_of(document: Document) -> Clusters:
    """Return the clusters of a document's rows, by their numbers."""
    clustering = Clustering()
    for entry in document.entries:
        clustering.add(entry)
    return clustering.clusters()
