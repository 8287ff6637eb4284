"""Strict reading of letters, words and lists: an answer as it is compared, or a reason why there is none.

>>> letter("A close reading suggests\\nFinal answer: [c]", ["", "", ""]).value, word("So it is **[the rope.]**").value
('C', 'rope')
>>> letter("I think it is the second", ["", ""])
Unreadable(reason='no answer')

Names are folded before they are compared (:mod:`tsgkit.graph.folding`); the metric ``normalised`` looks past spaces and
hyphens too. Graphs are read by :mod:`tsgkit.graph.reading.answers`.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from tsgkit.graph.folding import fold
from tsgkit.replies import Read, Unreadable, lists, words
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed
from tsgkit.suites.tsg.samples import LETTERS


def letter(reply: str, candidates: Sequence[str]) -> Read[str] | Unreadable:
    """Return the letter of one of these candidates."""
    return choice(reply, dict(zip(LETTERS, candidates, strict=False)))


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return one name, folded; ``known`` are folded names that are one whatever they look like."""
    found = words.word(reply, known)
    return found if isinstance(found, Unreadable) else found._replace(value=fold(found.value))


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, folded."""
    found = lists.names(reply)
    if isinstance(found, Unreadable):
        return found
    folded = [(name, span) for name, span in zip(map(fold, found.names), found.spans, strict=True) if name]
    if not folded:
        return Unreadable("no names listed")
    return found._replace(names=tuple(name for name, _ in folded), spans=tuple(span for _, span in folded))
