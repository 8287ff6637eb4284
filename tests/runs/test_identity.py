"""The identity of a run changes with all that can change an answer, and with nothing else."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from run_files import project_with_card
from shipped import DATA

from tsgkit.cli.eval import add_arguments, plan_of
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

ARGS = ("api_base=http://127.0.0.1:1/v1", "temperature=0.5")
BASE: dict[str, Any] = {"tasks": ("tsg/sgqa",), "models": ("openai/x",), "first": 4, "model_args": ARGS}


def identity(**changes: object) -> str:
    return prepare(Plan.model_validate(BASE | changes)).identity


def test_identity_changes_with_everything_that_can_change_an_answer() -> None:
    plans: list[dict[str, Any]] = [
        {}, {"model_args": (ARGS[0], "temperature=0.6")}, {"model_args": (*ARGS, "top_p=0.5")},
        {"model_args": ("api_base=http://127.0.0.1:2/v1", ARGS[1])}, {"models": ("openai/y",)},
        {"models": ("openai/x", "openai/y")}, {"tasks": ("tsg/sgqa", "tsg/sgds")}, {"styles": ("cot",)},
        {"styles": ("zero-shot", "cot")}, {"seed": 1}, {"repeat": 2}, {"first": 5}, {"first": None},
        {"ids": ("bread/q0",)}, *({"solvers": (solver,)} for solver in ("vote:2", "vote:3", "vote:4")),
        *({"styles": ("few-shot",), "shots": shots} for shots in (1, 2, 3)),
    ]  # fmt: skip
    found = [identity(**plan) for plan in plans]
    assert len(set(found)) == len(plans), [plan for plan in plans if found.count(identity(**plan)) > 1]
    assert identity(shots=3) == found[0], "a style without examples has no shots"
    assert identity(models=("openai/y", "openai/x")) == found[5], "the order of models does not matter"


def test_identity_ignores_execution_and_display_options() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["--task", "sgqa", "--model", "openai/x", "--first", "4"]
    words += [word for argument in ARGS for word in ("--model-arg", argument)]
    for option in (
        ("--concurrency", "2"), ("--timeout", "3"), ("--rpm", "10"), ("--tpm", "10"), ("--max-cost", "1"),
        ("--max-requests", "3"), ("--max-tokens", "10"), ("--price", "1,2"), ("--no-cache",), ("--json",),
        ("--samples",), ("--quiet",), ("--client", "litellm"), ("--fail-under", "tsg/sgqa.exact_match=0.5"), ("--new",),
        ("--model-arg", "api_key=sk-0123456789"), ("--model-arg", "extra_headers.X-Team=someone"),
    ):  # fmt: skip
        assert prepare(plan_of(parser.parse_args([*words, *option]))).identity == identity(), option


def test_identity_depends_on_the_bytes_of_data_prompts_and_scripts_not_on_their_paths(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl", "three.jsonl"):
        shutil.copy(DATA / "sgqa.jsonl", tmp_path / name)
    (tmp_path / "three.jsonl").write_bytes((DATA / "sgqa.jsonl").read_bytes() + b"\n")
    found = [identity(data=str(tmp_path / name)) for name in ("one.jsonl", "two.jsonl", "three.jsonl")]
    assert found[0] == found[1] == identity() != found[2]
    (tmp_path / "same").mkdir()
    script = tmp_path / "script.jsonl"
    for words, reply in (("{scene_graph} {question}", "[hook]"), ("{scene_graph} {question}?", "[bowl]")):
        (tmp_path / "same/sgqa.txt").write_text(words)
        script.write_text(json.dumps({"item_id": "bread/q0", "reply": reply}) + "\n")
        found.append(identity(prompts=str(tmp_path / "same")))
        found.append(identity(models=(f"script:{script}",), model_args=()))
    assert len(set(found)) == 6


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [
        ("title: ", "title: New ", True),
        ("version: 1", "version: 2", False),
        ("temperature: 0.1", "temperature: 0.2", False),
    ],
)
def test_a_card_counts_by_its_version_and_by_what_is_sent(
    old: str, new: str, is_same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = identity(model_args=ARGS[:1])
    project_with_card("tsg/sgqa", old, new, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert (identity(model_args=ARGS[:1]) == known) is is_same


def test_assets_that_the_chosen_scenes_name_are_part_of_it_wherever_they_lie_and_no_others(tmp_path: Path) -> None:
    rooms, assets = tmp_path / "rooms", tmp_path / "assets"
    place = [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, -1.0, 0, 0, 0, 0, 0, 1.0]
    rooms.mkdir()
    for number, asset in enumerate(("a1", "b2")):
        thing = {"index": 0, "modelId": f"3dfModel.{asset}", "transform": {"data": place}}
        text = json.dumps({"format": "sceneState", "scene": {"object": [thing]}})
        (rooms / f"scene_{number}.json").write_text(text)

    def shape(asset: str, width: int) -> None:
        (assets / asset).mkdir(parents=True, exist_ok=True)
        (assets / asset / "raw_model.obj").write_text(f"# {asset}\nv 0 0 0\nv {width} 0 0\nv 0 1 0\nf 1 2 3\n")

    def tell(**categories: str) -> None:
        rows = [{"model_id": name, "category": category} for name, category in categories.items()]
        (assets / "model_info.json").write_text(json.dumps(rows))

    def found(root: Path = tmp_path, **changes: object) -> str:
        plan = {"tasks": ("sceneeval/fidelity",), "models": (), "model_args": (), "first": 1}
        folders = {"scenes": (f"mine={root / 'rooms'}",), "assets": (f"threed_future={root / 'assets'}",)}
        return identity(**plan | folders | changes)

    for asset in ("a1", "b2", "c3"):
        shape(asset, 1)
    tell(a1="chair", b2="table", c3="bed")
    known = found()
    shutil.copytree(tmp_path, elsewhere := tmp_path.with_name(f"{tmp_path.name}-moved"))
    assert found(elsewhere) == known
    shape("b2", 2)
    shape("c3", 2)
    tell(a1="chair", b2="desk", c3="bed")
    assert found() == known
    shape("a1", 2)
    changed = found()
    tell(a1="armchair")
    assert len({known, changed, found(), found(assets=())}) == 4
