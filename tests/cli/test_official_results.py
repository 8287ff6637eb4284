"""Results of the official SceneEval code beside a run: ``report --against DIR`` and ``agree --with DIR``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from shipped import TASKS

GOOD = TASKS / "sceneeval/data/rooms/good"
BATHROOM = {"toilet_1": "toilet", "washbasin_1": "washbasin", "mirror_1": "mirror"}


def demands(met: str = "", unmet: str = "") -> dict[str, Any]:
    return {text: {"satisfied": text in met.split()} for text in f"{met} {unmet}".split()}


def each(field: str, *names: str) -> dict[str, Any]:
    return {name: {field: name in names} for name in BATHROOM}


SIDES = {kind: {"occlusion_info": {"opening_occluded": kind == "door"}} for kind in ("door", "window")}
METRICS = {
    "ObjCountMetric": demands("eq,1,toilet eq,1,washbasin", "eq,1,mirror"),
    "ObjAttributeMetric": demands("eq,1,toilet,white", "eq,1,mirror,round"),
    "ObjObjRelationshipMetric": demands("", "eq,1,above,0,washbasin,mirror"),
    "ObjArchRelationshipMetric": demands("eq,1,against,toilet,wall eq,1,on,mirror,wall"),
    "CollisionMetric": {"scene_in_collision": True, "collision_results": each("in_collision", "toilet_1")},
    "SupportMetric": each("supported", "toilet_1", "washbasin_1"),
    "NavigabilityMetric": {"navigability": 0.5},
    "AccessibilityMetric": {"toilet_1": {"front": 0.25, "max": 0.25}, "mirror_1": {"max": -1}},
    "OutOfBoundMetric": each("out_of_bound", "toilet_1"),
    "OpeningClearanceMetric": {f"{kind}_clearance": {kind: [side]} for kind, side in SIDES.items()},
}
"""The data of every official metric on the bathroom, with one verdict of each kind that is not ours."""


def official(scene: str = "0", method: str = "Holodeck", **data: object) -> None:
    value = {
        "method": method,
        "scene_id": scene,
        "object_matching_per_category": {"toilet": {"toilet_1": "is one"}, "washbasin": {"washbasin_1": "is one"}},
        "not_matched_objects": {"mirror_1": "it is a painting"},
        "results": {name: {"message": "", "data": of} for name, of in (METRICS | data).items()},
    }
    written(f"{method}/scene_{scene}/eval_result.json", json.dumps(value))


def written(name: str, text: str) -> None:
    Path("output", name).parent.mkdir(parents=True, exist_ok=True)
    Path("output", name).write_text(text)


@pytest.fixture
def run(tsgkit: CommandLine) -> CommandLine:
    tsgkit(f"eval --task sceneeval --scenes mine={GOOD} --ids 0 1 --out run --quiet")
    return tsgkit


def test_official_figures_and_answers_stand_beside_ours_over_the_scenes_that_both_have(run: CommandLine) -> None:
    official()
    rows = run("report run --against output --format json").json["published"]
    assert {one["metric"]: one["value"] for row in rows for one in row["figures"]} == {
        "cnt": pytest.approx(2 / 3), "atr": 0.5, "oor": 0, "oar": 1, "col_ob": pytest.approx(1 / 3), "col_sc": 1,
        "sup": pytest.approx(2 / 3), "nav": 0.5, "acc": 0.25, "oob": pytest.approx(1 / 3), "opc": 0.5,
    }  # fmt: skip
    fidelity, plausibility = (row["ours"]["profiles"]["strict"] for row in rows)
    assert (fidelity["cnt"]["n"], plausibility["nav"]["n"]) == (3, 1)
    assert rows[0]["differences"] == [
        "scenes only here: 1 (1)",
        "figures of 1 scene: cnt in 1, atr in 1, oor in 1",
        "scene 0: cnt 3/3 here, 2/3 there; atr 2/2 here, 1/2 there; oor 1/1 here, 0/1 there",
    ]
    out = run("report run --against output/Holodeck").out
    assert "sceneeval/fidelity beside results of the official code on Holodeck" in out and "here, strict" in out
    fidelity, plausibility = run("agree run --with output --json").json["rows"]
    assert "official answers: 5 of 8 equal" in fidelity["notes"] and "categories: 2 of 3 equal" in fidelity["notes"]
    unlike = [one for one in fidelity["differing"] if one["on"] == "categories"]
    assert unlike == [{"on": "categories", "item_id": "0", "question": "mirror_1", "here": "mirror", "there": "(none)"}]
    assert {one["kind"] for one in fidelity["measures"]} == {None, "CNT", "ATR", "OOR", "OAR"}
    assert "strict answers: 6 of 9 equal" in plausibility["notes"]
    out = run("agree run --with output").out
    assert "mirror_1: is it held?" in out and "toilet_1: is it held?" not in out


def test_what_cannot_be_compared_is_counted_and_named(run: CommandLine) -> None:
    odd: dict[str, Any] = {"NavigabilityMetric": {"navigability": math.nan}, "PhysicsMetric": {}, "SupportMetric": None}
    official(**odd, ObjCountMetric=demands("eq,1,cat"), AccessibilityMetric={"toilet_1": {"max": 1e300}})
    official("77")
    written("Holodeck/scene_1/obj_matching_result.json", "{}")
    written("Holodeck/scene_2/eval_result.json", '{"method": "Holodeck"')
    out = run("report run --against output").out
    for words in (
        "metrics that cannot be read there: 3 (SupportMetric in Holodeck/scene_0/eval_result.json: Input should be",
        "NavigabilityMetric in Holodeck/scene_0/eval_result.json: Input should be a finite number",
        "eval_result.json: toilet_1: Input should be less than or equal to 1",
        "metrics unknown here: 1 (PhysicsMetric in Holodeck/scene_0/eval_result.json)",
        "scenes without a readable NavigabilityMetric there: 1 (0)",
        "entries only there: 1 (eq,1,cat of scene 0)",
        "entries only here: 3 (eq,1,toilet of scene 0",
        "scenes only there: 1 (77)",
        "scenes not evaluated there: 1 (Holodeck/scene_1)",
        "files that cannot be read there: 1 (Holodeck/scene_2/eval_result.json: line 1: broken JSON",
    ):
        assert words in out, words


def test_folders_without_usable_results_are_refused(run: CommandLine) -> None:
    Path("empty").mkdir()
    official("77")
    official(method="HSM")
    written("../broken/eval_result.json", "[]")
    run.refuses(
        {
            "report run --against nowhere": "--against nowhere: no such folder",
            "report run --against empty": "empty: no eval_result.json anywhere in this folder",
            "report run --against broken": "eval_result.json: Input should be",
            "report run --against output": "output: results on HSM, Holodeck, while the run has mine",
            "report run --against output/Holodeck": "no scene of the run has results on Holodeck",
            "agree run --with output --subject other": "run: no subject is called other",
        }
    )
