"""JSON in model replies: triplets as lists or objects, graphs as lists of them, under any names, whole or broken.

>>> cup = {"source": "wash", "edge": "dobj", "target": "cup"}
>>> holding = look({"graphs": [{"triplets": [["person", "verb", "wash"], cup]}]}, lambda text: ([], []))
>>> [[str(triplet) for triplet in graph] for graph in holding.graphs]
[['person -> verb -> wash', 'wash -> dobj -> cup']]

A string may contain graphs as well: arrow lines, brackets, JSON again. The caller passes the reader of texts.

Brackets that are not valid JSON (cut off, or lists of Python) are read piece by piece:

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.corrections import GIVEN
from tsgkit.graph.reading.line import ARROW, GRAPH_KEY, Block, Note, is_whole_graph, names_known_edge
from tsgkit.graph.reading.lines import understand
from tsgkit.replies.near_json import nested_values_in, unescaped

DEEPEST = 20
TRIPLET_KEY = re.compile(r"tripl|edge|relation|^\d+$", re.IGNORECASE)
REASONING_KEY = re.compile(r"reason|rational|thought|thinking|expla|analysis", re.IGNORECASE)
PLAIN = re.compile(r"[\w'. -]*")
"""A name without the marks that triplets and lists are written with."""
ENDS = (
    ("source", "subject", "head", "from", "node1", "start", "主体", "主语", "起点"),
    ("edge", "relation", "relationship", "predicate", "label", "type", "关系", "谓语", "边"),
    ("target", "object", "tail", "to", "node2", "end", "客体", "宾语", "终点"),
)
ReadText = Callable[[str], tuple[list[Block], list[Note]]]


@dataclass
class Holding:
    """The graphs in a value, whether it was a single triplet, and the numbers of ignored and unread parts."""

    graphs: list[list[Triplet]] = field(default_factory=list)
    is_triplet: bool = False
    ignored: int = 0
    unread: int = 0


def look(value: object, read_text: ReadText) -> Holding:
    """Return all graphs in a JSON value; a list that mixes triplets with other lists is read in order."""
    if (lone := triplet_of(value)) is not None:
        return Holding([[lone]], is_triplet=True)
    walk = _Walk(read_text)
    walk.visit(value, 0)
    return walk.holding


def triplet_of(value: object) -> Triplet | None:
    """Return the triplet a value is by itself: a list of three names, or an object with two ends and a label.

    An object with triplets in another field is not a triplet: its ends and label are the time or place of a scene.
    """
    if (parts := _three_strings(value)) is None or (isinstance(value, list) and not are_names(parts)):
        return None
    if isinstance(value, dict) and any(_holds_triplets(part) for part in value.values()):
        return None
    return Triplet(*(part.strip() for part in parts))


def are_names(strings: list[str]) -> bool:
    """Return whether three strings may be the names of one triplet: they are not triplets or lists themselves."""
    if all(map(PLAIN.fullmatch, strings)):
        return True
    lines = [understand(string) for string in strings if string.strip()]
    if any(line.triplets for line in lines) or any(ARROW.search(string) for string in strings):
        return False
    return not all(line.looks_like_triplets for line in lines) and not all(name.count(",") == 2 for name in strings)


def is_list_of_names(key: str, names: list[str]) -> bool:
    """Return whether three names in a field are a list (of nodes, say), by its key and by the name in their middle."""
    return not TRIPLET_KEY.search(key) and not names_known_edge([Triplet(*names)])


def _is_text(value: object) -> bool:
    """Return whether a value is a string or a list of strings."""
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))


def _three_strings(value: object) -> list[str] | None:
    parts: list[object] = []
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = [next((value[key] for key in keys if isinstance(value.get(key), str)), None) for keys in ENDS]
    strings = [part for part in parts if isinstance(part, str)]
    return strings if len(strings) == len(parts) == 3 else None


def _holds_triplets(value: object) -> bool:
    """Return whether a value is a list of triplets, or of lists of them, by the first; or a string of several."""
    if isinstance(value, str):
        return "\n" in value.strip() or len(understand(value).triplets) > 1
    for _ in range(2):
        value = value[0] if isinstance(value, list) and value else None
        if _three_strings(value) or (isinstance(value, str) and understand(value).triplets):
            return True
    return False


class _Walk:
    """A pass over a value, with the graph under construction."""

    def __init__(self, read_text: ReadText) -> None:
        self.read_text = read_text
        self.holding = Holding()
        self.graph: list[Triplet] = []

    def visit(self, value: object, depth: int) -> None:
        """Take all parts of a list or an object; the triplets left open at its end are one graph."""
        if depth > DEEPEST:
            self.holding.ignored += 1
            return
        if isinstance(value, dict):
            for key, part in value.items():
                self.take_field(key, part, len(value), depth)
        elif isinstance(value, list):
            for part in value:
                self.take(part, depth, is_listed=True)
        self.close()

    def take_field(self, key: str, part: object, fields: int, depth: int) -> None:
        names = _three_strings(part) if isinstance(part, list) and fields > 1 else None
        only_names = names and are_names(names) and is_list_of_names(key, names)
        is_given = fields > 1 and GIVEN.match(key) is not None
        if only_names or is_given or (_is_text(part) and REASONING_KEY.search(key)):
            self.holding.ignored += 1
        elif GRAPH_KEY.fullmatch(key):
            self.close()
            self.take(part, depth, is_listed=False)
            self.close()
        else:
            self.take(part, depth, is_listed=False)

    def take(self, part: object, depth: int, *, is_listed: bool) -> None:
        """Take one part: a triplet joins the open graph, a list or object of others closes it."""
        if (triplet := triplet_of(part)) is not None:
            self.graph.append(triplet)
        elif isinstance(part, str):
            self.take_text(part)
        elif isinstance(part, (list, dict)) and part:
            self.close()
            before, ignored = (len(self.holding.graphs), self.holding.unread), self.holding.ignored
            self.visit(part, depth + 1)
            if is_listed and (len(self.holding.graphs), self.holding.unread) == before:
                self.holding.unread += 1
                self.holding.ignored = ignored
        else:
            self.holding.ignored += 1

    def take_text(self, text: str) -> None:
        """Read a string: it joins the open graph, unless it holds a whole graph or several."""
        blocks, notes = self.read_text(text)
        graphs = [[line.triplet for line in block] for block in blocks]
        if any(note.kind == "unread" for note in notes):
            self.holding.unread += 1
        elif not graphs or any(note.kind == "ignored" for note in notes):
            self.holding.ignored += 1
        if len(graphs) == 1 and not is_whole_graph(graphs[0]):
            self.graph += graphs[0]
        elif graphs:
            self.close()
            self.holding.graphs += graphs

    def close(self) -> None:
        if self.graph:
            self.holding.graphs.append(self.graph)
            self.graph = []


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
    for value in nested_values_in(region):
        text = region[value.start : value.end]
        triplet = triplet_of(value.value) if QUOTE.search(text) else None
        if triplet is None:
            continue
        key = _key_before(region, value.start) if isinstance(value.value, list) else ""
        is_comment = COMMENT.search(region, max(0, value.start - MOST_OF_A_COMMENT), value.start)
        is_triplet = not is_comment and (not key or not is_list_of_names(key, list(triplet)))
        yield Piece(value.start, value.end, ((triplet,),) if is_triplet else (), _is_graph(key))


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


def _key_before(region: str, end: int) -> str:
    """Return the name of the field whose value begins at a place; empty in a list."""
    match = KEY_BEFORE.search(region, max(0, end - LONGEST_KEY), end)
    return match.group(1) if match else ""


def _is_graph(key: str) -> bool:
    return GRAPH_KEY.fullmatch(key) is not None
