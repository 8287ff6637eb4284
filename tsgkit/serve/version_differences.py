"""Differences between an item and another version of it, as the browser shows and accepts them.

>>> from tsgkit.graph.model import ActionGraph
>>> mine = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "mug")])
>>> other = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup")])
>>> found = differences(Narrative.of([mine]), Narrative.of([other]), "proposed.jsonl")
>>> [change["kind"] for change in found["pairs"][0]["changes"]]
['mismatched']
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Narrative, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.notation.narratives import vocabulary_value
from tsgkit.scoring.versions import GraphPair, matched_descriptions, paired

NO_TRIPLETS = ActionGraph()


def differences(mine: Narrative, other: Narrative, name: str) -> dict[str, Any]:
    """Return the JSON value of all differences; ``name`` is how the other version is called."""
    return {
        "name": name,
        "pairs": list(_pairs(mine, other)),
        "texts": list(_texts(mine, other)),
        "vocabulary": _vocabularies(mine.vocabulary, other.vocabulary),
    }


def _pairs(mine: Narrative, other: Narrative) -> Iterator[dict[str, Any]]:
    """Yield the pairs of graphs that differ, with the place in my version: of its graph, or for the other's."""
    places = [(at, place) for at, part in enumerate(mine.descriptions) for place in range(len(part.graphs))]
    described = _are_described(mine, other)
    free = (0, 0)
    versions = (mine, other) if described else (Narrative.of(mine.graphs), Narrative.of(other.graphs))
    for pair in paired(*versions):
        description, number = pair.descriptions[0], pair.graphs[0]
        if number is not None:
            place = places[number]
            free = (place[0], place[1] + 1)
        else:
            if described and description not in (None, free[0]):
                free = (description or 0, 0)
            place = free
        if pair.differs:
            yield _pair_value(pair, place, mine.vocabulary)


def _are_described(mine: Narrative, other: Narrative) -> bool:
    """Return whether descriptions can be matched; where one version has no texts, only graphs can."""
    told = [any(part.text for part in one.descriptions) for one in (mine, other)]
    return all(told) or len(mine.descriptions) == len(other.descriptions)


def _pair_value(pair: GraphPair, place: tuple[int, int], vocabulary: Vocabulary | None) -> dict[str, Any]:
    found = diff(pair.second or NO_TRIPLETS, pair.first or NO_TRIPLETS, vocabulary)
    changes = [
        {
            "kind": str(change.kind),
            "reference": _triplet(change.reference),
            "candidate": _triplet(change.candidate),
            "outside": list(change.outside),
        }
        for change in found.changes
    ]
    return {
        "description": place[0],
        "graph": place[1],
        "number": pair.graphs[0],
        "other": None if pair.second is None else to_value(pair.second),
        "mine": None if pair.first is None else to_value(pair.first),
        "matched": len(found.matched),
        "changes": changes,
    }


def _triplet(triplet: Triplet | None) -> list[str] | None:
    return None if triplet is None else list(triplet)


def _texts(mine: Narrative, other: Narrative) -> Iterator[dict[str, Any]]:
    if not any(part.text for part in other.descriptions) or not _are_described(mine, other):
        return
    for left, right in matched_descriptions(mine, other):
        if left is not None and right is not None:
            own, others = mine.descriptions[left].text, other.descriptions[right].text
            if (own or "") != (others or ""):
                yield {"description": left, "mine": own, "other": others}


def _vocabularies(mine: Vocabulary | None, other: Vocabulary | None) -> dict[str, Any] | None:
    if other is None:
        return None
    values = vocabulary_value(mine or Vocabulary()), vocabulary_value(other)
    only_mine, only_other = _only(values[0], values[1]), _only(values[1], values[0])
    return (
        {"only_mine": only_mine, "only_other": only_other} if any((*only_mine.values(), *only_other.values())) else None
    )


def _only(lists: dict[str, list[str]], others: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the names of each list that the other's list lacks, in order."""
    return {
        name: [one for one in dict.fromkeys(names) if one not in set(others[name])] for name, names in lists.items()
    }
