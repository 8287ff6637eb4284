"""Writer of documents in another format, with a report of information that the format cannot represent.

A file that a conversion wrote may be replaced by the next one, as long as it is unchanged: the cache keeps a checksum
for each path. Files that were changed, came from elsewhere, or lost their checksum with the cache are not replaced.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path

from tsgkit.errors import CannotCarry, NotationError
from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.graph.notation import arrow, diagrams, graphml, json_triplets, narratives, node_link
from tsgkit.graph.notation.limits import not_text, refuse, refuse_empty, refuse_unless_text
from tsgkit.library.documents import formats
from tsgkit.library.documents.formats import Format
from tsgkit.library.documents.reader import Document, read_file
from tsgkit.library.documents.rows import KINDS, UNSEEN, Entry, sgg_rows
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import read_bytes, refuse_to_overwrite, refuse_to_overwrite_sources, write_text
from tsgkit.user_folders import cache_home

UNTOLD = "graphs whose description has no text"


@dataclass(frozen=True)
class LeftOut:
    """A graph (numbered within its item, from 0) that a format cannot represent, with the reason."""

    item: str
    graph: int
    reason: str
    is_empty: bool
    hint: str
    entry: int
    """The place of its item in the document, from 0: ids may repeat."""

    def __str__(self) -> str:
        return f"item {self.item}, graph {self.graph + 1}: {self.reason}"


@dataclass(frozen=True)
class Written:
    """A text in some format, and descriptions of the information and graphs that it lacks."""

    text: str
    graphs: int
    lost: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()


def write_document(document: Document, format: Format, *, keep_going: bool = False) -> Written:
    """Write a document in a format.

    A graph without triplets is left out if the format cannot represent it. Any other graph that it cannot represent is
    left out with ``keep_going`` only; otherwise ``CannotCarry`` names it.
    """
    if not format.writes:
        raise CannotCarry(f"{format.name} is read, never written", hint=f"the formats:\n{formats.table()}")
    left_out: tuple[LeftOut, ...] = ()
    try:
        text = WRITERS[format.name](document)
    except CannotCarry as error:
        if error.graph is None:
            raise
        left_out = tuple(not_carried(document, format))
        if not keep_going and (bad := next((left for left in left_out if not left.is_empty), None)):
            raise CannotCarry(str(bad), hint=f"{bad.hint}; or leave such graphs out with --keep-going") from None
        if len(left_out) == len(_graphs(document)):
            raise CannotCarry(
                f"{format.name} can carry none of the graphs: {left_out[0]}", hint=left_out[0].hint
            ) from None
        gone: dict[int, set[int]] = defaultdict(set)
        for left in left_out:
            gone[left.entry].add(left.graph)
        entries = []
        for index, entry in enumerate(document.entries):
            numbers = count()
            descriptions = tuple(
                replace(part, graphs=tuple(graph for graph in part.graphs if next(numbers) not in gone[index]))
                for part in entry.narrative.descriptions
            )
            entries.append(replace(entry, narrative=replace(entry.narrative, descriptions=descriptions)))
        document = replace(document, entries=tuple(entries))
        text = WRITERS[format.name](document)
    lost = _lost(document, format)
    graphs = len(_graphs(document)) - lost.get(UNTOLD, 0)
    losses = tuple(f"{what} ({number})" for what, number in lost.items())
    return Written(refuse_unless_text(text, format.name), graphs, losses, left_out)


def not_carried(document: Document, format: Format) -> Iterator[LeftOut]:
    """Yield the graphs that a format cannot carry even by themselves."""
    for index, entry in enumerate(document.entries):
        for number, graph in enumerate(entry.narrative.graphs):
            try:
                WRITERS[format.name](replace(document, entries=(Entry("", Narrative.of([graph])),)))
            except CannotCarry as error:
                if error.graph is not None:
                    reason = error.message if graph.triplets else "it has no triplets"
                    yield LeftOut(entry.item, number, reason, not graph.triplets, error.hint, index)


def convert(
    source: str | Path, target: str | Path, to: str | None = None, *, force: bool = False, keep_going: bool = False
) -> Written:
    """Write the graphs of one file to another; the format is ``to``, else the one the target's ending says.

    The output of an earlier conversion is replaced, other files only with ``force``, the source never. ``keep_going``
    leaves out graphs that the format cannot represent.
    """
    format = formats.by_name(to) if to else formats.by_ending(target)
    refuse_to_overwrite_sources(target, source)
    written = write_document(read_file(source), format, keep_going=keep_going)
    write_conversion(written, target, force=force)
    return written


def write_conversion(written: Written, target: str | Path, *, force: bool = False) -> None:
    """Write a converted text. Raise ``FileProblem`` if it would replace a file that no conversion wrote, unless
    forced."""
    refuse_to_overwrite(target, force=force or is_conversion(target), text=written.text)
    write_text(target, written.text)
    remember_conversion(target)


def is_conversion(target: str | Path) -> bool:
    """Return whether a file holds what a conversion wrote there."""
    with suppress(OSError, ValueError):
        return Path(target).is_file() and _note(target).read_text("ascii") == checksum_of_bytes(read_bytes(target))
    return False


def remember_conversion(target: str | Path) -> None:
    """Keep the checksum of a file that was written; where nothing can be kept, the next one needs ``--force``."""
    with suppress(OSError, ValueError):
        if Path(target).is_file():
            note = _note(target)
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(checksum_of_bytes(read_bytes(target)), "ascii")


def _note(target: str | Path) -> Path:
    """Return where the checksum of a file is kept."""
    path = str(Path(target).resolve()).encode("utf-8", "surrogateescape")
    return cache_home() / "conversions" / hashlib.sha256(path).hexdigest()[:32]


def _lost(document: Document, format: Format) -> dict[str, int]:
    """Return the kinds of information that a format cannot represent, with counts; empty for the same format."""
    if document.format == format.name:
        return {}
    entries, stories = document.entries, [entry.narrative for entry in document.entries]
    parts = [part for story in stories for part in story.descriptions]
    counts = {
        formats.TEXTS: sum(bool(part.text) for part in parts),
        formats.VOCABULARIES: sum(story.vocabulary is not None for story in stories),
        formats.NARRATIVES: len(entries) - 1,
        formats.DESCRIPTIONS: sum(
            max(sum(bool(part.graphs) for part in story.descriptions) - 1, 0) for story in stories
        ),
        formats.IDS: sum(bool(story.id or story.facts) for story in stories),
        formats.SUMMARIES: sum(len(story.summaries) for story in stories),
        formats.FRAMES: sum(part.frames is not None for part in parts),
        formats.ROWS: sum(entry.row is not None for entry in entries),
        "graphs beside the narratives": sum(len(entry.asides) for entry in entries),
    }
    if format.name == "sgg":  # rows of descriptions with both a text and graphs
        counts[UNTOLD] = sum(len(part.graphs) for part in parts if not part.text)
        at_the_end = (
            part
            for story in stories
            for part in takewhile(lambda part: not (part.text and part.graphs), reversed(story.descriptions))
        )
        counts["texts behind the last graphs"] = sum(bool(part.text) for part in at_the_end)
    return {what: count for what, count in counts.items() if count > 0 and what not in format.carries}


def _vocabulary(document: Document) -> Vocabulary | None:
    """Return the one vocabulary of a document, which helps to derive kinds; None where items differ."""
    vocabularies = {entry.narrative.vocabulary for entry in document.entries}
    return vocabularies.pop() if len(vocabularies) == 1 else None


def _graphs(document: Document) -> list[ActionGraph]:
    return [graph for entry in document.entries for graph in entry.narrative.graphs]


def _write_triplet_lines(document: Document) -> str:
    refuse(_graphs(document), "JSON", not_text)
    lines = []
    for entry in document.entries:
        values = [json_triplets.to_value(graph) for graph in entry.narrative.graphs]
        alone = entry.narrative.descriptions[:1] == (UNSEEN,) and len(values) == 1 and bool(values[0])
        lines.append(json.dumps(values[0] if alone else values, ensure_ascii=False) + "\n")
    return "".join(lines)


def _write_rows(name: str, document: Document) -> str:
    """Write rows as they came in; narratives with texts and L become generation rows."""
    if document.format == name:
        rows = [entry.row for entry in document.entries]
    elif name == "sgg":
        refuse_empty(_graphs(document), "generation rows")
        refuse(_graphs(document), "generation rows", not_text)
        try:
            labelled = [(entry, entry.item if len(document.entries) > 1 else "") for entry in document.entries]
            rows = [row for entry, name in labelled for row in sgg_rows(entry.narrative, name)]
        except NotationError as error:
            hint = "add one with --vocabulary FILE, or write the format narrative"
            raise CannotCarry(error.message, hint=hint) from None
        if not rows:
            raise CannotCarry("no description has both a text and graphs, so there is no generation row to write")
    else:
        needs = "questions" if name == "sgqa" else "candidates"
        raise CannotCarry(f"{name} rows need {needs}, which {document.format} does not hold")
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


WRITERS: dict[str, Callable[[Document], str]] = {
    "arrow": lambda document: arrow.write(_graphs(document)),
    "triplets": lambda document: json_triplets.write(_graphs(document)),
    "triplet-lines": _write_triplet_lines,
    "narrative": lambda document: "".join(narratives.write(entry.narrative) for entry in document.entries),
    "node-link": lambda document: node_link.write(_graphs(document), _vocabulary(document)),
    "graphml": lambda document: graphml.write(_graphs(document), _vocabulary(document)),
    "dot": lambda document: diagrams.write_dot(_graphs(document), _vocabulary(document)),
    "mermaid": lambda document: diagrams.write_mermaid(_graphs(document), _vocabulary(document)),
    **{kind: partial(_write_rows, kind) for kind in KINDS},
}
