"""A file of action graphs in any format we read, as one :class:`Document`.

>>> document = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "cups.json")
>>> document.format, document.entries[0].narrative.graphs[0].actions
('triplets', ('wash',))

The format is told from the content, not from the name. A line that is broken, or does not fit the others, becomes a
finding and the rest is read; only a file that is no graph file at all is refused (``FileProblem``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tsgkit.errors import FileProblem, NotationError
from tsgkit.graph.model import ActionGraph, Description, Narrative
from tsgkit.graph.notation import arrow, easg, graphml, json_triplets, narratives, node_link
from tsgkit.graph.reading import read
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.files import read_text
from tsgkit.suites.tsg.rows import UNSEEN, Entry, RowKind, entry_from, row_kind

FILE_RULES = {
    "broken-line": Rule(ERROR, "a line that is not JSON"),
    "broken-file": Rule(ERROR, "a file that is not the JSON or XML it begins as"),
    "other-format": Rule(ERROR, "a line of another format than the lines before it, or with fields that do not fit"),
    "unread-part": Rule(ERROR, "a part of a graph's text that is no triplet"),
    "unread-line": Rule(ERROR, "a line with an arrow that is no triplet"),
    "ignored-line": Rule(WARNING, "a line that is no triplet (prose, a heading, a fence)"),
    "repaired-line": Rule(WARNING, "a line that is a triplet only with some good will"),
    "repeated-id": Rule(ERROR, "an item id that occurred before"),
}
READABLE = (
    "arrow text, JSON triplets, narratives, node-link JSON, GraphML, EASG, and rows of sgqa, sgds, sa-sgg, ma-sgg"
)


@dataclass(frozen=True)
class Document:
    """What a file holds: its format, its items, and what is wrong with the file itself."""

    file: str
    format: str
    entries: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()


def read_file(path: str | Path) -> Document:
    """The document of a file (``-``: standard input)."""
    return read_document(read_text(path), str(path))


def read_document(text: str, file: str) -> Document:
    """The document of a text; ``file`` is how messages name it."""
    start = text.lstrip()[:1]
    if not start:
        raise FileProblem(f"{file}: the file is empty")
    if start == "<" and "<graphml" in text:
        return _read_graphml(text, file)
    if start in "[{" and (document := _read_json(text, file)):
        return document
    return _read_text(text, file)


def _finding(code: str, message: str, hint: str = "", line: int | None = None, item: str | None = None) -> Finding:
    return Finding(code, FILE_RULES[code].severity, message, hint, Place(line, item))


def _one(graphs: tuple[ActionGraph, ...], lines: tuple[tuple[int, ...], ...] = ()) -> tuple[Entry, ...]:
    return (Entry("0", Narrative.of(graphs), triplet_lines=lines),)


def _read_graphml(text: str, file: str) -> Document:
    try:
        return Document(file, "graphml", _one(graphml.parse(text)))
    except NotationError as error:
        return Document(file, "graphml", (), (_finding("broken-file", error.message, error.hint, error.line),))


def _read_text(text: str, file: str) -> Document:
    """Arrow text; where it is not exact, what the tolerant reader makes of it, with its notes as findings."""
    try:
        exact = arrow.parse_with_lines(text)
        return Document(file, "arrow", _one(tuple(graph for graph, _ in exact), tuple(lines for _, lines in exact)))
    except NotationError:
        reading = read(text)
    if not reading.graphs:
        raise FileProblem(f"{file}: no triplet found in it", hint=f"readable are {READABLE}")
    findings = []
    for note in reading.notes:
        code = (
            "repaired-line" if note.kind == "repaired" else "unread-line" if "arrows" in note.reason else "ignored-line"
        )
        quoted = f": {json.dumps(note.text, ensure_ascii=False)}" if note.text else ""
        findings.append(_finding(code, f"{note.reason}{quoted}", line=note.line))
    return Document(file, "arrow", _one(reading.graphs, reading.lines), tuple(findings))


def _read_json(text: str, file: str) -> Document | None:
    """A JSON or JSON Lines document; None where a text merely begins with a bracket."""
    try:
        return _from_value(json_triplets.load(text), text, file)
    except NotationError as error:
        broken = error
    lines = _json_lines(text)
    if Path(file).suffix.lower() in (".jsonl", ".ndjson") or _is_json(lines[0][1]):
        return _read_lines(lines, file)
    if Path(file).suffix.lower() != ".json" and read(text).graphs:
        return None
    if broken.line is None:
        raise FileProblem(f"{file}: {broken.message}")
    return Document(file, "json", (), (_finding("broken-file", broken.message, broken.hint, broken.line),))


def _json_lines(text: str) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _is_json(line: str) -> bool:
    try:
        json_triplets.load(line)
    except NotationError:
        return False
    return True


def _from_value(value: object, text: str, file: str) -> Document:
    """The document of one JSON value, the whole of a text."""
    if easg.is_easg(value) and not narratives.is_narrative(value):
        return _read_easg(value, file)
    values = value if isinstance(value, list) else [value]
    kind = _kind(values[0]) if values else "triplets"
    try:
        if kind in ("triplets", "triplet"):
            return Document(file, "triplets", _one(json_triplets.from_value(value)))
        if kind == "node-link":
            return Document(file, "node-link", _one(node_link.from_value(value)))
    except NotationError as error:
        return Document(file, kind, (), (_finding("broken-file", error.message, error.hint, error.line),))
    is_one_line = isinstance(value, dict) and "\n" not in text.strip()
    return _read_values([(1 if is_one_line else None, value) for value in values], file)


def _read_easg(value: object, file: str) -> Document:
    try:
        clips = easg.from_value(value)
    except NotationError as error:
        return Document(file, "easg", (), (_finding("broken-file", error.message, error.hint, error.line),))
    findings = [
        _finding("unread-part", reason, item=clip.narrative.id).at(graph=graph)
        for clip in clips
        for graph, reason in clip.unread
    ]
    return Document(file, "easg", tuple(Entry(clip.narrative.id, clip.narrative) for clip in clips), tuple(findings))


def _read_lines(lines: list[tuple[int, str]], file: str) -> Document:
    """A JSON Lines document; a broken line is a finding."""
    values: list[tuple[int | None, object]] = []
    findings = []
    for number, line in lines:
        try:
            values.append((number, json_triplets.load(line)))
        except NotationError as error:
            findings.append(_finding("broken-line", error.message, error.hint, number))
    if not values:
        return Document(file, "json", (), tuple(findings))
    document = _read_values(values, file)
    everything = sorted([*findings, *document.findings], key=lambda finding: finding.place.line or 0)
    return Document(file, document.format, document.entries, tuple(everything))


def _read_values(values: list[tuple[int | None, object]], file: str) -> Document:
    """Items of one kind; the first that is recognised says which."""
    kinds = [_kind(value) for _, value in values]
    kind = next((kind for kind in kinds if kind), "")
    if not kind:
        raise FileProblem(f"{file}: {_described(values[0][1])} is none of our items", hint=f"readable are {READABLE}")
    entries, findings = [], []
    for number, ((line, value), found) in enumerate(zip(values, kinds, strict=True)):
        if found != kind and not {found, kind} <= {"triplet", "triplets"}:
            message = f"expected an item of the format {kind}, found {_described(value)}"
            findings.append(_finding("other-format", message, "", line, str(number)))
            continue
        try:
            entry, more = READERS[found](value, number, line)
            entries.append(entry)
            findings += more
        except NotationError as error:
            findings.append(_finding("other-format", error.message, error.hint, line, str(number)))
    name = "triplet-lines" if kind in ("triplet", "triplets") else kind
    return Document(file, name, tuple(entries), (*findings, *_repeated_ids(entries)))


def _kind(value: object) -> str:
    """What kind of item a JSON value is; empty where it is none."""
    if isinstance(value, list):
        return "triplet" if value and all(json_triplets.is_triplet(item) for item in value) else "triplets"
    if row := row_kind(value):
        return row
    if narratives.is_narrative(value):
        return "narrative"
    return "node-link" if node_link.is_node_link(value) else ""


def _described(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with the fields {', '.join(list(value)[:6]) or '(none)'}"
    return json_triplets.kind_of(value)


Reader = Callable[[object, int, int | None], tuple[Entry, list[Finding]]]


def _row_reader(kind: RowKind) -> Reader:
    return lambda value, number, line: entry_from(value, kind, number, line)


def _narrative_entry(value: object, number: int, line: int | None) -> tuple[Entry, list[Finding]]:
    narrative = narratives.from_value(value)
    return Entry(narrative.id or str(number), narrative, line), []


def _graphs_entry(value: object, number: int, line: int | None) -> tuple[Entry, list[Finding]]:
    return Entry(str(number), Narrative.of(json_triplets.from_value(value)), line), []


def _graph_entry(value: object, number: int, line: int | None) -> tuple[Entry, list[Finding]]:
    return _alone(json_triplets.graph_from(value, "graph 0"), number, line), []


def _node_link_entry(value: object, number: int, line: int | None) -> tuple[Entry, list[Finding]]:
    return _alone(node_link.graph_from(value, "graph 0"), number, line), []


def _alone(graph: ActionGraph, number: int, line: int | None) -> Entry:
    """A graph that is an item by itself: what happened before it is not known."""
    return Entry(str(number), Narrative((UNSEEN, Description(graphs=(graph,)))), line)


READERS: dict[str, Reader] = {
    "triplet": _graph_entry,
    "triplets": _graphs_entry,
    "narrative": _narrative_entry,
    "node-link": _node_link_entry,
    "sgqa": _row_reader("sgqa"),
    "sgds": _row_reader("sgds"),
    "sgg": _row_reader("sgg"),
}


def _repeated_ids(entries: list[Entry]) -> Iterator[Finding]:
    counts = Counter(entry.item for entry in entries)
    seen: set[str] = set()
    for entry in entries:
        if counts[entry.item] > 1 and entry.item in seen:
            yield _finding("repeated-id", f"the id {entry.item} occurred before", line=entry.line, item=entry.item)
        seen.add(entry.item)
