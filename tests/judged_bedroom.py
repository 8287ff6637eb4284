"""A bedroom with demands, judged by rules or by a model server that knows it, for tests of the judge of scenes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from model_server import Running
from room_judge import looks_of
from rooms_of_ours import room, thing

from tsgkit.runs.evaluation import EvaluationOutcome, Options, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval.scene_files import loaded_scene
from tsgkit.suites.sceneeval.scenes import SceneFolder

SMALL = 64
"""Pixels a side of images, where many are taken and their size is not what is looked at."""
BOTH = ("sceneeval/fidelity", "sceneeval/plausibility")
HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
ROW = (
    '0,easy,A bedroom.,"eq,1,bed; eq,2,lamp","eq,1,lamp,red; eq,1,sofa,green","eq,1,next_to,0,bed,lamp",'
    '"eq,1,against,bed,wall"'
)
OBJECTS = (
    thing("bed_1", "bed", (2, 1.98, 0), (1.6, 2, 0.5), attributes=["wooden"]),
    thing("lamp_1", "lamp", (0.8, 2.8, 0), (0.2, 0.2, 1.5), attributes=["red"], shape="cylinder"),
    thing("lamp_2", "lamp", (3.6, 0.4, 0), (0.25, 0.25, 1.2), attributes=["blue"], shape="cone"),
)
Verdicts = dict[Any, Any]
CALLS_OF_BOTH = {"match": 3, "attribute": 1, "object-relations": 1, "room-relations": 1, "support": 3, "sides": 1}


def enter_bedroom(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Make a folder with a bedroom and its demands the working folder, with small images and a cache of its own."""
    patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    patch.delenv("TSGKIT_CACHE_HOME", raising=False)
    patch.setattr(loaded_scene, "SIZE", SMALL)
    patch.chdir(folder)
    (folder / "mine").mkdir()
    (folder / "mine/scene_0.json").write_text(room(*OBJECTS))
    (folder / "a.csv").write_text(f"{HEAD}\n{ROW}\n")


def write_known(out: Path, *folders: Path) -> str:
    """Write what a server knows of the first scenes of some folders. Return the name of the file."""
    scenes = [scene for folder in folders if (scene := SceneFolder(folder).scene("0")) is not None]
    out.write_text(json.dumps(looks_of(scenes)))
    return str(out)


def looked(
    server: Running | None,
    *,
    out: str = "run",
    cache: bool = False,
    limits: Limits | None = None,
    executor: str | None = None,
    **more: object,
) -> EvaluationOutcome:
    plan = {"tasks": BOTH, "scenes": ("mine=mine",), "judge": "openai/eye", "data": "a.csv", **more}
    if server is not None:
        plan["model_args"] = (f"api_base={server.base}", "api_key=sk-none")
    return evaluate(
        Plan.model_validate(plan),
        Options(out=Path(out), cache=cache, limits=limits or Limits(), executor=executor),
        with_samples=True,
    )


def samples(finished: EvaluationOutcome) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {
        (row["subject"], row["task"].removeprefix("sceneeval/"), one["item_id"]): one
        for row in finished.values
        for one in row["samples"]
    }


def told(finished: EvaluationOutcome) -> Verdicts:
    """Return all verdicts in both profiles."""
    found: Verdicts = {}
    for key, one in samples(finished).items():
        evidence = one["evidence"]
        if "specifications" in evidence:
            for spec in evidence["specifications"]:
                found[(*key, spec["text"])] = {name: of["satisfied"] for name, of in spec["profiles"].items()}
            found[(*key, "matched")] = evidence["matched"]
        else:
            for name, of in evidence["objects"].items():
                found[(*key, name)] = {
                    profile: (of[profile]["supported"], of[profile]["accessibility"]) for profile in of
                }
    return found


def labels(out: str = "run") -> Counter[str]:
    lines = [json.loads(line) for line in Path(out, CALLS).read_text().splitlines()]
    return Counter(line["label"] for line in lines)
