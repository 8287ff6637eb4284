"""Lists of names: one a line, or with commas between them, bullets, brackets or JSON.

>>> names("Reasoning: it is taken first.\\n\\nFinal answer:\\n1. take\\n2. **put-down**").names
('take', 'put-down')
>>> names('{"nodes": ["cup", "Lid"]}').names
('cup', 'Lid')
>>> names("It is hard to tell what happens here.")
Unreadable(reason='no names listed')

Names keep their spelling, repeats and order. What is no name (a heading, an explanation) is left out and noted; a reply
without any name, or with triplets for names, cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tsgkit.replies.fences import without_fences
from tsgkit.replies.near_json import TOO_MUCH, values_in
from tsgkit.replies.parts import Unreadable
from tsgkit.replies.sections import answer_section
from tsgkit.replies.signs import shown_plainly, without_bullets, without_hidden

FIELDS = ("nodes", "actions", "names", "answer", "final_answer")
AROUND = "\"'`“”‘’ \t\r\n\xa0"
MARKS = "*_()[]{}"
MOST_WORDS = 3
"""More words than these are an explanation, not a name."""
ARROW = re.compile(r"->|→|=>|⟶")
HEADED = r"(?:nodes?|actions?|names?|answers?|lists?|objects?|things?|places?|hands?|persons?)"
LEAD = re.compile(rf"^[*_]*(?:(?:the|all|final) )*{HEADED}[*_]*\s*:[*_]*(?=\s*\S)\s*", re.IGNORECASE)
EXPLANATION = re.compile(r"(?<!\s)\s+(?:\(|[-–—]\s).*$|:\s+.*$")
SENTENCE = re.compile(r"[.!?;:]\s|[!?]$")
SHORT = 60


class Listed(NamedTuple):
    """The names of a list as they stand there, and what was left out on the way."""

    names: tuple[str, ...]
    notes: tuple[str, ...] = ()


def names(reply: str) -> Listed | Unreadable:
    """Return the names of the answer section, in order."""
    section = answer_section(without_hidden(reply)[0])
    if isinstance(section, Unreadable):
        return section
    text = without_fences(shown_plainly(section.part)).text.strip()
    if text.startswith(("{", "[")) and (value := _from_json(text)) is not None:
        return value
    if ARROW.search(text):
        return Unreadable("triplets, and names were asked for")
    listed: list[str] = []
    notes: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        found, is_whole = _in_line(line)
        listed += found
        if not is_whole:
            notes.append(f"left out: {_short(line)}" if not found else f"only its names: {_short(line)}")
    return Listed(tuple(listed), tuple(notes)) if listed else Unreadable("no names listed")


def _from_json(text: str) -> Listed | Unreadable | None:
    """Return the names of a JSON list, or of the field that holds one; None where the text is no JSON."""
    found = values_in(text)
    if found and found[-1].is_given_up:
        return Unreadable(TOO_MUCH)
    if len(found) != 1 or found[0].is_cut or text[found[0].end :].strip(" .\n"):
        return None
    value = found[0].value
    if isinstance(value, dict):
        fields = {str(key).lower(): part for key, part in value.items()}
        value = next((fields[name] for name in FIELDS if name in fields), None)
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return Unreadable("JSON, and no list of names in it")
    listed = tuple(filter(None, map(_trimmed, value)))
    return Listed(listed) if listed else Unreadable("no names listed")


def _trimmed(name: str) -> str:
    return name.strip(AROUND).removesuffix(".").strip(AROUND)


def _in_line(line: str) -> tuple[tuple[str, ...], bool]:
    """The names that a line lists, none where any part of it is more than a name; and whether that is all of it."""
    bare = without_bullets(line)
    for one, is_whole in ((bare, True), (LEAD.sub("", bare), True), (EXPLANATION.sub("", bare), False)):
        parts = tuple(_parts(one))
        if parts and all(map(_is_name, parts)):
            return parts, is_whole
    return (), False


def _parts(line: str) -> Iterator[str]:
    stripped = line.strip(AROUND + MARKS + ",").removesuffix(".")
    for part in stripped.split(","):
        yield _trimmed(part.strip(AROUND + MARKS))


def _is_name(part: str) -> bool:
    is_short = len(part.split()) <= MOST_WORDS and part[-1:] not in (":", ".")
    return is_short and SENTENCE.search(part) is None and any(map(str.isalnum, part))


def _short(line: str) -> str:
    line = line.strip()
    return line if len(line) <= SHORT else line[:SHORT] + "..."
