"""Reader of a file of action graphs in any supported format.

>>> document = read_document('[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]', "cups.json")
>>> document.format, document.entries[0].narrative.graphs[0].actions
('triplets', ('wash',))

The format follows from the content, never from the name. A broken line, item or part of a graph becomes a finding, and
the rest is read. Only a file without any graphs is refused (``FileProblem``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tsgkit.errors import FileProblem, NotationError
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.notation import arrow, easg, graphml, json_triplets, narratives, node_link
from tsgkit.graph.reading import read
from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.library.documents.rows import KINDS, UNSEEN, Entry, entry_from, row_kind
from tsgkit.library.files import read_text

FILE_RULES = {
    "broken-line": Rule(ERROR, "a line that is not JSON"),
    "broken-file": Rule(ERROR, "a file that is not the JSON or XML it begins as"),
    "other-format": Rule(ERROR, "a line of another format than the lines before it, or with fields that do not fit"),
    "unread-part": Rule(ERROR, "a part of a graph that is not a triplet"),
    "loose-node": Rule(WARNING, "a node without an edge, which no triplet holds"),
    "unread-line": Rule(ERROR, "a line that looks like a triplet and cannot be read"),
    "ignored-line": Rule(WARNING, "a line without triplets (prose, a heading, a fence)"),
    "repaired-line": Rule(WARNING, "a line that was read as a triplet after repairs"),
    "repeated-id": Rule(ERROR, "an item id that occurred before"),
}
UNKNOWN = "unknown"
FIRST_LINES = 50
"""The lines that say whether a file is JSON Lines."""
IMAGE = re.compile(r"\s*(?:(?:strict\s+)?(?:di)?graph\b[^\n]*\{|(?:flowchart|graph)\s+(?:LR|RL|TB|BT|TD)\b)")
MARKUP = re.compile(r"\s*<(?:\?xml|!doctype|html|svg)\b", re.IGNORECASE)
JSON_BEGINS = re.compile(r"\s*(?:\{|\[\s*[\[{\"\]])")
READABLE = (
    "arrow text, JSON triplets, narratives, node-link JSON, GraphML, EASG, and rows of sgqa, sgds, sa-sgg, ma-sgg"
)


@dataclass(frozen=True)
class Document:
    """The content of a file: its format, its items, and problems of the file itself."""

    file: str
    format: str
    entries: tuple[Entry, ...] = ()
    findings: tuple[Finding, ...] = ()


def read_file(path: str | Path) -> Document:
    """Return the document of a file (``-``: standard input)."""
    return read_document(read_text(path), str(path))


@dataclass(frozen=True)
class EntryStream:
    """The items and findings of a file in order; those of JSON Lines are read when they are needed."""

    file: str
    format: str
    size: int
    """The number of items, unreadable ones included."""
    parts: Iterable[Entry | Finding]


def entry_stream(path: str | Path) -> EntryStream:
    """Return the items of a file. A file of JSON Lines of which the first are items of ours is not held in memory."""
    start, size = list[tuple[int, str]](), 0
    try:
        for line in _lines_of(Path(path)) if Path(path).is_file() else ():
            size += 1
            if size <= FIRST_LINES:
                start.append(line)
    except (OSError, ValueError):  # it is no text
        start = []
    if _are_json_lines(start) and _is_json(start[0][1]):
        values = [item for item in _parsed(start) if not isinstance(item, Finding)]
        first = next((value for _, value in values if _kind(value)), None)
        if first is not None and not json_triplets.is_triplet(first):
            kind = _kind(first)
            return EntryStream(str(path), _lines_format(kind), size, _items(_parsed(_lines_of(Path(path))), kind))
    document = read_file(path)
    return EntryStream(document.file, document.format, len(document.entries), (*document.findings, *document.entries))


def _lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not blank, with their numbers; ``ValueError`` where it is no text."""
    with path.open("rb") as file:
        for number, data in enumerate(file, 1):
            line = data.decode("utf-8-sig" if number == 1 else "utf-8")
            if "\0" in line:
                raise ValueError(number)
            if line.strip():
                yield number, line


def read_document(text: str, file: str) -> Document:
    """Return the document of a text; ``file`` is how messages name it."""
    if not text.strip():
        raise FileProblem(f"{file}: the file is empty")
    if IMAGE.match(text):
        raise FileProblem(f"{file}: DOT and Mermaid are written, never read", hint=f"readable are {READABLE}")
    if text.lstrip().startswith("<") and "<graphml" in text:
        try:
            graphs = graphml.read_all(text)
        except NotationError as error:
            return _broken(file, "graphml", error)
        return Document(file, "graphml", _one([graph for graph, _ in graphs]), tuple(_loose(graphs, "0")))
    if MARKUP.match(text):
        raise FileProblem(f"{file}: this is HTML, SVG or other XML, not GraphML", hint=f"readable are {READABLE}")
    if not JSON_BEGINS.match(text):
        return _read_text(text, file)
    try:
        value = json_triplets.load(text)
    except NotationError as error:
        if _exact(text):
            return _read_text(text, file)
        lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if _are_json_lines(lines):
            parsed = list(_parsed(lines))
            document = _read_values([value for value in parsed if not isinstance(value, Finding)], text, file)
            findings = [*(value for value in parsed if isinstance(value, Finding)), *document.findings]
            return replace(document, findings=tuple(sorted(findings, key=lambda finding: finding.place.line or 0)))
        if error.line is None:
            raise FileProblem(f"{file}: {error.message}") from None
        broken = _broken(file, UNKNOWN, error)
        return _read_reply(text, file, broken.findings) or broken  # it may be a model's reply
    if easg.is_easg(value) and not narratives.is_narrative(value):
        try:
            clips = easg.from_value(value)
        except NotationError as error:
            return _broken(file, "easg", error)
        findings = [
            _finding("unread-part", reason, item=clip.narrative.id).at(graph=graph)
            for clip in clips
            for graph, reason in clip.unread
        ]
        entries = tuple(Entry(clip.narrative.id, clip.narrative) for clip in clips)
        return Document(file, "easg", entries, tuple(findings))
    values = value if isinstance(value, list) else [value]
    kinds = {_kind(item) for item in values if not json_triplets.is_triplet(item)}
    if isinstance(value, list) and (not kinds or "triplets" in kinds <= {"triplets", ""}):
        return _read_graphs([value] if values and not kinds else values, "triplets", file)
    if "node-link" in kinds and kinds <= {"node-link", ""}:
        return _read_graphs(values, "node-link", file)
    is_one_line = isinstance(value, dict) and "\n" not in text.strip()
    return _read_values([(1 if is_one_line else None, value) for value in values], text, file)


def with_vocabulary(document: Document, vocabulary: Vocabulary | None) -> Document:
    """Return the document with L given to the items that bring none."""
    return replace(document, entries=tuple(entry.with_vocabulary(vocabulary) for entry in document.entries))


def _finding(code: str, message: str, hint: str = "", line: int | None = None, item: str | None = None) -> Finding:
    return Finding(code, FILE_RULES[code].severity, message, hint, Place(line, item))


def _one(graphs: Sequence[ActionGraph], lines: tuple[tuple[int, ...], ...] = ()) -> tuple[Entry, ...]:
    return (Entry("0", Narrative.of(graphs), triplet_lines=lines),)


def _broken(file: str, format: str, error: NotationError) -> Document:
    return Document(file, format, (), (_finding("broken-file", error.message, error.hint, error.line),))


def _loose(graphs: Sequence[tuple[ActionGraph, tuple[str, ...]]], item: str) -> Iterator[Finding]:
    for number, (_, names) in enumerate(graphs):
        for name in names:
            yield _finding("loose-node", f"{name} has no edge, and a graph is its edges", item=item).at(graph=number)


def _read_text(text: str, file: str) -> Document:
    """Arrow text. It is taken as exact only where the tolerant reader sees the same triplets in it: a bullet, say, is
    a name for the one and decoration for the other."""
    document = _read_reply(text, file)
    if document is None:
        why = next((f" (line {note.line}: {note.reason})" for note in read(text).unread), "")
        raise FileProblem(f"{file}: no triplet found in it{why}", hint=f"readable are {READABLE}")
    if document.findings and (exact := _exact(text)):
        graphs = [graph for graph, _ in exact]
        tolerant = [triplet for graph in document.entries[0].graphs for triplet in graph]
        if [triplet for graph in graphs for triplet in graph] == tolerant:
            return Document(file, "arrow", _one(graphs, tuple(lines for _, lines in exact)))
    return document


def _exact(text: str) -> tuple[tuple[ActionGraph, tuple[int, ...]], ...]:
    """Return the graphs of exact arrow text with their lines; none where it is not exact."""
    try:
        return arrow.parse_with_lines(text)
    except NotationError:
        return ()


def _read_reply(text: str, file: str, findings: Sequence[Finding] = ()) -> Document | None:
    """Return what the tolerant reader sees in a text, with its notes as findings; None where it sees no triplet."""
    reading = read(text)
    notes = [
        _finding(
            f"{note.kind}-line",
            f"{note.reason}: {json.dumps(note.text, ensure_ascii=False)}" if note.text else note.reason,
            line=note.line,
        )
        for note in reading.notes
    ]
    if not reading.graphs:
        return None
    return Document(file, "arrow", _one(reading.graphs, reading.lines), (*findings, *notes))


def _are_json_lines(lines: list[tuple[int, str]]) -> bool:
    """Return whether at least half of the first lines are JSON each by itself."""
    tried = lines[:FIRST_LINES]
    return len(tried) > 1 and 2 * sum(_is_json(line) for _, line in tried) >= len(tried)


def _is_json(line: str) -> bool:
    try:
        return isinstance(json_triplets.load(line), (dict, list))
    except NotationError:
        return False


def _read_graphs(values: Sequence[object], format: str, file: str) -> Document:
    """Return one narrative of these graphs; an unreadable part of one graph does not affect the others."""
    graphs, findings = list[ActionGraph](), list[Finding]()
    for number, value in enumerate(values):
        unread, loose = list[str](), tuple[str, ...]()
        graph = ActionGraph()
        if format == "node-link":
            try:
                graph, loose = node_link.read_one(value, "graph")
            except NotationError as error:
                unread = [error.message]
        elif isinstance(value, list):
            graph = ActionGraph(part for part in value if json_triplets.is_triplet(part))
            unread = [
                f"triplet {rank}: expected three strings, found {json_triplets.kind_of(part)}"
                for rank, part in enumerate(value, 1)
                if not json_triplets.is_triplet(part)
            ]
        else:
            unread = [f"expected a list of triplets, found {json_triplets.kind_of(value)}"]
        graphs.append(graph)
        findings += [_finding("unread-part", message, item="0").at(graph=number) for message in unread]
        findings += [finding.at(graph=number) for finding in _loose([(graph, loose)], "0")]
    return Document(file, format, _one(graphs), tuple(findings))


Value = tuple[int | None, object]
"""A JSON value, and its line."""


def _parsed(lines: Iterable[tuple[int, str]]) -> Iterator[Value | Finding]:
    """Yield the value of each line, or the finding that it is broken."""
    for number, line in lines:
        try:
            yield number, json_triplets.load(line)
        except NotationError as error:
            yield _finding("broken-line", error.message, error.hint, number)


def _read_values(values: list[Value], text: str, file: str) -> Document:
    """Return items of one kind; the first that is recognised says which."""
    kind = next(filter(None, (_kind(value) for _, value in values)), "")
    if not kind or all(json_triplets.is_triplet(value) for _, value in values):
        if (document := _read_reply(text, file)) is None:
            problem = f"{file}: {_described(values[0][1])} is none of our items"
            raise FileProblem(problem, hint=f"readable are {READABLE}")
        return document
    parts = list(_items(values, kind))
    entries = [part for part in parts if isinstance(part, Entry)]
    findings, ids = [part for part in parts if isinstance(part, Finding)], set[str]()
    for entry in entries:
        if entry.item in ids:
            message = f"the id {entry.item} occurred before"
            findings.append(_finding("repeated-id", message, line=entry.line, item=entry.item))
        ids.add(entry.item)
    return Document(file, _lines_format(kind), tuple(entries), tuple(findings))


def _lines_format(kind: str) -> str:
    return "triplet-lines" if kind == "triplets" else kind


def _items(values: Iterable[Value | Finding], kind: str) -> Iterator[Entry | Finding]:
    """Yield the items of one kind and their findings, among findings of earlier steps."""
    number = -1
    for item in values:
        if isinstance(item, Finding):
            yield item
            continue
        number, (line, value) = number + 1, item
        if _kind(value) != kind:
            message = f"expected an item of the format {kind}, found {_described(value)}"
            yield _finding("other-format", message, "", line, str(number))
            continue
        findings = list[Finding]()
        try:
            if kind in KINDS:
                entry, findings = entry_from(value, kind, number, line)
            elif kind == "narrative":
                narrative = narratives.from_value(value)
                entry = Entry(narrative.id or str(number), narrative, line)
            elif isinstance(value, list) and not (value and all(json_triplets.is_triplet(part) for part in value)):
                entry = Entry(str(number), Narrative.of(json_triplets.from_value(value)), line)
            else:  # one graph: what happened before it is unknown
                loose: tuple[str, ...] = ()
                if isinstance(value, list):
                    graph = json_triplets.graph_from(value, "graph 1")
                else:
                    graph, loose = node_link.read_one(value, "graph 1")
                entry = Entry(str(number), Narrative((UNSEEN, Description(graphs=(graph,)))), line)
                findings = [finding.at(line=line) for finding in _loose([(graph, loose)], str(number))]
        except NotationError as error:
            yield _finding("other-format", error.message, error.hint, line, str(number))
            continue
        yield entry
        yield from findings


def _kind(value: object) -> str:
    """Return what kind of item a JSON value is; empty where it is none."""
    if isinstance(value, list):
        return "triplets"
    if row := row_kind(value):
        return row
    if narratives.is_narrative(value):
        return "narrative"
    return "node-link" if node_link.is_node_link(value) else ""


def _described(value: object) -> str:
    if isinstance(value, dict):
        return f"an object with the fields {', '.join(list(value)[:6]) or '(none)'}"
    return json_triplets.kind_of(value)
