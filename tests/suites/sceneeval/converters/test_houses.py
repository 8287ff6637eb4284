"""Houses of Holodeck and layouts of LayoutVLM: sizes from wherever they are known, openings, and what is lost."""

from __future__ import annotations

import gzip
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


def converted(house: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
    return foreign.converted("holodeck", house, "house.json", **options)


def losses(found: Converted) -> dict[str, int]:
    return {loss.what: loss.count for loss in found.losses}


def lost(found: Converted, part: str) -> tuple[str, tuple[str, ...]]:
    """Return the kind and the names of the one loss that speaks of something."""
    (loss,) = [loss for loss in found.losses if part in loss.what]
    return loss.kind, loss.names


def thing(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    bare = {"id": name, "assetId": "a1", "position": foreign.corner(2, 1.5, 1), "rotation": foreign.corner(0, 0, 0)}
    return {**bare, **more}


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
    house = foreign.holodeck()
    house["objects"][0]["rotation"]["x"] = 20
    counts = losses(converted(house))
    said = ("meshes, replaced by their boxes", "outer faces of walls, whose inner faces are kept")
    assert [counts[what] for what in (*said, "fields of the scene", "tilts: boxes stand upright")] == [3, 1, 1, 1]
    assert not any("stands on the floor" in what for what in counts)


def test_size_that_the_file_does_not_hold_is_named_and_padding_is_taken_off_things_on_the_floor_alone() -> None:
    found = converted(WORKED)
    assert list(objects(found)) == ["desk-0 (office)"]
    assert losses(found)["sizes that only the assets hold (--assets objathor=DIR)"] == 3
    sizes = ("painting-0 (office) (height)", "mug-0|desk-0 (office) (width, depth and height)")
    assert lost(found, "size is not known") == ("lost", (*sizes, "ceiling (office) (width and depth)"))
    painting = {**WORKED["wall_objects"][0], "assetMetadata": None, "size": foreign.corner(0.8, 0.6, 0.04)}
    house = {**WORKED, "objects": [], "small_objects": [], "ceiling_objects": [], "wall_objects": [painting]}
    assert [one["size"] for one in objects(converted(house)).values()] == [[1.2, 0.6, 0.75], [0.8, 0.04, 0.6]]
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
    book["rotation"] = foreign.corner(90, 0, 0)
    house = {**WORKED, "objects": [], "floor_objects": [], "small_objects": [book]}
    state = converted(house, sources=sources_of([f"objathor={tmp_path}"]), to="state").scene["scene"]["object"]
    placed = next(one for one in state if one["modelId"] == "objaverse.book")
    assert placed["transform"]["data"] == [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0.3, 1.4, 0.801, 1]
    assert placed["parentId"] == "desk-0 (office)"


def test_assets_of_another_version_than_their_footprints_are_named(tmp_path: Path) -> None:
    found = converted(WORKED, sources=assets(tmp_path, {**BOXES, "desk": (1.4, 0.75, 0.6)}))
    assert lost(found, "differ from footprints") == ("assumed", ("desk-0 (office)",))
    assert objects(found)["desk-0 (office)"]["size"] == [1.4, 0.6, 0.75]
    for name, names in (("objaverse", ("painting", "mug")), ("simulator", ("chandelier",))):
        (tmp_path / name).mkdir()
        assets(tmp_path / name, {known: BOXES[known] for known in names})
    sources = sources_of([f"objathor={tmp_path / name}" for name in ("objaverse", "simulator")])
    assert len(objects(converted(WORKED, sources=sources))) == 4, "of several folders"


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


def test_a_hole_without_segments_is_counted_along_its_wall_and_a_door_is_in_the_walls_of_both_rooms() -> None:
    house = foreign.holodeck()
    door = dict(house["doors"][0])
    del door["doorSegment"]
    for at, wall0, wall1 in ((0.5, door["wall0"], door["wall1"]), (2.5, door["wall1"], door["wall0"])):
        bare = {**house, "doors": [{**door, "wall0": wall0, "wall1": wall1}]}
        (south,) = [wall for wall in converted(bare).scene["walls"] if "south" in wall["name"]]
        assert (south["from"], south["openings"][0]["at"], south["openings"][0]["width"]) == ([4.0, 0.0], at, 1.0)
    house["walls"].append({"id": "wall|hall|north|0", "polygon": foreign.board(0, 0, 4, 0)})
    house["doors"][0]["wall1"] = "wall|hall|north|0"
    walls = {wall["name"]: wall["openings"] for wall in converted(house).scene["walls"]}
    assert [walls[name][0]["at"] for name in ("bedroom|south|0", "hall|north|0")] == [0.5, 2.5]
    house["doors"][0]["doorSegment"] = [[1, 1.5], [2, 1.5]]
    assert lost(converted(house), "in no wall")[1] == ("door|0|exterior|bedroom",)


def test_a_house_without_walls_gets_some_and_one_without_any_size_is_refused_unless_it_becomes_a_state() -> None:
    walls = converted(foreign.holodeck(walls=[], doors=[], windows=[], wall_height=None))
    assert [wall["height"] for wall in walls.scene["walls"]] == [2.6] * 4
    assert losses(walls)["walls are 2.6 m high"] == 1
    house = foreign.holodeck(objects=[thing("lamp-0")], floor_objects=[])
    with pytest.raises(FileProblem, match="none of its 1 objects can be placed") as refused:
        converted(house)
    assert "--assets" in refused.value.hint
    (lamp,) = converted(house, to="state").scene["scene"]["object"]
    assert (lamp["modelId"], lamp["transform"]["data"][12:15]) == ("objaverse.a1", [2, 1, 1.5])


def of_layoutvlm(layout: dict[str, Any], config: dict[str, Any] | None = None, **options: Any) -> Converted:  # noqa: ANN401
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
LAYOUT = {
    "double_bed-0": {"position": [1.05, 1.5, 0.45], "rotation": [0, 0, 0.18]},
    "chair_B-0": {"position": [3, 1.5, 0.4], "rotation": [0, 0, -179.82]},
    "vase-0": {"position": [1.05, 1.5, 1.05], "rotation": [0, 0, 0.18]},
}


def assets_of_layoutvlm(folder: Path) -> tuple[FolderSource, ...]:
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


def test_worked_layout_is_converted_number_by_number(tmp_path: Path) -> None:
    config = published("u1-0", "u2-0", "u2-1", "u3-0", "u4-0")
    found = of_layoutvlm(LAYOUT, config, sources=assets_of_layoutvlm(tmp_path))
    bed, chair, vase = objects(found).values()
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == (
        "Double Bed", [1.6, 2.0, 0.9], [1.05, 1.5, 0.0], 90.18
    )  # fmt: skip
    assert (chair["size"], chair["at"], chair["yaw"] % 360) == ([0.4, 0.4, 0.8], [3.0, 1.5, 0.0], 270.18)
    assert (vase["at"], vase["held_by"], vase["parent"]) == ([1.05, 1.5, 0.9], "object", "double_bed-0")
    assert lost(found, "has no place for")[1] == ("chair_A-0", "chair_A-1")


def test_keys_follow_the_order_of_the_configuration_and_skip_assets_without_data(tmp_path: Path) -> None:
    config = published("u3-0", "gone-0", "u2-5", "u2-7")
    layout = {key: {"position": [1, 1, 0.4], "rotation": 0} for key in ("chair_A-0", "chair_B-0", "chair_B-1")}
    found_in = assets_of_layoutvlm(tmp_path)
    found = of_layoutvlm(layout, config, sources=found_in)
    assert [one["size"] for one in objects(found).values()] == [[0.4, 0.4, 0.8], *[[0.5, 0.55, 0.85]] * 2]
    assert "lost (1): assets of the configuration of which nothing is known: gone-0" in told(found, "lost")
    tilted = of_layoutvlm({"chair_A-0": {"position": [1, 1, 0.4], "rotation": [10, 0, 0]}}, config, sources=found_in)
    assert "lost (1): tilts: only turns about the vertical are kept: chair_A-0" in told(tilted, "lost")
    fork = of_layoutvlm({"vase-0": LAYOUT["vase-0"]}, published("u4"), sources=found_in)
    assert objects(fork)["vase-0"]["size"] == [0.2, 0.2, 0.3], "bare ids are taken too"
    places = {"vase_C-4": LAYOUT["vase-0"], "chair-0": LAYOUT["chair_B-0"], "rug-0": LAYOUT["vase-0"]}
    found = of_layoutvlm(places, published("u2-0", "u3-0", "u4-0"), sources=found_in)
    assert list(objects(found)) == ["vase_C-4"]
    assert lost(found, "are the only asset of their category") == ("assumed", ("vase_C-4",))
    assert lost(found, "that fit no asset of the configuration, or several") == ("lost", ("chair-0", "rug-0"))


def test_box_that_the_generator_wrote_out_has_its_depth_first_and_a_rounded_height_stands_on_the_floor() -> None:
    layout = {"bed-0": {"position": [1, 2, 0.3], "rotation": 0}}
    box = {"assetMetadata": {"boundingBox": foreign.corner(2.0, 1.6, 0.6)}}
    dumped = {"uid": "u1", "category": "bed", "annotations": {"category": "bed"}, "asset_var_name": "bed", **box}
    config = {**published(), "assets": {"bed-0": dumped}}
    assert objects(of_layoutvlm(layout, config))["bed-0"]["size"] == [1.6, 2.0, 0.6]
    for order, size in (("width-first", [2.0, 1.6, 0.6]), ("depth-first", [1.6, 2.0, 0.6])):
        assert objects(of_layoutvlm(layout, config, said={"box": order}))["bed-0"]["size"] == size
    low = {"category": "bed", "assetMetadata": {"boundingBox": foreign.corner(1, 1, 0.854)}}
    for level, underside in ((0.425, 0), (0.4175, -0.0095), (0.44, 0.013)):
        layout = {"bed-0": {"position": [1, 1, level], "rotation": 0}}
        found = objects(of_layoutvlm(layout, {**published(), "assets": {"u1-0": low}}))
        assert found["bed-0"]["at"][2] == pytest.approx(underside)


def test_state_puts_the_middle_of_a_mesh_at_the_position(tmp_path: Path) -> None:
    import trimesh

    mesh = trimesh.creation.box((1.6, 0.9, 2.0))
    mesh.apply_translation((5, 3, 1))
    sources = assets_of_layoutvlm(tmp_path)
    (tmp_path / "u1" / "u1.glb").write_bytes(mesh.export(file_type="glb"))
    layout = {"double_bed-0": {"position": [1.05, 1.5, 0.45], "rotation": [0, 0, 0]}}
    found = of_layoutvlm(layout, published("u1-0"), sources=sources, to="state")
    (placed,) = found.scene["scene"]["object"]
    assert placed["modelId"] == "layoutvlm-objaverse.u1"
    assert placed["transform"]["data"][12:15] == pytest.approx([0.05, -3.5, -2.55])


def test_angles_and_positions_are_what_they_are_said_to_be() -> None:
    layout = {"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 2]}}
    assert objects(of_layoutvlm(layout))["bed-0"]["yaw"] == 92
    turned = objects(of_layoutvlm(layout, said={"angles": "radians"}))["bed-0"]["yaw"]
    assert turned == pytest.approx(90 + math.degrees(2) - 360, abs=1e-4)
    assert objects(of_layoutvlm(layout, said={"position": "underside"}))["bed-0"]["at"][2] == 0.3
    found = objects(of_layoutvlm({"bed-0": {"position": [1, 2, 0.3], "rotation": 0}}, said={"front": "-y"}))
    assert (found["bed-0"]["yaw"], found["bed-0"]["size"]) == (0, [1.6, 2.0, 0.6])
    high = objects(of_layoutvlm({"bed-0": {"position": [1, 1, 3.0], "rotation": 0}}))
    assert high["bed-0"]["held_by"] == "ceiling"
    found = objects(of_layoutvlm({"bed-0": {"position": [1, 2, 0.6], "rotation": [0, 0, 0], "scale": 2}}))
    assert (found["bed-0"]["size"], found["bed-0"]["at"]) == ([3.2, 4.0, 1.2], [1.0, 2.0, 0.0])


def test_assets_in_only_one_file_are_reported_as_lost() -> None:
    layout = foreign.layoutvlm_layout(**{"vase-0": {"position": [1, 1, 1], "rotation": [0, 0, 0]}})
    del layout["chair-0"]
    found = told(of_layoutvlm(layout), "lost")
    assert "lost (1): objects whose size is not known, left out: vase-0 (no such asset is known)" in found
    assert "lost (1): assets of the configuration that the layout has no place for: chair-0" in found
    assert "doors and windows: the form has none" in found
    layout = foreign.layoutvlm_layout(cost=3.5, **{"vase-0": {"position": [1, 1, 1]}})
    other = of_layoutvlm(layout)
    assert "lost (1): entries without a position: cost" in told(other, "lost")
    assert "assumed (1): assets without a rotation have 0" in told(other, "assumed")


def test_what_a_layout_lacks_is_named_with_what_to_do() -> None:
    for assumed in ({"angles": "grads"}, {"unit": "m"}):
        with refuses(UsageError, "--assume", assumed):
            of_layoutvlm(foreign.layoutvlm_layout(), said=assumed)
    with pytest.raises(FileProblem, match="without categories and sizes") as refused:
        of_layoutvlm(LAYOUT, published("u1-0"))
    assert "--assets layoutvlm_objathor=DIR" in refused.value.hint
    with pytest.raises(FileProblem, match="a layout alone lacks the sizes") as refused:
        converter_of("layoutvlm")(SourceFile.of("x.json", foreign.text(foreign.layoutvlm_layout())), Options())
    assert "--with" in refused.value.hint
