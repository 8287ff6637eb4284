"""Rooms read from one GLB keep the look of their things, and are measured whatever that says."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image
from refusals import refuses

from tsgkit.errors import FileProblem
from tsgkit.geometry import MeasuredScene, Mesh, view
from tsgkit.suites.sceneeval.scene_files.files import LooksBeside
from tsgkit.suites.sceneeval.scene_files.glb import read_glb
from tsgkit.suites.sceneeval.scene_files.simple import read_simple

made: Any = trimesh


def room(**images: object) -> bytes:
    """Return a red and a blue cube, the blue one with an image where one is given."""
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
    image = view(MeasuredScene(read_glb(data, "room.glb").scene), "front", name, 32)
    return int(image.colours[16, 16].argmax())


def changed(data: bytes, field: str, value: object) -> bytes:
    length = struct.unpack_from("<I", data, 12)[0]
    content = json.loads(data[20 : 20 + length])
    content[field] = value
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    rest = struct.pack("<II", len(text), 0x4E4F534A) + text + data[20 + length :]
    return b"glTF" + struct.pack("<II", 2, 12 + len(rest)) + rest


def test_each_thing_keeps_its_own_base_colour_or_texture() -> None:
    data = room()
    assert (strongest(data, "red_1"), strongest(data, "blue_1")) == (0, 2)
    data = room(blue_1=Image.new("RGB", (4, 4), (0, 200, 0)))
    assert (strongest(data, "red_1"), strongest(data, "blue_1")) == (0, 1)
    shape = next(thing.shape for thing in read_glb(data, "room.glb").scene.objects if thing.id == "red_1")
    assert isinstance(shape, Mesh)
    assert shape.paint is not None
    assert not shape.paint.textures, "a thing holds no image of another"


def test_paint_that_is_not_as_it_should_be_never_keeps_a_room_from_being_read() -> None:
    rows: list[object] = [
        None,
        3,
        [],
        [None, None],
        [{}, {}],
        [{"pbrMetallicRoughness": {"baseColorFactor": ["red"] * 4}}] * 2,
        [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 99}}}] * 2,
        [{"pbrMetallicRoughness": {"baseColorTexture": {"index": -1, "texCoord": 7}}}] * 2,
    ]
    for materials in rows:
        scene = read_glb(changed(room(), "materials", materials), "room.glb").scene
        assert [thing.id for thing in scene.objects] == ["red_1", "blue_1"], materials
        assert not MeasuredScene(scene).problems or {problem.code for problem in MeasuredScene(scene).problems} <= {
            "no-floor"
        }, materials
        assert view(MeasuredScene(scene), "front", "red_1", 16).mask("red_1").any(), materials


OBJ = """mtllib ./model.mtl
v -0.5 -0.5 0
v 0.5 -0.5 0
v 0.5 0.5 0
v -0.5 0.5 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl wood
f 1/1 2/2 3/3
f 1/1 3/3 4/4
"""


def seen_of_obj(folder: Path) -> list[int]:
    (folder / "panel.obj").write_text(OBJ)
    panel = {"id": "panel_1", "category": "panel", "mesh": "panel.obj", "at": [0, 0, 0.5]}
    content = json.dumps({"format": "tsgkit/room", "objects": [panel]})
    scene = read_simple(content, "scene_0.json", folder).scene
    colour: list[int] = view(MeasuredScene(scene), "front", "panel_1", 32).colours[16, 16].tolist()
    return colour


def test_an_obj_file_is_shown_with_its_texture_its_colour_or_grey(tmp_path: Path) -> None:
    red, green, blue = seen_of_obj(tmp_path)
    assert max(red, green, blue) - min(red, green, blue) < 12
    assert red > 150
    (tmp_path / "model.mtl").write_text("newmtl wood\nKd 0.8 0.0 0.0\n")
    red, green, blue = seen_of_obj(tmp_path)
    assert red > 150
    assert green == blue == 0
    (tmp_path / "model.mtl").write_text("newmtl wood\nKd 0.1 0.1 0.1\nmap_Kd .\\textures/texture.png\n")
    Image.new("RGB", (4, 4), (0, 200, 0)).save(tmp_path / "texture.png")
    red, green, blue = seen_of_obj(tmp_path)
    assert red == blue == 0
    assert green > 150


def test_files_outside_the_mesh_folder_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "secret.mtl").write_text("newmtl wood\nKd 1 0 0\n")
    (tmp_path / "room/notes.txt").write_text("mine")
    (tmp_path / "room/model.mtl").symlink_to(tmp_path / "secret.mtl")
    looks = LooksBeside(tmp_path / "room/panel.obj")
    for name in ("model.mtl", "../secret.mtl", "notes.txt", "missing.mtl", "/etc/hostname"):
        with pytest.raises(KeyError):
            looks[name]
    red, green, _ = seen_of_obj(tmp_path / "room")
    assert abs(red - green) < 12


def test_a_room_of_ours_gives_colours_to_objects_and_parts(tmp_path: Path) -> None:
    parts = [{"size": [1, 1, 1], "colour": "#10c010"}, {"size": [1, 1, 1], "at": [0, 0, 1]}]
    objects = [
        {"id": "cube_1", "category": "cube", "size": [1, 1, 1], "at": [0, 0, 0], "colour": "#c01010"},
        {"id": "tower_1", "category": "tower", "at": [3, 0, 0], "colour": "#1010c0", "parts": parts},
    ]
    stage = MeasuredScene(read_simple(json.dumps({"format": "tsgkit/room", "objects": objects}), "s", tmp_path).scene)
    cube = view(stage, "front", "cube_1", 32)
    assert cube.colours[20, 16].argmax() == 0
    tower = view(stage, "front", "tower_1", 64)
    low, high = tower.camera.pixels([(3, -0.5, 0.5), (3, -0.5, 1.5)], 64).astype(int)
    assert tower.colours[low[1], low[0]].argmax() == 1
    assert tower.colours[high[1], high[0]].argmax() == 2


def test_a_colour_changes_nothing_that_is_measured_and_an_invalid_one_is_reported(tmp_path: Path) -> None:
    plain = {"id": "cube_1", "category": "cube", "size": [1, 2, 3], "at": [0, 0, 0], "yaw": 30}
    bodies = [
        MeasuredScene(read_simple(json.dumps({"format": "tsgkit/room", "objects": [one]}), "s", tmp_path).scene).body(
            "cube_1"
        )
        for one in (plain, {**plain, "colour": "#336699"})
    ]
    assert np.array_equal(bodies[0].vertices, bodies[1].vertices)
    assert np.array_equal(bodies[0].faces, bodies[1].faces)
    rows: list[object] = ["red", "#12345", "#12345g", "#1234567", 7, "url(x)"]
    for colour in rows:
        thing = {"id": "cube_1", "category": "cube", "size": [1, 1, 1], "at": [0, 0, 0], "colour": colour}
        with refuses(FileProblem, "object cube_1: colour", colour):
            read_simple(json.dumps({"format": "tsgkit/room", "objects": [thing]}), "s", tmp_path)
