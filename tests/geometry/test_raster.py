"""Pixels of polygons, lines and thick outlines, and what is left of them."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("scipy", reason="rooms need the extra: scenes")

import numpy as np

from tsgkit.geometry.raster import corners_of, eroded, filled, lines, outlined, parts

SHAPE = (32, 32)


@pytest.mark.slow
def test_filled_polygons_are_those_of_opencv_within_and_across_the_canvas() -> None:
    """3,000 turned rectangles and 1,000 triangles, pixel by pixel."""
    oracle = pytest.importorskip("cv2", reason="published pixels are compared with the extra: test")
    random, shape = np.random.default_rng(11), (256, 256)
    for k in range(4000):
        middle, size = random.integers(-20, 276, 2).tolist(), random.integers(0, 120, 2).tolist()
        degrees = float(random.choice([0, 90, 180, -90])) if k % 5 == 0 else float(random.uniform(-200, 200))
        corners = corners_of((middle[0], middle[1]), (size[0], size[1]), degrees)
        if k < 3000:
            theirs = np.trunc(oracle.boxPoints((middle, size, degrees))).astype(int)
            assert np.array_equal(corners, theirs), (middle, size, degrees)
        else:
            corners = random.integers(-50, 300, (3, 2))
        drawn = np.zeros(shape, dtype=np.uint8)
        oracle.fillPoly(drawn, [corners.astype(np.int32)], 1)
        assert np.array_equal(filled([corners], shape), drawn > 0), corners.tolist()


def test_corners_belong_to_a_polygon() -> None:
    assert filled([[(2, 3), (10, 3), (10, 8), (2, 8)]], SHAPE).sum() == 9 * 6
    assert filled([[(5, 5)] * 4], SHAPE).sum() == 1


def test_shapes_beyond_the_canvas_are_clipped_cheaply() -> None:
    assert filled([[(-900_000_000, -5), (900_000_000, -5), (900_000_000, 3), (-900_000_000, 3)]], SHAPE).sum() == 4 * 32
    assert filled([[(100, 100), (120, 100), (120, 120), (100, 120)]], SHAPE).sum() == 0
    assert outlined([(-900_000_000, 4), (900_000_000, 4), (900_000_000, 60), (-900_000_000, 60)], 4, SHAPE)[4].all()


def test_no_polygons_fill_nothing() -> None:
    assert filled(np.zeros((0, 3, 2)), SHAPE).sum() == 0


def test_a_line_has_a_pixel_for_every_step_of_its_longer_side() -> None:
    for end in ((20, 9), (9, 20), (2, 2), (20, 3), (3, 20)):
        drawn = lines([(3, 3)], [end], SHAPE)
        assert drawn.sum() == max(abs(end[0] - 3), abs(end[1] - 3)) + 1
        assert np.array_equal(drawn, lines([end], [(3, 3)], SHAPE))


def test_a_triangle_and_its_other_half_make_the_square() -> None:
    a, b, c, d = (3, 4), (25, 6), (22, 28), (1, 20)
    whole = filled([[a, b, c, d]], SHAPE)
    assert np.array_equal(whole, filled([[a, b, c], [a, c, d]], SHAPE))


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
    assert eroded(square, 0) is square


def test_parts_that_touch_at_a_corner_are_one() -> None:
    canvas = np.zeros(SHAPE, dtype=bool)
    canvas[2:4, 2:4] = canvas[4:7, 4:7] = canvas[20, 20] = True
    assert parts(canvas) == [13, 1]
    assert parts(np.zeros(SHAPE, dtype=bool)) == []


def test_corners_of_a_turned_rectangle_are_cut_towards_zero() -> None:
    assert corners_of((100, 100), (10, 6), 0).tolist() == [[95, 103], [95, 97], [105, 97], [105, 103]]
    assert corners_of((0, 0), (3, 3), 0).tolist() == [[-1, 1], [-1, -1], [1, -1], [1, 1]]
