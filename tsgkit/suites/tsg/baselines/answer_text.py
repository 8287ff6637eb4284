"""Answers of baselines as published text, so that both profiles score them.

>>> bracketed("cup")
'[cup]'
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tsgkit.graph.model import ActionGraph

SAYABLE = re.compile(r"[^\W_](?:[\w '-]*[^\W_])?")


def can_be_said(name: str) -> bool:
    """Return whether a name can be read back from brackets: readers take marks around it for marks.

    >>> can_be_said("tea-bag"), can_be_said("_"), can_be_said("a [b]")
    (True, False, False)
    """
    return SAYABLE.fullmatch(name) is not None


def bracketed(answer: str) -> str:
    """Return a letter or a word in brackets."""
    return f"[{answer}]"


def listed(names: Iterable[str]) -> str:
    """Return names, one a line."""
    return "\n".join(names)


def graphs_text(graphs: Iterable[ActionGraph]) -> str:
    """Arrow lines, a blank line between graphs."""
    return "\n\n".join(map(str, graphs))
