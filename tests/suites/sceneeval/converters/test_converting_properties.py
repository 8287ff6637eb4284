"""Whatever a file holds, it becomes a room that can be read, or an error in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.suites.sceneeval.converters import Converted, Options, SourceFile, converter_of, known_converters
from tsgkit.suites.sceneeval.converters.batches import text_of
from tsgkit.suites.sceneeval.converters.css import rules_of
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.simple import read_simple

KEYS = (
    "rooms floorPolygon walls polygon doors holePolygon doorSegment objects assetId position rotation vertices x y z"
    " boundary floor_vertices assets scale object_list query_id prompt length left children id size assetMetadata"
    " category centroid format scene object modelId index transform data arch elements points scene_objects dimensions"
    " room_vertices new_object_id size_in_meters placement height"
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS.split()) | st.text(max_size=4), inner)
    ),
    max_leaves=25,
)
SCRAPS = st.sampled_from(
    ["bed ", "{", "}", "length: ", "left:", "1.5m", "px", ";", "\n", "90 degrees", "max length 3m, ", "max width 4px",
     "orientation:", "-", "1e9", "?", ", ", "height:0.5m;"]
)  # fmt: skip
ROWS = st.sampled_from(["id,shorter_side", "id,length,width", "a,3", "a,3,4", "b_a,nan", '"', "c,1e999", ",", "a"])
STARTS = {
    "holodeck": foreign.holodeck(),
    "layoutvlm": foreign.layoutvlm_layout(),
    "layoutgpt": [foreign.layoutgpt_record()],
    "atiss": [foreign.atiss_record()],
    "hsm": foreign.hsm_state(),
    "idesign": foreign.idesign(),
}
COMPANIONS = {
    "layoutvlm": SourceFile.of("config.json", foreign.text(foreign.layoutvlm_config())),
    "hsm": SourceFile.of("hsm_scene_state.json", foreign.text(foreign.hsm_summary())),
}


def outcome_of(name: str, text: str, to: str = "room", companion: SourceFile | None = None) -> None:
    """Convert a text: what comes out can be read, and nothing but an error in words is raised."""
    beside = companion or COMPANIONS.get(name)
    sizes = room_sizes_of(json.dumps({"Bedroom-7": foreign.CORNERS}), "sizes.json") if name == "atiss" else None
    try:
        made = converter_of(name)(SourceFile.of("x.json", text), Options(to, companion=beside, room_sizes=sizes))  # type: ignore[arg-type]
    except UsageError as error:
        assert str(error)
        return
    for scene in made:
        if isinstance(scene, Converted) and to == "room":
            read_simple(text_of(scene.scene), "x.json", Path())


def places(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401
    """Return every container of a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


@settings(max_examples=50)
@given(st.sampled_from(known_converters()), JSON, JSON)
def test_any_json_is_converted_or_refused_in_words(name: str, value: Any, companion: Any) -> None:  # noqa: ANN401
    given_ = SourceFile.of("config.json", json.dumps(companion))
    for to in ("room", "state"):
        outcome_of(name, json.dumps(value), to, given_)


def spoilt(data: st.DataObject, value: Any) -> str:  # noqa: ANN401
    """Return a file with anything in one place."""
    value = json.loads(json.dumps(value))
    container, key = data.draw(st.sampled_from(places(value)))
    container[key] = data.draw(JSON)
    return json.dumps(value)


@settings(max_examples=150)
@given(st.sampled_from(known_converters()), st.data())
def test_a_good_file_with_anything_in_one_place_is_converted_or_refused(name: str, data: st.DataObject) -> None:
    outcome_of(name, spoilt(data, STARTS[name]), data.draw(st.sampled_from(["room", "state"])))


@settings(max_examples=50)
@given(st.data())
def test_a_companion_with_anything_in_one_place_is_read_or_refused(data: st.DataObject) -> None:
    config, summary = spoilt(data, foreign.layoutvlm_config()), spoilt(data, foreign.hsm_summary())
    outcome_of("layoutvlm", foreign.text(STARTS["layoutvlm"]), companion=SourceFile.of("c.json", config))
    outcome_of("hsm", summary)
    outcome_of("hsm", foreign.text(STARTS["hsm"]), companion=SourceFile.of("h.json", summary))


@given(st.text(max_size=60) | JSON.map(json.dumps) | st.lists(ROWS, max_size=6).map("\n".join))
def test_any_table_of_room_sizes_is_read_or_refused(text: str) -> None:
    try:
        sizes = room_sizes_of(text, "sizes")
    except UsageError as error:
        assert str(error).startswith("sizes")
        return
    assert all(size is None or 0 < size.shorter < 1e5 for size in sizes.by_id.values())


@given(st.lists(SCRAPS | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_is_read_as_rules_and_the_rest(text: str) -> None:
    found = rules_of(text)
    assert len(found.rules) + found.unread == text.count("{")
    outcome_of("layoutgpt", text)
