"""Typical widths, heights and colors of the objects of the knolling vocabulary, seen from above.

>>> size_of("laptop"), color_of("lemon"), size_of("something else")
((240, 170), 'yellow', (120, 120))

Sizes are on the canvas of 1000 by 1000. They only make layouts look plausible: a formula may require a pen that is
larger than a suitcase.
"""

from __future__ import annotations

ORDINARY = (120, 120)
_TABLE = """
laptop 240 170 gray|mouse 70 110 black|keyboard 260 100 black|monitor 260 190 black|phone 80 150 black
headphones 160 170 black|camera 150 110 black|game_controller 150 110 white|remote 60 170 black|book 140 190 blue
pen 40 150 blue|scissors 90 170 gray|stapler 140 60 red|ruler 220 40 yellow|calculator 90 140 gray
glasses 140 60 black|watch 70 170 brown|wallet 120 100 brown|keys 80 110 gray|lighter 40 80 red
backpack 220 260 blue|handbag 220 190 brown|suitcase 260 320 black|shoe 110 220 white|hat 190 170 brown
shirt 240 260 white|jeans 160 280 blue|glove 110 150 gray|sock 90 160 white|tie 70 260 red
hammer 110 240 brown|screwdriver 50 190 yellow|wrench 70 200 gray|pliers 80 170 red|drill 190 170 yellow
bottle 80 220 green|cup 100 100 white|fork 50 170 gray|knife 40 190 gray|spoon 50 170 gray
plate 190 190 white|bowl 160 160 white|pan 170 270 black|cutting_board 260 180 brown|apple 90 90 red
lemon 90 80 yellow|donut 100 100 pink|sandwich 140 120 brown|pizza 220 220 yellow|carrot 50 170 red
"""
_TYPICAL = {
    name: (int(width), int(height), color)
    for name, width, height, color in map(str.split, _TABLE.replace("|", "\n").strip().splitlines())
}


def size_of(label: str) -> tuple[int, int]:
    """Return the typical width and height of a class."""
    return _TYPICAL[label][:2] if label in _TYPICAL else ORDINARY


def color_of(label: str) -> str | None:
    """Return the typical color of a class, or None."""
    return _TYPICAL[label][2] if label in _TYPICAL else None
