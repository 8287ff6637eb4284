"""GLB files as tools write them: compressed, quantized, sparse, with textures of several kinds; or refused by name."""

from __future__ import annotations

import base64
import json
import math
import zlib
from typing import Any

import numpy as np
import pytest
import trimesh

from tsgkit.errors import FileProblem
from tsgkit.geometry import Mesh, Problem, read_mesh
from tsgkit.geometry.gltf import chunks_of, written_glb
from tsgkit.geometry.png import png
from tsgkit.suites.sceneeval.scene_files.glb import read_glb

made: Any = trimesh
GREEN = {
    "etc1s": "eNpb7R0SoWBksJuXS4qLAQgYgZgDimGAEQlnALEOEE8BYhUg3gFV0wSlrRgRepCBDpRmYtBgWMzIxMDMjGyHPZz1HwjkgTTQWeVFmSWp"
    "RQxOicWZxQqheZllqUXFiTkKRnqGBiDzGRm0gOpYgVgbzS5kuxkPsEAYTkwzIOJNOfsYEpgggoYMPhBXKDxhCAkNDWUVOeACkRFSZJgBYTlwMApD"
    "dHpIMyYwOYCZgkBdAIO/H+I=",
    "uastc": "eNpb7R0SoWBksJuXS4qLAQgYgZgDimGAEYpBIAOIdYB4CpRGBwegtAMaDVPLxKDBsIyRiYGZmYFBAK6rHs76DwTyQBrorPKizJLUIganx"
    "OLMYoXQvMyy1KLixBwFIz1DAwYGFpAuoLbwg9Mf2fOEw/WTygcAYkQjfw==",
}
"""KTX2 images of 8 by 8 green pixels, in both ways of Basis Universal."""


def content_of(data: bytes) -> tuple[dict[str, Any], bytes]:
    text, binary = chunks_of(data)
    return json.loads(text), binary


def mesh(data: bytes) -> Mesh:
    found = read_mesh(data, "glb", where="lamp")
    assert isinstance(found, Mesh), found
    return found


def refusal(data: bytes) -> str:
    found = read_mesh(data, "glb", where="lamp")
    assert isinstance(found, Problem), "it was read"
    return str(found)


def sheet(**extra: object) -> tuple[dict[str, Any], bytes]:
    """Return two triangles of a metre, with places on a texture."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype="<f4")
    places = np.array([[0, 1], [1, 1], [1, 0], [0, 0]], dtype="<f4")
    faces = np.array([0, 1, 2, 0, 2, 3], dtype="<u2")
    parts = [corners.tobytes(), places.tobytes(), faces.tobytes()]
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    kinds = [(5126, "VEC3", 4), (5126, "VEC2", 4), (5123, "SCALAR", 6)]
    content: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "indices": 2, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "accessors": [
            {"bufferView": n, "componentType": kind, "type": shape, "count": count}
            for n, (kind, shape, count) in enumerate(kinds)
        ],
        "bufferViews": [{"buffer": 0, "byteOffset": start, "byteLength": len(part)} for start, part in
                        zip(starts[:-1], parts, strict=True)],
        "buffers": [{"byteLength": starts[-1]}],
    }  # fmt: skip
    return content | extra, b"".join(parts)


def with_image(image: bytes, texture: dict[str, Any], mime: str) -> tuple[dict[str, Any], bytes]:
    content, binary = sheet(textures=[texture])
    start = len(binary) + -len(binary) % 4
    content["bufferViews"].append({"buffer": 0, "byteOffset": start, "byteLength": len(image)})
    content["images"] = [{"bufferView": 3, "mimeType": mime}]
    content["buffers"] = [{"byteLength": start + len(image)}]
    return content, binary.ljust(start, b"\0") + image


def test_a_draco_compressed_mesh_is_read_or_refused_by_its_name() -> None:
    data = bytes(made.Scene([made.creation.box((2, 1, 0.5))]).export(file_type="glb", extension_draco=True))
    content, binary = content_of(data)
    assert "KHR_draco_mesh_compression" in content["extensionsRequired"]
    found = mesh(data)
    assert len(found.faces) == 12
    assert np.ptp(found.vertices, axis=0) == pytest.approx([2, 1, 0.5], abs=1e-3)
    assert found.volume == pytest.approx(1, rel=1e-3)
    broken = written_glb(content, binary[:8] + bytes(len(binary) - 8))
    assert refusal(broken).startswith("lamp: not a readable glb mesh: its Draco data cannot be decoded")


def test_a_required_extension_that_is_not_read_is_refused_by_name_with_a_way_out() -> None:
    for name, way in (
        ("EXT_meshopt_compression", "gltfpack -i FILE.glb -o NEW.glb -noq"),
        ("VENDOR_new", "gltf-transform copy"),
    ):
        content, binary = sheet(extensionsRequired=[name])
        text = refusal(written_glb(content, binary))
        assert f"it needs the glTF extension {name}, which is not read" in text
        assert way in text
    content, binary = sheet(extensionsRequired=["KHR_materials_unlit", "KHR_lights_punctual"])
    assert len(mesh(written_glb(content, binary)).faces) == 2, "how light plays keeps nothing from being read"


def test_a_room_in_one_file_names_the_object_that_cannot_be_read() -> None:
    scene = made.Scene()
    for name in ("bed_1", "lamp_1"):
        scene.add_geometry(made.creation.box((1, 1, len(name))), node_name=name, geom_name=name)
    content, binary = content_of(bytes(scene.export(file_type="glb", extension_draco=True)))
    found = read_glb(written_glb(content, binary), "scene_0.glb").scene.objects
    shapes = [thing.shape for thing in found if isinstance(thing.shape, Mesh)]
    assert [round(shape.volume, 2) for shape in shapes] == [5, 6]
    packed = content["meshes"][1]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]
    view = content["bufferViews"][packed["bufferView"]]
    start, end = view["byteOffset"], view["byteOffset"] + view["byteLength"]
    broken = binary[:start] + bytes(end - start) + binary[end:]
    with pytest.raises(FileProblem, match=r"scene_0\.glb: object lamp_1: mesh: its Draco data cannot be decoded"):
        read_glb(written_glb(content, broken), "scene_0.glb")
    content["extensionsRequired"] = ["EXT_meshopt_compression"]
    with pytest.raises(FileProblem, match=r"scene_0\.glb: it needs the glTF extension EXT_meshopt_compression"):
        read_glb(written_glb(content, binary), "scene_0.glb")


def test_quantized_positions_count_as_shares_where_their_file_says_so() -> None:
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


def test_sparse_positions_are_filled_in() -> None:
    content, binary = sheet()
    start = len(binary) + -len(binary) % 4
    more = np.array([2], dtype="<u2").tobytes() + b"\0\0" + np.array([3, 4, 5], dtype="<f4").tobytes()
    content["bufferViews"] += [
        {"buffer": 0, "byteOffset": start, "byteLength": 2},
        {"buffer": 0, "byteOffset": start + 4, "byteLength": 12},
    ]
    sparse = {"count": 1, "indices": {"bufferView": 3, "componentType": 5123}, "values": {"bufferView": 4}}
    content["accessors"][0]["sparse"] = sparse
    content["buffers"] = [{"byteLength": start + len(more)}]
    found = mesh(written_glb(content, binary.ljust(start, b"\0") + more))
    assert found.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [3, 4, 5], [0, 1, 0]]
    filled = binary.ljust(start, b"\0") + more
    del content["accessors"][0]["bufferView"]
    bare = mesh(written_glb(content, filled))
    assert sorted(map(tuple, bare.vertices.tolist()))[-1] == (3, 4, 5), "and what is not filled in is zero"
    assert bare.vertices.sum() == 12
    del content["accessors"][0]["sparse"]["values"]
    assert "a sparse accessor is not as glTF has it: KeyError" in refusal(written_glb(content, filled))


def test_buffers_may_be_written_into_the_file() -> None:
    content, binary = sheet()
    for data, faces in ((base64.b64encode(binary).decode(), 2), ("A", 0)):
        uri = f"data:application/octet-stream;base64,{data}"
        content["buffers"] = [{"uri": uri, "byteLength": len(binary)}]
        if faces:
            assert len(mesh(written_glb(content, b"")).faces) == faces
        else:
            assert "the bytes written in it are no base64" in refusal(written_glb(content, b""))


def test_a_surface_that_cannot_be_read_says_what_is_wrong() -> None:
    content, binary = sheet()
    *tables, indices = content["accessors"]
    views = content["bufferViews"][:2]
    changes: dict[str, dict[str, Any]] = {
        "there is no accessor": {"accessors": []},
        "there is no buffer view": {"bufferViews": []},
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


def test_a_ktx2_texture_is_shown_in_its_own_colours() -> None:
    for way, packed in GREEN.items():
        image = zlib.decompress(base64.b64decode(packed))
        content, binary = with_image(image, {"extensions": {"KHR_texture_basisu": {"source": 0}}}, "image/ktx2")
        paint = mesh(written_glb(content | {"extensionsRequired": ["KHR_texture_basisu"]}, binary)).paint
        assert paint is not None
        assert paint.textures[0].fault == "", way
        red, green, blue, solid = paint.textures[0].levels[0][4, 4].tolist()
        assert (red < 20, green > 180, blue < 30, solid) == (True, True, True, 255), way


def test_a_texture_that_ends_early_costs_no_mesh() -> None:
    image = png(np.random.default_rng(2).integers(0, 256, (64, 64, 3), dtype=np.uint8))
    for length, broken in ((len(image), False), (4000, True)):
        content, binary = with_image(image[:length], {"source": 0}, "image/png")
        found = mesh(written_glb(content, binary))
        assert found.area == pytest.approx(1)
        assert found.paint is not None
        assert bool(found.paint.textures[0].fault) == broken


def test_places_on_a_texture_are_shifted_turned_and_scaled_as_their_material_says() -> None:
    content, binary = with_image(png(np.zeros((2, 2, 3), dtype=np.uint8)), {"source": 0}, "image/png")
    moved = {"offset": [0.5, 0.25], "rotation": math.pi / 2, "scale": [2, 4]}
    info = {"index": 0, "extensions": {"KHR_texture_transform": moved}}
    content["materials"] = [{"pbrMetallicRoughness": {"baseColorTexture": info}}]
    paint = mesh(written_glb(content, binary)).paint
    assert paint is not None
    # In the file (u, v) becomes (0.5 + 4 v, 0.25 - 2 u); here v runs from below.
    expected = [(0.5 + 4 * v, 1 - (0.25 - 2 * u)) for u, v in ((0, 1), (1, 1), (1, 0), (0, 0))]
    assert paint.places == pytest.approx(np.array(expected), abs=1e-5)


def test_a_glossy_material_is_shown_in_its_diffuse_colour() -> None:
    content, binary = sheet(extensionsUsed=["KHR_materials_pbrSpecularGlossiness"])
    glossy = {"diffuseFactor": [0, 0.5, 0, 1], "specularFactor": [1, 1, 1]}
    content["materials"] = [{"extensions": {"KHR_materials_pbrSpecularGlossiness": glossy}}]
    paint = mesh(written_glb(content, binary)).paint
    assert paint is not None
    assert paint.colours[0] == pytest.approx([0, 0.5, 0], abs=0.01)
