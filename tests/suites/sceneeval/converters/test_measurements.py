"""Measurements that all converters share: outlines of rooms, and boxes of meshes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters import measurements
from tsgkit.suites.sceneeval.converters.measurements import MeshBox, box_of_mesh, crosses_itself, ring, size_of
from tsgkit.suites.sceneeval.scene_files.assets import Asset

PYRAMID = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
LEAF = "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n"


def test_an_outline_runs_against_the_clock_and_is_not_closed() -> None:
    square = ((0, 0), (4, 0), (4, 3), (0, 3))
    for corners, outline in (
        (square, square),
        (square[::-1], square),
        ((*square, (0, 0)), square),
        ((*square, (0, 0.001)), square),
        ((*square, (0, 0.002)), (*square, (0, 0.002))),
        (((0, 0), (0, 0), *square[1:]), square),
        (((1, 1), (1, 1)), ((1, 1),)),
        ((), ()),
    ):
        assert ring(corners) == outline, corners


def test_an_outline_of_too_many_corners_is_not_looked_at_for_crossings(monkeypatch: pytest.MonkeyPatch) -> None:
    bow = ((0, 0), (2, 2), (2, 0), (0, 2))
    monkeypatch.setattr(measurements, "MOST_COMPARED", 4)
    assert crosses_itself(bow)
    monkeypatch.setattr(measurements, "MOST_COMPARED", 3)
    assert not crosses_itself(bow)


def test_a_mesh_has_a_box_unless_it_is_missing_or_flat(tmp_path: Path) -> None:
    asset = Asset(tmp_path / "x.obj", "lamp", "")
    assert box_of_mesh(asset, "room") is None
    asset.mesh.write_text(PYRAMID)
    assert box_of_mesh(asset, "room") == MeshBox((1, 4, 2), (0.5, 1, 2)), "y is up in the file"
    assert size_of(asset, "room") == (1, 4, 2)
    assert size_of(asset._replace(box=(3, 3, 3)), "room") == (3, 3, 3), "the source itself is believed first"
    asset.mesh.write_text(LEAF)
    assert (box_of_mesh(asset, "room"), size_of(asset, "room")) == (None, None)
    asset.mesh.write_text("f 1 2 3\n")
    with pytest.raises(FileProblem, match=r"^room: mesh: "):
        box_of_mesh(asset, "room")
