"""Text in drawings: made visible, measured and broken into lines without font files.

>>> visible("lid\\x1b"), visible(" cup"), visible("")
('lid\\\\x1b', '␣cup', '""')
>>> wrap("large-mixing-bowl", width=60, size=14)
('large-', 'mixing-', 'bowl')
>>> shorten("kettle", 4)
'ket…'

Names are compared as strings, so invisible characters must be shown: control, format and surrogate characters,
right-to-left overrides and unusual spaces become escapes, spaces at either end ``␣``, an empty name two quotes. As a
consequence, sequences joined by invisible characters (some emoji, some Persian spellings) are split. Widths are those
of a wide sans-serif font, rounded up, so that text fits in any other.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

ELLIPSIS = "…"
LONGEST = 400

_TABLE = {
    0.30: "ijlI'J",
    0.36: " !,./:;\\|-f",
    0.42: "()[]rt",
    0.54: 'sz?*_`"',
    0.64: "abcdeghknopquvxyFLST{}$0123456789",
    0.70: "ACEKPRXYZ",
    0.80: "BDGHNOQUVwM&#^~+<=>",
    1.00: "mW@%",
}
_WIDTHS = {character: width for width, characters in _TABLE.items() for character in characters}
_PICTOGRAPHS = 0x1F000
_CHUNK = re.compile(r"[^ \-]*[ \-]+|[^ \-]+")


def legible(text: str) -> str:
    """Return the text with each character that cannot be seen, or that XML forbids, written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def visible(name: str) -> str:
    """Return a name as it may be compared: legible, with spaces at its ends shown and nothing shown as two quotes."""
    seen = legible(name)
    inner = seen.strip(" ")
    head = len(seen) - len(seen.lstrip(" ")) if inner else len(seen)
    tail = len(seen) - len(inner) - head
    return "␣" * head + inner + "␣" * tail or '""'


def shown(name: str) -> str:
    """Return a name as drawings print it: visible, and shortened if very long."""
    return shorten(visible(name), LONGEST)


def prose(text: str) -> str:
    """Running text on one line: line breaks and tabs are only white space here."""
    return legible(re.sub(r"[ \t\r\n]+", " ", text).strip(" "))


def shorten(text: str, length: int) -> str:
    """Return the text, or its beginning and an ellipsis, in at most this many characters."""
    return text if len(text) <= length else text[: length - 1] + ELLIPSIS


def text_width(text: str, size: float) -> float:
    """Return how wide a line is at this font size, in pixels, rather over than under."""
    return size * sum(map(_em, text))


def wrap(text: str, width: float, size: float) -> tuple[str, ...]:
    """Return the text in lines of at most this width, broken after spaces and hyphens, and inside a word if it must be.

    No character is lost: the joined lines are the text.
    """
    lines, line, used = list[str](), "", 0.0
    for chunk in _chunks(text, width, size):
        wide = text_width(chunk, size)
        if line and used + text_width(chunk.rstrip(" "), size) > width:
            lines.append(line)
            line, used = "", 0.0
        line, used = line + chunk, used + wide
    return (*lines, line)


def _chunks(text: str, width: float, size: float) -> Iterable[str]:
    for chunk in _CHUNK.findall(text):
        if text_width(chunk, size) <= width:
            yield chunk
        else:
            yield from _pieces(chunk, width, size)


def _pieces(word: str, width: float, size: float) -> Iterable[str]:
    """Yield a word too long for a line, in the longest pieces that fit; a combining mark stays with its letter."""
    start, used = 0, 0.0
    for place, character in enumerate(word):
        wide = size * _em(character)
        if place > start and wide and used + wide > width:
            yield word[start:place]
            start, used = place, 0.0
        used += wide
    yield word[start:]


def _em(character: str) -> float:
    known = _WIDTHS.get(character)
    if known is not None:
        return known
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return 1.3 if ord(character) >= _PICTOGRAPHS else 1.05
    return 0.85
