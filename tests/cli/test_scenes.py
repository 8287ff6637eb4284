"""``tsgkit eval`` on folders of rooms, as a person types it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fcl", reason="rooms are measured with the extra scenes")

from prefork import Prefork
from rooms_of_ours import ROOMS, room, thing

from tsgkit.cli import main

GOOD, FLAWED = ROOMS / "rooms" / "good", ROOMS / "rooms" / "flawed"
PROFILES = ("strict", "official")
MANY = 16


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluated(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> list[dict[str, Any]]:
    assert main(["eval", *words, "--json", "--samples", "--quiet"]) == code
    results: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
    return results


def test_a_folder_of_rooms_is_scored_in_both_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--task", "sceneeval/fidelity", "--scenes", f"mine={GOOD}", "--ids", "0", "1", "2")
    (found,) = evaluated(capsys, *words)
    assert (found["subject"], found["judge"], found["solver"], found["n"]) == ("mine", "rules", "published", 3)
    for name in ("cnt", "atr", "oor", "oar", "cnt_per_scene"):
        assert [found["profiles"][profile][name]["value"] for profile in PROFILES] == [1, 1]
    assert (found["counts"]["answered"], found["counts"]["unknown"]) == (3, 0)
    sample = found["samples"][0]
    assert sample["item_id"] == "0"
    assert {one["text"] for one in sample["evidence"]["specifications"]} >= {"eq,1,toilet"}


def test_the_bundled_rooms_stand_in_where_nobody_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    found = evaluated(capsys, "--task", "sceneeval/plausibility", "--first", "2")
    assert [one["subject"] for one in found] == ["good", "flawed"]
    good, flawed = (one["profiles"]["strict"] for one in found)
    assert (good["sup"]["value"], flawed["sup"]["value"]) == (1, pytest.approx(4 / 6))
    objects = found[1]["samples"][0]["evidence"]["objects"]
    assert objects["washbasin_1"]["strict"]["supported"] is False


def test_missing_and_broken_scenes_are_rows_like_any_other(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    shutil.copytree(GOOD, here / "mine")
    (here / "mine/scene_1.json").unlink()
    (here / "mine/scene_2.json").write_text("{")
    words = ("--task", "sceneeval", "--scenes", "mine=mine", "--first", "3")
    fidelity, plausibility = evaluated(capsys, *words)
    for found in (fidelity, plausibility):
        assert [found["counts"][name] for name in ("answered", "missing", "unreadable")] == [1, 1, 1]
        assert [one["outcome"] for one in found["samples"]] == ["answered", "missing", "unreadable"]
    assert fidelity["profiles"]["strict"]["cnt"]["value"] == pytest.approx(3 / 9)
    assert plausibility["profiles"]["strict"]["col_sc"]["value"] == pytest.approx(2 / 3)
    assert plausibility["profiles"]["official"]["col_sc"]["value"] == 0


@pytest.mark.parametrize("kind", ["fidelity", "plausibility"])
def test_a_room_that_takes_too_long_is_given_up_and_measured_when_the_run_goes_on(
    kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--task", f"sceneeval/{kind}", "--scenes", f"mine={GOOD}", "--ids", "0", "1", "--out", "run")
    (found,) = evaluated(capsys, *words, "--scene-time", "1e-7", code=1)
    assert [found["counts"][name] for name in ("error", "api_error", "too_long")] == [2, 0, 2]
    sample = found["samples"][0]
    assert sample["notes"] == ["measuring it takes longer than 1e-07 seconds; raise --scene-time (0: no limit)"]
    assert sample["evidence"] is None
    assert set(found["profiles"]["official"].values()) == {None}
    assert found["profiles"]["strict"]["cnt" if kind == "fidelity" else "col_ob"]["value"] == (kind == "plausibility")
    (again,) = evaluated(capsys, *words, "--scene-time", "0")
    assert (again["counts"]["answered"], "too_long" in again["counts"]) == (2, False)


def test_reasons_of_unreadable_scenes_are_below_the_table(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "mine").mkdir()
    for number in (0, 1):
        (here / f"mine/scene_{number}.json").write_text(room({"id": "a", "category": "bed"}))
    words = ["eval", "--task", "sceneeval/fidelity", "--scenes", "mine=mine", "--first", "2", "--quiet"]
    assert main(words) == 0
    said = (
        "mine sceneeval/fidelity published: 2 samples unreadable, the first: scene_0.json: object a: at: Field required"
    )
    assert said in capsys.readouterr().out


def test_a_run_goes_on_and_another_room_is_another_run(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    shutil.copytree(GOOD, here / "mine")
    words = ("--task", "sceneeval/plausibility", "--scenes", "mine=mine", "--first", "2")
    first = evaluated(capsys, *words)
    assert evaluated(capsys, *words) == first
    assert len(list((here / "runs").iterdir())) == 1
    shutil.copy(FLAWED / "scene_0.json", here / "mine/scene_0.json")
    assert evaluated(capsys, *words) != first
    assert len(list((here / "runs").iterdir())) == 2


def test_a_run_is_judged_again_from_what_was_found(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    shutil.copytree(FLAWED, here / "mine")
    evaluated(capsys, "--task", "sceneeval/fidelity", "--scenes", "mine=mine", "--first", "2", "--out", "run")
    shutil.rmtree(here / "mine")
    before = (here / "run/samples.jsonl").read_bytes()
    assert main(["rescore", "run"]) == 0
    assert (here / "run/samples.jsonl").read_bytes() == before


def test_subjects_are_reported_compared_explained_and_grouped(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, "--task", "sceneeval/fidelity", "--out", "run", "--first", "6")
    assert main(["report", "run", "--by", "difficulty"]) == 0
    assert "easy" in capsys.readouterr().out
    assert main(["compare", "run"]) == 0
    assert "flawed" in capsys.readouterr().out
    assert main(["explain", "run", "--item", "0", "--subject", "flawed"]) == 0
    out = capsys.readouterr().out
    assert "unmet eq,1,mirror,round: 0 of 1 are round; exactly 1 needed" in out
    assert "oor                  0.0  0 of 1 demands are met; eq,1,above,0,washbasin,mirror: 0 % of mirror_1" in out


def test_rooms_are_compared_on_every_metric_of_their_table(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, "--task", "sceneeval", "--out", "run", "--first", "3")
    assert main(["compare", "run", "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["comparisons"]
    names = ("cnt", "atr", "oor", "oar", "col_ob", "col_sc", "sup", "nav", "acc", "oob", "opc")
    assert [pair["metric"] for pair in pairs] == list(names)
    assert main(["compare", "run", "--task", "plausibility", "--items"]) == 0
    out = capsys.readouterr().out
    assert "sceneeval/plausibility, strict; 3 items in 3 clusters" in out
    assert "col_sc (less is better)" in out
    assert "sceneeval/plausibility sup: good published against flawed published" in out
    assert main(["compare", "run", "--task", "plausibility", "--metric", "sup"]) == 0
    assert "sceneeval/plausibility: sup, strict; 3 items" in capsys.readouterr().out


def test_a_scene_that_is_missing_counts_against_a_subject_whatever_is_better(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    shutil.copytree(GOOD, here / "mine")
    (here / "mine/scene_1.json").unlink()
    words = ("--task", "sceneeval/plausibility", "--scenes", "mine=mine", "--scenes", f"good={GOOD}", "--first", "2")
    evaluated(capsys, *words, "--out", "run")
    assert main(["compare", "run"]) == 0
    out = capsys.readouterr().out
    assert "mine published: 1 sample has no answer; they count as wrong: missing 1 (1)" in out
    assert "counts no fault" not in out


def test_rooms_stand_beside_published_figures_with_who_looked_and_without_prompts(
    capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    evaluated(capsys, "--task", "sceneeval", "--first", "2")
    (run,) = (here / "runs").iterdir()
    assert run.name.startswith("good+flawed-sceneeval-")
    assert main(["report", str(run), "--against", "published"]) == 0
    out = capsys.readouterr().out
    assert "differs in judge: rules here, gpt-4o-2024-08-06 there" in out
    assert "differs in data: ours are not the published file" in out
    assert "differs in prompts" not in out


def test_annotations_of_ones_own_are_taken(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine/scene_a7.json").write_text(room(thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5))))
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    (here / "a.csv").write_text(f'{head}\na7,easy,A bedroom,"eq,1,bed",,,"eq,1,in,bed,bedroom"\n')
    (found,) = evaluated(
        capsys, "--task", "sceneeval/fidelity", "--scenes", "mine=mine", "--annotations", "a.csv", "--judge", "rules"
    )
    assert [found["profiles"]["strict"][name]["value"] for name in ("cnt", "oar")] == [1, 1]
    assert found["reasons"]["strict.atr"].endswith("the description demands nothing of this kind")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "openai/x"], "this task judges scenes, not replies of models\n  name a folder of scenes"),
        (["--scenes", "mine=nowhere"], "no such folder"),
        (["--scenes", "mine=here.json"], "a file, not a folder\n  name the folder"),
        (["--scenes", "mine"], "not NAME=DIR\n  as in --scenes mine=scenes/mine"),
        (
            ["--scenes", "mine=."],
            "no scene in this folder is named after an item\n  the scene of an item is named scene_0.json, not h",
        ),
        (["--images", "mine=."], "takes scenes"),
        (["--scenes", "mine=.", "--judge", "baseline/rules"], "a baseline cannot judge scenes"),
        (["--scenes", "mine=.", "--judge", "rules", "--prompts", "."], "--prompts has no effect with --judge rules"),
        (["--scenes", "mine=.", "--judge", "script:x.jsonl", "--prompts", "."], "has no prompts for this task"),
        (["--scenes", "mine=.", "--assets", "ikea=."], "there is no layout ikea"),
        (["--scenes", "mine=.", "--data", "no.csv"], "no such file"),
        (["--scenes", "mine=.", "--data", "here.json"], "this is a room, not annotations"),
    ],
)
def test_eval_of_scenes_refuses_invalid_arguments(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], here: Path
) -> None:
    (here / "here.json").write_text(room())
    assert main(["eval", "--task", "sceneeval/fidelity", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("seconds", ["-1", "nan"])
def test_a_time_for_rooms_that_is_none_is_refused(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--task", "sceneeval", "--scene-time", seconds]) == 2
    assert "seconds are needed, or 0 for no limit" in capsys.readouterr().err


def test_a_library_that_is_missing_ends_a_run_before_it_begins(
    capsys: pytest.CaptureFixture[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcl", None)
    assert main(["eval", "--task", "sceneeval", "--first", "1"]) == 2
    assert "rooms are measured with fcl, which is not installed" in capsys.readouterr().err
    assert not (here / "runs").exists()


@pytest.mark.parametrize(("task", "hint"), [("sceneval", "sceneeval?"), ("fidelitty", "fidelity?"), ("sgqq", "sgqa?")])
def test_a_task_that_is_misspelt_is_held_against_suites_too(
    task: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "--task", task]) == 2
    assert capsys.readouterr().err == f"tsgkit: there is no task {task}\n  {hint}\n"


def test_figures_that_are_missing_are_named(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "mine").mkdir()
    (here / "mine/scene_0.json").write_text(room(thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5))))
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    Path("a.csv").write_text(f'{head}\n0,easy,A bedroom with a bed and a lamp,"eq,1,bed;eq,1,lamp",,,\n')
    words = ["eval", "--task", "sceneeval/fidelity", "--scenes", "mine=mine", "--data", "a.csv", "--out", "run"]
    assert main([*words, "--quiet"]) == 0
    assert "  no official atr, oor, oar: no scene has a known value" in capsys.readouterr().out


def test_an_item_in_several_rows_is_told_in_lines_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, "--task", "sceneeval/fidelity", "--out", "run", "--ids", "1")
    assert main(["explain", "run", "--item", "1"]) == 0
    out = capsys.readouterr().out
    assert "expected exactly 1 bed; exactly 1 nightstand" in out
    assert "\\n" not in out


def test_a_task_of_a_run_is_explained_by_the_end_of_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    evaluated(capsys, "--task", "sceneeval", "--out", "run", "--ids", "1")
    assert main(["explain", "run", "--item", "1", "--task", "fidelity", "--subject", "flawed"]) == 0
    out = capsys.readouterr().out
    assert "flawed sceneeval/fidelity" in out
    assert "plausibility" not in out


def test_a_folder_that_cannot_be_read_is_no_crash(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    (here / "mine").mkdir()
    os.mkfifo(here / "mine/scene_1.json")
    (here / "mine/scene_0.json").mkdir()
    (found,) = evaluated(capsys, "--task", "sceneeval/plausibility", "--scenes", "mine=mine", "--ids", "0", "1")
    assert found["counts"]["unreadable"] == 2


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_measured_and_the_same_command_goes_on(commands: Prefork, here: Path) -> None:
    (here / "mine").mkdir()
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    (here / "a.csv").write_text("\n".join([head, *(f'{n},easy,A kitchen,"eq,1,stove",,,' for n in range(MANY))]) + "\n")
    for number in range(MANY):
        shutil.copy(GOOD / "scene_7.json", here / f"mine/scene_{number}.json")
    words = ("eval", "--task", "sceneeval/plausibility", "--scenes", "mine=mine", "--data", "a.csv", "--out", "run")
    process = commands.start(*words, "--quiet", cwd=here)
    until = time.monotonic() + 60
    while not (here / "run/samples.jsonl").is_file() or not (here / "run/samples.jsonl").stat().st_size:
        assert time.monotonic() < until
        assert not process.ended()
        time.sleep(0.01)
    process.signal(signal.SIGINT)
    process.wait(60)
    assert process.code == 130
    assert "nothing is lost; go on with: tsgkit eval --task sceneeval/plausibility" in process.err
    assert "Traceback" not in process.err
    measured = (here / "run/samples.jsonl").read_text().count("\n")
    assert 0 < measured < MANY
    ended = commands.run(*words, "--quiet", cwd=here)
    assert (ended.code, ended.err) == (0, "")
    assert (here / "run/samples.jsonl").read_text().count("\n") == MANY
    assert (here / "run/calls.jsonl").read_text().count("\n") == MANY
