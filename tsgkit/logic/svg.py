"""Layouts as SVG: boxes with labels and colors on a canvas of 1000 by 1000.

>>> from tsgkit.logic.layouts import Box, Layout, Thing
>>> image = drawn(Layout((Thing("cup", Box(0, 0, 100, 50), "red"),)))
>>> image.count("<rect"), ">red cup<" in image, 'fill="#d9534f"' in image
(2, True, True)
>>> "red" in drawn(Layout((Thing("cup", Box(0, 0, 100, 50), "red"),)), blueprint=True)
False

The image is self-contained: no external style, script or font is needed. A blueprint shows only boxes and labels; it
can be given to an image model as a plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tsgkit.logic.layouts import CANVAS, Box, Layout, Thing

PAINTS = {
    "red": "#d9534f",
    "green": "#5cb85c",
    "blue": "#4a90d9",
    "yellow": "#f2d44b",
    "black": "#333333",
    "white": "#ffffff",
    "brown": "#9c6b3f",
    "pink": "#f4a6c0",
    "gray": "#a5a5a5",
    "orange": "#f0953f",
    "purple": "#8e63b5",
}
NO_PAINT = "#eef1f4"
DARK = frozenset({"red", "black", "brown", "blue", "purple"})
LARGEST, SMALLEST = 28.0, 8.0
"""Font sizes."""
WIDTH_OF_LETTER = 0.56
MOST_SHOWN = 60


def drawn(layout: Layout, *, blueprint: bool = False, title: str = "") -> str:
    """Return a layout as SVG text. A ``blueprint`` has no colors."""
    things = [line for thing in layout.objects for line in _thing(thing, blueprint=blueprint)]
    size = f'width="{CANVAS}" height="{CANVAS}" viewBox="0 0 {CANVAS} {CANVAS}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">'
    named = [f"<title>{_safe(title)}</title>"] if title else []
    ground = f'<rect width="{CANVAS}" height="{CANVAS}" fill="#ffffff" stroke="#999999"/>'
    return "\n".join([head, *named, ground, *things, "</svg>", ""])


def _thing(thing: Thing, *, blueprint: bool) -> Iterator[str]:
    box = thing.box
    paint = NO_PAINT if blueprint else PAINTS.get(thing.color or "", NO_PAINT)
    place = f'x="{box.x1:g}" y="{box.y1:g}" width="{box.x2 - box.x1:g}" height="{box.y2 - box.y1:g}"'
    yield f'<rect {place} rx="4" fill="{paint}" stroke="#222222" stroke-width="2"/>'
    words = [] if blueprint else [value for value in (thing.color, thing.material, thing.shape) if value]
    label = " ".join([*words, thing.label.replace("_", " ")])
    yield from _text(label[:MOST_SHOWN], box, "#ffffff" if not blueprint and thing.color in DARK else "#111111")


def _text(label: str, box: Box, paint: str) -> Iterator[str]:
    """Write the label into its box, rotated if it does not fit across."""
    width, height = box.x2 - box.x1, box.y2 - box.y1
    upright = _size(label, width, height) >= min(_size(label, height, width), SMALLEST * 1.5)
    size = max(SMALLEST, _size(label, width, height) if upright else _size(label, height, width))
    cx, cy = box.centre
    turned = "" if upright else f' transform="rotate(-90 {cx:g} {cy:g})"'
    yield (
        f'<text x="{cx:g}" y="{cy:g}" font-size="{size:.1f}" fill="{paint}" text-anchor="middle"'
        f' dominant-baseline="central"{turned}>{_safe(label)}</text>'
    )


def _size(label: str, width: float, height: float) -> float:
    return min(LARGEST, 0.92 * width / (WIDTH_OF_LETTER * max(1, len(label))), 0.7 * height)


def _safe(text: str) -> str:
    """Escape the text and replace characters not allowed in XML."""
    return escape("".join(one if one.isprintable() else "\ufffd" for one in text))


Layout._repr_svg_ = drawn  # type: ignore[attr-defined]
