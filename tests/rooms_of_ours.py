"""The bundled rooms and small ones made on the spot, for tests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from shipped import TASKS

from tsgkit.library.cards import load_card
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.fidelity import FidelityTask
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.plausibility import PlausibilityTask
from tsgkit.suites.sceneeval.scenes import SceneFolder, SceneTask, judge_scene, value_of

ROOMS = TASKS / "sceneeval" / "data"
SCENE_TASKS: dict[str, SceneTask] = {
    "fidelity": FidelityTask(load_card("sceneeval/fidelity")),
    "plausibility": PlausibilityTask(load_card("sceneeval/plausibility")),
}


def measured(kind: str, annotation: Annotation, folder: Path, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what is found about the scene of an annotation."""
    value = value_of(
        asyncio.run(judge_scene(SCENE_TASKS[kind], annotation, SceneFolder(folder, **more), RulesJudge(), None))
    )
    assert value is not None
    return value


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
