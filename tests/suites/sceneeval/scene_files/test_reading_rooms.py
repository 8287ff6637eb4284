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
from refusals import refusal
from rooms_of_ours import room, thing

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import MeasuredScene, Mesh, Primitive, Scene, box
from tsgkit.geometry.gltf import written_glb
from tsgkit.suites.sceneeval.scene_files.assets import LAYOUTS, source_of, sources_of
from tsgkit.suites.sceneeval.scene_files.folder import pieces_of_scene, read_scene, scene_file
from tsgkit.suites.sceneeval.scene_files.glb import read_glb
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.states import read_state

CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    + ["f 1 2 4", "f 1 4 3", "f 5 7 8", "f 5 8 6", "f 1 5 6", "f 1 6 2", "f 3 4 8", "f 3 8 7", "f 1 3 7", "f 1 7 5"]
    + ["f 2 6 8", "f 2 8 4"]
)
UPRIGHT = [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, -1.0, 0, 0, 2.0, 1.0, 0, 1.0]


def read(folder: Path, text: str, **more: Any) -> LoadedScene:  # noqa: ANN401
    (folder / "scene_0.json").write_text(text)
    return read_scene(folder / "scene_0.json", **more)


def state(*objects: dict[str, Any], **scene: Any) -> str:  # noqa: ANN401
    return json.dumps({"format": "sceneState", "scene": {"version": "scene@1.0.2", "object": objects, **scene}})


def future(folder: Path, asset: str = "chair01", text: str = CUBE) -> str:
    (folder / "assets" / asset).mkdir(parents=True)
    (folder / "assets" / asset / "raw_model.obj").write_text(text)
    known = [
        {"model_id": asset, "category": "Armchair", "super-category": "Chair", "style": "Modern", "material": None}
    ]
    (folder / "assets" / "model_info.json").write_text(json.dumps(known))
    return f"threed_future={folder / 'assets'}"


def an_object(index: int = 0, model: str = "3dfModel.chair01") -> dict[str, Any]:
    return {"index": index, "modelId": model, "transform": {"data": UPRIGHT}}


def test_a_room_of_ours_stands_where_it_says(tmp_path: Path) -> None:
    found = read(tmp_path, room(thing("bed_1", "bed", (1, 2, 0), (2, 1, 0.5), yaw=90)))
    body = MeasuredScene(found.scene).bodies["bed_1"]
    assert body.low.round(6).tolist() == [0.5, 1, 0]
    assert body.high.round(6).tolist() == [1.5, 3, 0.5]
    assert body.frame.front.round(6).tolist() == [1, 0, 0]


def test_openings_are_counted_from_the_west_and_south_ends_of_walls(tmp_path: Path) -> None:
    opening = {"kind": "door", "at": 0.5, "width": 1.0, "height": 2.0}
    rooms = [{"name": "den", "from": [0, 0], "to": [4, 3], "openings": [{**opening, "wall": side} for side in
              ("south", "east", "north", "west")]}]  # fmt: skip
    doors = MeasuredScene(read(tmp_path, room(rooms=rooms)).scene).doors
    centres = {door.id.split("_")[-1]: door.frame.centre[:2].round(6).tolist() for door in doors}
    assert centres == {"south": [1, 0], "east": [4, 1], "north": [1, 3], "west": [0, 1]}
    inwards = {door.id.split("_")[-1]: door.frame.front[:2].round(6).tolist() for door in doors}
    assert inwards == {"south": [0, 1], "east": [-1, 0], "north": [0, -1], "west": [1, 0]}


def test_scene_errors_name_object_and_field(tmp_path: Path) -> None:
    rows: list[tuple[str, str]] = [
        ("{", "line 1"),
        ("[]", "a scene is an object"),
        ('{"format": "other"}', "format"),
        (room({"id": "a", "category": "bed", "at": [0, 0, 0]}), "object a: .*a size, parts or a mesh"),
        (room(thing("a", "bed", (0, 0, 0), (1, 0, 1))), "object a: size: 1"),
        (room(thing("a", "bed", (0, 0, 0), (1, 1, 1), colour="red")), "object a: colour"),
        (room(thing("a", "bed", (0, 0, 0), (1, 1, 1)), thing("a", "bed", (0, 0, 0), (1, 1, 1))), "object a: id: two"),
        (room(rooms=[{"from": [1, 1], "to": [0, 0]}]), "south-west"),
        (room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": "a.glb"}), "object a: mesh: there is no file"),
        (room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": "a.fbx"}), "object a: mesh: a.fbx is none of"),
        (room({"id": "a", "category": "x", "at": [0, 0, float("nan")], "size": [1, 1, 1]}), "object a: at"),
        (state(an_object(), an_object()), "object 0: index: two"),
        (state({"index": 0, "modelId": "x"}), "object 0: transform"),
        (state(an_object(model="nodot")), "object 0: modelId: 'nodot'"),
        (state(an_object(model="ikea.1")), "object 0: modelId: no assets of 'ikea'"),
        (state(arch={"elements": [{"type": "Floor", "points": [[0, 0, 0]]}]}), "element 0: roomId"),
        (state(arch={"elements": [{"type": "Roof"}]}), "element 0: type: 'Roof'"),
        (state(arch={"elements": [{"type": "Wall", "id": "w", "points": [[0, 0, 0]]}]}), "element w: points"),
    ]
    for text, said in rows:
        with refusal(FileProblem, said, text):
            read(tmp_path, text)


def test_a_mesh_outside_the_folder_is_refused(tmp_path: Path) -> None:
    rows: list[str] = ["../x.obj", "/etc/passwd.obj", "a/../../x.obj", "..\\x.obj", "c:x.obj"]
    for name in rows:
        (tmp_path / "x.obj").write_text(CUBE)
        (tmp_path / "rooms").mkdir(exist_ok=True)
        with refusal(FileProblem, r"object a: mesh: .* is outside its folder", name):
            read(tmp_path / "rooms", room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": name}))


def test_a_mesh_that_no_file_can_be_named_by_is_a_problem_of_its_room(tmp_path: Path) -> None:
    rows: list[str] = ["\ud800.obj", "é" * 190 + ".obj", "x" * 5000 + ".obj", "a/" * 90 + "x.obj"]
    for name in rows:
        text = room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": name})
        with refusal(FileProblem, "object a: mesh: ", name):
            read(tmp_path, text)
        assert [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", ())] == ["scene_0.json"], name


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.obj").write_text(CUBE)
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms" / "inside.obj").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(FileProblem, match="is a link to outside its folder"):
        read(tmp_path / "rooms", room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": "inside.obj"}))
    (tmp_path / "rooms" / "scene_9.json").symlink_to(tmp_path / "secret.obj")
    with pytest.raises(FileProblem, match="is a link to outside its folder"):
        scene_file(tmp_path / "rooms", "9")


def test_an_id_that_is_no_plain_name_finds_no_file(tmp_path: Path) -> None:
    rows: list[str] = ["../0", "a/b", "", ".hidden", "a..b", "x" * 300]
    for item in rows:
        with refusal(FileProblem, "cannot be a file name", item):
            scene_file(tmp_path, item)


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
        (tmp_path / "scene_0.json").write_text(state(an_object(0, f"3dfModel.{asset}")))
        sources = (source_of(f"threed_future={tmp_path}"),)
        (found,) = read_scene(tmp_path / "scene_0.json", sources).scene.objects
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
        with refusal(FileProblem, "object 0: modelId: there is no mesh", asset):
            read_state(text, "scene_0.json", sources)


def test_a_mesh_beside_the_room_is_read_and_belongs_to_its_files(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    found = read(tmp_path, room({"id": "a", "category": "x", "at": [1, 1, 0], "mesh": "cube.obj", "scale": 0.5}))
    assert MeasuredScene(found.scene).bodies["a"].high.round(6).tolist() == [1.5, 1, 0.5]
    assert [piece.name for piece in pieces_of_scene(tmp_path / "scene_0.json", ())] == ["scene_0.json", "cube.obj"]


def test_the_assets_a_scene_names_belong_to_it_with_their_looks_and_what_is_known_of_them(tmp_path: Path) -> None:
    sources = sources_of([future(tmp_path, text=f"mtllib model.mtl\n{CUBE}")])
    folder = tmp_path / "assets" / "chair01"
    (folder / "model.mtl").write_text("newmtl a\nmap_Kd oak.png\n")
    for name in ("oak.png", "preview.png"):
        (folder / name).write_bytes(name.encode())
    (tmp_path / "scene_0.json").write_text(state(an_object(0), an_object(1), an_object(2, "3dfModel.gone")))
    pieces = dict(pieces_of_scene(tmp_path / "scene_0.json", sources))
    assert list(pieces) == [
        "scene_0.json",
        "threed_future=chair01",
        "threed_future/chair01/raw_model.obj",
        "threed_future/chair01/model.mtl",
        "threed_future/chair01/oak.png",
        "threed_future=gone",
    ]
    assert str(tmp_path) not in "".join(held for held in pieces.values() if isinstance(held, str))


def test_a_table_of_assets_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    (source,) = sources_of([future(tmp_path)])
    before = source.asset("chair01", "x").category
    table = tmp_path / "assets" / "model_info.json"
    table.write_text(json.dumps([{"model_id": "chair01", "category": "Stool"}]))
    os.utime(table, ns=(0, table.stat().st_mtime_ns + 1_000_000_000))
    assert (before, source.asset("chair01", "x").category) == ("Armchair", "Stool")


def test_a_missing_mesh_is_its_box_where_that_is_asked_for_and_known(tmp_path: Path) -> None:
    text = room({"id": "a", "category": "x", "at": [1, 1, 0], "mesh": "no.glb", "size": [1, 1, 0.4]})
    with pytest.raises(FileProblem, match=r"there is no file no\.glb") as refused:
        read(tmp_path, text)
    assert "--missing box" in refused.value.hint
    found = read(tmp_path, text, missing="box")
    assert isinstance(found.scene.objects[0].shape, Primitive)
    assert found.notes == ("object a: no.glb is missing, and its box is taken",)


def test_a_mesh_that_is_none_is_said_to_be_none(tmp_path: Path) -> None:
    rows: list[str] = ["", "v 0 0 0", "f 1 2 3", "\0\0\0", "v a b c\nf 1 1 1"]
    for text in rows:
        (tmp_path / "odd.obj").write_text(text)
        with refusal(FileProblem, "object a: mesh: ", text):
            read(tmp_path, room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": "odd.obj"}))


def test_a_mesh_without_area_is_a_problem_of_the_stage(tmp_path: Path) -> None:
    (tmp_path / "odd.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    found = read(tmp_path, room({"id": "a", "category": "x", "at": [0, 0, 0], "mesh": "odd.obj"}))
    stage = MeasuredScene(found.scene)
    assert stage.unmeasured == ("a",)
    assert [problem.code for problem in stage.problems] == ["flat-mesh"]


def test_a_published_state_takes_its_meshes_from_the_folder_that_was_given(tmp_path: Path) -> None:
    found = read(tmp_path, state(an_object(3)), sources=sources_of([future(tmp_path)]))
    thing_ = found.scene.objects[0]
    assert (thing_.id, thing_.category, thing_.description) == ("idx3_3dfModel.chair01", "Armchair", "Chair, Modern")
    assert MeasuredScene(found.scene).bodies[thing_.id].low.round(6).tolist() == [2, 0, 0]
    assert found.scene.architecture is None


def test_a_state_of_another_version_is_read_with_a_note(tmp_path: Path) -> None:
    found = read(tmp_path, state(version="scene@2"))
    assert found.notes == ("scene is of version scene@2, and scene@1.0.2 is read",)


def test_each_layout_finds_its_mesh_and_what_is_known_of_it(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text(json.dumps({"a1": {"category": "lamp", "description": "a red lamp"}}))
    (tmp_path / "fpmodels.csv").write_text('id,wnsynsetkey,name,up,front\nb2,floor_lamp.n.01,Arc,"0,0,1","0,-1,0"\n')
    (tmp_path / "c3").mkdir()
    own = {"annotations": {"category": "sofa", "materials": ["leather", "oak"]},
           "assetMetadata": {"boundingBox": {"x": 2, "y": 0.8, "z": 0.9}}}  # fmt: skip
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


def test_packed_table_of_assets_is_read_like_the_plain_one(tmp_path: Path) -> None:
    entry = {"annotations": {"category": "lamp"}, "assetMetadata": {"boundingBox": {"x": 1, "y": 3, "z": 2}}}
    packed = tmp_path / "annotations.json.gz"
    packed.write_bytes(gzip.compress(json.dumps({"a1": entry}).encode()))
    source = source_of(f"objathor={tmp_path}")
    assert (source.asset("a1", "x").category, source.asset("a1", "x").box) == ("lamp", (1.0, 2.0, 3.0))
    packed.write_bytes(gzip.compress(b'{"a1": {"category": "stool"}}'))
    os.utime(packed, ns=(0, packed.stat().st_mtime_ns + 1_000_000_000))
    assert source.asset("a1", "x").category == "stool"


def test_broken_packed_table_of_assets_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        with refusal(FileProblem, f"annotations.json.gz: .*{said}", said):
            source_of(f"objathor={tmp_path / str(number)}").asset("a1", "x")


def test_missing_mesh_is_an_upright_box_on_its_underside_or_around_its_middle(tmp_path: Path) -> None:
    sized = {"assetMetadata": {"boundingBox": {"x": 1.6, "y": 2.0, "z": 0.9}}}
    (tmp_path / "bed").mkdir()
    (tmp_path / "bed" / "data.json").write_text(json.dumps(sized))
    sized["assetMetadata"]["boundingBox"] = {"x": 1.6, "y": 0.9, "z": 2.0}
    (tmp_path / "annotations.json").write_text(json.dumps({"bed": sized}))
    for layout, model, low in (
        ("layoutvlm_objathor", "layoutvlm-objaverse.bed", 0),
        ("objathor", "objaverse.bed", -0.45),
    ):
        sources = sources_of([f"{layout}={tmp_path}"])
        found = read(tmp_path, state(an_object(0, model)), sources=sources, missing="box")
        (body,) = MeasuredScene(found.scene).bodies.values()
        assert body.low.round(6).tolist() == [1.2, 0, low], layout
        assert body.high.round(6).tolist() == [2.8, 2, low + 0.9], layout


def test_an_asset_with_its_own_up_is_stood_upright(tmp_path: Path) -> None:
    (tmp_path / "glb/p").mkdir(parents=True)
    (tmp_path / "fpmodels.csv").write_text('id,wnsynsetkey,name,up,front\npole,pole.n.01,Pole,"0,0,1","0,-1,0"\n')
    (tmp_path / "glb/p/pole.glb").write_bytes(trimesh.creation.box((0.1, 0.2, 3)).export(file_type="glb"))
    found = read(tmp_path, state(an_object(0, "fpModel.pole")), sources=sources_of([f"hssd={tmp_path}"]))
    body = MeasuredScene(found.scene).bodies["idx0_fpModel.pole"]
    assert (body.high - body.low).round(6).tolist() == [0.1, 0.2, 3]


def test_a_source_that_is_not_there_and_a_scene_in_two_forms_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="there is no such folder"):
        sources_of([f"hssd={tmp_path / 'no'}"])
    with pytest.raises(UsageError, match="not LAYOUT=DIR"):
        source_of("hssd")
    (tmp_path / "scene_0.json").write_text(room())
    (tmp_path / "scene_0.glb").write_bytes(b"")
    with pytest.raises(FileProblem, match="there twice"):
        scene_file(tmp_path, "0")


def test_one_glb_file_is_a_room_of_its_nodes(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    place = numpy.eye(4)
    place[:3, 3] = (1, 0.25, -2)
    scene.add_geometry(trimesh.creation.box((2, 0.5, 1)), node_name="dining_table_2", transform=place)
    scene.add_geometry(trimesh.creation.icosphere(), node_name="ball")
    (tmp_path / "scene_0.glb").write_bytes(scene.export(file_type="glb"))
    found = read_scene(tmp_path / "scene_0.glb")
    table = next(thing for thing in found.scene.objects if thing.id == "dining_table_2")
    assert isinstance(table.shape, Mesh)
    assert table.category == "dining table"
    body = MeasuredScene(found.scene).bodies["dining_table_2"]
    assert (body.low.round(5).tolist(), body.high.round(5).tolist()) == ([0, 1.5, 0], [2, 2.5, 0.5])


def test_a_glb_that_names_other_files_or_ends_early_is_refused() -> None:
    loop = {"scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0, "children": [0]}]}
    for data, said in (
        (written_glb({"buffers": [{"uri": "../x.bin"}], "scenes": [{}]}, b""), "names another file"),
        (written_glb({"scenes": [{}]}, b"")[:-3], "in the middle of a chunk"),
        (written_glb(loop, b""), "its own descendant"),
        (written_glb({"scenes": [{"nodes": [7]}], "nodes": []}, b""), "there is no node 7"),
    ):
        with refusal(FileProblem, said, said):
            read_glb(data, "x.glb")
