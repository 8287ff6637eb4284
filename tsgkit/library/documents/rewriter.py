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
        start = original.lstrip("\ufeff \t\r\n")[:1]
        entries = document.entries
        graphs = [graph for entry in entries for graph in entry.narrative.graphs]
        is_list = format.name == "triplets" and all(json_triplets.is_triplet(part) for part in _items(original))
        is_lines = any(entry.line is not None for entry in entries) or (start == "{" and len(graphs) == 1)
        if is_list and len(graphs) == 1 and (triplets := json_triplets.to_value(graphs[0])):
            text = json.dumps(triplets, ensure_ascii=False) + "\n"  # of one graph alone
        elif format.name == "node-link" and is_lines and graphs:
            linked = [node_link.to_value(graph, entries[0].narrative.vocabulary) for graph in graphs]
            text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in linked)
        else:
            text = WRITERS[format.name](document)
            if format.name in LISTED and start == "[":
                lines = text.rstrip("\n").split("\n")
                text = "[\n  " + ",\n  ".join(lines) + "\n]\n" if text else "[]\n"
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
            pairs = enumerate(zip(written, carried, strict=False))
            number = 1 + next((at for at, (before, after) in pairs if before != after), len(carried))
            message = f"item {old.item}, graph {number}: {document.format} cannot carry it: it would be read as another"
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
    fields, format = list[str](), document.format  # that the reader of the format leaves out
    if format == "graphml":
        for key in KEY.findall(original):
            name = KEY_NAME.search(key)
            if name is None or name[1] not in GRAPHML_NAMES:
                fields.append(name[1] if name else "data of a graph editor")
        fields += [what for what, remark in GRAPHML_REMARKS.items() if remark.search(original)]
    for value in _items(original) if format in ("node-link", "narrative") else ():
        if isinstance(value, dict) and format == "node-link":
            fields += [name for name in value if name not in LINK_FIELDS]
            attributes: Any = value.get("graph") or ()
            fields += attributes if isinstance(attributes, dict) else ["graph"] * bool(attributes)
            fields += [name for node in value.get("nodes", ()) for name in node if name not in NODE_FIELDS]
            edges: Any = value.get("edges", value.get("links", ()))
            fields += [name for edge in edges for name in edge if name not in EDGE_FIELDS]
        elif isinstance(value, dict):
            lists = value.get("vocabulary") or {}
            fields += [name for name in lists if name.removesuffix("s") not in ("object", "relationship", "verb")]
    return (*dropped, *([f"other fields: {', '.join(dict.fromkeys(fields))}"] if fields else []))


def _texts(entry: Entry) -> list[str]:
    return [part.text for part in entry.narrative.descriptions if part.text]


def _items(original: str) -> list[Any]:
    """Return the JSON values of a text that is a list of them, one, or one on each line."""
    try:
        value = load(original)
    except NotationError:
        value = [load(line) for line in original.split("\n") if line.strip()]
    return value if isinstance(value, list) else [value]
