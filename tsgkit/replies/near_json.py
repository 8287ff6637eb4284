"""Reader of values that are nearly JSON, anywhere in a text.

>>> found = values_in("Here you are: [{'label': 'cup', size: 3,}, // the cup\\n{\\"label\\": None}]. Enjoy!")
>>> found[0].value, found[0].repaired
([{'label': 'cup', 'size': 3}, {'label': None}], True)
>>> values_in('[{"label": "cup", "box_2d": [1, 2')
[FoundValue(value=None, start=0, end=33, repaired=False, is_cut=True, is_given_up=False)]

Accepted besides JSON: single and curly quotes, unquoted keys, too many or too few commas, comments, parentheses for
brackets, ``None``, ``True`` and ``False``, numbers like ``+5`` and ``.5``. A word that is no value is a text. Values
that JSON cannot represent (``NaN``, a number of a hundred digits) stay text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tsgkit.replies.denial import TAKEN_BACK
from tsgkit.replies.sections import labels_in
from tsgkit.replies.spans import Part, Unreadable

MOST_NESTED = 40
MOST_WORK, WORK_A_CHARACTER = 500_000, 3
"""Steps for one text, at least and for each of its characters; a step is about a character of an attempt to read."""
WORK_AN_ATTEMPT = 16
"""The steps of an attempt that fails at once."""
MOST_TOO_NESTED = 100
"""Attempts that may end because brackets are nested too deeply; each of them reads :data:`MOST_NESTED` levels."""
WORK_A_NESTED_CHARACTER = 10
"""The limit per character if nested values are read separately too, once for each level."""
TOO_MUCH = "it takes too many steps to read"
CUT = "it ends in the middle"
LONGEST_NUMBER = 40
SPACE = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*[^*]{0,300}\*/|…|\.\.\.)+")
PLAIN_SPACE = re.compile(r"\s*")
NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")
JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[^\s,:;\[\]{}()\"'“”‘’]+")
STRING = {
    '"': re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL),
    "'": re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL),
    "“": re.compile(r"“([^”]*)”"),
    "‘": re.compile(r"‘([^’]*)’"),
}
ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
WORDS = {"null": None, "none": None, "true": True, "false": False}
EXACT_WORDS = ("null", "true", "false")
CLOSING = {"[": "]", "{": "}", "(": ")"}
BEGINNINGS = frozenset('{["“0123456789+-.')
"""Characters that can begin a value without a comma before it."""
OPENING = re.compile(r"[\[{]")
ANY_OPENING = re.compile(r"[\[{(]")


class FoundValue(NamedTuple):
    """A list or object in a text and its position. One that is cut off has no value.

    The rest of a text that takes too many steps (``is_given_up``) counts as cut off.
    """

    value: Any
    start: int
    end: int
    repaired: bool
    is_cut: bool = False
    is_given_up: bool = False


class _Broken(Exception):
    """The text here is not a value."""


class _Cut(Exception):
    """The text ends inside a value."""


class _TooMuch(Exception):
    """The limit of steps is reached."""


def values_in(text: str) -> list[FoundValue]:
    """Return all top-level lists and objects of a text in order; the last one may be cut off."""
    reader = _Reader(text)
    values: list[FoundValue] = []
    at = 0
    while opening := OPENING.search(text, at):
        at = opening.start()
        try:
            reader.begin(at)
            value = reader.value(0)
        except _TooMuch:
            return [
                *(entry for entry in values if not entry.is_cut),
                FoundValue(None, at, len(text), repaired=False, is_cut=True, is_given_up=True),
            ]
        except _Cut:
            values.append(FoundValue(None, at, len(text), repaired=False, is_cut=True))
            at += 1
        except _Broken:
            at += 1
        else:
            values.append(FoundValue(value, at, reader.at, reader.repaired))
            at = reader.at
    first_cut = next((position for position, value in enumerate(values) if value.is_cut), None)
    if first_cut is None:
        return values
    return [value for value in values[:first_cut] if not value.is_cut] + [values[first_cut]]


def nested_values_in(text: str) -> Iterator[FoundValue]:
    """Yield all complete lists and objects of a text in order, including nested ones and those in parentheses.

    >>> [one.value for one in nested_values_in("[('a', 'b'), {'c': (1,)}, ['d', ")]
    [['a', 'b'], {'c': [1]}, [1]]
    """
    reader = _Reader(text, WORK_A_NESTED_CHARACTER)
    for opening in ANY_OPENING.finditer(text):
        try:
            reader.begin(opening.start())
            value = reader.value(0)
        except _TooMuch:
            return
        except (_Cut, _Broken):
            continue
        yield FoundValue(value, opening.start(), reader.at, reader.repaired)


def object_with(text: str, *names: str) -> FoundValue | Unreadable:
    """Return the last object of a text with one of these fields, or the reason why there is none.

    >>> object_with("{'a': 1} and {'b': 2}", "a").value, object_with("{'a': [1, 2", "a")
    ({'a': 1}, Unreadable(reason='it ends in the middle'))
    """
    values: list[FoundValue] = values_in(text)
    if values and values[-1].is_cut:
        return Unreadable(TOO_MUCH if values[-1].is_given_up else CUT)
    having = [value for value in values if isinstance(value.value, dict) and not value.value.keys().isdisjoint(names)]
    return agreed(having, text) if having else Unreadable(f"there is no {' or '.join(names)} in it")


def agreed(values: Sequence[FoundValue], text: str) -> FoundValue | Unreadable:
    """Return the one value that all agree on. If words take others back or call one final, return the last."""
    last = values[-1]
    others = [value for value in values if value.value != last.value]
    if others and not TAKEN_BACK.search(text, others[-1].end, last.start):
        between = labels_in(Part(text[others[-1].end : last.start]))
        if not any(label.group("final") for label in between):
            return Unreadable("two answers that differ")
    return last


class _Reader:
    """A parser over one text with its position."""

    def __init__(self, text: str, work: int = WORK_A_CHARACTER) -> None:
        self.text = text
        self.at = 0
        self.repaired = False
        self.left = max(MOST_WORK, work * len(text))
        self.too_nested = 0

    def begin(self, at: int) -> None:
        """Start at a bracket."""
        self.at, self.repaired = at, False
        self.spend(WORK_AN_ATTEMPT)

    def value(self, level: int) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return the value at the position."""
        first = self.here()
        if level > MOST_NESTED:
            self.too_nested += 1
            raise _TooMuch if self.too_nested > MOST_TOO_NESTED else _Broken
        if first == "{":
            return self.members(level)
        if first in "[(":
            self.repaired = self.repaired or first == "("
            return self.items(CLOSING[first], level)
        if first in STRING:
            return self.string(first)
        return self.bare()

    def here(self) -> str:
        """Return the next character."""
        if self.at >= len(self.text):
            raise _Cut
        return self.text[self.at]

    def spend(self, steps: int) -> None:
        """Count work, so that no text takes for ever."""
        self.left -= steps
        if self.left < 0:
            raise _TooMuch

    def skip(self) -> None:
        """Skip white space and comments."""
        plain = PLAIN_SPACE.match(self.text, self.at)
        self.at = plain.end() if plain else self.at
        if space := SPACE.match(self.text, self.at):
            self.at, self.repaired = space.end(), True
            self.spend(len(space.group()))
        self.spend(1)

    def items(self, closing: str, level: int) -> list[Any]:
        """Return a list, starting after its bracket."""
        items: list[Any] = []
        self.at += 1
        while not self.closes(closing):
            items.append(self.value(level + 1))
            self.separated(closing)
        return items

    def members(self, level: int) -> dict[str, Any]:
        """Return an object, starting after its brace."""
        members: dict[str, Any] = {}
        self.at += 1
        while not self.closes("}"):
            key = self.key()
            self.skip()
            if self.here() not in ":=":
                raise _Broken
            self.repaired = self.repaired or self.here() == "="
            self.at += 1
            self.skip()
            members[key] = self.value(level + 1)
            self.separated("}")
        return members

    def closes(self, closing: str) -> bool:
        """Return whether the closing bracket is next, and skip it if so."""
        self.skip()
        if self.here() != closing:
            return False
        self.at += 1
        return True

    def separated(self, closing: str) -> None:
        """Skip the comma; one too many or too few is accepted."""
        self.skip()
        if self.here() == closing:
            return
        commas = 0
        while self.here() == ",":
            commas += 1
            self.at += 1
            self.skip()
        if not commas and self.here() not in BEGINNINGS:
            raise _Broken
        self.repaired = self.repaired or commas != 1 or self.here() == closing

    def key(self) -> str:
        """Return the name of a member."""
        first = self.here()
        if first in STRING:
            return self.string(first)
        word = WORD.match(self.text, self.at)
        if not word:
            raise _Broken
        self.repaired = True
        self.at = word.end()
        return well_formed(word.group())

    def string(self, quote: str) -> str:
        """Return a quoted text."""
        match = STRING[quote].match(self.text, self.at)
        if not match:
            self.spend(len(self.text) - self.at)
            raise _Cut
        self.repaired = self.repaired or quote != '"'
        self.at = match.end()
        self.spend(len(match.group()))
        return unescaped(match.group(1))

    def bare(self) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return a number, null, true, false, or a word."""
        if number := NUMBER.match(self.text, self.at):
            self.at = number.end()
            self.spend(len(number.group()))
            self.repaired = self.repaired or not JSON_NUMBER.fullmatch(number.group())
            return number_of(number.group())
        word = WORD.match(self.text, self.at)
        if not word:
            raise _Broken
        self.at = word.end()
        self.spend(len(word.group()))
        self.repaired = self.repaired or word.group() not in EXACT_WORDS
        return WORDS.get(word.group().lower(), well_formed(word.group()))


def unescaped(text: str) -> str:
    """Return the text that stands between quotes.

    >>> print(unescaped(r"the cook\\'s pan, 20 \\u00b0C"))
    the cook's pan, 20 °C
    """
    return well_formed(ESCAPE.sub(_unescaped, text))


def _unescaped(escape: re.Match[str]) -> str:
    code = escape.group(1)
    return chr(int(code[1:], 16)) if len(code) > 1 else ESCAPED.get(code, code)


def well_formed(text: str) -> str:
    """Return a text that can be encoded as UTF-8: half a surrogate pair becomes a question mark."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def number_of(text: str) -> int | float | str:
    """Return the number that a text denotes, or the text if JSON cannot represent it.

    >>> number_of("12"), number_of("1e999"), number_of("+.5")
    (12, '1e999', 0.5)
    """
    if len(text) > LONGEST_NUMBER:
        return text[:LONGEST_NUMBER] + "..."
    try:
        return int(text)
    except ValueError:
        value = float(text)
    return value if math.isfinite(value) else text
