"""``tsgkit eval``: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from model_server import Running, model_server
from shipped import DATA, POOL

TASKS = ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
ENTRY = [
    *("subject", "judge", "solver", "style", "repeat", "data", "task", "n", "profiles", "counts", "reasons", "unasked"),
    "usage",
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


def asking(server: Running, *more: str, first: int = 4) -> str:
    model = f"--model openai/x --model-arg api_base={server.base}"
    return " ".join(("eval --task sgqa", model, f"--first {first} --no-cache --quiet", *more))


def results(tsgkit: CommandLine, words: str, code: int = 0) -> list[Any]:
    found: list[Any] = tsgkit(f"{words} --json", code=code).json["results"]
    return found


def test_eval_without_a_model_evaluates_every_task_and_reaches_nothing(folder: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run([sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True, env=environment)
    *said, after = ended.stdout.splitlines()
    assert (after, ended.stderr, said[0]) == ("AFTER 0 [] []", "", "baseline/rules")
    assert [line.split()[0] for line in said if line.startswith("  tsg/")] == TASKS
    assert said[-2].startswith("a real model: export OPENAI_API_KEY=")
    assert "tsgkit eval --model openai/gpt-4o" in said[-2]
    assert "--model-arg api_base=http://127.0.0.1:8000/v1" in said[-1]
    assert (folder / "runs").is_dir()


def test_json_of_baselines_and_models_follows_the_contract(server: Running, tsgkit: CommandLine) -> None:
    ended = tsgkit("eval --json --samples --first 3")
    value = ended.json
    assert (ended.err, list(value)) == ("", ["run", "results"])
    assert Path(value["run"], "run.json").is_file()
    assert [result["task"] for result in value["results"]] == TASKS
    for result in value["results"]:
        assert list(result) == [*ENTRY[:-1], "samples", "usage"]
        shown = [result[name] for name in ("subject", "judge", "solver", "style", "repeat", "usage", "n", "unasked")]
        assert shown == ["baseline/rules", None, "baseline", None, 0, None, 3, 0]
        assert [list(one) for one in result["samples"]] == [
            ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
        ] * 3
    assert tsgkit("eval --samples --first 2").out.count('\n{"item_id"') == 8
    [result] = results(tsgkit, asking(server, "--price 1,2"))
    assert (list(result), result["solver"], result["style"]) == (ENTRY, "single", "zero-shot")
    usage = result["usage"]
    assert (usage["calls"], usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (4, 4, 400, 40)
    assert usage["cost"] == pytest.approx(4 * 120e-6)
    with model_server(usage=None) as silent:
        assert tsgkit(asking(silent)).out.splitlines()[2].endswith("(unknown)  (unknown)")


def test_samples_beyond_a_budget_are_missing_and_figures_are_over_the_others(tsgkit: CommandLine) -> None:
    with model_server(replies={"": "[nothing]"}) as server:
        [result] = results(tsgkit, asking(server, "--samples --max-requests 1"), code=4)
        words = asking(server, "--task sgds --out run --max-requests 12", first=20)
        ended = tsgkit(words, code=4)
    assert (result["counts"]["missing"], result["unasked"], result["n"]) == (0, 3, 1)
    assert sorted(sample["outcome"] for sample in result["samples"]) == ["missing"] * 3 + ["unreadable"]
    assert [line.split()[:5] for line in ended.out.splitlines() if line.startswith("  tsg/")] == [
        ["tsg/sgqa", "zero-shot", "exact_match", "0/20", "-"],
        ["tsg/sgds", "zero-shot", "accuracy", "12/20", "0.0"],
    ]
    assert "  unfinished: 28 of 40 samples not asked; the figures are over the others\n" in ended.out
    assert "stopped: " in ended.err and "; 28 samples not asked\n" in ended.err
    rows = tsgkit("report run --format json").json["rows"]
    assert [(row["n"], row["unasked"], row["counts"]["missing"]) for row in rows] == [(0, 20, 0), (12, 8, 0)]
    gate = tsgkit("report run --fail-under sgds.accuracy=0", code=3).err
    assert "accuracy is unfinished: 8 of 20 samples were not asked" in gate


def test_gates_decide_the_exit_code_after_a_budget_and_before_errors(server: Running, tsgkit: CommandLine) -> None:
    for gate, code in (("tsg/sgqa.exact_match=1", 3), ("sgqa.exact_match=0.0", 0), ("tsg/sgqa.normalised=1", 3)):
        ended = tsgkit(f"eval --task sgqa --first 9 --fail-under {gate}", code=code)
        assert ("gate missed: baseline/rules tsg/sgqa: " in ended.err) == (code == 3), gate
    both = "eval --task sgds --model baseline/rules --model baseline/random --fail-under tsg/sgds.accuracy=0.5"
    [line] = [line for line in tsgkit(both, code=3).err.splitlines() if "gate missed" in line]
    assert "baseline/random" in line, "every row must pass"
    gate = "--fail-under tsg/sgqa.exact_match=1"
    with model_server(always={"": "400"}) as failing:
        for more, code in (("", 1), (gate, 3), (f"{gate} --max-requests 10", 4)):
            tsgkit(asking(failing, more), code=code)
    before = server.stats()["seen"]
    assert "sgqa has no exact_mach" in tsgkit(asking(server, "--fail-under tsg/sgqa.exact_mach=0.5"), code=2).err
    assert server.stats()["seen"] == before, "gates are read before anybody is asked"


def test_repeats_are_draws_of_their_own_and_another_run_is_answered_from_the_cache(tsgkit: CommandLine) -> None:
    with model_server() as server:
        words = asking(server, "--repeat 2").replace("--no-cache ", "")
        first = results(tsgkit, f"{words} --out one")
        assert server.stats()["seen"] == 8
        again = results(tsgkit, f"{words} --out two")
        told = tsgkit(words, "--out", "three").out
        assert server.stats()["seen"] == 8
        out = tsgkit(words, "--out", "two", "--new").out
        assert server.stats()["seen"] == 16, "--new reads no cache"
    [aside] = Path().glob("two.until-*")
    assert f"the earlier run now lies in {aside.name}" in out
    assert [one["usage"]["from_cache"] for one in again] == [4, 4]
    assert [one["repeat"] for one in first] == [0, 1]
    assert [one["profiles"] for one in first] == [one["profiles"] for one in again]
    assert "8 replies from the cache, paid for before" in told and "(cached)" in told


SCRIPT = "eval --task sgqa --model script:said.jsonl --first 4"


def test_scripts_answer_by_item_and_are_missing_where_they_hold_none(tsgkit: CommandLine) -> None:
    assert "cannot be read" in tsgkit(SCRIPT, code=2).err
    Path("said.jsonl").write_text('{"item_id": "zzz", "reply": "[B]"}')
    assert "says nothing about any item that is asked\n  its items begin with zzz" in tsgkit(SCRIPT, code=2).err
    write_lines(
        "said.jsonl",
        {"item_id": "pcr/q0", "reply": "[marker]"},
        {"item_id": "pcr/q1", "reply": None},
        {"item_id": "pcr/q2", "reply": "[x", "outcome": "truncated"},
    )
    [result] = results(tsgkit, f"{SCRIPT} --samples")
    assert [sample["outcome"] for sample in result["samples"]] == ["answered", "empty", "truncated", "missing"]
    assert (result["counts"]["missing"], result["usage"]) == (1, None)
    assert "1 missing, 1 empty, 1 truncated" in tsgkit(SCRIPT).out


def test_options_go_before_the_settings_of_a_plan_and_wrong_settings_are_named(
    folder: Path, tsgkit: CommandLine
) -> None:
    Path("mine.yaml").write_text("title: mine\ntasks: tsg/sgqa\nmodels: [baseline/random]\nlimit: 3\n")
    for more, expected in (
        ("", ("tsg/sgqa", "baseline/random", 3)),
        ("--task sgds --first 2", ("tsg/sgds", "baseline/random", 2)),
    ):
        [result] = results(tsgkit, f"eval --plan mine.yaml {more}")
        assert (result["task"], result["subject"], result["n"]) == expected, more
    for name in ("tasks/mine", "prompts", "eval/plans"):
        (folder / name).mkdir(parents=True)
    for text, message in {
        "limits: 3\n": "p.yaml: there is no setting limits\n  limit?\n",
        "xyzzy: 1\n": "\n  the settings: title, tasks, models, styles, solvers, ",
        "limit: 0\n": "p.yaml: limit: ",
        "- a\n": "p.yaml",
        "a: [\n": "p.yaml",
    }.items():
        Path("eval/plans/p.yaml").write_text(text)
        assert message in tsgkit("eval --plan p", code=2).err, text
    assert "there is no plan nobodys\n  the plans: " in tsgkit("eval --plan nobodys", code=2).err


def test_dry_runs_send_nothing_and_estimate_requests_tokens_and_cost(server: Running, tsgkit: CommandLine) -> None:
    before = server.stats()["seen"]
    dry = asking(server, "--dry-run --solver vote:3 --model baseline/rules")
    out = tsgkit(dry).out
    assert "openai/x tsg/sgqa zero-shot vote:3: 4 samples, 12 requests, " in out
    assert "cost unknown" in out and "its price is not known\n  openai/x: its replies end after 880 tokens" in out
    assert "  baseline/rules tsg/sgqa: 4 samples, asks no model" in out and "\nin all 12 requests, " in out
    first, second = tsgkit(dry, "--price", "1,2", "--json").json["estimates"]
    assert (first["requests"], second["requests"], second["cost"]) == (12, 0, [0.0, 0.0])
    for dear, size in ((first["cost"], 1e-6), (first["prompt"], 1)):
        assert 0 < dear[0] < dear[1] and dear[0] > size
    priced = tsgkit(dry, "--price", "1,2").out
    assert f", ${first['cost'][0]:.4f} to ${first['cost'][1]:.4f}\n" in priced
    assert priced.splitlines()[-2].endswith(f", ${first['cost'][0]:.2f} to ${first['cost'][1]:.2f}")
    assert server.stats()["seen"] == before and not Path("runs").exists()
    words = asking(server, first=3).replace("--no-cache ", "")
    tsgkit(words)
    assert "3 samples of these are answered already" in tsgkit(words, "--dry-run").out
    assert "answered already" not in tsgkit(words, "--dry-run", "--new").out


def test_tasks_and_items_are_those_named_or_those_of_the_rows(folder: Path, tsgkit: CommandLine) -> None:
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
        found = results(tsgkit, f"eval --first 1 {words} --out {len(expected)} --new")
        assert [result["task"] for result in found] == expected, words
    found = results(tsgkit, "eval --ids pcr/q1 pcr/0 --samples")
    asked = {result["task"]: [sample["item_id"] for sample in result["samples"]] for result in found}
    assert (asked["tsg/sgqa"], asked["tsg/sa-sgg"]) == (["pcr/q1"], ["pcr/0"])
    near = tsgkit("eval --task sgqa --ids pcr/q1 pcrr/q0", code=2).err
    assert "no task has an item pcrr/q0" in near and "pcr/q0?" in near
    far = tsgkit("eval --task sgqa --ids ?????", code=2).err
    assert "and 132 more" in far and len(far) < 500


def test_eval_refuses_slips_before_a_folder_is_made(tsgkit: CommandLine) -> None:
    named = "\n  these rows are of "
    questions = POOL.parents[2] / "spatialgen/data/questions.jsonl"
    tsgkit.refuses(
        {
            "--repeat -1": "--repeat -1: at least 1 is needed",
            "--task sgqb": "there is no task sgqb\n  sgqa?",
            "--data nowhere.jsonl": "nowhere.jsonl: no such file",
            "--model openai/gpt-4o": "OPENAI_API_KEY is not set",
            "--model qwen --model-arg api_base=http://127.0.0.1:9/v1": "asked with --model openai/qwen\n",
            "--model qwen": "for a server of your own add --model-arg api_base=",
            "--model opnai/gpt-4o": "\n  openai/gpt-4o?\n",
            f"--task sgqa --data {DATA / 'sgds.jsonl'}": f"and this is sgds{named}tsg/sgds: --task tsg/sgds\n",
            f"--task ma-sgg --data {questions}": f"{named}spatialgen/questions: --task spatialgen/questions\n",
            "--task formalimg --images mine=.": "--task formalimg/knolling or --task formalimg/natural",
            "--task formalimg/layout --model baseline/solvr": "baseline/solver?",
            "--task sceneeval/annotate --solver agent": "solver agent cannot do sceneeval/annotate",
        },
        "eval --quiet",
    )
    assert list(Path().iterdir()) == []


def test_model_that_cannot_be_asked_is_one_error_with_its_cause_and_no_table(tsgkit: CommandLine) -> None:
    for fault, cause, change in (
        ("401", "AuthenticationError: this is error 401", "check the key: the provider's ..._API_KEY"),
        ("404", "NotFoundError: this is error 404 (404 at {base})", "check the model's name (--model) and the address"),
        ("toolong", "3 prompts were too long for it, none was short enough", "raise the context of the server"),
        ("quota", "RateLimitError: You exceeded your plan", "its account has no credit or quota left"),
        ("html", "no answer at {base} for 1 s", "check that the address is the one of a model"),
        ("500", "no answer at {base} for 1 s (limit: --wait-for-server): InternalServerError: this is error 500", ""),
    ):
        with model_server(status_of={"x": fault}) as server:
            for first in (1,) if fault in ("html", "500") else (1, 6, 20):
                run, least = f"{fault}-{first}", cause if first > 1 or fault != "toolong" else "BadRequestError"
                words = f"--task sgds --concurrency 2 --wait-for-server 1 --out {run}"
                ended = tsgkit(asking(server, words, first=first), code=1)
                assert ended.err.startswith(f"tsgkit: openai/x never answered: {least.format(base=server.base)}"), run
                assert change in ended.err and ("go on with" in ended.err) is (fault == "500"), run
                assert ended.out == f"openai/x: never answered, so there is nothing to show\nrun: {run}\n"
            assert not change or fault == "html" or server.stats()["seen"] <= 11, fault
    listed = tsgkit("runs list .").out
    assert (listed.count(", never answered "), len(listed.splitlines())) == (12, 14), (
        "given up before a record: html, 500"
    )
    assert "never answered, so there" in (shown := tsgkit("runs show 401-6").out) and "0.0 [" not in shown
    told, _, _ = tsgkit("report 401-6", code=1).out.partition("how samples ended")
    assert "strict: never answered: the service failed on every item\n" in told and "0.0" not in told
    profiles = tsgkit("report 401-6 --format json", code=1).json["rows"][0]["profiles"]
    assert profiles == {one: {"exact_match": None} for one in ("strict", "official")}


def test_prompts_that_are_too_long_or_cut_off_or_tried_again_are_told(tsgkit: CommandLine) -> None:
    with model_server(always={"Example 1": "toolong"}) as server:
        words = asking(server, "--style few-shot,zero-shot --concurrency 1", first=20)
        counts = {one["style"]: one["counts"] for one in results(tsgkit, words, code=1)}
    assert (counts["zero-shot"]["answered"], counts["few-shot"]["api_error"]) == (20, 20)
    with model_server(always={"": "length"}) as server:
        out = tsgkit(asking(server, "--out run", first=20)).out
    assert "20 truncated\n  give replies more room: --model-arg max_tokens=N (here 880)\n" in out
    assert "20 replies were cut off: give replies more room: --model-arg max_tokens=N (h" in tsgkit("report run").out
    with model_server(first=[200, 429, 500, 200], retry_after="0.1") as server:
        out = tsgkit(asking(server, "--concurrency 1")).out
    assert "  2 requests failed and were tried again\n" in out
