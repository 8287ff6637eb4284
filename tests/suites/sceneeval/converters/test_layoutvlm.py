"""Layouts of LayoutVLM: keys, boxes, angles and heights as the generator writes them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import objects, told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import Converted, Options, SourceFile, converter_of
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of


def converted(layout: dict[str, Any], config: dict[str, Any] | None = None, **options: Any) -> Converted:  # noqa: ANN401
    beside = SourceFile.of("config.json", foreign.text(foreign.layoutvlm_config() if config is None else config))
    return foreign.converted("layoutvlm", layout, "layout.json", companion=beside, **options)


KNOWN = {
    "u1": ("Double Bed", (1.6, 2.0, 0.9)),
    "u2": ("chair", (0.5, 0.55, 0.85)),
    "u3": ("Chair", (0.4, 0.4, 0.8)),
    "u4": ("vase", (0.2, 0.2, 0.3)),
}
"""Categories and boxes of the assets of the worked example."""
CORNERS = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]
WORKED = {
    "double_bed-0": {"position": [1.05, 1.5, 0.45], "rotation": [0, 0, 0.18]},
    "chair_B-0": {"position": [3, 1.5, 0.4], "rotation": [0, 0, -179.82]},
    "vase-0": {"position": [1.05, 1.5, 1.05], "rotation": [0, 0, 0.18]},
}


def assets(folder: Path) -> tuple[FolderSource, ...]:
    """Return a folder with the data of each asset."""
    for uid, (category, box) in KNOWN.items():
        (folder / uid).mkdir()
        data = {"annotations": {"category": category, "onFloor": True},
                "assetMetadata": {"boundingBox": foreign.corner(*box)}}  # fmt: skip
        (folder / uid / "data.json").write_text(json.dumps(data))
    return sources_of([f"layoutvlm_objathor={folder}"])


def published(*keys: str) -> dict[str, Any]:
    """Return a configuration as it is published: its assets are empty."""
    return {"boundary": {"floor_vertices": CORNERS, "wall_height": 2.5}, "assets": {key: {} for key in keys}}


def test_worked_example_is_converted_number_by_number(tmp_path: Path) -> None:
    config = published("u1-0", "u2-0", "u2-1", "u3-0", "u4-0")
    found = converted(WORKED, config, sources=assets(tmp_path))
    bed, chair, vase = objects(found).values()
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == (
        "Double Bed", [1.6, 2.0, 0.9], [1.05, 1.5, 0.0], 90.18
    )  # fmt: skip
    assert (chair["size"], chair["at"], chair["yaw"] % 360) == ([0.4, 0.4, 0.8], [3.0, 1.5, 0.0], 270.18)
    assert (vase["at"], vase["held_by"], vase["parent"]) == ([1.05, 1.5, 0.9], "object", "double_bed-0")
    unplaced = next(loss for loss in found.losses if "has no place for" in loss.what)
    assert unplaced.names == ("chair_A-0", "chair_A-1")


def test_layout_whose_angles_are_all_one_solver_step_is_read_in_degrees() -> None:
    layout = foreign.layoutvlm_layout()
    for place in layout.values():
        place["rotation"] = [0, 0, 0.18]
    assert {one["yaw"] for one in objects(converted(layout)).values()} == {90.18}


def test_keys_follow_the_order_of_the_configuration_and_skip_assets_without_data(tmp_path: Path) -> None:
    config = published("u3-0", "gone-0", "u2-5", "u2-7")
    layout = {key: {"position": [1, 1, 0.4], "rotation": 0} for key in ("chair_A-0", "chair_B-0", "chair_B-1")}
    found_in = assets(tmp_path)
    found = converted(layout, config, sources=found_in)
    assert [one["size"] for one in objects(found).values()] == [[0.4, 0.4, 0.8], *[[0.5, 0.55, 0.85]] * 2]
    assert "lost (1): assets of the configuration of which nothing is known: gone-0" in told(found, "lost")
    tilted = converted({"chair_A-0": {"position": [1, 1, 0.4], "rotation": [10, 0, 0]}}, config, sources=found_in)
    assert "lost (1): tilts: only turns about the vertical are kept: chair_A-0" in told(tilted, "lost")
    fork = converted({"vase-0": WORKED["vase-0"]}, published("u4"), sources=found_in)
    assert objects(fork)["vase-0"]["size"] == [0.2, 0.2, 0.3], "bare ids are taken too"


def test_key_that_does_not_fit_is_the_only_asset_of_its_category(tmp_path: Path) -> None:
    places = {"vase_C-4": WORKED["vase-0"], "chair-0": WORKED["chair_B-0"], "rug-0": WORKED["vase-0"]}
    found = converted(places, published("u2-0", "u3-0", "u4-0"), sources=assets(tmp_path))
    assert list(objects(found)) == ["vase_C-4"]
    assert "are the only asset of their category: vase_C-4" in told(found, "assumed")
    assert "objects that fit no asset of the configuration, or several: chair-0, rug-0" in told(found, "lost")


def test_configuration_of_ids_alone_asks_for_the_folder_of_assets() -> None:
    with pytest.raises(FileProblem, match="without categories and sizes") as refused:
        converted(WORKED, published("u1-0"))
    assert "--assets layoutvlm_objathor=DIR" in refused.value.hint


def test_box_that_the_generator_wrote_out_has_its_depth_first() -> None:
    layout = {"bed-0": {"position": [1, 2, 0.3], "rotation": 0}}
    box = {"assetMetadata": {"boundingBox": foreign.corner(2.0, 1.6, 0.6)}}
    dumped = {"uid": "u1", "category": "bed", "annotations": {"category": "bed"}, "asset_var_name": "bed", **box}
    config = {**published(), "assets": {"bed-0": dumped}}
    assert objects(converted(layout, config))["bed-0"]["size"] == [1.6, 2.0, 0.6]
    for order, size in (("width-first", [2.0, 1.6, 0.6]), ("depth-first", [1.6, 2.0, 0.6])):
        assert objects(converted(layout, config, said={"box": order}))["bed-0"]["size"] == size


def test_height_that_was_rounded_stands_on_the_floor() -> None:
    config = {**published(), "assets": {"u1-0": {"category": "bed", "assetMetadata": {
        "boundingBox": foreign.corner(1, 1, 0.854)}}}}  # fmt: skip
    for level, underside in ((0.425, 0), (0.4175, -0.0095), (0.44, 0.013)):
        one = objects(converted({"bed-0": {"position": [1, 1, level], "rotation": 0}}, config))["bed-0"]
        assert one["at"][2] == pytest.approx(underside)


def test_state_puts_the_middle_of_a_mesh_at_the_position(tmp_path: Path) -> None:
    import trimesh

    mesh = trimesh.creation.box((1.6, 0.9, 2.0))
    mesh.apply_translation((5, 3, 1))
    sources = assets(tmp_path)
    (tmp_path / "u1" / "u1.glb").write_bytes(mesh.export(file_type="glb"))
    layout = {"double_bed-0": {"position": [1.05, 1.5, 0.45], "rotation": [0, 0, 0]}}
    found = converted(layout, published("u1-0"), sources=sources, to="state")
    (placed,) = found.scene["scene"]["object"]
    assert placed["modelId"] == "layoutvlm-objaverse.u1"
    assert placed["transform"]["data"][12:15] == pytest.approx([0.05, -3.5, -2.55])


def test_angles_and_positions_are_what_they_are_said_to_be() -> None:
    layout = {"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 2]}}
    assert objects(converted(layout))["bed-0"]["yaw"] == 92
    turned = objects(converted(layout, said={"angles": "radians"}))["bed-0"]["yaw"]
    assert turned == pytest.approx(90 + math.degrees(2) - 360, abs=1e-4)
    assert objects(converted(layout, said={"position": "underside"}))["bed-0"]["at"][2] == 0.3
    found = objects(converted({"bed-0": {"position": [1, 2, 0.3], "rotation": 0}}, said={"front": "-y"}))
    assert (found["bed-0"]["yaw"], found["bed-0"]["size"]) == (0, [1.6, 2.0, 0.6])
    high = objects(converted({"bed-0": {"position": [1, 1, 3.0], "rotation": 0}}))
    assert high["bed-0"]["held_by"] == "ceiling"
    found = objects(converted({"bed-0": {"position": [1, 2, 0.6], "rotation": [0, 0, 0], "scale": 2}}))
    assert (found["bed-0"]["size"], found["bed-0"]["at"]) == ([3.2, 4.0, 1.2], [1.0, 2.0, 0.0])


def test_assets_in_only_one_file_are_reported_as_lost() -> None:
    layout = foreign.layoutvlm_layout(**{"vase-0": {"position": [1, 1, 1], "rotation": [0, 0, 0]}})
    del layout["chair-0"]
    found = told(converted(layout), "lost")
    assert "lost (1): objects whose size is not known, left out: vase-0 (no such asset is known)" in found
    assert "lost (1): assets of the configuration that the layout has no place for: chair-0" in found
    assert "doors and windows: the form has none" in found
    layout = foreign.layoutvlm_layout(cost=3.5, **{"vase-0": {"position": [1, 1, 1]}})
    other = converted(layout)
    assert "lost (1): entries without a position: cost" in told(other, "lost")
    assert "assumed (1): assets without a rotation have 0" in told(other, "assumed")


def test_a_layout_alone_is_refused_with_what_to_do() -> None:
    given = SourceFile.of("layout.json", foreign.text(foreign.layoutvlm_layout()))
    with pytest.raises(FileProblem, match="a layout alone lacks the sizes") as refused:
        converter_of("layoutvlm")(given, Options())
    assert "--with" in refused.value.hint


def test_layoutvlm_errors_name_object_and_field() -> None:
    rows: list[tuple[dict[str, Any], dict[str, Any] | None, str]] = [
        ({"a": {"position": [1, 2], "rotation": 0}}, None, r"layout.json: object 'a': position"),
        ({"a": {"position": [1, 2, 1e99], "rotation": 0}}, None, "object 'a': position"),
        ({"a": {"position": [1, 2, 0], "rotation": "east"}}, None, "object 'a': rotation"),
        ({"a": {"position": [1, 2, 0], "rotation": 0, "scale": 0}}, None, "object 'a': scale"),
        ({"a": {"position": [1, 2, 0], "rotation": 0}}, {}, "config.json: boundary"),
        ({"a": {"position": [1, 2, 0], "rotation": 0}}, {"boundary": {"floor_vertices": [[0, 0]]}}, "floor_vertices"),
    ]
    for layout, config, message in rows:
        with refuses(FileProblem, message, layout):
            converted(layout, config)

    assumptions: list[dict[str, str]] = [{"angles": "grads"}, {"unit": "m"}]
    for assumed in assumptions:
        with refuses(UsageError, "--assume", assumed):
            converted(foreign.layoutvlm_layout(), said=assumed)
