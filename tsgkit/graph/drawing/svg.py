"""SVG elements and escaped text, and documents of them: a heading, a sketch and a legend, accessible and scalable.

>>> element("text", characters("a < b"), x=1.50, text_anchor="middle")
'<text x="1.5" text-anchor="middle">a &lt; b</text>'
>>> element("rect", width=20.04)
'<rect width="20"/>'
>>> svg = notice("nothing here", heading="", title="An empty image")
>>> "<title>An empty image</title>" in svg, "nothing here" in svg
(True, True)

``Markup`` is text that is already SVG. Only this module creates it, from tags, attributes and escaped text, so that a
name cannot become a tag; the type checker rejects other text. A document refers to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple, NewType

from tsgkit.graph.drawing.layout import Size
from tsgkit.graph.drawing.text import LONGEST, legible, shorten, text_width, wrap

Markup = NewType("Markup", str)

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
INK = "#222222"
PALE = "#666666"
LINE_HEIGHT = 1.3
BOLD = 1.1  # bold letters are wider than those of the table
SPOKEN = 2000  # characters: more than this is not read aloud or in a tooltip
MARGIN = 20.0
HEADING, NOTICE, SMALL = 16.0, 14.0, 12.0
LEGEND_GAP, ROW, SWATCH = 24.0, 26.0, 46.0
LEAST_WIDTH = 420.0


class Sketch(NamedTuple):
    """Parts of an SVG with their size."""

    parts: tuple[Markup, ...]
    size: Size


class LegendEntry(NamedTuple):
    """An entry of the legend: a sample and its meaning."""

    sample: Markup
    words: str


def element(tag: str, *children: Markup, **attributes: str | float) -> Markup:
    """Return one element. Underscores in attribute names become hyphens; ``class_`` means ``class``."""
    head = "".join(f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"' for name, value in attributes.items())
    return Markup(f"<{tag}{head}>{''.join(children)}</{tag}>" if children else f"<{tag}{head}/>")


def _value(value: str | float) -> str:
    return escape(legible(value)) if isinstance(value, str) else coordinate(value)


def coordinate(value: float) -> str:
    """Return a coordinate to a tenth of a pixel.

    >>> coordinate(3.0), coordinate(-0.01), coordinate(2.25)
    ('3', '0', '2.2')
    """
    tenths = round(value * 10)
    return str(tenths // 10) if tenths % 10 == 0 else str(tenths / 10)


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


def moved(drawn: Sketch, x: float, y: float) -> Markup:
    """Return the parts of a sketch as one group somewhere else."""
    if not drawn.parts:
        return Markup("")
    place = f"translate({coordinate(x)} {coordinate(y)})"
    return element("g", Markup("\n"), *(Markup(part + "\n") for part in drawn.parts), transform=place)


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


def image(drawn: Sketch, legend: Sequence[Sequence[LegendEntry]], *, heading: str, title: str, description: str) -> str:
    """Return a document: the heading if there is one, the sketch, the legend topic by topic."""
    width = max(drawn.size.width, LEAST_WIDTH if legend or heading else 0.0)
    head, foot, top = Markup(""), _legend(legend, width), MARGIN
    if heading:
        lines = wrap(shorten(legible(heading), LONGEST), width / BOLD, HEADING)
        tall = len(lines) * HEADING * LINE_HEIGHT
        words = lines_of_text(lines, 0, tall / 2, size=HEADING, anchor="start", font_weight="bold")
        head, top = moved(Sketch((words,), Size(width, tall)), MARGIN, MARGIN), MARGIN + tall + 14
    below = top + drawn.size.height + (LEGEND_GAP if legend else 0.0)
    parts = (head, moved(drawn, MARGIN + (width - drawn.size.width) / 2, top), moved(foot, MARGIN, below))
    height = below + foot.size.height + MARGIN
    return document(width + 2 * MARGIN, height, parts, title=title, description=description)


def _legend(topics: Iterable[Sequence[LegendEntry]], width: float) -> Sketch:
    """Return the entries side by side, in as many rows as it takes, each topic on a row of its own."""
    parts, y = list[Markup](), 0.0
    for topic in filter(None, topics):
        x = 0.0
        for entry in topic:
            wide = SWATCH + text_width(entry.words, SMALL)
            if x and x + wide > width:
                x, y = 0.0, y + ROW
            words = lines_of_text((entry.words,), SWATCH, ROW / 2, size=SMALL, anchor="start")
            parts.append(moved(Sketch((entry.sample, words), Size(wide, ROW)), x, y))
            x += wide + LEGEND_GAP
        y += ROW
    return Sketch(tuple(parts), Size(width, y))


def notice(words: str, *, heading: str, title: str) -> str:
    """Return a document that only says there is nothing to draw."""
    size = Size(text_width(words, NOTICE) + 80, 60.0)
    frame = element("rect", x=0, y=0, **size._asdict(), fill="none", stroke=PALE, stroke_dasharray="6 4")
    centred = lines_of_text((words,), size.width / 2, size.height / 2, size=NOTICE, fill=PALE, font_style="italic")
    return image(Sketch((frame, centred), size), (), heading=heading, title=title, description=words)
