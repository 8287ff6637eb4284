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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

from tsgkit.graph.hands import EMPTY, UNKNOWN, State, after_gaps, hand_step
from tsgkit.graph.model import HANDS, ActionGraph, Description, Narrative, Triplet
from tsgkit.graph.repairs import is_fault, mend
from tsgkit.graph.rules import check_graph
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry

OTHER_HAND = dict(zip(HANDS, HANDS[::-1], strict=True))
RENUMBERED, REORDERED, JOINED = "hands-renumbered", "time-reordered", "rows-joined"
PREFIX = "its graphs are the beginning of another story's"
NO_GRAPHS = "it has no sound graph"
CANARY = "canary"
"""The fact with a string by which those who collect texts for training can leave this one out."""


def row_facts(story: Narrative) -> dict[str, str]:
    """Return the facts of a story that every row made of it repeats."""
    return {name: value for name, value in story.facts if name in ("domain", CANARY)}


@dataclass(frozen=True)
class Drop:
    """Something that a stage left out: its story, its place there, the reason, and what it was."""

    story: str
    place: str
    reason: str
    was: Any = None

    def value(self) -> dict[str, Any]:
        """Return the JSON value."""
        return {"story": self.story, "place": self.place, "reason": self.reason, "was": self.was}


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
            if finding.severity == "error":
                place = f"line {finding.place.line}" if finding.place.line else ""
                imported.dropped.append(Drop(finding.place.item or "", place, f"{finding.code}: {finding.message}"))
        stem = Path(document.file).stem if document.file != "-" else "story"
        for story in _joined(document, stem, imported.changes):
            if (sound := _sound(_in_time(story, imported.changes), imported)) is not None:
                imported.stories.append(sound)
    _drop_prefixes(imported)
    imported.stories = list(_with_own_ids(imported.stories))
    return imported


def _joined(document: Document, stem: str, changes: Counter[str]) -> Iterator[Narrative]:
    """Yield the narratives of a file; rows of one scenario are parts of one."""
    if document.format not in ("sgqa", "sgds", "sgg"):
        for entry in document.entries:
            yield replace(entry.narrative, id=entry.narrative.id or _name(stem, entry, document))
        return
    scenarios: dict[str, list[Entry]] = {}
    for entry in document.entries:
        scenarios.setdefault(_scenario(entry, stem), []).append(entry)
    for name, entries in scenarios.items():
        changes[JOINED] += len(entries) - 1
        yield from _parts_as_stories(name, entries)
    changes += Counter()


def _name(stem: str, entry: Entry, document: Document) -> str:
    return stem if len(document.entries) == 1 else f"{stem}-{entry.item}"


def _scenario(entry: Entry, stem: str) -> str:
    facts = dict(entry.narrative.facts)
    return facts.get("scenario_id") or facts.get("data_id") or f"{stem}-{entry.item}"


def _parts_as_stories(name: str, entries: Sequence[Entry]) -> Iterator[Narrative]:
    """Yield what the rows of a scenario tell: of generation rows one story, of others the longest and those that are no
    beginning of it."""
    longest = max(entries, key=lambda entry: len(entry.narrative.descriptions)).narrative
    if longest.vocabulary is None:
        for entry in sorted(entries, key=lambda entry: -len(entry.narrative.graphs)):
            yield replace(entry.narrative, id=name)
        return
    graphs = {entry.narrative.descriptions[-1].text: entry.narrative.descriptions[-1].graphs for entry in entries}
    told = (replace(one, graphs=one.graphs or graphs.get(one.text, ())) for one in longest.descriptions)
    yield replace(longest, descriptions=tuple(told), id=name)


def _in_time(story: Narrative, changes: Counter[str]) -> Narrative:
    """Return a story with its descriptions in the order of their frames, where all have frames."""
    if not all(one.frames for one in story.descriptions):
        return story
    ordered = tuple(sorted(story.descriptions, key=lambda one: one.frames or (0, 0, 0)))
    changes[REORDERED] += sum(one is not other for one, other in zip(ordered, story.descriptions, strict=True))
    changes += Counter()
    return replace(story, descriptions=ordered)


def _sound(story: Narrative, imported: Imported) -> Narrative | None:
    """Return a story with repaired graphs, without those that are beyond repair; None if nothing is left."""
    repaired = mend(story)
    imported.changes.update(change.code for change in repaired.changes)
    descriptions: list[Description] = []
    for place, description in enumerate(repaired.narrative.descriptions):
        faults = {at: fault for at, graph in enumerate(description.graphs) if (fault := _fault(graph, story))}
        for at, fault in faults.items():
            was = [list(triplet) for triplet in description.graphs[at]]
            imported.dropped.append(Drop(story.id, f"description {place}, graph {at}", fault, was))
        descriptions += _without(description, faults)
    if not any(one.graphs for one in descriptions):
        imported.dropped.append(Drop(story.id, "story", NO_GRAPHS))
        return None
    return renumbered_hands(replace(repaired.narrative, descriptions=tuple(descriptions)), imported.changes)


def _without(description: Description, faults: Collection[int]) -> Iterator[Description]:
    """Yield what is left of a description: a gap for one with a text, the graphs around gaps for one without."""
    if not faults:
        yield description
    elif description.text is not None:
        yield replace(description, text=None, graphs=())
    else:
        for is_faulty, places in groupby(range(len(description.graphs)), lambda place: place in faults):
            graphs = () if is_faulty else tuple(description.graphs[place] for place in places)
            yield replace(description, graphs=graphs)


def _fault(graph: ActionGraph, story: Narrative) -> str:
    finding = next(filter(is_fault, check_graph(graph, story.vocabulary)), None)
    return f"{finding.code}: {finding.message}" if finding else ""


def renumbered_hands(story: Narrative, changes: Counter[str]) -> Narrative:
    """Return a story with hand1 and hand2 changed over wherever both are free and hand2 alone is used first.

    From there to the next moment with both hands free nothing else says which hand is meant, so that this is the same
    story in other words. It is done only where the hand rule is broken less often afterwards.
    """
    graphs = list(story.graphs)
    gaps, state, start = after_gaps(story), EMPTY, 0
    for number in range(len(graphs) + 1):
        at_end = number == len(graphs)
        if at_end or number in gaps or state == EMPTY:
            before = UNKNOWN if start in gaps else EMPTY
            _renumber(graphs, start, number, before, changes)
            start = number
            state = EMPTY if not at_end and number not in gaps else UNKNOWN
        if not at_end:
            state = hand_step(number, graphs[number], state).after
    changes += Counter()
    return story.with_graphs(graphs)


def _renumber(graphs: list[ActionGraph], start: int, end: int, before: State, changes: Counter[str]) -> None:
    """Change the hands over in a stretch of graphs if its first named hand is hand2 and this breaks fewer rules."""
    named = next((hands for graph in graphs[start:end] if (hands := _hands(graph))), ())
    if named != (HANDS[1],):
        return
    turned = [_with_other_hands(graph) for graph in graphs[start:end]]
    if before == EMPTY and _breaches(turned, before) < _breaches(graphs[start:end], before):
        changes[RENUMBERED] += sum(one != other for one, other in zip(turned, graphs[start:end], strict=True))
        graphs[start:end] = turned


def _hands(graph: ActionGraph) -> tuple[str, ...]:
    return tuple(hand for hand in HANDS if any(hand in (one.source, one.target) for one in graph))


def _with_other_hands(graph: ActionGraph) -> ActionGraph:
    turned = (Triplet(*(OTHER_HAND.get(part, part) for part in triplet)) for triplet in graph)
    return ActionGraph(turned)


def _breaches(graphs: Sequence[ActionGraph], state: State) -> int:
    count = 0
    for number, graph in enumerate(graphs):
        step = hand_step(number, graph, state)
        count, state = count + len(step.breaches), step.after
    return count


def _drop_prefixes(imported: Imported) -> None:
    """Leave out every story whose graphs begin another one that is longer or came before."""
    keys = [_beginnings(story) for story in imported.stories]
    owners: dict[int, int] = {}
    kept: list[int] = []
    for place in sorted(range(len(keys)), key=lambda place: (-len(keys[place]), place)):
        if (owner := owners.get(keys[place][-1])) is None:
            kept.append(place)
            owners |= {key: place for key in reversed(keys[place]) if key not in owners}
        else:
            reason = f"{PREFIX}: {imported.stories[owner].id}"
            imported.dropped.append(Drop(imported.stories[place].id, "story", reason))
    imported.stories = [imported.stories[place] for place in sorted(kept)]


def _beginnings(story: Narrative) -> list[int]:
    """Return a hash of the first graphs of a story, for every number of them."""
    return list(accumulate(map(hash, story.graphs), lambda before, graph: hash((before, graph))))


def _with_own_ids(stories: Iterable[Narrative]) -> Iterator[Narrative]:
    """Yield stories with different ids; equal ones are numbered."""
    seen: Counter[str] = Counter()
    for story in stories:
        seen[story.id] += 1
        yield story if seen[story.id] == 1 else replace(story, id=f"{story.id}-{seen[story.id]}")
