"""Triplets whose parts are named: columns of tables, tags, fields of block YAML.

A table has a head; its cells stand between commas, tabs, semicolons or bars:

>>> lines = ["| Source | Target | Edge |", "|---|---|---|", "| lift | pot | dobj |"]
>>> [[str(triplet) for triplet in line.triplets] for _, line in table_at(lines, 0)]
[[], [], ['lift -> dobj -> pot']]

Tags are an element for each part, attributes, nested arrows, or markers before the parts:

>>> lines = ["<subj>lift</subj><rel>dobj</rel><obj>pot</obj>", "<triplet> lift <subj> hand1 <obj> with"]
>>> [str(triplet) for _, line in tagged_at(lines, 0) for triplet in line.triplets]
['lift -> dobj -> pot', 'lift -> with -> hand1']

Markers are in the order source, target, edge; if only the second of them is certainly an edge, nothing is read.

Block YAML has entries with a field for each part, or maps nodes to known edges:

>>> lines = ["- subject: solve", "  relation: dobj", "  object: x", "solve:", "  with: hand1"]
>>> [[str(triplet) for triplet in line.triplets] for _, line in entries_at(lines, 0)]
[['solve -> dobj -> x'], [], []]

A mapping is read only if all of its fields are certainly edges, ``verb`` or ``dobj`` among them.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tsgkit.graph.model import DOBJ, VERB, Triplet
from tsgkit.graph.reading.line import ARROW, Form, Line, Placed, cleaned, fault_of, is_known_edge, is_short, plain
from tsgkit.graph.reading.lines import is_ruler, read_arrows

LONGEST_HEAD = 300
LONGEST_WORD = 40
LONGEST_QUOTED_ROW = 10_000
MOST_COLUMNS = 12
SEPARATORS = "|\t;,"
IN_HEADS = frozenset(f"{SEPARATORS}｜；，、")
HEAD = re.compile(r"(?:source|subject|subj|head|from|src|node|entity)\b", re.IGNORECASE)
ROLES_OF_HEADS = {
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
    return next((role for end in ADDITIONS if (role := ROLES_OF_HEADS.get(bare.removesuffix(end)))), "")


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
    parts = [cells[column] for column in (head.source, head.edge, head.target)]
    if is_ruler(parts):
        return Line(ignored="a table head"), None
    names = [cleaned(part) for part in parts]
    if fault := fault_of(names):
        return Line(ignored=fault.replace("between arrows", "in a table"), looks_like_triplets=True), None
    if not is_known_edge(names[1]) and (is_known_edge(names[0]) or is_known_edge(names[2])):
        return Line(ignored="a table row that contradicts its head", looks_like_triplets=True), None
    return Line((Triplet(*names),), ("table row",)), None if head.graph is None else cells[head.graph]


LONGEST_TAGGED_LINE = 20_000
ROLES_OF_TAGS = {
    **dict.fromkeys(("subject", "subj", "source", "head"), "source"),
    **dict.fromkeys(("relation", "relationship", "rel", "predicate", "edge"), "edge"),
    **dict.fromkeys(("object", "obj", "target", "tail"), "target"),
}
PARTS = ("source", "edge", "target")
TRIPLETS = frozenset({"triplet", "triple"})
GRAPHS = frozenset({"graph", "graphs", "triplets", "triples"})
KNOWN = "|".join(sorted([*ROLES_OF_TAGS, *TRIPLETS, *GRAPHS], reverse=True))
BEGIN = re.compile(
    rf"</(?:{KNOWN})>|<(?:triplets?|triples?|graphs?)(?:\s[^<>]{{0,120}})?>|<(?:{KNOWN})\s[^<>]{{1,300}}/>"
)
TOKEN = re.compile(rf"<(/?)({KNOWN})\b([^<>]{{0,300}})>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"(\w{1,20})\s?=\s?[\"']([^\"'<>]{1,120})[\"']")
MARKED = re.compile(r"<triplet>([^<>\n]{1,100})((?:<subj>[^<>\n]{1,80}<obj>[^<>\n]{1,80}){1,20})(?=<|\Z)")
PAIR = re.compile(r"<subj>([^<>\n]{1,80})<obj>([^<>\n]{1,80})")
TAGS = ("tags",)
CUT = Line(ignored="a tagged triplet cut off", looks_like_triplets=True)


def tagged_at(lines: Sequence[str], at: int) -> Form:
    """Return the lines with tags that begin on a line, up to the first one without any."""
    form: Form = []
    reader = _Reader()
    for offset in range(len(lines) - at):
        text = lines[at + offset]
        if len(text) > LONGEST_TAGGED_LINE or not (
            "<" in text and (BEGIN.search(text) or (form and TOKEN.search(text)))
        ):
            break
        form += [
            Placed(offset, _in_order(*map(cleaned, (match.group(1), *pair))))
            for match in MARKED.finditer(text)
            for pair in PAIR.findall(match.group(2))
        ] or reader.read(text, offset)
    return [*form, *reader.open_lines()] if form else []


def _in_order(source: str, target: str, edge: str) -> Line:
    if is_known_edge(target) and not is_known_edge(edge):
        return Line(ignored="tags in an order that cannot be told", looks_like_triplets=True)
    return _of([source, edge, target])


def _of(names: Sequence[str]) -> Line:
    if fault := fault_of(names):
        return Line(ignored=fault, looks_like_triplets=True)
    return Line((Triplet(*names),), TAGS)


@dataclass
class _Reader:
    """A reader of tags that knows the parts of the current triplet and where it began."""

    parts: dict[str, str] = field(default_factory=dict)
    first: int | None = None
    opened: str = ""

    def read(self, text: str, offset: int) -> Iterator[Placed]:
        """Yield the triplets that the tags of a line complete, and empty lines for those that began earlier."""
        position, is_read = 0, False
        for match in TOKEN.finditer(text):
            for placed in self.take(match, text[position : match.start()].strip(), offset):
                is_read = is_read or placed.offset == offset
                yield placed
            position = match.end()
        if self.opened and text[position:].strip() and self.opened not in TRIPLETS:
            self.parts["cut"] = ""
        if not is_read:
            yield Placed(offset, Line((), TAGS))

    def take(self, match: re.Match[str], before: str, offset: int) -> Iterator[Placed]:
        """Yield what one tag, with the words before it, ends or begins."""
        name, closes = match.group(2).lower(), bool(match.group(1))
        if name in GRAPHS:
            yield from self.open_lines()
            yield Placed(offset, Line(ignored="a heading or lead-in", is_break=True))
        elif attributes := self.attributes(match.group(3)):
            yield Placed(offset, _of([attributes.get(part, "") for part in PARTS]))
        elif not closes:
            if name in TRIPLETS:
                yield from self.open_lines()
            self.first = offset if self.first is None else self.first
            self.opened = name
        elif name in TRIPLETS:
            yield from self.close_triplet(before, offset)
        elif name == self.opened and before:
            yield from self.close_part(ROLES_OF_TAGS[name], cleaned(before))

    def close_part(self, role: str, name: str) -> Iterator[Placed]:
        """Take one part; all three make a triplet."""
        if role in self.parts:
            yield from self.open_lines()
        self.parts[role] = name
        self.opened = ""
        if len(self.parts) == len(PARTS) and self.first is not None:
            yield Placed(self.first, _of([self.parts.get(part, "") for part in PARTS]))
            self.parts, self.first = {}, None

    def close_triplet(self, before: str, offset: int) -> Iterator[Placed]:
        """End a triplet whose parts were read before, or are inside as a line of their own."""
        if self.opened in TRIPLETS and before:
            yield Placed(offset, _within(before))
            self.parts, self.first, self.opened = {}, None, ""
        else:
            yield from self.open_lines()

    def open_lines(self) -> Iterator[Placed]:
        """Yield the triplet that was begun and not ended, if there is one, as cut off; forget it."""
        if self.parts or self.opened:
            yield Placed(self.first or 0, CUT)
        self.parts, self.first, self.opened = {}, None, ""

    @staticmethod
    def attributes(text: str) -> dict[str, str]:
        """Return the parts of a triplet among the attributes of a tag."""
        return {
            ROLES_OF_TAGS[key.lower()]: value for key, value in ATTRIBUTE.findall(text) if key.lower() in ROLES_OF_TAGS
        }


def _within(text: str) -> Line:
    """Return the triplet between two tags: between arrows, or parted by commas, semicolons or bars."""
    if ARROW.search(text):
        repairs = dict.fromkeys(TAGS)
        line = read_arrows(text, repairs)
        return line._replace(looks_like_triplets=bool(line.ignored))
    bare = text.strip("()[] ")
    for separator in ",;|":
        if len(names := [cleaned(name) for name in bare.split(separator)]) == len(PARTS):
            return _of(names)
    return Line(ignored="tags that hold no triplet", looks_like_triplets=True)


LONGEST_YAML_LINE = 400
MOST_BEFORE_TWO_PARTS = 8
MOST_BEFORE_AN_ACTION = 6
SURE_EDGES = frozenset({VERB, DOBJ})
QUOTES = ("'", '"')
NO_SCALAR = frozenset("[{|>&")
BULLET = r"(?:[-*•][ \t]{1,8}|\d{1,4}[.)][ \t]{1,8})?"
FIELD = re.compile(
    rf"(?P<dash>[ \t]{{0,40}}{BULLET})[*_`]{{0,3}}(?P<key>[A-Za-z][\w -]{{0,30}})[*_`]{{0,3}}"
    r":[*_]{0,3}(?:[ \t]+(?P<value>\S.*)|[ \t]*)"
)
IN_BRACES = r"\{(?P<fields>[^{}\[\]]{1,300})\}[ \t]*+"
FLOW = re.compile(rf"[ \t]{{0,40}}{BULLET}{IN_BRACES},?[ \t]*+")
NODE = re.compile(
    rf"(?P<indent>[ \t]{{0,40}})(?:-[ \t]{{1,8}})?[\"']?(?P<node>\w[\w-]{{0,40}})[\"']?:[ \t]*(?:{IN_BRACES})?"
)
COMMENT = re.compile(r"\s#\s.*")
YAML = ("YAML",)
INCOMPLETE = "an entry without source, edge and target"


class _Field(NamedTuple):
    offset: int
    has_dash: bool
    role: str
    value: str


def entries_at(lines: Sequence[str], at: int) -> Form:
    """Return the entries that start on a line with one of a triplet's fields."""
    if (flow := _flow_entry(lines[at])) is not None:
        return [Placed(0, flow)]
    first = _field(lines[at], 0)
    if first is None or not first.role:
        return []
    fields = [first]
    for offset in range(1, len(lines) - at):
        field = _field(lines[at + offset], offset)
        if field is None or (offset == MOST_BEFORE_TWO_PARTS and not _has_two_parts(fields)):
            break
        fields.append(field)
    if not _has_two_parts(fields[:MOST_BEFORE_TWO_PARTS]):
        return []
    return [placed for entry in _entries(fields) for placed in _read_entry(entry)]


def _has_two_parts(fields: list[_Field]) -> bool:
    return len({field.role for field in fields} - {""}) > 1


def _field(line: str, offset: int) -> _Field | None:
    match = FIELD.fullmatch(line.rstrip()) if len(line) <= LONGEST_YAML_LINE else None
    if match is None or not match["value"] or ARROW.search(line):
        return None
    role = role_of(match["key"])
    value = COMMENT.sub("", match["value"])
    if value[0] not in QUOTES and (value[0] in NO_SCALAR or ", " in value or value.strip().isdecimal()):
        value = ""
    return _Field(offset, bool(match["dash"].strip()), role if role != "graph" else "", cleaned(value))


def _entries(fields: list[_Field]) -> Iterator[list[_Field]]:
    """Part fields into entries: at a dash, or at a part that the entry has already where every field has a dash."""
    entry: list[_Field] = []
    for part in fields:
        repeats = bool(part.role) and any(part.role == earlier.role for earlier in entry)
        all_dashed = all(earlier.has_dash for earlier in entry)
        if entry and (repeats or (part.has_dash and not (all_dashed and _is_open(entry)))):
            yield entry
            entry = []
        entry.append(part)
    yield entry


def _is_open(entry: list[_Field]) -> bool:
    return len({field.role for field in entry} - {""}) < len(PARTS)


def _read_entry(entry: list[_Field]) -> Iterator[Placed]:
    parts = {field.role: field.value for field in entry if field.role}
    names = [parts.get(role, "") for role in PARTS]
    is_even = len({field.has_dash for field in entry[1:]}) < 2 and (entry[0].has_dash or not entry[-1].has_dash)
    fault = INCOMPLETE if len(parts) < len(names) or not is_even else fault_of(names)
    if not parts:
        yield from (Placed(field.offset, Line(ignored="no triplet")) for field in entry)
    elif fault:
        yield from (Placed(field.offset, Line(ignored=fault, looks_like_triplets=True)) for field in entry)
    else:
        for position, field in enumerate(entry):
            yield Placed(field.offset, Line(() if position else (Triplet(*names),), YAML))


def _pairs(fields: str) -> list[tuple[str, str]]:
    """Return the fields of a flow mapping without quotes around commas, ``edge: dobj, target: pot``."""
    apart = [part.partition(":") for part in fields.split(",") if part.strip()]
    return [(cleaned(key.strip()), cleaned(value.strip())) for key, _, value in apart]


def _flow_entry(line: str) -> Line | None:
    """Return the triplet of ``{subject: a, relation: b, object: c}``, which is no JSON for want of quotes."""
    if "{" not in line or len(line) > LONGEST_YAML_LINE or any(quote in line for quote in QUOTES):
        return None
    if (match := FLOW.fullmatch(line)) is None:
        return None
    parts = {role_of(key): value for key, value in _pairs(match["fields"])}
    names = [parts.get(role, "") for role in PARTS]
    return None if not all(names) or fault_of(names) else Line((Triplet(*names),), YAML)


def mapping_at(lines: Sequence[str], at: int) -> Form:
    """Return the mapping from nodes to edges that begins on a line, where every field is a known edge."""
    form: Form = []
    edges: set[str] = set()
    offset = 0
    while at + offset < len(lines):
        triplet_lines = _node_with_edges(lines, at + offset)
        if not triplet_lines or (offset > MOST_BEFORE_AN_ACTION and edges.isdisjoint(SURE_EDGES)):
            break
        form += [Placed(offset + placed.offset, placed.line) for placed in triplet_lines]
        edges.update(edge for placed in triplet_lines for _, edge, _ in placed.line.triplets)
        offset += len(triplet_lines)
    return [] if edges.isdisjoint(SURE_EDGES) else form


def _node_with_edges(lines: Sequence[str], at: int) -> Form:
    match = NODE.fullmatch(lines[at].rstrip()) if len(lines[at]) <= LONGEST_YAML_LINE and ":" in lines[at] else None
    if match is None:
        return []
    if match["fields"]:
        pairs = _pairs(match["fields"])
        if not all(is_known_edge(edge) and is_short(target) for edge, target in pairs):
            return []
        return [Placed(0, Line(tuple(Triplet(match["node"], edge, target) for edge, target in pairs), YAML))]
    form = [Placed(0, Line((), YAML))]
    for offset in range(1, len(lines) - at):
        line = lines[at + offset]
        if len(line) - len(line.lstrip()) <= len(match["indent"]) or (field := FIELD.fullmatch(line.rstrip())) is None:
            break
        edge, target = field["key"], cleaned(COMMENT.sub("", field["value"] or ""))
        if not is_known_edge(edge) or not is_short(target) or ARROW.search(line):
            return []
        form.append(Placed(offset, Line((Triplet(match["node"], edge, target),), YAML)))
    return form if len(form) > 1 else []
