"""Numbers of examples, sets of prompts and seeds repeat like styles: each is an axis of the plan."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Running, model_server
from run_files import lines, samples
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.runs.plan import Cell, Plan, cells_of, made
from tsgkit.runs.prepared import prepare

Captured = pytest.CaptureFixture[str]
PROMPTS = TASKS.parent / "prompts"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with another set of prompts."""
    for name in ("one", "two"):
        shutil.copytree(PROMPTS / "tsg/sgqa", tmp_path / name / "tsg/sgqa")
    (tmp_path / "two/tsg/sgqa/statement.txt").write_text("Answer, please.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(server: Running, *more: str) -> list[str]:
    given = ["--model", "openai/x", "--model-arg", f"api_base={server.base}", "--no-cache", "--quiet", "--out", "run"]
    return ["eval", "--task", "sgqa", "--limit", "3", *given, *more]


AXES = ("--style", "zero-shot", "--style", "few-shot", "--shots", "1", "--shots", "3", "--seed", "0", "--seed", "5")
BOTH = ("--prompts", "one", "--prompts", "two")


def test_a_list_of_one_value_is_that_value_and_identifies_the_same_run() -> None:
    plain = Plan(tasks=("tsg/sgqa",), models=("baseline/random",), limit=3, seed=4)
    listed = made({"tasks": ["tsg/sgqa"], "models": ["baseline/random"], "limit": 3, "seed": [4, 4]}, "options")
    assert listed == plain and listed.model_dump(mode="json") == plain.model_dump(mode="json")
    assert prepare(listed).identity == prepare(plain).identity
    assert {cell.axes for cell in cells_of(plain)} == {()}


def test_an_axis_multiplies_only_the_rows_to_which_it_makes_a_difference() -> None:
    plan = Plan(
        tasks=("tsg/sgqa",), models=("openai/x", "baseline/random"), styles=("zero-shot", "few-shot"),
        shots=(1, 3), seed=(0, 5), prompts=("a", "b"),
    )  # fmt: skip
    rows = [(cell.subject, cell.style, *cell[-3:]) for cell in cells_of(plan)]
    assert rows[:2] == [("openai/x", "zero-shot", None, "a", None), ("openai/x", "zero-shot", None, "b", None)]
    few = [row for row in rows if row[1] == "few-shot"]
    assert few == [("openai/x", "few-shot", k, p, s) for k in (1, 3) for p in ("a", "b") for s in (0, 5)]
    assert rows[-2:] == [("baseline/random", "", None, None, 0), ("baseline/random", "", None, None, 5)]


def test_a_plan_of_axes_is_asked_continued_reported_and_compared(
    place: Path, server: Running, capsys: Captured
) -> None:
    command = words(server, *AXES, *BOTH)
    before = server.stats()["seen"]
    assert main([*command, "--max-requests", "10"]) == 4
    assert main(command) == 0
    assert server.stats()["seen"] - before == 3 * (2 + 8), "one row a prompt without examples, eight with them"
    said = capsys.readouterr().out
    assert "few-shot shots=3 prompts=two seed=5" in said
    calls = lines(Path("run/calls.jsonl"))
    assert {(one.get("shots"), one.get("prompts"), one.get("seed")) for one in calls} >= {
        (None, "one", None), (1, "one", 0), (3, "two", 5),
    }  # fmt: skip
    assert len({one["body"] for one in calls}) == 30, "no two rows asked the same"
    assert main([*command, "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [result.get("shots") for result in results] == [None, None, *[1] * 4, *[3] * 4]
    assert main(["report", "run", "--format", "csv"]) == 0
    head, *rest = capsys.readouterr().out.splitlines()
    assert head.endswith("reason,shots,prompts,seed") and any(line.endswith(",3,two,5") for line in rest)
    assert main(["compare", "run", "--by", "shots", "--json"]) == 0
    pairs = json.loads(capsys.readouterr().out)["comparisons"]
    assert [(pair["first"]["shots"], pair["second"]["shots"]) for pair in pairs] == [(3, 1)] * 4
    assert all(pair["first"]["seed"] == pair["second"]["seed"] for pair in pairs)
    assert main(["compare", "run", "--grid"]) == 0
    assert "few-shot shots=1 prompts=one seed=0" in capsys.readouterr().out
    assert main(["explain", "run", "--item", "bread/q0", "--shots", "3", "--seed", "5", "--prompts", "two"]) == 0
    assert "openai/x tsg/sgqa few-shot shots=3 prompts=two seed=5" in capsys.readouterr().out


def test_shards_rescoring_and_replays_know_the_axes(place: Path, server: Running, capsys: Captured) -> None:
    more = ("--style", "few-shot", "--shots", "1", "--shots", "3")
    assert main(words(server, *more)) == 0
    whole = samples(place / "run")
    assert len(lines(place / "run/samples.jsonl")) == 6
    for part in ("1/2", "2/2"):
        assert main([*words(server, *more), "--shard", part]) == 0
    shards = [str(path) for path in place.glob("run.shard-*")]
    assert main(["runs", "merge", *shards, "-o", "all"]) == 0
    assert (place / "all/samples.jsonl").exists() and samples(place / "all") == whole
    assert main(["rescore", "run"]) == 0 and samples(place / "run") == whole
    replay = ["eval", "--task", "sgqa", "--limit", "3", "--model", "replay:run", "--quiet", "--out", "again", *more]
    capsys.readouterr()
    assert main([*replay, "--json", "--samples"]) == 0
    replayed = json.loads(capsys.readouterr().out)["results"]
    assert [one["shots"] for one in replayed] == [1, 3]
    said = {(one["shots"], one["item_id"]): one["answer"] for one in lines(place / "run/samples.jsonl")}
    for result in replayed:
        assert {one["item_id"]: one["answer"] for one in result["samples"]} == {
            item: answer for (shots, item), answer in said.items() if shots == result["shots"]
        }


def test_python_takes_lists_and_frames_have_the_axes(place: Path) -> None:
    run = tk.evaluate(
        "sgqa", model={"cup": lambda _: "[cup]"}, style="few-shot", shots=[1, 2], seed=[0, 1], prompts=[Path("one")],
        limit=2, out=place / "run", quiet=True,
    )  # fmt: skip
    assert {(one.shots, one.prompts, one.seed) for one in run.samples} == {(k, None, s) for k in (1, 2) for s in (0, 1)}
    assert len(run.samples[0].explain().rows) == 1
    assert run.value("exact_match", shots=2, seed=1) == run.results[3].board.profiles["strict"]["exact_match"].value  # type: ignore[index, union-attr]
    pytest.importorskip("matplotlib", reason="figures take the extra tsgkit[figures]")
    drawn = run.figure("exact_match", by="shots")
    assert "seed=1" in drawn.alt and "shots" in drawn.alt
    compared = tk.compare(run, "sgqa", by="seed")
    assert [(pair.first.axes[2], pair.second.axes[2]) for pair in compared.pairs] == [(1, 0)] * 2


def test_an_old_line_without_axes_is_of_the_plans_value() -> None:
    old = {"subject": "m", "task": "tsg/sgqa", "solver": "single", "style": "cot", "repeat": 0}
    assert Cell.of(old) == Cell("m", "tsg/sgqa", "single", "cot", 0) and Cell.of(old).value == old


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--shots", "0", "--shots", "3"), "--shots 0: at least 1 is needed"),
        (("--prompts", "one", "--prompts", "none"), "none"),
        (("--prompts", "one", "--prompts", "./../one"), "two folders are called one"),
        (("--seed", "x"), "invalid int value"),
    ],
)
def test_wrong_values_are_refused(words: tuple[str, ...], message: str, place: Path, capsys: Captured) -> None:
    assert main(["eval", "--task", "sgqa", "--model", "openai/x", *words]) == 2
    assert message in capsys.readouterr().err


def test_rows_are_compared_by_an_axis_there_is(place: Path) -> None:
    tk.evaluate("sgqa", model="baseline/rules", limit=2, out=place / "run", quiet=True)
    for by, message in (("style", "there is nothing to compare"), ("weather", "there is no group weather")):
        with pytest.raises(UsageError, match=message):
            tk.compare(place / "run", by=by)
