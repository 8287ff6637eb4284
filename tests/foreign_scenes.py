"""One bedroom in the forms of other tools, written by hand for tests: it must come out the same of all of them.

Four metres from west to east, three from south to north. A bed stands in the north and faces south; seen from its foot
a nightstand is to its right. A chair stands before its foot and faces west.
"""

from __future__ import annotations

import json
from typing import Any

SIZES = {"bed": (1.6, 2.0, 0.6), "nightstand": (0.5, 0.4, 0.55), "chair": (0.5, 0.6, 0.9)}
"""How wide, deep and high each thing is."""
PLACES = {"bed": (1.0, 2.0, 0.0), "nightstand": (2.2, 2.75, 0.0), "chair": (1.4, 0.6, 0.0)}
YAWS = {"bed": 0.0, "nightstand": 0.0, "chair": -90.0}


def corner(x: float, y: float, z: float) -> dict[str, float]:
    """A place in Unity's frame: y is up."""
    return {"x": x, "y": y, "z": z}


def board(x: float, z: float, to_x: float, to_z: float, high: float = 2.7) -> list[dict[str, float]]:
    """The four corners of a wall."""
    return [corner(x, 0, z), corner(x, high, z), corner(to_x, high, to_z), corner(to_x, 0, to_z)]


FOOTPRINTS = {
    "bed": [[20, 100], [180, 100], [180, 300], [20, 300]],
    "nightstand": [[195, 255], [245, 255], [245, 295], [195, 295]],
    "chair": [[110, 35], [170, 35], [170, 85], [110, 85]],
}
TURNS = {"bed": 180, "nightstand": 180, "chair": 270}


def holodeck(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """The bedroom as a house of Holodeck, with a door in the south and a window in the west."""
    things = [
        {
            "assetId": f"asset{number}",
            "id": f"{name}-0 (bedroom)",
            "object_name": f"{name}-0",
            "kinematic": True,
            "roomId": "bedroom",
            "position": corner(PLACES[name][0], SIZES[name][2] / 2, PLACES[name][1]),
            "rotation": corner(0, TURNS[name], 0),
            "vertices": FOOTPRINTS[name],
        }
        for number, name in enumerate(SIZES)
    ]
    walls = [
        {"id": "wall|bedroom|south|0", "roomId": "bedroom", "polygon": board(4, 0, 0, 0)},
        {"id": "wall|bedroom|west|1", "roomId": "bedroom", "polygon": board(0, 0, 0, 3)},
        {"id": "wall|bedroom|north|2", "roomId": "bedroom", "polygon": board(0, 3, 4, 3)},
        {"id": "wall|bedroom|east|3", "roomId": "bedroom", "polygon": board(4, 3, 4, 0)},
        {"id": "wall|exterior|south|0", "roomId": "exterior", "polygon": board(0, 0, 4, 0)},
    ]
    door = {
        "id": "door|0|exterior|bedroom",
        "wall0": "wall|bedroom|south|0",
        "wall1": "wall|exterior|south|0",
        "holePolygon": [corner(0.5, 0, 0), corner(1.5, 2.1, 0)],
        "doorSegment": [[3.5, 0], [2.5, 0]],
        "assetId": "Doorway_1",
    }
    window = {
        "id": "window|wall|bedroom|west|1",
        "wall0": "wall|bedroom|west|1",
        "wall1": None,
        "holePolygon": [corner(1.0, 0.9, 0), corner(2.2, 1.9, 0)],
    }
    floor = [corner(0, 0, 0), corner(0, 0, 3), corner(4, 0, 3), corner(4, 0, 0)]
    house = {
        "query": "a small bedroom",
        "wall_height": 2.7,
        "proceduralParameters": {"lights": []},
        "rooms": [{"id": "bedroom", "floorPolygon": floor, "roomType": "bedroom"}],
        "walls": walls,
        "doors": [door],
        "windows": [window],
        "objects": things,
        "floor_objects": things,
        "wall_objects": [],
    }
    return {**house, **more}


ANGLES = {"bed": -90.0, "nightstand": 270.0, "chair": 180.0}


def layoutvlm_layout(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """The bedroom as a layout of LayoutVLM."""
    places = {
        f"{name}-0": {
            "position": [PLACES[name][0], PLACES[name][1], SIZES[name][2] / 2],
            "rotation": [0, 0, ANGLES[name]],
        }
        for name in SIZES
    }
    return {**places, **more}


def layoutvlm_config(**more: Any) -> dict[str, Any]:  # noqa: ANN401
    """What its assets and its room are; an asset faces +x, so its depth lies along x."""
    assets = {
        f"{name}-0": {
            "uid": f"asset{number}",
            "category": name,
            "description": f"a plain {name}",
            "frontView": 3,
            "assetMetadata": {"boundingBox": {"x": deep, "y": wide, "z": high}},
        }
        for number, (name, (wide, deep, high)) in enumerate(SIZES.items())
    }
    floor = [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]
    boundary = {"floor_vertices": floor, "wall_height": 2.7}
    return {"task_description": "a small bedroom", "boundary": boundary, "assets": assets, **more}


LAYOUTGPT = """Room Type: bedroom
Room Size: max length 4.00m, max width 3.00m
Layout:
bed {length: 1.6m; width: 2.0m; height: 0.6m; left: 1.0m; top: 1.0m; depth: 0.3m; orientation: 0 degrees;}
nightstand {length: 0.5m; width: 0.4m; height: 0.55m; left: 2.2m; top: 0.25m; depth: 0.275m; orientation: 0 degrees;}
chair {length: 0.5m; width: 0.6m; height: 0.9m; left: 1.4m; top: 2.4m; depth: 0.45m; orientation: -90 degrees;}
"""


def layoutgpt_record(query: str = "7", unit: str = "m", scale: float = 1.0) -> dict[str, Any]:
    """The bedroom as a record of a published file, after a worked example with another room."""
    turned = {"bed": 0, "nightstand": 0, "chair": -90}
    things = [
        [
            name,
            {
                "length": wide * scale,
                "width": deep * scale,
                "height": high * scale,
                "left": PLACES[name][0] * scale,
                "top": (3 - PLACES[name][1]) * scale,
                "depth": high / 2 * scale,
                "orientation": turned[name],
            },
        ]
        for name, (wide, deep, high) in SIZES.items()
    ]
    shown = f"Room Type: den\nRoom Size: max length {9 * scale:g}{unit}, max width {9 * scale:g}{unit}\n"
    asked = f"Room Type: bedroom\nRoom Size: max length {4 * scale:g}{unit}, max width {3 * scale:g}{unit}\n"
    prompt = [{"role": "system", "content": shown}, {"role": "user", "content": asked}]
    return {"query_id": query, "iter": 0, "prompt": prompt, "object_list": things}


def text(value: object) -> str:
    """A value as its file has it."""
    return json.dumps(value)
