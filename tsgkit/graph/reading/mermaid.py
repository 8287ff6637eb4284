"""Reader of Mermaid flowcharts: nodes and edges by their labels.

>>> lines = ["graph TD", "A[person] -->|verb| B[lift]", "B -- dobj --> C", 'C["pot"]']
>>> [[str(triplet) for triplet in line.triplets] for _, line in flowchart_at(lines, 0)]
[[], ['person -> verb -> lift'], ['lift -> dobj -> pot'], []]

An edge without a label is no triplet, and an id like ``A`` or ``n1`` that is declared nowhere is no name.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.names import NODE_ID, cleaned, fault_of

LONGEST_LINE = 1_000
HEAD = re.compile(r"\s{0,40}(?:graph|flowchart)\s{1,4}(?:TD|TB|BT|RL|LR)\s{0,4};?\s{0,4}\Z")
ID = r"[^\W_]\w{0,40}(?:-\w{1,40}){0,6}"
QUOTED = r"\"[^\"\n]{1,120}\""
PLAIN = r"[^\[\](){}\"|<>\n]{1,120}"
SHAPE = rf"(?:[\[({{>/\\]{{1,3}}\s?({QUOTED}|{PLAIN})\s?[\])}}/\\]{{1,3}})"
NODE = re.compile(rf"\s{{0,40}}({ID}){SHAPE}?(?::::\w{{1,40}})?")
LABEL = r"(\"[^\"\n]{1,80}\"|[^-=.|>\"\s][^|>\"\n]{0,79}?)"
LINK = re.compile(
    rf"\s{{0,8}}(?:(?:-{{2,4}}>|={{2,4}}>|-\.{{1,3}}->)(?:\s?\|\s?({QUOTED}|[^|\n]{{1,80}})\|)?"
    rf"|--\s{{0,4}}{LABEL}\s{{0,4}}-{{2,3}}>|==\s{{0,4}}{LABEL}\s{{0,4}}={{2,3}}>|-\.\s{{0,4}}{LABEL}\s{{0,4}}\.-{{1,2}}>)"
)
SETTINGS = re.compile(r"\s{0,40}(?:style|classDef|class|click|linkStyle|direction|%%)")
SUBGRAPH = re.compile(r"\s{0,40}subgraph\b")
END = re.compile(r"\s{0,40}end\s{0,4};?\s{0,4}\Z")
MERMAID = ("Mermaid",)
UNLABELLED = "an edge without a label"
UNNAMED = "an id that no node is declared for"


class _Edges(NamedTuple):
    """A chain of nodes by id and label, and the labels of its edges; incomplete if ``is_cut``."""

    nodes: list[tuple[str, str]]
    labels: list[str]
    is_cut: bool


Statement = Line | _Edges


def flowchart_at(lines: Sequence[str], at: int) -> Form:
    """Return the flowchart that begins on a line: with its head, or with ids and labels that are Mermaid's alone."""
    if HEAD.match(lines[at]) is None and not _begins(lines, at):
        return []
    statements: list[tuple[int, Statement]] = []
    for offset in range(len(lines) - at):
        found = _statements(lines[at + offset])
        if found is None:
            break
        statements += [(offset, statement) for statement in found]
    named = _names(statements)
    return [
        Placed(offset, statement if isinstance(statement, Line) else _read(statement, names))
        for (offset, statement), names in zip(statements, named, strict=True)
    ]


def _begins(lines: Sequence[str], at: int) -> bool:
    """Return whether a flowchart without a head begins on a line."""
    line = lines[at]
    if not any(mark in line for mark in ("->", "=>", "]", ")", "}")) or not (found := _statements(line)):
        return False
    first = found[0]
    if isinstance(first, Line):
        return False
    if not first.labels:
        following = _statements(lines[at + 1]) if at + 1 < len(lines) else None
        return (
            '"' in first.nodes[0][1] and bool(following) and not any(isinstance(one, Line) for one in following or ())
        )
    return any(first.labels) and any(label or NODE_ID.fullmatch(node) for node, label in first.nodes)


def _statements(line: str) -> list[Statement] | None:
    """Return the statements of a line, none of a blank one; None where a part of it is not Mermaid."""
    if len(line) > LONGEST_LINE:
        return None
    found = [_statement(part) for part in line.split(";") if part.strip()]
    return None if any(one is None for one in found) else [one for one in found if one is not None]


def _statement(text: str) -> Statement | None:
    if HEAD.match(text) or SUBGRAPH.match(text) or END.match(text):
        return Line(ignored="a heading or lead-in", is_break=True)
    if SETTINGS.match(text):
        return Line(ignored="no triplet")
    nodes: list[tuple[str, str]] = []
    labels: list[str] = []
    place = 0
    while node := NODE.match(text, place):
        nodes.append((node.group(1), node.group(2) or ""))
        place = node.end()
        link = LINK.match(text, place)
        if link is None:
            break
        labels.append(next((label for label in link.groups() if label), ""))
        place = link.end()
    rest = text[place:].strip()
    is_cut = bool(rest) or len(labels) == len(nodes)
    if not nodes or (is_cut and not labels and not rest.startswith(("--", "==", "-."))):
        return None
    return None if not labels and not nodes[0][1] and not is_cut else _Edges(nodes, labels, is_cut)


def _names(statements: list[tuple[int, Statement]]) -> list[Mapping[str, str]]:
    """Return the labels of ids at each statement: the last one declared up to there, else the first one behind it."""
    before: dict[str, str] = {}
    behind: dict[str, str] = {}
    for _, statement in statements:
        for node, label in statement.nodes if isinstance(statement, _Edges) else ():
            if label:
                behind.setdefault(node, label)
    names: list[Mapping[str, str]] = []
    for _, statement in statements:
        declared = [node for node in statement.nodes if node[1]] if isinstance(statement, _Edges) else []
        if declared:
            before = before | dict(declared)
        names.append(ChainMap(before, behind))
    return names


def _read(edges: _Edges, names: Mapping[str, str]) -> Line:
    """Return the triplets of a chain of edges, or why there are none."""
    if not edges.labels and not edges.is_cut:
        return Line((), MERMAID)
    nodes = [cleaned(names.get(node, "" if NODE_ID.fullmatch(node) else node)) for node, _ in edges.nodes]
    if len(nodes) == len(("source", "edge", "target")) and not any(edges.labels) and is_known_edge(nodes[1]):
        return Line((Triplet(*nodes),), MERMAID)
    triplets, faults = [], ["an edge cut off"] if edges.is_cut else []
    for source, label, target in zip(nodes, map(cleaned, edges.labels), nodes[1:], strict=False):
        fault = "" if label else UNLABELLED
        fault = fault or ("" if source and target else UNNAMED) or fault_of([source, label, target])
        if fault or "<" in source + target:
            faults.append(fault or "a name of several lines")
        else:
            triplets.append(Triplet(source, label, target))
    return Line(tuple(triplets), MERMAID, faults[0] if faults else "", looks_like_triplets=bool(faults))
