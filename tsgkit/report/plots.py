"""Small SVG plots: scores with intervals, outcomes, and scores by k.

>>> svg = intervals([ScoreRow("model A", Point(0.5, 0.4, 0.6), None)], title="Scores")
>>> "<title>Scores</title>" in svg, "model A: strict 50.0 [40.0, 60.0], official none" in svg
(True, True)

Pure functions: the same input gives the same bytes. Every plot is as wide as a phone and grows with the page, describes
itself in words (``desc``), and never uses colour alone. Colours are variables of the page, so that a plot fits light
and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tsgkit.graph.drawing.svg import FONTS, LINE_HEIGHT, Markup, characters, coordinate, element, lines_of_text
from tsgkit.graph.drawing.text import prose, shorten, text_width, wrap

WIDTH = 360.0
LEFT, RIGHT = 10.0, 240.0
VALUES = 251.0
LABEL, SMALL = 12.0, 11.0
LINE = LABEL * LINE_HEIGHT
LANE, GAP = 16.0, 10.0
LONGEST_LABEL = 120
LONGEST_DESCRIPTION = 20_000
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
HALO = "paint-order:stroke;stroke:var(--paper, #ffffff);stroke-width:3px;stroke-linejoin:round"
PALE = "fill:currentColor;fill-opacity:0.72"
GRID = "stroke:currentColor;stroke-opacity:0.22"
STRICT, OFFICIAL = "var(--strict, #0072b2)", "var(--official, #b34700)"
OUTCOMES = {
    "answered": "var(--answered, #009e73)",
    "unreadable": "var(--unreadable, #d55e00)",
    "truncated": "var(--truncated, #e69f00)",
    "refused": "var(--refused, #cc79a7)",
    "empty": "var(--empty, #56b4e9)",
    "missing": "var(--missing, #8a8a8a)",
    "api_error": "var(--api-error, #7a3fa0)",
    "error": "var(--error, #3d3d3d)",
}
"""The ways a sample may end, and their colours."""
LINES = (
    ("var(--strict, #0072b2)", ""),
    ("var(--unreadable, #d55e00)", "6 4"),
    ("var(--answered, #009e73)", "1.5 4"),
    ("var(--refused, #cc79a7)", "9 3 2 3"),
    ("var(--truncated, #e69f00)", "12 4"),
    ("var(--api-error, #7a3fa0)", "4 2"),
)
MOST_LINES = len(LINES)
"""The largest number of lines in one plot."""


class Point(NamedTuple):
    """A value with its interval as fractions of 1; None if there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None


class ScoreRow(NamedTuple):
    """One row of a plot of scores, in both profiles; None if one does not apply."""

    label: str
    strict: Point | None
    official: Point | None


class OutcomeBar(NamedTuple):
    """One bar: the numbers of samples by outcome."""

    label: str
    counts: Mapping[str, int]


class Line(NamedTuple):
    """One line of a plot by k, with a point for each k."""

    label: str
    points: Mapping[int, Point]


def intervals(rows: Sequence[ScoreRow], *, title: str) -> str:
    """Return dots with whiskers, strict above official, on a scale from 0 to 100, with the numbers beside them."""
    parts = list[Markup]()
    y = _legend_of_profiles(parts)
    top = y
    for row in rows:
        lines = _label(row.label)
        parts.append(_words(lines, y))
        y += len(lines) * LINE
        for point, colour, is_round in ((row.strict, STRICT, True), (row.official, OFFICIAL, False)):
            parts += _whisker(point, y + LANE / 2, colour, is_round=is_round)
            y += LANE
        y += GAP
    grid = _scale(top, y)
    described = "; ".join(f"{row.label}: strict {_said(row.strict)}, official {_said(row.official)}" for row in rows)
    return _document(y + 20, [*grid, *parts], title, described)


def outcomes(rows: Sequence[OutcomeBar], *, title: str) -> str:
    """Return one bar a row, cut by how its samples ended; under it every way that occurs, with its number."""
    parts, y = list[Markup](), 4.0
    for row in rows:
        lines = _label(row.label)
        parts.append(_words(lines, y))
        y += len(lines) * LINE + 2
        parts += _bar(row.counts, y)
        y += 18
        for told in _keys(row.counts):
            parts += _key_line(told, y)
            y += LINE
        y += GAP
    described = "; ".join(f"{row.label}: {_numbers(row.counts)}" for row in rows)
    return _document(y, parts, title, described)


def against_k(lines: Sequence[Line], *, title: str, counts: str = "") -> str:
    """Return lines over k with whiskers, at most ``MOST_LINES``; ``counts`` names what k counts."""
    lines = lines[:MOST_LINES]
    ks = sorted({k for line in lines for k in line.points})
    left, right, top, bottom = 34.0, WIDTH - 12, 10.0, 190.0
    parts = list(_grid_against_k(ks, left, right, top, bottom, f"k: {counts}" if counts else "k"))
    for number, line in enumerate(lines):
        shift = (number - (len(lines) - 1) / 2) * 5
        places = {k: left + (right - left) * (place + 0.5) / len(ks) + shift for place, k in enumerate(ks)}
        parts += _line(line, number, places, top, bottom)
    y = bottom + 40
    for number, line in enumerate(lines):
        words = _label(line.label, WIDTH - 46)
        parts += [*_sample(number, y + LINE / 2), _words(words, y, 46)]
        y += len(words) * LINE + 4
    described = "; ".join(
        f"{line.label}: " + ", ".join(f"k {k} {_said(point)}" for k, point in sorted(line.points.items()))
        for line in lines
    )
    return _document(y + 4, parts, title, described)


def _said(point: Point | None) -> str:
    """Return a value in words.

    >>> _said(Point(0.574, 0.515, 0.641)), _said(None)
    ('57.4 [51.5, 64.1]', 'none')
    """
    if point is None:
        return "none"
    if point.low is None or point.high is None:
        return f"{100 * point.value:.1f}"
    return f"{100 * point.value:.1f} [{100 * point.low:.1f}, {100 * point.high:.1f}]"


def _numbers(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in _keys(counts))


def _keys(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the ways that occur, in their fixed order."""
    return [(name, counts[name]) for name in OUTCOMES if counts.get(name)]


def _document(height: float, parts: Iterable[Markup], title: str, described: str) -> str:
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {coordinate(WIDTH)} {coordinate(height)}" '
            f'role="img" class="tsg-plot" font-family="{FONTS}" fill="currentColor">',
            element("title", characters(prose(title))),
            element("desc", characters(shorten(prose(described), LONGEST_DESCRIPTION))),
            *parts,
            "</svg>\n",
        )
    )


def _label(text: str, width: float = WIDTH - LEFT) -> tuple[str, ...]:
    return wrap(shorten(prose(text), LONGEST_LABEL), width, LABEL)


def _words(lines: Sequence[str], y: float, x: float = 4.0) -> Markup:
    return lines_of_text(lines, x, y + len(lines) * LINE / 2, size=LABEL, anchor="start", style=HALO)


def _place(value: float) -> float:
    return LEFT + (RIGHT - LEFT) * min(max(value, 0.0), 1.0)


def _stroke(colour: str, width: float = 2.0, dashes: str = "") -> str:
    return f"stroke:{colour};stroke-width:{width};fill:none" + (f";stroke-dasharray:{dashes}" if dashes else "")


def _segment(x1: float, y1: float, x2: float, y2: float, style: str) -> Markup:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, style=style)


def _dot(x: float, y: float, colour: str, *, is_round: bool) -> Markup:
    """Return a filled circle, or a hollow diamond."""
    if is_round:
        return element("circle", cx=x, cy=y, r=4.5, style=f"fill:{colour}")
    points = " ".join(f"{coordinate(x + dx)},{coordinate(y + dy)}" for dx, dy in ((0, -5), (5, 0), (0, 5), (-5, 0)))
    return element("polygon", points=points, style=f"stroke:{colour};stroke-width:2;fill:var(--paper, #ffffff)")


def _whisker(point: Point | None, y: float, colour: str, *, is_round: bool) -> Iterable[Markup]:
    yield lines_of_text((_said(point),), VALUES, y, size=SMALL, anchor="start", style=PALE if point is None else "")
    if point is None:
        return
    if point.low is not None and point.high is not None:
        low, high = _place(point.low), _place(point.high)
        style = _stroke(colour)
        yield _segment(low, y, high, y, style)
        yield from (_segment(end, y - 4, end, y + 4, style) for end in (low, high))
    yield _dot(_place(point.value), y, colour, is_round=is_round)


def _legend_of_profiles(parts: list[Markup]) -> float:
    """Add the legend of the two shapes, and return the position below it."""
    x = LEFT
    for words, colour, is_round in (("strict", STRICT, True), ("official", OFFICIAL, False)):
        parts += [
            _dot(x, 10, colour, is_round=is_round),
            lines_of_text((words,), x + 10, 10, size=SMALL, anchor="start"),
        ]
        x += 30 + text_width(words, SMALL)
    return 26.0


def _scale(top: float, bottom: float) -> list[Markup]:
    """Light upright lines with their values at the foot."""
    parts = list[Markup]()
    for tick in TICKS:
        x = _place(tick)
        parts.append(_segment(x, top, x, bottom, GRID))
        parts.append(lines_of_text((f"{100 * tick:.0f}",), x, bottom + 10, size=SMALL, style=PALE))
    return parts


def _bar(counts: Mapping[str, int], y: float) -> list[Markup]:
    """Return the segments of a bar; the smallest can still be seen."""
    keys, width = _keys(counts), WIDTH - 8
    total = sum(number for _, number in keys)
    least = 3.0
    shares = [max(least, width * number / total) for _, number in keys]
    scale = width / sum(shares) if shares else 1.0
    parts, x = list[Markup](), 4.0
    for (name, number), share in zip(keys, shares, strict=True):
        wide = share * scale
        title = element("title", characters(f"{number} {name}"))
        style = f"fill:{OUTCOMES[name]};stroke:var(--paper, #ffffff);stroke-width:1"
        parts.append(element("rect", title, x=x, y=y, width=wide, height=14, style=style))
        x += wide
    return parts


def _key_line(told: tuple[str, int], y: float) -> list[Markup]:
    name, number = told
    swatch = element("rect", x=6, y=y + 3, width=10, height=10, style=f"fill:{OUTCOMES[name]}")
    return [swatch, lines_of_text((f"{number} {name}",), 22, y + LINE / 2, size=SMALL, anchor="start")]


def _grid_against_k(
    ks: Sequence[int], left: float, right: float, top: float, bottom: float, axis: str
) -> Iterable[Markup]:
    for tick in TICKS:
        y = bottom - (bottom - top) * tick
        yield _segment(left, y, right, y, GRID)
        yield lines_of_text((f"{100 * tick:.0f}",), left - 6, y, size=SMALL, anchor="end", style=PALE)
    for place, k in enumerate(ks):
        x = left + (right - left) * (place + 0.5) / len(ks)
        yield lines_of_text((str(k),), x, bottom + 12, size=SMALL, style=PALE)
    yield lines_of_text((axis,), (left + right) / 2, bottom + 28, size=SMALL, style=PALE)


def _line(line: Line, number: int, places: Mapping[int, float], top: float, bottom: float) -> Iterable[Markup]:
    colour, dashes = LINES[number]

    def height(value: float) -> float:
        return bottom - (bottom - top) * min(max(value, 0.0), 1.0)

    points = [(places[k], height(point.value), point) for k, point in sorted(line.points.items())]
    path = " ".join(f"{coordinate(x)},{coordinate(y)}" for x, y, _ in points)
    yield element("polyline", points=path, style=_stroke(colour, 1.8, dashes))
    for x, y, point in points:
        if point.low is not None and point.high is not None:
            yield _segment(x, height(point.low), x, height(point.high), _stroke(colour, 1.4) + ";stroke-opacity:0.7")
        yield _mark(x, y, number)


def _sample(number: int, y: float) -> list[Markup]:
    """Return a line as the legend shows it."""
    colour, dashes = LINES[number]
    return [_segment(4, y, 38, y, _stroke(colour, 1.8, dashes)), _mark(21, y, number)]


def _mark(x: float, y: float, number: int) -> Markup:
    """Another shape for each line."""
    colour = LINES[number][0]
    corners = (
        (), ((0, -5), (5, 0), (0, 5), (-5, 0)), ((-4, -4), (4, -4), (4, 4), (-4, 4)),
        ((0, -5), (5, 4), (-5, 4)), ((0, 5), (5, -4), (-5, -4)), ((-5, -2), (5, -2), (5, 2), (-5, 2)),
    )[number]  # fmt: skip
    if not corners:
        return element("circle", cx=x, cy=y, r=4, style=f"fill:{colour}")
    points = " ".join(f"{coordinate(x + dx)},{coordinate(y + dy)}" for dx, dy in corners)
    return element("polygon", points=points, style=f"fill:{colour}")
