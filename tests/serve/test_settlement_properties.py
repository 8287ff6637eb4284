"""Settling of any two versions: always the first or always the second gives the graphs of that version."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry
from tsgkit.report.annotated_items import matched
from tsgkit.serve.disagreements import Merger

GRAPHS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), min_size=1, max_size=3
).map(ActionGraph)
DESCRIPTIONS = st.builds(Description, st.sampled_from((None, "x", "y", "z")), st.lists(GRAPHS, max_size=4).map(tuple))
LISTS = st.sampled_from((None, Vocabulary(("a",), ("on",), ("b",)), Vocabulary(("a", "c"), ("on",), ("b",))))
NARRATIVES = st.builds(Narrative, st.lists(DESCRIPTIONS, max_size=4).map(tuple), LISTS)
ITEMS = st.dictionaries(st.sampled_from("pqr"), NARRATIVES, min_size=1)


def document(name: str, items: dict[str, Narrative]) -> Document:
    entries = tuple(
        Entry(item, replace(narrative, id=item), number) for number, (item, narrative) in enumerate(items.items())
    )
    return Document(name, "narrative", entries)


def graphs(found: Document) -> dict[str, tuple[ActionGraph, ...]]:
    return {entry.item: entry.narrative.graphs for entry in found.entries}


@given(ITEMS, ITEMS)
def test_choosing_always_one_version_gives_its_graphs(
    first: dict[str, Narrative], second: dict[str, Narrative]
) -> None:
    versions = matched(document("ann.jsonl", first), document("bob.jsonl", second))
    if versions.by_position:
        return
    merger = Merger(versions)
    numbered = list(enumerate(merger.disagreements))
    assert graphs(merger.merged({number: one.first for number, one in numbered})) == graphs(versions.first)
    assert graphs(merger.merged({number: one.second for number, one in numbered})) == graphs(versions.second)


@given(ITEMS)
def test_equal_versions_leave_nothing_to_decide(items: dict[str, Narrative]) -> None:
    merger = Merger(matched(document("ann.jsonl", items), document("bob.jsonl", items)))
    assert not merger.disagreements and merger.merged({}).entries == merger.versions.first.entries
