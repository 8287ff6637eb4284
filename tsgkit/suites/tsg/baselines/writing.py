"""How baselines write their answers: as published, so that both readings score them.

>>> bracketed("cup")
'[cup]'
"""

from __future__ import annotations

from collections.abc import Iterable

from tsgkit.graph.model import ActionGraph


def can_be_said(name: str) -> bool:
    """Whether a name can be read back from brackets."""
    return bool(name.strip()) and "[" not in name and "]" not in name


def bracketed(answer: str) -> str:
    """A letter or a word in brackets."""
    return f"[{answer}]"


def graphs_text(graphs: Iterable[ActionGraph]) -> str:
    """Arrow lines, a blank line between graphs."""
    return "\n\n".join(map(str, graphs))
