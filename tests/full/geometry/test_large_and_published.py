"""The pixels of polygons are those of OpenCV."""

from __future__ import annotations

import cv2
import numpy as np

from tsgkit.geometry.raster import corners_of, filled


def test_filled_polygons_are_those_of_opencv() -> None:
    """1,500 turned rectangles and 500 triangles, pixel by pixel."""
    random, shape = np.random.default_rng(11), (256, 256)
    for k in range(2000):
        middle, size = random.integers(-20, 276, 2).tolist(), random.integers(0, 120, 2).tolist()
        degrees = float(random.choice([0, 90, 180, -90])) if k % 5 == 0 else float(random.uniform(-200, 200))
        corners = corners_of((middle[0], middle[1]), (size[0], size[1]), degrees)
        if k < 1500:
            theirs = np.trunc(cv2.boxPoints((middle, size, degrees))).astype(int)
            assert np.array_equal(corners, theirs), (middle, size, degrees)
        else:
            corners = random.integers(-50, 300, (3, 2))
        drawn = np.zeros(shape, dtype=np.uint8)
        cv2.fillPoly(drawn, [corners.astype(np.int32)], 1)
        assert np.array_equal(filled([corners], shape), drawn > 0), corners.tolist()
