"""Parser of the CSS subset used for layouts: a name and declarations in braces, numbers with units.

>>> found = rules_of("Layout:\\nbed {length: 1.8m; orientation: 90 degrees;}\\nlamp {left: ?}")
>>> found.rules[0].name, found.rules[0].values["length"]
('bed', Value(number=1.8, unit='m'))
>>> found.rules[1].values, found.rest
({'left': None}, 'Layout:\\n')
>>> Value.of("1.5707963 rad").degrees
89.999998
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NamedTuple

MOST = 1e4
RADIANS = frozenset({"rad", "radian", "radians"})
_VALUE = re.compile(r"([-+]?(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,2})?)\s*+([A-Za-z°]{0,8})\s*+")
_SEPARATOR = re.compile(r"[;\n]|[,:](?=\s*[A-Za-z-]+\s*:)")
_FENCE = re.compile(r"^\s*+(?:```\w*+|\[|\])?\s*+$")


class Value(NamedTuple):
    """A number with its unit."""

    number: float
    unit: str

    @staticmethod
    def of(text: str) -> Value | None:
        """Return the value of a text; None if it is invalid, or larger than any room."""
        found = _VALUE.fullmatch(text.strip()[:80])
        if found is None or not abs(number := float(found[1])) <= MOST:
            return None
        return Value(number, found[2].lower())

    @property
    def degrees(self) -> float:
        """The angle, from degrees where it does not say radians, within a whole turn."""
        turn = math.degrees(self.number) if self.unit in RADIANS else self.number
        return round(math.fmod(turn, 360.0), 6)


class Rule(NamedTuple):
    """A name with its declarations; invalid ones are None."""

    name: str
    values: Mapping[str, Value | None]


class Rules(NamedTuple):
    """The rules of a text, the text around them, and the number of braces without a rule."""

    rules: tuple[Rule, ...]
    rest: str
    unread: int


def rules_of(text: str) -> Rules:
    """Return every ``name {property: value; ...}`` of a text, in one pass."""
    rules: list[Rule] = []
    pieces = text.split("{")
    head, rest, unread = pieces[0], [], 0
    for piece in pieces[1:]:
        before, _, line = head.rpartition("\n")
        body, closed, after = piece.partition("}")
        values = _declarations(body) if closed else {}
        if values and line.strip():
            rules.append(Rule(line.strip().rstrip(":").strip()[:200], values))
            rest.append(f"{before}\n" if before else "")
        else:
            unread += 1
            rest.append(head)
        head = after if closed else piece
    return Rules(tuple(rules), "".join([*rest, head if not _FENCE.match(head) else ""]), unread)


def _declarations(body: str) -> dict[str, Value | None]:
    found = {}
    for part in _SEPARATOR.split(body):
        name, colon, said = part.partition(":")
        if colon and name.strip():
            found[name.strip().lower()[:60]] = Value.of(said)
    return found
