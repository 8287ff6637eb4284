"""Reader and writer of tuples of names in brackets, ``( man , ride , horse ) , ( horse , brown )``, or as JSON lists.

>>> tuples("Scene graph: ( man , ride , horse ) , ( horse , brown )").tuples
(('man', 'ride', 'horse'), ('horse', 'brown'))
>>> tuples('{"facts": [["man"], ["horse", "brown"]]}', fields=["facts"]).tuples
(('man',), ('horse', 'brown'))
>>> tuples("( man , ride , brown , horse )")
Unreadable(reason='tuple 1 has 4 elements: ( man , ride , brown , horse )')

Names keep their spelling, tuples their order. A tuple of four makes the whole reply unreadable; omitted text is noted.
Not covered: tuples within a sentence (they are noted), and names that span two lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from textwrap import shorten
from typing import NamedTuple

from tsgkit.replies.characters import shown_plainly, without_bullets, without_hidden
from tsgkit.replies.denial import ALTERNATIVE, TAKEN_BACK, WITHDRAWN
from tsgkit.replies.near_json import CUT, TOO_MUCH, agreed, values_in
from tsgkit.replies.sections import answer_section, without_fences
from tsgkit.replies.spans import Unreadable

MOST_ELEMENTS, MOST_WORDS, MOST_ALONE, SHORT = 3, 5, 3, 60
LONGEST = 200
"""Limits: elements of a tuple; words and characters of an element, lower if it stands alone."""
AROUND = " \t\r\n\"'`“”‘’"
QUOTED = r"(?:\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|['‘][^\n]{1,80}?['’])(?=\s*(?:[,;)\]]|\Z))"
NAME = rf"(?:{QUOTED}|(?![\"“])(?:[^()\[\],;\n]|\([^()\[\]\n]{{0,80}}\)|\[[^()\[\]\n]{{0,80}}\])*+)"
ELEMENT = re.compile(rf"(?<![^,;])\s*+({NAME})\s*+[,;]")
TUPLE = re.compile(rf"[(\[](\s*+{NAME}(?:\s*+[,;]\s*+{NAME})*+\s*+)[)\]]")
OPENING = re.compile(r"[ \t]*(?:[^()\[\]{}:\n]{1,40}:[ \t]*)?(?:[(\[]\s*(?=[(\[]))?(?=[(\[])")
"""Text allowed before the first tuple of a line: words with a colon, and a bracket around all tuples."""
BETWEEN = re.compile(r"[ \t,;.&)\]]*(?:and\b[ \t]*)?")
SENTENCE = re.compile(r"[.!?:]\s|[!?:]$|\S\s++\S++\s++\S+\.$")
AMID_WORDS = re.compile(r"\([^()\n]{1,80},[^()\n]{1,80}\)")
JSON = re.compile(r"^[^()\[\]{}:\n]{0,40}:?[ \t]*(?=\{|\[\s*[\[({])", re.MULTILINE)


class Tuples(NamedTuple):
    """The tuples of a reply, and notes on text that was left out."""

    tuples: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def tuples_text(elements: Iterable[Sequence[str]]) -> str:
    """Return tuples in brackets, names with signs in quotes.

    >>> tuples_text([("man",), ("man", "wear", "t-shirt (new)")])
    '( man ) , ( man , wear , "t-shirt (new)" )'
    """
    quoted = ([f'"{name}"' if re.search(r"[^\w\s-]", name) else name for name in names] for names in elements)
    return " , ".join(f"( {' , '.join(names)} )" for names in quoted)


class _Refused(Exception):
    """The reason why no tuples can be read."""


def tuples(
    reply: str, *, fields: Sequence[str] = ("tuples",), forms: Collection[tuple[str, ...]] = ()
) -> Tuples | Unreadable:
    """Return the tuples of the answer section of a reply, at least one.

    ``fields`` of a JSON object contain lists of them; ``forms`` are notations that replies often repeat, and are not
    read.
    """
    section = answer_section(without_hidden(reply)[0])
    if isinstance(section, Unreadable):
        return section
    text = without_fences(shown_plainly(section.part)).text
    notes: list[str] = []
    try:
        elements: Sequence[Sequence[object]] = _in_json(text, fields) or _in_lines(re.sub("[*`]", " ", text), notes)
    except _Refused as refused:
        return Unreadable(str(refused))
    checked: list[tuple[str, ...]] = []
    for number, element in enumerate(elements, 1):
        names, shown = tuple(str(name).strip(AROUND) for name in element), _shown(element)
        if tuple(map(str.lower, names)) in forms:
            notes.append(f"left out: {shown}")
        elif any(name is None or isinstance(name, bool | list | dict) for name in element) or not all(
            map(_says, names)
        ):
            return Unreadable(f"tuple {number} has an element without a name: {shown}")
        elif not 1 <= len(names) <= MOST_ELEMENTS:
            return Unreadable(f"tuple {number} has {len(names)} elements: {shown}")
        else:
            checked.append(names)
    return Tuples(tuple(checked), tuple(notes)) if checked else Unreadable("no tuples")


def _says(name: str) -> bool:
    return any(map(str.isalnum, name))


def _in_json(text: str, fields: Sequence[str]) -> list[Sequence[object]]:
    """Return the tuples of a list of lists or an object at the beginning of a line."""
    starts = {start.end() for start in JSON.finditer(text)}
    values = [item for item in values_in(text) if item.start in starts] if starts else []
    if not values:
        return []
    if values[-1].is_cut:
        raise _Refused(TOO_MUCH if values[-1].is_given_up else CUT)
    whole = agreed(values, text)
    if isinstance(whole, Unreadable):
        raise _Refused(whole.reason)
    value = whole.value
    if isinstance(value, dict):
        lists = [value.get(field) or [] for field in fields]
        value = [[item] if isinstance(item, str) else item for each in lists if isinstance(each, list) for item in each]
    if not value or not all(isinstance(item, list) for item in value):
        raise _Refused("JSON without tuples")
    return list(value)


def _in_lines(text: str, notes: list[str]) -> list[list[str]]:
    """Return the tuples of lines that begin with one; other text is noted."""
    elements: list[list[str]] = []
    prose = ""
    for segment in _segments(text):
        if isinstance(segment, str):
            prose += segment + "\n"
            notes += [f"left out: {shorten(segment, SHORT)}"] if AMID_WORDS.search(segment) else []
        elif not all(_is_name(name, MOST_ALONE if len(segment) == 1 else MOST_WORDS) for name in segment):
            notes.append(f"left out: {_shown(segment)}")
        elif elements and (TAKEN_BACK.search(prose) or ALTERNATIVE.search(prose)):
            raise _Refused("tuples are taken back or offered as alternatives, and which ones count is not said")
        else:
            prose = ""
            elements.append(segment)
    if elements and WITHDRAWN.search(prose):
        raise _Refused("tuples are taken back, and no others are given")
    return elements


def _segments(text: str) -> Iterator[str | list[str]]:
    """Yield the tuples at line beginnings, optionally after a bullet or words with a colon, and all other text."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) % (len(text) + 1)
        bare = without_bullets(text[at:end])
        start = end - len(bare)
        opening = OPENING.match(text, start)
        start = opening.end() if opening else at
        yield text[at:start]
        while opening and text[start : start + 1] in ("(", "["):
            match = TUPLE.match(text, start)
            if not match:
                raise _Refused(f"a tuple is not closed, or not one: {shorten(text[start:], SHORT)}")
            names = [name.strip() for name in ELEMENT.findall(match[1] + ",")]
            yield names[:-1] if len(names) > 1 and not names[-1] else names
            between = BETWEEN.match(text, match.end())
            start = between.end() if between else match.end()
        end = text.find("\n", start) % (len(text) + 1)
        yield text[start:end]
        at = end + 1


def _is_name(element: str, most: int) -> bool:
    is_short = len(element) <= LONGEST and len(element.split()) <= most and not SENTENCE.search(element)
    return is_short or re.fullmatch(QUOTED, element) is not None


def _shown(names: Iterable[object]) -> str:
    return shorten(f"( {' , '.join(map(str, names))} )", SHORT)
