"""Writes a document in another format, and says what that format cannot carry."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tsgkit.errors import CannotCarry, NotationError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation import arrow, graphml, json_triplets, narratives, node_link, pictures
from tsgkit.graph.notation.carrying import refuse_unless_text
from tsgkit.library.files import write_text
from tsgkit.library.overwriting import refuse_to_overwrite, refuse_to_overwrite_sources
from tsgkit.suites.tsg import formats
from tsgkit.suites.tsg.conversions import is_conversion, remember_conversion
from tsgkit.suites.tsg.documents import Document, read_file
from tsgkit.suites.tsg.formats import Format
from tsgkit.suites.tsg.rows import UNSEEN, Entry, sgg_rows

UNTOLD = "graphs whose description has no text"


@dataclass(frozen=True)
class Written:
    """A text in some format, and what of the document is not in it, in words."""

    text: str
    graphs: int
    lost: tuple[str, ...]


def write_document(document: Document, format: Format) -> Written:
    """The document's text in a format; ``CannotCarry`` where a graph cannot be written in it at all."""
    if not format.writes:
        raise CannotCarry(f"{format.name} is read, never written", hint=f"the formats:\n{formats.table()}")
    try:
        text = refuse_unless_text(WRITERS[format.name](document), format.name)
    except CannotCarry as error:
        raise _placed(error, document) from None
    lost = _lost(document, format)
    graphs = sum(len(entry.narrative.graphs) for entry in document.entries) - lost.get(UNTOLD, 0)
    return Written(text, graphs, tuple(f"{what} ({count})" for what, count in lost.items()))


def _placed(error: CannotCarry, document: Document) -> CannotCarry:
    """The error with its graph counted within its item, as findings count it."""
    number = error.graph
    for entry in document.entries:
        graphs = len(entry.narrative.graphs)
        if number is None or number < graphs:
            break
        number -= graphs
    else:
        return error
    if number is None or len(document.entries) == 1:
        return error
    return CannotCarry(f"item {entry.item}, graph {number}: {error.message}", hint=error.hint)


def convert(source: str | Path, target: str | Path, to: str | None = None, *, force: bool = False) -> Written:
    """Write the graphs of one file to another; the format is ``to``, else the one the target's ending says.

    What an earlier conversion wrote there is replaced, anything else only with ``force``, the source never.
    """
    format = formats.by_name(to) if to else formats.by_ending(target)
    refuse_to_overwrite_sources(target, source)
    written = write_document(read_file(source), format)
    write_conversion(written, target, force=force)
    return written


def write_conversion(written: Written, target: str | Path, *, force: bool = False) -> None:
    """Write a converted text; ``FileProblem`` where it would replace what no conversion wrote, unless forced."""
    refuse_to_overwrite(target, force=force or is_conversion(target), text=written.text)
    write_text(target, written.text)
    remember_conversion(target)


def _lost(document: Document, format: Format) -> dict[str, int]:
    """What of a document is not in its text in a format, and how often; nothing where the format stays the same."""
    if document.format == format.name:
        return {}
    counts = {
        formats.TEXTS: sum(bool(part.text) for entry in document.entries for part in entry.narrative.descriptions),
        formats.VOCABULARIES: sum(entry.narrative.vocabulary is not None for entry in document.entries),
        formats.NARRATIVES: len(document.entries) - 1,
        formats.DESCRIPTIONS: sum(max(_told(entry) - 1, 0) for entry in document.entries),
        formats.IDS: sum(bool(entry.narrative.id or entry.narrative.facts) for entry in document.entries),
        formats.SUMMARIES: sum(len(entry.narrative.summaries) for entry in document.entries),
        formats.FRAMES: sum(
            part.frames is not None for entry in document.entries for part in entry.narrative.descriptions
        ),
        formats.ROWS: sum(entry.row is not None for entry in document.entries),
        "graphs beside the narratives": sum(len(entry.asides) for entry in document.entries),
        **(_lost_by_rows(document) if format.name == "sgg" else {}),
    }
    return {what: count for what, count in counts.items() if count > 0 and what not in format.carries}


def _lost_by_rows(document: Document) -> dict[str, int]:
    """What generation rows, one for each description with a text and graphs, leave out."""
    parts = [part for entry in document.entries for part in entry.narrative.descriptions]
    return {
        UNTOLD: sum(len(part.graphs) for part in parts if not part.text),
        "texts behind the last graphs": sum(_texts_at_the_end(entry) for entry in document.entries),
    }


def _texts_at_the_end(entry: Entry) -> int:
    at_the_end = takewhile(lambda part: not (part.text and part.graphs), reversed(entry.narrative.descriptions))
    return sum(bool(part.text) for part in at_the_end)


def _told(entry: Entry) -> int:
    """How many descriptions have graphs."""
    return sum(bool(part.graphs) for part in entry.narrative.descriptions)


def _vocabulary(document: Document) -> Vocabulary | None:
    """The one vocabulary of a document, which helps to derive kinds; None where items differ."""
    vocabularies = {entry.narrative.vocabulary for entry in document.entries}
    return vocabularies.pop() if len(vocabularies) == 1 else None


def _graphs(document: Document) -> list[ActionGraph]:
    return [graph for entry in document.entries for graph in entry.narrative.graphs]


def _write_triplet_lines(document: Document) -> str:
    lines = []
    for entry in document.entries:
        values = [json_triplets.to_value(graph) for graph in entry.narrative.graphs]
        alone = entry.narrative.descriptions[:1] == (UNSEEN,) and len(values) == 1 and bool(values[0])
        lines.append(json.dumps(values[0] if alone else values, ensure_ascii=False) + "\n")
    return "".join(lines)


def _write_narratives(document: Document) -> str:
    return "".join(narratives.write(entry.narrative) for entry in document.entries)


def _write_rows(name: str) -> Callable[[Document], str]:
    """Rows go out as they came in; narratives with texts and L become generation rows."""

    def write(document: Document) -> str:
        if document.format == name:
            rows = [entry.row for entry in document.entries]
        elif name == "sgg":
            try:
                rows = [row for entry in document.entries for row in sgg_rows(entry.narrative)]
            except NotationError as error:
                raise CannotCarry(error.message, hint="write the format narrative, or add a vocabulary") from None
            if not rows:
                raise CannotCarry("no description has both a text and graphs, so there is no generation row to write")
        else:
            needs = "questions" if name == "sgqa" else "candidates"
            raise CannotCarry(f"{name} rows need {needs}, which {document.format} does not hold")
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)

    return write


WRITERS: dict[str, Callable[[Document], str]] = {
    "arrow": lambda document: arrow.write(_graphs(document)),
    "triplets": lambda document: json_triplets.write(_graphs(document)),
    "triplet-lines": _write_triplet_lines,
    "narrative": _write_narratives,
    "node-link": lambda document: node_link.write(_graphs(document), _vocabulary(document)),
    "graphml": lambda document: graphml.write(_graphs(document), _vocabulary(document)),
    "dot": lambda document: pictures.write_dot(_graphs(document), _vocabulary(document)),
    "mermaid": lambda document: pictures.write_mermaid(_graphs(document), _vocabulary(document)),
    "sgqa": _write_rows("sgqa"),
    "sgds": _write_rows("sgds"),
    "sgg": _write_rows("sgg"),
}
