"""Stories of any readable file as sound narratives: rows joined, graphs repaired, hands and time in order.

>>> from tsgkit.library.documents.reader import read_document
>>> text = '[[["person", "verb", "take"], ["take", "direct_object", "cup"], ["take", "with", "hand2"]]]'
>>> imported = import_stories([read_document(text, "cups.json")])
>>> print(imported.stories[0].id, "|", str(imported.stories[0].graphs[0]).replace(chr(10), "; "))
cups | person -> verb -> take; take -> dobj -> cup; take -> with -> hand1
>>> imported.changes
Counter({'edge-misspelt': 1, 'hands-renumbered': 1})

Rows of one scenario become one story. A graph that no exact repair makes sound is left out, with its sentence and all
that this tells, since the sentence would tell more than the graphs; hands are unknown from there on. A story whose
graphs are the beginning of another's is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.graph.hand_repairs import named_hands
from tsgkit.graph.hands import EMPTY, UNKNOWN, after_gaps, hand_step, trace
from tsgkit.graph.model import HANDS, ActionGraph, Description, Narrative, Triplet
from tsgkit.graph.repairs import is_fault, mend
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry

OTHER_HAND = dict(zip(HANDS, HANDS[::-1], strict=True))
CANARY = "canary"
"""The fact with a string by which those who collect texts for training can leave this one out."""


def row_facts(story: Narrative) -> dict[str, str]:
    """Return the facts of a story that every row made of it repeats."""
    return {name: value for name, value in story.facts if name in ("domain", CANARY)}


class Drop(NamedTuple):
    """Something that a stage left out: its story, its place there, the reason, and what it was."""

    story: str
    place: str
    reason: str
    was: Any = None


@dataclass
class Imported:
    """Sound stories, what was left out, and how many changes of each kind were made."""

    stories: list[Narrative] = field(default_factory=list)
    dropped: list[Drop] = field(default_factory=list)
    changes: Counter[str] = field(default_factory=Counter)


def import_stories(documents: Iterable[Document]) -> Imported:
    """Return the stories of files; each has an id of its own."""
    imported = Imported()
    for document in documents:
        for finding in document.findings:
            if finding.severity == ERROR:
                where = f"line {finding.place.line}" if finding.place.line else ""
                imported.dropped.append(Drop(finding.place.item or "", where, f"{finding.code}: {finding.message}"))
        for story in _joined(document, imported.changes):
            if all(part.frames for part in story.descriptions):  # in time, where all descriptions have frames
                ordered = tuple(sorted(story.descriptions, key=lambda part: part.frames or (0, 0, 0)))
                pairs = zip(ordered, story.descriptions, strict=True)
                imported.changes += Counter({"time-reordered": sum(part is not former for part, former in pairs)})
                story = replace(story, descriptions=ordered)
            if (sound := _sound(story, imported)) is not None:
                imported.stories.append(sound)
    # every story goes whose graphs begin another one that is longer or came before
    stories = imported.stories
    # a hash of the first graphs of a story, for every number of them
    keys = [list(accumulate(map(hash, story.graphs), lambda *hashes: hash(hashes))) for story in stories]
    owners: dict[int, int] = {}
    kept: list[int] = []
    for index in sorted(range(len(keys)), key=lambda index: (-len(keys[index]), index)):
        if (owner := owners.get(keys[index][-1])) is None:
            kept.append(index)
            owners |= {key: index for key in reversed(keys[index]) if key not in owners}
        else:
            reason = f"its graphs are the beginning of another story's: {stories[owner].id}"
            imported.dropped.append(Drop(stories[index].id, "story", reason))
    imported.stories = [stories[index] for index in sorted(kept)]
    ids = Counter[str]()
    for number, story in enumerate(imported.stories):
        ids[story.id] += 1
        if ids[story.id] > 1:
            imported.stories[number] = replace(story, id=f"{story.id}-{ids[story.id]}")
    return imported


def _joined(document: Document, changes: Counter[str]) -> Iterator[Narrative]:
    """Yield the narratives of a file; rows of one scenario are parts of one.

    Generation rows tell one story; of others the longest is a story, and those that are no beginning of it.
    """
    stem = Path(document.file).stem if document.file != "-" else "story"
    scenarios: dict[str, list[Entry]] = {}
    for entry in document.entries:
        story, facts = entry.narrative, dict(entry.narrative.facts)
        name = f"{stem}-{entry.item}"
        if document.format in ("sgqa", "sgds", "sgg"):
            scenarios.setdefault(facts.get("scenario_id") or facts.get("data_id") or name, []).append(entry)
        else:
            yield replace(story, id=story.id or (stem if len(document.entries) == 1 else name))
    for name, entries in scenarios.items():
        changes += Counter({"rows-joined": len(entries) - 1})
        rows = [entry.narrative for entry in entries]
        longest = max(rows, key=lambda row: len(row.descriptions))
        if longest.vocabulary is None:
            for row in sorted(rows, key=lambda row: -len(row.graphs)):
                yield replace(row, id=name)
        else:
            graphs = {row.descriptions[-1].text: row.descriptions[-1].graphs for row in rows}
            parts = (replace(part, graphs=part.graphs or graphs.get(part.text, ())) for part in longest.descriptions)
            yield replace(longest, descriptions=tuple(parts), id=name)


def _sound(story: Narrative, imported: Imported) -> Narrative | None:
    """Return a story with repaired graphs, without those that are beyond repair; None if nothing is left.

    A description with a text becomes a gap if one of its graphs does; of one without, the graphs around gaps are left.
    """
    repaired = mend(story)
    imported.changes.update(change.code for change in repaired.changes)
    descriptions: list[Description] = []
    for number, description in enumerate(repaired.narrative.descriptions):
        faulty = set[int]()
        for index, graph in enumerate(description.graphs):
            if fault := next(filter(is_fault, check_graph(graph, story.vocabulary)), None):
                faulty.add(index)
                where, was = f"description {number}, graph {index}", [list(triplet) for triplet in graph]
                imported.dropped.append(Drop(story.id, where, f"{fault.code}: {fault.message}", was))
        if not faulty:
            descriptions.append(description)
        elif description.text is not None:
            descriptions.append(replace(description, text=None, graphs=()))
        else:
            for is_gap, places in groupby(range(len(description.graphs)), faulty.__contains__):
                graphs = () if is_gap else tuple(description.graphs[index] for index in places)
                descriptions.append(replace(description, graphs=graphs))
    if not any(description.graphs for description in descriptions):
        imported.dropped.append(Drop(story.id, "story", "it has no sound graph"))
        return None
    return _with_renumbered_hands(replace(repaired.narrative, descriptions=tuple(descriptions)), imported.changes)


def _with_renumbered_hands(story: Narrative, changes: Counter[str]) -> Narrative:
    """Return a story with hand1 and hand2 changed over wherever both are free and hand2 alone is used first.

    From there to the next moment with both hands free nothing else says which hand is meant, so that this is the same
    story in other words. It is done only where the hand rule is broken less often afterwards.
    """
    graphs = list(story.graphs)
    gaps, state, start = after_gaps(story), EMPTY, 0
    for end in range(len(graphs) + 1):
        is_unknown = end == len(graphs) or end in gaps
        if is_unknown or state == EMPTY:
            stretch = graphs[start:end]
            used_first = next(filter(None, map(named_hands, stretch)), ())
            if used_first == HANDS[1:] and start not in gaps:
                parts = ([[OTHER_HAND.get(part, part) for part in triplet] for triplet in graph] for graph in stretch)
                turned = [ActionGraph(Triplet(*triplet) for triplet in graph) for graph in parts]
                if _breaches(turned) < _breaches(stretch):
                    changes["hands-renumbered"] += sum(new != old for new, old in zip(turned, stretch, strict=True))
                    graphs[start:end] = turned
            start, state = end, UNKNOWN if is_unknown else EMPTY
        if end < len(graphs):
            state = hand_step(end, graphs[end], state).after
    return story.with_graphs(graphs)


def _breaches(graphs: Sequence[ActionGraph]) -> int:
    return sum(len(step.breaches) for step in trace(Narrative.of(graphs)))
