"""Shapes and colours of the kinds of nodes; each kind differs in both.

>>> touch(Kind.OBJECT, Box(50, 10, 40, 20), dy=0, right=True)
70.0
>>> touch(Kind.ACTION, Box(50, 10, 40, 20), dy=10, right=False)  # a corner of the hexagon
42.0

Colours are those of Okabe and Ito, which people with the common forms of colour blindness can tell apart.
"""

from __future__ import annotations

from math import sqrt

from tsgkit.graph.drawing.layout import Box
from tsgkit.graph.drawing.svg import Markup, element, polygon
from tsgkit.graph.model import Kind

ORANGE, GREEN, BLUE, VERMILION, PURPLE = "#e69f00", "#009e73", "#0072b2", "#d55e00", "#cc79a7"

COLOURS = {Kind.PERSON: PURPLE, Kind.ACTION: ORANGE, Kind.OBJECT: BLUE, Kind.HAND: GREEN}
PADDING = {Kind.PERSON: 16.0, Kind.ACTION: 18.0, Kind.OBJECT: 12.0, Kind.HAND: 18.0}
SLANT = 12.0
ROUND = 17.0


def outline(kind: Kind, box: Box, **look: str | float) -> Markup:
    """Return the shape of a kind, filled with a light tint of its colour."""
    style: dict[str, str | float] = {
        "fill": COLOURS[kind], "fill_opacity": "0.16", "stroke": COLOURS[kind], "stroke_width": 2, **look
    }  # fmt: skip
    if kind in (Kind.PERSON, Kind.OBJECT):
        rounding = min(ROUND, box.height / 2) if kind is Kind.PERSON else 0
        return element("rect", x=box.left, y=box.top, width=box.width, height=box.height, rx=rounding, **style)
    corners = _hexagon(box) if kind is Kind.ACTION else _slanted(box)
    return polygon(corners, **style)


def touch(kind: Kind, box: Box, *, dy: float, right: bool) -> float:
    """Return where a horizontal line ``dy`` below the middle of the box meets its outline."""
    inset = _inset(kind, box, dy, right)
    return box.right - inset if right else box.left + inset


def _inset(kind: Kind, box: Box, dy: float, right: bool) -> float:
    share = dy / box.height
    match kind:
        case Kind.ACTION:
            return SLANT * 2 * abs(share)
        case Kind.HAND:
            return SLANT * (0.5 + share if right else 0.5 - share)
        case Kind.PERSON:
            radius = min(ROUND, box.height / 2)
            beyond = max(0.0, abs(dy) - (box.height / 2 - radius))
            return radius - sqrt(radius**2 - beyond**2)
        case Kind.OBJECT:
            return 0.0


def _hexagon(box: Box) -> tuple[tuple[float, float], ...]:
    left, right = box.left + SLANT, box.right - SLANT
    return (
        (left, box.top), (right, box.top), (box.right, box.y),
        (right, box.bottom), (left, box.bottom), (box.left, box.y),
    )  # fmt: skip


def _slanted(box: Box) -> tuple[tuple[float, float], ...]:
    return (
        (box.left + SLANT, box.top), (box.right, box.top), (box.right - SLANT, box.bottom), (box.left, box.bottom)
    )  # fmt: skip
