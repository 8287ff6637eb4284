"""Tables with a header that names the columns: CSV, tabs, semicolons, bars, Markdown.

>>> lines = ["| Source | Target | Edge |", "|---|---|---|", "| lift | pot | dobj |"]
>>> [[str(triplet) for triplet in line.triplets] for _, line in table_at(lines, 0)]
[[], [], ['lift -> dobj -> pot']]
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.line_prefixes import ARROW
from tsgkit.graph.reading.names import cleaned, fault_of
from tsgkit.graph.reading.rows import is_ruler
from tsgkit.graph.reading.spelling import plain

LONGEST_HEAD = 300
LONGEST_WORD = 40
LONGEST_QUOTED_ROW = 10_000
MOST_COLUMNS = 12
SEPARATORS = "|\t;,"
IN_HEADS = frozenset(f"{SEPARATORS}｜；，、")
HEAD = re.compile(r"(?:source|subject|subj|head|from|src|node|entity)\b", re.IGNORECASE)
ROLES = {
    **dict.fromkeys(("source", "subject", "subj", "head", "from", "src", "node1", "entity1"), "source"),
    **dict.fromkeys(("edge", "relation", "relationship", "predicate", "label", "rel"), "edge"),
    **dict.fromkeys(("target", "object", "obj", "tail", "to", "dst", "node2", "entity2"), "target"),
    **dict.fromkeys(("graph", "scene", "step"), "graph"),
}
MARKS = re.compile(r"[\s_#.*`\"'-]+")
ADDITIONS = ("", "node", "entity", "name", "label", "id", "no", "number")


class Head(NamedTuple):
    """The separator of a table and the positions of its columns."""

    separator: str
    columns: int
    source: int
    edge: int
    target: int
    graph: int | None

    def cells(self, text: str) -> list[str]:
        """Return the cells of a row."""
        return _cells(text, self.separator)


def table_at(lines: Sequence[str], at: int) -> Form:
    """Return the table whose header is on a line, up to the first line that is not a row."""
    head = _head(lines[at])
    if head is None:
        return []
    form = [Placed(0, Line(ignored="a table head"))]
    graph = None
    for offset in range(1, len(lines) - at):
        text = plain(lines[at + offset]).text
        if head.separator not in text or ARROW.search(text):
            break
        line, group = _row(head, head.cells(text))
        form.append(Placed(offset, line._replace(is_break=None not in (group, graph) and group != graph)))
        graph = graph if group is None else group
    return form


def role_of(word: str) -> str:
    """Return the part of a triplet that a column or a field holds, by its name; empty for other names.

    >>> role_of("Source Node"), role_of("**predicate**"), role_of("color")
    ('source', 'edge', '')
    """
    bare = MARKS.sub("", word[:LONGEST_WORD].lower()).removeprefix("action")
    return next((role for end in ADDITIONS if (role := ROLES.get(bare.removesuffix(end)))), "")


def _head(line: str) -> Head | None:
    if len(line) > LONGEST_HEAD or IN_HEADS.isdisjoint(line) or not HEAD.search(line):
        return None
    text = plain(line).text
    separator = next((mark for mark in SEPARATORS if mark in text), None)
    if separator is None or ARROW.search(text):
        return None
    roles = [role_of(cell) for cell in _cells(text, separator)]
    if len(roles) > MOST_COLUMNS or any(roles.count(role) != 1 for role in ("source", "edge", "target")):
        return None
    graph = roles.index("graph") if roles.count("graph") == 1 else None
    source, edge, target = (roles.index(role) for role in ("source", "edge", "target"))
    return Head(separator, len(roles), source, edge, target, graph)


def _cells(text: str, separator: str) -> list[str]:
    if separator == "|":
        text = text.removeprefix("|").removesuffix("|")
    if separator == "," and '"' in text and len(text) <= LONGEST_QUOTED_ROW:
        return [cell.strip() for cell in next(csv.reader([text], skipinitialspace=True), [])]
    return [cell.strip() for cell in text.split(separator)]


def _row(head: Head, cells: list[str]) -> tuple[Line, str | None]:
    """Return the triplet of a row, and the graph that it names."""
    if is_ruler(cells):
        return Line(ignored="a table head"), None
    if len(cells) != head.columns:
        return Line(ignored=f"a table row without {head.columns} cells", looks_like_triplets=True), None
    parts = [cells[place] for place in (head.source, head.edge, head.target)]
    if is_ruler(parts):
        return Line(ignored="a table head"), None
    names = [cleaned(part) for part in parts]
    if fault := fault_of(names):
        return Line(ignored=fault.replace("between arrows", "in a table"), looks_like_triplets=True), None
    if not is_known_edge(names[1]) and (is_known_edge(names[0]) or is_known_edge(names[2])):
        return Line(ignored="a table row that contradicts its head", looks_like_triplets=True), None
    return Line((Triplet(*names),), ("table row",)), None if head.graph is None else cells[head.graph]
