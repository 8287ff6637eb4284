"""Manners of writing a sentence about a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

STYLES = ("imperative", "present", "past", "perfect", "future", "passive", "past passive")
SUBJECTS = ("she", "he", "I", "you", "we", "the person", "Mara", "Jonas", "Ada")


@dataclass(frozen=True)
class Manner:
    """The manner of a sentence: its style, who acts, and what it says of hands."""

    style: str = "imperative"
    hands: Literal["named", "counted", "unsaid"] = "counted"
    is_bare: bool = False
    is_implicit: bool = False
    subject: str = "she"
    opening: str = ""
    is_fronted: bool = False
    """True if the first place comes before the subject."""

    @property
    def is_passive(self) -> bool:
        """True if the direct object is the subject."""
        return self.style in ("passive", "past passive")
