"""Layouts of LayoutGPT: rules of CSS and records, units, and the room of the condition."""

from __future__ import annotations

from typing import Any

import foreign_scenes as foreign
import pytest

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converting import Converted, Given, Options, Unconverted, converter_of

BED = "bed {length: 2m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"


def all_of(text: str, **said: str) -> tuple[Converted | Unconverted, ...]:
    return converter_of("layoutgpt")(Given.of("layout.txt", text), Options(said=said))


def converted(text: str, **said: str) -> Converted:
    (found,) = all_of(text, **said)
    assert isinstance(found, Converted)
    return found


def told(found: Converted) -> str:
    return "\n".join(map(str, found.losses))


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


def test_pixels_need_a_length_and_get_it() -> None:
    text = BED.replace("m;", "px;").replace("0.5px", "5px").replace("0.25px", "2.5px")
    with pytest.raises(FileProblem, match="how long a pixel is"):
        converted(text)
    assert first(converted(text, **{"pixels-per-metre": "10"}))["size"] == [0.2, 0.1, 0.5]


@pytest.mark.parametrize(("unit", "metres"), [("cm", 0.01), ("mm", 0.001), ("", 1.0)])
def test_units_become_metres(unit: str, metres: float) -> None:
    found = converted(BED.replace("m;", f"{unit};"))
    assert first(found)["size"] == [2 * metres, 1 * metres, 0.5 * metres]


def test_numbers_without_a_unit_have_that_of_their_room() -> None:
    record = foreign.layoutgpt_record(unit="px", scale=64)
    (found,) = all_of(foreign.text(record), **{"pixels-per-metre": "64"})
    assert isinstance(found, Converted)
    assert first(found)["size"] == [1.6, 2.0, 0.6]
    assert "numbers without a unit are px" in told(found)


def test_depth_is_told_by_what_stands_on_the_floor_or_by_the_person() -> None:
    low = BED.replace("0.25m", "0m")
    assert first(converted(low)) == first(converted(BED))
    assert "depth is the height of undersides" in told(converted(low))
    assert first(converted(low, depth="middle"))["at"][2] == -0.25


def test_left_and_top_may_be_of_corners() -> None:
    assert first(converted(BED, room="4x3", place="corner"))["at"] == [2.0, 1.5, 0.0]


def test_lines_that_models_write_are_read_and_what_cannot_be_is_counted() -> None:
    spaced = BED.replace("2m", "2 m")
    text = f"```css\n- {BED}\n2. dining_table_1 : {BED[4:]}\nlamp {{length: 1m}}\nrug {{?}}\n{spaced}\n```"
    found = converted(text)
    assert [one["id"] for one in found.scene["objects"]] == ["bed_1", "dining_table_1", "bed_2"]
    assert found.scene["objects"][1]["category"] == "dining table"
    assert "left out: lamp (width)" in told(found)
    assert "lost (1): lines with braces that are no rule" in told(found)


def test_radians_and_more_than_a_turn_become_degrees() -> None:
    assert first(converted(BED.replace("0 degrees", "450 degrees")))["yaw"] == 90
    assert first(converted(BED.replace("0 degrees", "3.14159265 rad")))["yaw"] == pytest.approx(180, abs=1e-4)


def test_a_record_that_cannot_be_converted_is_a_failure_of_its_own() -> None:
    bad = {"query_id": "8", "object_list": [["bed", {"length": "wide"}]]}
    good, failed = all_of(foreign.text([foreign.layoutgpt_record(), bad]))
    assert isinstance(good, Converted)
    assert isinstance(failed, Unconverted)
    assert "scene 8: no object has a whole size and place" in str(failed.problem)


def test_several_answers_to_one_query_are_told_apart_by_their_round() -> None:
    records = [{**foreign.layoutgpt_record(), "iter": number} for number in range(2)]
    assert [one.id for one in all_of(foreign.text(records))] == ["7-0", "7-1"]


def test_an_empty_answer_is_an_empty_room() -> None:
    assert converted(foreign.text({**foreign.layoutgpt_record(), "object_list": []})).scene["objects"] == []


def test_layouts_become_rooms_only() -> None:
    with pytest.raises(UsageError, match="name no meshes"):
        converter_of("layoutgpt")(Given.of("x.txt", BED), Options(to="state"))


@pytest.mark.parametrize("room", ["4", "axb", "0x3", "4x3x2", "1e9x3"])
def test_a_room_that_is_none_is_refused(room: str) -> None:
    with pytest.raises(UsageError, match="LENGTHxWIDTH"):
        converted(BED, room=room)


@pytest.mark.parametrize("number", ["nan", "1e99", "99999999", "-2", "0"])
def test_a_size_that_is_none_leaves_its_thing_out(number: str) -> None:
    found = converted(f"{BED}\n{BED.replace('2m', number)}")
    assert len(found.scene["objects"]) == 1
    assert "left out" in told(found)
