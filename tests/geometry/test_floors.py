"""Floors as thin solids, with the middle and the sides that relations measure from; points spread over surfaces."""

from __future__ import annotations

import numpy as np
import pytest

from tsgkit.geometry import OFFICIAL, STRICT, Floor, Mesh
from tsgkit.geometry.floors import ground_of, over
from tsgkit.geometry.meshes import closed, merged
from tsgkit.geometry.sampling import number_of_points, on_faces, seeded

L_SHAPED = Floor("l", ((0, 0, 1), (4, 0, 1), (4, 2, 1), (2, 2, 1), (2, 4, 1), (0, 4, 1)))


def test_a_floor_is_measured_by_its_box_as_published_and_by_its_area_in_strict() -> None:
    for profile, centre in ((OFFICIAL, (2, 2)), (STRICT, (5 / 3, 5 / 3))):
        ground, problems = ground_of(L_SHAPED, None, "scene", profile)
        assert ground is not None
        assert (ground.id, ground.z, problems) == ("floor_l", 1.0, ())
        assert ground.centre == pytest.approx(np.array(centre))
        assert ground.sizes == pytest.approx((4, 4))
        points = np.array([(1, 3, 0), (3, 3, 0), (2, 2, 9), (4, 0, 0), (4.001, 0, 0)])
        assert over(ground.rim, points).tolist() == [True, False, True, True, False]
    slanted = Floor("s", ((0, 0, 0), (2, 2, 0), (1, 3, 0), (-1, 1, 0)))
    sizes = [ground_of(slanted, None, "scene", profile)[0] for profile in (OFFICIAL, STRICT)]
    assert [sorted(found.sizes) for found in sizes if found] == [pytest.approx([3, 3]), pytest.approx([2**0.5, 8**0.5])]


def test_the_slab_of_a_floor_is_a_closed_solid_around_its_height() -> None:
    ground, _ = ground_of(L_SHAPED, 3.0, "scene", STRICT)
    assert ground is not None
    slab = ground.slab
    assert [*slab.low, *slab.high] == pytest.approx([0, 0, 2.9995, 4, 4, 3.0005])
    assert closed(merged(slab.vertices, slab.faces))
    assert Mesh.of(slab.vertices, slab.faces).volume == pytest.approx(12 * 0.001)


def test_points_are_spread_over_faces_by_their_area() -> None:
    triangles = np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(5, 0, 0), (8, 0, 0), (5, 1, 0)]], dtype=float)
    points = on_faces(triangles, np.array([0.5, 1.5]), 4000, seeded("scene", "it", "surface"))
    second = points[:, 0] >= 5
    assert second.mean() == pytest.approx(0.75, abs=0.02)
    assert points[~second].mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 0], abs=0.02)
    assert points[second].mean(axis=0) == pytest.approx([6, 1 / 3, 0], abs=0.03)
    assert (points[~second].sum(axis=1) <= 1).all()
    assert [number_of_points(*what) for what in ((1, 100), (0.001, 100), (4, 100), (5, 1))] == [
        5000,
        100,
        20_000,
        20_000,
    ]
