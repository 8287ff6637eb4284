"""Manners of writing a sentence about a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Manner:
    """The manner of a sentence: its style, what it says of hands, and what it denies."""

    style: str = "imperative"
    hands: Literal["named", "counted", "unsaid"] = "counted"
    is_bare: bool = False
    is_implicit: bool = False
    contrast: tuple[str, str] | None = None
    is_denied: bool = False
