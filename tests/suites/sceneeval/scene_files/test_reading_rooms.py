"""Rooms are read from the files that were given, and what is wrong with one is said with object and field."""

from __future__ import annotations

import gzip
import json
import os
from itertools import product
from pathlib import Path
from typing import Any

import numpy
import pytest
import trimesh
from refusals import refuses
from rooms_of_ours import room, thing

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import MeasuredScene, Mesh, Primitive, Scene, box
from tsgkit.geometry.gltf import written_glb
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS, source_of, sources_of
from tsgkit.suites.sceneeval.scene_files.folder import pieces_of_scene, read_scene, scene_file
from tsgkit.suites.sceneeval.scene_files.glb import read_glb
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.states import read_state

FACES = "1 2 4,1 4 3,5 7 8,5 8 6,1 5 6,1 6 2,3 4 8,3 8 7,1 3 7,1 7 5,2 6 8,2 8 4"
CUBE = "\n".join([f"v {x} {y} {z}" for x, y, z in product((0, 1), repeat=3)] + [f"f {one}" for one in FACES.split(",")])
UPRIGHT = [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, -1.0, 0, 0, 2.0, 1.0, 0, 1.0]
LINE = {
    "asset": {"version": "2.0"},
    "scenes": [{"nodes": [0]}],
    "nodes": [{"name": "lamp_1", "mesh": 0}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "mode": 1}]}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "VEC3"}],
    "bufferViews": [{"buffer": 0, "byteLength": 24}],
    "buffers": [{"byteLength": 24}],
}
"""A GLB file with a mesh of one line."""
MESH: dict[str, Any] = {"id": "a", "category": "x", "at": [0, 0, 0]}


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


def test_a_room_of_ours_stands_where_it_says(tmp_path: Path) -> None:
    found = read(tmp_path, room(thing("bed_1", "bed", (1, 2, 0), (2, 1, 0.5), yaw=90)))
    assert corners(found) == ([0.5, 1, 0], [1.5, 3, 0.5])
    assert MeasuredScene(found.scene).bodies["bed_1"].frame.front.round(6).tolist() == [1, 0, 0]


def test_openings_are_counted_from_the_west_and_south_ends_of_walls(tmp_path: Path) -> None:
    opening = {"kind": "door", "at": 0.5, "width": 1.0, "height": 2.0}
    openings = [{**opening, "wall": side} for side in ("south", "east", "north", "west")]
    rooms = [{"name": "den", "from": [0, 0], "to": [4, 3], "openings": openings}]
    frames = {
        door.id.split("_")[-1]: (door.frame.centre[:2].round(6).tolist(), door.frame.front[:2].round(6).tolist())
        for door in MeasuredScene(read(tmp_path, room(rooms=rooms)).scene).doors
    }
    assert frames == {
        "south": ([1, 0], [0, 1]), "east": ([4, 1], [-1, 0]), "north": ([1, 3], [0, -1]), "west": ([0, 1], [1, 0])
    }  # fmt: skip


def test_scene_errors_name_object_and_field(tmp_path: Path) -> None:
    bed = thing("a", "bed", (0, 0, 0), (1, 1, 1))
    rows = [
        ("{", "line 1"),
        ("[]", "a scene is an object"),
        ('{"format": "other"}', "format"),
        (room({"id": "a", "category": "bed", "at": [0, 0, 0]}), "object a: .*a size, parts or a mesh"),
        (room(bed | {"size": [1, 0, 1]}), "object a: size: 1"),
        (room(bed | {"colour": "red"}), "object a: colour"),
        (room(bed, bed), "object a: id: two"),
        (room(rooms=[{"from": [1, 1], "to": [0, 0]}]), "south-west"),
        (room(MESH | {"mesh": "a.glb"}), "object a: mesh: there is no file"),
        (room(MESH | {"mesh": "a.fbx"}), "object a: mesh: a.fbx is none of"),
        (room(bed | {"at": [0, 0, float("nan")]}), "object a: at"),
        (state(an_object(), an_object()), "object 0: index: two"),
        (state({"index": 0, "modelId": "x"}), "object 0: transform"),
        (state(an_object(model="nodot")), "object 0: modelId: 'nodot'"),
        (state(an_object(model="ikea.1")), "object 0: modelId: no assets of 'ikea'"),
        (state(arch={"elements": [{"type": "Floor", "points": [[0, 0, 0]]}]}), "element 0: roomId"),
        (state(arch={"elements": [{"type": "Wall", "points": [[0, 0, 0]]}]}), "element 0: id: a wall needs one"),
        (
            state(arch={"elements": [{"type": "Wall", "id": "w", "points": [[0, 0, 0], [1, 0, 0]]}]}),
            "w: height: a wall",
        ),
        (state(arch={"elements": [{"type": "Roof"}]}), "element 0: type: 'Roof'"),
        (state(arch={"elements": [{"type": "Wall", "id": "w", "points": [[0, 0, 0]]}]}), "element w: points"),
    ]
    for text, said in rows:
        with refuses(FileProblem, said, text):
            read(tmp_path, text)


def test_a_mesh_outside_the_folder_or_of_no_possible_name_is_refused(tmp_path: Path) -> None:
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


def test_a_scene_that_is_a_link_of_no_plain_name_or_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "secret.obj").write_text(CUBE)
    (tmp_path / "rooms" / "scene_9.json").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(FileProblem, match="is a link to outside its folder"):
        scene_file(tmp_path / "rooms", "9")
    for item in ("../0", "a/b", "", ".hidden", "a..b", "x" * 300):
        with refuses(FileProblem, "cannot be a file name", item):
            scene_file(tmp_path, item)
    (tmp_path / "scene_0.json").write_text(room())
    (tmp_path / "scene_0.glb").write_bytes(b"")
    with pytest.raises(FileProblem, match="there twice"):
        scene_file(tmp_path, "0")


ODD_IDS = ["../../secret", "..", "/etc/passwd", "x" * 5000, "a\0b", "\ud800", "é" * 300]
ANY_IDS = ["a/b", "lamp.v2.final", "Стул 7", "rot & grün.1", "a..b", "%2e%2e", "back\\slash", "c:x", ".hidden"]


def test_an_asset_of_any_id_is_looked_for_inside_its_folder(tmp_path: Path) -> None:
    for number, (asset, layout) in enumerate(product([*ODD_IDS, *ANY_IDS], LAYOUTS)):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = source_of(f"{layout}={folder}").asset(asset, "object 0").mesh
        assert found.resolve().is_relative_to(folder.resolve()), (asset, layout)
        assert not found.is_file(), (asset, layout)
        found.parent.mkdir(parents=True)
        found.write_text(CUBE)
        assert source_of(f"{layout}={folder}").asset(asset, "object 0").mesh.read_text() == CUBE, (asset, layout)


def test_a_state_names_assets_by_any_id(tmp_path: Path) -> None:
    for asset in ANY_IDS:
        (tmp_path / asset).mkdir(parents=True)
        (tmp_path / asset / "raw_model.obj").write_text(CUBE)
        sources = (source_of(f"threed_future={tmp_path}"),)
        (found,) = read(tmp_path, state(an_object(0, f"3dfModel.{asset}")), sources=sources).scene.objects
        assert found.id == f"idx0_3dfModel.{asset}", asset
        assert MeasuredScene(Scene("s", (found,))).bodies, asset
        names = [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", sources)]
        assert names == ["scene_0.json", f"threed_future={asset}", f"threed_future/{asset}/raw_model.obj"], asset


def test_an_asset_that_no_file_can_be_named_by_is_its_box_where_a_table_knows_it(tmp_path: Path) -> None:
    for number, asset in enumerate(ODD_IDS):
        folder = tmp_path / str(number)
        folder.mkdir()
        known = {asset: {"category": "lamp", "assetMetadata": {"boundingBox": {"x": 1, "y": 2, "z": 3}}}}
        (folder / "annotations.json").write_text(json.dumps(known))
        text = state(an_object(0, f"objaverse.{asset}"))
        sources = {"objaverse": source_of(f"objathor={folder}")}
        (found,) = read_state(text, "scene_0.json", sources, missing="box").scene.objects
        assert (found.category, found.shape) == ("lamp", box(1, 3, 2)), asset
        with refuses(FileProblem, "object 0: modelId: there is no mesh", asset):
            read_state(text, "scene_0.json", sources)


def test_a_mesh_beside_the_room_is_read_and_belongs_to_its_files(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    found = read(tmp_path, room(MESH | {"at": [1, 1, 0], "mesh": "cube.obj", "scale": 0.5}))
    assert corners(found)[1] == [1.5, 1, 0.5]
    assert [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", ())] == ["scene_0.json", "cube.obj"]


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


def test_a_missing_mesh_is_its_box_where_that_is_asked_for_and_known(tmp_path: Path) -> None:
    text = room(MESH | {"at": [1, 1, 0], "mesh": "no.glb", "size": [1, 1, 0.4]})
    with pytest.raises(FileProblem, match=r"there is no file no\.glb") as refused:
        read(tmp_path, text)
    assert "--missing box" in refused.value.hint
    found = read(tmp_path, text, missing="box")
    assert isinstance(found.scene.objects[0].shape, Primitive)
    assert found.notes == ("object a: no.glb is missing, and its box is taken",)


def test_a_mesh_that_is_none_is_said_to_be_none_and_one_without_area_is_a_problem(tmp_path: Path) -> None:
    for text in ("", "v 0 0 0", "f 1 2 3", "\0\0\0", "v a b c\nf 1 1 1"):
        (tmp_path / "odd.obj").write_text(text)
        with refuses(FileProblem, "object a: mesh: ", text):
            read(tmp_path, room(MESH | {"mesh": "odd.obj"}))
    (tmp_path / "odd.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    stage = MeasuredScene(read(tmp_path, room(MESH | {"mesh": "odd.obj"})).scene)
    assert (stage.unmeasured, [problem.code for problem in stage.problems]) == (("a",), ["flat-mesh"])


def test_a_published_state_takes_its_meshes_from_the_folder_that_was_given(tmp_path: Path) -> None:
    sources = sources_of([future(tmp_path)])
    found = read(tmp_path, state(an_object(3), version="scene@2"), sources=sources)
    one = found.scene.objects[0]
    assert (one.id, one.category, one.description) == ("idx3_3dfModel.chair01", "Armchair", "Chair, Modern")
    assert (corners(found)[0], found.scene.architecture) == ([2, 0, 0], None)
    assert found.notes == ("scene is of version scene@2, and scene@1.0.2 is read",)
    table = tmp_path / "assets" / "model_info.json"
    table.write_text(json.dumps([{"model_id": "chair01", "category": "Stool"}]))
    os.utime(table, ns=(0, table.stat().st_mtime_ns + 1_000_000_000))
    assert sources[0].asset("chair01", "x").category == "Stool", "a table that was written anew is read anew"


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
    rows = [
        (b"plain", "not a whole gzip file"),
        (gzip.compress(b'{"a1": {}}')[:-9], "not a whole gzip file"),
        (gzip.compress(b"{"), "line 1: broken JSON"),
        (gzip.compress(b"\xff\xfe"), "UTF-16"),
        (gzip.compress(b"{" + b" " * 2000 + b"}"), "more than 1,000 bytes"),
    ]
    for number, (data, said) in enumerate(rows):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "annotations.json.gz").write_bytes(data)
        with refuses(FileProblem, f"annotations.json.gz: .*{said}", said):
            source_of(f"objathor={tmp_path / str(number)}").asset("a1", "x")


def test_missing_mesh_is_an_upright_box_on_its_underside_or_around_its_middle(tmp_path: Path) -> None:
    (tmp_path / "bed").mkdir()
    for path, key, (x, y, z) in (("bed/data.json", "", (1.6, 2.0, 0.9)), ("annotations.json", "bed", (1.6, 0.9, 2.0))):
        sized = {"assetMetadata": {"boundingBox": {"x": x, "y": y, "z": z}}}
        (tmp_path / path).write_text(json.dumps({key: sized} if key else sized))
    for layout, model, low in (("layoutvlm_objathor", "layoutvlm-objaverse", 0), ("objathor", "objaverse", -0.45)):
        sources = sources_of([f"{layout}={tmp_path}"])
        found = read(tmp_path, state(an_object(0, f"{model}.bed")), sources=sources, missing="box")
        assert corners(found) == ([1.2, 0, low], [2.8, 2, low + 0.9]), layout


def test_an_asset_with_its_own_up_is_stood_upright(tmp_path: Path) -> None:
    (tmp_path / "glb/p").mkdir(parents=True)
    (tmp_path / "fpmodels.csv").write_text('id,wnsynsetkey,name,up,front\npole,pole.n.01,Pole,"0,0,1","0,-1,0"\n')
    (tmp_path / "glb/p/pole.glb").write_bytes(trimesh.creation.box((0.1, 0.2, 3)).export(file_type="glb"))
    found = read(tmp_path, state(an_object(0, "fpModel.pole")), sources=sources_of([f"hssd={tmp_path}"]))
    body = MeasuredScene(found.scene).bodies["idx0_fpModel.pole"]
    assert (body.high - body.low).round(6).tolist() == [0.1, 0.2, 3]


def test_a_source_that_is_not_there_is_told_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="there is no such folder"):
        sources_of([f"hssd={tmp_path / 'no'}"])
    with pytest.raises(UsageError, match="not LAYOUT=DIR"):
        source_of("hssd")


def test_one_glb_file_is_a_room_of_its_nodes_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    scene, place = trimesh.Scene(), numpy.eye(4)
    place[:3, 3] = (1, 0.25, -2)
    scene.add_geometry(trimesh.creation.box((2, 0.5, 1)), node_name="dining_table_2", transform=place)
    scene.add_geometry(trimesh.creation.icosphere(), node_name="ball")
    (tmp_path / "scene_0.glb").write_bytes(scene.export(file_type="glb"))  # type: ignore[no-untyped-call]
    found = read_scene(tmp_path / "scene_0.glb")
    table = next(thing for thing in found.scene.objects if thing.id == "dining_table_2")
    assert isinstance(table.shape, Mesh)
    assert (table.category, corners(found, "dining_table_2")) == ("dining table", ([0, 1.5, 0], [2, 2.5, 0.5]))
    loop = {"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "children": [0]}]}
    for data, said in (
        (written_glb({"buffers": [{"uri": "../x.bin"}], "scenes": [{}]}, b""), "names another file"),
        (written_glb({"scenes": [{}]}, b"")[:-3], "in the middle of a chunk"),
        (written_glb(loop, b"").replace(b"scenes", b"\xffcenes"), "is not UTF-8"),
        (written_glb(loop, b""), "its own descendant"),
        (written_glb({"scenes": [{"nodes": [7]}], "nodes": []}, b""), "there is no node 7"),
        (written_glb(LINE, bytes(24)), r"^x\.glb: object lamp_1: mesh: the glb file holds no face$"),
    ):
        with refuses(FileProblem, said, said):
            read_glb(data, "x.glb")
