"""Shapes from bytes and from sizes, and what can be wrong with them."""

from __future__ import annotations

import math
from typing import Any

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("trimesh", reason="rooms need the extra: scenes")

import numpy as np
import trimesh

from tsgkit.geometry import Mesh, Primitive, Problem, box, read_mesh
from tsgkit.geometry.meshes import cleaned, closed, merged, mesh_of


def written(kind: str) -> bytes:
    """Return two unit boxes, the second two metres up its parent's node."""
    scene: Any = trimesh.Scene()
    cube = trimesh.creation.box()
    up = np.eye(4)
    up[1, 3] = 2
    scene.add_geometry(cube)
    scene.add_geometry(cube, transform=up)
    made = scene.export(file_type="glb") if kind == "glb" else scene.to_mesh().export(file_type=kind)
    return made if isinstance(made, bytes) else str(made).encode()


@pytest.mark.parametrize("kind", ["glb", "obj", "ply"])
def test_a_file_is_read_as_one_mesh_with_every_node_in_place(kind: str) -> None:
    mesh = read_mesh(written(kind), kind)
    assert isinstance(mesh, Mesh)
    assert len(mesh.faces) == 24
    assert mesh.vertices.min(axis=0).tolist() == [-0.5, -0.5, -0.5]
    assert mesh.vertices.max(axis=0).tolist() == [0.5, 2.5, 0.5]
    assert mesh.volume == pytest.approx(2)


@pytest.mark.parametrize("kind", ["glb", "obj", "ply", "stl"])
@pytest.mark.parametrize("data", [b"", b"\0" * 40, b"hello", b"v 0 0 0\n", b"glTF" + b"\xff" * 60])
def test_bytes_that_are_no_mesh_are_a_problem(kind: str, data: bytes) -> None:
    found = read_mesh(data, kind, where="lamp")
    assert isinstance(found, Problem)
    assert (found.code in ("unreadable-mesh", "empty-mesh"), found.where) == (True, "lamp")


@pytest.mark.parametrize("kind", ["glb", "ply"])
def test_a_cut_file_is_a_problem(kind: str) -> None:
    data = written(kind)
    for end in range(0, len(data) - 1, max(1, len(data) // 25)):
        assert isinstance(read_mesh(data[:end], kind), Problem)


@pytest.mark.parametrize("kind", ["box", "cylinder", "cone", "sphere"])
def test_primitives_are_closed_and_of_their_size(kind: str) -> None:
    mesh = mesh_of(Primitive(kind, (1, 2, 3)))  # type: ignore[arg-type]
    assert closed(merged(mesh.vertices, mesh.faces))
    assert np.ptp(mesh.vertices, axis=0) == pytest.approx(np.array([1, 3, 2]), rel=1e-12), "files have y up"
    full = {"box": 6, "cylinder": 6 * math.pi / 4, "cone": math.pi / 2, "sphere": math.pi}[kind]
    assert mesh.volume == pytest.approx(full, rel=0.02)


def test_arrays_are_never_written_to() -> None:
    mesh = mesh_of(box(1, 1, 1))
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 3


CUBE = mesh_of(box(1, 1, 1))


def spoilt(mesh: Mesh, **corner: float) -> Mesh:
    vertices = mesh.vertices.copy()
    vertices[0] = corner["to"]
    return Mesh.of(vertices, mesh.faces)


@pytest.mark.parametrize(
    ("shape", "codes", "usable"),
    [
        (spoilt(CUBE, to=math.nan), ["not-finite"], True),
        (spoilt(CUBE, to=math.inf), ["not-finite"], True),
        (Mesh.of(CUBE.vertices * math.nan, CUBE.faces), ["not-finite", "empty-mesh"], False),
        (Mesh.of(np.zeros((0, 3)), np.zeros((0, 3))), ["empty-mesh"], False),
        (Mesh.of(CUBE.vertices, np.zeros((0, 3))), ["empty-mesh"], False),
        (Mesh.of(CUBE.vertices * 0, CUBE.faces), ["flat-mesh"], False),
        (Mesh.of(CUBE.vertices * (1, 0, 0), CUBE.faces), ["flat-mesh"], False),
        (Mesh.of(CUBE.vertices, [*CUBE.faces.tolist(), [0, 1, 99], [-1, 2, 3]]), ["bad-face"], True),
        (CUBE.turned_out(), ["inside-out"], True),
        (Mesh.of([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), [], True),
        (Primitive("box", (1, 0, 1)), ["bad-size"], False),
        (Primitive("box", (1, math.nan, 1)), ["bad-size"], False),
        (Primitive("pyramid", (1, 1, 1)), ["bad-size"], False),  # type: ignore[arg-type]
        (CUBE, [], True),
    ],
)
def test_mesh_problems_have_codes(shape: Mesh | Primitive, codes: list[str], usable: bool) -> None:
    mesh, problems = cleaned(shape, "lamp", mend_winding=True)
    assert [problem.code for problem in problems] == codes
    assert (mesh is not None) == usable
    if mesh is not None:
        assert np.isfinite(mesh.vertices).all()
        assert mesh.volume >= 0 or not closed(merged(mesh.vertices, mesh.faces))


def test_winding_is_mended_only_where_asked() -> None:
    left, _ = cleaned(CUBE.turned_out(), "lamp", mend_winding=False)
    mended, _ = cleaned(CUBE.turned_out(), "lamp", mend_winding=True)
    assert left is not None
    assert mended is not None
    assert left.volume == -mended.volume == pytest.approx(-1)


def test_seams_do_not_open_a_solid_and_missing_faces_do() -> None:
    split = Mesh.of(CUBE.vertices[CUBE.faces].reshape(-1, 3), np.arange(36))
    assert closed(merged(split.vertices, split.faces))
    assert not closed(merged(CUBE.vertices, CUBE.faces[1:]))


@pytest.mark.parametrize("line", ["v 01 0", "v 1", "v", "  v 1 2 # 3"])
@pytest.mark.parametrize("first", [True, False])
def test_a_corner_of_too_few_numbers_is_named_by_its_line(line: str, first: bool) -> None:
    whole = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "f 1 2 3"]
    found = read_mesh("\n".join([line, *whole] if first else [*whole, line]).encode(), "obj")
    assert isinstance(found, Problem)
    assert f"line {1 if first else 5}: a corner of" in found.message
