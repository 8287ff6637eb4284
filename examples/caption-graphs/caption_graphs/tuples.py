"""Scene graphs of captions in the notation of tuples: objects, attributes, relations.

>>> read_tuples("Scene graph: ( man , ride , horse ) , ( horse , brown )").graph
CaptionGraph(objects=('man', 'horse'), attributes=(('horse', 'brown'),), relations=(('man', 'ride', 'horse'),))
>>> read_tuples("( man , ride , brown , horse )")
Unreadable(reason='tuple 1 has 4 elements: ( man , ride , brown , horse )')

One element is an object, two are an object and its attribute, three a subject, a relation and an object. The notation
knows objects by name alone: two dogs are one object here, which may be both brown and black.

Not covered: arrows, tuples in the middle of a sentence (these are noted), and names that run over two lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from textwrap import shorten
from typing import Any, NamedTuple

from tsgkit.replies import Unreadable
from tsgkit.replies.corrections import TAKEN_BACK, WITHDRAWN
from tsgkit.replies.fences import without_fences
from tsgkit.replies.near_json import CUT, TOO_MUCH, agreed, values_in
from tsgkit.replies.sections import answer_section
from tsgkit.replies.signs import shown_plainly, without_bullets, without_hidden

FORMS = {("object",), ("object", "attribute"), ("subject", "relation", "object")}
"""The notation itself, which replies like to repeat."""
MOST_WORDS, MOST_ALONE, SHORT = 5, 3, 60
QUOTED = r"(?:\"[^\"\n]{1,80}\"|“[^”\n]{1,80}”|['‘][^\n]{1,80}?['’])(?=\s*(?:[,;)\]]|\Z))"
NAME = rf"(?:{QUOTED}|(?![\"“])(?:[^()\[\],;\n]|\([^()\[\]\n]{{0,80}}\)|\[[^()\[\]\n]{{0,80}}\])*+)"
ELEMENT = re.compile(rf"\s*+({NAME})\s*+[,;]")
TUPLE = re.compile(rf"[(\[](\s*+{NAME}(?:\s*+[,;]\s*+{NAME})*+\s*+)[)\]]")
OPENING = re.compile(r"[ \t]*(?:[^()\[\]{}:\n]{1,40}:[ \t]*)?(?:[(\[]\s*(?=[(\[]))?(?=[(\[])")
"""What may stand before the first tuple of a line: words with a colon, and a bracket around all tuples."""
BETWEEN = re.compile(r"[ \t,;.&)\]]*(?:and\b[ \t]*)?")
SENTENCE = re.compile(r"[.!?:]\s|[!?:]$|(?:\S+\s+){2,}\S+\.$")
AMID_WORDS = re.compile(r"\([^()\n]{1,80},[^()\n]{1,80}\)")
JSON = re.compile(r"^[^()\[\]{}:\n]{0,40}:?[ \t]*(?=\{|\[\s*[\[({])", re.MULTILINE)
ALTERNATIVE = re.compile(r"^[^\w\n]*(?:option|alternative|version)[ \t]*\w{0,2}[^\w\n]*$", re.IGNORECASE | re.MULTILINE)


class CaptionGraph(NamedTuple):
    """Objects by name, attributes of objects, relations between them; each said once, in the order of mention."""

    objects: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()
    relations: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of(cls, tuples: Iterable[Sequence[str]]) -> CaptionGraph:
        """Return the graph of some tuples.

        Whatever has an attribute or a relation is an object too, and ( horse , is , brown ) is an attribute.
        """
        found: tuple[dict[Any, None], ...] = ({}, {}, {})
        for one in tuples:
            names = tuple(map(tidy, one))
            if not 1 <= len(names) <= 3 or not all(names):
                raise ValueError(f"a tuple has 1 to 3 names; {names} has {len(names)} elements")
            if names[1:2] in (("is",), ("are",)) and len(names) == 3:
                names = names[::2]
            found[0].update(dict.fromkeys((names[0], names[-1]) if len(names) == 3 else names[:1]))
            if len(names) > 1:
                found[len(names) - 1][names] = None
        return cls(*map(tuple, found))

    @property
    def tuples(self) -> tuple[tuple[str, ...], ...]:
        """All tuples: objects, then attributes, then relations."""
        return (*((name,) for name in self.objects), *self.attributes, *self.relations)


class TupleReading(NamedTuple):
    """The graph that a reply says, and notes on what was left out of it."""

    graph: CaptionGraph
    notes: tuple[str, ...] = ()


class _Refused(Exception):
    """No graph can be read, and why."""


def tidy(name: str) -> str:
    """Return a name in lower case, without articles, quotes and a final period.

    >>> tidy('"The  Stop_Sign".')
    'stop sign'
    """
    words = re.sub(r"[\"“”_\s]+", " ", name.lower())
    return re.sub(r"^(?:[\s'`‘’]+|(?:an?|the)\s+)+|[\s.'`‘’]+$", "", words)


def write_tuples(graph: CaptionGraph) -> str:
    """Return a graph in the notation, names with signs in quotes.

    >>> write_tuples(CaptionGraph.of([("man", "wear", "t-shirt (new)")]))
    '( man ) , ( "t-shirt (new)" ) , ( man , wear , "t-shirt (new)" )'
    """
    quoted = ([f'"{name}"' if re.search(r"[^\w\s-]", name) else name for name in one] for one in graph.tuples)
    return " , ".join(f"( {' , '.join(one)} )" for one in quoted)


def read_tuples(reply: str) -> TupleReading | Unreadable:
    """Read the graph that the answer section of a reply says; a tuple that is none makes all of it unreadable."""
    section = answer_section(without_hidden(reply)[0])
    if isinstance(section, Unreadable):
        return section
    text = without_fences(shown_plainly(section.part)).text
    notes: list[str] = []
    try:
        said: Sequence[Sequence[object]] = _in_json(text) or _in_lines(re.sub("[*`]", " ", text), notes)
        found = list(_checked(said, notes))
    except _Refused as refused:
        return Unreadable(str(refused))
    return TupleReading(CaptionGraph.of(found), tuple(notes)) if found else Unreadable("no tuples")


def _checked(said: Iterable[Sequence[object]], notes: list[str]) -> Iterator[tuple[str, ...]]:
    """Yield tuples of one to three names."""
    for number, one in enumerate(said, 1):
        names, shown = tuple(tidy(str(name)) for name in one), _shown(one)
        if names in FORMS:
            notes.append(f"left out: {shown}")
        elif not all(names) or any(name is None or isinstance(name, bool | list | dict) for name in one):
            raise _Refused(f"tuple {number} has an element without a name: {shown}")
        elif not 1 <= len(names) <= 3:
            raise _Refused(f"tuple {number} has {len(names)} elements: {shown}")
        else:
            yield names


def _in_json(text: str) -> list[Sequence[object]]:
    """Return the tuples of a list of lists or an object that begins a line; none where there is no such thing."""
    starts = {start.end() for start in JSON.finditer(text)}
    found = [one for one in values_in(text) if one.start in starts] if starts else []
    if not found:
        return []
    if found[-1].is_cut:
        raise _Refused(TOO_MUCH if found[-1].is_given_up else CUT)
    whole = agreed(found, text)
    if isinstance(whole, Unreadable):
        raise _Refused(whole.reason)
    value = whole.value
    if isinstance(value, dict):
        kinds = [value.get(kind) or [] for kind in ("tuples", "objects", "attributes", "relations")]
        value = [[one] if isinstance(one, str) else one for kind in kinds if isinstance(kind, list) for one in kind]
    if not value or not all(isinstance(one, list) for one in value):
        raise _Refused("JSON without tuples")
    return list(value)


def _in_lines(text: str, notes: list[str]) -> list[list[str]]:
    """Return the tuples of lines that begin with one; what is left out is noted."""
    said: list[list[str]] = []
    prose = ""
    for found in _segments(text):
        if isinstance(found, str):
            prose += found + "\n"
            notes += [f"left out: {shorten(found, SHORT)}"] if AMID_WORDS.search(found) else []
        elif not all(_is_name(name, MOST_ALONE if len(found) == 1 else MOST_WORDS) for name in found):
            notes.append(f"left out: {_shown(found)}")
        elif said and (TAKEN_BACK.search(prose) or ALTERNATIVE.search(prose)):
            raise _Refused("tuples are taken back or offered as alternatives, and which ones count is not said")
        else:
            prose = ""
            said.append(found)
    if said and WITHDRAWN.search(prose):
        raise _Refused("tuples are taken back, and no others are given")
    return said


def _segments(text: str) -> Iterator[str | list[str]]:
    """Yield the tuples that begin a line, perhaps behind a bullet or words with a colon, and all other text."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) % (len(text) + 1)
        bare = without_bullets(text[at:end])
        start = end - len(bare)
        opening = OPENING.match(text, start)
        start = opening.end() if opening else at
        yield text[at:start]
        while opening and text[start : start + 1] in ("(", "["):
            found = TUPLE.match(text, start)
            if not found:
                raise _Refused(f"a tuple is not closed, or not one: {shorten(text[start:], SHORT)}")
            names = [name.strip() for name in ELEMENT.findall(found[1] + ",")]
            yield names[:-1] if len(names) > 1 and not names[-1] else names
            between = BETWEEN.match(text, found.end())
            start = between.end() if between else found.end()
        end = text.find("\n", start) % (len(text) + 1)
        yield text[start:end]
        at = end + 1


def _is_name(element: str, most: int) -> bool:
    is_short = len(element.split()) <= most and not SENTENCE.search(element)
    return is_short or re.fullmatch(QUOTED, element) is not None


def _shown(names: Iterable[object]) -> str:
    return shorten(f"( {' , '.join(map(str, names))} )", SHORT)
