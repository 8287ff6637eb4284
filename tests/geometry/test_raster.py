"""Pixels of polygons, lines and thick outlines, and what is left of them."""

from __future__ import annotations

import numpy as np

from tsgkit.geometry.raster import corners_of, eroded, filled, lines, outlined, parts

SHAPE = (32, 32)
OF_OPENCV = [
    ((15, 16), (20, 9), 30.0, [[4, 14], [8, 7], [25, 17], [21, 24]], (184, 88228), (268, 128506), (454, 217693)),
    ((16, 16), (30, 12), -73.5, [[17, 32], [5, 28], [14, 0], [26, 3]], (410, 209247), (393, 200943), (627, 321732)),
    ((2, 3), (25, 14), 12.25, [[-11, 7], [-8, -6], [15, -1], [12, 12]], (166, 38564), None, None),
    ((30, 31), (40, 7), 141.0, [[43, 15], [47, 21], [16, 46], [12, 40]], (40, 37310), None, None),
    ((16, 10), (13, 13), 90.0, [[9, 3], [22, 3], [22, 16], [9, 16]], (196, 99078), (248, 125364), (422, 213468)),
    ((0, 16), (60, 3), -5.0, [[-29, 20], [-30, 17], [29, 11], [30, 14]], (139, 65320), None, None),
]
"""Rectangles by middle, size and degrees, as OpenCV has them: their corners, and for their area and their outlines 3
and 8 pixels wide how many pixels there are, and the sum of row + 32 * column."""


def test_turned_rectangles_are_those_of_opencv() -> None:
    for middle, size, degrees, expected, area, *outlines in OF_OPENCV:
        corners = corners_of(middle, size, degrees)
        assert corners.tolist() == expected
        drawn = [filled([corners], SHAPE), *(outlined(corners, width, SHAPE) for width in (3, 8))]
        for canvas, figures in zip(drawn, (area, *outlines), strict=True):
            found = (int(canvas.sum()), int((np.argwhere(canvas) @ (1, 32)).sum()))
            assert figures is None or found == figures, (middle, size, degrees)


def test_corners_belong_to_a_polygon() -> None:
    assert filled([[(2, 3), (10, 3), (10, 8), (2, 8)]], SHAPE).sum() == 9 * 6
    assert filled([[(5, 5)] * 4], SHAPE).sum() == 1
    assert filled(np.zeros((0, 3, 2)), SHAPE).sum() == 0
    a, b, c, d = (3, 4), (25, 6), (22, 28), (1, 20)
    assert np.array_equal(filled([[a, b, c, d]], SHAPE), filled([[a, b, c], [a, c, d]], SHAPE))


def test_shapes_beyond_the_canvas_are_clipped_cheaply() -> None:
    assert filled([[(-900_000_000, -5), (900_000_000, -5), (900_000_000, 3), (-900_000_000, 3)]], SHAPE).sum() == 4 * 32
    assert filled([[(100, 100), (120, 100), (120, 120), (100, 120)]], SHAPE).sum() == 0
    assert outlined([(-900_000_000, 4), (900_000_000, 4), (900_000_000, 60), (-900_000_000, 60)], 4, SHAPE)[4].all()


def test_a_line_has_a_pixel_for_every_step_of_its_longer_side() -> None:
    for end in ((20, 9), (9, 20), (2, 2), (20, 3), (3, 20)):
        drawn = lines([(3, 3)], [end], SHAPE)
        assert drawn.sum() == max(abs(end[0] - 3), abs(end[1] - 3)) + 1
        assert np.array_equal(drawn, lines([end], [(3, 3)], SHAPE))


def test_a_pen_reaches_half_its_width_beyond_the_outline_with_round_corners() -> None:
    drawn = outlined([(10, 10), (20, 10), (20, 20), (10, 20)], 6, SHAPE)
    rows, columns = np.nonzero(drawn)
    assert (rows.min(), rows.max(), columns.min(), columns.max()) == (7, 23, 7, 23)
    assert not drawn[7, 7]
    assert not drawn[15, 15]
    assert outlined([(10, 10), (20, 10), (20, 20), (10, 20)], 1, SHAPE).sum() == 40


def test_erosion_takes_nothing_at_the_edge_of_the_canvas() -> None:
    assert eroded(np.ones(SHAPE, dtype=bool), 8).all()
    square = filled([[(4, 4), (20, 4), (20, 20), (4, 20)]], SHAPE)
    assert eroded(square, 8).sum() == 10 * 10
    assert eroded(square, 2).sum() == 16 * 16
    assert eroded(square, 1) is square


def test_parts_that_touch_at_a_corner_are_one() -> None:
    canvas = np.zeros(SHAPE, dtype=bool)
    canvas[2:4, 2:4] = canvas[4:7, 4:7] = canvas[20, 20] = True
    assert parts(canvas) == [13, 1]
    assert parts(np.zeros(SHAPE, dtype=bool)) == []


def test_corners_of_a_turned_rectangle_are_cut_towards_zero() -> None:
    assert corners_of((0, 0), (3, 3), 0).tolist() == [[-1, 1], [-1, -1], [1, -1], [1, 1]]
