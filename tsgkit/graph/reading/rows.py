"""Triplets on a line without an arrow: in brackets, as a table row, as three cells, or as a call of the edge.

>>> for line in ("(wash, dobj, cup), (wash, with, hand1)", "<wash> <dobj> <cup>", "dobj(wash, cup)", "wash; dobj; cup"):
...     print(len(read_row(line).triplets), read_row(line).repairs)
2 ('list of three',)
1 ('angle brackets',)
1 ('edge before its ends',)
1 ('three cells',)

Three cells without brackets are a triplet only if the middle one is certainly an edge, because lists of objects look
the same. All patterns are bounded.
"""

from __future__ import annotations

import re
from itertools import chain

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import Line, is_known_edge, names_known_edge
from tsgkit.graph.reading.names import BRACKETS, ECHO, cleaned, has_placeholder, is_short

GROUP_OF_THREE = re.compile(r"[\[(<]([^][(){}<>,\"]+),([^][(){}<>,\"]+),([^][(){}<>,\"]+)[\])>]")
ANGLES = re.compile(r"<([^<>/=|]{1,80})>[ \t,]{0,3}<([^<>/=|]{1,80})>[ \t,]{0,3}<([^<>/=|]{1,80})>")
CALL = re.compile(r"([\w-]{1,40})\(([^(),]{1,80}),([^(),]{1,80})\)")
BRACKETS_ONLY = frozenset("[](){}<>,;: ")
AROUND_GROUPS = BRACKETS_ONLY | frozenset(".*_`")
AND = re.compile(r"\b(?:and|und|et|y)\b|[和与]")
TABLE_WORDS = frozenset(
    {"source", "subject", "head", "node", "from", "edge", "relation", "predicate", "target", "object"}
)
CELL = r"[ \t]{0,3}[:=][ \t]{0,3}([^,;|:=]{1,80}?)[ \t]{0,3}"
LABELLED = re.compile(
    rf"\W{{0,4}}(?:source|subject|head|from){CELL}(?:[,;|]|\s)\s{{0,3}}(?:edge|relation(?:ship)?|predicate){CELL}"
    rf"(?:[,;|]|\s)\s{{0,3}}(?:target|object|tail|to){CELL}",
    re.IGNORECASE,
)
"""``Source: person, Edge: verb, Target: lift``"""
TELLING = re.compile(r"[^()\[\]{}<>]{1,80}\b(?:is|are|of|contains?|has|holds?|includes?)[ \t]{0,3}:?[ \t]{0,3}")
"""The beginning of a sentence that lists triplets."""
ROW = re.compile(r"[][(){}<>|\t;,`]|\s[-–—]\s")
"""A mark that every row has."""
SEPARATORS = ("\t", "|", ";", ",", " - ", " – ", " — ")


def read_row(text: str) -> Line | None:
    """Return the content of a line without an arrow; None if it does not look like triplets."""
    if ROW.search(text) is None:
        return None
    return _table_row(text) or _bare_groups(text) or _angles(text) or _calls(text) or _cells(text)


def read_labelled(text: str) -> Line | None:
    """Return the triplet of a line that names each of its parts; None for other lines."""
    match = LABELLED.fullmatch(text)
    return Line((Triplet(*map(cleaned, match.groups())),), ("labelled parts",)) if match else None


def groups_of_three(text: str) -> list[Triplet]:
    """Return every group like ``(a, b, c)`` in a text."""
    return [Triplet(*map(cleaned, match.groups())) for match in GROUP_OF_THREE.finditer(text)] if "," in text else []


def is_ruler(cells: list[str]) -> bool:
    """Return whether these are the cells of the line under a table's head."""
    return all(set(cell) <= set("-=: ") for cell in cells)


def _table_row(text: str) -> Line | None:
    """Return a row of a Markdown table with three columns, or four of which the first is a number."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 1):
        return None
    cells = [cleaned(cell) for cell in text[1:-1].split("|", maxsplit=5)]
    if len(cells) == 4 and cells[0].isdigit():
        cells = cells[1:]
    if len(cells) != 3 or not all(cells):
        return Line(ignored="a table row without three cells")
    if is_ruler(cells) or all(cell.lower() in TABLE_WORDS for cell in cells):
        return Line(ignored="a table head")
    if not is_known_edge(cells[1]):
        return Line(ignored="a table row without a known edge in its middle")
    return Line((Triplet(*cells),), ("table row",))


def _bare_groups(text: str) -> Line | None:
    """Return a whole line of groups of the form ``(a, b, c)`` or ``[a, b, c]``, alone or in further brackets."""
    triplets = groups_of_three(text)
    if not all(all(triplet) for triplet in triplets) or all(map(str.isdecimal, chain(*triplets))):
        return None
    rest = GROUP_OF_THREE.sub(" ", text)
    if len(triplets) > 1 and names_known_edge(triplets) and (telling := TELLING.match(rest)):
        rest = rest[telling.end() :]
    if not set(rest) <= AROUND_GROUPS and not set(AND.sub(" ", rest)) <= AROUND_GROUPS:
        return None
    return Line(tuple(triplets), ("list of three",))


def _angles(text: str) -> Line | None:
    """Return a line of triplets whose names are all in angle brackets."""
    found = ANGLES.findall(text) if text.startswith("<") else []
    if not found or not set(ANGLES.sub("", text)) <= set(" ,;."):
        return None
    if any(has_placeholder([f"<{name}>" for name in names]) for names in found):
        return Line(ignored=ECHO)
    triplets = tuple(Triplet(*map(cleaned, names)) for names in found)
    return Line(triplets, ("angle brackets",)) if all(map(all, triplets)) else None


def _calls(text: str) -> Line | None:
    """Return a whole line of calls like ``dobj(wash, cup)``, each of an edge that is known."""
    found = CALL.findall(text) if text.endswith((")", ").", "),", ");")) else []
    if not found or not set(CALL.sub("", text)) <= set(" ,;."):
        return None
    triplets = tuple(Triplet(cleaned(source), edge, cleaned(target)) for edge, source, target in found)
    if not all(is_known_edge(edge) and is_short(source) and is_short(target) for source, edge, target in triplets):
        return None
    return Line(triplets, ("edge before its ends",))


def _cells(text: str) -> Line | None:
    """Return three cells with a known edge in their middle, or several of them parted by semicolons."""
    if any(text.count(opening) != text.count(closing) for opening, closing in BRACKETS):
        return None
    if (triplet := _three_cells(text)) is not None:
        return Line((triplet,), ("three cells",))
    pieces = [piece for piece in text.split(";") if piece.strip()] if ";" in text else []
    triplets = [triplet for piece in pieces if (triplet := _three_cells(piece)) is not None]
    if not triplets or len(triplets) < len(pieces):
        return None
    return Line(tuple(triplets), ("several triplets on a line", "three cells"))


def _three_cells(text: str) -> Triplet | None:
    for separator in SEPARATORS:
        if text.count(separator) == 2:
            names = [cleaned(cell) for cell in text.split(separator)]
            if is_known_edge(names[1]) and is_short(names[0]) and is_short(names[2]):
                return Triplet(*names)
    return None
