"""Rewriter of a document that was changed: its own format, in the layout of the text it was read from.

>>> from tsgkit.library.documents.reader import read_document
>>> text = '[{"descriptions": [{"text": "She waits."}]}]'
>>> print(rewritten(read_document(text, "story.json"), text), end="")
[
  {"descriptions": [{"text": "She waits."}]}
]
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tsgkit.errors import CannotCarry, FileProblem, NotationError
from tsgkit.graph.notation import json_triplets, node_link
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.rows import Entry
from tsgkit.library.documents.writer import WRITERS, not_carried

UNREAD = ("broken-line", "broken-file", "other-format", "unread-part", "unread-line")
"""Findings about parts of a file that are not in the document."""
DROPPED = {
    "ignored-line": ("line without triplets", "lines without triplets"),
    "repaired-line": ("line as it was written, before repairs", "lines as they were written, before repairs"),
    "loose-node": ("node without an edge", "nodes without edges"),
}
LISTED = ("narrative", "sgqa", "sgds", "sgg")
"""Formats whose items may stand in a JSON list as well as one on each line."""
KEY = re.compile(r"<key\b[^<>]*>")
KEY_NAME = re.compile(r"\battr\.name\s*=\s*[\"']([^\"']*)[\"']")
GRAPHML_NAMES = {"name", "kind", "label", "order"}
GRAPHML_REMARKS = {"descriptions": re.compile(r"<desc\b"), "comments": re.compile("<!--")}
LINK_FIELDS = {"directed", "multigraph", "graph", "nodes", "edges", "links"}
NODE_FIELDS, EDGE_FIELDS = {"id", "name", "kind"}, {"source", "target", "key", "label", "kind", "order"}


def rewritten(document: Document, original: str) -> str:
    """Return the text of a document in its own format, laid out as the original.

    Raise ``CannotCarry`` with the item and the graph where the format has no way to write it.
    """
    format = formats.by_name(document.format)
    if not (format.reads and format.writes):
        raise CannotCarry(f"{document.file}: {format.name} is read, never written")
    try:
        text = _laid_out(document, original)
    except CannotCarry:
        for left in not_carried(document, format):
            raise CannotCarry(f"item {left.item}, graph {left.graph + 1}: {left.reason}", hint=left.hint) from None
        raise
    try:
        read = read_document(text, document.file).entries
    except FileProblem:
        if any(entry.narrative.graphs for entry in document.entries):
            raise
        raise CannotCarry(f"{document.format} cannot carry a file without graphs", hint="add a graph") from None
    if len(read) != len(document.entries):
        raise CannotCarry(f"{document.format} cannot carry these items: {len(document.entries)} become {len(read)}")
    carries = formats.by_name(document.format).carries
    for old, new in zip(document.entries, read, strict=True):
        written, carried = ([graph.triplets for graph in entry.narrative.graphs] for entry in (old, new))
        if written != carried:
            number = next(
                (at for at, pair in enumerate(zip(written, carried, strict=False)) if pair[0] != pair[1]), len(carried)
            )
            message = (
                f"item {old.item}, graph {number + 1}: {document.format} cannot carry it: it would be read as another"
            )
            raise CannotCarry(message, hint="check its names, or convert the file to the format narrative")
        if formats.TEXTS in carries and _texts(old) != _texts(new):
            raise CannotCarry(f"item {old.item}: {document.format} cannot carry its texts as they are")
        if formats.VOCABULARIES in carries and old.narrative.vocabulary != new.narrative.vocabulary:
            raise CannotCarry(f"item {old.item}: {document.format} cannot carry its L as it is")
    return text


def losses(document: Document, original: str) -> tuple[str, ...]:
    """Return descriptions of what is not in the document, so that rewriting would drop it."""
    counts = Counter(finding.code for finding in document.findings if finding.code in DROPPED)
    dropped = [f"{number:,} {DROPPED[code][number > 1]}" for code, number in counts.items()]
    other_fields = list(dict.fromkeys(_other_fields(document.format, original)))
    return (*dropped, *([f"other fields: {', '.join(other_fields)}"] if other_fields else []))


def _laid_out(document: Document, original: str) -> str:
    start = original.lstrip("\ufeff \t\r\n")[:1]
    if document.format == "triplets" and (single := _single_graph(document, original)):
        return single
    if document.format == "node-link" and (lines := _node_link_lines(document.entries, start)):
        return "".join(lines)
    text = WRITERS[document.format](document)
    if document.format in LISTED and start == "[":
        lines = text.rstrip("\n").split("\n")
        return "[\n  " + ",\n  ".join(lines) + "\n]\n" if text else "[]\n"
    return text


def _single_graph(document: Document, original: str) -> str:
    """Return one graph as a list of triplets, where that was the layout; else nothing."""
    values = [json_triplets.to_value(graph) for entry in document.entries for graph in entry.narrative.graphs]
    was_single = all(json_triplets.is_triplet(item) for item in _items(original))
    return json.dumps(values[0], ensure_ascii=False) + "\n" if was_single and len(values) == 1 and values[0] else ""


def _node_link_lines(entries: Iterable[Entry], start: str) -> list[str]:
    """Return one object for each line, where that was the layout; else nothing."""
    entries = tuple(entries)
    graphs = [graph for entry in entries for graph in entry.narrative.graphs]
    is_lines = any(entry.line is not None for entry in entries)
    if not (is_lines or (start == "{" and len(graphs) == 1)):
        return []
    vocabulary = entries[0].narrative.vocabulary
    return [json.dumps(node_link.to_value(graph, vocabulary), ensure_ascii=False) + "\n" for graph in graphs]


def _texts(entry: Entry) -> list[str]:
    return [part.text for part in entry.narrative.descriptions if part.text]


def _other_fields(format: str, original: str) -> Iterator[str]:
    """Yield names of fields that the reader of a format leaves out."""
    if format == "graphml":
        for key in KEY.findall(original):
            name = KEY_NAME.search(key)
            if name is None or name[1] not in GRAPHML_NAMES:
                yield name[1] if name else "data of a graph editor"
        yield from (what for what, remark in GRAPHML_REMARKS.items() if remark.search(original))
    if format == "node-link":
        for value in _values(original):
            yield from (name for name in value if name not in LINK_FIELDS)
            attributes = value.get("graph") or ()
            yield from attributes if isinstance(attributes, dict) else ["graph"] * bool(attributes)
            for node in value.get("nodes", ()):
                yield from (name for name in node if name not in NODE_FIELDS)
            for edge in value.get("edges", value.get("links", ())):
                yield from (name for name in edge if name not in EDGE_FIELDS)
    if format == "narrative":
        for value in _values(original):
            lists = value.get("vocabulary") or {}
            yield from (name for name in lists if name.removesuffix("s") not in ("object", "relationship", "verb"))


def _values(original: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a text that is one, a list of them, or one on each line."""
    return [value for value in _items(original) if isinstance(value, dict)]


def _items(original: str) -> list[object]:
    """Return the JSON values of a text that is a list of them, one, or one on each line."""
    try:
        value = load(original)
    except NotationError:
        value = [load(line) for line in original.split("\n") if line.strip()]
    return value if isinstance(value, list) else [value]
