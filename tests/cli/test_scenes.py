"""``tsgkit eval`` on folders of rooms."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from rooms_of_ours import ROOMS, room, thing

GOOD, FLAWED = ROOMS / "rooms" / "good", ROOMS / "rooms" / "flawed"
HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
BED = room(thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5)))
FIDELITY, PLAUSIBILITY = "--task sceneeval/fidelity", "--task sceneeval/plausibility"


def evaluated(tsgkit: CommandLine, words: str, code: int = 0) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = tsgkit(f"eval {words} --json --samples --quiet", code=code).json["results"]
    return results


def own(**files: str) -> None:
    """Write scenes into the folder ``mine``."""
    Path("mine").mkdir()
    for name, text in files.items():
        Path(f"mine/{name}.json").write_text(text)


def test_missing_and_broken_scenes_are_rows_that_count_against_a_subject(tsgkit: CommandLine) -> None:
    shutil.copytree(GOOD, "mine")
    Path("mine/scene_1.json").unlink()
    Path("mine/scene_2.json").write_text("{")
    Path("mine/scene_3.json").unlink()
    os.mkfifo("mine/scene_3.json")
    words = f"--task sceneeval --scenes mine=mine --scenes good={GOOD} --first 4 --out run"
    results = evaluated(tsgkit, words)
    fidelity, plausibility = (one for one in results if one["subject"] == "mine")
    for result in (fidelity, plausibility):
        assert [result["counts"][name] for name in ("answered", "missing", "unreadable")] == [1, 1, 2]
        ends = [one["outcome"] for one in result["samples"]]
        assert ends == ["answered", "missing", "unreadable", "unreadable"]
    assert plausibility["profiles"]["strict"]["col_sc"]["value"] == pytest.approx(3 / 4)
    assert plausibility["profiles"]["official"]["col_sc"]["value"] == 0
    good = results[1] if results[0] is fidelity else results[0]
    assert [good[name] for name in ("subject", "judge", "solver", "n")] == ["good", "rules", "published", 4]
    for name in ("cnt", "atr", "oor", "oar", "cnt_per_scene"):
        assert [good["profiles"][profile][name]["value"] for profile in ("strict", "official")] == [1, 1], name
    assert "eq,1,toilet" in {one["text"] for one in good["samples"][0]["evidence"]["specifications"]}
    out = tsgkit("compare run --task plausibility").out
    assert "they count as wrong: missing 1 (1)" in out and "counts no fault" not in out


def test_rooms_that_take_too_long_are_given_up_and_measured_when_the_run_goes_on(tsgkit: CommandLine) -> None:
    words = f"{FIDELITY} --scenes mine={GOOD} --ids 0 1 --out run"
    (result,) = evaluated(tsgkit, f"{words} --scene-time 1e-7", code=1)
    assert [result["counts"][name] for name in ("error", "api_error", "too_long")] == [2, 0, 2]
    sample = result["samples"][0]
    assert sample["notes"] == ["measuring it takes longer than 1e-07 seconds; raise --scene-time (0: no limit)"]
    assert sample["evidence"] is None
    assert set(result["profiles"]["official"].values()) == {None}
    assert result["profiles"]["strict"]["cnt"]["value"] == 0
    (again,) = evaluated(tsgkit, f"{words} --scene-time 0")
    assert (again["counts"]["answered"], "too_long" in again["counts"]) == (2, False)


def test_a_run_of_rooms_goes_on_and_is_rescored_and_another_room_is_another_run(tsgkit: CommandLine) -> None:
    own(scene_0=BED)
    words = f"{PLAUSIBILITY} --scenes mine=mine --first 1"
    first = evaluated(tsgkit, words)
    [run] = Path("runs").iterdir()
    before = (run / "samples.jsonl").read_bytes()
    assert evaluated(tsgkit, words) == first
    assert list(Path("runs").iterdir()) == [run]
    Path("mine/scene_0.json").write_text(room(thing("bed_1", "bed", (2, 1.5, 1), (1.6, 2, 0.5))))
    assert evaluated(tsgkit, words) != first
    assert len(list(Path("runs").iterdir())) == 2
    shutil.rmtree("mine")
    tsgkit(f"rescore {run}")
    assert (run / "samples.jsonl").read_bytes() == before, "judged again from what was found"


def test_scenes_and_figures_that_are_missing_are_named_below_the_table(tsgkit: CommandLine) -> None:
    own(scene_0=room({"id": "a", "category": "bed"}), scene_1=room({"id": "a", "category": "bed"}))
    out = tsgkit(f"eval {FIDELITY} --scenes mine=mine --first 2 --quiet").out
    assert (
        "mine sceneeval/fidelity published: 2 samples unreadable, the first: scene_0.json: object a: at: Field required"
    ) in out
    Path("mine/scene_0.json").write_text(BED)
    Path("a.csv").write_text(f'{HEAD}\n0,easy,A bedroom with a bed and a lamp,"eq,1,bed;eq,1,lamp",,,\n')
    out = tsgkit(f"eval {FIDELITY} --scenes mine=mine --data a.csv --quiet").out
    assert "  no official atr, oor, oar: no scene has a known value" in out


def test_rooms_are_reported_compared_and_explained(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "--task sceneeval --first 3")
    (run,) = Path("runs").iterdir()
    assert run.name.startswith("good+flawed-sceneeval-")
    names = ["cnt", "atr", "oor", "oar", "col_ob", "col_sc", "sup", "nav", "acc", "oob", "opc"]
    assert [pair["metric"] for pair in tsgkit(f"compare {run} --json").json["comparisons"]] == names
    fidelity = "--task fidelity"
    for words, parts in {
        f"report {run} --against published --by difficulty": (
            "easy",
            "differs in judge: rules here, gpt-4o-2024-08-06 there",
            "differs in data: ours are not the published file",
        ),
        f"compare {run} --task plausibility --items": (
            "sceneeval/plausibility, strict; 3 items in 3 clusters",
            "col_sc (less is better)",
            "sceneeval/plausibility sup: good published against flawed published",
        ),
        f"compare {run} --task plausibility --metric sup": ("sceneeval/plausibility: sup, strict; 3 items",),
        f"explain {run} --item 0 {fidelity} --subject flawed": (
            "flawed sceneeval/fidelity",
            "unmet eq,1,mirror,round: 0 of 1 are round; exactly 1 needed",
            "oor                  0.0  0 of 1 demands are met; eq,1,above,0,washbasin,mirror: 0 % of mirror_1",
        ),
        f"explain {run} --item 1 {fidelity}": ("expected exactly 1 bed; exactly 1 nightstand",),
    }.items():
        out = tsgkit(words).out
        assert all(part in out for part in parts), words
        assert "differs in prompts" not in out and "\\n" not in out, words


def test_eval_of_scenes_refuses_invalid_arguments(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    Path("here.json").write_text(room())
    folder = "--scenes mine=."
    tsgkit.refuses(
        {
            "--model openai/x": "this task judges scenes, not replies of models\n  name a folder of scenes",
            "--scenes mine=here.json": "a file, not a folder\n  name the folder",
            "--scenes mine": "not NAME=DIR\n  as in --scenes mine=scenes/mine",
            folder: (
                "no scene in this folder is named after an item\n  the scene of an item is named scene_0.json, not h"
            ),
            "--images mine=.": "takes scenes",
            f"{folder} --judge baseline/rules": "a baseline cannot judge scenes",
            f"{folder} --judge rules --prompts .": "--prompts has no effect with --judge rules",
            f"{folder} --judge script:x.jsonl --prompts .": "has no prompts for this task",
            "--scene-time -1": "seconds are needed, or 0 for no limit",
            "--scene-time nan": "seconds are needed, or 0 for no limit",
        },
        f"eval {FIDELITY}",
    )
    monkeypatch.setitem(sys.modules, "fcl", None)
    message = "rooms are measured with fcl, which is not installed"
    tsgkit.refuses({"eval --task sceneeval --first 1": message})
