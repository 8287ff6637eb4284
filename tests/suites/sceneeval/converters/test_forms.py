"""Each form of scenes becomes rooms: sizes, units, angles, openings, what holds things, and what is lost."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest
import trimesh
from foreign_scenes import objects, told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import ConversionSettings, Converted, SourceFile, convert_each, tree_of
from tsgkit.suites.sceneeval.converters.layoutgpt import FIELDS
from tsgkit.suites.sceneeval.converters.source import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of

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
BED = "bed {length: 2m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"
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
HALF = dict(zip(FIELDS, (0.8, 1.0, 0.3, -0.5, -0.25, 0.3, math.pi / 2), strict=True))
FIRST = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 2, 0, 1]
SECOND = [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2.5, 2, 0, 1]


def of_holodeck(house: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
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


def assets(folder: Path, boxes: dict[str, tuple[float, float, float]] | None = None) -> tuple[FolderSource, ...]:
    """Return a folder with the packed table of Objathor."""
    known = {
        name: {"annotations": {"category": name}, "assetMetadata": {"boundingBox": foreign.corner(*box)}}
        for name, box in (BOXES if boxes is None else boxes).items()
    }
    (folder / "annotations.json.gz").write_bytes(gzip.compress(json.dumps(known).encode()))
    return sources_of([f"objathor={folder}"])


def test_worked_house_is_converted_number_by_number(tmp_path: Path) -> None:
    found = of_holodeck(WORKED, sources=assets(tmp_path))
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
    counts = losses(of_holodeck(house))
    said = ("meshes, replaced by their boxes", "outer faces of walls, whose inner faces are kept")
    assert [counts[what] for what in (*said, "fields of the scene", "tilts: boxes stand upright")] == [3, 1, 1, 1]
    assert not any("stands on the floor" in what for what in counts)


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
        found = of_holodeck({**WORKED, "objects": [], "small_objects": [book]}, sources=assets(tmp_path))
        one = objects(found)["mug-0|desk-0 (office)"]
        assert (one["size"], one["yaw"]) == (size, pytest.approx(yaw, abs=0.01)), turns
        assert one["at"][2] == pytest.approx(0.801 - size[2] / 2), turns
        assert not any("tilts" in what for what in losses(found)), turns
    book["rotation"] = foreign.corner(90, 0, 0)
    house = {**WORKED, "objects": [], "floor_objects": [], "small_objects": [book]}
    state = of_holodeck(house, sources=sources_of([f"objathor={tmp_path}"]), to="state").scene["scene"]["object"]
    placed = next(one for one in state if one["modelId"] == "objaverse.book")
    assert placed["transform"]["data"] == [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0.3, 1.4, 0.801, 1]
    assert placed["parentId"] == "desk-0 (office)"


def test_assets_are_known_by_tables_of_their_own_folder_alone(tmp_path: Path) -> None:
    found = of_holodeck(WORKED, sources=assets(tmp_path, {**BOXES, "desk": (1.4, 0.75, 0.6)}))
    assert lost(found, "differ from footprints") == ("assumed", ("desk-0 (office)",))
    assert objects(found)["desk-0 (office)"]["size"] == [1.4, 0.6, 0.75]
    for name, names in (("objaverse", ("painting", "mug")), ("simulator", ("chandelier",))):
        (tmp_path / name).mkdir()
        assets(tmp_path / name, {known: BOXES[known] for known in names})
    sources = sources_of([f"objathor={tmp_path / name}" for name in ("objaverse", "simulator")])
    assert len(objects(of_holodeck(WORKED, sources=sources))) == 4, "of several folders"
    (tmp_path / "assets").mkdir()
    (tmp_path / "secret.glb").write_bytes(b"no mesh: reading it would fail")
    house = foreign.holodeck(objects=[thing("bed-0", assetId="../secret")], floor_objects=[])
    sources = sources_of([f"objathor={tmp_path / 'assets'}"])
    with pytest.raises(FileProblem, match="their sizes are not known"):
        of_holodeck(house, sources=sources)
    known = {"../secret": {"assetMetadata": {"boundingBox": {"x": 1.5, "y": 0.5, "z": 2}}}}
    (tmp_path / "assets/annotations.json").write_text(json.dumps(known))
    assert objects(of_holodeck(house, sources=sources))["bed-0"]["size"] == [1.5, 2, 0.5]


def test_openings_lie_in_the_walls_that_they_touch_and_things_in_two_lists_are_taken_once() -> None:
    window = {"id": "window|0", "wall0": "wall|office|east|2", "wall1": "wall|office|east|2|exterior",
              "holePolygon": [foreign.corner(0.5, 1, 0), foreign.corner(1.5, 2, 0)],
              "windowSegment": [[4, 2.5], [4, 1.5]]}  # fmt: skip
    parts = [
        {"id": f"wall|office|east|2|{number}", "polygon": foreign.board(4, 3 - start, 4, 1.5 - start)}
        for number, start in enumerate((0, 1.5))
    ]
    walls = [wall for wall in WORKED["walls"] if "east" not in wall["id"]] + parts
    found = of_holodeck({**WORKED, "walls": walls, "windows": [window]})
    openings = {wall["name"]: wall["openings"] for wall in found.scene["walls"]}
    assert openings["office|east|2|0"] == [{"kind": "window", "at": 0.5, "width": 1.0, "height": 1.0, "sill": 1.0}]
    assert openings["office|east|2|1"] == []
    assert losses(found)["openings whose walls are not in the file lie in those that they touch"] == 1
    corners = [foreign.corner(*one) for one in ((0, 0, 0), (4, 0, 3), (4, 0, 0), (0, 0, 3))]
    found = of_holodeck({**WORKED, "rooms": [{"id": "office", "floorPolygon": corners}]})
    assert losses(found)["outlines of floors, which cross themselves as they are stored"] == 1
    assert len(found.scene["floors"][0]["points"]) == 4
    house = foreign.holodeck()
    door = dict(house["doors"][0])
    del door["doorSegment"]
    for at, wall0, wall1 in ((0.5, door["wall0"], door["wall1"]), (2.5, door["wall1"], door["wall0"])):
        bare = {**house, "doors": [{**door, "wall0": wall0, "wall1": wall1}]}
        (south,) = [wall for wall in of_holodeck(bare).scene["walls"] if "south" in wall["name"]]
        assert (south["from"], south["openings"][0]["at"], south["openings"][0]["width"]) == ([4.0, 0.0], at, 1.0)
    house["walls"].append({"id": "wall|hall|north|0", "polygon": foreign.board(0, 0, 4, 0)})
    house["doors"][0]["wall1"] = "wall|hall|north|0"
    openings = {wall["name"]: wall["openings"] for wall in of_holodeck(house).scene["walls"]}
    assert [openings[name][0]["at"] for name in ("bedroom|south|0", "hall|north|0")] == [0.5, 2.5]
    house["doors"][0]["doorSegment"] = [[1, 1.5], [2, 1.5]]
    assert lost(of_holodeck(house), "in no wall")[1] == ("door|0|exterior|bedroom",)
    mug = thing("mug-0", size={"x": 0.1, "y": 0.12, "z": 0.1})
    desk = thing("desk-0", position=foreign.corner(2, 0.4, 1), size={"x": 1, "y": 0.8, "z": 0.6}, children=[mug])
    listed = objects(of_holodeck(foreign.holodeck(objects=[desk], floor_objects=[desk], small_objects=None)))
    assert list(listed) == ["desk-0", "mug-0"]
    assert (listed["mug-0"]["at"], listed["mug-0"]["parent"]) == ([2.0, 1.0, 1.44], "desk-0")
    bare_house = of_holodeck(foreign.holodeck(walls=[], doors=[], windows=[], wall_height=None))
    assert [wall["height"] for wall in bare_house.scene["walls"]] == [2.6] * 4
    assert losses(bare_house)["walls are 2.6 m high"] == 1


def of_layoutvlm(layout: dict[str, Any], config: dict[str, Any] | None = None, **options: Any) -> Converted:  # noqa: ANN401
    known = foreign.layoutvlm_config() if config is None else config
    beside = SourceFile.of("config.json", json.dumps(known))
    return foreign.converted("layoutvlm", layout, "layout.json", companion=beside, **options)


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


def test_layouts_are_converted_number_by_number_and_what_they_lack_is_named(tmp_path: Path) -> None:
    config = published("u1-0", "u2-0", "u2-1", "u3-0", "u4-0")
    found_in = assets_of_layoutvlm(tmp_path)
    found = of_layoutvlm(LAYOUT, config, sources=found_in)
    bed, chair, vase = objects(found).values()
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == (
        "Double Bed", [1.6, 2.0, 0.9], [1.05, 1.5, 0.0], 90.18
    )  # fmt: skip
    assert (chair["size"], chair["at"], chair["yaw"] % 360) == ([0.4, 0.4, 0.8], [3.0, 1.5, 0.0], 270.18)
    assert (vase["at"], vase["held_by"], vase["parent"]) == ([1.05, 1.5, 0.9], "object", "double_bed-0")
    assert lost(found, "has no place for")[1] == ("chair_A-0", "chair_A-1")
    config = published("u3-0", "gone-0", "u2-5", "u2-7")
    layout = {key: {"position": [1, 1, 0.4], "rotation": 0} for key in ("chair_A-0", "chair_B-0", "chair_B-1")}
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
    layout = foreign.layoutvlm_layout(cost=3.5, **{"vase-0": {"position": [1, 1, 1]}})
    other = of_layoutvlm(layout)
    assert "lost (1): entries without a position: cost" in told(other, "lost")
    assert "assumed (1): assets without a rotation have 0" in told(other, "assumed")
    for assumed in ({"angles": "grads"}, {"unit": "m"}):
        with refuses(UsageError, "--assume", assumed):
            of_layoutvlm(foreign.layoutvlm_layout(), assumed=assumed)
    with pytest.raises(FileProblem, match="without categories and sizes") as refused:
        of_layoutvlm(LAYOUT, published("u1-0"))
    assert "--assets layoutvlm_objathor=DIR" in refused.value.hint
    with pytest.raises(FileProblem, match="a layout alone lacks the sizes") as refused:
        foreign.converted("layoutvlm", foreign.layoutvlm_layout())
    assert "--with" in refused.value.hint


def bed_of(place: dict[str, Any], config: dict[str, Any] | None = None, **said: str) -> dict[str, Any]:
    return objects(of_layoutvlm({"bed-0": place}, config, assumed=said))["bed-0"]


def test_angles_and_positions_are_what_they_are_said_to_be() -> None:
    turned, ahead = ({"position": [1, 2, 0.3], "rotation": rotation} for rotation in ([0, 0, 2], 0))
    assert bed_of(turned)["yaw"] == 92
    assert bed_of(turned, angles="radians")["yaw"] == pytest.approx(90 + math.degrees(2) - 360, abs=1e-4)
    assert bed_of(turned, position="underside")["at"][2] == 0.3
    found = bed_of(ahead, front="-y")
    assert (found["yaw"], found["size"]) == (0, [1.6, 2.0, 0.6])
    assert bed_of({"position": [1, 1, 3.0], "rotation": 0})["held_by"] == "ceiling"
    found = bed_of({"position": [1, 2, 0.6], "rotation": [0, 0, 0], "scale": 2})
    assert (found["size"], found["at"]) == ([3.2, 4.0, 1.2], [1.0, 2.0, 0.0])
    box = {"assetMetadata": {"boundingBox": foreign.corner(2.0, 1.6, 0.6)}}
    dumped = {"uid": "u1", "category": "bed", "annotations": {"category": "bed"}, "asset_var_name": "bed", **box}
    config = {**published(), "assets": {"bed-0": dumped}}
    assert bed_of(ahead, config)["size"] == [1.6, 2.0, 0.6], "the generator writes the depth first"
    for order, size in (("width-first", [2.0, 1.6, 0.6]), ("depth-first", [1.6, 2.0, 0.6])):
        assert bed_of(ahead, config, box=order)["size"] == size
    low = {"category": "bed", "assetMetadata": {"boundingBox": foreign.corner(1, 1, 0.854)}}
    for level, underside in ((0.425, 0), (0.4175, -0.0095), (0.44, 0.013)):  # a rounded height stands on the floor
        found = bed_of({"position": [1, 1, level], "rotation": 0}, {**published(), "assets": {"u1-0": low}})
        assert found["at"][2] == pytest.approx(underside)


def converted(text: str, **said: str) -> Converted:
    return foreign.converted("layoutgpt", text, "layout.txt", assumed=said)


def first(found: Converted) -> dict[str, Any]:
    one: dict[str, Any] = found.scene["objects"][0]
    return one


def test_the_last_condition_names_the_room_and_without_one_it_is_as_one_says_or_around_its_objects() -> None:
    found = foreign.converted("layoutgpt", [foreign.layoutgpt_record()])
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
    for unit, metres in (("cm", 0.01), ("mm", 0.001), ("", 1.0)):
        found = converted(BED.replace("m;", f"{unit};"))
        assert first(found)["size"] == [2 * metres, 1 * metres, 0.5 * metres], unit
    assert first(converted(BED.replace("0 degrees", "450 degrees")))["yaw"] == 90
    assert first(converted(BED.replace("0 degrees", "3.14159265 rad")))["yaw"] == pytest.approx(180, abs=1e-4)
    assert first(converted(BED, room="4x3", place="corner"))["at"] == [2.0, 1.5, 0.0]
    record = foreign.layoutgpt_record(unit="px", scale=64)
    pixels = converted(json.dumps(record), **{"pixels-per-metre": "64"})
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


def sized(record: object, table: str, **said: str) -> Converted:
    sizes = room_sizes_of(table, "sizes.csv")
    return foreign.converted("layoutgpt", record, "records.json", assumed=said, room_sizes=sizes)


def test_records_are_converted_number_by_number_each_in_its_own_scale() -> None:
    for table in ("id,shorter_side\nBedroom-803,3.2\n", '{"0a1b_Bedroom-803": [4.0, 3.2]}'):
        found = sized([PUBLISHED], table)
        fields = ("category", "size", "at", "yaw", "held_by")
        bed, wardrobe, lamp = ([one.get(key) for key in fields] for one in found.scene["objects"])
        assert bed == ["double bed", [1.8, 2.1, 0.9], [2.0, 2.15, 0.0], 0.0, "ground"], table
        assert wardrobe == ["wardrobe", [1.2, 0.6, 2.2], [3.7, 1.2, 0.0], -90, "ground"], table
        assert lamp == ["pendant lamp", [0.4, 0.4, 0.4], [2.0, 1.6, 2.0], 0, "ceiling"], table
        assert found.scene["floors"][0]["points"][2] == [4.0, 3.2], table
        assert found.scene == converted(json.dumps([PUBLISHED]), **{"shorter-side": "3.2"}).scene, table
    wide = {**PUBLISHED, "query_id": "Bedroom-1", "prompt": "Room Size: max length 400px, max width 160px"}
    table = "id,shorter_side\nBedroom-1,4\nBedroom-803,3.2\n"
    one, other = foreign.each_of("layoutgpt", [PUBLISHED, wide], room_sizes=room_sizes_of(table, "sizes.csv"))
    assert isinstance(one, Converted) and isinstance(other, Converted)
    assert [scene.scene["floors"][0]["points"][2] for scene in (one, other)] == [[4.0, 3.2], [10.0, 4.0]]
    assert first(other)["size"] == [3.6, 4.2, 1.8]
    table = "id,shorter_side\nBedroom-1,4\n"
    with pytest.raises(FileProblem, match=r"sizes\.csv does not have its room") as refused:
        sized([PUBLISHED], table)
    assert "Bedroom-803" in refused.value.hint
    assert first(sized([PUBLISHED], table, **{"shorter-side": "3.2"}))["size"] == [1.8, 2.1, 0.9]
    with pytest.raises(UsageError, match="say the same thing"):
        converted(json.dumps([PUBLISHED]), **{"shorter-side": "3", "pixels-per-metre": "75"})
    with pytest.raises(FileProblem, match="the size of its room in its own numbers is missing"):
        converted(BED, **{"shorter-side": "3"})


def test_undersides_near_the_floor_stand_on_it_and_lines_with_all_zeros_are_left_out() -> None:
    def with_things(*listed: Any) -> Converted:  # noqa: ANN401
        return converted(json.dumps([{**PUBLISHED, "object_list": listed}]), **{"shorter-side": "3.2"})

    things: Any = PUBLISHED["object_list"]
    for depth, level in ((37.4, 0), (34.6, 0), (37.5, 0.01875), (34, -0.025)):
        found = with_things(["double_bed", {**things[0][1], "depth": depth}])
        assert first(found)["at"][2] == pytest.approx(level), depth
    zeros = ["chair_", dict.fromkeys(FIELDS, 0.0)]
    found = with_things(*things, zeros, zeros)
    assert len(found.scene["objects"]) == 3
    said = "lost (2): lines that the generator could not read and kept with all values 0, left out: chair_"
    assert said in told(found)


def test_lines_that_models_write_are_read_and_a_lamp_on_a_table_lies_on_it() -> None:
    table = "table {length: 1m; width: 1m; height: 0.5m; left: 1m; top: 1m; depth: 0.25m; orientation: 0 degrees;}"
    lamp = "lamp {length: 0.2m; width: 0.2m; height: 0.4m; left: 1.2m; top: 1m; depth: 0.7m; orientation: 0 degrees;}"
    one, other = converted(f"{table}\n{lamp}").scene["objects"]
    assert (one["held_by"], other["held_by"], other["parent"]) == ("ground", "object", "table_1")
    sheet = "sheet {length: 1m; width: 1m; height: 0.004m; left: 1m; top: 1m; depth: 0.802m; orientation: 0 degrees;}"
    assert [one.get("parent") for one in converted(f"{sheet}\n{sheet}").scene["objects"]] == [None, None]
    for text in (BED, json.dumps(BED)):
        assert first(foreign.converted("layoutgpt", text, "803.json"))["size"] == [2.0, 1.0, 0.5]
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


def record(*more: Any, **fields: Any) -> dict[str, Any]:  # noqa: ANN401
    named = {"id": "0a1b_Bedroom-803", "query_id": "Bedroom-803", "centroid": [2.5, 7.0]}
    return {**named, "object_list": [["double_bed", HALF], *more], **fields}


def of_atiss(value: object, table: str = "") -> Converted:
    return foreign.converted("atiss", value, room_sizes=room_sizes_of(table, "sizes.json") if table else None)


def test_record_of_atiss_lies_on_its_floor_number_by_number() -> None:
    """left' = -0.5 + 2.5 - 1 = 1; top' = -0.25 + 7 - 5 = 1.75, and the floor is 4 m deep, so y is 2.25."""
    found = of_atiss([record()], '{"Bedroom-803": {"corners": [[1, 5], [1, 9], [5, 9], [5, 5]]}}')
    (bed,) = found.scene["objects"]
    assert (bed["category"], bed["size"], bed["at"], bed["yaw"]) == ("double bed", [1.6, 2.0, 0.6], [1, 2.25, 0], 90)
    assert (found.id, sorted(found.scene["floors"][0]["points"])) == ("Bedroom-803", [[0, 0], [0, 4], [4, 0], [4, 4]])
    ell = '{"Bedroom-803": {"corners": [[0, 5], [0, 9], [5, 9], [5, 7], [3, 7], [3, 5]]}}'
    found = of_atiss(record(), ell)
    assert sorted(found.scene["floors"][0]["points"]) == [[0, 0], [0, 4], [3, 2], [3, 4], [5, 0], [5, 2]]
    assert found.scene["objects"][0]["at"][:2] == [2.0, 2.25]
    found = of_atiss(record(), '{"0a1b_Bedroom-803": [4, 3]}')
    assert found.scene["objects"][0]["at"] == [1.5, 1.75, 0.0]
    assert "the centroid of the floor is the middle of a rectangle" in told(found)
    for table, why in (
        ("", "none given"),
        ('{"Bedroom-1": [4, 3]}', "no such room"),
        ('{"Bedroom-803": 3}', "no length and width"),
    ):
        found = of_atiss(record(["pendant_lamp", {**HALF, "depth": 2.2}]), table)
        bed, lamp = found.scene["objects"]
        assert (bed["at"], lamp["held_by"], "floors" in found.scene) == ([-0.5, 0.25, 0.0], "ceiling", False), table
        assert f"(--room-sizes: {why})" in told(found), table


def state(*matrices: Sequence[float], **arch: Any) -> dict[str, Any]:  # noqa: ANN401
    listed = [
        {"id": str(number), "modelId": f"fpModel.m{number}", "index": number, "transform": {"data": data}}
        for number, data in enumerate(matrices)
    ]
    return {"format": "sceneState", "scene": {"version": "scene@1.0.2", "object": listed, **arch}}


def meshes(folder: Path, size: tuple[float, float, float], middle: tuple[float, float, float]) -> tuple[FolderSource]:
    """Return a folder of HSSD with one mesh, of a width, height and depth."""
    mesh = trimesh.creation.box(size)
    mesh.apply_translation(middle)
    (folder / "glb" / "m").mkdir(parents=True)
    for number in range(2):
        (folder / "glb" / "m" / f"m{number}.glb").write_bytes(mesh.export(file_type="glb"))
    (folder / "fpmodels.csv").write_text("id,wnsynsetkey,name,up,front\nm0,sofa.n.01,Arc,,\n")
    (source,) = sources_of([f"hssd={folder}"])
    return (source,)


def test_worked_state_is_converted_number_by_number_with_sizes_and_parents_of_the_other_file(tmp_path: Path) -> None:
    tilted = [1, 0, 0, 0, 0, 0.6, 0.8, 0, 0, -0.8, 0.6, 0, 1, 2, 0, 1]
    found = foreign.converted("hsm", state(FIRST, SECOND), sources=meshes(tmp_path / "a", (2, 0.8, 1), (0, 0.4, 0)))
    one, other = found.scene["objects"]
    assert (one["at"], one["yaw"], one["size"], one["category"]) == ([1.0, 2.0, 0.0], 90.0, [2.0, 1.0, 0.8], "sofa")
    assert (other["at"], other["yaw"]) == ([2.5, 2.0, 0.0], 180.0)
    sources = meshes(tmp_path / "b", (2, 0.8, 1), (0.5, 0.3, 0.25))
    assert foreign.converted("hsm", state(FIRST), sources=sources).scene["objects"][0]["at"] == [1.25, 2.5, -0.1]
    assert "tilts: boxes stand upright: sofa_1" in told(foreign.converted("hsm", state(tilted), sources=sources))
    summary = foreign.hsm_summary()
    things = summary["scene_objects"]
    things[2] = {**things[2], "obj_type": "wall", "parent_name": None, "wall_id": "wall_1"}
    things[1] = {**things[1], "obj_type": "small", "parent_name": "bed_1"}
    companion = SourceFile.of("hsm_scene_state.json", json.dumps(summary))
    bed, nightstand, chair = foreign.converted("hsm", foreign.hsm_state(), companion=companion).scene["objects"]
    assert (bed["id"], bed["size"], bed["held_by"]) == ("bed_1", [1.6, 2.0, 0.6], "ground")
    assert (nightstand["held_by"], nightstand["parent"], chair["held_by"]) == ("object", "bed_1", "wall")
    alone = foreign.converted("hsm", summary).scene["objects"]
    assert [one["at"] for one in alone] == [one["at"] for one in (bed, nightstand, chair)]
    companion = SourceFile.of("hsm_scene_state.json", json.dumps(foreign.hsm_summary()))
    walls = foreign.converted("hsm", foreign.hsm_state(), companion=companion).scene["walls"]
    assert walls[0]["openings"] == [{"kind": "door", "at": 2.5, "width": 1.0, "height": 2.1, "sill": 0.0}]


def test_a_state_needs_its_other_file_or_meshes_and_with_both_it_is_one_scene(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="none of its 3 objects can be placed") as refused:
        foreign.converted("hsm", foreign.hsm_state())
    assert "--assets" in refused.value.hint
    summary = foreign.hsm_summary()
    summary["scene_objects"][0]["position"] = [3, 0, 1]
    found = foreign.converted("hsm", foreign.hsm_state(), companion=SourceFile.of("h.json", json.dumps(summary)))
    assert len(found.scene["objects"]) == 2
    assert "(its mesh is needed: --assets hssd=DIR, or hsm_scene_state.json: --with)" in told(found)
    (tmp_path / "run_7").mkdir()
    for name, value in (("stk", foreign.hsm_state()), ("hsm", foreign.hsm_summary())):
        (tmp_path / "run_7" / f"{name}_scene_state.json").write_text(json.dumps(value))
    (outcome,) = convert_each(tree_of(tmp_path).entries, ConversionSettings())
    assert [(scene.id, scene.objects) for scene in outcome.scenes] == [("7", 3)]
    assert "the file that lies beside" in told(outcome.scenes[0])
    with pytest.raises(UsageError, match="scored as they are"):
        foreign.converted("hsm", foreign.hsm_state(), to="state")


def last(*more: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = foreign.converted("idesign", foreign.idesign(*more)).scene["objects"][-1]
    return found


def piece(name: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    bare: dict[str, Any] = {"new_object_id": name, "rotation": {"z_angle": 90}, "is_on_the_floor": False}
    size = {"length": 0.6, "width": 0.3, "height": 0.4}
    return bare | {"size_in_meters": size, "position": foreign.corner(1.0, 2.5, 1.2)} | more


def on(room: str = "", thing_id: str = "", preposition: str = "on") -> dict[str, Any]:
    elements = [{"layout_element_id": room, "preposition": preposition}] if room else []
    things = [{"object_id": thing_id, "preposition": preposition}] if thing_id else []
    return {"placement": {"room_layout_elements": elements, "objects_in_room": things}}


def test_worked_graph_of_idesign_is_converted_number_by_number_with_its_holders() -> None:
    """The size is length, width, height; 1.2 - 0.4 / 2 = 1.0; 90 from the north by the clock is 90 of ours: east."""
    one = last(piece("wall_shelf_2", **on("west_wall")))
    assert (one["id"], one["category"], one["size"]) == ("wall_shelf_2", "wall shelf", [0.6, 0.3, 0.4])
    assert (one["at"], one["yaw"], one["held_by"], one["parent"]) == ([1.0, 2.5, 1.0], 90.0, "wall", "west_wall")
    for angle, yaw in ((0, 180), (90, 90), (180, 0), (270, -90)):
        assert last(piece("lamp_1", rotation={"z_angle": angle}))["yaw"] == yaw, angle
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
    found = foreign.converted("idesign", foreign.idesign(piece("lamp_1", **on(thing_id="desk_1"))))
    assert "parents that are not in the room: lamp_1 on desk_1" in told(found)
    assert "parent" not in found.scene["objects"][-1]
