"""Reader of Graphviz DOT: nodes by their labels or ids, edges by their labels.

>>> lines = ['digraph { a [label="person"]; a -> lift [label="verb"];', 'lift -> "pot" [color=red, label=dobj]; }']
>>> [str(triplet) for _, line in digraph_at(lines, 0) for triplet in line.triplets]
['person -> verb -> lift', 'lift -> dobj -> pot']

An edge without a label is no triplet, unless three nodes in a row are written as ``person -> verb -> lift``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.names import NODE_ID, fault_of

LONGEST_LINE = 20_000
HEAD = re.compile(r"\s{0,40}(?:strict\s)?digraph\b[^{}\n;>-]{0,60}(\{|\Z)")
ID = r"(?:\"[^\"\n]{1,120}\"|\w[\w.]{0,40}(?:-\w[\w.]{0,40}){0,6})"
ATTRIBUTES = r"\[[^\]\n]{0,300}\]"
EDGE = re.compile(rf"\s*({ID})((?:\s{{0,8}}->\s{{0,8}}{ID}){{1,20}})\s{{0,8}}({ATTRIBUTES})?\s*")
NODE = re.compile(rf"\s*({ID})\s{{0,8}}({ATTRIBUTES})\s*")
ID_ALONE = re.compile(ID)
LABEL = re.compile(rf"(?<![\w.])label\s{{0,4}}=\s{{0,4}}({ID})")
TOKEN = re.compile(r"\"[^\"\n]*\"?|\[[^\]\n]*\]?|[{};]|[^\"\[{};]+")
DEFAULTS = frozenset({"node", "edge", "graph"})
DOT = ("DOT",)
SETTING = Line(ignored="no triplet")
HEADING = Line(ignored="a heading or lead-in", is_break=True)


class _Edge(NamedTuple):
    """A chain of node ids, and the label of each edge."""

    nodes: list[str]
    label: str


Statement = Line | _Edge


def digraph_at(lines: Sequence[str], at: int) -> Form:
    """Return the graph that begins on a line, up to its last bracket; or lines of labelled edges without one."""
    if HEAD.match(lines[at]) is None:
        return _bare_edges(lines, at)
    statements: list[tuple[int, Statement]] = []
    labels: dict[str, str] = {}
    depth = 0
    for offset in range(len(lines) - at):
        line = lines[at + offset]
        if len(line) > LONGEST_LINE or line.lstrip().startswith("```"):
            break
        parts = _parts(line)
        statements += [(offset, _statement(part, labels)) for part in parts if part != "{" or len(parts) == 1]
        depth += parts.count("{") - parts.count("}")
        if depth <= 0 and "}" in parts:
            break
    return [Placed(offset, one if isinstance(one, Line) else _read(one, labels)) for offset, one in statements]


def _bare_edges(lines: Sequence[str], at: int) -> Form:
    form: Form = []
    for offset in range(len(lines) - at):
        line = lines[at + offset]
        if "->" not in line or "[" not in line or len(line) > LONGEST_LINE:
            break
        match = EDGE.fullmatch(line.rstrip().removesuffix(";"))
        if match is None or not match.group(3) or not LABEL.search(match.group(3)):
            break
        form.append(Placed(offset, _read(_edge(match), {})))
    return form


def _parts(line: str) -> list[str]:
    """Return the statements and curly brackets of a line."""
    parts, statement = [], ""
    for token in TOKEN.findall(line):
        if token in ("{", "}", ";"):
            parts += [statement.strip(), token]
            statement = ""
        else:
            statement += token
    return [part for part in (*parts, statement.strip()) if part and part != ";"]


def _statement(part: str, labels: dict[str, str]) -> Statement:
    """Read a statement; keep a node's label in ``labels``."""
    if match := EDGE.fullmatch(part):
        return _edge(match)
    if part in ("{", "}") or part.startswith(("subgraph", "digraph", "strict")):
        return HEADING
    if "->" in part:
        return Line(ignored="an edge cut off", looks_like_triplets=True)
    match = NODE.fullmatch(part)
    if match is None or match.group(1) in DEFAULTS or not (label := LABEL.search(match.group(2))):
        return SETTING
    labels.setdefault(_bare(match.group(1)), _bare(label.group(1)))
    return Line((), DOT)


def _edge(match: re.Match[str]) -> _Edge:
    label = LABEL.search(match.group(3) or "")
    nodes = [match.group(1), *ID_ALONE.findall(match.group(2).replace("->", "  "))]
    return _Edge([_bare(node) for node in nodes], _bare(label.group(1)) if label else "")


def _bare(quoted: str) -> str:
    return quoted.strip('"').strip()


def _read(edge: _Edge, labels: Mapping[str, str]) -> Line:
    nodes = [labels.get(node, "" if NODE_ID.fullmatch(node) else node) for node in edge.nodes]
    if not edge.label and len(nodes) == len(("source", "edge", "target")) and is_known_edge(nodes[1]):
        pairs = [(nodes[0], nodes[1], nodes[2])]
    elif not edge.label:
        return Line(ignored="an edge without a label", looks_like_triplets=True)
    else:
        pairs = [(source, edge.label, target) for source, target in pairwise(nodes)]
    if not all(nodes):
        return Line(ignored="an id that no node is declared for", looks_like_triplets=True)
    if fault := next((fault for pair in pairs if (fault := fault_of(pair))), ""):
        return Line(ignored=fault, looks_like_triplets=True)
    return Line(tuple(Triplet(*pair) for pair in pairs), DOT)
