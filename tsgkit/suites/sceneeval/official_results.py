"""Results of the official SceneEval code, read as findings of our tasks.

The official code writes ``METHOD/scene_ID/eval_result.json`` for every scene it evaluates: its matching of objects to
categories, and the data of each metric that was run. Read as findings, they are scored, reported and compared like our
own; they count in ``official`` only.

What is not compared is returned by kind, with names: files and metrics that cannot be read (as NaN, which the official
code writes where it divides by zero), metrics that are unknown here or were not run, scenes and entries that only one
side has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, FiniteFloat, StrictBool, TypeAdapter, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text, walk
from tsgkit.suites.judgement import Judged
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation
from tsgkit.suites.sceneeval.scene_files.files import json_of, problem_of
from tsgkit.suites.task import OfficialResults

RESULT, MATCHING = "eval_result.json", "obj_matching_result.json"
Problems = defaultdict[str, list[str]]
"""The names of what is not compared, by kind."""
Scorer = Callable[[Annotation, Mapping[str, Any]], Judged]
"""Scores findings on a scene."""


def _field(name: str) -> BeforeValidator:
    """Return a validator that takes one field of an entry for it; None where it has none."""
    return BeforeValidator(lambda entry: entry.get(name) if isinstance(entry, dict) else None)


class _Collisions(BaseModel):
    scene_in_collision: StrictBool
    collision_results: dict[str, Annotated[StrictBool, _field("in_collision")]]


Sides = tuple[Annotated[StrictBool, _field("opening_occluded"), _field("occlusion_info")], ...]


class _Openings(BaseModel):
    door_clearance: dict[str, Sides]
    window_clearance: dict[str, Sides]


class _Result(BaseModel):
    method: str
    scene_id: str | int
    object_matching_per_category: dict[str, dict[str, Any]] = {}
    not_matched_objects: dict[str, Any] = {}
    results: dict[str, Annotated[Any, _field("data")]]


_Demands: TypeAdapter[Any] = TypeAdapter(dict[str, Annotated[StrictBool, _field("satisfied")]])
DATA: Mapping[str, TypeAdapter[Any]] = {
    "ObjCountMetric": _Demands,
    "ObjAttributeMetric": _Demands,
    "ObjObjRelationshipMetric": _Demands,
    "ObjArchRelationshipMetric": _Demands,
    "CollisionMetric": TypeAdapter(_Collisions),
    "SupportMetric": TypeAdapter(dict[str, Annotated[StrictBool, _field("supported")]]),
    "NavigabilityMetric": TypeAdapter(Annotated[FiniteFloat, Field(ge=0, le=1), _field("navigability")]),
    # of the best side; -1 for an object without functional sides
    "AccessibilityMetric": TypeAdapter(dict[str, Annotated[FiniteFloat, Field(ge=-1, le=1), _field("max")]]),
    "OutOfBoundMetric": TypeAdapter(dict[str, Annotated[StrictBool, _field("out_of_bound")]]),
    "OpeningClearanceMetric": TypeAdapter(_Openings),
}
"""The form of the data of each official metric, as far as it is read."""
OFFICIAL_NAMES = {
    "cnt": "ObjCountMetric",
    "atr": "ObjAttributeMetric",
    "oor": "ObjObjRelationshipMetric",
    "oar": "ObjArchRelationshipMetric",
    "col_ob": "CollisionMetric",
    "col_sc": "CollisionMetric",
    "sup": "SupportMetric",
    "nav": "NavigabilityMetric",
    "acc": "AccessibilityMetric",
    "oob": "OutOfBoundMetric",
    "opc": "OpeningClearanceMetric",
}
"""The official metric behind each of ours."""


@dataclass(frozen=True)
class OfficialScene:
    """The official results on one scene."""

    method: str
    scene_id: str
    matched: Mapping[str, str | None]
    """The category of each object; None for an object that matched none."""
    metrics: Mapping[str, Any]
    """The data of each metric that was run and can be read."""


def official_results(
    folder: Path, samples: Iterable[Annotation], names: Mapping[str, str], score: Scorer
) -> Sequence[OfficialResults]:
    """Return the results in a folder, method by method.

    ``names`` holds the official metric behind each metric of a task, ``score`` scores the task's findings on a scene.
    """
    scenes, unread = read_results(folder)
    known = {sample.item_id: sample for sample in samples}
    results = []
    for method in dict.fromkeys(scene.method for scene in scenes):
        judged, problems = dict[str, Judged](), Problems(list, {kind: list(those) for kind, those in unread.items()})
        for scene in scenes:
            if scene.method != method:
                continue
            sample = known.get(scene.scene_id)
            if sample is None:
                problems["scenes only there"].append(scene.scene_id)
                continue
            if scene.scene_id in judged:
                problems["scenes there twice, the first of which counts"].append(scene.scene_id)
                continue
            for metric in dict.fromkeys(names.values()):
                if metric not in scene.metrics:
                    problems[f"scenes without a readable {metric} there"].append(scene.scene_id)
            of_task = score(sample, _demands(sample, scene, problems) if "cnt" in names else _plausibility(scene))
            official = of_task.scores["official"].items()
            scores = {name: of_metric for name, of_metric in official if names[name] in scene.metrics}
            judged[scene.scene_id] = replace(of_task, scores={"official": scores})
        results.append(OfficialResults(method, judged, problems))
    return results


def read_results(folder: Path) -> tuple[list[OfficialScene], Mapping[str, Sequence[str]]]:
    """Return the results of all scenes in a folder, at any depth, and what cannot be read.

    Raise UsageError if it holds no results, and FileProblem for the first file if none can be read.
    """
    scenes, problems, faults = list[OfficialScene](), Problems(list), list[FileProblem]()
    unfinished = []
    for inner, _ in walk(folder, failed=lambda _, fault: faults.append(fault)):
        try:
            if (inner / RESULT).exists():
                scenes.append(_scene(inner / RESULT, (inner / RESULT).relative_to(folder).as_posix(), problems))
            elif (inner / MATCHING).exists():
                unfinished.append(inner.relative_to(folder).as_posix())
        except FileProblem as fault:
            faults.append(fault)
    if faults and not scenes:
        raise faults[0]
    if not scenes:
        hint = "name the folder that the official SceneEval code wrote to, or one method's folder in it"
        raise UsageError(f"{folder}: no {RESULT} anywhere in this folder", hint=hint)
    problems["files that cannot be read there"] += [fault.message for fault in faults]
    problems["scenes not evaluated there"] += unfinished
    return scenes, problems


def _scene(path: Path, name: str, problems: Problems) -> OfficialScene:
    if not path.is_file():
        raise FileProblem(f"{name}: not a file")
    try:
        result = _Result.model_validate(json_of(read_text(path), name))
    except ValidationError as error:
        raise problem_of(error, name) from None
    metrics = dict[str, Any]()
    for metric, data in result.results.items():
        if metric not in DATA:
            problems["metrics unknown here"].append(f"{metric} in {name}")
            continue
        try:
            metrics[metric] = DATA[metric].validate_python(data)
        except ValidationError as error:
            fault = problem_of(error, f"{metric} in {name}")
            problems["metrics that cannot be read there"].append(fault.message)
    matched: dict[str, str | None] = dict.fromkeys(result.not_matched_objects)
    for category, objects in result.object_matching_per_category.items():
        matched |= dict.fromkeys(objects, category)
    return OfficialScene(result.method, str(result.scene_id), matched, metrics)


def _demands(sample: Annotation, scene: OfficialScene, problems: Problems) -> dict[str, Any]:
    """Return the findings of ``sceneeval/fidelity``; both profiles hold the one verdict there is."""
    verdicts: dict[tuple[str, str], bool] = {}
    for kind in KINDS:
        if (data := scene.metrics.get(OFFICIAL_NAMES[kind])) is None:
            continue
        ours = [spec.text for spec in sample.of_kind(kind)]
        problems["entries only there"] += [f"{text} of scene {sample.item_id}" for text in data if text not in ours]
        problems["entries only here"] += [f"{text} of scene {sample.item_id}" for text in ours if text not in data]
        verdicts |= {(kind, text): met for text, met in data.items()}
    rest: dict[str, Any] = {"count": None, "reason": "decided by the official code", "groups": []}
    specifications = []
    for spec in sample.specifications:
        profiles = {key: {"satisfied": verdicts.get((spec.kind, spec.text)), **rest} for key in PROFILES}
        specifications.append({"text": spec.text, "kind": spec.kind, "meant": None, "profiles": profiles})
    return {"matched": dict(scene.matched), "specifications": specifications}


def _plausibility(scene: OfficialScene) -> dict[str, Any]:
    """Return the findings of ``sceneeval/plausibility``; both profiles hold the one verdict there is."""
    collisions: _Collisions | None = scene.metrics.get("CollisionMetric")
    hits = collisions.collision_results if collisions else {}
    supported, out, best = (
        scene.metrics.get(f"{name}Metric", {}) for name in ("Support", "OutOfBound", "Accessibility")
    )
    access = {name: value for name, value in best.items() if value >= 0}
    way: float | None = scene.metrics.get("NavigabilityMetric")
    clear: _Openings | None = scene.metrics.get("OpeningClearanceMetric")
    openings = [
        {"id": name, "kind": kind, "occluded": is_occluded, "reason": ""}
        for kind, clearances in (("door", clear.door_clearance), ("window", clear.window_clearance))
        for name, sides in clearances.items()
        for is_occluded in sides
    ] if clear else []  # fmt: skip
    findings = {
        "objects": {
            name: {
                "in_collision": hits.get(name),
                "supported": supported.get(name),
                "out_of_bounds": out.get(name),
                "accessibility": access.get(name),
                "reasons": [],
            }
            for name in dict.fromkeys([*scene.matched, *hits, *supported, *out, *best])
        },
        "openings": openings,
        "navigability": {"value": way, "reason": ""},
        "scores": {
            "col_ob": [sum(hits.values()), len(hits)],
            "col_sc": [int(collisions.scene_in_collision), 1] if collisions else [0, 0],
            "sup": [sum(supported.values()), len(supported)],
            "nav": [0, 0] if way is None else [way, 1],
            "acc": [sum(access.values()), len(access)],
            "oob": [sum(out.values()), len(out)],
            "opc": [sum(not side["occluded"] for side in openings), len(openings)],
        },
    }
    return {"profiles": dict.fromkeys(PROFILES, findings)}
