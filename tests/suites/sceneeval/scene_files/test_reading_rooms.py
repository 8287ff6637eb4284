"""Rooms are read from the files that were given, with their looks; and what is wrong with one is said."""

from __future__ import annotations

import gzip
import json
import os
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import foreign_scenes as foreign
import numpy as np
import pytest
import trimesh
from PIL import Image
from refusals import refuses
from rooms_of_ours import room, thing

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import OFFICIAL, STRICT, MeasuredScene, Mesh, box, view
from tsgkit.geometry.gltf import chunks_of, written_glb
from tsgkit.suites.sceneeval.annotation_files import as_csv, as_json, read_annotations
from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS, Asset, FolderSource, source_of, sources_of
from tsgkit.suites.sceneeval.scene_files.files import LooksBeside
from tsgkit.suites.sceneeval.scene_files.folder import pieces_of_scene, read_scene, scene_file
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.simple import read_glb, read_simple
from tsgkit.suites.sceneeval.scene_files.states import models_of, read_state

CUBE = str(trimesh.creation.box(bounds=[[0, 0, 0], [1, 1, 1]]).export(file_type="obj", header=None))
UPRIGHT = [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, -1.0, 0, 0, 2.0, 1.0, 0, 1.0]
MESH: dict[str, Any] = {"id": "a", "category": "x", "at": [0, 0, 0]}
ODD_IDS = ["../../secret", "..", "/etc/passwd", "x" * 5000, "a\0b", "\ud800", "é" * 300]
ANY_IDS = ["a/b", "lamp.v2.final", "Стул 7", "rot & grün.1", "a..b", "%2e%2e", "back\\slash", "c:x", ".hidden"]
made: Any = trimesh
PANEL = (
    *("mtllib ./model.mtl", "v -0.5 -0.5 0", "v 0.5 -0.5 0", "v 0.5 0.5 0", "v -0.5 0.5 0"),
    *("vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", "usemtl wood", "f 1/1 2/2 3/3", "f 1/1 3/3 4/4"),
)


def read(folder: Path, text: str, **more: Any) -> LoadedScene:  # noqa: ANN401
    (folder / "scene_0.json").write_text(text)
    return read_scene(folder / "scene_0.json", **more)


def state(*objects: dict[str, Any], **scene: Any) -> str:  # noqa: ANN401
    return json.dumps({"format": "sceneState", "scene": {"version": "scene@1.0.2", "object": objects, **scene}})


def corners(found: LoadedScene, name: str = "") -> tuple[list[float], list[float]]:
    """Return where an object begins and ends."""
    bodies = MeasuredScene(found.scene).bodies
    body = bodies[name or next(iter(bodies))]
    return body.low.round(5).tolist(), body.high.round(5).tolist()


def future(folder: Path, asset: str = "chair01", text: str = CUBE) -> str:
    (folder / "assets" / asset).mkdir(parents=True)
    (folder / "assets" / asset / "raw_model.obj").write_text(text)
    known = {"model_id": asset, "category": "Armchair", "super-category": "Chair", "style": "Modern", "material": None}
    (folder / "assets" / "model_info.json").write_text(json.dumps([known]))
    return f"threed_future={folder / 'assets'}"


def an_object(index: int = 0, model: str = "3dfModel.chair01") -> dict[str, Any]:
    return {"index": index, "modelId": model, "transform": {"data": UPRIGHT}}


def test_a_room_of_ours_stands_where_it_says_and_the_side_of_fronts_of_a_state_counts_in_strict_alone(
    tmp_path: Path,
) -> None:
    opening = {"kind": "door", "at": 0.5, "width": 1.0, "height": 2.0}
    openings = [{**opening, "wall": side} for side in ("south", "east", "north", "west")]
    rooms = [{"name": "den", "from": [0, 0], "to": [4, 3], "openings": openings}]
    found = read(tmp_path, room(thing("bed_1", "bed", (1, 2, 0), (2, 1, 0.5), yaw=90), rooms=rooms))
    assert corners(found) == ([0.5, 1, 0], [1.5, 3, 0.5])
    stage = MeasuredScene(found.scene)
    assert stage.bodies["bed_1"].frame.front.round(6).tolist() == [1, 0, 0]
    frames = {door.id.split("_")[-1]: door.frame for door in stage.doors}
    assert {side: (f.centre[:2].round(6).tolist(), f.front[:2].round(6).tolist()) for side, f in frames.items()} == {
        "south": ([1, 0], [0, 1]), "east": ([4, 1], [-1, 0]), "north": ([1, 3], [0, -1]), "west": ([0, 1], [1, 0])
    }  # fmt: skip
    sources = sources_of([future(tmp_path)])
    for front, noted in (([0, -1, 0], 0), ([0, 1, 0], 1)):
        found = read(tmp_path, state(an_object(), objectFrontVector=front), sources=sources)
        assert sum("official ignores it" in note for note in found.notes) == noted
        [strict], [official] = (MeasuredScene(found.scene, one).bodies.values() for one in (STRICT, OFFICIAL))
        assert (strict.frame.front.tolist(), strict.yaw) == (front, -180 * noted)
        assert (official.frame.front.tolist(), official.yaw) == ([0, -1, 0], 0)
        assert (strict.low == official.low).all() and (strict.frame.half == official.frame.half).all()


def test_assets_made_for_a_scene_lie_beside_it_or_in_the_folder_of_their_prefix(tmp_path: Path) -> None:
    """Mesh: from 1 to 3 along x, up to 4 along its own y, from 0 to 1 along its z."""
    mesh = trimesh.creation.box((2, 4, 1))
    mesh.apply_translation((2, 2, 0.5))
    sdf = "<sdf><visual><geometry><mesh><uri>desk.gltf</uri><scale>2 2 2</scale></mesh></geometry></visual></sdf>"
    for folder in (tmp_path, tmp_path / "far"):
        own = folder / "scene_0" / "assets"
        own.mkdir(parents=True)
        for name in ("bed_1", "7_BedFactory_8", "lamp"):
            (own / f"{name}.glb").write_bytes(mesh.export(file_type="glb"))
        for name, data in mesh.scene().export(file_type="gltf").items():
            (own / name.replace("model", "desk")).write_bytes(data)
        (own / "desk.sdf").write_text(sdf)
    stood, agent = ([1, -1, 0], [3, 0, 4]), {"id": "desk", "sdfPath": "desk.sdf"}
    for model, category, span, more in (
        ("mine.lamp", "lamp", ([3, 0, 0], [5, 1, 4]), {"transform": {"data": UPRIGHT}}),
        ("idesign.scene_0__bed_1", "bed", stood, {}),
        ("sceneweaver.scene_0__7_BedFactory_8", "bed", stood, {}),
        ("sw.s0__7_BedFactory_8", "bed", stood, {}),
        ("scene-agent.scene_0__desk", "desk", ([2, -2, 0], [6, 0, 8]), agent),
    ):
        text = state(an_object(model=model) | {"transform": {"data": np.eye(4).ravel().tolist()}} | more)
        prefix, _, name = model.partition(".")
        (tmp_path / "far" / "scene_0.json").write_text(text)
        place = tmp_path / "far" / ("" if "__" in name else "scene_0/assets")
        for sources in ((), sources_of([f"{prefix}={place}"])):
            found = read(tmp_path, text, sources=sources)
            assert (found.scene.objects[0].category, corners(found)) == (category, span), (model, sources)
    own.joinpath("desk.sdf").write_text(sdf + sdf.replace("desk.gltf", "lid.gltf"))
    with pytest.raises(FileProblem, match=r"desk\.sdf shows 2 meshes, and one is read"):
        source_of(f"scene_agent={tmp_path / 'far'}").asset("scene_0__desk", "x")


def test_scene_errors_name_object_and_field(tmp_path: Path) -> None:
    bed = thing("a", "bed", (0, 0, 0), (1, 1, 1))
    rows = [
        ("{", "line 1"),
        ('{"format": "other"}', "format"),
        (room({"id": "a", "category": "bed", "at": [0, 0, 0]}), "object a: .*a size, parts or a mesh"),
        (room(bed, bed), "object a: id: two"),
        (room(rooms=[{"from": [1, 1], "to": [0, 0]}]), "south-west"),
        (room(MESH | {"mesh": "a.glb"}), "object a: mesh: there is no file"),
        (room(MESH | {"mesh": "a.fbx"}), "object a: mesh: a.fbx is none of"),
        (room(bed | {"at": [0, 0, float("nan")]}), "object a: at"),
        (state(an_object(), an_object()), "object 0: index: two"),
        (state(objectFrontVector=[1, 0, 0]), r"objectFrontVector: \[1.0, 0.0, 0.0\] is neither \[0, -1, 0\] nor"),
        (state({"index": 0, "modelId": "x"}), "object 0: transform"),
        (state(an_object(model="nodot")), "object 0: modelId: 'nodot'"),
        (state(an_object(model="ikea.1")), "object 0: modelId: no assets of 'ikea'"),
        (state(arch={"elements": [{"type": "Floor", "points": [[0, 0, 0]]}]}), "element 0: roomId"),
        (state(arch={"elements": [{"type": "Wall", "points": [[0, 0, 0]]}]}), "element 0: id: a wall needs one"),
        (state(arch={"elements": [{"type": "Wall", "id": "w", "points": [[0, 0, 0], [1, 0, 0]]}]}), "w: height: a w"),
        (state(arch={"elements": [{"type": "Roof"}]}), "element 0: type: 'Roof'"),
        (state(arch={"elements": [{"type": "Wall", "id": "w", "points": [[0, 0, 0]]}]}), "element w: points"),
    ]
    for text, said in rows:
        with refuses(FileProblem, said, text):
            read(tmp_path, text)


def test_a_mesh_or_scene_outside_the_folder_or_of_no_possible_name_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "rooms"
    folder.mkdir()
    for name in ("x.obj", "secret.obj"):
        (tmp_path / name).write_text(CUBE)
    (folder / "inside.obj").symlink_to(tmp_path / "secret.obj")
    outside = ("../x.obj", "/etc/passwd.obj", "a/../../x.obj", "..\\x.obj", "c:x.obj")
    rows = [*((name, ".* is outside its folder") for name in outside), ("inside.obj", ".* is a link to outside")]
    rows += [(name, "") for name in ("\ud800.obj", "é" * 190 + ".obj", "x" * 5000 + ".obj", "a/" * 90 + "x.obj")]
    for name, said in rows:
        with refuses(FileProblem, f"object a: mesh: {said}", name):
            read(folder, room(MESH | {"mesh": name}))
        if not said:
            assert [piece.name for piece in pieces_of_scene(folder / "scene_0.json", ())] == ["scene_0.json"], name
    (folder / "scene_9.json").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(FileProblem, match="is a link to outside its folder"):
        scene_file(folder, "9")
    for item in ("../0", "a/b", "", ".hidden", "a..b", "x" * 300):
        with refuses(FileProblem, "cannot be a file name", item):
            scene_file(tmp_path, item)
    (folder / "scene_0.glb").write_bytes(b"")
    with pytest.raises(FileProblem, match="there twice"):
        scene_file(folder, "0")


def test_an_asset_of_any_id_is_looked_for_inside_its_folder_or_is_the_box_of_a_table(tmp_path: Path) -> None:
    for number, (asset, layout) in enumerate(product([*ODD_IDS, *ANY_IDS], LAYOUTS)):
        source = source_of(f"{layout}={tmp_path / str(number)}")
        mesh = source.asset(asset, "object 0").mesh
        assert mesh.resolve().is_relative_to(source.folder.resolve()) and not mesh.is_file(), (asset, layout)
        mesh.parent.mkdir(parents=True)
        mesh.write_text(CUBE)
        if asset in ANY_IDS:
            (tmp_path / "scene_0.json").write_text(state(an_object(0, f"{source.prefix}.{asset}")))
            names = [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", [source])]
            assert names == ["scene_0.json", f"{layout}={asset}", f"{layout}/{mesh.relative_to(source.folder)}"]
    known = {"category": "lamp", "assetMetadata": {"boundingBox": {"x": 1, "y": 2, "z": 3}}}
    (tmp_path / "annotations.json").write_text(json.dumps(dict.fromkeys([*ODD_IDS, *ANY_IDS], known)))
    boxed = {"objaverse": source_of(f"objathor={tmp_path}")}
    for asset in (*ODD_IDS, *ANY_IDS):
        text = state(an_object(0, f"objaverse.{asset}"))
        (found,) = read_state(text, "scene_0.json", boxed, missing="box").scene.objects
        assert (found.id, found.category, found.shape) == (f"idx0_objaverse.{asset}", "lamp", box(1, 3, 2)), asset
        with refuses(FileProblem, "object 0: modelId: there is no mesh", asset):
            read_state(text, "scene_0.json", boxed)


def test_a_mesh_beside_the_room_is_read_or_its_box_where_that_is_asked_for_and_known(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    found = read(tmp_path, room(MESH | {"at": [1, 1, 0], "mesh": "cube.obj", "scale": 0.5}))
    assert corners(found)[1] == [1.5, 1, 0.5]
    assert [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", ())] == ["scene_0.json", "cube.obj"]
    text = room(MESH | {"at": [1, 1, 0], "mesh": "no.glb", "size": [1, 1, 0.4]})
    with pytest.raises(FileProblem, match=r"there is no file no\.glb") as refused:
        read(tmp_path, text)
    assert "--missing box" in refused.value.hint
    found = read(tmp_path, text, missing="box")
    assert found.scene.objects[0].shape == box(1, 1, 0.4)
    assert found.notes == ("object a: no.glb is missing, and its box is taken",)


def test_the_assets_a_scene_names_belong_to_it_with_their_looks_and_what_is_known_of_them(tmp_path: Path) -> None:
    sources = sources_of([future(tmp_path, text=f"mtllib model.mtl\n{CUBE}")])
    folder = tmp_path / "assets" / "chair01"
    (folder / "model.mtl").write_text("newmtl a\nmap_Kd oak.png\n")
    for name in ("oak.png", "preview.png"):
        (folder / name).write_bytes(name.encode())
    (tmp_path / "scene_0.json").write_text(state(an_object(0), an_object(1), an_object(2, "3dfModel.gone")))
    pieces = dict(pieces_of_scene(tmp_path / "scene_0.json", sources))
    files = [f"threed_future/chair01/{name}" for name in ("raw_model.obj", "model.mtl", "oak.png")]
    assert list(pieces) == ["scene_0.json", "threed_future=chair01", *files, "threed_future=gone"]
    assert str(tmp_path) not in "".join(held for held in pieces.values() if isinstance(held, str))


def test_each_layout_finds_its_mesh_and_what_is_known_of_it(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text(json.dumps({"a1": {"category": "lamp", "description": "a red lamp"}}))
    (tmp_path / "fpmodels.csv").write_text('id,wnsynsetkey,name,up,front\nb2,floor_lamp.n.01,Arc,"0,0,1","0,-1,0"\n')
    (tmp_path / "c3").mkdir()
    size = {"boundingBox": {"x": 2, "y": 0.8, "z": 0.9}}
    own = {"annotations": {"category": "sofa", "materials": ["leather", "oak"]}, "assetMetadata": size}
    (tmp_path / "c3" / "data.json").write_text(json.dumps(own))
    objathor, hssd, vlm = (
        source_of(f"{name}={tmp_path}").asset(asset, "x")
        for name, asset in (("objathor", "a1"), ("hssd", "b2"), ("layoutvlm_objathor", "c3"))
    )
    assert (objathor.mesh, objathor.category, objathor.mend_winding) == (tmp_path / "a1/a1.glb", "lamp", True)
    assert (hssd.mesh, hssd.category, hssd.description) == (tmp_path / "glb/b/b2.glb", "floor lamp", "Arc")
    assert hssd.rotation is not None
    assert (vlm.mesh, vlm.description, vlm.box) == (tmp_path / "c3/c3.glb", "leather, oak", (2.0, 0.8, 0.9))
    part = source_of(f"hssd={tmp_path}").asset("b2_part_1", "x")
    assert part.mesh == tmp_path / "decomposed/b2/b2_part_1.glb"


def test_packed_table_of_assets_is_read_like_the_plain_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"annotations": {"category": "lamp"}, "assetMetadata": {"boundingBox": {"x": 1, "y": 3, "z": 2}}}
    packed = tmp_path / "annotations.json.gz"
    packed.write_bytes(gzip.compress(json.dumps({"a1": entry}).encode()))
    source = source_of(f"objathor={tmp_path}")
    assert (source.asset("a1", "x").category, source.asset("a1", "x").box) == ("lamp", (1.0, 2.0, 3.0))
    packed.write_bytes(gzip.compress(b'{"a1": {"category": "stool"}}'))
    os.utime(packed, ns=(0, packed.stat().st_mtime_ns + 1_000_000_000))
    assert source.asset("a1", "x").category == "stool"
    monkeypatch.setattr("tsgkit.suites.sceneeval.scene_files.assets.MOST_UNPACKED", 1000)
    for number, (data, said) in enumerate((
        (gzip.compress(b'{"a1": {}}')[:-9], "not a whole gzip file"),
        (gzip.compress(b"\xff\xfe"), "UTF-16"),
        (gzip.compress(b"{" + b" " * 2000 + b"}"), "more than 1,000 bytes"),
    ), 2):  # fmt: skip
        packed.write_bytes(data)
        os.utime(packed, ns=(0, packed.stat().st_mtime_ns + number * 1_000_000_000))
        with refuses(FileProblem, f"annotations.json.gz: .*{said}", said):
            source.asset("a1", "x")


def test_a_missing_mesh_is_an_upright_box_and_an_asset_is_stood_upright(tmp_path: Path) -> None:
    (tmp_path / "bed").mkdir()
    for path, key, (x, y, z) in (("bed/data.json", "", (1.6, 2.0, 0.9)), ("annotations.json", "bed", (1.6, 0.9, 2.0))):
        sized = {"assetMetadata": {"boundingBox": {"x": x, "y": y, "z": z}}}
        (tmp_path / path).write_text(json.dumps({key: sized} if key else sized))
    for prefix, low in (("layoutvlm-objaverse", 0), ("objaverse", -0.45)):
        sources = sources_of([f"{prefix}={tmp_path}"])
        found = read(tmp_path, state(an_object(0, f"{prefix}.bed")), sources=sources, missing="box")
        assert corners(found) == ([1.2, 0, low], [2.8, 2, low + 0.9]), prefix
    (tmp_path / "glb/p").mkdir(parents=True)
    (tmp_path / "fpmodels.csv").write_text('id,wnsynsetkey,name,up,front\npole,pole.n.01,Pole,"0,0,1","0,-1,0"\n')
    (tmp_path / "glb/p/pole.glb").write_bytes(trimesh.creation.box((0.1, 0.2, 3)).export(file_type="glb"))
    found = read(tmp_path, state(an_object(0, "fpModel.pole")), sources=sources_of([f"hssd={tmp_path}"]))
    assert [round(b - a, 6) for a, b in zip(*corners(found), strict=True)] == [0.1, 0.2, 3]
    for wanted, said in (("hssd=no", "there is no such folder"), ("hssd", "not LAYOUT=DIR"), ("=no", "not LAYOUT")):
        with refuses(UsageError, said, wanted):
            sources_of([wanted])


def test_one_glb_file_is_a_room_of_its_nodes_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    scene, place = trimesh.Scene(), np.eye(4)
    place[:3, 3] = (1, 0.25, -2)
    scene.add_geometry(trimesh.creation.box((2, 0.5, 1)), node_name="dining_table_2", transform=place)
    scene.add_geometry(trimesh.creation.icosphere(), node_name="ball")
    (tmp_path / "scene_0.glb").write_bytes(scene.export(file_type="glb"))  # type: ignore[no-untyped-call]
    found = read_scene(tmp_path / "scene_0.glb")
    table = next(thing for thing in found.scene.objects if thing.id == "dining_table_2")
    assert isinstance(table.shape, Mesh)
    assert (table.category, corners(found, "dining_table_2")) == ("dining table", ([0, 1.5, 0], [2, 2.5, 0.5]))
    line = made.Scene({"lamp_1": trimesh.load_path([[[0, 0, 0], [1, 0, 0]]])}).export(file_type="glb")
    loop = {"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "children": [0]}]}
    for data, said in (
        (written_glb({"scenes": [{}]}, b"")[:-3], "in the middle of a chunk"),
        (written_glb(loop, b"").replace(b"scenes", b"\xffcenes"), "is not UTF-8"),
        (written_glb(loop, b""), "its own descendant"),
        (written_glb({"scenes": [{"nodes": [7]}], "nodes": []}, b""), "there is no node 7"),
        (line, r"^x\.glb: object lamp_1: mesh: the glb file holds no face$"),
    ):
        with refuses(FileProblem, said, said):
            read_glb(data, "x.glb")


def cubes(**images: object) -> bytes:
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


def test_each_thing_keeps_its_colour_or_texture_and_odd_paint_keeps_no_room_from_being_read() -> None:
    for data, blue in ((cubes(), 2), (cubes(blue_1=Image.new("RGB", (4, 4), (0, 200, 0))), 1)):
        scene = read_glb(data, "room.glb").scene
        images = [view(MeasuredScene(scene), "front", name, 32) for name in ("red_1", "blue_1")]
        assert [int(image.colours[16, 16].argmax()) for image in images] == [0, blue]
    shape = next(thing.shape for thing in scene.objects if thing.id == "red_1")
    assert isinstance(shape, Mesh) and shape.paint is not None
    assert not shape.paint.textures, "a thing holds no image of another"
    odd = ({"baseColorFactor": ["red"] * 4}, {"baseColorTexture": {"index": 99}}, {"baseColorTexture": {"index": -1}})
    rows: list[object] = [None, 3, [None, None], *([{"pbrMetallicRoughness": one}] * 2 for one in odd)]
    chunk, binary = chunks_of(cubes())
    for materials in rows:
        data = written_glb({**json.loads(chunk), "materials": materials}, binary)
        stage = MeasuredScene(read_glb(data, "room.glb").scene)
        assert [thing.id for thing in stage.scene.objects] == ["red_1", "blue_1"], materials
        assert {problem.code for problem in stage.problems} <= {"no-floor"}, materials
        assert view(stage, "front", "red_1", 16).mask("red_1").any(), materials


def stage_of(folder: Path, *objects: dict[str, Any]) -> MeasuredScene:
    content = room(*({"category": "x", "at": [0, 0, 0], **one} for one in objects))
    return MeasuredScene(read_simple(content, "scene_0.json", folder).scene)


def seen_of_obj(folder: Path) -> Any:  # noqa: ANN401
    (folder / "panel.obj").write_text("\n".join(PANEL))
    stage = stage_of(folder, {"id": "panel_1", "mesh": "panel.obj", "at": [0, 0, 0.5]})
    return view(stage, "front", "panel_1", 32).colours[16, 16].tolist()


def test_an_obj_file_is_shown_with_its_texture_its_colour_or_grey_but_no_file_from_outside(tmp_path: Path) -> None:
    grey = seen_of_obj(tmp_path)
    assert max(grey) - min(grey) < 12 and grey[0] > 150
    (tmp_path / "model.mtl").write_text("newmtl wood\nKd 0.8 0.0 0.0\n")
    red, *rest = seen_of_obj(tmp_path)
    assert red > 150 and rest == [0, 0]
    (tmp_path / "model.mtl").write_text("newmtl wood\nKd 0.1 0.1 0.1\nmap_Kd .\\textures/texture.png\n")
    Image.new("RGB", (4, 4), (0, 200, 0)).save(tmp_path / "texture.png")
    red, green, blue = seen_of_obj(tmp_path)
    assert red == blue == 0 and green > 150
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


def test_a_room_of_ours_gives_colours_to_objects_and_parts_that_change_nothing_measured(tmp_path: Path) -> None:
    parts = [{"size": [1, 1, 1], "colour": "#10c010"}, {"size": [1, 1, 1], "at": [0, 0, 1]}]
    cube = {"id": "cube_1", "size": [1, 1, 1]}
    tower = {"id": "tower_1", "at": [3, 0, 0], "parts": parts}
    stage = stage_of(tmp_path, {**cube, "colour": "#c01010"}, {**tower, "colour": "#1010c0"})
    assert view(stage, "front", "cube_1", 32).colours[20, 16].argmax() == 0
    image = view(stage, "front", "tower_1", 64)
    low, high = image.camera.pixels([(3, -0.5, 0.5), (3, -0.5, 1.5)], 64).astype(int)
    assert [int(image.colours[y, x].argmax()) for x, y in (low, high)] == [1, 2]
    plain = stage_of(tmp_path, cube, tower)
    for name, body in stage.bodies.items():
        assert np.array_equal(body.vertices, plain.bodies[name].vertices), name
        assert np.array_equal(body.faces, plain.bodies[name].faces), name
    for colour in ("red", "#12345", "#12345g", "#1234567", 7, "url(x)"):
        with refuses(FileProblem, "object cube_1: colour", colour):
            stage_of(tmp_path, {**cube, "colour": colour})


def test_a_spoilt_state_is_read_or_refused_as_a_problem_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    boxed = Asset(Path("no", "such", "x.obj"), "box", "", None, (1.0, 1.0, 1.0))
    monkeypatch.setattr(FolderSource, "asset", lambda *_: boxed)
    arranged, random = foreign.hsm_state(), Random(7)
    arranged["scene"]["arch"]["elements"][-1]["roomId"] = "den"
    for number in range(60):
        text = foreign.spoilt(random, arranged)
        text = foreign.spoilt(random, json.loads(text)) if number % 2 else text
        assert all(len(one) == 2 for one in models_of(text, "x.json")), text
        try:
            found = read_state(text, "x.json", {"fpModel": source_of("fpModel=no")}, missing="box")
        except FileProblem as error:
            assert error.message.startswith("x.json"), text
            continue
        for stage in (MeasuredScene(found.scene), MeasuredScene(found.scene, OFFICIAL)):
            assert len(stage.bodies) + len(stage.unmeasured) >= len({thing.id for thing in found.scene.objects})
            assert all(str(problem) for problem in stage.problems), text


def test_annotations_are_the_same_after_either_format() -> None:
    cells = ["gt,0,chair,é"], ["le,2,left,-1,night-stand,chair"], ["eq,1,against,chair,wall"]
    texts = ('A "den", with chairs', "two\nlines", "three\r\nor\rfour", "Zoë's 部屋", "=1+1", "")
    made = [
        annotation_of(str(number), level, text, ["eq,1,chair", "lt,99,night-stand"], *more)
        for number, (text, (level, more)) in enumerate(product(texts, (("easy", cells), ("hard", ([], [], [])))))
    ]
    from_csv, from_json = (read_annotations(write(made), "x").usable() for write in (as_csv, as_json))
    assert list(from_csv) == made
    assert as_csv(from_json) == as_csv(made)
    assert [one.specifications for one in from_json] == [one.specifications for one in made]
