"""Plans: what identifies a run, and numbers of examples, prompts and seeds, which repeat like styles as its axes."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from model_server import model_server
from run_files import lines, project_with_card, samples
from shipped import DATA, TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.cli.eval import add_arguments
from tsgkit.errors import UsageError
from tsgkit.interface.evaluation import plan_of
from tsgkit.library.cards import card_names, load_card
from tsgkit.report.charts import chart, gather_for
from tsgkit.runs.plan import Plan, cells_of, load_plan, made
from tsgkit.runs.reply_limits import ReplyLimit
from tsgkit.runs.run_setup import RunSetup, limits_of_replies, prepare
from tsgkit.runs.script_export import script_lines
from tsgkit.suites.suite import task_of

ARGS = ("api_base=http://127.0.0.1:1/v1", "temperature=0.5")
BASE: dict[str, Any] = {"tasks": ("tsg/sgqa",), "models": ("openai/x",), "first": 4, "model_args": ARGS}
SEVERAL = {"shots": (1, 3), "seed": (1, 2), "styles": ("zero-shot", "few-shot")}


def prepared(**changes: object) -> RunSetup:
    return prepare(Plan.model_validate(BASE | changes))


def identity(**changes: object) -> str:
    return prepared(**changes).identity


def ways(**changes: object) -> list[str]:
    plan = Plan.model_validate(BASE | changes)
    tasks = {name: task_of(load_card(name)) for name in plan.tasks}
    return [cell.title.partition(f" {cell.task}")[2].strip() for cell in cells_of(plan, tasks)]


def test_a_list_of_one_value_is_that_value_and_identifies_the_same_run() -> None:
    for seed, styles, shots in ((0, ("zero-shot",), None), (7, ("few-shot", "cot"), 3)):
        alone = prepared(seed=seed, shots=shots, styles=styles)
        assert identity(seed=[seed, seed], shots=[shots], styles=styles, prompts=[None]) == alone.identity
        assert (alone.asked["seed"], set(alone.asked["prompts"])) == (
            seed, {f"tsg/sgqa single {style}" for style in styles},
        )  # fmt: skip
        assert all(row.cell.value.keys() == {"subject", "task", "solver", "style", "repeat"} for row in alone.rows)
    assert made({"seed": [4, 4]}, "options") == Plan(seed=4)
    plan = Plan(shots=(1, 3), seed=(5, 6), prompts=("mine", None))
    written = json.loads(json.dumps(plan.model_dump(mode="json")))
    assert (written["shots"], written["seed"], written["prompts"]) == ([1, 3], [5, 6], ["mine", None])
    assert Plan.model_validate(written) == plan


def test_an_axis_multiplies_only_the_rows_to_which_it_makes_a_difference() -> None:
    plan = Plan.model_validate(BASE | SEVERAL | {"models": ("openai/x", "baseline/random"), "prompts": ("a", "b")})
    assert [(cell.subject, cell.style, *cell[-3:]) for cell in cells_of(plan)] == [
        *(("openai/x", "zero-shot", None, p, None) for p in ("a", "b")),
        *(("openai/x", "few-shot", k, p, s) for k in (1, 3) for p in ("a", "b") for s in (1, 2)),
        *(("baseline/random", "", None, None, s) for s in (1, 2)),
    ]
    few = [f"few-shot shots={shots} seed={seed}" for shots in (1, 3) for seed in (1, 2)]
    assert ways(**SEVERAL, models=("baseline/rules", "baseline/random", "openai/x")) == [
        "", "seed=1", "seed=2", "zero-shot", *few,
    ]  # fmt: skip
    agents = ways(**SEVERAL, tasks=("tsg/sa-sgg",), solvers=("single", "agent"))
    assert [way for way in agents if way.startswith("agent")] == ["agent"], "it has words of its own"
    looked_at = {"tasks": ("spatialgen/questions",), "images": ("mine=pictures",), "judge": "openai/j", "models": ()}
    protocols = ("published", "ours", "published-blind", "published-shuffled")
    assert ways(**looked_at, protocols=protocols, seed=[1, 2]) == [
        "published", "ours seed=1", "ours seed=2", "published-blind", "published-shuffled seed=1",
        "published-shuffled seed=2",
    ]  # fmt: skip
    rows = prepared(**SEVERAL).rows
    assert [(row.cell.shots, row.cell.seed) for row in rows] == [(None, None), (1, 1), (1, 2), (3, 1), (3, 2)]
    assert rows[3].solver.fingerprint != rows[4].solver.fingerprint, "they are asked with other examples"


def test_values_of_axes_that_cannot_be_meant_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    refused: list[tuple[dict[str, Any], str]] = [
        ({"shots": [1, 3]}, "--shots: several values (1, 3), but no model is asked in a few-shot style"),
        ({"seed": [1, 2]}, "--seed: several values (1, 2), but nothing that is asked or drawn depends on it"),
        ({"models": ("baseline/random",), "model_args": (), "prompts": ["x", "y"]}, "--prompts: several values (x, y)"),
        ({"prompts": [str(tmp_path / "a"), f"{tmp_path}/./a/../a"]}, "are the same folder"),
        ({"prompts": [str(tmp_path / "a"), str(tmp_path / "none")]}, "/a: has no prompts for tsg/sgqa"),
    ]
    for changes, message in refused:
        with pytest.raises(UsageError, match=re.escape(message)):
            prepared(**changes)
    for seed in ("[[1]]", "[]", "[1, x]", "null"):
        (tmp_path / "plan.yaml").write_text(f"tasks: [tsg/sgqa]\nseed: {seed}\n")
        with pytest.raises(UsageError, match=r"plan\.yaml: seed: "):
            load_plan(str(tmp_path / "plan.yaml"))


def test_folders_of_prompts_have_short_names_that_differ_and_are_part_of_the_identity(tmp_path: Path) -> None:
    plan = Plan(prompts=("a/terse", "b/terse", "b/c/long", "x/default", None))
    assert list(plan.prompt_names) == ["a/terse", "b/terse", "long", "x/default", "default"]
    folders = [str(tmp_path / name / "mine") for name in ("a", "b")]
    for folder in folders:
        shutil.copytree(TASKS.parent / "prompts/tsg/sgqa", f"{folder}/tsg/sgqa")
    several = prepared(prompts=folders)
    assert [row.cell.prompts for row in several.rows] == ["a/mine", "b/mine"]
    (tmp_path / "b/mine/tsg/sgqa/statement.txt").write_text("Answer, please.\n")
    assert identity(prompts=folders) != several.identity


def test_python_takes_lists(tmp_path: Path) -> None:
    run = tk.evaluate(
        "sgqa", model={"cup": lambda _: "[cup]"}, style="few-shot", shots=[1, 2], seed=[0, 1], limit=2,
        out=tmp_path / "run", quiet=True,
    )  # fmt: skip
    assert {(one.shots, one.prompts, one.seed) for one in run.samples} == {(k, None, s) for k in (1, 2) for s in (0, 1)}
    assert len(run.samples[0].explain().rows) == 1
    assert run.value("exact_match", shots=2, seed=1) == run.results[3].board.profiles["strict"]["exact_match"].value  # type: ignore[index, union-attr]


def test_identity_changes_with_what_can_change_an_answer_and_ignores_execution_and_display() -> None:
    plans: list[dict[str, Any]] = [
        {}, {"model_args": (ARGS[0], "temperature=0.6")}, {"model_args": (*ARGS, "top_p=0.5")},
        {"model_args": ("api_base=http://127.0.0.1:2/v1", ARGS[1])}, {"models": ("openai/y",)},
        {"models": ("openai/x", "openai/y")}, {"tasks": ("tsg/sgqa", "tsg/sgds")}, {"styles": ("cot",)},
        {"styles": ("zero-shot", "cot")}, {"seed": 1}, {"repeat": 2}, {"first": 5}, {"first": None},
        {"ids": ("pcr/q0",)}, *({"solvers": (solver,)} for solver in ("vote:2", "vote:3", "vote:4")),
        *({"styles": ("few-shot",), "shots": shots} for shots in (1, 2, 3)),
    ]  # fmt: skip
    found = [identity(**plan) for plan in plans]
    assert len(set(found)) == len(plans), [plan for plan in plans if found.count(identity(**plan)) > 1]
    assert identity(shots=3) == found[0], "a style without examples has no shots"
    assert identity(models=("openai/y", "openai/x")) == found[5], "the order of models does not matter"
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
        assert prepare(plan_of(vars(parser.parse_args([*words, *option])))).identity == identity(), option


def test_identity_depends_on_the_bytes_of_data_prompts_and_scripts_not_on_their_paths(tmp_path: Path) -> None:
    for name in ("one.jsonl", "two.jsonl", "three.jsonl"):
        shutil.copy(DATA / "sgqa.jsonl", tmp_path / name)
    (tmp_path / "three.jsonl").write_bytes((DATA / "sgqa.jsonl").read_bytes() + b"\n")
    found = [identity(data=str(tmp_path / name)) for name in ("one.jsonl", "two.jsonl", "three.jsonl")]
    assert found[0] == found[1] == identity() != found[2]
    (tmp_path / "same").mkdir()
    script = tmp_path / "script.jsonl"
    for words, reply in (("{scene_graph} {question}", "[marker]"), ("{scene_graph} {question}?", "[bowl]")):
        (tmp_path / "same/sgqa.txt").write_text(words)
        script.write_text(json.dumps({"item_id": "pcr/q0", "reply": reply}) + "\n")
        found.append(identity(prompts=str(tmp_path / "same")))
        found.append(identity(models=(f"script:{script}",), model_args=()))
    assert len(set(found)) == 6


def test_a_card_counts_by_its_version_and_by_what_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known, found = identity(model_args=ARGS[:1]), []
    for field, old, new in (("title: ", "", "New "), ("version: ", "1", "2"), ("temperature: ", "0.1", "0.2")):
        project_with_card("tsg/sgqa", field + old, field + new, tmp_path / field)
        monkeypatch.chdir(tmp_path / field)
        found.append(identity(model_args=ARGS[:1]) == known)
    assert found == [True, False, False]


def test_own_servers_have_a_default_limit_of_tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def limit(**changes: object) -> int | str:
        found = prepared(**{"model_args": ARGS[:1]} | changes)
        limits = limits_of_replies(found.plan, {row.task for row in found.rows}, found.settings)
        shown = next(iter(limits.values()), ReplyLimit(None))
        assert [one.defaults.get("max_tokens", "") for one in found.settings.values()] == [shown.tokens or ""]
        return shown.tokens or shown.why_none.partition(";")[0]

    rows: list[tuple[dict[str, Any], int | str]] = [
        ({}, 880), ({"solvers": ("single", "vote:3")}, 880), ({"solvers": ("agent",), "tasks": ("tsg/sa-sgg",)}, 4320),
        ({"tasks": ("tsg/sgqa", "tsg/ma-sgg")}, 2800), ({"styles": ("zero-shot", "cot")}, 4080),
        ({"model_args": (ARGS[0], "max_completion_tokens=9")}, "max_completion_tokens is given"),
        ({"model_args": (ARGS[0], "extra_body.kwargs.enable_thinking=true")}, "enable_thinking is given"),
        ({"models": ("openai/Qwen/Qwen3-0.6B",)}, "models of its name reason, by the price map"),
        ({"models": ("ollama/llama3",)}, ""), ({"model_args": ("api_key=k",)}, ""),
        ({"model_args": ("api_base=https://eu.api.openai.com/v1",)}, ""),
    ]  # fmt: skip
    assert [limit(**changes) for changes, _ in rows] == [expected for _, expected in rows]
    for name in card_names():
        task = task_of(load_card(name))
        data, length = task.dataset(None), task.prompt.length_of if task.prompt is not None else lambda _: (0, 1)
        assert max(length(data.sample(n))[1] for n in range(len(data))) / 3 <= (task.card.longest_answer or 0), name
    project_with_card("tsg/sgqa", "longest_answer", "# longest_answer", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert limit() == "the card of tsg/sgqa states no longest_answer"


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


def words(base: str) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={base}", "--limit", "3"),
        *("--style", "zero-shot", "--style", "few-shot", "--shots", "1", "--shots", "2", "--seed", "1", "--seed", "2"),
        *("--prompts", "default", "--prompts", "terse", "--no-cache", "--quiet", "--out", "run"),
    )


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with prompts of its own, a run that was finished after it stopped, and its shards."""
    folder = tmp_path_factory.mktemp("axes")
    shutil.copytree(TASKS.parent / "prompts", folder / "terse")
    for file in (folder / "terse/tsg").rglob("*.txt"):
        file.write_text(file.read_text().rstrip("\n") + " Be brief.\n")
    with contextlib.chdir(folder), model_server() as server:
        assert main([*words(server.base), "--max-requests", "10"]) == 4
        assert main([*words(server.base)]) == 0
        assert server.stats()["seen"] == 3 * (2 + 2 * 2 * 2)
        for number in (1, 2):
            assert main([*words(server.base), "--shard", f"{number}/2"]) == 0
    return folder


@pytest.fixture
def project(asked: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(asked)
    return asked


def test_dry_runs_shards_and_rescoring_know_the_axes(tsgkit: CommandLine, project: Path) -> None:
    estimates = tsgkit("", *words("http://127.0.0.1:9/v1"), "--dry-run", "--json").json["estimates"]
    assert [(one["samples"], one.get("seed")) for one in estimates] == [(3, None)] * 2 + [(3, 1), (3, 2)] * 4
    whole = samples(project / "run")
    tsgkit("rescore run")
    assert samples(project / "run") == whole and len(whole) == 30
    tsgkit("runs merge run.shard-1-of-2 run.shard-2-of-2 -o all")
    assert samples(project / "all") == whole


def replies(run: Path, **values: object) -> list[tuple[str, Any, str]]:
    """Item, shots and text of every call of a run that has these values."""
    calls = (one for one in lines(run / "calls.jsonl") if all(one.get(name) == it for name, it in values.items()))
    return sorted((one["sample"], one.get("shots"), one["reply"]["text"]) for one in calls)


def test_replays_match_replies_by_the_values_of_rows(tsgkit: CommandLine, project: Path) -> None:
    def replayed(run: str, out: str, *more: object) -> Path:
        few = "eval --task sgqa --limit 3 --style few-shot --prompts terse --quiet"
        assert tsgkit(few, "--model", f"replay:{run}", "--out", out, *more).err == ""
        return project / out

    for seed in (1, 2):
        alone = replies(replayed("run", f"seed-{seed}", "--shots", "1", "--seed", f"{seed}"))
        whole = replies(project / "run", style="few-shot", prompts="terse", seed=seed, shots=1)
        assert alone == [(item, None, text) for item, _, text in whole], "a single value matches the rows that have it"
    of_one = lines(replayed("seed-1", "of-one", "--shots", "1", "--shots", "2", "--seed", "9") / "calls.jsonl")
    assert {(call["shots"], call["reply"]["ending"]) for call in of_one} == {(1, "complete"), (2, "missing")}
    [pair] = tsgkit("compare seed-1 seed-2 --by seed --json").json["comparisons"]
    assert (pair["first"]["run"], pair["second"]["run"]) == ("seed-2", "seed-1")


def test_rows_are_compared_along_one_axis(tsgkit: CommandLine, project: Path) -> None:
    def pairs_by(axis: str) -> tuple[list[tuple[str, str]], list[str]]:
        value = tsgkit("compare run --json --by", axis).json
        return [(pair["first"]["name"], pair["second"]["name"]) for pair in value["comparisons"]], value["notes"]

    none, few = "openai/x zero-shot", "openai/x few-shot"
    ways = [f"shots={shots} prompts={prompts}" for shots in (1, 2) for prompts in ("default", "terse")]
    pairs, notes = pairs_by("seed")
    assert pairs == [(f"{few} {way} seed=2", f"{few} {way} seed=1") for way in ways]
    assert "each pair differs in seed alone; all others are compared with the first, seed 1" in notes
    assert any(f"no row that differs in seed alone from {none} prompts=default" in note for note in notes)
    pairs, seeds = pairs_by("style")[0], (1, 2)
    assert pairs == [(f"{few} {way} seed={seed}", f"{none} {way.split()[1]}") for way in ways for seed in seeds]
    for more, message in (
        ("solver", "there is nothing to compare"), ("day", "--by day: no rows differ by that"),
        ("seed --baseline zero-shot", "--by compares each with the first, so --baseline has no use"),
        ("seed --grid", "--grid and --by do not go together"),
    ):  # fmt: skip
        ended = tsgkit(f"compare run --by {more}", code=2)
        assert ended.out == "" and message in ended.err, more


def test_everything_that_shows_rows_tells_them_apart(tsgkit: CommandLine, project: Path) -> None:
    def shown(words: str) -> str:
        ended = tsgkit(words)
        assert ended.err == "", words
        return ended.out

    rows = json.loads(shown("report run --format json"))["rows"]
    few = [(shots, prompts, seed) for shots in (1, 2) for prompts in (None, "terse") for seed in (1, 2)]
    assert [(one.get("shots"), one["prompts"], one["seed"]) for one in rows] == [
        (None, None, 1), (None, "terse", 1), *few,
    ]  # fmt: skip
    table = shown("report run --format csv")
    assert table.splitlines()[0].endswith("reason,shots,prompts,seed") and ",2,terse,2\r\n" in table
    assert "shots=2 prompts=terse seed=2" in shown("report run --format terminal")
    assert re.search(r"openai/x +few-shot +1 +default +1 ", shown("compare run --grid"))
    shown("report run --junit cases.xml")
    names = re.findall(r'<testcase [^>]*\bname="([^"]*)"', (project / "cases.xml").read_text())
    assert len(set(names)) == 10 and "openai/x tsg/sgqa few-shot shots=2 prompts=terse seed=2" in names
    item = lines(project / "run/samples.jsonl")[0]["item_id"]
    many = shown(f"explain run --item {item}")
    assert "--shots 1|2" in many and "--prompts default|terse" in many
    narrowed = "--style few-shot --shots 2 --prompts terse --seed 2"
    [row] = json.loads(shown(f"explain run --item {item} {narrowed} --json"))["rows"]
    assert (row["shots"], row["prompts"], row["seed"]) == (2, "terse", 2)
    assert "no seed 5 in this run" in tsgkit(f"explain run --item {item} --seed 5", code=2).err
    assert "seeds 1, 2" in shown("runs show run")
    found = chart(gather_for([project / "run"], "headline", "shots"), "headline", "shots")
    assert found.panels[0].categories == ("no shots", "1", "2")
    assert "openai/x few-shot prompts=terse seed=2" in found.labels
    assert len({piece.label for piece in found.panels[0].series}) == 2 + 2 * 2
    with pytest.raises(UsageError, match="was asked twice, with another"):
        list(script_lines(project / "run"))
