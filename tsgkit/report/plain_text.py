"""Plain text for people: control characters made harmless, and counts with their nouns.

>>> inert("cup\\x1b[31m"), inert("tasse à thé")
('cup\\\\x1b[31m', 'tasse à thé')
"""

from __future__ import annotations

import unicodedata
from contextvars import ContextVar
from typing import IO

OUTPUT: ContextVar[IO[str] | None] = ContextVar("OUTPUT", default=None)
"""Takes the lines of a command instead of standard output, for the thread or task that sets it."""
CODE_FILES: ContextVar[tuple[str, ...]] = ContextVar("CODE_FILES", default=())
"""The files that this command named with ``--code``."""
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def inert(text: str) -> str:
    """Return the text with control, direction, private and surrogate characters as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        letter.encode("unicode_escape").decode("ascii") if unicodedata.category(letter) in HIDDEN else letter
        for letter in text
    )


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "graph"), count(3, "graph")
    ('1 graph', '3 graphs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def code_options() -> tuple[str, ...]:
    """Return the words that load the same user code in another command."""
    return tuple(word for name in CODE_FILES.get() for word in ("--code", name))


class Foreign(str):
    """Text that others wrote: a model name, a file name, an error of a service."""

    __slots__ = ()
