"""Assembly of a drawing: heading, sketch, and legend in one document.

>>> svg = notice("nothing here", heading="", title="An empty image")
>>> "<title>An empty image</title>" in svg, "nothing here" in svg
(True, True)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tsgkit.graph.drawing.layout import Box, Size
from tsgkit.graph.drawing.node_shapes import outline
from tsgkit.graph.drawing.svg import LINE_HEIGHT, PALE, Markup, coordinate, document, element, lines_of_text
from tsgkit.graph.drawing.text import LONGEST, legible, shorten, text_width, wrap
from tsgkit.graph.model import Kind

MARGIN = 20.0
HEADING, NOTICE, SMALL = 16.0, 14.0, 12.0
BOLD = 1.1  # bold letters are wider than those of the table
LEGEND_GAP, ROW, SWATCH = 24.0, 26.0, 46.0
LEAST_WIDTH = 420.0
SAMPLE = Box(19, 13, 38, 18)


class Sketch(NamedTuple):
    """Parts of an SVG with their size."""

    parts: tuple[Markup, ...]
    size: Size


class Entry(NamedTuple):
    """An entry of the legend: a sample and its meaning."""

    sample: Markup
    words: str


def image(drawn: Sketch, legend: Sequence[Sequence[Entry]], *, heading: str, title: str, description: str) -> str:
    """Return a document: the heading if there is one, the sketch, the legend topic by topic."""
    width = max(drawn.size.width, LEAST_WIDTH if legend or heading else 0.0)
    head, foot = _headline(heading, width), _legend(legend, width)
    top = MARGIN + head.size.height
    below = top + drawn.size.height + (LEGEND_GAP if legend else 0.0)
    parts = (
        moved(head, MARGIN, MARGIN),
        moved(drawn, MARGIN + (width - drawn.size.width) / 2, top),
        moved(foot, MARGIN, below),
    )
    height = below + foot.size.height + MARGIN
    return document(width + 2 * MARGIN, height, parts, title=title, description=description)


def notice(words: str, *, heading: str, title: str) -> str:
    """Return a document that only says there is nothing to draw."""
    size = Size(text_width(words, NOTICE) + 80, 60.0)
    frame = element(
        "rect", x=0, y=0, width=size.width, height=size.height, fill="none", stroke=PALE, stroke_dasharray="6 4"
    )
    said = lines_of_text((words,), size.width / 2, size.height / 2, size=NOTICE, fill=PALE, font_style="italic")
    return image(Sketch((frame, said), size), (), heading=heading, title=title, description=words)


def moved(drawn: Sketch, x: float, y: float) -> Markup:
    """Return the parts of a sketch as one group somewhere else."""
    if not drawn.parts:
        return Markup("")
    place = f"translate({coordinate(x)} {coordinate(y)})"
    return element("g", Markup("\n"), *(Markup(part + "\n") for part in drawn.parts), transform=place)


def kind_entries(kinds: Iterable[Kind]) -> list[Entry]:
    """Return the legend of those of the four kinds that occur."""
    occurring = set(kinds)
    return [Entry(outline(kind, SAMPLE), kind.value) for kind in Kind if kind in occurring]


def _headline(heading: str, width: float) -> Sketch:
    if not heading:
        return Sketch((), Size(0, 0))
    lines = wrap(shorten(legible(heading), LONGEST), width / BOLD, HEADING)
    tall = len(lines) * HEADING * LINE_HEIGHT
    said = lines_of_text(lines, 0, tall / 2, size=HEADING, anchor="start", font_weight="bold")
    return Sketch((said,), Size(width, tall + 14))


def _legend(topics: Iterable[Sequence[Entry]], width: float) -> Sketch:
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
