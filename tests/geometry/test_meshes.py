"""Shapes from bytes and from sizes, and what can be wrong with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import trimesh

from tsgkit.geometry import Mesh, Primitive, Problem, box, meshes, read_mesh
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


def test_a_file_is_read_as_one_mesh_with_every_node_in_place() -> None:
    for kind in ("glb", "obj", "ply"):
        mesh = read_mesh(written(kind), kind)
        assert isinstance(mesh, Mesh)
        assert len(mesh.faces) == 24, kind
        assert mesh.vertices.min(axis=0).tolist() == [-0.5, -0.5, -0.5]
        assert mesh.vertices.max(axis=0).tolist() == [0.5, 2.5, 0.5]
        assert mesh.volume == pytest.approx(2)


def test_a_file_that_is_none_or_cut_is_a_problem() -> None:
    for kind in ("glb", "obj", "ply", "stl"):
        for data in (b"", b"\0" * 40, b"hello", b"v 0 0 0\n", b"glTF" + b"\xff" * 60):
            found = read_mesh(data, kind, where="lamp")
            assert isinstance(found, Problem), (kind, data)
            assert (found.code in ("unreadable-mesh", "empty-mesh"), found.where) == (True, "lamp"), (kind, data)
    for kind in ("glb", "ply"):
        data = written(kind)
        for end in range(0, len(data) - 1, max(1, len(data) // 25)):
            assert isinstance(read_mesh(data[:end], kind), Problem), (kind, end)
    for line in ("v 01 0", "v 1", "v", "  v 1 2 # 3"):
        whole = ["v 0 0 0", "v 1 0 0", "v 0 1 0", "f 1 2 3"]
        for number, text in ((1, [line, *whole]), (5, [*whole, line])):
            found = read_mesh("\n".join(text).encode(), "obj")
            assert isinstance(found, Problem)
            assert f"line {number}: a corner of" in found.message, line


def test_primitives_are_closed_and_of_their_size() -> None:
    for kind, full in {"box": 6, "cylinder": 6 * math.pi / 4, "cone": math.pi / 2, "sphere": math.pi}.items():
        mesh = mesh_of(Primitive(kind, (1, 2, 3)))  # type: ignore[arg-type]
        assert closed(merged(mesh.vertices, mesh.faces)), kind
        assert np.ptp(mesh.vertices, axis=0) == pytest.approx(np.array([1, 3, 2]), rel=1e-12), "files have y up"
        assert mesh.volume == pytest.approx(full, rel=0.02), kind


def test_arrays_are_never_written_to() -> None:
    mesh = mesh_of(box(1, 1, 1))
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0, 0] = 3


CUBE = mesh_of(box(1, 1, 1))


def spoilt(to: float) -> Mesh:
    vertices = CUBE.vertices.copy()
    vertices[0] = to
    return Mesh.of(vertices, CUBE.faces)


SHAPES: list[tuple[Mesh | Primitive, list[str], bool]] = [
    (spoilt(math.nan), ["not-finite"], True),
    (spoilt(math.inf), ["not-finite"], True),
    (Mesh.of(CUBE.vertices * math.nan, CUBE.faces), ["not-finite", "empty-mesh"], False),
    (Mesh.of(np.zeros((0, 3)), np.zeros((0, 3))), ["empty-mesh"], False),
    (Mesh.of(CUBE.vertices, np.zeros((0, 3))), ["empty-mesh"], False),
    (Mesh.of(CUBE.vertices * 0, CUBE.faces), ["flat-mesh"], False),
    (Mesh.of(CUBE.vertices * (1, 0, 0), CUBE.faces), ["flat-mesh"], False),
    (Mesh.of(CUBE.vertices, [*CUBE.faces.tolist(), [0, 1, 8]]), ["bad-face"], True),
    (Mesh.of(CUBE.vertices, [*CUBE.faces.tolist(), [-1, 2, 3]]), ["bad-face"], True),
    (CUBE.turned_out(), ["inside-out"], True),
    (Mesh.of([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]), [], True),
    (Primitive("box", (1, 0, 1)), ["bad-size"], False),
    (Primitive("box", (1, math.nan, 1)), ["bad-size"], False),
    (Primitive("pyramid", (1, 1, 1)), ["bad-size"], False),  # type: ignore[arg-type]
    (CUBE, [], True),
]


def test_mesh_problems_have_codes() -> None:
    for number, (shape, codes, usable) in enumerate(SHAPES):
        mesh, problems = cleaned(shape, "lamp", mend_winding=True)
        assert ([problem.code for problem in problems], mesh is not None) == (codes, usable), number
        if mesh is not None:
            assert np.isfinite(mesh.vertices).all(), number
            assert mesh.volume >= 0 or not closed(merged(mesh.vertices, mesh.faces)), number


def test_many_faces_are_reported_from_the_first_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit, codes in ((11, ["many-faces"]), (12, [])):
        monkeypatch.setattr(meshes, "MANY_FACES", limit)
        _, problems = cleaned(CUBE, "lamp", mend_winding=True)
        assert [problem.code for problem in problems] == codes, limit


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
