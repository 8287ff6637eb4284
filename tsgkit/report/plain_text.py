"""Plain text for people: control characters made harmless, and counts with their nouns.

>>> inert("cup\\x1b[31m"), inert("tasse à thé")
('cup\\\\x1b[31m', 'tasse à thé')
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from contextvars import ContextVar
from typing import IO

OUTPUT: ContextVar[IO[str] | None] = ContextVar("OUTPUT", default=None)
"""Takes the lines of a command instead of standard output, for the thread or task that sets it."""
CODE_FILES: ContextVar[tuple[str, ...]] = ContextVar("CODE_FILES", default=())
"""The files that this command named with ``--code``."""
LONG_NAME = 24
"""Names up to this length are never shortened."""
CUT = "..."
WORD = re.compile(r"(?:^|(?<=[\s/:_@,=()-]))[^\s/:_@,=()-]*+[\s/:_@,=()-]++")
"""A word of a name with what separates it from the next; numbers of versions (3.3) are one."""
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def inert(text: str) -> str:
    """Return the text with control, direction, private and surrogate characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode("ascii") if unicodedata.category(letter) in HIDDEN else letter
        for letter in text
    )


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "graph"), count(3, "graph")
    ('1 graph', '3 graphs')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def abridged(names: Iterable[str], longest: int = LONG_NAME) -> dict[str, str]:
    """Return what each name is shortened to: long ones lose what all long ones begin and end with, but for a word.

    >>> names = [f"hosted/meta-llama/llama-3.3-{size}-instruct-turbo" for size in ("70b", "8b")]
    >>> list(abridged([*names, "gpt-5"]).values())
    ['...3.3-70b-instruct...', '...3.3-8b-instruct...', 'gpt-5']
    """
    names = tuple(dict.fromkeys(names))
    long = [name for name in names if len(name) > longest]
    start = end = ""
    if len(long) > 1:
        start = _but_last_word(os.path.commonprefix(long))  # noqa: RUF071  (letter by letter is meant)
        end = _but_last_word(os.path.commonprefix([name[len(start) :][::-1] for name in long]))[::-1]  # noqa: RUF071
    before, after = (CUT if len(shared) > len(CUT) else shared for shared in (start, end))
    return {
        name: f"{before}{name[len(start) : len(name) - len(end)]}{after}" if len(name) > longest else name
        for name in names
    }


def _but_last_word(shared: str) -> str:
    """Return the whole words of a beginning with the characters between them, except the last."""
    return "".join(WORD.findall(shared)[:-1])


def code_options() -> tuple[str, ...]:
    """Return the words that load the same user code in another command."""
    return tuple(word for name in CODE_FILES.get() for word in ("--code", name))


class Foreign(str):
    """Text that others wrote: a model name, a file name, an error of a service."""

    __slots__ = ()
