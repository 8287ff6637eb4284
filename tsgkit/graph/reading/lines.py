"""Reader of one line: clean or repaired triplets, a break between graphs, or other text.

Every step is linear in the length of the line, whatever it holds: no pattern here can be made to backtrack.
"""

from __future__ import annotations

import re

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.arrows import COMMENT, DENIAL, DENIED, read_arrows
from tsgkit.graph.reading.line_content import Line, is_whole_graph, names_known_edge
from tsgkit.graph.reading.line_prefixes import ARROW, BRACKETS_OPEN, CROSSES, GRAPH, Lead, lead_of
from tsgkit.graph.reading.rows import BRACKETS_ONLY, groups_of_three, read_labelled, read_row
from tsgkit.graph.reading.spelling import plain

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
    found = read_arrows(content, repairs)
    is_entry = lead.is_entry or "table row" in repairs
    is_break = lead.opens_graph or (is_entry and is_whole_graph(found.triplets))
    return found._replace(is_break=is_break, looks_like_triplets=bool(found.ignored))


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
    places = [place for place, cell in enumerate(cells) if ARROW.search(cell)]
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
    found = read_row(content)
    if found and not (lead.needs_proof and not names_known_edge(found.triplets)) and not lead.is_doubtful:
        return _behind_lead(found, lead, repairs)
    bold = text.startswith("**") and text.rstrip(":").endswith("**")
    is_heading = lead.opens_graph or bold or text.endswith(":") or NUMBERED.match(text) is not None
    if reason := _looks_like_triplets(text, content, lead):
        return Line(ignored=reason, is_break=is_heading, looks_like_triplets=True)
    if is_heading:
        return Line(ignored=HEADING, is_break=True)
    return Line(ignored=NO_TRIPLET)


def _behind_lead(found: Line, lead: Lead, repairs: dict[str, None]) -> Line:
    """Add the effects of the words before bracketed triplets: repairs, and the start of a graph."""
    if not found.triplets:
        return found
    repairs |= dict.fromkeys([*lead.repairs, *found.repairs])
    is_break = lead.opens_graph or (lead.is_entry and is_whole_graph(found.triplets))
    return found._replace(repairs=tuple(repairs), is_break=is_break)


def _looks_like_triplets(text: str, content: str, lead: Lead) -> str:
    """Return the reason to count a line as unread triplets; empty if it does not look like any."""
    says_edge = names_known_edge(groups_of_three(text.replace('"', "")))
    if lead.is_doubtful:
        return DOUBTFUL if says_edge else ""
    is_list = content[:1] in BRACKETS_OPEN and content.rstrip(".,; ")[-1:] in ("]", "}", ")")
    if (text[0] in "[{(" or (is_list and not lead.title)) and any(mark in content for mark in "\"',"):
        return "brackets that hold no triplet"
    return "triplets in brackets among other words" if says_edge else ""
