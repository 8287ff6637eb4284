"""An object of two million faces is measured all the same; the pixels of polygons are those of OpenCV."""

from __future__ import annotations

import cv2
import numpy as np
from furnished_rooms import AS_IT_IS, staged

from tsgkit.geometry import OFFICIAL, STRICT, Mesh, Object, collisions, navigability, out_of_bounds, standing, supports
from tsgkit.geometry.raster import corners_of, filled


def test_two_million_faces_are_reported_and_measured() -> None:
    side = np.linspace(-0.5, 0.5, 1001)
    x, z = np.meshgrid(side, side)
    vertices = np.stack([x.ravel(), 0.05 * np.sin(9 * x.ravel()), z.ravel()], axis=1)
    a = (np.arange(1000)[:, None] * 1001 + np.arange(1000)).ravel()
    faces = np.concatenate([np.c_[a, a + 1, a + 1002], np.c_[a, a + 1002, a + 1001]])
    cloth = Object("cloth", Mesh.of(vertices, faces), standing(at=(0, 0, 1)))
    for profile in (OFFICIAL, STRICT):
        stage = staged([cloth, AS_IT_IS.thing("far", (1, 1, 1), (2, 2, 0.5))], AS_IT_IS.room(6, 6), profile)
        assert [problem.code for problem in stage.problems] == ["many-faces"]
        assert collisions(stage).hits == ()
        assert out_of_bounds(stage).out == ()
        assert navigability(stage).value is not None
        assert not supports(stage)["cloth"].supported


def test_filled_polygons_are_those_of_opencv() -> None:
    """3,000 turned rectangles and 1,000 triangles, pixel by pixel."""
    random, shape = np.random.default_rng(11), (256, 256)
    for k in range(4000):
        middle, size = random.integers(-20, 276, 2).tolist(), random.integers(0, 120, 2).tolist()
        degrees = float(random.choice([0, 90, 180, -90])) if k % 5 == 0 else float(random.uniform(-200, 200))
        corners = corners_of((middle[0], middle[1]), (size[0], size[1]), degrees)
        if k < 3000:
            theirs = np.trunc(cv2.boxPoints((middle, size, degrees))).astype(int)
            assert np.array_equal(corners, theirs), (middle, size, degrees)
        else:
            corners = random.integers(-50, 300, (3, 2))
        drawn = np.zeros(shape, dtype=np.uint8)
        cv2.fillPoly(drawn, [corners.astype(np.int32)], 1)
        assert np.array_equal(filled([corners], shape), drawn > 0), corners.tolist()
