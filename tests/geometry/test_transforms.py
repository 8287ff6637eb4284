"""Places and turns: files, local frames and yaw."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from tsgkit.geometry import OFFICIAL, STRICT, Object, asset_rotation, box, standing
from tsgkit.geometry.bodies import placed
from tsgkit.geometry.meshes import mesh_of
from tsgkit.geometry.transforms import local_matrix, matrix_of, problem_of, transform_of, yaw_of


def test_files_write_column_by_column() -> None:
    numbers = tuple(float(n) for n in range(16))
    assert matrix_of(numbers)[:3, 3].tolist() == [12, 13, 14]
    assert transform_of(matrix_of(numbers)) == numbers


def test_an_unturned_asset_stands_up_and_faces_minus_y() -> None:
    matrix = matrix_of(standing())
    assert (matrix[:3, :3] @ (0, 1, 0)).tolist() == [0, 0, 1], "up of the file is up"
    assert (matrix[:3, :3] @ (0, 0, 1)).tolist() == [0, -1, 0], "front of the file is -y"
    assert np.array_equal(local_matrix(standing()), np.eye(4))


def test_yaw_is_read_back_at_any_scale_and_tilt_about_x() -> None:
    scales: tuple[float | tuple[float, ...], ...] = (2, (1, 2, 3))
    for yaw, scale, tilt in product((-179, -90, -30, 0, 1e-9, 45, 90, 180), scales, (0, 20, -50)):
        read = yaw_of(local_matrix(standing(yaw=yaw, scale=scale, tilt=tilt)))
        assert math.isclose(read, yaw, abs_tol=1e-9), (yaw, scale, tilt)
    for mirror, yaw in (((-1, 1, 1), 30), ((1, -1, 1), 30), ((1, 1, -1), -150)):
        assert yaw_of(local_matrix(standing(yaw=30, scale=mirror))) == pytest.approx(yaw), mirror


def test_looking_straight_up_has_no_yaw() -> None:
    matrix = np.eye(4)
    matrix[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    assert yaw_of(matrix) == 0


def test_the_published_frame_keeps_the_scale_in_its_axes() -> None:
    thing = Object("it", box(1, 2, 3), standing(at=(5, 6, 7), yaw=90, scale=2))
    official, strict = (placed(thing, "scene", profile)[0] for profile in (OFFICIAL, STRICT))
    assert official is not None
    assert strict is not None
    assert official.frame.half == pytest.approx(np.array([0.5, 1, 1.5]))
    assert strict.frame.half == pytest.approx(np.array([1, 2, 3]))
    assert np.linalg.norm(official.frame.axes, axis=0) == pytest.approx(np.array([2, 2, 2]))
    assert np.linalg.norm(strict.frame.axes, axis=0) == pytest.approx(np.array([1, 1, 1]))
    for frame in (official.frame, strict.frame):
        corner = frame.world(np.array([[1.0, 1, 1]]))[0]
        assert corner == pytest.approx(np.array([5 - 2, 6 + 1, 7 + 3]))


def test_the_origin_of_an_asset_may_lie_anywhere() -> None:
    mesh = mesh_of(box(1, 1, 1)).moved(
        transform_of(np.array([[1, 0, 0, 3], [0, 1, 0, 0.5], [0, 0, 1, 0], [0, 0, 0, 1.0]]))
    )
    for profile in (OFFICIAL, STRICT):
        body, _ = placed(Object("it", mesh, standing(yaw=90)), "scene", profile)
        assert body is not None
        assert body.frame.centre == pytest.approx(np.array([0, 3, 0.5]))


def test_declared_axes_are_taken_to_up_and_front() -> None:
    for up, front in product([(0, 1, 0), (0, 0, 1), (-1, 0, 0)], [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, -1, 0)]):
        if not np.dot(up, front):
            turn = matrix_of(asset_rotation(up, front))[:3, :3]
            assert (turn @ up).tolist() == [0, 1, 0], (up, front)
            assert (turn @ front).tolist() == [0, 0, 1], (up, front)
            assert np.linalg.det(turn) == pytest.approx(1)


def test_transform_problems_have_codes() -> None:
    single = tuple(float(np.float32(n)) for n in standing(at=(100, 3, 1), yaw=33, scale=(0.01, 2, 30), tilt=5))
    rows: list[tuple[tuple[float, ...], str | None]] = [
        (single, None),
        ((1.0,) * 15, "bad-transform"),
        ((math.nan,) * 16, "bad-transform"),
        ((1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 2.0), "bad-transform"),
        ((0.0,) * 15 + (1.0,), "singular-transform"),
        ((1.0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0), "singular-transform"),
        ((1.0, 0, 0, 0, 0.3, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0), "sheared-transform"),
        ((1.0, 0, 0, 0, 0.0008, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0), None),
    ]
    for numbers, code in rows:
        found = problem_of(numbers, "lamp")
        assert (found and (found.code, found.where)) == (code and (code, "lamp")), numbers
