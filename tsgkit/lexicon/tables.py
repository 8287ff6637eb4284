"""Sets of words written as running text.

>>> sorted(word_set("up down"))
['down', 'up']
"""

from __future__ import annotations


def word_set(*lines: str) -> frozenset[str]:
    """Return the words of some lines of text as a set."""
    return frozenset(word for line in lines for word in line.split())
