"""Records of LayoutGPT and ATISS, scenes of HSM and scene graphs of I-Design: units, angles, and what holds things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import (
    Batch,
    Converted,
    Options,
    SourceFile,
    Unconverted,
    convert_each,
    converter_of,
    entries_of,
)
from tsgkit.suites.sceneeval.converters.layoutgpt import FIELDS
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of

BED = "bed {length: 2m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"


def all_of(text: str, **said: str) -> tuple[Converted | Unconverted, ...]:
    return converter_of("layoutgpt")(SourceFile.of("layout.txt", text), Options(said=said))


def converted(text: str, **said: str) -> Converted:
    return foreign.converted("layoutgpt", text, "layout.txt", said=said)


def first(found: Converted) -> dict[str, Any]:
    one: dict[str, Any] = found.scene["objects"][0]
    return one


def test_the_last_condition_names_the_room_and_without_one_it_is_as_one_says_or_around_its_objects() -> None:
    (found,) = all_of(foreign.text([foreign.layoutgpt_record()]))
    assert isinstance(found, Converted)
    [floor] = found.scene["floors"]
    assert (found.id, floor["room"], floor["points"][2]) == ("7", "bedroom", [4.0, 3.0])
    bare = converted(BED)
    assert "floors" not in bare.scene
    assert "the size of the room" in told(bare)
    room = converted(BED, room="4mx300cm")
    assert (room.scene["floors"][0]["points"][2], first(room)["at"]) == ([4.0, 3.0], [1.0, 2.0, 0.0])
    for said in ("4", "axb", "0x3", "4x3x2", "1e9x3"):
        with refuses(UsageError, "LENGTHxWIDTH", said):
            converted(BED, room=said)


def test_units_angles_and_corners_become_metres_degrees_and_middles() -> None:
    rows: list[tuple[str, float]] = [("cm", 0.01), ("mm", 0.001), ("", 1.0)]
    for unit, metres in rows:
        found = converted(BED.replace("m;", f"{unit};"))
        assert first(found)["size"] == [2 * metres, 1 * metres, 0.5 * metres], unit
    assert first(converted(BED.replace("0 degrees", "450 degrees")))["yaw"] == 90
    assert first(converted(BED.replace("0 degrees", "3.14159265 rad")))["yaw"] == pytest.approx(180, abs=1e-4)
    assert first(converted(BED, room="4x3", place="corner"))["at"] == [2.0, 1.5, 0.0]
    record = foreign.layoutgpt_record(unit="px", scale=64)
    pixels = converted(foreign.text(record), **{"pixels-per-metre": "64"})
    assert first(pixels)["size"] == [1.6, 2.0, 0.6]
    assert "numbers without a unit are px" in told(pixels)
    text = BED.replace("m;", "px;").replace("0.5px", "5px").replace("0.25px", "2.5px")
    with pytest.raises(FileProblem, match="lengths are pixels of unknown size"):
        converted(text)
    assert first(converted(text, **{"pixels-per-metre": "10"}))["size"] == [0.2, 0.1, 0.5]
    normalised = f"Room Size: max length 1.25m, max width 1.0m\n{BED}"
    with pytest.raises(FileProblem, match="multiples of the room's shorter side"):
        converted(normalised)
    assert first(converted(normalised, **{"shorter-side": "3.2"}))["size"] == [6.4, 3.2, 1.6]
    low = BED.replace("0.25m", "0m")
    assert first(converted(low))["at"][2] == -0.25
    assert first(converted(low, depth="underside")) == first(converted(BED))


PUBLISHED = {
    "query_id": "0a1b_Bedroom-803",
    "iter": 0,
    "prompt": "Room Type: bedroom\nRoom Size: max length 320px, max width 256px",
    "object_list": [
        [name, dict(zip(FIELDS, values, strict=True))]
        for name, values in {
            "double_bed": (144.0, 168.0, 72.0, 160.0, 84.0, 36.0, 0.0),
            "wardrobe": (96.0, 48.0, 176.0, 296.0, 160.0, 88.0, -90.0),
            "pendant_lamp": (32.0, 32.0, 32.0, 160.0, 128.0, 176.0, 0.0),
        }.items()
    ],
}
"""The worked example: 320 by 256 pixels, and really 3.2 m wide."""


def sized(record: object, table: str, **said: str) -> Converted:
    sizes = room_sizes_of(table, "sizes.csv")
    return foreign.converted("layoutgpt", record, "records.json", said=said, room_sizes=sizes)


def test_worked_example_is_converted_number_by_number() -> None:
    for table in ("id,shorter_side\nBedroom-803,3.2\n", '{"0a1b_Bedroom-803": [4.0, 3.2]}'):
        found = sized([PUBLISHED], table)
        fields = ("category", "size", "at", "yaw", "held_by")
        bed, wardrobe, lamp = ([one.get(key) for key in fields] for one in found.scene["objects"])
        assert bed == ["double bed", [1.8, 2.1, 0.9], [2.0, 2.15, 0.0], 0.0, "ground"], table
        assert wardrobe == ["wardrobe", [1.2, 0.6, 2.2], [3.7, 1.2, 0.0], -90, "ground"], table
        assert lamp == ["pendant lamp", [0.4, 0.4, 0.4], [2.0, 1.6, 2.0], 0, "ceiling"], table
        assert found.scene["floors"][0]["points"][2] == [4.0, 3.2], table
        assert found.scene == converted(foreign.text([PUBLISHED]), **{"shorter-side": "3.2"}).scene, table


def test_scale_is_each_records_own_from_the_table_or_the_stated_side() -> None:
    wide = {**PUBLISHED, "query_id": "Bedroom-1", "prompt": "Room Size: max length 400px, max width 160px"}
    table = "id,shorter_side\nBedroom-1,4\nBedroom-803,3.2\n"
    options = Options(room_sizes=room_sizes_of(table, "sizes.csv"))
    one, other = converter_of("layoutgpt")(SourceFile.of("x.json", foreign.text([PUBLISHED, wide])), options)
    assert isinstance(one, Converted) and isinstance(other, Converted)
    assert [scene.scene["floors"][0]["points"][2] for scene in (one, other)] == [[4.0, 3.2], [10.0, 4.0]]
    assert first(other)["size"] == [3.6, 4.2, 1.8]
    table = "id,shorter_side\nBedroom-1,4\n"
    with pytest.raises(FileProblem, match=r"sizes\.csv does not have its room") as refused:
        sized([PUBLISHED], table)
    assert "Bedroom-803" in refused.value.hint
    assert first(sized([PUBLISHED], table, **{"shorter-side": "3.2"}))["size"] == [1.8, 2.1, 0.9]
    with pytest.raises(UsageError, match="say the same thing"):
        converted(foreign.text([PUBLISHED]), **{"shorter-side": "3", "pixels-per-metre": "75"})
    with pytest.raises(FileProblem, match="the size of its room in its own numbers is missing"):
        converted(BED, **{"shorter-side": "3"})


def test_undersides_near_the_floor_stand_on_it_and_lines_with_all_zeros_are_left_out() -> None:
    rows: list[tuple[float, float]] = [(37.4, 0), (34.6, 0), (37.5, 0.01875), (34, -0.025)]
    for depth, level in rows:
        bed = {**PUBLISHED["object_list"][0][1], "depth": depth}  # type: ignore[index]
        record = {**PUBLISHED, "object_list": [["double_bed", bed]]}
        found = converted(foreign.text([record]), **{"shorter-side": "3.2"})
        assert first(found)["at"][2] == pytest.approx(level), depth
    zeros = ["chair_", dict.fromkeys(FIELDS, 0.0)]
    record = {**PUBLISHED, "object_list": [*PUBLISHED["object_list"], zeros, zeros]}  # type: ignore[misc]
    found = converted(foreign.text([record]), **{"shorter-side": "3.2"})
    assert len(found.scene["objects"]) == 3
    assert "lost (2): lines that the generator could not read and kept with all values 0, left out: chair_" in told(
        found
    )


def test_lamp_on_a_table_lies_on_it_and_thin_things_at_one_place_do_not() -> None:
    table = "table {length: 1m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"
    lamp = "lamp {length: 0.2m; width: 0.2m; height: 0.4m; left: 1.2m; top: 1m; depth: 0.7m; orientation: 0 degrees;}"
    one, other = converted(f"{table}\n{lamp}").scene["objects"]
    assert (one["held_by"], other["held_by"], other["parent"]) == ("ground", "object", "table_1")
    sheet = "sheet {length: 1m; width: 1m; height: 0.004m; left: 1m; top: 1m; depth: 0.802m; orientation: 0 degrees;}"
    assert [one.get("parent") for one in converted(f"{sheet}\n{sheet}").scene["objects"]] == [None, None]
    for text in (BED, foreign.text(BED)):
        found = converter_of("layoutgpt")(SourceFile.of("803.json", text), Options())[0]
        assert isinstance(found, Converted)
        assert first(found)["size"] == [2.0, 1.0, 0.5]


def test_lines_that_models_write_are_read_and_what_cannot_be_is_counted() -> None:
    spaced = BED.replace("2m", "2 m")
    text = f"```css\n- {BED}\n2. dining_table_1 : {BED[4:]}\nlamp {{length: 1m}}\nrug {{?}}\n{spaced}\n```"
    found = converted(text)
    assert [(one["id"], one["category"]) for one in found.scene["objects"]] == [
        ("bed_1", "bed"), ("dining_table_1", "dining table"), ("bed_2", "bed")
    ]  # fmt: skip
    assert "left out: lamp (width)" in told(found)
    assert "lost (1): lines with braces that are no rule" in told(found)
    for number in ("nan", "1e99", "99999999", "-2", "0"):
        found = converted(f"{BED}\n{BED.replace('2m', number)}")
        assert (len(found.scene["objects"]), "left out" in told(found)) == (1, True), number


def test_a_bad_record_is_a_failure_of_its_own_and_rounds_are_told_apart() -> None:
    bad = {"query_id": "8", "object_list": [["bed", {"length": "wide"}]]}
    good, failed = all_of(foreign.text([foreign.layoutgpt_record(), bad]))
    assert isinstance(good, Converted) and isinstance(failed, Unconverted)
    assert "scene 8: no object has a whole size and place" in str(failed.problem)
    good, failed = of_atiss([record(), record(["bed", {**HALF, "width": 0}], query_id="Bedroom-9")])
    assert isinstance(good, Converted) and isinstance(failed, Unconverted)
    assert "scene Bedroom-9: object number 1: 1: width" in str(failed.problem)
    records = [{**foreign.layoutgpt_record(), "iter": number} for number in range(2)]
    assert [one.id for one in all_of(foreign.text(records))] == ["7-0", "7-1"]
    assert converted(foreign.text({**foreign.layoutgpt_record(), "object_list": []})).scene["objects"] == []


HALF = dict(zip(FIELDS, (0.8, 1.0, 0.3, -0.5, -0.25, 0.3, math.pi / 2), strict=True))


def record(*more: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    named = {"id": "0a1b_Bedroom-803", "query_id": "Bedroom-803", "centroid": [2.5, 7.0]}
    return {**named, "object_list": [["double_bed", HALF], *more], **fields}


def of_atiss(value: object, table: str = "") -> tuple[Converted | Unconverted, ...]:
    sizes = room_sizes_of(table, "sizes.json") if table else None
    return converter_of("atiss")(SourceFile.of("boxes.json", foreign.text(value)), Options(room_sizes=sizes))


def one_of_atiss(value: object, table: str = "") -> Converted:
    (found,) = of_atiss(value, table)
    assert isinstance(found, Converted)
    return found


def test_record_of_atiss_lies_on_its_floor_number_by_number() -> None:
    """left' = -0.5 + 2.5 - 1 = 1; top' = -0.25 + 7 - 5 = 1.75, and the floor is 4 m deep, so y is 2.25."""
    found = one_of_atiss([record()], '{"Bedroom-803": {"corners": [[1, 5], [1, 9], [5, 9], [5, 5]]}}')
    (bed,) = found.scene["objects"]
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == ("double bed", [1.6, 2.0, 0.6], [1, 2.25, 0], 90)
    assert (found.id, sorted(found.scene["floors"][0]["points"])) == ("Bedroom-803", [[0, 0], [0, 4], [4, 0], [4, 4]])
    ell = '{"Bedroom-803": {"corners": [[0, 5], [0, 9], [5, 9], [5, 7], [3, 7], [3, 5]]}}'
    found = one_of_atiss(record(), ell)
    assert sorted(found.scene["floors"][0]["points"]) == [[0, 0], [0, 4], [3, 2], [3, 4], [5, 0], [5, 2]]
    assert found.scene["objects"][0]["at"][:2] == [2.0, 2.25]
    found = one_of_atiss(record(), '{"0a1b_Bedroom-803": [4, 3]}')
    assert found.scene["objects"][0]["at"] == [1.5, 1.75, 0.0]
    assert "the centroid of the floor is the middle of a rectangle" in told(found)
    for table, why in (
        ("", "none given"),
        ('{"Bedroom-1": [4, 3]}', "no such room"),
        ('{"Bedroom-803": 3}', "no length and width"),
    ):
        found = one_of_atiss(record(["pendant_lamp", {**HALF, "depth": 2.2}]), table)
        bed, lamp = found.scene["objects"]
        assert (bed["at"], lamp["held_by"], "floors" in found.scene) == ([-0.5, 0.25, 0.0], "ceiling", False), table
        assert f"(--room-sizes: {why})" in told(found), table


FIRST = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 2, 0, 1]
SECOND = [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2.5, 2, 0, 1]


def state(*matrices: Sequence[float], **arch: Any) -> dict[str, Any]:  # noqa: ANN401
    listed = [
        {"id": str(number), "modelId": f"fpModel.m{number}", "index": number, "transform": {"data": data}}
        for number, data in enumerate(matrices)
    ]
    return {"format": "sceneState", "scene": {"version": "scene@1.0.2", "object": listed, **arch}}


def meshes(folder: Path, size: tuple[float, float, float], middle: tuple[float, float, float]) -> tuple[FolderSource]:
    """Return a folder of HSSD with one mesh, of a width, height and depth."""
    import trimesh

    mesh = trimesh.creation.box(size)
    mesh.apply_translation(middle)
    (folder / "glb" / "m").mkdir(parents=True)
    for number in range(2):
        (folder / "glb" / "m" / f"m{number}.glb").write_bytes(mesh.export(file_type="glb"))
    (folder / "fpmodels.csv").write_text("id,wnsynsetkey,name,up,front\nm0,sofa.n.01,Arc,,\n")
    (source,) = sources_of([f"hssd={folder}"])
    return (source,)


def of_hsm(value: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
    return foreign.converted("hsm", value, "stk_scene_state.json", **options)


def test_worked_example_is_converted_number_by_number_and_the_origin_of_a_mesh_is_measured(tmp_path: Path) -> None:
    tilted = [1, 0, 0, 0, 0, 0.6, 0.8, 0, 0, -0.8, 0.6, 0, 1, 2, 0, 1]
    found = of_hsm(state(FIRST, SECOND), sources=meshes(tmp_path / "a", (2, 0.8, 1), (0, 0.4, 0)))
    one, other = found.scene["objects"]
    assert (one["at"], one["yaw"], one["size"], one["category"]) == ([1.0, 2.0, 0.0], 90.0, [2.0, 1.0, 0.8], "sofa")
    assert (other["at"], other["yaw"]) == ([2.5, 2.0, 0.0], 180.0)
    sources = meshes(tmp_path / "b", (2, 0.8, 1), (0.5, 0.3, 0.25))
    assert of_hsm(state(FIRST), sources=sources).scene["objects"][0]["at"] == [1.25, 2.5, -0.1]
    assert "tilts: boxes stand upright: sofa_1" in told(of_hsm(state(tilted), sources=sources))


def test_sizes_kinds_and_parents_come_from_the_other_file_and_openings_from_the_state() -> None:
    summary = foreign.hsm_summary()
    things = summary["scene_objects"]
    things[2] = {**things[2], "obj_type": "wall", "parent_name": None, "wall_id": "wall_1"}
    things[1] = {**things[1], "obj_type": "small", "parent_name": "bed_1"}
    companion = SourceFile.of("hsm_scene_state.json", foreign.text(summary))
    bed, nightstand, chair = of_hsm(foreign.hsm_state(), companion=companion).scene["objects"]
    assert (bed["id"], bed["size"], bed["held_by"]) == ("bed_1", [1.6, 2.0, 0.6], "ground")
    assert (nightstand["held_by"], nightstand["parent"], chair["held_by"]) == ("object", "bed_1", "wall")
    alone = converter_of("hsm")(companion, Options())[0]
    assert isinstance(alone, Converted)
    assert [one["at"] for one in alone.scene["objects"]] == [one["at"] for one in (bed, nightstand, chair)]
    companion = SourceFile.of("hsm_scene_state.json", foreign.text(foreign.hsm_summary()))
    walls = of_hsm(foreign.hsm_state(), companion=companion).scene["walls"]
    assert walls[0]["openings"] == [{"kind": "door", "at": 2.5, "width": 1.0, "height": 2.1, "sill": 0.0}]


def test_state_alone_or_with_an_object_at_another_place_asks_for_meshes_or_the_other_file() -> None:
    with pytest.raises(FileProblem, match="none of its 3 objects can be placed") as refused:
        of_hsm(foreign.hsm_state())
    assert "--assets" in refused.value.hint
    summary = foreign.hsm_summary()
    summary["scene_objects"][0]["position"] = [3, 0, 1]
    found = of_hsm(foreign.hsm_state(), companion=SourceFile.of("h.json", foreign.text(summary)))
    assert len(found.scene["objects"]) == 2
    assert "(its mesh is needed: --assets hssd=DIR, or hsm_scene_state.json: --with)" in told(found)


def test_folder_with_both_files_is_one_scene_and_no_state(tmp_path: Path) -> None:
    (tmp_path / "run_7").mkdir()
    for name, value in (("stk", foreign.hsm_state()), ("hsm", foreign.hsm_summary())):
        (tmp_path / "run_7" / f"{name}_scene_state.json").write_text(foreign.text(value))
    (outcome,) = convert_each(entries_of(tmp_path), Batch())
    assert [(scene.id, scene.objects) for scene in outcome.scenes] == [("7", 3)]
    assert "the file that lies beside" in told(outcome.scenes[0])
    with pytest.raises(UsageError, match="scored as they are"):
        of_hsm(foreign.hsm_state(), to="state")


def of_idesign(value: object) -> Converted:
    return foreign.converted("idesign", value, "scene_graph.json")


def piece(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
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
    found: dict[str, Any] = of_idesign(foreign.idesign(*more)).scene["objects"][-1]
    return found


def test_worked_example_of_idesign_is_converted_number_by_number() -> None:
    """The size is length, width, height; 1.2 - 0.4 / 2 = 1.0; 90 from the north by the clock is 90 of ours: east."""
    one = last(piece("wall_shelf_2", **on("west_wall")))
    assert (one["id"], one["category"], one["size"]) == ("wall_shelf_2", "wall shelf", [0.6, 0.3, 0.4])
    assert (one["at"], one["yaw"], one["held_by"], one["parent"]) == ([1.0, 2.5, 1.0], 90.0, "wall", "west_wall")
    for angle, yaw in ((0, 180), (90, 90), (180, 0), (270, -90)):
        assert last(piece("lamp_1", rotation={"z_angle": angle}))["yaw"] == yaw, angle


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
        one = last(piece("lamp_1", **placement))
        assert (one.get("held_by"), one.get("parent")) == (held_by, parent), placement
    found = of_idesign(foreign.idesign(piece("lamp_1", **on(thing_id="desk_1"))))
    assert "parents that are not in the room: lamp_1 on desk_1" in told(found)
    assert "parent" not in found.scene["objects"][-1]


def test_room_is_not_among_the_objects_and_is_as_large_as_its_middle() -> None:
    found = of_idesign(foreign.idesign())
    assert [one["id"] for one in found.scene["objects"]] == ["bed_1", "nightstand_1", "chair_1"]
    assert {(wall["name"], wall["height"]) for wall in found.scene["walls"]} == {
        (f"{side}_wall", 2.7) for side in ("south", "east", "north", "west")
    }
    unplaced = {key: value for key, value in piece("vase_1").items() if key != "position"}
    found = of_idesign(foreign.idesign(unplaced, piece("rug_1", size_in_meters=None)))
    assert len(found.scene["objects"]) == 3
    assert "objects that have no place, left out: vase_1" in told(found)
    assert "objects whose size is not known, left out: rug_1 (size_in_meters)" in told(found)
    bare = of_idesign([piece("lamp_1")])
    assert "floors" not in bare.scene
    assert "the size of the room" in told(bare)
