"""Items of any suite as an audit sees them.

>>> item = Item("7", "7", "Which is red?", options=("a cup", "a pen", "None"), key=1, refusal=2)
>>> item.choices, round(item.chance, 3), item.right_text, sorted(content("The cups of the painter"))
((0, 1), 0.5, 'a pen', ['cup', 'painter'])
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tsgkit.lexicon.tables import word_set

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DENIED = re.compile(r"\b(?:not|rather than|instead of|without)((?: [\w'’-]+){1,3})", re.IGNORECASE)
_STOP = word_set(
    "a an the of on in at to is are was were be been and or with for from by it its this that there which what who "
    "whom whose how where when why do does did has have had as into onto than then"
)


@dataclass(frozen=True)
class Item:
    """A question of a benchmark: its content, its options, and its context.

    With ``options`` the right answer is the one at ``key``; else it is ``answer``, one of ``pool``.
    """

    item_id: str
    cluster: str
    question: str
    options: tuple[str, ...] = ()
    key: int | None = None
    answer: str = ""
    pool: tuple[str, ...] = ()
    group: str = ""
    """The kind of question or the half of the data; within it keys may be skewed and shortcuts worth more."""
    context: str = ""
    """A hash of what the question is about, without its options."""
    beside: tuple[str, ...] = ()
    """Other questions that are asked together with this one."""
    prompt: str = ""
    """A text about the same content that the answerer does not see."""
    names: frozenset[str] = frozenset()
    """The names in the graph or image that the question is about."""
    refusal: int | None = None
    """The option that says that none is right, if there is one: never the key, and no distractor."""

    @property
    def choices(self) -> tuple[int, ...]:
        """The options that can be right, by place."""
        return tuple(place for place in range(len(self.options)) if place != self.refusal)

    @property
    def chance(self) -> float:
        """The score of blind guessing among the possible answers."""
        choices = len(self.choices) or len(self.pool)
        return 1 / choices if choices else 0.0

    @property
    def has_key(self) -> bool:
        """True if one of its options is right."""
        return self.key is not None and self.key in self.choices

    @property
    def right_text(self) -> str:
        """The right answer in words; empty where there is none."""
        if not self.options:
            return self.answer
        return self.options[self.key] if self.key is not None and self.key < len(self.options) else ""


Answer = Callable[[Item], tuple[int | str, ...]]
"""The answers between which a shortcut cannot decide, by position or name; its credit is the share that is right."""


class Slip(NamedTuple):
    """A finding about an item; ``code`` is the name of the check."""

    code: str
    item_id: str
    message: str


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text, in lower case."""
    return tuple(match.lower() for match in _WORD.findall(text))


@lru_cache(maxsize=200_000)
def content(text: str) -> frozenset[str]:
    """Return the words of a text that say something, stemmed."""
    from tsgkit.lexicon import stem

    return frozenset(stem(word) for word in words(text) if word not in _STOP)


@lru_cache(maxsize=100_000)
def denied(text: str) -> frozenset[str]:
    """Return up to three words after one that denies.

    >>> sorted(denied("into, not out of, the pipe")), sorted(affirmed("into, not out of, the pipe"))
    (['of', 'out'], ['into', 'pipe', 'the'])
    """
    return frozenset(word for part in _DENIED.findall(text) for word in words(part))


@lru_cache(maxsize=100_000)
def affirmed(text: str) -> frozenset[str]:
    """Return the words of a text that it does not deny."""
    return frozenset(words(_DENIED.sub(" ", text)))


def context_hash(*parts: object) -> str:
    """Return the hash of a context."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()
