"""Triplets in block YAML: entries with a field for each part, and mappings from nodes to known edges.

>>> lines = ["- subject: solve", "  relation: dobj", "  object: x", "solve:", "  with: hand1"]
>>> [[str(triplet) for triplet in line.triplets] for _, line in entries_at(lines, 0)]
[['solve -> dobj -> x'], [], []]

A mapping is read only if all of its fields are certainly edges, ``verb`` or ``dobj`` among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tsgkit.graph.model import DOBJ, VERB, Triplet
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.line_prefixes import ARROW
from tsgkit.graph.reading.names import cleaned, fault_of, is_short
from tsgkit.graph.reading.tables import role_of

LONGEST_LINE = 400
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
PARTS = ("source", "edge", "target")
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
    match = FIELD.fullmatch(line.rstrip()) if len(line) <= LONGEST_LINE else None
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
    for field in fields:
        repeats = bool(field.role) and any(field.role == one.role for one in entry)
        all_dashed = all(one.has_dash for one in entry)
        if entry and (repeats or (field.has_dash and not (all_dashed and _is_open(entry)))):
            yield entry
            entry = []
        entry.append(field)
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
        for place, field in enumerate(entry):
            yield Placed(field.offset, Line(() if place else (Triplet(*names),), YAML))


def _pairs(fields: str) -> list[tuple[str, str]]:
    """Return the fields of a flow mapping without quotes around commas, ``edge: dobj, target: pot``."""
    apart = [part.partition(":") for part in fields.split(",") if part.strip()]
    return [(cleaned(key.strip()), cleaned(value.strip())) for key, _, value in apart]


def _flow_entry(line: str) -> Line | None:
    """Return the triplet of ``{subject: a, relation: b, object: c}``, which is no JSON for want of quotes."""
    if "{" not in line or len(line) > LONGEST_LINE or any(quote in line for quote in QUOTES):
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
        found = _node_with_edges(lines, at + offset)
        if not found or (offset > MOST_BEFORE_AN_ACTION and edges.isdisjoint(SURE_EDGES)):
            break
        form += [Placed(offset + one.offset, one.line) for one in found]
        edges.update(edge for one in found for _, edge, _ in one.line.triplets)
        offset += len(found)
    return [] if edges.isdisjoint(SURE_EDGES) else form


def _node_with_edges(lines: Sequence[str], at: int) -> Form:
    match = NODE.fullmatch(lines[at].rstrip()) if len(lines[at]) <= LONGEST_LINE and ":" in lines[at] else None
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
