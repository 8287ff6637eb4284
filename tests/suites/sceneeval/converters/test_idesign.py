"""Scene graphs of I-Design: angles from the north, the room among the objects, and what things are on."""

from __future__ import annotations

from typing import Any

import foreign_scenes as foreign
from foreign_scenes import told
from refusals import refuses

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters import Converted


def converted(value: object) -> Converted:
    return foreign.converted("idesign", value, "scene_graph.json")


def thing(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    bare = {
        "new_object_id": name,
        "size_in_meters": {"length": 0.6, "width": 0.3, "height": 0.4},
        "position": foreign.corner(1.0, 2.5, 1.2),
        "rotation": {"z_angle": 90},
        "is_on_the_floor": False,
    }
    return {**bare, **more}


def on(room: str = "", thing_id: str = "", preposition: str = "on") -> dict[str, Any]:
    return {
        "placement": {
            "room_layout_elements": [{"layout_element_id": room, "preposition": preposition}] if room else [],
            "objects_in_room": [{"object_id": thing_id, "preposition": preposition}] if thing_id else [],
        }
    }


def last(*more: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = converted(foreign.idesign(*more)).scene["objects"][-1]
    return found


def test_worked_example_is_converted_number_by_number() -> None:
    """The size is length, width, height; 1.2 - 0.4 / 2 = 1.0; 90 from the north by the clock is 90 of ours: east."""
    one = last(thing("wall_shelf_2", **on("west_wall")))
    assert (one["id"], one["category"], one["size"]) == ("wall_shelf_2", "wall shelf", [0.6, 0.3, 0.4])
    assert (one["at"], one["yaw"], one["held_by"], one["parent"]) == ([1.0, 2.5, 1.0], 90.0, "wall", "west_wall")
    for angle, yaw in ((0, 180), (90, 90), (180, 0), (270, -90)):
        assert last(thing("lamp_1", rotation={"z_angle": angle}))["yaw"] == yaw, angle


def test_placement_on_an_object_makes_it_the_holder() -> None:
    rows: list[tuple[dict[str, Any], str | None, str | None]] = [
        (on(thing_id="bed_1"), "object", "bed_1"),
        (on("ceiling"), "ceiling", None),
        (on("middle of the room"), "ground", None),
        (on("north_wall", preposition="in the corner"), None, None),
        (on(thing_id="bed_1", preposition="left of"), None, None),
        ({}, None, None),
    ]
    for placement, held_by, parent in rows:
        one = last(thing("lamp_1", **placement))
        assert (one.get("held_by"), one.get("parent")) == (held_by, parent), placement
    found = converted(foreign.idesign(thing("lamp_1", **on(thing_id="desk_1"))))
    assert "parents that are not in the room: lamp_1 on desk_1" in told(found)
    assert "parent" not in found.scene["objects"][-1]


def test_room_is_not_among_the_objects_and_is_as_large_as_its_middle() -> None:
    found = converted(foreign.idesign())
    assert [one["id"] for one in found.scene["objects"]] == ["bed_1", "nightstand_1", "chair_1"]
    assert {(wall["name"], wall["height"]) for wall in found.scene["walls"]} == {
        (f"{side}_wall", 2.7) for side in ("south", "east", "north", "west")
    }
    bare = converted([thing("lamp_1")])
    assert "floors" not in bare.scene
    assert "the size of the room" in told(bare)


def test_thing_without_a_place_or_a_size_is_left_out_by_name() -> None:
    unplaced = {key: value for key, value in thing("vase_1").items() if key != "position"}
    found = converted(foreign.idesign(unplaced, thing("rug_1", size_in_meters=None)))
    assert len(found.scene["objects"]) == 3
    assert "objects that have no place, left out: vase_1" in told(found)
    assert "objects whose size is not known, left out: rug_1 (size_in_meters)" in told(found)


def test_fault_is_named_with_object_and_field() -> None:
    rows: list[tuple[Any, str]] = [
        (thing("a", position={"x": 1e99}), "object a: position: x"),
        (thing("a", size_in_meters={"length": 1}), "object a: size_in_meters: width: Field required"),
        (thing("a", placement={"objects_in_room": [{}]}), "object a: placement: objects_in_room: 0: object_id"),
        ({"position": {}}, "object number 9: new_object_id"),
        (7, "object number 9"),
    ]
    for one, said in rows:
        with refuses(FileProblem, f"scene_graph.json: {said}", one):
            converted(foreign.idesign(one))
