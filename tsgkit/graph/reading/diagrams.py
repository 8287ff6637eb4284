"""Diagrams in model replies: Graphviz, Mermaid, Cypher.

Graphviz names nodes by labels or ids, edges by labels:

>>> lines = ['digraph { a [label="person"]; a -> lift [label="verb"];', 'lift -> "pot" [color=red, label=dobj]; }']
>>> [str(triplet) for _, line in digraph_at(lines, 0) for triplet in line.triplets]
['person -> verb -> lift', 'lift -> dobj -> pot']

An edge without a label is no triplet, unless three nodes in a row are written as ``person -> verb -> lift``.

Mermaid names both by labels:

>>> lines = ["graph TD", "A[person] -->|verb| B[lift]", "B -- dobj --> C", 'C["pot"]']
>>> [[str(triplet) for triplet in line.triplets] for _, line in flowchart_at(lines, 0)]
[[], ['person -> verb -> lift'], ['lift -> dobj -> pot'], []]

An edge without a label is no triplet, and an id like ``A`` or ``n1`` that is declared nowhere is no name.

Cypher names nodes by a property or their variable, edges by their type or a property:

>>> declared, reversed = 'CREATE (p {name: "person"})-[:VERB]->({name: "lift"})', "MERGE (pick_up)<-[:VERB]-(person)"
>>> for text in (declared, reversed, "CREATE (p)-[:verb]->(a)"):
...     for _, line in cypher_at([text], 0):
...         print(*line.triplets or [line.ignored])
person -> verb -> lift
person -> verb -> pick-up
a node or an edge without a name

A variable is a name only where no node has a name of its own. ``MATCH`` declares nodes and says no triplet. Where an
edge or one of its nodes has no name, none of the lines is read.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tsgkit.graph.model import HANDS, Triplet
from tsgkit.graph.reading.line import (
    FORMAT_EDGES,
    FORMAT_ENDS_OF_AN_EDGE,
    NODE_ID,
    Form,
    Line,
    Placed,
    cleaned,
    fault_of,
    is_known_edge,
)

LONGEST_DOT_LINE = 20_000
DIGRAPH_HEAD = re.compile(r"\s{0,40}(?:strict\s)?digraph\b[^{}\n;>-]{0,60}(\{|\Z)")
DOT_ID = r"(?:\"[^\"\n]{1,120}\"|\w[\w.]{0,40}(?:-\w[\w.]{0,40}){0,6})"
ATTRIBUTES = r"\[[^\]\n]{0,300}\]"
EDGE = re.compile(rf"\s*({DOT_ID})((?:\s{{0,8}}->\s{{0,8}}{DOT_ID}){{1,20}})\s{{0,8}}({ATTRIBUTES})?\s*")
DOT_NODE = re.compile(rf"\s*({DOT_ID})\s{{0,8}}({ATTRIBUTES})\s*")
ID_ALONE = re.compile(DOT_ID)
DOT_LABEL = re.compile(rf"(?<![\w.])label\s{{0,4}}=\s{{0,4}}({DOT_ID})")
TOKEN = re.compile(r"\"[^\"\n]*\"?|\[[^\]\n]*\]?|[{};]|[^\"\[{};]+")
DEFAULTS = frozenset({"node", "edge", "graph"})
DOT = ("DOT",)
SETTING = Line(ignored="no triplet")
HEADING = Line(ignored="a heading or lead-in", is_break=True)


class _Edge(NamedTuple):
    """A chain of node ids, and the label of each edge."""

    nodes: list[str]
    label: str


DotStatement = Line | _Edge


def digraph_at(lines: Sequence[str], at: int) -> Form:
    """Return the graph that begins on a line, up to its last bracket; or lines of labelled edges without one."""
    if DIGRAPH_HEAD.match(lines[at]) is None:
        form: Form = []
        for offset in range(len(lines) - at):
            line = lines[at + offset]
            if "->" not in line or "[" not in line or len(line) > LONGEST_DOT_LINE:
                break
            match = EDGE.fullmatch(line.rstrip().removesuffix(";"))
            if match is None or not match.group(3) or not DOT_LABEL.search(match.group(3)):
                break
            form.append(Placed(offset, _read_dot(_dot_edge(match), {})))
        return form
    statements: list[tuple[int, DotStatement]] = []
    labels: dict[str, str] = {}
    depth = 0
    for offset in range(len(lines) - at):
        line = lines[at + offset]
        if len(line) > LONGEST_DOT_LINE or line.lstrip().startswith("```"):
            break
        parts, statement = [], ""
        for token in TOKEN.findall(line):
            if token in ("{", "}", ";"):
                parts += [statement.strip(), token]
                statement = ""
            else:
                statement += token
        parts = [part for part in (*parts, statement.strip()) if part and part != ";"]
        statements += [(offset, _dot_statement(part, labels)) for part in parts if part != "{" or len(parts) == 1]
        depth += parts.count("{") - parts.count("}")
        if depth <= 0 and "}" in parts:
            break
    return [
        Placed(offset, statement if isinstance(statement, Line) else _read_dot(statement, labels))
        for offset, statement in statements
    ]


def _dot_statement(part: str, labels: dict[str, str]) -> DotStatement:
    """Read a statement; keep a node's label in ``labels``."""
    if match := EDGE.fullmatch(part):
        return _dot_edge(match)
    if part in ("{", "}") or part.startswith(("subgraph", "digraph", "strict")):
        return HEADING
    if "->" in part:
        return Line(ignored="an edge cut off", looks_like_triplets=True)
    match = DOT_NODE.fullmatch(part)
    if match is None or match.group(1) in DEFAULTS or not (label := DOT_LABEL.search(match.group(2))):
        return SETTING
    labels.setdefault(_without_quotes_of_dot(match.group(1)), _without_quotes_of_dot(label.group(1)))
    return Line((), DOT)


def _dot_edge(match: re.Match[str]) -> _Edge:
    label = DOT_LABEL.search(match.group(3) or "")
    nodes = [match.group(1), *ID_ALONE.findall(match.group(2).replace("->", "  "))]
    return _Edge(
        [_without_quotes_of_dot(node) for node in nodes], _without_quotes_of_dot(label.group(1)) if label else ""
    )


def _without_quotes_of_dot(quoted: str) -> str:
    return quoted.strip('"').strip()


def _read_dot(edge: _Edge, labels: Mapping[str, str]) -> Line:
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


LONGEST_FLOWCHART_LINE = 1_000
FLOWCHART_HEAD = re.compile(r"\s{0,40}(?:graph|flowchart)\s{1,4}(?:TD|TB|BT|RL|LR)\s{0,4};?\s{0,4}\Z")
FLOWCHART_ID = r"[^\W_]\w{0,40}(?:-\w{1,40}){0,6}"
QUOTED = r"\"[^\"\n]{1,120}\""
PLAIN = r"[^\[\](){}\"|<>\n]{1,120}"
SHAPE = rf"(?:[\[({{>/\\]{{1,3}}\s?({QUOTED}|{PLAIN})\s?[\])}}/\\]{{1,3}})"
FLOWCHART_NODE = re.compile(rf"\s{{0,40}}({FLOWCHART_ID}){SHAPE}?(?::::\w{{1,40}})?")
FLOWCHART_LABEL = r"(\"[^\"\n]{1,80}\"|[^-=.|>\"\s][^|>\"\n]{0,79}?)"
FLOWCHART_LINK = re.compile(
    rf"\s{{0,8}}(?:(?:-{{2,4}}>|={{2,4}}>|-\.{{1,3}}->)(?:\s?\|\s?({QUOTED}|[^|\n]{{1,80}})\|)?"
    rf"|--\s{{0,4}}{FLOWCHART_LABEL}\s{{0,4}}-{{2,3}}>|==\s{{0,4}}{FLOWCHART_LABEL}\s{{0,4}}={{2,3}}>|-\.\s{{0,4}}{FLOWCHART_LABEL}\s{{0,4}}\.-{{1,2}}>)"
)
SETTINGS = re.compile(r"\s{0,40}(?:style|classDef|class|click|linkStyle|direction|%%)")
SUBGRAPH = re.compile(r"\s{0,40}subgraph\b")
END = re.compile(r"\s{0,40}end\s{0,4};?\s{0,4}\Z")
MERMAID = ("Mermaid",)
UNLABELLED = "an edge without a label"
UNDECLARED_ID = "an id that no node is declared for"


class FlowchartEdges(NamedTuple):
    """A chain of nodes by id and label, and the labels of its edges; incomplete if ``is_cut``."""

    nodes: list[tuple[str, str]]
    labels: list[str]
    is_cut: bool


Statement = Line | FlowchartEdges


def flowchart_at(lines: Sequence[str], at: int) -> Form:
    """Return the flowchart that begins on a line: with its head, or with ids and labels that are Mermaid's alone."""
    if FLOWCHART_HEAD.match(lines[at]) is None and not _flowchart_begins(lines, at):
        return []
    statements: list[tuple[int, Statement]] = []
    for offset in range(len(lines) - at):
        following = _statements(lines[at + offset])
        if following is None:
            break
        statements += [(offset, statement) for statement in following]
    before: dict[str, str] = {}
    behind: dict[str, str] = {}
    for _, statement in statements:
        for node, label in statement.nodes if isinstance(statement, FlowchartEdges) else ():
            if label:
                behind.setdefault(node, label)
    node_names: list[Mapping[str, str]] = []
    for _, statement in statements:
        declared = [node for node in statement.nodes if node[1]] if isinstance(statement, FlowchartEdges) else []
        if declared:
            before = before | dict(declared)
        node_names.append(ChainMap(before, behind))
    return [
        Placed(offset, statement if isinstance(statement, Line) else _read_chain(statement, names))
        for (offset, statement), names in zip(statements, node_names, strict=True)
    ]


def _flowchart_begins(lines: Sequence[str], at: int) -> bool:
    """Return whether a flowchart without a head begins on a line."""
    line = lines[at]
    if not any(mark in line for mark in ("->", "=>", "]", ")", "}")) or not (statements := _statements(line)):
        return False
    first = statements[0]
    if isinstance(first, Line):
        return False
    if not first.labels:
        following = _statements(lines[at + 1]) if at + 1 < len(lines) else None
        return (
            '"' in first.nodes[0][1]
            and bool(following)
            and not any(isinstance(statement, Line) for statement in following or ())
        )
    return any(first.labels) and any(label or NODE_ID.fullmatch(node) for node, label in first.nodes)


def _statements(line: str) -> list[Statement] | None:
    """Return the statements of a line, none of a blank one; None where a part of it is not Mermaid."""
    if len(line) > LONGEST_FLOWCHART_LINE:
        return None
    statements = [_flowchart_statement(part) for part in line.split(";") if part.strip()]
    return (
        None
        if any(statement is None for statement in statements)
        else [statement for statement in statements if statement is not None]
    )


def _flowchart_statement(text: str) -> Statement | None:
    if FLOWCHART_HEAD.match(text) or SUBGRAPH.match(text) or END.match(text):
        return Line(ignored="a heading or lead-in", is_break=True)
    if SETTINGS.match(text):
        return Line(ignored="no triplet")
    nodes: list[tuple[str, str]] = []
    labels: list[str] = []
    position = 0
    while node := FLOWCHART_NODE.match(text, position):
        nodes.append((node.group(1), node.group(2) or ""))
        position = node.end()
        link = FLOWCHART_LINK.match(text, position)
        if link is None:
            break
        labels.append(next((label for label in link.groups() if label), ""))
        position = link.end()
    rest = text[position:].strip()
    is_cut = bool(rest) or len(labels) == len(nodes)
    if not nodes or (is_cut and not labels and not rest.startswith(("--", "==", "-."))):
        return None
    return None if not labels and not nodes[0][1] and not is_cut else FlowchartEdges(nodes, labels, is_cut)


def _read_chain(edges: FlowchartEdges, names: Mapping[str, str]) -> Line:
    """Return the triplets of a chain of edges, or why there are none."""
    if not edges.labels and not edges.is_cut:
        return Line((), MERMAID)
    nodes = [cleaned(names.get(node, "" if NODE_ID.fullmatch(node) else node)) for node, _ in edges.nodes]
    if len(nodes) == len(("source", "edge", "target")) and not any(edges.labels) and is_known_edge(nodes[1]):
        return Line((Triplet(*nodes),), MERMAID)
    triplets, faults = [], ["an edge cut off"] if edges.is_cut else []
    for source, label, target in zip(nodes, map(cleaned, edges.labels), nodes[1:], strict=False):
        fault = "" if label else UNLABELLED
        fault = fault or ("" if source and target else UNDECLARED_ID) or fault_of([source, label, target])
        if fault or "<" in source + target:
            faults.append(fault or "a name of several lines")
        else:
            triplets.append(Triplet(source, label, target))
    return Line(tuple(triplets), MERMAID, faults[0] if faults else "", looks_like_triplets=bool(faults))


LONGEST_CYPHER_LINE = 20_000
WORD = r"(?:[\w-]{1,60}|`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')"
GAP = r"\s{0,4}"
CYPHER_KIND = rf":{GAP}{WORD}(?:{GAP}[:|&]{GAP}{WORD}){{0,3}}"
INSIDE = rf"{GAP}({WORD})?{GAP}({CYPHER_KIND})?{GAP}(?:\{{([^{{}}\n]{{0,300}})\}})?{GAP}"
CYPHER_NODE = re.compile(rf"\({INSIDE}\)")
CYPHER_LINK = re.compile(rf"{GAP}(<?)-\[{INSIDE}\]-(>?){GAP}")
PROPERTY = re.compile(rf"\b(?:name|label|value|title|type|relation|edge){GAP}:{GAP}({WORD})", re.IGNORECASE)
KEYWORD = re.compile(r"\b(?:CREATE|MERGE|MATCH|RETURN|SET)\b")
BEGINS = re.compile(
    r"\s{0,40}(?:(?i:CREATE|MERGE|OPTIONAL\sMATCH|MATCH)\s{0,4}(?:\(|\Z)|\([^()\n]{1,300}\)\s{0,4}(?:<-\[|-\[\s{0,4}\w{0,40}:))"
)
CONTINUES = re.compile(r"\s{0,40}(?:\(|[,;]|//|(?i:CREATE|MERGE|OPTIONAL\sMATCH|MATCH|RETURN|SET|ON\sCREATE)\b|\Z)")
UNNAMED_IN_CYPHER = Line(ignored="a node or an edge without a name", looks_like_triplets=True)
QUERY = Line(ignored="Cypher that creates nothing", looks_like_triplets=True)
CYPHER = ("Cypher",)


def cypher_at(lines: Sequence[str], at: int) -> Form:
    """Return the statements that begin on a line, up to the first line that is none."""
    if ("(" not in lines[at] and not lines[at].strip().isalpha()) or not BEGINS.match(lines[at]):
        return []
    end = at
    while end < len(lines) and len(lines[end]) <= LONGEST_CYPHER_LINE and CONTINUES.match(lines[end]):
        end += 1
    text = lines[at:end]
    names: dict[str, str] = {}
    has_names = any(PROPERTY.search(node[3] or "") for line in text for node in CYPHER_NODE.finditer(line))
    form: Form = []
    keyword = "CREATE"
    for offset, line in enumerate(text):
        if not line.strip():
            form.append(Placed(offset, Line(is_break=True)))
            continue
        if keywords := KEYWORD.findall(line.upper()):
            keyword = "CREATE" if {"CREATE", "MERGE"} & {*keywords} else "MATCH"
        triplets = _cypher_path(line, names, has_names=has_names)
        if keyword == "MATCH":
            form.append(Placed(offset, QUERY))
        else:
            form.append(Placed(offset, UNNAMED_IN_CYPHER if triplets is None else Line(tuple(triplets), CYPHER)))
    if any(line is UNNAMED_IN_CYPHER for _, line in form):
        return [Placed(offset, UNNAMED_IN_CYPHER if line.triplets else line) for offset, line in form]
    return form


def _cypher_path(line: str, names: dict[str, str], *, has_names: bool) -> list[Triplet] | None:
    """Return the triplets of the paths of a line, and keep the names of its variables; None if one has no name."""
    triplets: list[Triplet] = []
    at = 0
    while node := CYPHER_NODE.search(line, at):
        left, at = _cypher_node(node, names, has_names=has_names), node.end()
        while (link := CYPHER_LINK.match(line, at)) and (node := CYPHER_NODE.match(line, link.end())):
            right, at = _cypher_node(node, names, has_names=has_names), node.end()
            ends = (right, left) if link[1] else (left, right)
            triplet = Triplet(ends[0], _cypher_edge(link), ends[1])
            if bool(link[1]) == bool(link[5]) or fault_of(triplet):
                return None
            triplets.append(triplet)
            left = right
    return triplets if len(triplets) == line.count("-[") else None


def _cypher_node(node: re.Match[str], names: dict[str, str], *, has_names: bool) -> str:
    """Return the name of a node; empty where it has none."""
    variable, kind, properties = _cypher_word(node[1]), node[2], PROPERTY.search(node[3] or "")
    if properties:
        name = _cypher_word(properties[1], is_written=True)
    elif variable in names:
        return names[variable]
    else:
        is_id = bool(NODE_ID.fullmatch(variable)) or (bool(kind) and variable[-1:].isdigit())
        is_name = not has_names and not is_id and variable.lower() not in FORMAT_ENDS_OF_AN_EDGE
        name = variable if is_name or (variable.lower() in HANDS and not has_names) else ""
    if variable:
        names[variable] = name
    return name


def _cypher_edge(link: re.Match[str]) -> str:
    kind = _cypher_word((link[3] or "").lstrip(": ")) or (
        "" if NODE_ID.fullmatch(link[2] or "") else _cypher_word(link[2])
    )
    name = PROPERTY.search(link[4] or "")
    if name and (kind.lower() in FORMAT_EDGES or is_known_edge(_cypher_word(name[1]))):
        return _cypher_word(name[1], is_written=True)
    return "" if kind.lower() in FORMAT_EDGES else kind.lower() if kind.isupper() else kind


def _cypher_word(word: str | None, *, is_written: bool = False) -> str:
    """Return a word without quotes; identifiers cannot hold hyphens, so they write others instead."""
    bare = (word or "").strip("`\"'")
    return bare if is_written or bare != word else bare.replace("_", "-")
