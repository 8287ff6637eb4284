"""One bedroom in the forms of other tools, written by hand for tests: it must come out the same of all of them.

Four metres from west to east, three from south to north. A bed stands in the north and faces south; seen from its foot
a nightstand is to its right. A chair stands before its foot and faces west.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from random import Random
from typing import Any

from tsgkit.suites.sceneeval.converters import ConversionOptions, Converted, SourceFile, Unconverted, converter_of

SIZES = {"bed": (1.6, 2.0, 0.6), "nightstand": (0.5, 0.4, 0.55), "chair": (0.5, 0.6, 0.9)}
"""How wide, deep and high each thing is."""
PLACES = {"bed": (1.0, 2.0, 0.0), "nightstand": (2.2, 2.75, 0.0), "chair": (1.4, 0.6, 0.0)}
YAWS = {"bed": 0.0, "nightstand": 0.0, "chair": -90.0}


def corner(x: float, y: float, z: float) -> dict[str, float]:
    """Return a place in Unity's frame: y is up."""
    return {"x": x, "y": y, "z": z}


def board(x: float, z: float, to_x: float, to_z: float, high: float = 2.7) -> list[dict[str, float]]:
    """Return the four corners of a wall."""
    return [corner(x, 0, z), corner(x, high, z), corner(to_x, high, to_z), corner(to_x, 0, to_z)]


FOOTPRINTS = {
    "bed": [[15, 95], [185, 95], [185, 305], [15, 305]],
    "nightstand": [[190, 250], [250, 250], [250, 300], [190, 300]],
    "chair": [[105, 30], [175, 30], [175, 90], [105, 90]],
}
"""In centimetres, and 5 cm larger on every side."""


def holodeck(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the bedroom as a house of Holodeck, with a door in the south and a window in the west."""
    things = [
        {
            "assetId": f"asset{number}", "id": f"{name}-0 (bedroom)", "object_name": f"{name}-0", "kinematic": True,
            "roomId": "bedroom", "position": corner(PLACES[name][0], SIZES[name][2] / 2, PLACES[name][1]),
            "rotation": corner(0, 180 - YAWS[name], 0), "vertices": FOOTPRINTS[name],
        }
        for number, name in enumerate(SIZES)
    ]  # fmt: skip
    ends = {"south": (4, 0, 0, 0), "west": (0, 0, 0, 3), "north": (0, 3, 4, 3), "east": (4, 3, 4, 0)}
    walls = [
        {"id": f"wall|bedroom|{side}|{number}", "roomId": "bedroom", "polygon": board(*of)}
        for number, (side, of) in enumerate(ends.items())
    ]
    walls.append({"id": "wall|exterior|south|0", "roomId": "exterior", "polygon": board(0, 0, 4, 0)})
    door = {
        "id": "door|0|exterior|bedroom", "wall0": "wall|bedroom|south|0", "wall1": "wall|exterior|south|0",
        "holePolygon": [corner(0.5, 0, 0), corner(1.5, 2.1, 0)], "doorSegment": [[3.5, 0], [2.5, 0]],
        "assetId": "Doorway_1",
    }  # fmt: skip
    window = {"id": "window|wall|bedroom|west|1", "wall0": "wall|bedroom|west|1", "wall1": None,
              "holePolygon": [corner(1.0, 0.9, 0), corner(2.2, 1.9, 0)]}  # fmt: skip
    floor = [corner(0, 0, 0), corner(0, 0, 3), corner(4, 0, 3), corner(4, 0, 0)]
    return {
        "query": "a small bedroom", "wall_height": 2.7, "proceduralParameters": {"lights": []},
        "rooms": [{"id": "bedroom", "floorPolygon": floor, "roomType": "bedroom"}], "walls": walls, "doors": [door],
        "windows": [window], "objects": things, "floor_objects": things, "wall_objects": [], **more,
    }  # fmt: skip


def layoutvlm_layout(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the bedroom as a layout of LayoutVLM."""
    angles = {"bed": -90.0, "nightstand": 270.0, "chair": 180.0}
    places = {
        f"{name}-0": {"position": [*PLACES[name][:2], SIZES[name][2] / 2], "rotation": [0, 0, angle]}
        for name, angle in angles.items()
    }
    return {**places, **more}


def layoutvlm_config(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what its assets and its room are, with what is known of the assets."""
    assets = {
        f"asset{number}-0": {"category": name, "description": f"a plain {name}", "frontView": 3,
                             "assetMetadata": {"boundingBox": corner(*size)}}
        for number, (name, size) in enumerate(SIZES.items())
    }  # fmt: skip
    boundary = {"floor_vertices": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]], "wall_height": 2.7}
    return {"task_description": "a small bedroom", "boundary": boundary, "assets": assets, **more}


LAYOUTGPT = """Room Type: bedroom
Room Size: max length 4.00m, max width 3.00m
Layout:
bed {length: 1.6m; width: 2.0m; height: 0.6m; left: 1.0m; top: 1.0m; depth: 0.3m; orientation: 0 degrees;}
nightstand {length: 0.5m; width: 0.4m; height: 0.55m; left: 2.2m; top: 0.25m; depth: 0.275m; orientation: 0 degrees;}
chair {length: 0.5m; width: 0.6m; height: 0.9m; left: 1.4m; top: 2.4m; depth: 0.45m; orientation: -90 degrees;}
"""
KEYS = ("length", "width", "height", "left", "top", "depth", "orientation")


def layoutgpt_record(query: str = "7", unit: str = "m", scale: float = 1.0) -> dict[str, Any]:
    """Return the bedroom as a record of a published file, after a worked example with another room."""
    things = []
    for name, size in SIZES.items():
        lengths = (*size, PLACES[name][0], 3 - PLACES[name][1], size[2] / 2)
        things.append([name, dict(zip(KEYS, [*(one * scale for one in lengths), YAWS[name]], strict=True))])
    form = "Room Type: {}\nRoom Size: max length {:g}{unit}, max width {:g}{unit}\n"
    shown = form.format("den", 9 * scale, 9 * scale, unit=unit)
    asked = form.format("bedroom", 4 * scale, 3 * scale, unit=unit)
    prompt = [{"role": "system", "content": shown}, {"role": "user", "content": asked}]
    return {"query_id": query, "iter": 0, "prompt": prompt, "object_list": things}


CORNERS = {"corners": [[10, 5], [14, 5], [14, 8], [10, 8]]}
"""The floor in the coordinates of a data set."""


def atiss_record(query: str = "Bedroom-7") -> dict[str, Any]:
    """Return the bedroom as ATISS has it: half sizes, radians, about the middle of its floor."""
    things = []
    for name, (wide, deep, high) in SIZES.items():
        (x, y, _), yaw = PLACES[name], math.radians(YAWS[name])
        values = (wide / 2, deep / 2, high / 2, x - 2, 1.5 - y, high / 2, yaw)
        things.append([name, dict(zip(KEYS, values, strict=True))])
    return {"id": f"0a1b_{query}", "query_id": query, "centroid": [12, 6.5], "object_list": things}


def hsm_state(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the bedroom as a scene state of HSM, with a door in the south."""
    things = []
    for number, name in enumerate(SIZES):
        turn = math.radians(180 - YAWS[name])
        c, s = math.cos(turn), math.sin(turn)
        data = [-c, s, 0, 0, 0, 0, 1, 0, s, c, 0, 0, *PLACES[name], 1]
        ids = {"id": str(number), "modelId": f"fpModel.asset{number}", "index": number, "parentIndex": -1}
        things.append(ids | {"transform": {"rows": 4, "cols": 4, "data": data}})
    corners = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]
    door = {"id": "door_0", "type": "Door", "box": {"min": [2.5, 0], "max": [3.5, 2.1]}}
    walls = [
        {"type": "Wall", "id": f"wall_{side}", "height": 2.7, "depth": 0.1, "roomId": "0",
         "points": [corners[side], corners[(side + 1) % 4]], "holes": [] if side else [door]}
        for side in range(4)
    ]  # fmt: skip
    arch = {"version": "arch@1.0.2", "elements": [*walls, {"type": "Floor", "id": "floor_0", "points": corners}]}
    ways = {"up": {"x": 0, "y": 1, "z": 0}, "front": {"x": 0, "y": 0, "z": 1}}
    scene = {"version": "scene@1.0.2", "unit": 1, **ways, "assetSource": ["fpModel"], "object": things, "arch": arch}
    return {"format": "sceneState", "scene": scene, **more}


def hsm_summary(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return its other file."""
    things = [
        {
            "name": f"{name}_1", "position": [PLACES[name][0], PLACES[name][2], PLACES[name][1]],
            "dimensions": [wide, high, deep], "rotation": 180 - YAWS[name], "obj_type": "large", "parent_name": None,
            "wall_id": None, "mesh_path": f"/data/hssd/asset{number}.glb",
        }
        for number, (name, (wide, deep, high)) in enumerate(SIZES.items())
    ]  # fmt: skip
    corners = [[-2, -1], [2, -1], [2, 2], [-2, 2]]
    room = {"room_desc": "a small bedroom", "room_type": "bedroom", "room_vertices": corners}
    return {**room, "scene_objects": things, **more}


def idesign(*more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the bedroom as a scene graph of I-Design."""
    elements = {
        "south_wall": (2, 0, 1.35), "north_wall": (2, 3, 1.35), "east_wall": (4, 1.5, 1.35),
        "west_wall": (0, 1.5, 1.35), "middle of the room": (2, 1.5, 0), "ceiling": (2, 1.5, 2.7),
    }  # fmt: skip
    room: list[dict[str, Any]] = [
        {"new_object_id": name, "size_in_meters": {"length": 4, "width": 3, "height": 0}, "position": corner(*place)}
        for name, place in elements.items()
    ]
    on = [{"layout_element_id": "north_wall", "preposition": "on"}]
    things = [
        {
            "new_object_id": f"{name}_1", "size_in_meters": {"length": wide, "width": deep, "height": high},
            "position": corner(*PLACES[name][:2], high / 2), "rotation": {"z_angle": 180 - YAWS[name]},
            "facing": "north_wall", "is_on_the_floor": True,
            "placement": {"room_layout_elements": on, "objects_in_room": []},
        }
        for name, (wide, deep, high) in SIZES.items()
    ]  # fmt: skip
    return [*room, *things, *more]


def sceneweaver() -> dict[str, Any]:
    """Return the bedroom as a layout of SceneWeaver: an unturned thing faces +x."""
    held = [["newroom_0-0", "against_wall"], ["newroom_0-0", "onfloor"]]
    things = {
        f"{deep}_{name.title()}Factory": {"location": [*PLACES[name]], "size": [deep, wide, high], "parent": held,
                                          "rotation": [0, 0, math.radians(YAWS[name] - 90)]}
        for name, (wide, deep, high) in SIZES.items()
    }  # fmt: skip
    return {"objects": things, "structure": {"window_1": {}}, "roomsize": [4, 3]}


STATS = {"object_types": [*SIZES], "class_labels": [*SIZES, "start", "end"]}


def boxes() -> dict[str, Any]:
    """Return the bedroom as arrays with its floor in the house, and a box that is no object."""
    places = [[x - 2, size[2] / 2, 1.5 - y] for (x, y, _), size in zip(PLACES.values(), SIZES.values(), strict=True)]
    sizes = [[wide / 2, high / 2, deep / 2] for wide, deep, high in SIZES.values()]
    return {
        "class_labels": [[float(one == number) for one in range(5)] for number in (0, 1, 2, 4)],
        "translations": [*places, [0, 0, 0]], "sizes": [*sizes, [0, 0, 0]],
        "angles": [[math.radians(yaw)] for yaw in (*YAWS.values(), 0)],
        "floor_plan_vertices": [[10, 0, 5], [14, 0, 5], [14, 0, 8], [10, 0, 8]],
        "floor_plan_faces": [[0, 1, 2], [0, 2, 3]], "floor_plan_centroid": [12, 0, 6.5],
    }  # fmt: skip


def front3d() -> dict[str, Any]:
    """Return the bedroom as a room of 3D-FRONT; its meshes have their origin under them."""
    furniture = [{"uid": f"{name}/model", "jid": f"asset{number}", "title": f"x/{name}", "valid": True}
                 for number, name in enumerate(SIZES)]  # fmt: skip
    children: list[dict[str, Any]] = [
        {"ref": f"{name}/model", "pos": [x, z, -y], "scale": [1, 2, 1],
         "rot": [0, math.sin(math.radians(YAWS[name] / 2)), 0, math.cos(math.radians(YAWS[name] / 2))]}
        for name, (x, y, z) in PLACES.items()
    ]  # fmt: skip
    children += [{"ref": ref, "pos": [0, 0, 0], "scale": [1, 1, 1], "rot": [0, 0, 0, 1]} for ref in "fw"]
    floor = {"uid": "f", "type": "Floor", "xyz": [0, 0, 0, 4, 0, 0, 4, 0, -3, 0, 0, -3], "faces": [0, 1, 2, 0, 2, 3]}
    wall = {"uid": "w", "type": "WallInner", "xyz": [0, 0, 0, 4, 0, 0, 4, 2.7, 0], "faces": [0, 1, 2]}
    rooms = [{"instanceid": f"Room-{number}", "children": children[number:]} for number in (0, 3)]
    return {"uid": "0a1b", "furniture": furniture, "mesh": [floor, wall], "scene": {"room": rooms}}


def each_of(form: str, value: object, name: str = "given.json", **options: Any) -> Sequence[Converted | Unconverted]:  # noqa: ANN401
    """Return what a converter makes of a file of its form, a text or any other value."""
    given = SourceFile.of(name, value if isinstance(value, str) else json.dumps(value))
    return converter_of(form)(given, ConversionOptions(**options))


def converted(form: str, value: object, name: str = "given.json", **options: Any) -> Converted:  # noqa: ANN401
    """Return the one scene that it makes."""
    (found,) = each_of(form, value, name, **options)
    assert isinstance(found, Converted)
    return found


def objects(found: Converted) -> dict[str, dict[str, Any]]:
    """Return the objects of a scene by their ids."""
    return {one["id"]: one for one in found.scene["objects"]}


def told(found: Converted, kind: str = "") -> str:
    """Return what is said of losses, of all kinds or of one."""
    return "\n".join(str(loss) for loss in found.losses if kind in ("", loss.kind))


ODD: Any = (None, True, 0, -1, 1.5, 1e308, math.nan, 10**400, "", "x", "../x", "\ud800", [], {}, [0], [[]], {"x": 0})


def places(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401
    """Return every container of a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def spoilt(random: Random, value: Any) -> str:  # noqa: ANN401
    """Return a file with something odd in one place."""
    value = json.loads(json.dumps(value))
    container, key = random.choice(places(value))
    container[key] = random.choice(ODD)
    return json.dumps(value)
