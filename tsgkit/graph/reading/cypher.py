"""Reader of Cypher: nodes by their name property or variable, edges by their type or name property.

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
from collections.abc import Sequence

from tsgkit.graph.model import HANDS, Triplet
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.names import FORMAT_EDGES, FORMAT_ENDS_OF_AN_EDGE, NODE_ID, fault_of

LONGEST_LINE = 20_000
WORD = r"(?:[\w-]{1,60}|`[^`\n]{1,60}`|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')"
S = r"\s{0,4}"
KIND = rf":{S}{WORD}(?:{S}[:|&]{S}{WORD}){{0,3}}"
INSIDE = rf"{S}({WORD})?{S}({KIND})?{S}(?:\{{([^{{}}\n]{{0,300}})\}})?{S}"
NODE = re.compile(rf"\({INSIDE}\)")
LINK = re.compile(rf"{S}(<?)-\[{INSIDE}\]-(>?){S}")
PROPERTY = re.compile(rf"\b(?:name|label|value|title|type|relation|edge){S}:{S}({WORD})", re.IGNORECASE)
KEYWORD = re.compile(r"\b(?:CREATE|MERGE|MATCH|RETURN|SET)\b")
BEGINS = re.compile(
    r"\s{0,40}(?:(?i:CREATE|MERGE|OPTIONAL\sMATCH|MATCH)\s{0,4}(?:\(|\Z)|\([^()\n]{1,300}\)\s{0,4}(?:<-\[|-\[\s{0,4}\w{0,40}:))"
)
CONTINUES = re.compile(r"\s{0,40}(?:\(|[,;]|//|(?i:CREATE|MERGE|OPTIONAL\sMATCH|MATCH|RETURN|SET|ON\sCREATE)\b|\Z)")
UNNAMED = Line(ignored="a node or an edge without a name", looks_like_triplets=True)
QUERY = Line(ignored="Cypher that creates nothing", looks_like_triplets=True)
CYPHER = ("Cypher",)


def cypher_at(lines: Sequence[str], at: int) -> Form:
    """Return the statements that begin on a line, up to the first line that is none."""
    if ("(" not in lines[at] and not lines[at].strip().isalpha()) or not BEGINS.match(lines[at]):
        return []
    end = at
    while end < len(lines) and len(lines[end]) <= LONGEST_LINE and CONTINUES.match(lines[end]):
        end += 1
    text = lines[at:end]
    names: dict[str, str] = {}
    has_names = any(PROPERTY.search(node[3] or "") for line in text for node in NODE.finditer(line))
    form: Form = []
    keyword = "CREATE"
    for offset, line in enumerate(text):
        if not line.strip():
            form.append(Placed(offset, Line(is_break=True)))
            continue
        if found := KEYWORD.findall(line.upper()):
            keyword = "CREATE" if {"CREATE", "MERGE"} & {*found} else "MATCH"
        triplets = _triplets(line, names, has_names=has_names)
        if keyword == "MATCH":
            form.append(Placed(offset, QUERY))
        else:
            form.append(Placed(offset, UNNAMED if triplets is None else Line(tuple(triplets), CYPHER)))
    if any(line is UNNAMED for _, line in form):
        return [Placed(offset, UNNAMED if line.triplets else line) for offset, line in form]
    return form


def _triplets(line: str, names: dict[str, str], *, has_names: bool) -> list[Triplet] | None:
    """Return the triplets of the paths of a line, and keep the names of its variables; None if one has no name."""
    triplets: list[Triplet] = []
    at = 0
    while node := NODE.search(line, at):
        left, at = _node(node, names, has_names=has_names), node.end()
        while (link := LINK.match(line, at)) and (node := NODE.match(line, link.end())):
            right, at = _node(node, names, has_names=has_names), node.end()
            ends = (right, left) if link[1] else (left, right)
            triplet = Triplet(ends[0], _edge(link), ends[1])
            if bool(link[1]) == bool(link[5]) or fault_of(triplet):
                return None
            triplets.append(triplet)
            left = right
    return triplets if len(triplets) == line.count("-[") else None


def _node(node: re.Match[str], names: dict[str, str], *, has_names: bool) -> str:
    """Return the name of a node; empty where it has none."""
    variable, kind, properties = _bare(node[1]), node[2], PROPERTY.search(node[3] or "")
    if properties:
        name = _bare(properties[1], is_written=True)
    elif variable in names:
        return names[variable]
    else:
        is_id = bool(NODE_ID.fullmatch(variable)) or (bool(kind) and variable[-1:].isdigit())
        is_name = not has_names and not is_id and variable.lower() not in FORMAT_ENDS_OF_AN_EDGE
        name = variable if is_name or (variable.lower() in HANDS and not has_names) else ""
    if variable:
        names[variable] = name
    return name


def _edge(link: re.Match[str]) -> str:
    kind = _bare((link[3] or "").lstrip(": ")) or ("" if NODE_ID.fullmatch(link[2] or "") else _bare(link[2]))
    name = PROPERTY.search(link[4] or "")
    if name and (kind.lower() in FORMAT_EDGES or is_known_edge(_bare(name[1]))):
        return _bare(name[1], is_written=True)
    return "" if kind.lower() in FORMAT_EDGES else kind.lower() if kind.isupper() else kind


def _bare(word: str | None, *, is_written: bool = False) -> str:
    """Return a word without quotes; identifiers cannot hold hyphens, so they write others instead."""
    bare = (word or "").strip("`\"'")
    return bare if is_written or bare != word else bare.replace("_", "-")
