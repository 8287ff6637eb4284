"""``tsgkit eval``: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from model_server import Running, model_server
from prefork import Prefork
from shipped import DATA
from tsg_tasks import METRICS, shown_answer

from tsgkit.library.cards import load_card
from tsgkit.scoring.outcomes import COUNTS
from tsgkit.suites.suite import task_of

TASKS = ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
ENTRY = [
    *("subject", "judge", "solver", "style", "repeat", "data", "task", "n", "profiles", "counts", "reasons", "unasked"),
    "usage",
]
USAGE = [
    *("calls", "from_cache", "requests", "retried", "seconds", "prompt_tokens", "completion_tokens"),
    *("reasoning_tokens", "cached_tokens", "cached_input", "calls_without_usage", "cost", "calls_without_price"),
]
WATCHED = """
import sys
reached = []
def hook(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"):
        reached.append(event)
sys.addaudithook(hook)
from tsgkit.cli import main
code = main(["eval", "--first", "9"])
print("AFTER", code, reached, [name for name in ("litellm", "langgraph") if name in sys.modules])
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


def asking(server: Running, *more: str, first: int = 4) -> str:
    model = f"--model openai/x --model-arg api_base={server.base}"
    return " ".join(("eval --task sgqa", model, f"--first {first} --no-cache --quiet", *more))


def test_eval_without_a_model_evaluates_every_task_and_reaches_nothing(folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True, env=environment)
    *said, after = ended.stdout.splitlines()
    assert (after, ended.stderr) == ("AFTER 0 [] []", "")
    assert [line.split()[0] for line in said if line.startswith("  tsg/")] == TASKS
    assert said[0] == "baseline/rules"
    assert said[-2].startswith("a real model: export OPENAI_API_KEY=")
    assert "tsgkit eval --model openai/gpt-4o" in said[-2]
    assert "--model-arg api_base=http://127.0.0.1:8000/v1" in said[-1]
    assert (folder / "runs").is_dir()


def test_json_of_a_baseline_follows_the_contract(tsgkit: CommandLine) -> None:
    ended = tsgkit("eval --json --samples --first 3")
    value = ended.json
    assert (ended.err, list(value)) == ("", ["run", "results"])
    assert Path(value["run"], "run.json").is_file()
    assert [result["task"] for result in value["results"]] == TASKS
    for result in value["results"]:
        assert list(result) == [*ENTRY[:-1], "samples", "usage"]
        assert [result[name] for name in ("subject", "judge", "solver", "style", "repeat", "usage", "n")] == [
            "baseline/rules", None, "baseline", None, 0, None, 3,
        ]  # fmt: skip
        assert list(result["counts"])[: len(COUNTS)] == list(COUNTS)
        metrics = list(METRICS[result["task"].partition("/")[2]])
        assert list(result["profiles"]) == ["strict", "official"]
        for profile, values in result["profiles"].items():
            assert sorted(values) == sorted(metrics)
            for name, figure in values.items():
                if figure is None:
                    assert result["reasons"][f"{profile}.{name}"]
                else:
                    assert list(figure) == ["value", "low", "high", "n"]
                    assert 0 <= figure["value"] <= 1 or "hallucinated" in name
        assert len(result["samples"]) == 3
        for sample in result["samples"]:
            assert list(sample) == ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
            assert list(sample["scores"]) == ["strict", "official"]
    lines = tsgkit("eval --samples --first 2").out.splitlines()
    assert sum(line.startswith('{"item_id"') for line in lines) == 8


def test_usage_of_a_model_is_counted_and_priced_or_unknown(server: Running, tsgkit: CommandLine) -> None:
    [result] = tsgkit(asking(server, "--json --price 1,2")).json["results"]
    assert (list(result), result["solver"], result["style"]) == (ENTRY, "single", "zero-shot")
    usage = result["usage"]
    assert list(usage) == USAGE
    assert (usage["calls"], usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (4, 4, 400, 40)
    assert usage["cost"] == pytest.approx(4 * 120e-6)
    with model_server(usage=None) as silent:
        [result] = tsgkit(asking(silent, "--json")).json["results"]
        table = tsgkit(asking(silent)).out
    usage = result["usage"]
    assert (usage["prompt_tokens"], usage["cost"], usage["calls_without_usage"]) == (None, None, 4)
    assert table.splitlines()[2].endswith("unknown  unknown")


def test_samples_beyond_a_budget_are_listed_as_missing(server: Running, tsgkit: CommandLine) -> None:
    [result] = tsgkit(asking(server, "--json --samples --max-requests 1"), code=4).json["results"]
    assert (result["counts"]["missing"], result["unasked"], result["n"]) == (0, 3, 1)
    assert sorted(sample["outcome"] for sample in result["samples"]) == ["answered", "missing", "missing", "missing"]


def test_gates_decide_the_exit_code_after_a_budget_and_before_errors(tsgkit: CommandLine) -> None:
    for gate, code in (("tsg/sgqa.exact_match=1", 3), ("sgqa.exact_match=0.0", 0), ("tsg/sgqa.normalised=1", 3)):
        ended = tsgkit(f"eval --task sgqa --first 9 --fail-under {gate}", code=code)
        assert ("gate missed: baseline/rules tsg/sgqa: " in ended.err) == (code == 3), gate
    both = "eval --task sgds --model baseline/rules --model baseline/random --fail-under tsg/sgds.accuracy=0.5"
    [line] = [line for line in tsgkit(both, code=3).err.splitlines() if "gate missed" in line]
    assert "baseline/random" in line, "every row must pass"
    gate = "--fail-under tsg/sgqa.exact_match=1"
    with model_server(always={"": "400"}) as failing:
        tsgkit(asking(failing), code=1)
        tsgkit(asking(failing, gate), code=3)
        tsgkit(asking(failing, gate, "--max-requests 10"), code=4)


def test_wrong_gates_are_refused_before_anybody_is_asked(server: Running, tsgkit: CommandLine) -> None:
    before = server.stats()["seen"]
    tsgkit.refuses(
        {
            "tsg/sgqa.exact_match": "not TASK.METRIC=VALUE",
            "tsg/sgqa.exact_match=much": "not TASK.METRIC=VALUE",
            "tsg/sgqa.exact_match=80": "values are fractions of 1",
            "tsg/sgqa.exact_match=nan": "values are fractions of 1",
            "tsg/sgqa.exact_mach=0.5": "tsg/sgqa has no exact_mach",
            "tsg/sgds.accuracy=0.5": "tsg/sgds is not evaluated",
        },
        asking(server, "--fail-under"),
    )
    assert server.stats()["seen"] == before


def test_ids_are_asked_of_the_tasks_that_have_them(tsgkit: CommandLine) -> None:
    results = tsgkit("eval --ids bread/q1 bread/0 --json --samples").json["results"]
    asked = {result["task"]: [sample["item_id"] for sample in result["samples"]] for result in results}
    assert (asked["tsg/sgqa"], asked["tsg/sa-sgg"]) == (["bread/q1"], ["bread/0"])
    near = tsgkit("eval --task sgqa --ids bread/q1 bred/q0", code=2).err
    assert "no task has an item bred/q0" in near and "bread/q0?" in near
    far = tsgkit("eval --task sgqa --ids ?????", code=2).err
    assert "and 78 more" in far and len(far) < 500


def test_repeats_are_draws_of_their_own_and_another_run_is_answered_from_the_cache(tsgkit: CommandLine) -> None:
    with model_server() as server:
        words = asking(server, "--repeat 2").replace("--no-cache ", "")
        first = tsgkit(words, "--out", "one", "--json").json["results"]
        assert server.stats()["seen"] == 8
        again = tsgkit(words, "--out", "two", "--json").json["results"]
        told = tsgkit(words, "--out", "three").out
        assert server.stats()["seen"] == 8
        tsgkit(words, "--out", "two", "--new")
        assert server.stats()["seen"] == 16, "--new reads no cache"
    assert [one["usage"]["from_cache"] for one in again] == [4, 4]
    assert [one["repeat"] for one in first] == [0, 1]
    assert [one["profiles"] for one in first] == [one["profiles"] for one in again]
    assert "8 replies from the cache, paid for before" in told and "(cached)" in told


def test_votes_and_structured_answers_have_no_official_figures(server: Running, tsgkit: CommandLine) -> None:
    [result] = tsgkit(asking(server, "--solver vote:3 --json")).json["results"]
    assert result["profiles"]["official"] is None
    assert result["reasons"]["official"] == "the published way asks once; solver vote:3 does not"
    assert (result["n"], result["usage"]["calls"]) == (4, 12)
    table = tsgkit(asking(server, "--solver vote:3")).out
    assert table.count("no official figures: the published way asks once") == 1
    with model_server(replies={"": '{"answer": "hook"}'}) as structured:
        [result] = tsgkit(asking(structured, "--style structured --json", first=1)).json["results"]
        sent = structured.stats()["last"]["response_format"]
    assert (sent["type"], sent["json_schema"]["strict"]) == ("json_schema", True)
    assert result["profiles"]["official"] is None
    assert result["profiles"]["strict"]["exact_match"]["value"] == 1.0


SCRIPT = "eval --task sgqa --model script:said.jsonl --first 4"


def test_scripts_answer_by_item_and_are_missing_where_they_hold_none(tsgkit: CommandLine) -> None:
    write_lines(
        "said.jsonl",
        {"item_id": "bread/q0", "reply": "[hook]"},
        {"item_id": "bread/q1", "reply": None},
        {"item_id": "bread/q2", "reply": "[x", "outcome": "truncated"},
    )
    [result] = tsgkit(SCRIPT, "--json", "--samples").json["results"]
    outcomes = [sample["outcome"] for sample in result["samples"]]
    assert outcomes == ["answered", "empty", "truncated", "missing"]
    assert (result["counts"]["missing"], result["usage"]) == (1, None)
    assert "1 missing, 1 empty, 1 truncated" in tsgkit(SCRIPT).out


def test_scripts_that_answer_nothing_are_refused(tsgkit: CommandLine) -> None:
    assert "cannot be read" in tsgkit(SCRIPT, code=2).err
    for content, message in {
        "{oops\n": "said.jsonl: line 1: no reply of a script",
        '{"item_id": "a", "reply": 3}\n': "line 1: a reply is a text",
        '{"item_id": "a", "reply": "b"}\n' * 2: "line 2: a second reply to item a",
        '{"item_id": "a", "reply": "b", "outcome": "tired"}\n': "line 1: no such outcome: tired",
        '{"item_id": "zzz", "reply": "[B]"}': "says nothing about any item that is asked\n  its items begin with zzz",
        "": "it is empty",
    }.items():
        Path("said.jsonl").write_text(content)
        assert message in tsgkit(SCRIPT, "--new", code=2).err, content


def test_replays_reproduce_samples_and_scores_without_asking(server: Running, tsgkit: CommandLine) -> None:
    vote = "--solver vote:3 --json --samples"
    [first] = tsgkit(asking(server, vote, "--out first")).json["results"]
    seen = server.stats()["seen"]
    [again] = tsgkit(f"eval --task sgqa --first 4 {vote} --model replay:first").json["results"]
    for name in ("profiles", "counts", "samples", "reasons", "n"):
        assert again[name] == first[name], name
    assert server.stats()["seen"] == seen
    baseline = tsgkit("eval --first 3 --json --out rules").json["results"]
    tsgkit("eval --task sgqa --first 3 --quiet --out only")
    again = tsgkit("eval --first 3 --json --model replay:rules").json["results"]
    assert [one["profiles"]["strict"] for one in again] == [one["profiles"]["strict"] for one in baseline]
    assert "nowhere" in tsgkit("eval --model replay:nowhere", code=2).err
    assert "the run has tsg/sgqa baseline" in tsgkit("eval --task sgds --model replay:only", code=2).err


def test_options_go_before_the_settings_of_a_plan(tsgkit: CommandLine) -> None:
    Path("mine.yaml").write_text("title: mine\ntasks: tsg/sgqa\nmodels: [baseline/random]\nlimit: 3\n")
    for more, expected in (
        ("", ("tsg/sgqa", "baseline/random", 3)),
        ("--task sgds --first 2", ("tsg/sgds", "baseline/random", 2)),
    ):
        [result] = tsgkit(f"eval --plan mine.yaml --json {more}").json["results"]
        assert (result["task"], result["subject"], result["n"]) == expected, more


def test_broken_plans_and_cards_name_the_field_that_was_meant(folder: Path, tsgkit: CommandLine) -> None:
    for name in ("tasks/mine", "prompts", "eval/plans"):
        (folder / name).mkdir(parents=True)
    for text, message in {
        "limits: 3\n": "p.yaml: there is no setting limits\n  limit?\n",
        "xyzzy: 1\n": "\n  the settings: title, tasks, models, styles, solvers, ",
        "limit: many\n": "p.yaml: limit: ",
        "limit: 0\n": "p.yaml: limit: ",
        "- a\n": "p.yaml",
        "a: [\n": "p.yaml",
    }.items():
        Path("eval/plans/p.yaml").write_text(text)
        assert message in tsgkit("eval --plan p", code=2).err, text
    assert "there is no plan nobodys" in tsgkit("eval --plan nobodys", code=2).err
    metrics = "metriks: {f1: {pooling: pooled, better: more, headline: true}}\n"
    for text, message in {
        f"title: a\ntask: tsg/sgqa\n{metrics}": (
            "a.yaml: there is no field metriks; missing: citation, version, data, metrics\n  metrics?\n"
        ),
        "task: tsg/sgqa\n": "a.yaml: missing: title, citation, version, data, metrics\n",
    }.items():
        Path("tasks/mine/a.yaml").write_text(text)
        assert message in tsgkit("eval --task mine/a", code=2).err, text


def test_dry_runs_send_nothing_and_estimate_requests_tokens_and_cost(server: Running, tsgkit: CommandLine) -> None:
    before = server.stats()["seen"]
    dry = asking(server, "--dry-run --solver vote:3 --model baseline/rules")
    out = tsgkit(dry).out
    assert "openai/x tsg/sgqa zero-shot vote:3: 4 samples, 12 requests, " in out
    assert "cost unknown" in out and "openai/x: its price is not known" in out
    assert "  baseline/rules tsg/sgqa: 4 samples, asks no model" in out and "\nin all 12 requests, " in out
    first, second = tsgkit(dry, "--price", "1,2", "--json").json["estimates"]
    assert (first["requests"], second["requests"], second["cost"]) == (12, 0, [0.0, 0.0])
    assert 0 < first["prompt"][0] < first["prompt"][1]
    assert 0 < first["cost"][0] < first["cost"][1]
    assert server.stats()["seen"] == before and not Path("runs").exists()
    words = asking(server, first=3).replace("--no-cache ", "")
    tsgkit(words)
    assert "3 samples of these are answered already" in tsgkit(words, "--dry-run").out


def test_service_tiers_are_estimated_and_settled_at_their_price(tsgkit: CommandLine) -> None:
    """The prices of gpt-5-mini, a million: 0.25 in, 0.025 cached, 2 out; flex costs half."""
    used = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    with model_server(usage=used | {"prompt_tokens_details": {"cached_tokens": 400}}) as server:
        words = "eval --quiet --task tsg/sgqa --limit 2 --model openai/gpt-5-mini --model-arg temperature=1"
        words += f" --model-arg api_base={server.base} --model-arg service_tier="
        default, flex = (
            tsgkit(f"{words}{tier} --dry-run --json").json["estimates"][0]["cost"] for tier in ("default", "flex")
        )
        assert [2 * cost for cost in flex] == pytest.approx(default)
        usage = tsgkit(f"{words}flex --json").json["results"][0]["usage"]
        assert "40 % of the input tokens came from the service's prompt cache" in tsgkit(f"{words}flex").out
    assert usage["cost"] == pytest.approx(2 * (600 * 0.125e-6 + 400 * 0.0125e-6 + 100 * 1e-6))
    assert (usage["cached_tokens"], usage["cached_input"]) == (800, 0.4)
    words = "eval --quiet --task tsg/sgqa --limit 1 --model openai/gpt-4o --dry-run --model-arg api_key=x"
    out = tsgkit(words, "--model-arg", "service_tier=flex").out
    assert "service tier flex\n" in out and out.count("the price of service tier flex is not known") == 1
    assert "service tier" not in tsgkit(words, "--model-arg", "service_tier=flex", "--price", "1,2").out


def test_tasks_are_those_named_or_those_of_the_rows(folder: Path, tsgkit: CommandLine) -> None:
    (folder / "data").mkdir()
    for task in ("sgqa", "ma-sgg"):
        (folder / f"data/{task}.jsonl").write_text((DATA / f"{task}.jsonl").read_text())
    for words, expected in (
        ("--task tsg", TASKS),
        (f"--data {DATA}", TASKS),
        ("--data data", ["tsg/sgqa", "tsg/ma-sgg"]),
        ("--data data/ma-sgg.jsonl", ["tsg/ma-sgg"]),
        ("--task refine --task tsg", ["tsg/refine", *TASKS]),
        ("--task sgqa,sgds --task sa-sgg", TASKS[:3]),
    ):
        results = tsgkit(f"eval --json --first 1 {words} --out {len(expected)} --new").json["results"]
        assert [result["task"] for result in results] == expected, words


@pytest.mark.parametrize(("task", "group", "shown"), [("nodes-ma", "implicit", "plicit"), ("refine", "error", "match")])
def test_derived_tasks_are_voted_on_rescored_explained_and_reported(
    task: str, group: str, shown: str, tsgkit: CommandLine
) -> None:
    data = task_of(load_card(f"tsg/{task}")).dataset(None)
    samples = [data.sample(number) for number in range(5)]
    write_lines("replies.jsonl", *({"item_id": one.item_id, "reply": shown_answer(one)} for one in samples))
    words = f"eval --task {task} --model script:replies.jsonl --solver vote:3 --first 5 --json --out run"
    (result,) = tsgkit(words).json["results"]
    assert result["profiles"]["strict"]["f1"]["value"] == 1
    assert tsgkit("rescore run --json").json["results"][0]["profiles"] == result["profiles"]
    assert "this task has no published reader" in tsgkit("explain run --item", samples[0].item_id).out
    assert shown in tsgkit(f"report run --by {group}").out


def test_eval_refuses_slips_before_a_folder_is_made(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "--first 0": "--first 0: at least 1 is needed",
            "--repeat -1": "--repeat -1: at least 1 is needed",
            "--concurrency 0": "--concurrency 0: it must be more than 0",
            "--timeout nan": "--timeout nan: it must be more than 0",
            "--task sgqb": "there is no task sgqb\n  sgqa?",
            "--task sceneval": "tsgkit: there is no task sceneval\n  sceneeval?\n",
            "--style zeroshot": "zeroshot",
            "--solver vote:1": "a vote takes 2 to 100 calls",
            "--model baseline/rule": "there is no baseline/rule",
            "--model-arg temperature=1": "no model is asked, so --model-arg has no use",
            "--data nowhere.jsonl": "nowhere.jsonl: no such file",
            "--prompts nowhere": "nowhere",
            "--price cheap --dry-run": "'cheap' is no price",
            "--price 1": "is no price",
            "--model openai/gpt-4o": "OPENAI_API_KEY is not set",
            "--model anthropic/claude": "ANTHROPIC_API_KEY is not set",
            "--model ''": "a name is empty",
            "--model openai/x --model-arg tempature=1": "no parameter is called so",
            "--model script:nowhere.jsonl": "nowhere.jsonl",
        },
        "eval --quiet",
    )
    assert list(Path().iterdir()) == []


def on_a_terminal(commands: Prefork, folder: Path, *command: str) -> str:
    """Return what a command shows on a terminal of its own."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    shown = b""
    process = commands.start(*command, cwd=folder, stderr=os.ttyname(theirs))
    while not process.ended():
        time.sleep(0.01)
        while True:
            try:
                shown += os.read(ours, 65_536)
            except BlockingIOError:
                break
    os.close(theirs)
    os.close(ours)
    assert process.code == 0, shown
    return shown.decode()


def test_progress_changes_in_place_on_a_terminal_unless_it_is_quiet(commands: Prefork, folder: Path) -> None:
    with model_server(delay=0.2) as slow:
        quiet = asking(slow, "--concurrency 1").split()
        shown = on_a_terminal(commands, folder, *(word for word in quiet if word != "--quiet"))
        assert on_a_terminal(commands, folder, *quiet) == ""
    assert "\x1b[1A\r\x1b[2Kopenai/x tsg/sgqa: 4/4" in shown
    assert "of at most 1 in flight" in shown and "left" in shown


def sampled(run: str) -> Any:  # noqa: ANN401  (as JSON has it)
    return [json.loads(line) for line in Path(run, "samples.jsonl").read_text().splitlines()]


def test_new_says_where_the_earlier_run_lies_now(tsgkit: CommandLine) -> None:
    words = "eval --quiet --task tsg/sgqa --limit 1 --out mine"
    tsgkit(words)
    before = sampled("mine")
    out = tsgkit(words, "--new").out
    [aside] = Path().glob("mine.until-*")
    assert f"the earlier run now lies in {aside.name}" in out
    assert sampled(aside.name) == before


def test_runs_are_listed_a_line_each(tsgkit: CommandLine) -> None:
    said = tsgkit("eval --quiet --task tsg/sgqa --limit 2 --style cot").out
    assert "baselines have no style and no solver" in said
    [line] = tsgkit("runs list").out.splitlines()
    assert "complete  baseline/rules  tsg/sgqa  limit 2" in line
    assert "there is no folder nowhere" in tsgkit("runs list nowhere").out
