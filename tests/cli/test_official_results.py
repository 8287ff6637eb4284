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


def demands(**satisfied: list[str]) -> dict[str, Any]:
    return {text: {"satisfied": met == "met"} for met, texts in satisfied.items() for text in texts}


def metrics() -> dict[str, Any]:
    """Return the data of every official metric on the bathroom, with one verdict of each kind that is not ours."""
    names = list(BATHROOM)
    return {
        "ObjCountMetric": demands(met=["eq,1,toilet", "eq,1,washbasin"], unmet=["eq,1,mirror"]),
        "ObjAttributeMetric": demands(met=["eq,1,toilet,white"], unmet=["eq,1,mirror,round"]),
        "ObjObjRelationshipMetric": demands(unmet=["eq,1,above,0,washbasin,mirror"]),
        "ObjArchRelationshipMetric": demands(met=["eq,1,against,toilet,wall", "eq,1,on,mirror,wall"]),
        "CollisionMetric": {
            "scene_in_collision": True,
            "collision_results": {name: {"in_collision": name == "toilet_1"} for name in names},
        },
        "SupportMetric": {name: {"supported": name != "mirror_1"} for name in names},
        "NavigabilityMetric": {"navigability": 0.5},
        "AccessibilityMetric": {"toilet_1": {"front": 0.25, "max": 0.25}, "mirror_1": {"max": -1}},
        "OutOfBoundMetric": {name: {"out_of_bound": name == "toilet_1"} for name in names},
        "OpeningClearanceMetric": {
            "door_clearance": {"door_0_bathroom_south": [{"occlusion_info": {"opening_occluded": True}}]},
            "window_clearance": {"window_0_bathroom_east": [{"occlusion_info": {"opening_occluded": False}}]},
        },
    }


def official(scene: str = "0", method: str = "Holodeck", **data: object) -> None:
    matched = {category: {name: "it is one"} for name, category in BATHROOM.items() if category != "mirror"}
    value = {
        "method": method,
        "scene_id": scene,
        "object_matching_per_category": matched,
        "not_matched_objects": {"mirror_1": "it is a painting"},
        "results": {name: {"message": "", "data": of} for name, of in {**metrics(), **data}.items()},
    }
    folder = Path(f"output/{method}/scene_{scene}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "eval_result.json").write_text(json.dumps(value))


@pytest.fixture
def run(tsgkit: CommandLine) -> CommandLine:
    tsgkit(f"eval --task sceneeval --scenes mine={GOOD} --ids 0 1 --out run --quiet")
    return tsgkit


def test_official_figures_stand_beside_both_of_ours_over_the_scenes_that_both_have(run: CommandLine) -> None:
    official()
    rows = run("report run --against output --format json").json["published"]
    figures = {one["metric"]: one["value"] for row in rows for one in row["figures"]}
    assert figures == {
        "cnt": pytest.approx(2 / 3), "atr": 0.5, "oor": 0, "oar": 1, "col_ob": pytest.approx(1 / 3), "col_sc": 1,
        "sup": pytest.approx(2 / 3), "nav": 0.5, "acc": 0.25, "oob": pytest.approx(1 / 3), "opc": 0.5,
    }  # fmt: skip
    assert [row["ours"]["profiles"]["strict"][name]["n"] for row, name in zip(rows, ("cnt", "nav"), strict=True)] == [
        3,
        1,
    ]
    assert rows[0]["differences"] == [
        "scenes only here: 1 (1)",
        "figures of 1 scene: cnt in 1, atr in 1, oor in 1",
        "scene 0: cnt 3/3 here, 2/3 there; atr 2/2 here, 1/2 there; oor 1/1 here, 0/1 there",
    ]
    out = run("report run --against output/Holodeck").out
    assert "sceneeval/fidelity beside results of the official code on Holodeck" in out and "here, strict" in out


def test_agreement_with_official_results_is_by_question_and_by_category_of_objects(run: CommandLine) -> None:
    official()
    fidelity, plausibility = run("agree run --with output --json").json["rows"]
    assert "official answers: 5 of 8 equal" in fidelity["notes"] and "categories: 2 of 3 equal" in fidelity["notes"]
    unlike = [one for one in fidelity["differing"] if one["on"] == "categories"]
    assert unlike == [{"on": "categories", "item_id": "0", "question": "mirror_1", "here": "mirror", "there": "(none)"}]
    assert {one["kind"] for one in fidelity["measures"]} == {None, "CNT", "ATR", "OOR", "OAR"}
    assert "strict answers: 6 of 9 equal" in plausibility["notes"]
    assert "toilet_1: is it held?" not in run("agree run --with output").out
    assert "mirror_1: is it held?" in run("agree run --with output").out


def test_what_cannot_be_compared_is_counted_and_named(run: CommandLine) -> None:
    official(NavigabilityMetric={"navigability": math.nan}, PhysicsMetric={}, ObjCountMetric=demands(met=["eq,1,cat"]))
    official("77")
    Path("output/Holodeck/scene_1").mkdir()
    Path("output/Holodeck/scene_1/obj_matching_result.json").write_text("{}")
    Path("output/Holodeck/scene_2").mkdir()
    Path("output/Holodeck/scene_2/eval_result.json").write_text('{"method": "Holodeck"')
    out = run("report run --against output").out
    for words in (
        "NavigabilityMetric in Holodeck/scene_0/eval_result.json: Input should be a finite number",
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
    Path("broken/x").mkdir(parents=True)
    Path("broken/x/eval_result.json").write_text("[]")
    run.refuses(
        {
            "report run --against nowhere": "--against nowhere: no such folder",
            "report run --against empty": "empty: no eval_result.json anywhere in this folder",
            "report run --against broken": "x/eval_result.json: Input should be",
            "report run --against output": "output: results on HSM, Holodeck, while the run has mine",
            "report run --against output/Holodeck": "no scene of the run has results on Holodeck",
            "agree run --with empty": "empty: no eval_result.json anywhere in this folder",
            "agree run --with output --subject other": "run: no subject is called other",
        }
    )
