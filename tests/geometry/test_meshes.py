"""Shapes from files and sizes, what can be wrong with them, and where their transforms put them."""

from __future__ import annotations

import base64
import json
import math
import zlib
from itertools import product
from typing import Any

import numpy as np
import pytest
import trimesh

from tsgkit.geometry import meshes
from tsgkit.geometry.bodies import placed
from tsgkit.geometry.gltf import chunks_of, written_glb
from tsgkit.geometry.materials import Paint, png
from tsgkit.geometry.meshes import (
    Mesh,
    Primitive,
    Problem,
    asset_rotation,
    box,
    cleaned,
    closed,
    local_matrix,
    matrix_of,
    merged,
    mesh_of,
    problem_of,
    read_mesh,
    standing,
    transform_of,
    yaw_of,
)
from tsgkit.geometry.scenes import OFFICIAL, STRICT, Object

CUBE = mesh_of(box(1, 1, 1))
SHAPES: list[tuple[Mesh | Primitive, list[str], bool]] = [
    (Mesh.of([(math.nan, 0, 0), *CUBE.vertices[1:].tolist()], CUBE.faces), ["not-finite"], True),
    (Mesh.of([(math.inf, 0, 0), *CUBE.vertices[1:].tolist()], CUBE.faces), ["not-finite"], True),
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
made: Any = trimesh
GREEN = {
    "etc1s": "eNpb7R0SoWBksJuXS4qLAQgYgZgDimGAEQlnALEOEE8BYhUg3gFV0wSlrRgRepCBDpRmYtBgWMzIxMDMjGyHPZz1HwjkgTTQWeVFmSWp"
    "RQxOicWZxQqheZllqUXFiTkKRnqGBiDzGRm0gOpYgVgbzS5kuxkPsEAYTkwzIOJNOfsYEpgggoYMPhBXKDxhCAkNDWUVOeACkRFSZJgBYTlwMApD"
    "dHpIMyYwOYCZgkBdAIO/H+I=",
    "uastc": "eNpb7R0SoWBksJuXS4qLAQgYgZgDimGAEYpBIAOIdYB4CpRGBwegtAMaDVPLxKDBsIyRiYGZmYFBAK6rHs76DwTyQBrorPKizJLUIganx"
    "OLMYoXQvMyy1KLixBwFIz1DAwYGFpAuoLbwg9Mf2fOEw/WTygcAYkQjfw==",
}
"""KTX2 images of 8 by 8 green pixels, in both ways of Basis Universal."""


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


def test_a_file_is_read_as_one_mesh_and_problems_of_meshes_have_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("glb", "obj", "ply"):
        mesh = read_mesh(written(kind), kind)
        assert isinstance(mesh, Mesh)
        assert len(mesh.faces) == 24, kind
        assert mesh.vertices.min(axis=0).tolist() == [-0.5, -0.5, -0.5]
        assert mesh.vertices.max(axis=0).tolist() == [0.5, 2.5, 0.5]
        assert mesh.volume == pytest.approx(2)
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
    for number, (shape, codes, usable) in enumerate(SHAPES):
        clean, problems = cleaned(shape, "lamp", mend_winding=True)
        assert ([problem.code for problem in problems], clean is not None) == (codes, usable), number
        if clean is not None:
            assert np.isfinite(clean.vertices).all(), number
            assert clean.volume >= 0 or not closed(merged(clean.vertices, clean.faces)), number
    for limit, codes in ((11, ["many-faces"]), (12, [])):
        monkeypatch.setattr(meshes, "MANY_FACES", limit)
        _, problems = cleaned(CUBE, "lamp", mend_winding=True)
        assert [problem.code for problem in problems] == codes, limit


def test_primitives_are_closed_solids_and_winding_is_mended_only_where_asked() -> None:
    for kind, full in {"box": 6, "cylinder": 6 * math.pi / 4, "cone": math.pi / 2, "sphere": math.pi}.items():
        mesh = mesh_of(Primitive(kind, (1, 2, 3)))  # type: ignore[arg-type]
        assert closed(merged(mesh.vertices, mesh.faces)), kind
        assert np.ptp(mesh.vertices, axis=0) == pytest.approx(np.array([1, 3, 2]), rel=1e-12), "files have y up"
        assert mesh.volume == pytest.approx(full, rel=0.02), kind
    with pytest.raises(ValueError, match="read-only"):
        CUBE.vertices[0, 0] = 3
    for mends, volume in ((False, -1), (True, 1)):
        found, _ = cleaned(CUBE.turned_out(), "lamp", mend_winding=mends)
        assert found is not None and found.volume == pytest.approx(volume)
    split = Mesh.of(CUBE.vertices[CUBE.faces].reshape(-1, 3), np.arange(36))
    assert closed(merged(split.vertices, split.faces))
    assert not closed(merged(CUBE.vertices, CUBE.faces[1:]))


def test_transforms_are_columns_with_y_up_and_their_problems_have_codes() -> None:
    numbers = tuple(float(n) for n in range(16))
    assert matrix_of(numbers)[:3, 3].tolist() == [12, 13, 14]
    assert transform_of(matrix_of(numbers)) == numbers
    matrix = matrix_of(standing())
    assert (matrix[:3, :3] @ (0, 1, 0)).tolist() == [0, 0, 1], "up of the file is up"
    assert (matrix[:3, :3] @ (0, 0, 1)).tolist() == [0, -1, 0], "front of the file is -y"
    assert np.array_equal(local_matrix(standing()), np.eye(4))
    matrix = np.eye(4)
    matrix[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    assert yaw_of(matrix) == 0
    scales: tuple[float | tuple[float, ...], ...] = (2, (1, 2, 3))
    for yaw, scale, tilt in product((-179, -90, -30, 0, 1e-9, 45, 90, 180), scales, (0, 20, -50)):
        read = yaw_of(local_matrix(standing(yaw=yaw, scale=scale, tilt=tilt)))
        assert math.isclose(read, yaw, abs_tol=1e-9), (yaw, scale, tilt)
    for mirror, yaw in (((-1, 1, 1), 30), ((1, -1, 1), 30), ((1, 1, -1), -150)):
        assert yaw_of(local_matrix(standing(yaw=30, scale=mirror))) == pytest.approx(yaw), mirror
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


def test_frames_keep_published_scales_and_follow_origins_and_axes() -> None:
    thing = Object("it", box(1, 2, 3), standing(at=(5, 6, 7), yaw=90, scale=2))
    mesh = CUBE.moved(transform_of(np.array([[1, 0, 0, 3], [0, 1, 0, 0.5], [0, 0, 1, 0], [0, 0, 0, 1.0]])))
    for profile, half, length in ((OFFICIAL, [0.5, 1, 1.5], 2), (STRICT, [1, 2, 3], 1)):
        body, _ = placed(thing, "scene", profile)
        assert body is not None
        assert body.frame.half == pytest.approx(np.array(half))
        assert np.linalg.norm(body.frame.axes, axis=0) == pytest.approx(np.array([length] * 3))
        assert body.frame.world(np.array([[1.0, 1, 1]]))[0] == pytest.approx(np.array([5 - 2, 6 + 1, 7 + 3]))
        body, _ = placed(Object("it", mesh, standing(yaw=90)), "scene", profile)
        assert body is not None
        assert body.frame.centre == pytest.approx(np.array([0, 3, 0.5]))
    for up, front in product([(0, 1, 0), (0, 0, 1), (-1, 0, 0)], [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, -1, 0)]):
        if not np.dot(up, front):
            turn = matrix_of(asset_rotation(up, front))[:3, :3]
            assert (turn @ up).tolist() == [0, 1, 0], (up, front)
            assert (turn @ front).tolist() == [0, 0, 1], (up, front)
            assert np.linalg.det(turn) == pytest.approx(1)


def content_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    text, binary = chunks_of(data)
    return json.loads(text), binary


def mesh(data: bytes) -> Mesh:
    found = read_mesh(data, "glb", where="lamp")
    assert isinstance(found, Mesh), found
    return found


def refusal(data: bytes) -> str:
    return str(read_mesh(data, "glb", where="lamp"))


def painted(data: bytes) -> Paint:
    found = mesh(data).paint
    assert found is not None
    return found


def appended(content: dict[str, Any], binary: bytes, data: bytes) -> bytes:
    """Return the bytes of a file with more of them, which get a buffer view of their own."""
    start = len(binary) + -len(binary) % 4
    content["bufferViews"].append({"buffer": 0, "byteOffset": start, "byteLength": len(data)})
    content["buffers"] = [{"byteLength": start + len(data)}]
    return binary.ljust(start, b"\0") + data


def sheet(**extra: object) -> tuple[dict[str, Any], bytes]:
    """Return two triangles of a metre, with places on a texture."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype="<f4")
    places = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], dtype="<f4")
    faces = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
    content: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "accessors": [
            {"bufferView": n, "componentType": kind, "type": shape, "count": count}
            for n, (kind, shape, count) in enumerate([(5126, "VEC3", 4), (5126, "VEC2", 4), (5123, "SCALAR", 6)])
        ],
        "bufferViews": [],
    }
    binary = b""
    for part in (corners, places, faces):
        binary = appended(content, binary, part.tobytes())
    return content | extra, binary


def with_image(image: bytes, texture: dict[str, Any], mime: str) -> tuple[dict[str, Any], bytes]:
    content, binary = sheet(textures=[texture])
    content["images"] = [{"bufferView": 3, "mimeType": mime}]
    return content, appended(content, binary, image)


def test_extensions_are_read_or_refused_by_name_and_positions_quantized_or_sparse() -> None:
    data = bytes(made.Scene([made.creation.box((2, 1, 0.5))]).export(file_type="glb", extension_draco=True))
    content, binary = content_of(data)
    assert "KHR_draco_mesh_compression" in content["extensionsRequired"]
    found = mesh(data)
    assert len(found.faces) == 12
    assert np.ptp(found.vertices, axis=0) == pytest.approx([2, 1, 0.5], abs=1e-3)
    assert found.volume == pytest.approx(1, rel=1e-3)
    broken = written_glb(content, binary[:8] + bytes(len(binary) - 8))
    assert refusal(broken).startswith("lamp: not a readable glb mesh: its Draco data cannot be decoded")
    for name, way in (
        ("EXT_meshopt_compression", "gltfpack -i FILE.glb -o NEW.glb -noq"),
        ("VENDOR_new", "gltf-transform copy"),
    ):
        text = refusal(written_glb(*sheet(extensionsRequired=[name])))
        assert (f"it needs the glTF extension {name}, which is not read" in text, way in text) == (True, True)
    read = written_glb(*sheet(extensionsRequired=["KHR_materials_unlit", "KHR_lights_punctual"]))
    assert len(mesh(read).faces) == 2, "how light plays keeps nothing from being read"
    content, _ = sheet(extensionsRequired=["KHR_mesh_quantization"])
    corners = np.array([[0, 0, 0, 7], [32767, 0, 0, 7], [32767, 32767, 0, 7], [0, -32767, 0, 7]], dtype="<i2")
    places = np.array([[0, 65535], [65535, 65535], [65535, 0], [0, 0]], dtype="<u2")
    binary = corners.tobytes() + places.tobytes() + np.array([0, 1, 2, 0, 2, 3], dtype="<u2").tobytes()
    content["accessors"][0] |= {"componentType": 5122, "normalized": True}
    content["accessors"][1] |= {"componentType": 5123, "normalized": True}
    content["bufferViews"] = [
        {"buffer": 0, "byteLength": 32, "byteStride": 8},
        {"buffer": 0, "byteOffset": 32, "byteLength": 16},
        {"buffer": 0, "byteOffset": 48, "byteLength": 12},
    ]
    content["buffers"] = [{"byteLength": len(binary)}]
    content["nodes"] = [{"mesh": 0, "scale": [2, 2, 2]}]
    found = mesh(written_glb(content, binary))
    assert found.vertices.tolist() == [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, -2, 0]]
    del content["accessors"][0]["normalized"]
    assert mesh(written_glb(content, binary)).vertices[1].tolist() == [65534, 0, 0]
    content, binary = sheet()
    for more in (np.array([2], dtype="<u2"), np.array([3, 4, 5], dtype="<f4")):
        binary = appended(content, binary, more.tobytes())
    sparse = {"count": 1, "indices": {"bufferView": 3, "componentType": 5123}, "values": {"bufferView": 4}}
    content["accessors"][0]["sparse"] = sparse
    assert mesh(written_glb(content, binary)).vertices.tolist() == [[0, 0, 0], [1, 0, 0], [3, 4, 5], [0, 1, 0]]
    del content["accessors"][0]["bufferView"]
    bare = mesh(written_glb(content, binary))
    assert sorted(map(tuple, bare.vertices.tolist()))[-1] == (3, 4, 5), "and what is not filled in is zero"
    assert bare.vertices.sum() == 12
    del content["accessors"][0]["sparse"]["values"]
    assert "a sparse accessor is not as glTF has it: KeyError" in refusal(written_glb(content, binary))


def test_a_surface_that_cannot_be_read_says_what_is_wrong() -> None:
    content, binary = sheet()
    start = "data:application/octet-stream;base64,"
    inline = {"uri": start + base64.b64encode(binary).decode(), "byteLength": len(binary)}
    assert len(mesh(written_glb(content | {"buffers": [inline]}, b"")).faces) == 2
    *tables, indices = content["accessors"]
    views = content["bufferViews"][:2]
    changes: dict[str, dict[str, Any]] = {
        "there is no accessor": {"accessors": []},
        "there is no buffer view": {"bufferViews": []},
        "the bytes written in it are no base64": {"buffers": [inline | {"uri": f"{start}A"}]},
        "it names another file": {"buffers": [{"uri": "other.bin"}]},
        "accessor 2 has no numbers": {"accessors": [*tables, {"componentType": 5123, "type": "SCALAR", "count": 6}]},
        "accessor 2 is of no known type or size": {"accessors": [*tables, indices | {"componentType": 1}]},
        "an accessor reaches beyond its bytes": {"accessors": [*tables, indices | {"count": 7}]},
        "buffer view 2 reaches beyond its buffer": {"bufferViews": [*views, {"buffer": 0, "byteLength": 9999}]},
        "there is no buffer 3": {"bufferViews": [*views, {"buffer": 3, "byteLength": 12}]},
        "no positions": {"meshes": [{"primitives": [{"attributes": {}}]}]},
        "no list of primitives": {"meshes": [3]},
    }
    for reason, change in changes.items():
        assert reason in refusal(written_glb(content | change, binary)), reason


def test_textures_show_their_colours_where_materials_place_them_and_cost_no_mesh() -> None:
    for way, packed in GREEN.items():
        image = zlib.decompress(base64.b64decode(packed))
        content, binary = with_image(image, {"extensions": {"KHR_texture_basisu": {"source": 0}}}, "image/ktx2")
        [texture] = painted(written_glb(content | {"extensionsRequired": ["KHR_texture_basisu"]}, binary)).textures
        assert texture.fault == "", way
        red, green, blue, solid = texture.levels[0][4, 4].tolist()
        assert (red < 20, green > 180, blue < 30, solid) == (True, True, True, 255), way
    image = png(np.random.default_rng(2).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    for length, broken in ((len(image), False), (4000, True)):
        content, binary = with_image(image[:length], {"source": 0}, "image/png")
        assert mesh(written_glb(content, binary)).area == pytest.approx(1)
        assert bool(painted(written_glb(content, binary)).textures[0].fault) == broken
    content, binary = with_image(png(np.zeros((2, 2, 3), dtype=np.uint8)), {"source": 0}, "image/png")
    moved = {"offset": [0.5, 0.25], "rotation": math.pi / 2, "scale": [2, 4]}
    info = {"index": 0, "extensions": {"KHR_texture_transform": moved}}
    content["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": info}}]
    paint = painted(written_glb(content, binary))
    # In the file (u, v) becomes (0.5 + 4 v, 0.25 - 2 u); here v runs from below.
    expected = [(0.5 + 4 * v, 1 - (0.25 - 2 * u)) for u, v in ((0, 1), (1, 1), (1, 0), (0, 0))]
    assert paint.places == pytest.approx(np.array(expected), abs=1e-5)
    content, binary = sheet(extensionsUsed=["KHR_materials_pbrSpecularGlossiness"])
    glossy = {"diffuseFactor": [0, 0.5, 0, 1], "specularFactor": [1, 1, 1]}
    content["materials"] = [{"extensions": {"KHR_materials_pbrSpecularGlossiness": glossy}}]
    assert painted(written_glb(content, binary)).colours[0] == pytest.approx([0, 0.5, 0], abs=0.01)
