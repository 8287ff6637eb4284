"""Houses of Holodeck: sizes from wherever they are known, walls and openings, and what is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.assets import sources_of
from tsgkit.suites.sceneeval.converting import Converted, Given, Options, converter_of


def converted(house: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
    (found,) = converter_of("holodeck")(Given.of("house.json", foreign.text(house)), Options(**options))
    assert isinstance(found, Converted)
    return found


def objects(found: Converted) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in found.scene["objects"]}


def losses(found: Converted) -> dict[str, int]:
    return {loss.what: loss.count for loss in found.losses}


def thing(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    bare = {"id": name, "assetId": "a1", "position": foreign.corner(2, 1.5, 1), "rotation": foreign.corner(0, 0, 0)}
    return {**bare, **more}


def test_what_is_lost_assumed_and_ignored_is_said_with_counts() -> None:
    found = losses(converted(foreign.holodeck()))
    assert found["meshes, replaced by their boxes"] == 3
    assert found["outer faces of walls, whose inner faces are kept"] == 1
    assert found["fields of the scene"] == 1
    assert not any("stands on the floor" in what for what in found)


def test_a_thing_on_a_wall_whose_height_nobody_knows_is_left_out_by_name() -> None:
    picture = thing("picture-0", vertices=[[100, 295], [200, 295], [200, 300], [100, 300]])
    house = foreign.holodeck(wall_objects=[picture])
    house["objects"] = [*house["objects"], picture]
    found = converted(house)
    assert len(objects(found)) == 3
    (lost,) = [loss for loss in found.losses if "size is not known" in loss.what]
    assert (lost.kind, lost.count, lost.names) == ("lost", 1, ("picture-0",))


def test_a_thing_that_is_in_two_lists_is_taken_once_and_nested_ones_are_taken_too() -> None:
    mug = thing("mug-0", size={"x": 0.1, "y": 0.12, "z": 0.1})
    desk = thing("desk-0", position=foreign.corner(2, 0.4, 1), size={"x": 1, "y": 0.8, "z": 0.6}, children=[mug])
    found = objects(converted(foreign.holodeck(objects=[desk], floor_objects=[desk], small_objects=None)))
    assert list(found) == ["desk-0", "mug-0"]
    assert found["mug-0"]["at"] == [2.0, 1.0, 1.44]


def test_sizes_come_from_annotations_of_assets(tmp_path: Path) -> None:
    known = {
        "asset0": {"category": "bed", "description": "an oak bed", "thor_metadata": {
            "assetMetadata": {"boundingBox": {"min": {"x": -1, "y": 0, "z": 0}, "max": {"x": 1, "y": 0.7, "z": 2.2}}}}},
        "asset1": {"assetMetadata": {"boundingBox": {"x": 0.4, "y": 0.5, "z": 0.3}}},
    }  # fmt: skip
    (tmp_path / "annotations.json").write_text(json.dumps(known))
    found = objects(converted(foreign.holodeck(), sources=sources_of([f"objathor={tmp_path}"])))
    assert (found["bed-0"]["size"], found["bed-0"]["description"]) == ([2.0, 2.2, 0.7], "an oak bed")
    assert found["nightstand-0"]["size"] == [0.4, 0.3, 0.5]
    assert found["chair-0"]["size"] == [0.5, 0.6, 0.9]


def test_an_asset_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    house = foreign.holodeck(objects=[thing("bed-0", assetId="../../secret")], floor_objects=[])
    with pytest.raises(FileProblem, match="no id that a file can be named by"):
        converted(house, sources=sources_of([f"objathor={tmp_path}"]))


def test_the_margin_of_footprints_is_taken_off_where_that_is_asked_for() -> None:
    found = objects(converted(foreign.holodeck(), said={"footprint-margin": "0.1"}))
    assert found["bed-0"]["size"] == [1.5, 1.9, 0.6]


def test_without_segments_a_hole_is_counted_along_its_wall() -> None:
    house = foreign.holodeck()
    del house["doors"][0]["doorSegment"]
    (south,) = [wall for wall in converted(house).scene["walls"] if "south" in wall["name"]]
    assert (south["from"], south["openings"][0]["at"], south["openings"][0]["width"]) == ([4.0, 0.0], 0.5, 1.0)


def test_a_hole_counted_along_an_outer_face_lies_in_the_inner_one() -> None:
    house = foreign.holodeck()
    door = house["doors"][0]
    del door["doorSegment"]
    door["wall0"], door["wall1"] = door["wall1"], door["wall0"]
    (south,) = [wall for wall in converted(house).scene["walls"] if "south" in wall["name"]]
    assert south["openings"][0]["at"] == 2.5


def test_a_door_between_two_rooms_is_in_the_wall_of_each() -> None:
    house = foreign.holodeck()
    house["walls"].append({"id": "wall|hall|north|0", "polygon": foreign.board(0, 0, 4, 0)})
    house["doors"][0]["wall1"] = "wall|hall|north|0"
    walls = {wall["name"]: wall["openings"] for wall in converted(house).scene["walls"]}
    assert [walls[name][0]["at"] for name in ("bedroom|south|0", "hall|north|0")] == [0.5, 2.5]


def test_a_door_in_no_wall_is_lost_by_name() -> None:
    house = foreign.holodeck()
    house["doors"][0]["doorSegment"] = [[1, 1.5], [2, 1.5]]
    (lost,) = [loss for loss in converted(house).losses if "in no wall" in loss.what]
    assert lost.names == ("door|0|exterior|bedroom",)


def test_walls_are_put_around_floors_where_there_are_none() -> None:
    found = converted(foreign.holodeck(walls=[], doors=[], windows=[], wall_height=None))
    assert [wall["height"] for wall in found.scene["walls"]] == [2.6] * 4
    assert losses(found)["walls are 2.6 m high"] == 1


def test_a_tilt_is_lost_and_said() -> None:
    house = foreign.holodeck()
    house["objects"][0]["rotation"]["x"] = 20
    assert losses(converted(house))["tilts: only turns about the vertical are kept"] == 1


def test_a_house_without_any_size_is_refused_and_a_state_of_it_is_not() -> None:
    house = foreign.holodeck(objects=[thing("lamp-0")], floor_objects=[])
    house["objects"] = [thing("lamp-0")]
    with pytest.raises(FileProblem, match="none of its 1 objects can be placed") as refused:
        converted(house)
    assert "--assets" in refused.value.hint
    state = converted(house, to="state").scene["scene"]
    assert state["object"][0]["modelId"] == "objaverse.a1"
    assert state["object"][0]["transform"]["data"][12:15] == [2, 1, 1.5]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objects": [{"id": "bed"}]}, "object bed: position: Field required"),
        ({"objects": [thing("bed", position=foreign.corner(0, 0, float("nan")))]}, "object bed: position: z"),
        ({"objects": [thing("bed", position=foreign.corner(1e9, 0, 0))]}, "object bed: position: x"),
        ({"objects": [thing("bed")] * 5001, "floor_objects": []}, "5,001 objects, and 5,000 are read at most"),
        ({"walls": 7}, "walls"),
        ({"doors": [7]}, "doors: 0"),
        ({"wall_height": -1}, "wall_height"),
    ],
)
def test_what_is_wrong_is_said_with_object_and_field(change: dict[str, Any], said: str) -> None:
    with pytest.raises(FileProblem, match=said):
        converted(foreign.holodeck(**change))
