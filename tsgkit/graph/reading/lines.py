"""Triplets on a line: with arrows, where the edge stands between two or on one, and without.

>>> for text in ("person -> verb -> lift, lift --dobj--> pot", "person -->|verb| lift", "lift -> dobj"):
...     print([str(triplet) for triplet in read_arrows(text, {}).triplets])
['person -> verb -> lift', 'lift -> dobj -> pot']
['person -> verb -> lift']
[]

Without an arrow a triplet stands in brackets, as a table row, as three cells, or as a call of the edge:

>>> for line in ("(wash, dobj, cup), (wash, with, hand1)", "<wash> <dobj> <cup>", "dobj(wash, cup)", "wash; dobj; cup"):
...     print(len(read_row(line).triplets), read_row(line).repairs)
2 ('list of three',)
1 ('angle brackets',)
1 ('edge before its ends',)
1 ('three cells',)

Three cells without brackets are a triplet only if the middle one is certainly an edge, because lists of objects look
the same. :func:`understand` says whether a line holds triplets, begins a graph, or is other text.

Every step is linear in the length of the line, whatever it holds: no pattern here can be made to backtrack.
"""

from __future__ import annotations

import re
from itertools import chain

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line import (
    ARROW,
    BRACKETS,
    BRACKETS_OPEN,
    CROSSES,
    ECHO,
    GRAPH,
    OPEN_GROUP,
    Lead,
    Line,
    cleaned,
    fault_of,
    has_placeholder,
    is_known_edge,
    is_short,
    is_whole_graph,
    lead_of,
    names_known_edge,
    plain,
)

COMMENT = re.compile(r"(?<=\s)(?:#|//)\s.*")
REMARK = re.compile(
    r"\s\((?:[^()\s]{1,40}(?:\s[^()\s]{1,40}){1,20}|no|wrong|incorrect|false|invalid|removed|deleted)\)[.,;]?\Z",
    re.IGNORECASE,
)
REMARK_BEHIND_DASH = re.compile(r"\s[-–—]{1,2}\s|:\s")
SEPARATOR = re.compile(r'"[^"\n]*"|([;,]|(?:\.|(?<=\s)\(?\d{1,3}[.)])(?=\s{1,3}[^\s=–—→-]))')
SPACED = re.compile(r"[;,.]\s")
AND = re.compile(r"\s(?:and|und|et|y)\s")
LEADING_AND = re.compile(r"\A(?:and|und|et|y|then)\s(?=\S)")
LABEL_BEHIND = re.compile(r"\s?\|([^|\n]{1,80})\|")
DASHES = str.maketrans("–—─━=", "-----")
MAY_BE_LABELLED = re.compile(r"[–—─━=]|\s-|-[\[(]")
LONG_DASH = re.compile("[–—─━]")
DENIAL = re.compile(
    r"\W*+(?!.*\bbut\b)(?:no|nope|wrong|incorrect|false|invalid|removed?|deleted?|omitted|excluded|rejected|discarded"
    r"|not\s(?:true|correct|right|valid|possible|there|present|needed|allowed|part\sof|in\sthe)\b[^,;]*+"
    r"|(?:(?:this|that|it)\s)?(?:is|was|does|do|should|must|can)(?:\s?not|n['’]t)\s(?:be|true|correct|right|valid|possible"
    r"|there|present|needed|allowed|apply|belong|exist|appear|happen|occur|hold|match)\b[^,;]*+"
    r"|(?:this|that|it)(?:\sis|'s)\s(?:wrong|incorrect|false)"
    r"|nein|falsch|entfernt|incorrect[oae]|faux|错误?|不对)\W*+",
    re.IGNORECASE,
)
"""A remark that denies the triplet before it."""
DENIED = "a triplet that the words behind it deny"
MIXED = "several statements on a line, not all of them triplets"


def read_arrows(text: str, repairs: dict[str, None]) -> Line:
    """Return all triplets of a text with arrows, or the complete ones before a cut."""
    content = _without_comment(text, repairs)
    if len(content) < len(text) and DENIAL.fullmatch(text, len(content)):
        return Line(ignored=DENIED)
    text = content
    pieces = _pieces(text)
    if len(pieces) > 1:
        repairs["several triplets on a line"] = None
    elif pieces[0] != text:
        repairs["decoration"] = None
    if any(lead_of(piece).needs_proof for piece in pieces[1:]):
        return Line(ignored="a label in the middle of a line")
    triplets: list[Triplet] = []
    for position, piece in enumerate(pieces):
        piece_triplets = _triplets(piece, repairs)
        if isinstance(piece_triplets, str):
            if not triplets or len(triplets) < position or position < len(pieces) - 1 or not _is_cut(piece):
                return Line(ignored=piece_triplets if len(pieces) == 1 or piece_triplets == ECHO else MIXED)
            return Line(tuple(triplets), tuple(repairs), "a triplet cut off behind others")
        triplets += piece_triplets
    return Line(tuple(triplets), tuple(repairs))


def _without_comment(text: str, repairs: dict[str, None]) -> str:
    """Return a triplet without a remark behind it: after a code span or comment mark, or in brackets."""
    end = text.rfind("`") + 1
    if text.startswith("`") and end > 1 and ARROW.search(text, 0, end) and not ARROW.search(text, end):
        bare = text[:end]
    else:
        bare = COMMENT.sub("", text).rstrip() if "#" in text or "//" in text else text
        if (remark := REMARK.search(bare, max(0, len(bare) - 1000))) and not ARROW.search(bare, remark.start()):
            bare = bare[: remark.start()]
        behind = max((arrow.end() for arrow in ARROW.finditer(bare)), default=len(bare))
        if remark := REMARK_BEHIND_DASH.search(bare, behind + 1):
            bare = bare[: remark.start()]
    if len(bare) < len(text.rstrip()):
        repairs["comment"] = None
    return bare


def _pieces(text: str) -> list[str]:
    """Return the statements of a line: parted by commas, semicolons and periods, or by ``and`` between triplets."""
    pieces, start = [], 0
    for match in SEPARATOR.finditer(text):
        if match.group(1):
            pieces.append(text[start : match.start()])
            start = match.end()
    pieces = [piece for piece in map(str.strip, [*pieces, text[start:]]) if piece]
    if len(pieces) > 1 and any(len(ARROW.findall(piece)) != 2 for piece in pieces) and not SPACED.search(text):
        return [text]
    if len(pieces) <= 1:
        apart = AND.split(text)
        if len(apart) > 1 and not any(isinstance(_triplets(piece, {}), str) for piece in apart):
            pieces = apart
    return [pieces[0], *(LEADING_AND.sub("", piece.strip(), count=1) for piece in pieces[1:])] if pieces else [text]


def _is_cut(piece: str) -> bool:
    """Return whether a statement may be the beginning of a triplet."""
    parts = [part.strip() for part in ARROW.split(piece)]
    return len(parts) == 2 or (len(parts) == 3 and not parts[2])


def _triplets(text: str, repairs: dict[str, None]) -> list[Triplet] | str:
    """Return the triplets of a statement with arrows, or why it holds none."""
    parts = ARROW.split(text)
    if labelled := _labelled(parts):
        repairs["label inside the arrow"] = None
    elif len(parts) != 3:
        return f"{len(parts)} parts between arrows, not 3"
    if "\\" in text and OPEN_GROUP.search(text):
        return "a LaTeX group cut off"
    triplets = []
    for three in labelled or [parts]:
        bare = [part.strip() for part in three]
        names = [cleaned(name) for name in bare]
        if has_placeholder(bare):
            return ECHO
        if fault := fault_of(names) or (MIXED if any(";" in name for name in names) else ""):
            return fault
        if bare != names:
            repairs["decoration"] = None
        triplets.append(Triplet(*names))
    if labelled or " -> ".join(part.strip() for part in parts) != text:
        repairs["arrow"] = None
    return triplets


def _labelled(parts: list[str]) -> list[list[str]]:
    """Return the triplets of a chain whose arrows all have labels, ``a -b-> c -d-> e`` or ``a -->|b| c``; else none."""
    if all(LABEL_BEHIND.match(part) for part in parts[1:]):
        behind = [(match.group(1), part[match.end() :]) for part in parts[1:] if (match := LABEL_BEHIND.match(part))]
        nodes = [parts[0], *(node for _, node in behind)]
        return [[nodes[position], edge, nodes[position + 1]] for position, (edge, _) in enumerate(behind)]
    if not MAY_BE_LABELLED.search(parts[0]):
        return []
    before = [_labelled_arrow(part) for part in parts[:-1]]
    if not before or not all(before):
        return []
    nodes = [*(label[0] for label in before if label), parts[-1]]
    return [[nodes[position], label[1], nodes[position + 1]] for position, label in enumerate(before) if label]


def _labelled_arrow(left: str) -> tuple[str, str] | None:
    """Return the source and the edge of what stands before the tip of ``source -edge->`` or ``(source)-[edge]->``."""
    if long := LONG_DASH.search(left):
        left = f"{left[: long.start()]} {left[long.start() :]}"
    left = left.translate(DASHES)
    for opening, closing in (("-[", "]"), ("-(", ")"), (" -", "")):
        source, mark, edge = left.rpartition(opening)
        if not mark or edge[:1].isspace():
            continue
        edge = edge.strip(" \t-")
        if edge and edge.endswith(closing) and source.strip(" \t-"):
            return source.rstrip(" \t-"), edge.removesuffix(closing).lstrip(":")
    return None


GROUP_OF_THREE = re.compile(r"[\[(<]([^][(){}<>,\"]+),([^][(){}<>,\"]+),([^][(){}<>,\"]+)[\])>]")
ANGLES = re.compile(r"<([^<>/=|]{1,80})>[ \t,]{0,3}<([^<>/=|]{1,80})>[ \t,]{0,3}<([^<>/=|]{1,80})>")
CALL = re.compile(r"([\w-]{1,40})\(([^(),]{1,80}),([^(),]{1,80})\)")
BRACKETS_ONLY = frozenset("[](){}<>,;: ")
AROUND_GROUPS = BRACKETS_ONLY | frozenset(".*_`")
AND_BETWEEN_ROWS = re.compile(r"\b(?:and|und|et|y)\b|[和与]")
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
    if not set(rest) <= AROUND_GROUPS and not set(AND_BETWEEN_ROWS.sub(" ", rest)) <= AROUND_GROUPS:
        return None
    return Line(tuple(triplets), ("list of three",))


def _angles(text: str) -> Line | None:
    """Return a line of triplets whose names are all in angle brackets."""
    bracketed = ANGLES.findall(text) if text.startswith("<") else []
    if not bracketed or not set(ANGLES.sub("", text)) <= set(" ,;."):
        return None
    if any(has_placeholder([f"<{name}>" for name in names]) for names in bracketed):
        return Line(ignored=ECHO)
    triplets = tuple(Triplet(*map(cleaned, names)) for names in bracketed)
    return Line(triplets, ("angle brackets",)) if all(map(all, triplets)) else None


def _calls(text: str) -> Line | None:
    """Return a whole line of calls like ``dobj(wash, cup)``, each of an edge that is known."""
    calls = CALL.findall(text) if text.endswith((")", ").", "),", ");")) else []
    if not calls or not set(CALL.sub("", text)) <= set(" ,;."):
        return None
    triplets = tuple(Triplet(cleaned(source), edge, cleaned(target)) for edge, source, target in calls)
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


HEADING = "a heading or lead-in"
NO_TRIPLET = "no triplet"
DOUBTFUL = "a triplet that the words before it deny or give as an example"
NAME = r"([a-z0-9]+(?:-[a-z0-9]+)*)"
CLEAN = re.compile(f"{NAME} -> {NAME} -> {NAME}")
NEARLY_CLEAN = re.compile(rf"([-*•] )?{NAME} (->|→|⟶) {NAME} \3 {NAME}")
"""A triplet behind a bullet, or with another arrow: so common that it is read at once."""
NUMBERED = re.compile(
    rf"#{{1,6}}(?:\s|$)|\W{{0,4}}{GRAPH}[ \t_]{{0,3}}\W{{0,3}}\d+\b|\(?\d{{1,6}}[.):]",
    re.IGNORECASE,
)
VERDICTS = " \ufe0f✅✓✔☑" + "".join(sorted(CROSSES))
"""Marks that say of a triplet whether it is right."""
RULE = frozenset("-*_=~ ")


def nearly_clean(line: str) -> Line | None:
    """Return the triplet of a line that is clean but for a bullet or its arrows, as ``understand`` would."""
    match = NEARLY_CLEAN.fullmatch(line)
    if match is None:
        return None
    bullet, source, arrow, edge, target = match.groups()
    repairs = ("bullet",) * bool(bullet) + ("arrow",) * (arrow != "->")
    return Line((Triplet(source, edge, target),), repairs)


def understand(line: str) -> Line:
    """Return what a non-blank line is."""
    if match := CLEAN.fullmatch(line):
        return Line((Triplet(*match.groups()),))
    text, spelt = plain(line)
    if text.startswith(("```", "~~~")):
        return Line(ignored="a code fence", is_break=True)
    if not text:
        return Line(ignored=NO_TRIPLET)
    lead = lead_of(text)
    repairs = dict.fromkeys(spelt)
    if not ARROW.search(text, lead.end):
        return _without_arrow(text, lead, repairs)
    if lead.is_doubtful or text[0] in CROSSES:
        return Line(ignored=DOUBTFUL, looks_like_triplets=True)
    repairs.update(dict.fromkeys(lead.repairs))
    content = _without_verdict(text[lead.end :], repairs)
    if not content:
        return Line(ignored=DENIED, looks_like_triplets=True)
    reading = read_arrows(content, repairs)
    is_entry = lead.is_entry or "table row" in repairs
    is_break = lead.opens_graph or (is_entry and is_whole_graph(reading.triplets))
    return reading._replace(is_break=is_break, looks_like_triplets=bool(reading.ignored))


def _without_verdict(content: str, repairs: dict[str, None]) -> str:
    """Return a triplet without other cells and check marks around it; nothing where these say that it is wrong."""
    if "|" in content:
        content = _cell_with_arrows(content, repairs)
    if content.isascii() or content[-1] not in VERDICTS:
        return content
    repairs["decoration"] = None
    bare = content.rstrip(VERDICTS)
    return bare if CROSSES.isdisjoint(content[len(bare) :]) else ""


def _cell_with_arrows(row: str, repairs: dict[str, None]) -> str:
    """Return the only cell of a row with arrows, nothing where another cell denies it; the row where there are several.

    A row of a table begins with a bar, or has a whole triplet between two.
    """
    cells = row.split("|")
    places = [position for position, cell in enumerate(cells) if ARROW.search(cell)]
    if len(places) != 1 or not (row.startswith("|") or len(ARROW.findall(cells[places[0]])) > 1):
        return row
    repairs["table row"] = None
    content = cells.pop(places[0])
    return "" if any(DENIAL.fullmatch(cell) or not CROSSES.isdisjoint(cell) for cell in cells) else content.strip()


def _without_arrow(text: str, lead: Lead, repairs: dict[str, None]) -> Line:
    letters = set(text)
    if letters <= RULE:
        return Line(ignored="a rule", is_break=True)
    if letters <= BRACKETS_ONLY:
        return Line(ignored="only brackets")
    content = text[lead.end :]
    if (labelled := read_labelled(text)) is not None:
        return labelled._replace(repairs=(*repairs, *labelled.repairs))
    if not lead.is_doubtful and COMMENT.search(content):
        repairs["comment"] = None
        content = COMMENT.sub("", content).rstrip()
    reading = read_row(content)
    if reading and not (lead.needs_proof and not names_known_edge(reading.triplets)) and not lead.is_doubtful:
        if not reading.triplets:
            return reading
        repairs |= dict.fromkeys([*lead.repairs, *reading.repairs])
        is_break = lead.opens_graph or (lead.is_entry and is_whole_graph(reading.triplets))
        return reading._replace(repairs=tuple(repairs), is_break=is_break)
    bold = text.startswith("**") and text.rstrip(":").endswith("**")
    is_heading = lead.opens_graph or bold or text.endswith(":") or NUMBERED.match(text) is not None
    if reason := _looks_like_triplets(text, content, lead):
        return Line(ignored=reason, is_break=is_heading, looks_like_triplets=True)
    if is_heading:
        return Line(ignored=HEADING, is_break=True)
    return Line(ignored=NO_TRIPLET)


def _looks_like_triplets(text: str, content: str, lead: Lead) -> str:
    """Return the reason to count a line as unread triplets; empty if it does not look like any."""
    says_edge = names_known_edge(groups_of_three(text.replace('"', "")))
    if lead.is_doubtful:
        return DOUBTFUL if says_edge else ""
    is_list = content[:1] in BRACKETS_OPEN and content.rstrip(".,; ")[-1:] in ("]", "}", ")")
    if (text[0] in "[{(" or (is_list and not lead.title)) and any(mark in content for mark in "\"',"):
        return "brackets that hold no triplet"
    return "triplets in brackets among other words" if says_edge else ""
