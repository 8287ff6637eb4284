"""What one line of a reply is: triplets (clean or repaired), a break between graphs, or something else.

Every step is linear in the length of the line, whatever it holds: no pattern here can be made to backtrack.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.found import is_whole_graph, names_known_edge
from tsgkit.graph.reading.leads import ARROW, BRACKETS_OPEN, GRAPH, Lead, lead_of

DOUBTFUL = "a triplet that the words before it deny or give as an example"
NAME = r"([a-z0-9]+(?:-[a-z0-9]+)*)"
CLEAN = re.compile(f"{NAME} -> {NAME} -> {NAME}")
ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
LATEX_ARROW = re.compile(r"\$?\\(?:long)?rightarrow\$?")
COMMENT = re.compile(r"(?<=\s)(?:#|//)\s.*")
MOST_WORDS = 6
HEADING = re.compile(
    rf"#{{1,6}}(?:\s|$)|\W{{0,4}}{GRAPH}[ \t_]{{0,3}}\W{{0,3}}\d+\b|\(?\d{{1,6}}[.):]",
    re.IGNORECASE,
)
RULE = frozenset("-*_=~ ")
GROUP_OF_THREE = re.compile(r"[\[(<]([^][(){}<>,\"]+),([^][(){}<>,\"]+),([^][(){}<>,\"]+)[\])>]")
BRACKETS_ONLY = frozenset("[](){}<>,;: ")
AROUND_GROUPS = BRACKETS_ONLY | frozenset(".*_`")
TABLE_WORDS = frozenset(
    {"source", "subject", "head", "node", "from", "edge", "relation", "predicate", "target", "object"}
)
QUOTES = ("**", "__", "*", "`", '"', "'", "“", "”", "‘", "’", "«", "»")
QUOTE_MARKS = frozenset("".join(QUOTES))
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
BRACKET_MARKS = frozenset("(){}[]<>")


class Line(NamedTuple):
    """What a line holds: its triplets and how they were repaired, or why there are none."""

    triplets: tuple[Triplet, ...] = ()
    repairs: tuple[str, ...] = ()
    ignored: str = ""
    is_break: bool = False
    looks_like_triplets: bool = False


def understand(line: str) -> Line:
    """What a non-blank line is."""
    if match := CLEAN.fullmatch(line):
        return Line((Triplet(*match.groups()),))
    repairs: dict[str, None] = {}
    text = _without_hidden(line, repairs).strip()
    if text.startswith(("```", "~~~")):
        return Line(ignored="a code fence", is_break=True)
    lead = lead_of(text)
    if not ARROW.search(text, lead.end):
        return _without_arrow(text, lead, repairs)
    if lead.is_doubtful:
        return Line(ignored=DOUBTFUL, looks_like_triplets=True)
    repairs.update(dict.fromkeys(lead.repairs))
    found = _with_arrows(text[lead.end :], repairs)
    is_break = lead.opens_graph or (lead.is_entry and is_whole_graph(found.triplets))
    return found._replace(is_break=is_break, looks_like_triplets=bool(found.ignored))


def _without_hidden(line: str, repairs: dict[str, None]) -> str:
    shown = line if line.isascii() else ZERO_WIDTH.sub("", line)
    if len(shown) != len(line):
        repairs["invisible characters"] = None
    if "\\rightarrow" in shown:
        repairs["LaTeX"] = None
        shown = LATEX_ARROW.sub("->", shown)
    if "&gt;" in shown:
        repairs["HTML"] = None
        shown = shown.replace("&gt;", ">")
    return shown


def _with_arrows(text: str, repairs: dict[str, None]) -> Line:
    text = _without_comment(text, repairs)
    pieces = [text]
    for mark in ";,":
        apart = text.rstrip(mark + " \t").split(mark)
        if len(apart) > 1 and all(len(ARROW.findall(piece)) == 2 for piece in apart):
            pieces = apart
            repairs["several triplets on a line"] = None
            break
    if any(lead_of(piece).needs_proof for piece in pieces[1:]):
        return Line(ignored="a label in the middle of a line")
    triplets: list[Triplet] = []
    for piece in pieces:
        found = _triplet(piece.strip(), repairs)
        if isinstance(found, str):
            return Line(ignored=found)
        triplets.append(found)
    return Line(tuple(triplets), tuple(repairs))


def _without_comment(text: str, repairs: dict[str, None]) -> str:
    """A triplet without what is written behind it: after a code span, or after a comment's mark."""
    end = text.rfind("`") + 1
    if text.startswith("`") and end > 1 and ARROW.search(text, 0, end) and not ARROW.search(text, end):
        bare = text[:end]
    else:
        bare = COMMENT.sub("", text).rstrip() if "#" in text or "//" in text else text
    if len(bare) < len(text.rstrip()):
        repairs["comment"] = None
    return bare


def _triplet(text: str, repairs: dict[str, None]) -> Triplet | str:
    """The triplet of a text with arrows, or why it is none."""
    parts = ARROW.split(text)
    if len(parts) == 2 and (labelled := _labelled_arrow(parts[0])):
        parts = [*labelled, parts[1]]
        repairs["label inside the arrow"] = None
    if len(parts) != 3:
        return f"{len(parts)} parts between arrows, not 3"
    bare = [part.strip() for part in parts]
    names = [cleaned(name) for name in bare]
    if not all(names):
        return "an empty name between arrows"
    if any(";" in name for name in names):
        return "several statements on a line, not all of them triplets"
    if ": " in names[0]:
        return "words with a colon before a triplet"
    if any(name.count(" ") >= MOST_WORDS for name in names):
        return "a sentence between arrows, not a name"
    if bare != names:
        repairs["decoration"] = None
    if " -> ".join(bare) != text:
        repairs["arrow"] = None
    return Triplet(*names)


def _labelled_arrow(left: str) -> tuple[str, str] | None:
    """The source and the edge of what stands before the tip of ``source -edge->`` or ``(source)-[edge]->``."""
    for opening, closing in (("-[", "]"), (" -", "")):
        source, found, edge = left.rpartition(opening)
        if not found or edge[:1].isspace():
            continue
        edge = edge.strip(" \t-")
        if edge.endswith(closing) and source.strip(" \t-"):
            return source.rstrip(" \t-"), edge.removesuffix(closing).lstrip(":")
    return None


def cleaned(name: str) -> str:
    """A name without what models put around names: quotes, bold, brackets, a final comma or period.

    >>> cleaned(' **"pick-up"**, '), cleaned("(cup"), cleaned("bolt (large)")
    ('pick-up', 'cup', 'bolt (large)')
    """
    for _ in range(8):
        if name[:1].isalnum() and name[-1:].isalnum():
            break
        before = name
        name = name.strip().rstrip(",;").rstrip()
        if name.endswith(".") and not name.endswith(".."):
            name = name[:-1]
        for step in (_without_quotes, _without_brackets):
            name = step(name)
        if name == before:
            break
    return name


def _without_quotes(name: str) -> str:
    if name[:1] not in QUOTE_MARKS and name[-1:] not in QUOTE_MARKS:
        return name
    for quote in QUOTES:
        if len(name) > 2 * len(quote) and name.startswith(quote) and name.endswith(quote):
            return name[len(quote) : -len(quote)]
        if name.startswith(quote) and quote not in name[len(quote) :]:
            return name[len(quote) :]
        if name.endswith(quote) and quote not in name[: -len(quote)] and quote != "'":
            return name[: -len(quote)]
    return name


def _without_brackets(name: str) -> str:
    if name[:1] not in BRACKET_MARKS and name[-1:] not in BRACKET_MARKS:
        return name
    for opening, closing in BRACKETS:
        if name.startswith(opening) and (name.endswith(closing) or closing not in name):
            return name[1:].removesuffix(closing)
        if name.endswith(closing) and opening not in name:
            return name[:-1]
    return name


def _without_arrow(text: str, lead: Lead, repairs: dict[str, None]) -> Line:
    letters = set(text)
    if letters <= RULE:
        return Line(ignored="a rule", is_break=True)
    if letters <= BRACKETS_ONLY:
        return Line(ignored="only brackets")
    content = text[lead.end :]
    found = _table_row(content) or _bare_groups(content)
    if found and not (lead.needs_proof and not names_known_edge(found.triplets)) and not lead.is_doubtful:
        return _behind_lead(found, lead, repairs)
    bold = text.startswith("**") and text.rstrip(":").endswith("**")
    is_heading = lead.opens_graph or bold or text.endswith(":") or HEADING.match(text) is not None
    if reason := _looks_like_triplets(text, content, lead):
        return Line(ignored=reason, is_break=is_heading, looks_like_triplets=True)
    if is_heading:
        return Line(ignored="a heading or lead-in", is_break=True)
    return Line(ignored="no triplet")


def _behind_lead(found: Line, lead: Lead, repairs: dict[str, None]) -> Line:
    """Add to a line of bracketed triplets what its lead says: the repairs, and whether a graph begins."""
    if not found.triplets:
        return found
    repairs |= dict.fromkeys([*lead.repairs, *found.repairs])
    is_break = lead.opens_graph or (lead.is_entry and is_whole_graph(found.triplets))
    return found._replace(repairs=tuple(repairs), is_break=is_break)


def _looks_like_triplets(text: str, content: str, lead: Lead) -> str:
    """Return the reason to count a line as unread triplets; empty where it does not look like any."""
    groups = [Triplet(*map(cleaned, match.groups())) for match in GROUP_OF_THREE.finditer(text.replace('"', ""))]
    says_edge = names_known_edge(groups)
    if lead.is_doubtful:
        return DOUBTFUL if says_edge else ""
    is_list = content[:1] in BRACKETS_OPEN and content.rstrip(".,; ")[-1:] in ("]", "}", ")")
    if (text[0] in "[{(" or (is_list and not lead.title)) and any(mark in content for mark in "\"',"):
        return "brackets that hold no triplet"
    return "triplets in brackets among other words" if says_edge else ""


def _table_row(text: str) -> Line | None:
    """A row of a Markdown table with three columns, or four of which the first is a number."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 1):
        return None
    cells = [cleaned(cell) for cell in text[1:-1].split("|", maxsplit=5)]
    if len(cells) == 4 and cells[0].isdigit():
        cells = cells[1:]
    if len(cells) != 3 or not all(cells):
        return Line(ignored="a table row without three cells")
    if all(set(cell) <= set("-: ") for cell in cells) or all(cell.lower() in TABLE_WORDS for cell in cells):
        return Line(ignored="a table head")
    return Line((Triplet(*cells),), ("table row",))


def _bare_groups(text: str) -> Line | None:
    """A whole line of groups of the form ``(a, b, c)`` or ``[a, b, c]``, alone or in further brackets."""
    found = list(GROUP_OF_THREE.finditer(text))
    rest = GROUP_OF_THREE.sub("", text) if found else text
    triplets = [Triplet(*(cleaned(name) for name in match.groups())) for match in found]
    if not found or not set(rest) <= AROUND_GROUPS or not all(all(triplet) for triplet in triplets):
        return None
    return Line(tuple(triplets), ("list of three",))
