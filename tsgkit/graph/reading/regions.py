"""Triplets in bracketed regions that are not valid JSON: truncated JSON, and Python lists.

>>> from tsgkit.graph.reading.text import find_blocks
>>> region = '{"graph_1": ["person -> verb -> wash", "wash -> dobj -> cup"], "nodes": ["person", "cup", "sink"], "gra'
>>> for piece in pieces_of(region, find_blocks):
...     print(region[piece.start : piece.end], len(piece.triplets))
"person -> verb -> wash" 1
"wash -> dobj -> cup" 1
["person", "cup", "sink"] 0
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import is_whole_graph
from tsgkit.graph.reading.line_prefixes import ARROW, GRAPH_KEY
from tsgkit.graph.reading.values import ReadText, is_list_of_names, look, triplet_of
from tsgkit.replies.near_json import nested_values_in, unescaped

QUOTE = re.compile("[\"']")
IN_QUOTES = {'"': re.compile(r'"(?:[^"\\\n]|\\.)*("?)'), "'": re.compile(r"'(?:[^'\\\n]|\\.)*('?)")}
KEY_BEFORE = re.compile(r"""["']([^"'\n]{1,60})["']\s{0,3}:\s{0,3}\Z""")
LONGEST_KEY = 70
COMMENT = re.compile(r"(?:^|\s)(?:#|//)\s[^\n]*\Z", re.MULTILINE)
MOST_OF_A_COMMENT = 200


class Piece(NamedTuple):
    """A span of a region and its graphs; none if it only lists names.

    ``opens_graph``: its field is named like one graph of several. ``unread``: the number of its parts that could not be
    read.
    """

    start: int
    end: int
    graphs: tuple[tuple[Triplet, ...], ...] = ()
    opens_graph: bool = False
    unread: int = 0
    is_text: bool = False

    @property
    def is_whole(self) -> bool:
        """Say whether its graphs are complete, so that nothing around it joins them."""
        return len(self.graphs) > 1 or any(map(is_whole_graph, self.graphs))

    @property
    def triplets(self) -> tuple[Triplet, ...]:
        """The triplets of all its graphs."""
        return tuple(triplet for graph in self.graphs for triplet in graph)


def pieces_of(region: str, read_text: ReadText) -> list[Piece]:
    """Return the pieces of a region in order, without nested ones."""
    apart: list[Piece] = []
    for piece in sorted([*_values(region), *_texts(region, read_text)]):
        if not apart or piece.start >= apart[-1].end:
            apart.append(piece)
    return apart


def loaded(line: str) -> object:
    """Load a line that ends in a bracket as JSON; None where it is none."""
    if line[-1:] not in ("]", "}"):
        return None
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def _values(region: str) -> Iterator[Piece]:
    """Yield the lists and objects that are triplets, and lists of three names that their key says are none."""
    for found in nested_values_in(region):
        text = region[found.start : found.end]
        triplet = triplet_of(found.value) if QUOTE.search(text) else None
        if triplet is None:
            continue
        key = _key_before(region, found.start) if isinstance(found.value, list) else ""
        is_comment = COMMENT.search(region, max(0, found.start - MOST_OF_A_COMMENT), found.start)
        is_triplet = not is_comment and (not key or not is_list_of_names(key, list(triplet)))
        yield Piece(found.start, found.end, ((triplet,),) if is_triplet else (), _is_graph(key))


def _texts(region: str, read_text: ReadText) -> Iterator[Piece]:
    """Yield the strings with arrows in them."""
    for match in _quoted(region):
        if ARROW.search(region, match.start(), match.end()):
            holding = look([unescaped(match.group()[1:-1])], read_text)
            graphs = tuple(map(tuple, holding.graphs))
            if graphs:
                is_graph = _is_graph(_key_before(region, match.start()))
                yield Piece(match.start(), match.end(), graphs, is_graph, holding.unread, is_text=True)


def _quoted(region: str) -> Iterator[re.Match[str]]:
    """Yield the strings of a region; the text after an unclosed quote is searched once for each kind of quote."""
    at, open_to = 0, dict.fromkeys(IN_QUOTES, 0)
    while quote := QUOTE.search(region, at):
        at, mark = quote.end(), quote.group()
        if quote.start() < open_to[mark]:
            continue
        match = IN_QUOTES[mark].match(region, quote.start())
        if match is None or not match.group(1):
            open_to[mark] = match.end() if match else at
            continue
        yield match
        at = match.end()


def _key_before(region: str, place: int) -> str:
    """Return the name of the field whose value begins at a place; empty in a list."""
    match = KEY_BEFORE.search(region, max(0, place - LONGEST_KEY), place)
    return match.group(1) if match else ""


def _is_graph(key: str) -> bool:
    return GRAPH_KEY.fullmatch(key) is not None
