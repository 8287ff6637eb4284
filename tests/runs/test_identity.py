"""The identity of a run changes with all that can change an answer, and with nothing else."""

from __future__ import annotations

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

BASE: dict[str, Any] = {
    "tasks": ("tsg/sgqa",),
    "models": ("openai/x",),
    "first": 4,
    "model_args": ("api_base=http://127.0.0.1:1/v1", "temperature=0.5"),
}


def identity(**changes: object) -> str:
    return prepare(Plan.model_validate(BASE | changes)).identity


@pytest.fixture(scope="module")
def known() -> str:
    return identity()


@pytest.mark.parametrize(
    "changes",
    [
        {"model_args": ("api_base=http://127.0.0.1:1/v1", "temperature=0.6")},
        {"model_args": ("api_base=http://127.0.0.1:1/v1", "temperature=0.5", "top_p=0.5")},
        {"model_args": ("api_base=http://127.0.0.1:2/v1", "temperature=0.5")},
        {"models": ("openai/y",)},
        {"models": ("openai/x", "openai/y")},
        {"tasks": ("tsg/sgqa", "tsg/sgds")},
        {"styles": ("cot",)},
        {"styles": ("zero-shot", "cot")},
        {"solvers": ("vote:3",)},
        {"solvers": ("vote:5",)},
        {"seed": 1},
        {"repeat": 2},
        {"first": 5},
        {"first": None},
        {"ids": ("bread/q0",)},
    ],
    ids=str,
)
def test_identity_changes_with_everything_that_can_change_an_answer(known: str, changes: dict[str, Any]) -> None:
    assert identity(**changes) != known


def rooms_of_meshes(folder: Path) -> dict[str, Any]:
    """Return two scenes of the published form, and three assets of which the scenes name one each."""
    place = [1.0, 0, 0, 0, 0, 0, 1.0, 0, 0, -1.0, 0, 0, 0, 0, 0, 1.0]
    (folder / "rooms").mkdir(parents=True)
    for number, asset in enumerate(("a1", "b2")):
        thing = {"index": 0, "modelId": f"3dfModel.{asset}", "transform": {"data": place}}
        text = json.dumps({"format": "sceneState", "scene": {"object": [thing]}})
        (folder / "rooms" / f"scene_{number}.json").write_text(text)
    for asset in ("a1", "b2", "c3"):
        (folder / "assets" / asset).mkdir(parents=True)
        (folder / "assets" / asset / "raw_model.obj").write_text(f"# {asset}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    tell(folder, {"a1": "chair", "b2": "table", "c3": "bed"})
    return {
        "tasks": ("sceneeval/fidelity",),
        "models": (),
        "model_args": (),
        "first": 1,
        "scenes": (f"mine={folder / 'rooms'}",),
        "assets": (f"threed_future={folder / 'assets'}",),
    }


def tell(folder: Path, categories: dict[str, str]) -> None:
    rows = [{"model_id": name, "category": category} for name, category in categories.items()]
    (folder / "assets" / "model_info.json").write_text(json.dumps(rows))


def test_assets_that_the_chosen_scenes_name_are_part_of_it_and_no_others(tmp_path: Path) -> None:
    plan, assets = rooms_of_meshes(tmp_path), tmp_path / "assets"
    known = identity(**plan)
    for other in ("b2", "c3"):
        (assets / other / "raw_model.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n")
    tell(tmp_path, {"a1": "chair", "b2": "desk", "c3": "bed"})
    assert identity(**plan) == known
    (assets / "a1" / "raw_model.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 1 0\nf 1 2 3\n")
    changed = identity(**plan)
    tell(tmp_path, {"a1": "armchair"})
    assert len({known, changed, identity(**plan), identity(**plan | {"assets": ()})}) == 4


def test_rooms_and_assets_that_were_moved_are_the_same_run(tmp_path: Path) -> None:
    plan = rooms_of_meshes(tmp_path / "here")
    known = identity(**plan)
    shutil.move(tmp_path / "here", tmp_path / "there")
    rooms, assets = tmp_path / "there" / "rooms", tmp_path / "there" / "assets"
    assert identity(**plan | {"scenes": (f"mine={rooms}",), "assets": (f"threed_future={assets}",)}) == known


def test_identities_of_different_plans_differ() -> None:
    ways: list[dict[str, Any]] = [{"solvers": (solver,)} for solver in ("vote:2", "vote:3", "vote:4")]
    ways += [{"styles": ("few-shot",), "shots": shots} for shots in (1, 2, 3)]
    assert len({identity(**way) for way in ways}) == 6


def test_the_shots_of_a_style_without_examples_change_nothing(known: str) -> None:
    assert identity(shots=3) == known


def test_identity_depends_on_data_bytes_not_on_their_path(tmp_path: Path, known: str) -> None:
    for name in ("one.jsonl", "two.jsonl", "three.jsonl"):
        shutil.copy(DATA / "sgqa.jsonl", tmp_path / name)
    (tmp_path / "three.jsonl").write_bytes((DATA / "sgqa.jsonl").read_bytes() + b"\n")
    found = [identity(data=str(tmp_path / name)) for name in ("one.jsonl", "two.jsonl", "three.jsonl")]
    assert found[0] == found[1] == known != found[2]


def test_identity_changes_with_prompt_texts(tmp_path: Path, known: str) -> None:
    (tmp_path / "same").mkdir()
    (tmp_path / "same/sgqa.txt").write_text("{scene_graph} {question}")
    one = identity(prompts=str(tmp_path / "same"))
    (tmp_path / "same/sgqa.txt").write_text("{scene_graph} {question}?")
    assert len({known, one, identity(prompts=str(tmp_path / "same"))}) == 3


def test_a_script_is_known_by_its_content(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('{"item_id": "bread/q0", "reply": "[hook]"}\n')
    one = identity(models=(f"script:{script}",), model_args=())
    script.write_text('{"item_id": "bread/q0", "reply": "[bowl]"}\n')
    assert identity(models=(f"script:{script}",), model_args=()) != one


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
    known = identity(model_args=BASE["model_args"][:1])
    project_with_card("tsg/sgqa", old, new, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert (identity(model_args=BASE["model_args"][:1]) == known) is is_same


def test_the_order_in_which_models_are_named_does_not_matter() -> None:
    assert identity(models=("openai/x", "openai/y")) == identity(models=("openai/y", "openai/x"))


@pytest.mark.parametrize(
    "option",
    [
        ("--concurrency", "2"), ("--timeout", "3"), ("--rpm", "10"), ("--tpm", "10"), ("--max-cost", "1"),
        ("--max-requests", "3"), ("--max-tokens", "10"), ("--price", "1,2"), ("--no-cache",), ("--json",),
        ("--samples",), ("--quiet",), ("--client", "litellm"), ("--fail-under", "tsg/sgqa.exact_match=0.5"), ("--new",),
        ("--model-arg", "api_key=sk-0123456789"), ("--model-arg", "extra_headers.X-Team=someone"),
    ],
    ids=lambda option: option[0],
)  # fmt: skip
def test_identity_ignores_execution_and_display_options(known: str, option: tuple[str, ...]) -> None:
    import argparse

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["--task", "sgqa", "--model", "openai/x", "--first", "4"]
    words += ["--model-arg", "api_base=http://127.0.0.1:1/v1", "--model-arg", "temperature=0.5"]
    assert prepare(plan_of(parser.parse_args([*words, *option]))).identity == known
