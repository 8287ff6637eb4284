"""Numbers of examples, sets of prompts and seeds repeat like styles: each is an axis of the plan."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Running, model_server
from prefork import Prefork
from run_files import lines, samples
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.report.charts import chart, gather_for
from tsgkit.runs.plan import Cell, Plan, cells_of, load_plan, made
from tsgkit.runs.run_setup import RunSetup, prepare
from tsgkit.runs.script_export import script_lines
from tsgkit.suites.suite import task_of

Captured = pytest.CaptureFixture[str]
PROMPTS = TASKS.parent / "prompts"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(delay=0.02) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with another set of prompts."""
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
    assert re.search(r"openai/x +few-shot +1 +one +0 ", capsys.readouterr().out)
    item = calls[0]["sample"]
    assert main(["explain", "run", "--item", item, "--shots", "3", "--seed", "5", "--prompts", "two"]) == 0
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
        (("--seed", "x"), "--seed: 'x' is no whole number"),
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


BASE: dict[str, Any] = {
    "tasks": ("tsg/sgqa",),
    "models": ("openai/x",),
    "limit": 2,
    "model_args": ("api_base=http://127.0.0.1:1/v1", "temperature=0.5"),
}
SEVERAL = {"shots": (1, 3), "seed": (1, 2), "styles": ("zero-shot", "few-shot")}


def prepared(**changes: object) -> RunSetup:
    return prepare(Plan.model_validate(BASE | changes))


def ways(plan: Plan) -> list[str]:
    tasks = {name: task_of(load_card(name)) for name in plan.tasks}
    return [cell.title.partition(f" {cell.task}")[2].strip() for cell in cells_of(plan, tasks)]


# Plans


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize(("styles", "shots"), [(("zero-shot",), None), (("few-shot", "cot"), 3)])
def test_a_plan_of_single_values_has_one_identity_however_it_is_spelled(
    seed: int, styles: tuple[str, ...], shots: int | None
) -> None:
    alone = prepared(seed=seed, shots=shots, styles=styles)
    listed = prepared(seed=[seed, seed], shots=[shots], styles=styles, prompts=[None])
    assert listed.identity == alone.identity
    assert alone.asked["seed"] == seed
    assert set(alone.asked["prompts"]) == {f"tsg/sgqa single {style}" for style in styles}
    assert all(row.cell.value.keys() == {"subject", "task", "solver", "style", "repeat"} for row in alone.rows)


def test_several_values_are_written_as_a_list_and_read_back() -> None:
    plan = Plan(shots=(1, 3), seed=(5, 6), prompts=("mine", None))
    written = json.loads(json.dumps(plan.model_dump(mode="json")))
    assert (written["shots"], written["seed"], written["prompts"]) == ([1, 3], [5, 6], ["mine", None])
    assert Plan.model_validate(written) == plan


def test_an_axis_multiplies_no_row_that_draws_no_lots() -> None:
    plan = Plan.model_validate(BASE | SEVERAL | {"models": ("baseline/rules", "baseline/random", "openai/x")})
    assert ways(plan) == [
        "",
        *("seed=1", "seed=2"),
        "zero-shot",
        *("few-shot shots=1 seed=1", "few-shot shots=1 seed=2"),
        *("few-shot shots=3 seed=1", "few-shot shots=3 seed=2"),
    ]


def test_a_solver_with_words_of_its_own_has_one_row_whatever_the_axes() -> None:
    plan = Plan.model_validate(BASE | SEVERAL | {"tasks": ("tsg/sa-sgg",), "solvers": ("single", "agent")})
    assert [way for way in ways(plan) if way.startswith("agent")] == ["agent"]


def test_a_judge_has_a_row_a_seed_only_where_options_are_drawn() -> None:
    looked_at = {"tasks": ("spatialgen/questions",), "images": ("mine=pictures",), "judge": "openai/j"}
    protocols = ("published", "ours", "published-blind", "published-shuffled")
    assert ways(Plan.model_validate(looked_at | {"protocols": protocols, "seed": [1, 2]})) == [
        *("published", "ours seed=1", "ours seed=2", "published-blind"),
        *("published-shuffled seed=1", "published-shuffled seed=2"),
    ]


def test_rows_of_several_seeds_are_asked_with_other_examples() -> None:
    rows = prepared(**SEVERAL).rows
    assert [(row.cell.shots, row.cell.seed) for row in rows] == [(None, None), (1, 1), (1, 2), (3, 1), (3, 2)]
    assert rows[3].solver.fingerprint != rows[4].solver.fingerprint


def test_folders_of_prompts_have_short_names_that_differ() -> None:
    plan = Plan(prompts=("a/terse", "b/terse", "b/c/long", "x/default", None))
    assert list(plan.prompt_names) == ["a/terse", "b/terse", "long", "x/default", "default"]


def test_several_values_that_change_no_row_are_refused() -> None:
    refused: list[tuple[dict[str, Any], str]] = [
        ({"shots": [1, 3]}, "--shots: several values (1, 3), but no model is asked in a few-shot style"),
        ({"seed": [1, 2]}, "--seed: several values (1, 2), but nothing that is asked or drawn depends on it"),
        ({"models": ("baseline/random",), "model_args": (), "prompts": ["x", "y"]}, "--prompts: several values (x, y)"),
    ]
    for changes, message in refused:
        with pytest.raises(UsageError) as found:
            prepared(**changes)
        assert message in str(found.value), (changes, message)


def test_one_folder_of_prompts_under_two_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(UsageError, match="are the same folder"):
        prepared(prompts=[str(tmp_path / "a"), f"{tmp_path}/./a/../a"])


# A run of two values each, through a service


def ablation(server: Running, out: str, *more: str) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={server.base}", "--limit", "3"),
        *("--style", "zero-shot", "--style", "few-shot", "--shots", "1", "--shots", "2", "--seed", "1", "--seed", "2"),
        *("--prompts", "default", "--prompts", "terse", "--no-cache", "--quiet", "--concurrency", "4", "--out", out),
        *more,
    )


ROWS, SAMPLES = 2 + 2 * 2 * 2, 3 * (2 + 2 * 2 * 2)


@pytest.fixture(scope="module")
def project(server: Running, commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with prompts of its own and a finished run."""
    folder = tmp_path_factory.mktemp("axes")
    shutil.copytree(PROMPTS, folder / "terse")
    for file in (folder / "terse/tsg").rglob("*.txt"):
        file.write_text(file.read_text().rstrip("\n") + " Be brief.\n")
    ended = commands.run(*ablation(server, "run"), cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    return folder


def replies(run: Path, **values: object) -> list[tuple[str, Any, str]]:
    """Item, shots and text of every call of a run that has these values."""
    calls = (one for one in lines(run / "calls.jsonl") if all(one.get(name) == it for name, it in values.items()))
    return sorted((one["sample"], one.get("shots"), one["reply"]["text"]) for one in calls)


def test_replays_match_replies_by_the_values_of_rows(commands: Prefork, project: Path) -> None:
    few = ("eval", "--task", "sgqa", "--limit", "3", "--style", "few-shot", "--prompts", "terse", "--quiet")
    whole, rows = project / "run", {"style": "few-shot", "prompts": "terse"}

    def replayed(run: str, out: str, *more: str) -> Path:
        ended = commands.run(*few, "--model", f"replay:{run}", "--out", out, *more, cwd=project)
        assert ended.err == ""
        return project / out

    again = replayed("run", "again", "--shots", "2", "--shots", "1", "--seed", "2")
    assert replies(again) == replies(whole, **rows, seed=2)
    one = replayed("run", "one", "--shots", "1", "--seed", "1")
    alone = [(item, None, text) for item, _, text in replies(whole, **rows, seed=1, shots=1)]
    assert replies(one) == alone, "a single value matches the rows that have it"
    other = replayed("run", "other", "--shots", "1", "--seed", "2", "--new")
    assert replies(other) == [(item, None, text) for item, _, text in replies(whole, **rows, seed=2, shots=1)]
    of_one = lines(replayed("one", "of-one", "--shots", "1", "--shots", "2", "--seed", "9") / "calls.jsonl")
    assert {(call["shots"], call["reply"]["ending"]) for call in of_one} == {(1, "complete"), (2, "missing")}


# Shown


def pairs_of(commands: Prefork, project: Path, *more: str) -> tuple[list[tuple[str, str]], list[str]]:
    ended = commands.run("compare", "run", "--json", *more, cwd=project)
    assert ended.code == 0, ended.err
    value = json.loads(ended.out)
    return [(pair["first"]["name"], pair["second"]["name"]) for pair in value["comparisons"]], value["notes"]


FEW = "openai/x few-shot"


def test_rows_are_compared_along_one_axis(commands: Prefork, project: Path) -> None:
    pairs, notes = pairs_of(commands, project, "--by", "seed")
    assert pairs == [
        (f"{FEW} shots={shots} prompts={prompts} seed=2", f"{FEW} shots={shots} prompts={prompts} seed=1")
        for shots in (1, 2)
        for prompts in ("default", "terse")
    ]
    assert "each pair differs in seed alone; all others are compared with the first, seed 1" in notes
    assert any("no row that differs in seed alone from openai/x zero-shot prompts=default" in note for note in notes)
    assert len(pairs_of(commands, project, "--by", "prompts")[0]) == 1 + 4
    by_style, _ = pairs_of(commands, project, "--by", "style")
    assert {second for _, second in by_style} == {f"openai/x zero-shot prompts={one}" for one in ("default", "terse")}
    assert len(by_style) == 8
    assert all(first.split("prompts=")[1].startswith(second.split("prompts=")[1]) for first, second in by_style)


def test_runs_of_one_seed_each_are_compared_along_the_seed(commands: Prefork, project: Path) -> None:
    few = ("eval", "--task", "sgqa", "--limit", "3", "--style", "few-shot", "--quiet", "--model", "replay:run")
    for seed in ("1", "2"):
        more = ("--shots", "1", "--seed", seed, "--prompts", "terse", "--out", f"seed-{seed}")
        assert commands.run(*few, *more, cwd=project).code == 0
    ended = commands.run("compare", "seed-1", "seed-2", "--by", "seed", "--json", cwd=project)
    [pair] = json.loads(ended.out)["comparisons"]
    assert (pair["first"]["run"], pair["second"]["run"]) == ("seed-2", "seed-1")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--by", "solver"), "there is nothing to compare"),
        (("--by", "seed", "--baseline", "zero-shot"), "--by compares each with the first, so --baseline has no use"),
        (("--by", "seed", "--grid"), "--grid and --by do not go together"),
        (("--by", "day"), "--by day: no rows differ by that"),
    ],
)
def test_axes_that_cannot_be_compared_are_refused(
    commands: Prefork, project: Path, more: tuple[str, ...], message: str
) -> None:
    ended = commands.run("compare", "run", *more, cwd=project)
    assert (ended.code, ended.out) == (2, "")
    assert message in ended.err


@pytest.mark.parametrize("form", ["terminal", "csv", "json", "latex"])
def test_every_format_of_a_report_tells_the_rows_apart(commands: Prefork, project: Path, form: str) -> None:
    ended = commands.run("report", "run", "--format", form, cwd=project)
    assert (ended.code, ended.err) == (0, "")
    if form == "json":
        rows = json.loads(ended.out)["rows"]
        assert [(one.get("shots"), one["prompts"], one["seed"]) for one in rows][:3] == [
            (None, None, 1),
            (None, "terse", 1),
            (1, None, 1),
        ]
    elif form == "csv":
        assert ended.out.splitlines()[0].endswith("reason,shots,prompts,seed")
        assert ",2,terse,2\n" in ended.out
    else:
        assert "shots=2 prompts=terse seed=2" in ended.out.replace("{}", "").replace("\\", "")


def test_a_junit_file_has_a_case_of_its_own_name_for_each_row(commands: Prefork, project: Path) -> None:
    assert commands.run("report", "run", "--junit", "cases.xml", cwd=project).code == 0
    names = re.findall(r'<testcase [^>]*\bname="([^"]*)"', (project / "cases.xml").read_text())
    assert len(set(names)) == ROWS
    assert "openai/x tsg/sgqa few-shot shots=2 prompts=terse seed=2" in names


def test_an_item_is_explained_in_the_row_of_one_value_each(commands: Prefork, project: Path) -> None:
    item = lines(project / "run/samples.jsonl")[0]["item_id"]
    many = commands.run("explain", "run", "--item", item, cwd=project)
    assert "--shots 1|2" in many.out
    assert "--prompts default|terse" in many.out
    narrowed = ("--style", "few-shot", "--shots", "2", "--prompts", "terse", "--seed", "2")
    one = commands.run("explain", "run", "--item", item, *narrowed, "--json", cwd=project)
    [row] = json.loads(one.out)["rows"]
    assert (row["shots"], row["prompts"], row["seed"]) == (2, "terse", 2)
    wrong = commands.run("explain", "run", "--item", item, "--seed", "5", cwd=project)
    assert (wrong.code, "no seed 5 in this run" in wrong.err) == (2, True)


def test_a_dry_run_and_a_listing_count_every_row(server: Running, commands: Prefork, project: Path) -> None:
    value = json.loads(commands.run(*ablation(server, "run", "--dry-run", "--json"), cwd=project).out)
    assert [one["samples"] for one in value["estimates"]] == [3] * ROWS
    assert {one.get("seed") for one in value["estimates"]} == {None, 1, 2}
    [listed] = json.loads(commands.run("runs", "list", "run", "--json", cwd=project).out)["runs"]
    assert (listed["recorded"], listed["samples"]) == (SAMPLES, SAMPLES)
    assert "seeds 1, 2" in commands.run("runs", "show", "run", cwd=project).out


def test_folders_of_prompts_of_one_name_are_rows_and_parts_of_the_identity_of_their_own(place: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(place / "one", place / name / "mine")
    several = prepared(prompts=["a/mine", "b/mine"])
    assert [row.cell.prompts for row in several.rows] == ["a/mine", "b/mine"]
    (place / "b/mine/tsg/sgqa/statement.txt").write_text("Answer, please.\n")
    changed = prepared(prompts=["a/mine", "b/mine"])
    assert changed.identity != several.identity


def test_a_figure_tells_rows_apart_by_their_values(project: Path) -> None:
    found = chart(gather_for([project / "run"], "main", "shots"), "main", "shots")
    assert found.panels[0].categories == ("no shots", "1", "2")
    assert "openai/x few-shot prompts=terse seed=2" in found.labels
    assert len({piece.label for piece in found.panels[0].series}) == 2 + 2 * 2


def test_a_script_of_a_run_of_several_values_is_refused(project: Path) -> None:
    with pytest.raises(UsageError, match="was asked twice, with another"):
        list(script_lines(project / "run"))


@pytest.mark.parametrize("seed", ["[[1]]", "[]", "[1, x]", "null"])
def test_seeds_of_a_plan_that_are_no_numbers_are_refused(tmp_path: Path, seed: str) -> None:
    (tmp_path / "plan.yaml").write_text(f"tasks: [tsg/sgqa]\nseed: {seed}\n")
    with pytest.raises(UsageError, match=r"plan\.yaml: seed: "):
        load_plan(str(tmp_path / "plan.yaml"))
