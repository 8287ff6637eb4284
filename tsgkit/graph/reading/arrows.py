"""Triplets with arrows: one or several on a line, with the edge between two arrows or on one.

>>> for text in ("person -> verb -> lift, lift --dobj--> pot", "person -->|verb| lift", "lift -> dobj"):
...     print([str(triplet) for triplet in read_arrows(text, {}).triplets])
['person -> verb -> lift', 'lift -> dobj -> pot']
['person -> verb -> lift']
[]

Every step is linear in the length of the text.
"""

from __future__ import annotations

import re

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.line_content import Line
from tsgkit.graph.reading.line_prefixes import ARROW, lead_of
from tsgkit.graph.reading.names import ECHO, cleaned, fault_of, has_placeholder
from tsgkit.graph.reading.spelling import OPEN_GROUP

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
    said = _without_comment(text, repairs)
    if len(said) < len(text) and DENIAL.fullmatch(text, len(said)):
        return Line(ignored=DENIED)
    text = said
    pieces = _pieces(text)
    if len(pieces) > 1:
        repairs["several triplets on a line"] = None
    elif pieces[0] != text:
        repairs["decoration"] = None
    if any(lead_of(piece).needs_proof for piece in pieces[1:]):
        return Line(ignored="a label in the middle of a line")
    triplets: list[Triplet] = []
    for place, piece in enumerate(pieces):
        found = _triplets(piece, repairs)
        if isinstance(found, str):
            if not triplets or len(triplets) < place or place < len(pieces) - 1 or not _is_cut(piece):
                return Line(ignored=found if len(pieces) == 1 or found == ECHO else MIXED)
            return Line(tuple(triplets), tuple(repairs), "a triplet cut off behind others")
        triplets += found
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
    found = []
    for three in labelled or [parts]:
        bare = [part.strip() for part in three]
        names = [cleaned(name) for name in bare]
        if has_placeholder(bare):
            return ECHO
        if fault := fault_of(names) or (MIXED if any(";" in name for name in names) else ""):
            return fault
        if bare != names:
            repairs["decoration"] = None
        found.append(Triplet(*names))
    if labelled or " -> ".join(part.strip() for part in parts) != text:
        repairs["arrow"] = None
    return found


def _labelled(parts: list[str]) -> list[list[str]]:
    """Return the triplets of a chain whose arrows all have labels, ``a -b-> c -d-> e`` or ``a -->|b| c``; else none."""
    if all(LABEL_BEHIND.match(part) for part in parts[1:]):
        behind = [(match.group(1), part[match.end() :]) for part in parts[1:] if (match := LABEL_BEHIND.match(part))]
        nodes = [parts[0], *(node for _, node in behind)]
        return [[nodes[place], edge, nodes[place + 1]] for place, (edge, _) in enumerate(behind)]
    if not MAY_BE_LABELLED.search(parts[0]):
        return []
    before = [_labelled_arrow(part) for part in parts[:-1]]
    if not before or not all(before):
        return []
    nodes = [*(one[0] for one in before if one), parts[-1]]
    return [[nodes[place], one[1], nodes[place + 1]] for place, one in enumerate(before) if one]


def _labelled_arrow(left: str) -> tuple[str, str] | None:
    """Return the source and the edge of what stands before the tip of ``source -edge->`` or ``(source)-[edge]->``."""
    if long := LONG_DASH.search(left):
        left = f"{left[: long.start()]} {left[long.start() :]}"
    left = left.translate(DASHES)
    for opening, closing in (("-[", "]"), ("-(", ")"), (" -", "")):
        source, found, edge = left.rpartition(opening)
        if not found or edge[:1].isspace():
            continue
        edge = edge.strip(" \t-")
        if edge and edge.endswith(closing) and source.strip(" \t-"):
            return source.rstrip(" \t-"), edge.removesuffix(closing).lstrip(":")
    return None
