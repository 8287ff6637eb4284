"""Layouts of LayoutGPT: rules of CSS and records, units, and the room of the condition."""

from __future__ import annotations

from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import Converted, Options, SourceFile, Unconverted, converter_of
from tsgkit.suites.sceneeval.converters.layoutgpt import FIELDS
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of

BED = "bed {length: 2m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"


def all_of(text: str, **said: str) -> tuple[Converted | Unconverted, ...]:
    return converter_of("layoutgpt")(SourceFile.of("layout.txt", text), Options(said=said))


def converted(text: str, **said: str) -> Converted:
    return foreign.converted("layoutgpt", text, "layout.txt", said=said)


def first(found: Converted) -> dict[str, Any]:
    one: dict[str, Any] = found.scene["objects"][0]
    return one


def test_the_last_condition_counts_and_names_the_room() -> None:
    (found,) = all_of(foreign.text([foreign.layoutgpt_record()]))
    assert isinstance(found, Converted)
    assert (found.id, found.scene["floors"][0]["room"]) == ("7", "bedroom")
    assert found.scene["floors"][0]["points"][2] == [4.0, 3.0]


def test_without_a_condition_the_room_is_put_around_its_objects_or_is_as_one_says() -> None:
    bare = converted(BED)
    assert "floors" not in bare.scene
    assert "the size of the room" in told(bare)
    room = converted(BED, room="4mx300cm")
    assert (room.scene["floors"][0]["points"][2], first(room)["at"]) == ([4.0, 3.0], [1.0, 2.0, 0.0])


def test_pixels_need_a_length_and_are_the_unit_of_a_room_in_pixels() -> None:
    text = BED.replace("m;", "px;").replace("0.5px", "5px").replace("0.25px", "2.5px")
    with pytest.raises(FileProblem, match="lengths are pixels of unknown size"):
        converted(text)
    assert first(converted(text, **{"pixels-per-metre": "10"}))["size"] == [0.2, 0.1, 0.5]


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
    rows: list[str] = ["id,shorter_side\nBedroom-803,3.2\n", '{"0a1b_Bedroom-803": [4.0, 3.2]}']
    for table in rows:
        found = sized([PUBLISHED], table)
        bed, wardrobe, lamp = ({key: one.get(key) for key in ("category", "size", "at", "yaw", "held_by")}
                               for one in found.scene["objects"])  # fmt: skip
        assert bed == {"category": "double bed", "size": [1.8, 2.1, 0.9], "at": [2.0, 2.15, 0.0], "yaw": 0.0,
                       "held_by": "ground"}, table  # fmt: skip
        assert wardrobe["size"] == [1.2, 0.6, 2.2], table
        assert (wardrobe["at"], wardrobe["yaw"] % 360) == ([3.7, 1.2, 0.0], 270), table
        assert (lamp["size"], lamp["at"], lamp["held_by"]) == ([0.4, 0.4, 0.4], [2.0, 1.6, 2.0], "ceiling"), table
        assert found.scene["floors"][0]["points"][2] == [4.0, 3.2], table
        assert found.scene == converted(foreign.text([PUBLISHED]), **{"shorter-side": "3.2"}).scene, table


def test_scale_is_each_records_own() -> None:
    wide = {**PUBLISHED, "query_id": "Bedroom-1", "prompt": "Room Size: max length 400px, max width 160px"}
    records = foreign.text([PUBLISHED, wide])
    table = room_sizes_of("id,shorter_side\nBedroom-1,4\nBedroom-803,3.2\n", "sizes.csv")
    options = Options(room_sizes=table)
    one, other = converter_of("layoutgpt")(SourceFile.of("x.json", records), options)
    assert isinstance(one, Converted)
    assert isinstance(other, Converted)
    assert [scene.scene["floors"][0]["points"][2] for scene in (one, other)] == [[4.0, 3.2], [10.0, 4.0]]
    assert first(other)["size"] == [3.6, 4.2, 1.8]


def test_record_that_the_table_does_not_have_is_named_or_gets_the_stated_side() -> None:
    table = "id,shorter_side\nBedroom-1,4\n"
    with pytest.raises(FileProblem, match=r"sizes\.csv does not have its room") as refused:
        sized([PUBLISHED], table)
    assert "Bedroom-803" in refused.value.hint
    assert first(sized([PUBLISHED], table, **{"shorter-side": "3.2"}))["size"] == [1.8, 2.1, 0.9]


def test_two_scales_and_a_scale_without_the_room_in_its_own_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="say the same thing"):
        converted(foreign.text([PUBLISHED]), **{"shorter-side": "3", "pixels-per-metre": "75"})
    with pytest.raises(FileProblem, match="the size of its room in its own numbers is missing"):
        converted(BED, **{"shorter-side": "3"})


def test_metres_of_a_normalised_room_are_multiples_of_its_shorter_side() -> None:
    normalised = f"Room Size: max length 1.25m, max width 1.0m\n{BED}"
    with pytest.raises(FileProblem, match="multiples of the room's shorter side"):
        converted(normalised)
    assert first(converted(normalised, **{"shorter-side": "3.2"}))["size"] == [6.4, 3.2, 1.6]


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
    assert [one["id"] for one in found.scene["objects"]] == ["bed_1", "dining_table_1", "bed_2"]
    assert found.scene["objects"][1]["category"] == "dining table"
    assert "left out: lamp (width)" in told(found)
    assert "lost (1): lines with braces that are no rule" in told(found)


def test_a_bad_record_is_a_failure_of_its_own_and_rounds_are_told_apart() -> None:
    bad = {"query_id": "8", "object_list": [["bed", {"length": "wide"}]]}
    with pytest.raises(FileProblem, match=r"layout\.txt: .*object_list"):
        all_of(foreign.text([{"query_id": "8", "object_list": 7}]))
    good, failed = all_of(foreign.text([foreign.layoutgpt_record(), bad]))
    assert isinstance(good, Converted)
    assert isinstance(failed, Unconverted)
    assert "scene 8: no object has a whole size and place" in str(failed.problem)
    records = [{**foreign.layoutgpt_record(), "iter": number} for number in range(2)]
    assert [one.id for one in all_of(foreign.text(records))] == ["7-0", "7-1"]
    assert converted(foreign.text({**foreign.layoutgpt_record(), "object_list": []})).scene["objects"] == []
    with pytest.raises(UsageError, match="name no meshes"):
        converter_of("layoutgpt")(SourceFile.of("x.txt", BED), Options(to="state"))


def test_a_room_that_is_none_is_refused_and_a_size_that_is_none_leaves_its_thing_out() -> None:
    rows: list[str] = ["4", "axb", "0x3", "4x3x2", "1e9x3"]
    for room in rows:
        with refuses(UsageError, "LENGTHxWIDTH", room):
            converted(BED, room=room)
    numbers: list[str] = ["nan", "1e99", "99999999", "-2", "0"]
    for number in numbers:
        found = converted(f"{BED}\n{BED.replace('2m', number)}")
        assert len(found.scene["objects"]) == 1, number
        assert "left out" in told(found), number
