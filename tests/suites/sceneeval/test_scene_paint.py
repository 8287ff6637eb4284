"""Rooms read from one GLB keep the look of their things, and are measured whatever that says."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")
pytest.importorskip("trimesh", reason="rooms need the extra: scenes")
pytest.importorskip("shapely", reason="rooms need the extra: scenes")

import numpy as np
import trimesh

from tsgkit.geometry import Mesh, Stage, view
from tsgkit.suites.sceneeval.glb import read_glb

made: Any = trimesh


def room(**images: object) -> bytes:
    """A red and a blue cube, the blue one with a picture where one is given."""
    scene = made.Scene()
    for name, colour in (("red_1", [255, 0, 0, 255]), ("blue_1", [0, 0, 255, 255])):
        cube = made.creation.box()
        material = made.visual.material.PBRMaterial(baseColorFactor=colour)
        if name in images:
            material = made.visual.material.PBRMaterial(baseColorTexture=images[name])
        places = np.tile([[0.5, 0.5]], (len(cube.vertices), 1))
        cube.visual = made.visual.TextureVisuals(uv=places, material=material)
        scene.add_geometry(cube, node_name=name, geom_name=name, transform=np.eye(4))
    return bytes(scene.export(file_type="glb"))


def strongest(data: bytes, name: str) -> int:
    picture = view(Stage(read_glb(data, "room.glb").scene), "front", name, 32)
    return int(picture.colours[16, 16].argmax())


def changed(data: bytes, field: str, value: object) -> bytes:
    length = struct.unpack_from("<I", data, 12)[0]
    content = json.loads(data[20 : 20 + length])
    content[field] = value
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    rest = struct.pack("<II", len(text), 0x4E4F534A) + text + data[20 + length :]
    return b"glTF" + struct.pack("<II", 2, 12 + len(rest)) + rest


def test_each_thing_keeps_its_own_base_colour() -> None:
    data = room()
    assert (strongest(data, "red_1"), strongest(data, "blue_1")) == (0, 2)


def test_each_thing_keeps_its_own_texture() -> None:
    image = pytest.importorskip("PIL.Image", reason="textures need the extra: pictures")
    green = image.new("RGB", (4, 4), (0, 200, 0))
    data = room(blue_1=green)
    assert (strongest(data, "red_1"), strongest(data, "blue_1")) == (0, 1)
    shape = next(thing.shape for thing in read_glb(data, "room.glb").scene.objects if thing.id == "red_1")
    assert isinstance(shape, Mesh)
    assert shape.paint is not None
    assert not shape.paint.textures, "a thing holds no picture of another"


@pytest.mark.parametrize(
    "materials",
    [None, 3, [], [None, None], [{}, {}], [{"pbrMetallicRoughness": {"baseColorFactor": ["red"] * 4}}] * 2,
     [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 99}}}] * 2,
     [{"pbrMetallicRoughness": {"baseColorTexture": {"index": -1, "texCoord": 7}}}] * 2],
)  # fmt: skip
def test_paint_that_is_not_as_it_should_be_never_keeps_a_room_from_being_read(materials: object) -> None:
    scene = read_glb(changed(room(), "materials", materials), "room.glb").scene
    assert [thing.id for thing in scene.objects] == ["red_1", "blue_1"]
    assert not Stage(scene).problems or {problem.code for problem in Stage(scene).problems} <= {"no-floor"}
    assert view(Stage(scene), "front", "red_1", 16).mask("red_1").any()
