"""Layouts: labelled boxes on a canvas of 1000 by 1000, their validation, the predicates on boxes, and images.

>>> value = {"objects": [{"label": "cup", "box_2d": [0, 0, 100, 50]}, {"label": "pen", "box_2d": [90, 0]}]}
>>> layout_of(value)
Traceback (most recent call last):
...
tsgkit.logic.layouts.LayoutProblem: object 1 (pen): box_2d is [90, 0], expected four finite numbers [x1, y1, x2, y2]
>>> value["objects"].pop() and layout_of(value).objects[0].box.centre
(50.0, 25.0)
>>> RELATIONS["OnLeftSide"](Box(0, 0, 100, 50)), RELATIONS["LeftOf"](Box(0, 0, 100, 50), Box(50, 0, 150, 50))
(True, False)

The canvas does not depend on the size of an image. y grows downwards. Objects are counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import NamedTuple

from tsgkit.errors import UsageError

CANVAS = 1000
MIDDLE = CANVAS / 2
ALIGNED = 100
"""Two centres are aligned if they are less than this apart."""
MOST_SHARED = 0.5
"""The maximum overlap of two boxes found in an image, as a share of the smaller one."""
KEYS = ("label", "color", "material", "shape")
MOST_SHOWN = 60


class LayoutProblem(UsageError):
    """A malformed layout; the message gives the first reason."""


class Box(NamedTuple):
    """A box by its left, top, right and bottom edges."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def cx(self) -> float:
        """The x of the centre."""
        return (self.x1 + self.x2) / 2

    @property
    def cy(self) -> float:
        """The y of the centre."""
        return (self.y1 + self.y2) / 2

    @property
    def centre(self) -> tuple[float, float]:
        """The centre."""
        return self.cx, self.cy

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height."""
        return self.x2 - self.x1, self.y2 - self.y1

    @property
    def area(self) -> float:
        """The area; 0 if opposite edges are swapped."""
        return max(0, self.x2 - self.x1) * max(0, self.y2 - self.y1)

    def shared(self, other: Box) -> float:
        """Return the area of the intersection of two boxes.

        >>> Box(0, 0, 10, 10).shared(Box(5, 5, 20, 20)), Box(0, 0, 10, 10).shared(Box(10, 0, 20, 10))
        (25, 0)
        """
        width = min(self.x2, other.x2) - max(self.x1, other.x1)
        return max(0, width) * max(0, min(self.y2, other.y2) - max(self.y1, other.y1))


RELATIONS: Mapping[str, Callable[..., bool]] = {
    "OnLeftSide": lambda a: a.cx < MIDDLE,
    "OnRightSide": lambda a: a.cx > MIDDLE,
    "OnTopSide": lambda a: a.cy < MIDDLE,
    "OnBottomSide": lambda a: a.cy > MIDDLE,
    "InCenter": lambda a: all(CANVAS / 3 < coordinate < CANVAS * 2 / 3 for coordinate in a.centre),
    "LeftOf": lambda a, b: a.x2 < b.cx,
    "RightOf": lambda a, b: a.x1 > b.cx,
    "Above": lambda a, b: a.y2 < b.cy,
    "Below": lambda a, b: a.y1 > b.cy,
    "AlignedHorizontally": lambda a, b: abs(a.cy - b.cy) < ALIGNED,
    "AlignedVertically": lambda a, b: abs(a.cx - b.cx) < ALIGNED,
    "LargerThan": lambda a, b: a.area > b.area,
    "SmallerThan": lambda a, b: a.area < b.area,
}
"""The predicates of position and size, on one box or two. All comparisons are strict."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of a layout. Attributes that are not given are None."""

    label: str
    box: Box
    color: str | None = None
    material: str | None = None
    shape: str | None = None

    def has(self, value: str) -> bool:
        """Return whether the value is this object's color, material or shape."""
        return value in (self.color, self.material, self.shape)


@dataclass(frozen=True, slots=True)
class Layout:
    """The objects of a layout in the order given."""

    objects: tuple[Thing, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the objects: their labels, numbered from 1 if several objects share one.

        >>> Layout((Thing("cup", Box(0, 0, 1, 1)), Thing("pen", Box(1, 0, 2, 1)), Thing("cup", Box(2, 0, 3, 1)))).names
        ('cup_1', 'the pen', 'cup_2')
        """
        labels = [thing.label for thing in self.objects]
        counts: dict[str, int] = {}
        names = []
        for label in labels:
            counts[label] = counts.get(label, 0) + 1
            names.append(f"{label}_{counts[label]}" if labels.count(label) > 1 else f"the {label.replace('_', ' ')}")
        return tuple(names)

    @property
    def value(self) -> dict[str, object]:
        """The layout as plain values, as stored in files."""
        return {
            "objects": [
                {key: text for key in KEYS if (text := getattr(thing, key)) is not None} | {"box_2d": list(thing.box)}
                for thing in self.objects
            ]
        }


def layout_of(value: object, *, grounded: bool = False) -> Layout:
    """Return the layout that a value describes. Raise ``LayoutProblem`` if it is malformed or its boxes overlap.

    Boxes may touch. With ``grounded`` (boxes found in an image), they may share half of the smaller one.
    """
    things = things_of(value)
    for first, second in overlaps(tuple(thing.box for thing in things), grounded=grounded):
        names = Layout(things).names
        less = " more than half of the smaller" if grounded else ""
        raise LayoutProblem(
            f"objects {first} and {second} ({names[first]}, {names[second]}) overlap{less}",
            hint="boxes may touch, and share no area" * (not grounded),
        )
    return Layout(things)


def things_of(value: object) -> tuple[Thing, ...]:
    """Return the objects that a value describes, without checking for overlaps.

    Raise ``LayoutProblem`` if it is malformed.
    """
    if isinstance(value, Layout):
        for number, thing in enumerate(value.objects):
            _box(f"object {number} ({thing.label})", list(thing.box))
        return value.objects
    hint = 'a layout looks like {"objects": [{"label": "cup", "color": "red", "box_2d": [0, 0, 100, 100]}]}'
    if not isinstance(value, dict):
        raise LayoutProblem(f"the layout is {_shown(value)}, expected an object", hint=hint)
    entries = value.get("objects", [])
    if not isinstance(entries, list):
        raise LayoutProblem(f"objects is {_shown(entries)}, expected a list", hint=hint)
    return tuple(_thing(number, entry) for number, entry in enumerate(entries))


def overlaps(boxes: tuple[Box, ...], *, grounded: bool = False) -> Iterator[tuple[int, int]]:
    """Yield the pairs of boxes, by number, that overlap by more than is allowed."""
    order = sorted(range(len(boxes)), key=lambda number: boxes[number].x1)
    for index, first in enumerate(order):
        for second in order[index + 1 :]:
            if boxes[second].x1 >= boxes[first].x2:
                break
            allowed = MOST_SHARED * min(boxes[first].area, boxes[second].area) if grounded else 0
            if boxes[first].shared(boxes[second]) > allowed:
                yield min(first, second), max(first, second)


def _thing(number: int, entry: object) -> Thing:
    if not isinstance(entry, dict):
        raise LayoutProblem(f"object {number} is {_shown(entry)}, expected an object with label and box_2d")
    values = {key: entry.get(key) for key in KEYS}
    if not isinstance(label := values.pop("label"), str):
        raise LayoutProblem(f"object {number}: label is {_shown(label)}, expected a text")
    name = f"object {number} ({label[:MOST_SHOWN]})"
    for key, text in values.items():
        if text is not None and not isinstance(text, str):
            raise LayoutProblem(f"{name}: {key} is {_shown(text)}, expected a text or nothing")
    texts = {key: text for key, text in values.items() if isinstance(text, str)}
    return Thing(label, _box(name, entry.get("box_2d")), **texts)


def _box(name: str, value: object) -> Box:
    edges = value if isinstance(value, list | tuple) else ()
    numbers = [edge for edge in edges if isinstance(edge, int | float) and not isinstance(edge, bool)]
    if not len(edges) == len(numbers) == 4 or any(isinstance(edge, float) and not isfinite(edge) for edge in numbers):
        shown = "missing" if value is None else _shown(value)
        raise LayoutProblem(f"{name}: box_2d is {shown}, expected four finite numbers [x1, y1, x2, y2]")
    box = Box(*numbers)
    for low, high, axis in ((box.x1, box.x2, "x"), (box.y1, box.y2, "y")):
        if not 0 <= low < high <= CANVAS:
            raise LayoutProblem(
                f"{name}: box_2d is {_shown(list(edges))}, expected 0 <= {axis}1 < {axis}2 <= {CANVAS}",
                hint="boxes are [left, top, right, bottom] on a canvas of 1000 by 1000",
            )
    return box


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list) and len(value) > 8:
        return f"a list of {len(value)}"
    try:
        text = repr(value)
    except ValueError:  # Python does not convert integers of thousands of digits to text
        return "a number too large"
    return text if len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."


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


def drawn(layout: Layout, *, blueprint: bool = False, title: str = "") -> str:
    """Return a layout as SVG text: boxes with labels and colors.

    The image is self-contained: no external style, script or font is needed. A ``blueprint`` shows only boxes and
    labels; it can be given to an image model as a plan.

    >>> layout = Layout((Thing("cup", Box(0, 0, 100, 50), "red"),))
    >>> image = drawn(layout)
    >>> image.count("<rect"), ">red cup<" in image, 'fill="#d9534f"' in image
    (2, True, True)
    >>> "red" in drawn(layout, blueprint=True)
    False
    """
    canvas = f'width="{CANVAS}" height="{CANVAS}" viewBox="0 0 {CANVAS} {CANVAS}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {canvas} font-family="sans-serif">']
    lines += [f"<title>{_safe(title)}</title>"] if title else []
    lines.append(f'<rect width="{CANVAS}" height="{CANVAS}" fill="#ffffff" stroke="#999999"/>')
    for thing in layout.objects:
        box = thing.box
        paint = NO_PAINT if blueprint else PAINTS.get(thing.color or "", NO_PAINT)
        (width, height), (cx, cy) = box.size, box.centre
        frame = f'x="{box.x1:g}" y="{box.y1:g}" width="{width:g}" height="{height:g}"'
        lines.append(f'<rect {frame} rx="4" fill="{paint}" stroke="#222222" stroke-width="2"/>')
        words = [] if blueprint else [value for value in (thing.color, thing.material, thing.shape) if value]
        label = " ".join([*words, thing.label.replace("_", " ")])[:MOST_SHOWN]
        ink = "#ffffff" if not blueprint and thing.color in DARK else "#111111"
        letters = WIDTH_OF_LETTER * max(1, len(label))
        across, down = (min(LARGEST, 0.92 * a / letters, 0.7 * b) for a, b in ((width, height), (height, width)))
        upright = across >= min(down, SMALLEST * 1.5)
        size = max(SMALLEST, across if upright else down)
        turned = "" if upright else f' transform="rotate(-90 {cx:g} {cy:g})"'
        lines.append(
            f'<text x="{cx:g}" y="{cy:g}" font-size="{size:.1f}" fill="{ink}" text-anchor="middle"'
            f' dominant-baseline="central"{turned}>{_safe(label)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def _safe(text: str) -> str:
    """Escape the text and replace characters not allowed in XML."""
    return escape("".join(letter if letter.isprintable() else "\ufffd" for letter in text))


Layout._repr_svg_ = drawn  # type: ignore[attr-defined]
