"""Derived tasks are evaluated like any other, once they are named; nobody gets them unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from amount import some
from prefork import Prefork
from shipped import DATA
from tsg_tasks import DERIVATIONS, METRICS, shown_answer

from tsgkit.library.cards import load_card
from tsgkit.suites.suite import task_of

PUBLISHED = ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ((), PUBLISHED),
        (("--task", "tsg"), PUBLISHED),
        (("--data", str(DATA)), PUBLISHED),
        (("--data", str(DATA / "sa-sgg.jsonl")), ["tsg/sa-sgg"]),
        (("--task", "tsg/refine"), ["tsg/refine"]),
        (("--task", "refine", "--task", "tsg"), ["tsg/refine", *PUBLISHED]),
    ],
)
def test_a_suite_means_its_published_tasks_and_a_name_means_itself(
    named: tuple[str, ...], expected: list[str], commands: Prefork, tmp_path: Path
) -> None:
    ended = commands.run("eval", "--json", "--first", "2", *named, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert [result["task"] for result in ended.json["results"]] == expected


@pytest.mark.parametrize("task", DERIVATIONS)
def test_every_derived_task_is_answered_by_the_baselines(task: str, commands: Prefork, tmp_path: Path) -> None:
    models = ("--model", "baseline/rules", "--model", "baseline/random")
    ended = commands.run("eval", "--json", "--samples", "--first", "6", "--task", task, *models, cwd=tmp_path)
    assert ended.code == 0, ended.err
    for result in ended.json["results"]:
        assert set(result["profiles"]["strict"]) == set(METRICS[task])
        assert result["profiles"]["official"] is None
        assert result["reasons"]["official"] == "this task has no published reader"
        assert result["counts"]["answered"] == result["n"] == 6
        assert all(sample["scores"]["official"] is None for sample in result["samples"])


@pytest.mark.parametrize("task", some(["nodes-ma", "edges-ma", "actions", "refine"], "nodes-ma", "refine"))
@pytest.mark.parametrize("solver", some(["single", "vote:3"], "vote:3"))
def test_recorded_replies_are_read_alike_by_every_solver(
    task: str, solver: str, commands: Prefork, tmp_path: Path
) -> None:
    data = task_of(load_card(f"tsg/{task}")).dataset(None)
    replies = [{"item_id": data.sample(n).item_id, "reply": shown_answer(data.sample(n))} for n in range(5)]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in replies))
    words = ("--task", task, "--model", "script:replies.jsonl", "--solver", solver, "--first", "5", "--json")
    ended = commands.run("eval", *words, cwd=tmp_path)
    assert ended.code == 0, ended.err
    (result,) = ended.json["results"]
    assert result["profiles"]["strict"]["f1"]["value"] == 1
    again = commands.run("rescore", ended.json["run"], "--json", cwd=tmp_path)
    assert again.code == 0, again.err


@pytest.mark.parametrize("task", ["nodes-sa", "edges-ma", "actions", "refine-hinted"])
def test_a_run_is_explained_and_reported(task: str, commands: Prefork, tmp_path: Path) -> None:
    ended = commands.run("eval", "--json", "--first", "6", "--task", task, cwd=tmp_path)
    run = ended.json["run"]
    item = task_of(load_card(f"tsg/{task}")).dataset(None).item_ids[0]
    explained = commands.run("explain", run, "--item", item, cwd=tmp_path)
    assert explained.code == 0, explained.err
    assert "this task has no published reader" in explained.out
    group = "error" if task.startswith("refine") else "implicit"
    reported = commands.run("report", run, "--by", group, cwd=tmp_path)
    assert reported.code == 0, reported.err
    assert ("mismatched" if group == "error" else "plicit") in reported.out
