"""Entries with another narrative; their rows follow, and keep all other fields.

>>> from tsgkit.library.documents.rows import entry_from
>>> row = {"context": [], "target_sentence": "She washes the cup.", "mandatory_space": {
...     "object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]},
...     "graphs": [{"triplets": [["person", "verb", "wash"]], "by": "ann"}]}
>>> entry, _ = entry_from(row, "sgg", 0, None)
>>> more = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup")])
>>> with_graphs(entry, [more]).row["graphs"]
[{'triplets': [['person', 'verb', 'wash'], ['wash', 'dobj', 'cup']], 'by': 'ann'}]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from tsgkit.errors import CannotCarry
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.notation.narratives import vocabulary_from, vocabulary_value
from tsgkit.library.documents.rows import Entry, row_kind

Row = dict[str, Any]


def with_graphs(entry: Entry, graphs: Sequence[ActionGraph]) -> Entry:
    """Return the entry with as many other graphs in its narrative and its row; other content stays unchanged."""
    return with_narrative(entry, entry.narrative.with_graphs(graphs))


def with_narrative(entry: Entry, narrative: Narrative) -> Entry:
    """Return the entry with another narrative in it and in its row.

    Raise ``CannotCarry`` for a narrative that its row has no place for. Empty texts before the target sentence of a
    generation row are left out, as when it is read.
    """
    kind = row_kind(entry.row)
    if entry.row is None or kind is None:
        return replace(entry, narrative=narrative)
    if kind == "sgg":
        return _with_sgg(entry, entry.row, narrative)
    _refuse_texts_and_vocabulary(entry, narrative, kind)
    values = [to_value(graph) for graph in narrative.graphs]
    if kind == "sgqa":
        return replace(entry, narrative=narrative, row=entry.row | {"context_graphs": values})
    return _with_sgds(entry, entry.row, narrative, values)


def _refuse_texts_and_vocabulary(entry: Entry, narrative: Narrative, kind: str) -> None:
    old, new = ([part.text or "" for part in one.descriptions] for one in (entry.narrative, narrative))
    if old != new:
        raise CannotCarry(f"item {entry.item}: {kind} rows keep their texts, and the number of their descriptions")
    if narrative.vocabulary is not None:
        raise CannotCarry(f"item {entry.item}: {kind} rows hold no L")


def _with_sgds(entry: Entry, row: Row, narrative: Narrative, values: list[Any]) -> Entry:
    if len(narrative.descriptions[-1].graphs) != 1:
        found = len(narrative.descriptions[-1].graphs)
        raise CannotCarry(f"item {entry.item}: a row of description selection has one target graph, not {found}")
    row = row | {"context_graphs": values[:-1], "triplet": values[-1]}
    old, new = entry.narrative.graphs[-1], narrative.graphs[-1]
    asides = tuple(new if graph == old else graph for graph in entry.asides)
    if row.get("variation_triplets") is not None:
        row["variation_triplets"] = [to_value(graph) for graph in asides]
    return replace(entry, narrative=narrative, asides=asides, row=row)


def _with_sgg(entry: Entry, row: Row, narrative: Narrative) -> Entry:
    if not narrative.descriptions:
        raise CannotCarry(f"item {entry.item}: a generation row needs a target sentence")
    *before, target = narrative.descriptions
    if any(part.graphs for part in before):
        raise CannotCarry(f"item {entry.item}: a generation row holds graphs of its target sentence alone")
    told = [part for part in before if part.text]
    row = row | {
        "context": _context(row["context"], [part.text or "" for part in told]),
        "target_sentence": target.text or "",
        "mandatory_space": _space(entry, row, narrative.vocabulary),
        "graphs": _graphs(row["graphs"], [to_value(graph) for graph in target.graphs]),
    }
    descriptions = (*told, Description(target.text or "", target.graphs, target.frames))
    return replace(entry, narrative=replace(narrative, descriptions=descriptions), row=row)


def _context(old: str | list[str], texts: list[str]) -> str | list[str]:
    if isinstance(old, str):
        return texts if len(texts) > 1 else "".join(texts)
    return old if [text for text in old if text] == texts else texts


def _space(entry: Entry, row: Row, vocabulary: Vocabulary | None) -> dict[str, Any]:
    """Return L as the row has it, under the names of its lists, beside its other lists."""
    old: dict[str, Any] = row["mandatory_space"]
    if vocabulary is None:
        raise CannotCarry(f"item {entry.item}: generation rows need L")
    if vocabulary == vocabulary_from(old):
        return old
    value = vocabulary_value(vocabulary)
    return old | {name if name in old else f"{name}s": names for name, names in value.items()}


def _graphs(old: list[Row], values: list[list[list[str]]]) -> list[Row]:
    """Return the graphs of a generation row; each keeps the other fields of the one it was made from."""
    before, after = _keys([one["triplets"] for one in old]), _keys(values)
    origins: dict[int, int] = {}
    for tag, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag in ("equal", "replace"):
            origins |= zip(range(start, end), range(first, last), strict=False)
    left = [number for number in range(len(old)) if number not in origins.values()]
    for number in range(len(values)):  # moved graphs
        moved = next((one for one in left if number not in origins and before[one] == after[number]), None)
        if moved is not None:
            origins[number] = moved
            left.remove(moved)
    return [
        {**(old[origins[number]] if number in origins else {}), "triplets": value}
        for number, value in enumerate(values)
    ]


def _keys(graphs: list[list[list[str]]]) -> list[tuple[tuple[str, ...], ...]]:
    return [tuple(map(tuple, graph)) for graph in graphs]
