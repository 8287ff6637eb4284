"""Raster operations as in the published tool: filled polygons, thick outlines, erosion, connected components.

>>> canvas = filled([[(2, 2), (6, 2), (6, 5), (2, 5)]], (10, 10))
>>> int(canvas.sum()), int(eroded(canvas, 3).sum())
(20, 6)

Points are (column, row) in whole pixels and belong to the shape: a polygon from 2 to 6 is five pixels wide. The rules
for pixels on a line, in a polygon or in a thick line are those of OpenCV, since published shares of pixels depend on
them; OpenCV is not in the extra, so they are implemented from their definition in fixed-point numbers with 16
fractional bits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tsgkit.geometry.libraries import ndimage, np

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bools, Ints

ONE = 1 << 16
HALF = ONE >> 1
REACH = 1 << 20
"""Points are kept within this many pixels of the canvas, so that a mad size costs no memory."""


def filled(polygons: object, shape: tuple[int, int]) -> Bools:
    """Return the union of convex polygons of equally many corners (n x k x 2), outlines included."""
    corners = np.clip(np.asarray(polygons, dtype=np.int64), -REACH, REACH)
    if not corners.size:
        return np.zeros(shape, dtype=bool)
    rows, starts, ends = _spans(corners, shape)
    starts, ends = np.clip(starts, 0, shape[1]), np.clip(ends + 1, 0, shape[1])
    change = np.zeros((shape[0], shape[1] + 1), dtype=np.int64)
    np.add.at(change, (rows, starts), 1)
    np.add.at(change, (rows, ends), -1)
    canvas = np.cumsum(change[:, :-1], axis=1) > 0
    canvas |= lines(corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2), shape)
    return np.asarray(canvas)


def _spans(corners: Ints, shape: tuple[int, int]) -> tuple[Ints, Ints, Ints]:
    """Row, first and last column of the inside of each polygon, in each row of the canvas it crosses.

    For an edge that leaves the canvas, the slope is that of the part within it.
    """
    start, end = corners.reshape(-1, 2), np.roll(corners, -1, axis=1).reshape(-1, 2)
    polygon = np.repeat(np.arange(len(corners)), corners.shape[1])
    cut_start, cut_end, _ = _clipped(start, end, shape)
    flat = cut_start[:, 1] == cut_end[:, 1]
    cut_start[flat, 1], cut_end[flat, 1] = start[flat, 1], end[flat, 1]
    down = (start[:, 1] > end[:, 1])[:, None]
    upper, lower = np.where(down, cut_end, cut_start), np.where(down, cut_start, cut_end)
    rows = np.sort(np.stack([start[:, 1], end[:, 1]], axis=1).clip(0, shape[0]), axis=1)
    edge, row = _ranges(rows[:, 0], rows[:, 1])
    slope = _divided((lower[:, 0] - upper[:, 0]) * ONE, np.maximum(lower[:, 1] - upper[:, 1], 1))
    column = upper[edge, 0] * ONE + (row - upper[edge, 1]) * slope[edge]
    key, index = np.unique(polygon[edge] * shape[0] + row, return_inverse=True)
    first, last = np.full(len(key), REACH * 4 * ONE), np.full(len(key), -REACH * 4 * ONE)
    np.minimum.at(first, index, column)
    np.maximum.at(last, index, column)
    return key % shape[0], (first + ONE - 1) >> 16, last >> 16


def _ranges(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Return all numbers from each start up to its end, and which range each is of."""
    counts = np.maximum(ends - starts, 0)
    which = np.repeat(np.arange(len(counts)), counts)
    offset = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, starts[which] + offset


def _divided(number: Ints, by: Ints) -> Ints:
    """Whole quotients towards zero."""
    return np.asarray(np.sign(number) * (np.abs(number) // by))


def lines(starts: object, ends: object, shape: tuple[int, int]) -> Bools:
    """Return lines one pixel wide: at each step along the longer side, the nearest pixel, the lower one where
    two are."""
    a, b, visible = _clipped(starts, ends, shape)
    a, b = a[visible], b[visible]
    swap = (b[:, 0] < a[:, 0])[:, None]
    a, b = np.where(swap, b, a), np.where(swap, a, b)
    size, way = np.abs(b - a), np.where(b < a, -1, 1)
    long = np.where(size[:, 1] > size[:, 0], 1, 0)
    at = np.arange(len(a))
    major, minor = size[at, long], size[at, 1 - long]
    which, step = _ranges(np.zeros_like(major), major + 1)
    side = -((major[which] - 2 * minor[which] * step) // np.maximum(2 * major[which], 1))
    side = np.where(major[which] == 0, 0, side)
    points = np.empty((len(which), 2), dtype=np.int64)
    rows = np.arange(len(which))
    points[rows, long[which]] = a[which, long[which]] + way[which, long[which]] * step
    points[rows, 1 - long[which]] = a[which, 1 - long[which]] + way[which, 1 - long[which]] * side
    return _dots(points, shape)


def _dots(points: Ints, shape: tuple[int, int]) -> Bools:
    canvas = np.zeros(shape, dtype=bool)
    visible = ((points >= 0) & (points < (shape[1], shape[0]))).all(axis=1)
    canvas[points[visible, 1], points[visible, 0]] = True
    return canvas


def _clipped(starts: object, ends: object, shape: tuple[int, int]) -> tuple[Ints, Ints, Bools]:
    """Return lines cut to the canvas, first to its rows and then to its columns, in whole pixels; and which are within
    it.
    """
    a, b = (np.array(points, dtype=np.int64).reshape(-1, 2) for points in (starts, ends))
    last = np.array([shape[1] - 1, shape[0] - 1])
    visible: Bools = np.asarray((_beyond(a, last) * _beyond(b, last) < 1).all(axis=1))
    for axis in (1, 0):
        visible &= _beyond(a, last)[:, axis] * _beyond(b, last)[:, axis] < 1
        for end, opposite in ((a, b), (b, a)):
            side = _beyond(end, last)[:, axis]
            cut = np.flatnonzero(visible & (side != 0))
            bound = np.where(side[cut] < 0, 0, last[axis])
            way = (opposite[cut] - end[cut]).astype(float)
            end[cut, 1 - axis] += np.trunc((bound - end[cut, axis]) * way[:, 1 - axis] / way[:, axis]).astype(np.int64)
            end[cut, axis] = bound
    return a, b, visible


def _beyond(points: Ints, last: Ints) -> Ints:
    """Return -1 for coordinates before the canvas, 1 for those behind it."""
    return (points > last).astype(np.int64) - (points < 0)


def outlined(corners: object, width: int, shape: tuple[int, int]) -> Bools:
    """Return the outline of one polygon, drawn with a round pen ``width`` pixels wide."""
    points = np.clip(np.asarray(corners, dtype=np.int64).reshape(-1, 2), -REACH, REACH)
    if width <= 1:
        return lines(points, np.roll(points, -1, axis=0), shape)
    canvas = np.zeros(shape, dtype=bool)
    for start, end in zip(np.roll(points, 1, axis=0), points, strict=True):
        across = (start - end) * (1, -1)
        length = math.hypot(*across)
        if length > 0:
            reach = (width * HALF + (width & 1) * ONE * 0.5) / length
            offset = np.rint(across[::-1] * reach).astype(np.int64)
            a, b = start * ONE, end * ONE
            _draw_polygon(canvas, np.array([a + offset, a - offset, b - offset, b + offset]))
        _draw_disc(canvas, end, (width * HALF + HALF) >> 16)
    return canvas


def _draw_rows(canvas: Bools, first: Ints, last: Ints) -> None:
    """Draw each row from its first to its last column."""
    for row in np.flatnonzero(first <= last):
        canvas[row, max(0, first[row]) : max(0, last[row] + 1)] = True


def _draw_polygon(canvas: Bools, corners: Ints) -> None:
    """Draw a convex polygon with subpixel corners, outlines included."""
    rows = len(canvas)
    first, last = np.full(rows, REACH * 4), np.full(rows, -REACH * 4)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        canvas |= _fine_line(start, end, canvas.shape)
        upper, lower = sorted((start, end), key=lambda corner: int(corner[1] + HALF) >> 16)
        top, bottom = (int(corner[1] + HALF) >> 16 for corner in (upper, lower))
        if bottom > top:
            slope = _divided(2 * (lower[0] - upper[0]) + (bottom - top), np.asarray(2 * (bottom - top)))
            y = np.arange(max(top, 0), min(bottom + 1, rows))
            x = (upper[0] + (y - top) * slope + HALF) >> 16
            first[y], last[y] = np.minimum(first[y], x), np.maximum(last[y], x)
    _draw_rows(canvas, first, last)


def _fine_line(start: Ints, end: Ints, shape: tuple[int, int]) -> Bools:
    (start,), (end,), (visible,) = _clipped(start, end, (shape[0] * ONE, shape[1] * ONE))
    if not visible:
        return np.zeros(shape, dtype=bool)
    long = 0 if abs(end[0] - start[0]) > abs(end[1] - start[1]) else 1
    a, b = (start, end) if start[long] <= end[long] else (end, start)
    length = int(b[long] - a[long])
    slope = int(_divided((b[1 - long] - a[1 - long]) * ONE, np.asarray(length | 1)))
    step = np.arange((length >> 16) + 1)
    points = np.empty((len(step) + 1, 2), dtype=np.int64)
    points[:-1, long] = ((a[long] + HALF) >> 16) + step
    points[:-1, 1 - long] = (a[1 - long] + HALF + step * slope) >> 16
    points[-1] = (b + HALF) >> 16
    return _dots(points, shape)


def _draw_disc(canvas: Bools, centre: Ints, radius: int) -> None:
    """Draw a disc of the midpoint circle."""
    half_width = np.full(len(canvas), -1)
    error, dx, dy, plus, minus = 0, radius, 0, 1, 2 * radius - 1
    while dx >= dy:
        for y, x in ((dy, dx), (-dy, dx), (dx, dy), (-dx, dy)):
            if 0 <= (row := int(centre[1]) + y) < len(canvas):
                half_width[row] = max(half_width[row], x)
        dy += 1
        error, plus = error + plus, plus + 2
        if error > 0:
            error, dx, minus = error - minus, dx - 1, minus - 2
    _draw_rows(canvas, centre[0] - half_width, centre[0] + half_width)


def corners_of(centre: tuple[int, int], size: tuple[int, int], degrees: float) -> Ints:
    """Return the corners of a turned rectangle in single precision, cut to whole pixels towards zero."""
    turn = math.radians(float(np.float32(degrees)))
    b, a = (np.float32(np.float32(part) * np.float32(0.5)) for part in (math.cos(turn), math.sin(turn)))
    x, y, w, h = (np.float32(number) for number in (*centre, *size))
    first = (x - a * h - b * w, y + b * h - a * w)
    second = (x + a * h - b * w, y - b * h - a * w)
    across = (2 * x - first[0], 2 * y - first[1]), (2 * x - second[0], 2 * y - second[1])
    return np.asarray(np.trunc(np.array([first, second, *across])).astype(np.int64))


def eroded(canvas: Bools, width: int) -> Bools:
    """Return the erosion by a square of ``width`` pixels; the outside of the canvas does not erode."""
    if width <= 1:
        return canvas
    return np.asarray(ndimage.minimum_filter(canvas, size=width, mode="constant", cval=True))


def parts(canvas: Bools) -> list[int]:
    """Return the pixels of each connected part, corners touching, largest first."""
    labels, count = ndimage.label(canvas, structure=np.ones((3, 3)))
    return sorted((int(n) for n in np.bincount(labels.reshape(-1), minlength=count + 1)[1:]), reverse=True)
