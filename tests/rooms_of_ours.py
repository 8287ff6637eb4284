"""The bundled rooms and small ones made on the spot, for tests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.suites.sceneeval import fidelity, plausibility
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.scenes import SceneFolder, judge_scene, value_of

ROOMS = TASKS / "sceneeval" / "data"
CHECKS = {checks.kind: checks for checks in (fidelity.CHECKS, plausibility.CHECKS)}
METRICS = {"fidelity": fidelity.METRICS, "plausibility": plausibility.METRICS}


def measured(kind: str, annotation: Annotation, folder: Path, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what is found about the scene of an annotation."""
    value = value_of(
        asyncio.run(judge_scene(CHECKS[kind], annotation, SceneFolder(folder, **more), RulesJudge(), None))
    )
    assert value is not None
    return value


def verdicts_of(annotation: Annotation, kind: str) -> dict[str, Any]:
    """Return what is found about a bundled room, in the form in which it is stored."""
    folder = ROOMS / "rooms" / kind
    demands = measured("fidelity", annotation, folder)
    rest = measured("plausibility", annotation, folder)["profiles"]
    value: dict[str, Any] = {
        "matched": demands["matched"],
        "specifications": {
            one["text"]: {name: said["satisfied"] for name, said in one["profiles"].items()}
            for one in demands["specifications"]
        },
    }
    for profile, one in rest.items():
        things = one["objects"].items()
        value[profile] = {
            "in_collision": [name for name, said in things if said["in_collision"]],
            "unsupported": [name for name, said in things if not said["supported"]],
            "out_of_bounds": [name for name, said in things if said["out_of_bounds"]],
            "occluded": [side["id"] for side in one["openings"] if side["occluded"]],
            "scores": {name: s / w if w else None for name, (s, w) in one["scores"].items()},
        }
    return value


def assert_as_stored(annotation: Annotation, kind: str, stored: dict[str, Any]) -> None:
    """Assert that every demand and every object of a bundled room gets the verdict that is stored."""
    now, row = verdicts_of(annotation, kind), (annotation.item_id, kind)
    for name in ("matched", "specifications"):
        assert now[name] == stored[name], row
    for profile in ("strict", "official"):
        assert now[profile].pop("scores") == pytest.approx(stored[profile]["scores"], abs=0.002), (*row, profile)
        wanted = {name: value for name, value in stored[profile].items() if name != "scores"}
        assert now[profile] == wanted, (*row, profile)


def room(*objects: dict[str, Any], **fields: Any) -> str:  # noqa: ANN401
    """Return a bedroom of 4 by 3 metres with these objects, as a file has it."""
    rooms = [{"name": "bedroom", "from": [0, 0], "to": [4, 3]}]
    return json.dumps({"format": "tsgkit/room", "rooms": rooms, "objects": objects, **fields})


def thing(
    name: str,
    category: str,
    at: tuple[float, float, float],
    size: tuple[float, float, float],
    **more: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """Return an object of such a room."""
    return {"id": name, "category": category, "at": at, "size": size, **more}
