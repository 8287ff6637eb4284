"""Reader of lists of names: one a line, or separated by commas, with bullets, brackets or as JSON.

>>> names("Reasoning: it is taken first.\\n\\nFinal answer:\\n1. take\\n2. **put-down**").names
('take', 'put-down')
>>> names('{"nodes": ["cup", "Lid"]}').names
('cup', 'Lid')
>>> names("It is hard to tell what happens here.")
Unreadable(reason='no names listed')

Names keep their spelling, repeats and order. Headings and explanations are left out and noted. A reply without any
name, or with triplets as names, cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tsgkit.replies.characters import shown_plainly, without_bullets, without_hidden
from tsgkit.replies.near_json import TOO_MUCH, values_in
from tsgkit.replies.sections import answer_section, without_fences
from tsgkit.replies.spans import Part, Unreadable

FIELDS = ("nodes", "actions", "names", "answer", "final_answer")
WHITE = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
AROUND = "\"'`“”‘’" + WHITE
MARKS = "*_()[]{}"
MOST_WORDS = 3
"""A text with more words is an explanation, not a name."""
ARROW = re.compile(r"->|→|=>|⟶")
LISTED = (
    r"(?:nodes?|actions?|names?|answers?|lists?|objects?|things?|places?|hands?|persons?|order|sequence|results?"
    r"|outputs?)"
)
KIND = r"(?:(?:scene|action)[ _-]?)?(?:graph|scene|step|action|event|image|picture|node|object|item|name)"
BRACKETED = r"(?: ?\([^()\n]{1,60}\))?"
LEAD = re.compile(
    rf"[*_]*(?:(?:(?:the|all|final|correct) )*{LISTED}|{KIND}[ _-]?#?\d{{1,3}})[*_]*+{BRACKETED}[*_]*+"
    r"(?:\s*[:：][*_]*|(?<=[\d)])\s+[-–—](?=\s))\s*",
    re.IGNORECASE,
)
"""The heading of a list, or a number before a name: ``Nodes:``, ``Graph 1:``."""
HEADING = re.compile(rf"[*_]*{KIND} #?\d{{1,3}}[*_]*+{BRACKETED}[*_]*+$", re.IGNORECASE)
CAPTION = re.compile(r"[*_]*(?:context|sentence|question|total|count|number of \w++)[*_]*+\s*+[:：]", re.IGNORECASE)
"""A line that describes the list."""
ASIDE = re.compile(
    r"[*_]*(?:(?:brief|short|my|the) )?(?:(?:explanations?|reasoning|rationale|justifications?|analysis)[*_]*\s*$"
    r"|(?:explanations?|reason(?:ing|s)?|rationale|justifications?|analysis|notes?|remarks?|comments?|why|erklärung"
    rf"|begründung|anmerkung|hinweis|explicación|nota|explication|解释|说明|理由|注)[*_]*{BRACKETED}\s*[:：])",
    re.IGNORECASE,
)
"""The heading of an explanation; the lines below it list no names."""
EXPLANATION = re.compile(r"(?<!\s)\s+(?:\(|[-–—]\s).*$|:\s+.*$")
SET_APART = re.compile(r"(?<!\s)\s+(?:\([^()]*\)\s*|[-–—]\s[^,]*)$")
"""An explanation at the end of a line: in brackets, or after a dash."""
SENTENCE = re.compile(r"[.!?;:]\s|[!?]$")
SHORT = 60


class Listed(NamedTuple):
    """The names of a list as written, and the parts that were left out."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    """The position of each name in the reply; for JSON, of the whole value. None if a name was not written there."""


def names(reply: str) -> Listed | Unreadable:
    """Return the names of the answer section, in order."""
    text, places = without_hidden(reply)
    section = answer_section(text)
    if isinstance(section, Unreadable):
        return section
    listed = _listed(without_fences(shown_plainly(section.part)).strip())
    if places is None or isinstance(listed, Unreadable):
        return listed
    return listed._replace(spans=tuple((places[start], places[end]) for start, end in listed.spans))


def _listed(part: Part) -> Listed | Unreadable:
    if (part.text.startswith("[") or "{" in part.text) and (value := _from_json(part)) is not None:
        return value
    if ARROW.search(part.text):
        return Unreadable("triplets, and names were asked for")
    listed: list[Part] = []
    notes: list[str] = []
    aside = _Aside()
    for line in part.lines():
        is_aside = aside.holds(line, part, is_first=not listed)
        names, is_whole = ([], False) if is_aside else _in_line(line)
        listed += names
        if not is_whole:
            text = line.text.strip()
            short = text if len(text) <= SHORT else text[:SHORT] + "..."
            notes.append(f"left out: {short}" if not names else f"only its names: {short}")
    if not listed:
        return Unreadable("no names listed")
    return Listed(tuple(name.text for name in listed), tuple(notes), tuple((name.start, name.end) for name in listed))


class _Aside:
    """The range of an explanation in a reply: from its heading to the heading of a list.

    An explanation that begins on its heading's line and precedes all names also ends at a blank line.
    """

    def __init__(self) -> None:
        self.is_open = False
        self.ends_at_blank = False
        self.end = 0

    def holds(self, line: Part, reply: Part, *, is_first: bool) -> bool:
        """Return whether the next line belongs to an explanation. ``is_first``: no name was listed before it."""
        bare = without_bullets(line.text)
        is_apart = reply.text.count("\n", self.end - reply.start, line.start - reply.start) > 1
        self.end = line.end
        if heading := ASIDE.match(bare):
            self.is_open = True
            self.ends_at_blank = is_first and bool(bare[heading.end() :].strip("*_ "))
        elif LEAD.match(bare) or (self.ends_at_blank and is_apart):
            self.is_open = False
        return self.is_open


def _from_json(part: Part) -> Listed | Unreadable | None:
    """Return the names of a JSON list or of a field with one; None if the text is not JSON."""
    values = values_in(part.text)
    if values and values[-1].is_given_up:
        return Unreadable(TOO_MUCH)
    if len(values) != 1 or values[0].is_cut:
        return None
    value = values[0].value
    is_plain = not (isinstance(value, dict) or '"' in part.text[: values[0].end])
    if is_plain and part.text[values[0].end :].strip(" .\n"):
        return None
    if isinstance(value, dict):
        fields = {str(key).lower(): field for key, field in value.items()}
        value = next((fields[name] for name in FIELDS if name in fields), None)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return Unreadable("JSON, and no list of names in it")
    listed = [name.text for name in map(_trimmed, map(Part, value)) if name.text]
    span = (part.start + values[0].start, part.start + values[0].end)
    return Listed(tuple(listed), (), (span,) * len(listed)) if listed else Unreadable("no names listed")


def _trimmed(name: Part) -> Part:
    name = name.strip(AROUND)
    return name.cut(0, len(name.text.removesuffix("."))).strip(AROUND)


def _in_line(line: Part) -> tuple[list[Part], bool]:
    """Return the names in a line and whether they are all of it; no names if any part is more than a name."""
    bare = line.cut(len(line.text) - len(without_bullets(line.text)))
    if CAPTION.match(bare.text) or HEADING.match(bare.text.rstrip()):
        return [], False
    if lead := LEAD.match(bare.text):
        bare = bare.cut(lead.end())
    explanation = EXPLANATION.search(bare.text)
    without = (bare.cut(0, explanation.start()) if explanation else bare, False)
    readings = [without] if SET_APART.search(bare.text) else [(bare, True), without]
    for reading, is_whole in readings:
        parts = list(_parts(reading))
        if parts and all(_is_name(part.text) for part in parts):
            return parts, is_whole
    return [], False


def _parts(line: Part) -> Iterator[Part]:
    stripped = line.strip(AROUND + MARKS + ",")
    stripped = stripped.cut(0, len(stripped.text.removesuffix(".")))
    at = 0
    for text in stripped.text.split(","):
        yield _trimmed(stripped.cut(at, at + len(text)).strip(AROUND + MARKS))
        at += len(text) + 1


def _is_name(part: str) -> bool:
    is_short = len(part.split()) <= MOST_WORDS and part[-1:] not in (":", ".")
    return is_short and SENTENCE.search(part) is None and any(map(str.isalnum, part))
