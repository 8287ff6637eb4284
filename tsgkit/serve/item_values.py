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
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.graph.notation.json_triplets import kind_of, to_value
from tsgkit.graph.notation.limits import not_text
from tsgkit.graph.notation.narratives import from_value, vocabulary_value
from tsgkit.scoring.versions import matched_descriptions, paired

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
    descriptions: list[Json] = []
    for part in narrative.descriptions:
        frames = {} if part.frames is None else {"frames": list(part.frames)}
        descriptions.append({"text": part.text, "graphs": [to_value(graph) for graph in part.graphs], **frames})
    vocabulary = None if narrative.vocabulary is None else vocabulary_value(narrative.vocabulary)
    return {"descriptions": descriptions, "vocabulary": vocabulary}


def narrative_of(value: ItemValue, old: Narrative) -> Narrative:
    """Return the narrative of a value, with the id, summaries and facts of the old one.

    Raise ``UsageError`` for a value that is none, or one that grows above a limit; one above it already may be edited.
    """
    try:
        new = from_value(value)
    except NotationError as error:
        raise _misfit(f"not an item: {error.message}") from None
    for number, part in enumerate(value["descriptions"], 1):
        if not {"text", "graphs"} <= part.keys():
            raise _misfit(f"not an item: description {number} lacks text or graphs")
    lists = value.get("vocabulary")
    if lists is not None and set(lists) != set(LISTS):
        raise _misfit(f"not an item: L has the lists {', '.join(LISTS)}")
    most = {"descriptions": MOST_DESCRIPTIONS, "graphs and triplets": MOST_TRIPLETS, "names in L": MOST_NAMES}
    before, after = _sizes(old), _sizes(new)
    for what, limit in most.items():
        if after[what] > max(limit, before[what]):
            raise UsageError(f"an item has at most {limit:,} {what}", hint="divide it among several items")
    return replace(old, descriptions=new.descriptions, vocabulary=new.vocabulary)


def _sizes(narrative: Narrative) -> dict[str, int]:
    names = narrative.vocabulary or Vocabulary()
    return {
        "descriptions": len(narrative.descriptions),
        "graphs and triplets": sum(1 + len(graph.triplets) for graph in narrative.graphs),
        "names in L": len(names.objects) + len(names.relationships) + len(names.verbs),
    }


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
        places, new = SET, op["value"]
        _refuse_unkept(new, where, name=str(path[-1]) if path else "")

        def change(node: Json) -> Json:
            return new

    elif op.keys() == {"path", "start", "removed", "inserted"}:
        places, start, removed, inserted = SPLICED, op["start"], op["removed"], op["inserted"]
        _refuse_unkept(inserted, where)

        def change(node: Json) -> Json:
            if not isinstance(node, list):
                raise _misfit(f"{where}: a list is spliced, not {kind_of(node)}")
            if type(start) is not int or type(removed) is not int or not isinstance(inserted, list):
                raise _misfit(f"{where}: start and removed are numbers, inserted is a list")
            if start < 0 or removed < 0 or start + removed > len(node):
                raise _misfit(f"{where}: places {start} to {start + removed} of a list of {len(node)}")
            return [*node[:start], *inserted, *node[start + removed :]]

    else:
        raise _misfit(f"{where}: an operation has path and value, or path, start, removed and inserted")
    pattern = tuple(0 if type(part) is int else part for part in path[:DEEPEST])
    if len(path) > DEEPEST or pattern not in places:
        named = "/".join(str(part)[:40] for part in path[:DEEPEST])
        raise UsageError(f"{where}: there is nothing to change at {named}")
    changed: ItemValue = _changed(value, path, path, change, where)
    return changed


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


def _refuse_unkept(value: Json, where: str, depth: int = 0, name: str = "") -> None:
    """Raise ``UsageError`` where a file or a browser could not hold a value."""
    if isinstance(value, str):
        most = LONGEST_TEXT if name == "text" else LONGEST_NAME
        if len(value) > most:
            raise _misfit(f"{where}: {len(value):,} characters; at most {most:,} are kept")
        if reason := not_text(value):
            raise _misfit(f"{where}: not text: {reason}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise _misfit(f"{where}: {value} is no number that a file can hold")
    elif isinstance(value, dict | list):
        if depth > DEEPEST:
            raise _misfit(f"{where}: nested too deeply")
        for key, part in value.items() if isinstance(value, dict) else (("", part) for part in value):
            _refuse_unkept(key, where, depth + 1)
            _refuse_unkept(part, where, depth + 1, key)


# Differences to another version


def differences(mine: Narrative, other: Narrative, name: str) -> dict[str, Any]:
    """Return the JSON value of all differences; ``name`` is how the other version is called.

    Descriptions can be matched where both versions have texts, or equally many; else only graphs can.
    """
    are_told = [any(part.text for part in version.descriptions) for version in (mine, other)]
    is_matched = all(are_told) or len(mine.descriptions) == len(other.descriptions)
    texts = []
    for left, right in matched_descriptions(mine, other) if is_matched and are_told[1] else ():
        if left is not None and right is not None:
            mine_text, theirs = mine.descriptions[left].text, other.descriptions[right].text
            if (mine_text or "") != (theirs or ""):
                texts.append({"description": left, "mine": mine_text, "other": theirs})
    vocabulary = None
    if other.vocabulary is not None:
        lists, others = vocabulary_value(mine.vocabulary or Vocabulary()), vocabulary_value(other.vocabulary)
        only_mine, only_other = _only(lists, others), _only(others, lists)
        if any((*only_mine.values(), *only_other.values())):
            vocabulary = {"only_mine": only_mine, "only_other": only_other}
    pairs = list(_pairs(mine, other, is_matched=is_matched))
    return {"name": name, "pairs": pairs, "texts": texts, "vocabulary": vocabulary}


def _only(lists: dict[str, list[str]], others: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the names of each list that the other's list lacks, in order."""
    return {
        key: [name for name in dict.fromkeys(names) if name not in set(others[key])] for key, names in lists.items()
    }


def _pairs(mine: Narrative, other: Narrative, *, is_matched: bool) -> Iterator[dict[str, Any]]:
    """Yield the pairs of graphs that differ, with the place in my version: of its graph, or for the other's."""
    places = [(at, position) for at, part in enumerate(mine.descriptions) for position in range(len(part.graphs))]
    free = (0, 0)
    versions = (mine, other) if is_matched else (Narrative.of(mine.graphs), Narrative.of(other.graphs))
    for pair in paired(*versions):
        description, number = pair.descriptions[0], pair.graphs[0]
        if number is not None:
            position = places[number]
            free = (position[0], position[1] + 1)
        else:
            if is_matched and description not in (None, free[0]):
                free = (description or 0, 0)
            position = free
        if not pair.differs:
            continue
        edits = diff(pair.second or NO_TRIPLETS, pair.first or NO_TRIPLETS, mine.vocabulary)
        yield {
            "description": position[0],
            "graph": position[1],
            "number": number,
            "other": None if pair.second is None else to_value(pair.second),
            "mine": None if pair.first is None else to_value(pair.first),
            "matched": len(edits.matched),
            "changes": [
                {
                    "kind": str(change.kind),
                    "reference": None if change.reference is None else list(change.reference),
                    "candidate": None if change.candidate is None else list(change.candidate),
                    "outside": list(change.outside),
                }
                for change in edits.changes
            ],
        }
