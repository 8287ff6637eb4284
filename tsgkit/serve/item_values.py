"""Items as the browser edits them: JSON values of narratives, edits as lists of operations, and differences.

An operation splices a list or sets a value at a path. What it leads to is checked as a whole, so that an edit is
applied completely or not at all.

>>> from tsgkit.graph.model import ActionGraph
>>> value = item_value(Narrative.of([ActionGraph([("person", "verb", "wash")])]))
>>> op = {"path": ["descriptions", 0, "graphs", 0], "start": 1, "removed": 0, "inserted": [["wash", "dobj", "cup"]]}
>>> edited = applied(value, [op])
>>> edited["descriptions"][0]["graphs"]
[[['person', 'verb', 'wash'], ['wash', 'dobj', 'cup']]]
>>> narrative_of(edited, Narrative()).graphs[0].actions
('wash',)

Differences between an item and another version of it are shown, and accepted one by one.

>>> mine = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "mug")])
>>> other = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup")])
>>> found = differences(Narrative.of([mine]), Narrative.of([other]), "proposed.jsonl")
>>> [change["kind"] for change in found["pairs"][0]["changes"]]
['mismatched']
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Description, Narrative, Triplet, Vocabulary
from tsgkit.graph.notation.json_triplets import kind_of, to_value
from tsgkit.graph.notation.limits import not_text
from tsgkit.graph.notation.narratives import from_value, vocabulary_value
from tsgkit.scoring.versions import GraphPair, matched_descriptions, paired

Json = Any
ItemValue = dict[str, Json]
Path = tuple[str | int, ...]

MOST_OPS = 10_000
LONGEST_NAME = 1_000
LONGEST_TEXT = 100_000
MOST_DESCRIPTIONS = 20_000
MOST_TRIPLETS = 200_000
MOST_NAMES = 50_000
DEEPEST = 8
LISTS = ("object", "relationship", "verb")
SPLICED: tuple[Path, ...] = (
    ("descriptions",),
    ("descriptions", 0, "graphs"),
    ("descriptions", 0, "graphs", 0),
    ("descriptions", 0, "frames"),
    *(("vocabulary", name) for name in LISTS),
)
"""Places of lists that are spliced; a number stands for every number."""
SET: tuple[Path, ...] = (
    ("descriptions", 0),
    ("descriptions", 0, "text"),
    ("descriptions", 0, "frames"),
    ("descriptions", 0, "graphs"),
    ("descriptions", 0, "graphs", 0),
    ("descriptions", 0, "graphs", 0, 0),
    ("descriptions", 0, "graphs", 0, 0, 0),
    ("vocabulary",),
    *(("vocabulary", name) for name in LISTS),
)
"""Places of values that are set."""
NO_TRIPLETS = ActionGraph()


def item_value(narrative: Narrative) -> ItemValue:
    """Return the value of a narrative."""
    vocabulary = narrative.vocabulary
    return {
        "descriptions": [_description_value(part) for part in narrative.descriptions],
        "vocabulary": None if vocabulary is None else vocabulary_value(vocabulary),
    }


def _description_value(description: Description) -> dict[str, Json]:
    frames = {} if description.frames is None else {"frames": list(description.frames)}
    return {"text": description.text, "graphs": [to_value(graph) for graph in description.graphs], **frames}


def narrative_of(value: ItemValue, old: Narrative) -> Narrative:
    """Return the narrative of a value, with the id, summaries and facts of the old one.

    Raise ``UsageError`` for a value that is none, or too large.
    """
    try:
        found = from_value(value)
    except NotationError as error:
        raise _misfit(f"not an item: {error.message}") from None
    for number, part in enumerate(value["descriptions"], 1):
        if not {"text", "graphs"} <= part.keys():
            raise _misfit(f"not an item: description {number} lacks text or graphs")
    lists = value.get("vocabulary")
    if lists is not None and set(lists) != set(LISTS):
        raise _misfit(f"not an item: L has the lists {', '.join(LISTS)}")
    _refuse_growth(old, found)
    return replace(old, descriptions=found.descriptions, vocabulary=found.vocabulary)


def _refuse_growth(old: Narrative, new: Narrative) -> None:
    """Raise ``UsageError`` where an item grows above a limit; one that is above already may be edited."""
    limits: tuple[tuple[str, int, Callable[[Narrative], int]], ...] = (
        ("descriptions", MOST_DESCRIPTIONS, lambda one: len(one.descriptions)),
        ("graphs and triplets", MOST_TRIPLETS, lambda one: sum(1 + len(graph.triplets) for graph in one.graphs)),
        ("names in L", MOST_NAMES, _names),
    )
    for what, most, number in limits:
        if number(new) > max(most, number(old)):
            raise UsageError(f"an item has at most {most:,} {what}", hint="divide it among several items")


def _names(narrative: Narrative) -> int:
    listed = narrative.vocabulary
    return 0 if listed is None else len(listed.objects) + len(listed.relationships) + len(listed.verbs)


# Operations


def _misfit(message: str) -> UsageError:
    return UsageError(message, hint="nothing was changed; load the page again if it goes on")


def applied(value: ItemValue, ops: object) -> ItemValue:
    """Return the value after these operations; the given one stays as it is. Raise ``UsageError`` for a bad one."""
    if not isinstance(ops, list):
        raise _misfit(f"ops: expected a list, found {kind_of(ops)}")
    if len(ops) > MOST_OPS:
        raise _misfit(f"an edit has at most {MOST_OPS:,} operations, not {len(ops):,}")
    for number, op in enumerate(ops):
        value = _after(value, op, f"op {number}")
    return value


def _after(value: ItemValue, op: object, where: str) -> ItemValue:
    if not isinstance(op, dict) or not isinstance(op.get("path"), list):
        raise _misfit(f"{where}: an operation is an object with a path")
    path = tuple(op["path"])
    if op.keys() == {"path", "value"}:
        new = _checked(op["value"], where, name=str(path[-1]) if path else "")
        changed: ItemValue = _changed(value, path, _known(path, SET, where), lambda _: new, where)
        return changed
    if op.keys() == {"path", "start", "removed", "inserted"}:
        inserted = _checked(op["inserted"], where)
        change = _splice(op["start"], op["removed"], inserted, where)
        spliced: ItemValue = _changed(value, path, _known(path, SPLICED, where), change, where)
        return spliced
    raise _misfit(f"{where}: an operation has path and value, or path, start, removed and inserted")


def _known(path: Path, places: Sequence[Path], where: str) -> Path:
    """Return a path that is one of these places, its numbers aside."""
    pattern = tuple(0 if type(part) is int else part for part in path[:DEEPEST])
    if len(path) > DEEPEST or pattern not in places:
        raise UsageError(
            f"{where}: there is nothing to change at {'/'.join(str(part)[:40] for part in path[:DEEPEST])}"
        )
    return path


def _changed(node: Json, whole: Path, path: Path, change: Callable[[Json], Json], where: str) -> Any:  # noqa: ANN401
    """Return a copy of a node with the part at a path changed; all other parts are shared."""
    if not path:
        return change(node)
    key, *rest = path
    inside = isinstance(node, list) and isinstance(key, int) and 0 <= key < len(node)
    if not inside and not (isinstance(node, dict) and key in node):
        raise _misfit(f"{where}: the item has no {'/'.join(map(str, whole))}")
    copy: Json = node.copy()
    copy[key] = _changed(node[key], whole, tuple(rest), change, where)
    return copy


def _splice(start: object, removed: object, inserted: Json, where: str) -> Callable[[Json], Json]:
    def change(node: Json) -> Json:
        if not isinstance(node, list):
            raise _misfit(f"{where}: a list is spliced, not {kind_of(node)}")
        if type(start) is not int or type(removed) is not int or not isinstance(inserted, list):
            raise _misfit(f"{where}: start and removed are numbers, inserted is a list")
        if start < 0 or removed < 0 or start + removed > len(node):
            raise _misfit(f"{where}: places {start} to {start + removed} of a list of {len(node)}")
        return [*node[:start], *inserted, *node[start + removed :]]

    return change


def _checked(value: Json, where: str, depth: int = 0, name: str = "") -> Json:
    """Return a new value. Raise ``UsageError`` where a file or a browser could not hold it."""
    if isinstance(value, str):
        most = LONGEST_TEXT if name == "text" else LONGEST_NAME
        if len(value) > most:
            raise _misfit(f"{where}: {len(value):,} characters; at most {most:,} are kept")
        if reason := not_text(value):
            raise _misfit(f"{where}: not text: {reason}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise _misfit(f"{where}: {value} is no number that a file can hold")
    elif isinstance(value, Mapping):
        _each(value.items(), where, depth)
    elif isinstance(value, list):
        _each((("", one) for one in value), where, depth)
    return value


def _each(parts: Any, where: str, depth: int) -> None:  # noqa: ANN401  (pairs of a name and a JSON value)
    if depth > DEEPEST:
        raise _misfit(f"{where}: nested too deeply")
    for name, one in parts:
        _checked(name, where, depth + 1)
        _checked(one, where, depth + 1, name)


# Differences to another version


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
