"""Records of ATISS: half sizes in metres about the centroid of the floor, and radians."""

from __future__ import annotations

import math
from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import Converted, Options, SourceFile, Unconverted, converter_of
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of

BED = {"length": 0.8, "width": 1.0, "height": 0.3, "left": -0.5, "top": -0.25, "depth": 0.3, "orientation": math.pi / 2}


def record(*more: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    named = {"id": "0a1b_Bedroom-803", "query_id": "Bedroom-803", "centroid": [2.5, 7.0]}
    return {**named, "object_list": [["double_bed", BED], *more], **fields}


def all_of(value: object, table: str = "") -> tuple[Converted | Unconverted, ...]:
    sizes = room_sizes_of(table, "sizes.json") if table else None
    return converter_of("atiss")(SourceFile.of("boxes.json", foreign.text(value)), Options(room_sizes=sizes))


def converted(value: object, table: str = "") -> Converted:
    (found,) = all_of(value, table)
    assert isinstance(found, Converted)
    return found


def test_worked_example_is_converted_number_by_number() -> None:
    """left' = -0.5 + 2.5 - 1 = 1; top' = -0.25 + 7 - 5 = 1.75, and the floor is 4 m deep, so y is 2.25."""
    corners = '{"Bedroom-803": {"corners": [[1, 5], [1, 9], [5, 9], [5, 5]]}}'
    found = converted([record()], corners)
    (bed,) = found.scene["objects"]
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == ("double bed", [1.6, 2.0, 0.6], [1, 2.25, 0], 90)
    assert (found.id, sorted(found.scene["floors"][0]["points"])) == ("Bedroom-803", [[0, 0], [0, 4], [4, 0], [4, 4]])


def test_outline_keeps_its_corners() -> None:
    found = converted(record(), '{"Bedroom-803": {"corners": [[0, 5], [0, 9], [5, 9], [5, 7], [3, 7], [3, 5]]}}')
    points = found.scene["floors"][0]["points"]
    assert sorted(points) == [[0, 0], [0, 4], [3, 2], [3, 4], [5, 0], [5, 2]]
    assert found.scene["objects"][0]["at"][:2] == [2.0, 2.25]
    lamp = ["pendant_lamp", {**BED, "depth": 2.2}]
    assert converted(record(lamp)).scene["objects"][1]["held_by"] == "ceiling"


def test_sides_alone_put_the_centroid_in_the_middle() -> None:
    found = converted(record(), '{"0a1b_Bedroom-803": [4, 3]}')
    assert found.scene["objects"][0]["at"] == [1.5, 1.75, 0.0]
    assert "the centroid of the floor is the middle of a rectangle" in told(found)


def test_floor_that_nobody_knows_is_lost_and_said() -> None:
    rows: list[tuple[str, str]] = [
        ("", "none given"),
        ('{"Bedroom-1": [4, 3]}', "no such room"),
        ('{"Bedroom-803": 3}', "no length and width"),
    ]
    for table, why in rows:
        found = converted(record(), table)
        assert found.scene["objects"][0]["at"] == [-0.5, 0.25, 0.0], table
        assert "floors" not in found.scene, table
        assert f"(--room-sizes: {why})" in told(found), table


def test_record_that_cannot_be_read_is_a_failure_of_its_own() -> None:
    bad = record(["bed", {**BED, "width": 0}], query_id="Bedroom-9")
    good, failed = all_of([record(), bad])
    assert isinstance(good, Converted)
    assert isinstance(failed, Unconverted)
    assert "scene Bedroom-9: object number 1: 1: width" in str(failed.problem)


def test_fault_is_named_with_its_field() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        ({"centroid": [1]}, "centroid"),
        ({"object_list": 7}, "object_list"),
        ({"centroid": [1, 1e99]}, "centroid"),
    ]
    for fields, said in rows:
        with refuses(FileProblem, f"boxes.json: {said}", fields):
            converted(record(**fields))
    with pytest.raises(UsageError, match="files of atiss name no meshes"):
        converter_of("atiss")(SourceFile.of("x.json", foreign.text([record()])), Options(to="state"))
