"""Houses of Holodeck: sizes from wherever they are known, walls and openings, and what is lost."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import objects
from refusals import refuses

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters import Converted
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of


def converted(house: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
    return foreign.converted("holodeck", house, "house.json", **options)


def losses(found: Converted) -> dict[str, int]:
    return {loss.what: loss.count for loss in found.losses}


def thing(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    bare = {"id": name, "assetId": "a1", "position": foreign.corner(2, 1.5, 1), "rotation": foreign.corner(0, 0, 0)}
    return {**bare, **more}


def test_losses_assumptions_and_ignored_fields_are_counted() -> None:
    found = losses(converted(foreign.holodeck()))
    assert found["meshes, replaced by their boxes"] == 3
    assert found["outer faces of walls, whose inner faces are kept"] == 1
    assert found["fields of the scene"] == 1
    assert not any("stands on the floor" in what for what in found)
    house = foreign.holodeck()
    house["objects"][0]["rotation"]["x"] = 20
    assert losses(converted(house))["tilts: boxes stand upright"] == 1


WORKED: dict[str, Any] = {
    "wall_height": 2.7,
    "rooms": [{"id": "office", "floorPolygon": [foreign.corner(*one) for one in
               ((0, 0, 0), (0, 0, 3), (4, 0, 3), (4, 0, 0))]}],
    "walls": [
        {"id": f"wall|office|{side}|{number}", "roomId": "office", "polygon": foreign.board(*ends)}
        for number, (side, ends) in enumerate(
            {"west": (0, 0, 0, 3), "north": (0, 3, 4, 3), "east": (4, 3, 4, 0), "south": (4, 0, 0, 0)}.items()
        )
    ],
    "doors": [{
        "id": "door|0|exterior|office",
        "wall0": "wall|office|south|3|exterior",
        "holePolygon": [foreign.corner(0.5, 0, 0), foreign.corner(1.5, 2, 0)],
        "doorSegment": [[0.5, 0], [1.5, 0]],
    }],
    "floor_objects": [{
        "id": "desk-0 (office)", "object_name": "desk-0", "assetId": "desk", "roomId": "office",
        "position": foreign.corner(0.305, 0.375, 1.5), "rotation": foreign.corner(0, 90, 0),
        "vertices": [[65.5, 85], [65.5, 215], [-4.5, 215], [-4.5, 85]],
    }],
    "wall_objects": [{
        "id": "painting-0 (office)", "object_name": "painting-0", "assetId": "painting", "roomId": "office",
        "position": foreign.corner(2.0, 1.8, 2.97), "rotation": foreign.corner(0, 180, 0),
        "vertices": [[160, 296], [240, 296], [240, 300], [160, 300]],
    }],
    "small_objects": [{
        "id": "mug-0|desk-0 (office)", "assetId": "mug", "roomId": "office",
        "position": foreign.corner(0.3, 0.801, 1.4), "rotation": foreign.corner(0, 37, 0),
    }],
    "ceiling_objects": [{
        "id": "ceiling (office)", "object_name": "chandelier", "assetId": "chandelier", "roomId": "office",
        "position": foreign.corner(2, 2.45, 1.5), "rotation": foreign.corner(0, 0, 0),
    }],
}  # fmt: skip
WORKED["objects"] = [one for name in ("floor", "wall", "small", "ceiling") for one in WORKED[f"{name}_objects"]]
BOXES = {
    "painting": (0.8, 0.6, 0.04),
    "mug": (0.08, 0.1, 0.08),
    "chandelier": (0.6, 0.5, 0.6),
    "book": (0.15, 0.2, 0.02),
}


def assets(folder: Path, boxes: dict[str, tuple[float, float, float]] | None = None) -> tuple[FolderSource, ...]:
    """Return a folder with the packed table of Objathor."""
    known = {
        name: {"annotations": {"category": name}, "assetMetadata": {"boundingBox": foreign.corner(*box)}}
        for name, box in (BOXES if boxes is None else boxes).items()
    }
    (folder / "annotations.json.gz").write_bytes(gzip.compress(json.dumps(known).encode()))
    return sources_of([f"objathor={folder}"])


def test_worked_example_is_converted_number_by_number(tmp_path: Path) -> None:
    found = converted(WORKED, sources=assets(tmp_path))
    assert {name: {key: one[key] for key in one if key not in ("id", "category", "description")}
            for name, one in objects(found).items()} == {
        "desk-0 (office)": {"size": [1.2, 0.6, 0.75], "at": [0.305, 1.5, 0.0], "yaw": 90.0, "held_by": "ground"},
        "painting-0 (office)": {"size": [0.8, 0.04, 0.6], "at": [2.0, 2.97, 1.5], "yaw": 0.0, "held_by": "wall",
                                "parent": "office|north|1"},
        "mug-0|desk-0 (office)": {"size": [0.08, 0.08, 0.1], "at": [0.3, 1.4, 0.751], "yaw": 143.0,
                                  "held_by": "object", "parent": "desk-0 (office)"},
        "ceiling (office)": {"size": [0.6, 0.6, 0.5], "at": [2.0, 1.5, 2.2], "yaw": 180.0, "held_by": "ceiling"},
    }  # fmt: skip
    south = next(wall for wall in found.scene["walls"] if wall["name"] == "office|south|3")
    assert (south["from"], south["to"]) == ([4.0, 0.0], [0.0, 0.0])
    assert south["openings"] == [{"kind": "door", "at": 2.5, "width": 1.0, "height": 2.0, "sill": 0.0}]
    assert found.scene["floors"][0]["points"] == [[4.0, 0.0], [4.0, 3.0], [0.0, 3.0], [0.0, 0.0]]


def test_size_that_the_file_does_not_hold_is_named_and_not_invented() -> None:
    found = converted(WORKED)
    assert list(objects(found)) == ["desk-0 (office)"]
    without_small = {key: value for key, value in WORKED.items() if key not in ("objects", "ceiling_objects")}
    assert list(objects(converted({**without_small, "wall_objects": [], "small_objects": []}))) == ["desk-0 (office)"]
    (lost,) = [loss for loss in found.losses if "size is not known" in loss.what]
    assert losses(found)["sizes that only the assets hold (--assets objathor=DIR)"] == 3
    sizes = ("painting-0 (office) (height)", "mug-0|desk-0 (office) (width, depth and height)")
    assert (lost.kind, lost.names) == ("lost", (*sizes, "ceiling (office) (width and depth)"))


def test_padding_is_taken_off_things_on_the_floor_alone() -> None:
    size = converted({**WORKED, "objects": [], "small_objects": [], "ceiling_objects": [], "wall_objects": [
        {**WORKED["wall_objects"][0], "assetMetadata": None, "size": foreign.corner(0.8, 0.6, 0.04)}]})  # fmt: skip
    assert [one["size"] for one in objects(size).values()] == [[1.2, 0.6, 0.75], [0.8, 0.04, 0.6]]
    said = objects(converted(WORKED, said={"footprint-margin": "0"}))
    assert said["desk-0 (office)"]["size"] == [1.3, 0.7, 0.75]


def test_thing_laid_flat_has_another_side_for_its_height(tmp_path: Path) -> None:
    rows: list[tuple[tuple[float, float, float], list[float], float]] = [
        ((0, 0, 0), [0.15, 0.02, 0.2], 180),
        ((90, 0, 0), [0.15, 0.2, 0.02], 180),
        ((270, 90, 0), [0.15, 0.2, 0.02], -90),
        ((0, 37, 90), [0.2, 0.02, 0.15], 143),
        ((180, 10, 180), [0.15, 0.02, 0.2], -10),
        ((0.2, 0, 359.9), [0.15, 0.02, 0.2], 180),
    ]
    for turns, size, yaw in rows:
        book = {**WORKED["small_objects"][0], "assetId": "book", "rotation": foreign.corner(*turns)}
        found = converted({**WORKED, "objects": [], "small_objects": [book]}, sources=assets(tmp_path))
        one = objects(found)["mug-0|desk-0 (office)"]
        assert one["size"] == size, turns
        assert one["yaw"] == pytest.approx(yaw, abs=0.01), turns
        assert one["at"][2] == pytest.approx(0.801 - size[2] / 2), turns
        assert not any("tilts" in what for what in losses(found)), turns


def test_state_lays_a_flat_thing_flat(tmp_path: Path) -> None:
    book = {**WORKED["small_objects"][0], "assetId": "book", "rotation": foreign.corner(90, 0, 0)}
    (tmp_path / "book").mkdir()
    house = {**WORKED, "objects": [], "floor_objects": [], "small_objects": [book]}
    found = converted(house, sources=assets(tmp_path), to="state")
    placed = next(one for one in found.scene["scene"]["object"] if one["modelId"] == "objaverse.book")
    assert placed["transform"]["data"] == [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0.3, 1.4, 0.801, 1]
    assert placed["parentId"] == "desk-0 (office)"


def test_assets_of_another_version_than_their_footprints_are_named(tmp_path: Path) -> None:
    found = converted(WORKED, sources=assets(tmp_path, {**BOXES, "desk": (1.4, 0.75, 0.6)}))
    (told,) = [loss for loss in found.losses if "differ from footprints" in loss.what]
    assert (told.kind, told.names) == ("assumed", ("desk-0 (office)",))
    assert objects(found)["desk-0 (office)"]["size"] == [1.4, 0.6, 0.75]
    folders = [tmp_path / name for name in ("objaverse", "simulator")]
    for folder, names in zip(folders, (("painting", "mug"), ("chandelier",)), strict=True):
        folder.mkdir()
        assets(folder, {name: BOXES[name] for name in names})
    found = converted(WORKED, sources=sources_of([f"objathor={folder}" for folder in folders]))
    assert len(objects(found)) == 4


def test_opening_of_a_wall_that_is_not_in_the_file_lies_in_the_one_it_touches() -> None:
    window = {"id": "window|0", "wall0": "wall|office|east|2", "wall1": "wall|office|east|2|exterior",
              "holePolygon": [foreign.corner(0.5, 1, 0), foreign.corner(1.5, 2, 0)],
              "windowSegment": [[4, 2.5], [4, 1.5]]}  # fmt: skip
    parts = [
        {"id": f"wall|office|east|2|{number}", "polygon": foreign.board(4, 3 - start, 4, 1.5 - start)}
        for number, start in enumerate((0, 1.5))
    ]
    walls = [wall for wall in WORKED["walls"] if "east" not in wall["id"]] + parts
    found = converted({**WORKED, "walls": walls, "windows": [window]})
    openings = {wall["name"]: wall["openings"] for wall in found.scene["walls"]}
    assert openings["office|east|2|0"] == [{"kind": "window", "at": 0.5, "width": 1.0, "height": 1.0, "sill": 1.0}]
    assert openings["office|east|2|1"] == []
    assert losses(found)["openings whose walls are not in the file lie in those that they touch"] == 1
    corners = [foreign.corner(*one) for one in ((0, 0, 0), (4, 0, 3), (4, 0, 0), (0, 0, 3))]
    found = converted({**WORKED, "rooms": [{"id": "office", "floorPolygon": corners}]})
    assert losses(found)["outlines of floors, which cross themselves as they are stored"] == 1
    assert len(found.scene["floors"][0]["points"]) == 4


def test_a_thing_that_is_in_two_lists_is_taken_once_and_nested_ones_are_taken_too() -> None:
    mug = thing("mug-0", size={"x": 0.1, "y": 0.12, "z": 0.1})
    desk = thing("desk-0", position=foreign.corner(2, 0.4, 1), size={"x": 1, "y": 0.8, "z": 0.6}, children=[mug])
    found = objects(converted(foreign.holodeck(objects=[desk], floor_objects=[desk], small_objects=None)))
    assert list(found) == ["desk-0", "mug-0"]
    assert (found["mug-0"]["at"], found["mug-0"]["parent"]) == ([2.0, 1.0, 1.44], "desk-0")


def test_sizes_come_from_annotations_of_assets(tmp_path: Path) -> None:
    known = {
        "asset0": {"category": "bed", "description": "an oak bed", "thor_metadata": {
            "assetMetadata": {"boundingBox": {"min": {"x": -1, "y": 0, "z": 0}, "max": {"x": 1, "y": 0.7, "z": 2.2}}}}},
        "asset1": {"assetMetadata": {"boundingBox": {"x": 0.4, "y": 0.5, "z": 0.3}}},
    }  # fmt: skip
    (tmp_path / "annotations.json").write_text(json.dumps(known))
    found = objects(converted(foreign.holodeck(), sources=sources_of([f"objathor={tmp_path}"])))
    bed, nightstand, chair = found.values()
    assert (bed["size"], bed["description"]) == ([2.0, 2.2, 0.7], "an oak bed")
    assert nightstand["size"] == [0.4, 0.3, 0.5]
    assert chair["size"] == [0.5, 0.6, 0.9]


def test_an_asset_whose_id_leads_out_of_the_folder_is_only_known_by_the_tables_in_it(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "secret.glb").write_bytes(b"no mesh: reading it would fail")
    house = foreign.holodeck(objects=[thing("bed-0", assetId="../secret")], floor_objects=[])
    sources = sources_of([f"objathor={tmp_path / 'assets'}"])
    with pytest.raises(FileProblem, match="their sizes are not known"):
        converted(house, sources=sources)
    known = {"../secret": {"assetMetadata": {"boundingBox": {"x": 1.5, "y": 0.5, "z": 2}}}}
    (tmp_path / "assets/annotations.json").write_text(json.dumps(known))
    assert objects(converted(house, sources=sources))["bed-0"]["size"] == [1.5, 2, 0.5]


def test_without_segments_a_hole_is_counted_along_its_wall_and_from_an_outer_face_lies_in_the_inner_one() -> None:
    house = foreign.holodeck()
    door = house["doors"][0]
    del door["doorSegment"]
    for at in (0.5, 2.5):
        (south,) = [wall for wall in converted(house).scene["walls"] if "south" in wall["name"]]
        assert (south["from"], south["openings"][0]["at"], south["openings"][0]["width"]) == ([4.0, 0.0], at, 1.0)
        door["wall0"], door["wall1"] = door["wall1"], door["wall0"]


def test_a_door_between_two_rooms_is_in_the_wall_of_each_and_one_in_no_wall_is_lost_by_name() -> None:
    house = foreign.holodeck()
    house["walls"].append({"id": "wall|hall|north|0", "polygon": foreign.board(0, 0, 4, 0)})
    house["doors"][0]["wall1"] = "wall|hall|north|0"
    walls = {wall["name"]: wall["openings"] for wall in converted(house).scene["walls"]}
    assert [walls[name][0]["at"] for name in ("bedroom|south|0", "hall|north|0")] == [0.5, 2.5]
    house["doors"][0]["doorSegment"] = [[1, 1.5], [2, 1.5]]
    (lost,) = [loss for loss in converted(house).losses if "in no wall" in loss.what]
    assert lost.names == ("door|0|exterior|bedroom",)


def test_walls_are_put_around_floors_where_there_are_none() -> None:
    found = converted(foreign.holodeck(walls=[], doors=[], windows=[], wall_height=None))
    assert [wall["height"] for wall in found.scene["walls"]] == [2.6] * 4
    assert losses(found)["walls are 2.6 m high"] == 1


def test_a_house_without_any_size_is_refused_and_a_state_of_it_is_not() -> None:
    house = foreign.holodeck(objects=[thing("lamp-0")], floor_objects=[])
    house["objects"] = [thing("lamp-0")]
    with pytest.raises(FileProblem, match="none of its 1 objects can be placed") as refused:
        converted(house)
    assert "--assets" in refused.value.hint
    state = converted(house, to="state").scene["scene"]
    assert state["object"][0]["modelId"] == "objaverse.a1"
    assert state["object"][0]["transform"]["data"][12:15] == [2, 1, 1.5]


def test_holodeck_errors_name_object_and_field() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"objects": [{"id": "bed"}]}, "object bed: position: Field required"),
        ({"objects": [thing("bed", position=foreign.corner(0, 0, float("nan")))]}, "object bed: position: z"),
        ({"objects": [thing("bed", position=foreign.corner(1e9, 0, 0))]}, "object bed: position: x"),
        ({"objects": [thing("bed")] * 5001, "floor_objects": []}, "5,001 objects, and 5,000 are read at most"),
        ({"walls": 7}, "walls"),
        ({"doors": [7]}, "doors: 0"),
        ({"wall_height": -1}, "wall_height"),
    ]
    for change, said in rows:
        with refuses(FileProblem, said, change):
            converted(foreign.holodeck(**change))
