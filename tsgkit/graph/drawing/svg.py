"""SVG elements, escaped text, and accessible documents that scale and refer to nothing.

>>> element("text", characters("a < b"), x=1.50, text_anchor="middle")
'<text x="1.5" text-anchor="middle">a &lt; b</text>'
>>> element("rect", width=20.04)
'<rect width="20"/>'

``Markup`` is text that is already SVG. Only this module creates it, from tags, attributes and escaped text, so that a
name cannot become a tag; the type checker rejects other text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NewType

from tsgkit.graph.drawing.text import legible, shorten

Markup = NewType("Markup", str)

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK = "#222222"
PALE = "#666666"
LINE_HEIGHT = 1.3
SPOKEN = 2000  # characters: more than this is not read aloud or in a tooltip


def element(tag: str, *children: Markup, **attributes: str | float) -> Markup:
    """Return one element. Underscores in attribute names become hyphens; ``class_`` means ``class``."""
    head = "".join(f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{head}>{''.join(children)}</{tag}>" if children else f"<{tag}{head}/>")


def polygon(corners: Iterable[tuple[float, float]], **look: str | float) -> Markup:
    """Return a closed shape with these corners."""
    return element("polygon", points=" ".join(f"{coordinate(x)},{coordinate(y)}" for x, y in corners), **look)


def characters(text: str) -> Markup:
    """Return text as it stands, safe between tags."""
    return Markup(escape(legible(text)))


def spoken(text: str) -> Markup:
    """Return the title of an element, for screen readers and tooltips, at a limited length."""
    return element("title", characters(shorten(text, SPOKEN)))


def lines_of_text(
    lines: Sequence[str], x: float, y: float, *, size: float, anchor: str = "middle", **look: str | float
) -> Markup:
    """Return lines stacked around the height ``y``."""
    step = size * LINE_HEIGHT
    first = y - step * (len(lines) - 1) / 2 + size * 0.35
    spans = (element("tspan", characters(line), x=x, y=first + step * place) for place, line in enumerate(lines))
    return element("text", *spans, font_size=size, text_anchor=anchor, **look)


def document(width: float, height: float, parts: Iterable[Markup], *, title: str, description: str) -> str:
    """Return a whole SVG document on white."""
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_value(width)} {_value(height)}" '
            f'width="{_value(width)}" height="{_value(height)}" role="img" xml:space="preserve" '
            f'font-family="{escape(FONTS)}" fill="{INK}">',
            spoken(title),
            element("desc", characters(shorten(description, SPOKEN))),
            element("rect", width=width, height=height, fill="#ffffff"),
            *parts,
            "</svg>\n",
        )
    )


def coordinate(value: float) -> str:
    """Return a coordinate to a tenth of a pixel.

    >>> coordinate(3.0), coordinate(-0.01), coordinate(2.25)
    ('3', '0', '2.2')
    """
    tenths = round(value * 10)
    return str(tenths // 10) if tenths % 10 == 0 else str(tenths / 10)


def _value(value: str | float) -> str:
    return escape(legible(value)) if isinstance(value, str) else coordinate(value)
