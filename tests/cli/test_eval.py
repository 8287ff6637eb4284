"""``tsgkit eval`` as a person types it: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import Running, model_server
from official_layout import write_layout
from prefork import Prefork, Ran
from shipped import DATA
from tsg_tasks import METRICS

from tsgkit.library.documents.rows import row_kind
from tsgkit.scoring.outcomes import COUNTS

BUNDLED = DATA
TASKS = ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
ENTRY = [
    *("subject", "judge", "solver", "style", "repeat", "data", "task", "n", "profiles", "counts", "reasons", "unasked"),
    "usage",
]
USAGE = [
    *(
        "calls",
        "from_cache",
        "requests",
        "retried",
        "seconds",
        "prompt_tokens",
        "completion_tokens",
        "reasoning_tokens",
    ),
    *("cached_tokens", "cached_input", "calls_without_usage", "cost", "calls_without_price"),
]
WATCHED = """
import sys
reached = []
def hook(event, arguments):
    if event in ("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo"):
        reached.append(event)
sys.addaudithook(hook)
from tsgkit.cli import main
code = main(["eval"])
print("AFTER", code, reached, [name for name in ("litellm", "langgraph") if name in sys.modules])
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


def words(server: Running, *more: str, first: int = 4) -> tuple[str, ...]:
    address = ("--model", "openai/x", "--model-arg", f"api_base={server.base}")
    return ("eval", "--task", "sgqa", *address, "--first", str(first), "--no-cache", "--quiet", *more)


def results(ran: Ran) -> list[dict[str, Any]]:
    assert ran.code == 0, ran.err
    found: list[dict[str, Any]] = ran.json["results"]
    return found


def test_without_arguments_everything_is_evaluated_and_nothing_is_reached(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    result = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    *said, after = result.stdout.splitlines()
    assert after == "AFTER 0 [] []"
    assert [line.split()[0] for line in said if line.startswith("  tsg/")] == TASKS
    assert said[0] == "baseline/rules"
    assert said[-2].startswith("a real model: export OPENAI_API_KEY=")
    assert "tsgkit eval --model openai/gpt-4o" in said[-2]
    assert "--model-arg api_base=http://127.0.0.1:8000/v1" in said[-1]
    assert result.stderr == ""
    assert (tmp_path / "runs").is_dir()


def test_the_json_of_a_baseline_follows_the_contract(commands: Prefork, tmp_path: Path) -> None:
    ended = commands.run("eval", "--json", "--first", "3", cwd=tmp_path)
    value = ended.json
    assert (ended.code, ended.err, list(value)) == (0, "", ["run", "results"])
    assert (tmp_path / value["run"] / "run.json").is_file()
    assert [result["task"] for result in value["results"]] == TASKS
    for result in value["results"]:
        assert list(result) == ENTRY
        named = {name: result[name] for name in ("subject", "judge", "solver", "style", "repeat", "usage", "n")}
        assert named == {
            "subject": "baseline/rules", "judge": None, "solver": "baseline", "style": None, "repeat": 0,
            "usage": None, "n": 3,
        }  # fmt: skip
        assert list(result["counts"])[: len(COUNTS)] == list(COUNTS)
        metrics = list(METRICS[result["task"].partition("/")[2]])
        assert {name: list(values) for name, values in result["profiles"].items()} == {
            "strict": metrics, "official": [*result["profiles"]["official"]],
        }  # fmt: skip
        assert sorted(result["profiles"]["official"]) == sorted(metrics)
        for profile, values in result["profiles"].items():
            for name, found in values.items():
                if found is None:
                    assert result["reasons"][f"{profile}.{name}"]
                else:
                    assert list(found) == ["value", "low", "high", "n"]
                    assert 0 <= found["value"] <= 1 or "hallucinated" in name


def test_items_of_one_graph_among_items_of_several_are_scored_and_counted(commands: Prefork, tmp_path: Path) -> None:
    several, single = ((DATA / f"{task}.jsonl").read_text().splitlines() for task in ("ma-sgg", "sa-sgg"))
    (tmp_path / "mixed.jsonl").write_text("\n".join([single[0], *several[:3]]) + "\n")
    said = commands.run("eval", "--data", "mixed.jsonl", cwd=tmp_path)
    assert "  baseline/rules tsg/ma-sgg: 1 single graph items" in said.out.splitlines()
    ended = commands.run("eval", "--task", "tsg/ma-sgg", "--data", "mixed.jsonl", "--json", cwd=tmp_path)
    [result] = ended.json["results"]
    assert (ended.code, result["n"], result["counts"]["single_graph_items"]) == (0, 4, 1)


def test_the_json_of_a_model_tells_its_usage(server: Running, commands: Prefork, tmp_path: Path) -> None:
    [result] = results(commands.run(*words(server, "--json", "--price", "1,2"), cwd=tmp_path))
    assert list(result) == ENTRY
    assert (result["solver"], result["style"]) == ("single", "zero-shot")
    usage = result["usage"]
    assert list(usage) == USAGE
    assert (usage["calls"], usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (4, 4, 400, 40)
    assert usage["cost"] == pytest.approx(4 * 120e-6)


def test_unreported_usage_is_null(commands: Prefork, tmp_path: Path) -> None:
    with model_server(usage=None) as silent:
        [result] = results(commands.run(*words(silent, "--json"), cwd=tmp_path))
        table = commands.run(*words(silent), cwd=tmp_path).out
    assert (result["usage"]["prompt_tokens"], result["usage"]["cost"]) == (None, None)
    assert result["usage"]["calls_without_usage"] == 4
    assert table.splitlines()[2].endswith("unknown  unknown")


def test_every_sample_is_added_when_asked_for(commands: Prefork, tmp_path: Path) -> None:
    for result in results(commands.run("eval", "--json", "--samples", "--first", "2", cwd=tmp_path)):
        assert list(result) == [*ENTRY[:-1], "samples", "usage"]
        assert len(result["samples"]) == 2
        for sample in result["samples"]:
            assert list(sample) == ["item_id", "outcome", "answer", "scores", "notes", "evidence"]
            assert list(sample["scores"]) == ["strict", "official"]
            for scores in sample["scores"].values():
                assert all(value is None or isinstance(value, float) for value in scores.values())
    lines = commands.run("eval", "--samples", "--first", "2", cwd=tmp_path).out.splitlines()
    assert sum(line.startswith('{"item_id"') for line in lines) == 8


def test_samples_nobody_was_asked_about_are_listed_as_missing(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    ended = commands.run(*words(server, "--json", "--samples", "--max-requests", "1"), cwd=tmp_path)
    [result] = ended.json["results"]
    assert (ended.code, result["counts"]["missing"], result["unasked"], result["n"]) == (4, 0, 3, 1)
    assert sorted(sample["outcome"] for sample in result["samples"]) == ["answered", "missing", "missing", "missing"]


@pytest.mark.parametrize(
    ("gate", "code"), [("tsg/sgqa.exact_match=1", 3), ("sgqa.exact_match=0.0", 0), ("tsg/sgqa.normalised=1", 3)]
)
def test_a_gate_is_missed_below_its_value(commands: Prefork, tmp_path: Path, gate: str, code: int) -> None:
    ended = commands.run("eval", "--task", "sgqa", "--first", "9", "--fail-under", gate, cwd=tmp_path)
    assert ended.code == code, ended.err
    assert ("gate missed: baseline/rules tsg/sgqa: " in ended.err) == (code == 3)


def test_every_row_must_pass_a_gate(commands: Prefork, tmp_path: Path) -> None:
    both = ("eval", "--task", "sgds", "--model", "baseline/rules", "--model", "baseline/random")
    ended = commands.run(*both, "--fail-under", "tsg/sgds.accuracy=0.5", cwd=tmp_path)
    assert ended.code == 3
    assert ended.err.count("gate missed") == 1
    assert "baseline/random" in ended.err


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("tsg/sgqa.exact_match", "not TASK.METRIC=VALUE"),
        ("tsg/sgqa.exact_match=much", "not TASK.METRIC=VALUE"),
        ("tsg/sgqa.exact_match=80", "values are fractions of 1"),
        ("tsg/sgqa.exact_match=nan", "values are fractions of 1"),
        ("tsg/sgqa.exact_mach=0.5", "tsg/sgqa has no exact_mach"),
        ("tsg/sgds.accuracy=0.5", "tsg/sgds is not evaluated"),
    ],
)
def test_a_wrong_gate_is_refused_before_anybody_is_asked(
    server: Running, commands: Prefork, tmp_path: Path, gate: str, said: str
) -> None:
    before = server.stats()["seen"]
    ended = commands.run(*words(server, "--fail-under", gate), cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert server.stats()["seen"] == before
    assert not (tmp_path / "runs").exists()


def test_of_several_exit_codes_the_first_in_order_holds(commands: Prefork, tmp_path: Path) -> None:
    gate = ("--fail-under", "tsg/sgqa.exact_match=1")
    with model_server(always={"": "400"}) as failing:
        assert commands.run(*words(failing), cwd=tmp_path).code == 1
        assert commands.run(*words(failing, *gate), cwd=tmp_path).code == 3, "a gate before errors"
        budget = words(failing, *gate, "--max-requests", "10")
        assert commands.run(*budget, cwd=tmp_path).code == 4, "a budget before a gate"


def test_an_unknown_id_is_refused_with_a_near_one(commands: Prefork, tmp_path: Path) -> None:
    ended = commands.run("eval", "--task", "sgqa", "--ids", "bread/q1", "bred/q0", cwd=tmp_path)
    assert ended.code == 2
    assert "no task has an item bred/q0" in ended.err
    assert "bread/q0?" in ended.err
    far = commands.run("eval", "--task", "sgqa", "--ids", "?????", cwd=tmp_path)
    assert "and 78 more" in far.err
    assert len(far.err) < 500


def test_ids_are_asked_of_the_tasks_that_have_them(commands: Prefork, tmp_path: Path) -> None:
    found = results(commands.run("eval", "--ids", "bread/q1", "bread/0", "--json", "--samples", cwd=tmp_path))
    asked = {result["task"]: [sample["item_id"] for sample in result["samples"]] for result in found}
    assert asked["tsg/sgqa"] == ["bread/q1"]
    assert asked["tsg/sa-sgg"] == ["bread/0"]


def test_a_repeat_is_a_draw_of_its_own_even_with_the_cache(commands: Prefork, tmp_path: Path) -> None:
    env = {"TSGKIT_CACHE_HOME": str(tmp_path / "cache")}
    with model_server() as server:
        command = [word for word in words(server, "--repeat", "2", "--json") if word != "--no-cache"]
        first = results(commands.run(*command, "--out", "one", cwd=tmp_path, env=env))
        assert server.stats()["seen"] == 8
        again = results(commands.run(*command, "--out", "two", cwd=tmp_path, env=env))
        assert server.stats()["seen"] == 8, "another run is answered from the cache"
        assert [one["usage"]["from_cache"] for one in again] == [4, 4]
        commands.run(*command, "--out", "two", "--new", cwd=tmp_path, env=env)
        assert server.stats()["seen"] == 16, "--new reads no cache"
    assert [one["repeat"] for one in first] == [0, 1]
    assert [one["profiles"] for one in first] == [one["profiles"] for one in again]


def test_a_vote_has_no_official_figures_and_says_why(server: Running, commands: Prefork, tmp_path: Path) -> None:
    [result] = results(commands.run(*words(server, "--solver", "vote:3", "--json"), cwd=tmp_path))
    assert result["profiles"]["official"] is None
    assert result["reasons"]["official"] == "the published way asks once; solver vote:3 does not"
    assert (result["n"], result["usage"]["calls"]) == (4, 12)
    table = commands.run(*words(server, "--solver", "vote:3"), cwd=tmp_path).out
    assert table.count("no official figures: the published way asks once") == 1


def test_the_structured_style_sends_a_schema_and_has_no_official_figures(commands: Prefork, tmp_path: Path) -> None:
    with model_server(replies={"": '{"answer": "hook"}'}) as server:
        [result] = results(commands.run(*words(server, "--style", "structured", "--json", first=1), cwd=tmp_path))
        sent = server.stats()["last"]["response_format"]
    assert (sent["type"], sent["json_schema"]["strict"]) == ("json_schema", True)
    assert result["profiles"]["official"] is None
    assert result["profiles"]["strict"]["exact_match"]["value"] == 1.0


def test_a_script_answers_by_item_and_is_missing_where_it_holds_none(commands: Prefork, tmp_path: Path) -> None:
    replies: list[dict[str, object]] = [
        {"item_id": "bread/q0", "reply": "[hook]"},
        {"item_id": "bread/q1", "reply": None},
        {"item_id": "bread/q2", "reply": "[x", "outcome": "truncated"},
    ]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(one) + "\n" for one in replies))
    command = ("eval", "--task", "sgqa", "--model", "script:said.jsonl", "--first", "4", "--json", "--samples")
    [result] = results(commands.run(*command, cwd=tmp_path))
    outcomes = {sample["item_id"]: sample["outcome"] for sample in result["samples"]}
    first = list(outcomes.values())[:3]
    assert first == ["answered", "empty", "truncated"]
    assert result["counts"]["missing"] == 1
    assert result["usage"] is None
    table = commands.run(*command[:-2], cwd=tmp_path).out
    assert "1 missing, 1 empty, 1 truncated" in table


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        ("{oops\n", "said.jsonl: line 1: no reply of a script"),
        ('{"item_id": "a", "reply": 3}\n', "line 1: a reply is a text"),
        ('{"item_id": "a", "reply": "b"}\n' * 2, "line 2: a second reply to item a"),
        ('{"item_id": "a", "reply": "b", "outcome": "tired"}\n', "line 1: no such outcome: tired"),
    ],
)
def test_a_script_that_is_none_is_refused(commands: Prefork, tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "said.jsonl").write_text(content)
    ended = commands.run("eval", "--task", "sgqa", "--model", "script:said.jsonl", cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize("solver", ["single", "vote:3"])
def test_a_replay_reproduces_the_scores(server: Running, commands: Prefork, tmp_path: Path, solver: str) -> None:
    command = words(server, "--solver", solver, "--json", "--samples", "--out", "first")
    [first] = results(commands.run(*command, cwd=tmp_path))
    seen = server.stats()["seen"]
    again = ("eval", "--task", "sgqa", "--first", "4", "--solver", solver, "--json", "--samples")
    [replayed] = results(commands.run(*again, "--model", "replay:first", cwd=tmp_path))
    same = ("profiles", "counts", "samples", "reasons", "n")
    assert [replayed[name] for name in same] == [first[name] for name in same]
    assert server.stats()["seen"] == seen


def test_a_replay_of_a_baseline_reproduces_its_scores(commands: Prefork, tmp_path: Path) -> None:
    first = results(commands.run("eval", "--first", "3", "--json", "--out", "first", cwd=tmp_path))
    again = results(commands.run("eval", "--first", "3", "--json", "--model", "replay:first", cwd=tmp_path))
    assert [one["profiles"]["strict"] for one in first] == [one["profiles"]["strict"] for one in again]
    none = commands.run("eval", "--model", "replay:nowhere", cwd=tmp_path)
    assert none.code == 2
    assert "nowhere" in none.err


def test_a_plan_gives_settings_and_options_go_before_them(commands: Prefork, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("title: mine\ntasks: tsg/sgqa\nmodels: [baseline/random]\nlimit: 3\n")
    [result] = results(commands.run("eval", "--plan", "mine.yaml", "--json", cwd=tmp_path))
    assert (result["task"], result["subject"], result["n"]) == ("tsg/sgqa", "baseline/random", 3)
    over = ("--task", "sgds", "--first", "2")
    [result] = results(commands.run("eval", "--plan", "mine.yaml", *over, "--json", cwd=tmp_path))
    assert (result["task"], result["subject"], result["n"]) == ("tsg/sgds", "baseline/random", 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("limits: 3\n", "mine.yaml: there is no setting limits"),
        ("limit: many\n", "mine.yaml: limit: "),
        ("limit: 0\n", "mine.yaml: limit: "),
        ("- a\n", "mine.yaml"),
        ("a: [\n", "mine.yaml"),
    ],
)
def test_a_plan_that_is_none_names_the_field(commands: Prefork, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(text)
    ended = commands.run("eval", "--plan", "mine.yaml", cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    missing = commands.run("eval", "--plan", "nobodys", cwd=tmp_path)
    assert "there is no plan nobodys" in missing.err


def test_a_dry_run_sends_nothing_and_says_what_it_would(server: Running, commands: Prefork, tmp_path: Path) -> None:
    before = server.stats()["seen"]
    dry = words(server, "--dry-run", "--solver", "vote:3", "--model", "baseline/rules")
    ended = commands.run(*dry, cwd=tmp_path)
    assert ended.code == 0
    assert "openai/x tsg/sgqa zero-shot vote:3: 4 samples, 12 requests, " in ended.out
    assert "cost unknown" in ended.out
    assert "openai/x: its price is not known" in ended.out
    assert "  baseline/rules tsg/sgqa: 4 samples, asks no model" in ended.out
    assert "\nin all 12 requests, " in ended.out
    priced = commands.run(*dry, "--price", "1,2", "--json", cwd=tmp_path)
    first, second = priced.json["estimates"]
    assert (first["requests"], second["requests"], second["cost"]) == (12, 0, [0.0, 0.0])
    assert 0 < first["prompt"][0] < first["prompt"][1]
    assert 0 < first["cost"][0] < first["cost"][1]
    assert server.stats()["seen"] == before
    assert not (tmp_path / "runs").exists()


def test_a_folder_in_the_published_layout_is_imported_and_evaluated(commands: Prefork, tmp_path: Path) -> None:
    write_layout(tmp_path / "checkout")
    env = {"TSGKIT_DATA_HOME": str(tmp_path / "home")}
    imported = commands.run("data", "import", "tsg-bench", str(tmp_path / "checkout"), cwd=tmp_path, env=env)
    assert imported.code == 0, imported.err
    found = results(commands.run("eval", "--data", "tsg-bench", "--json", cwd=tmp_path, env=env))
    assert {one["task"]: one["n"] for one in found} == {
        "tsg/sgqa": 500, "tsg/sgds": 250, "tsg/sa-sgg": 250, "tsg/ma-sgg": 500,
    }  # fmt: skip


@pytest.mark.skipif("TSGKIT_OFFICIAL_DATA" not in os.environ, reason="it names no folder with published rows")
@pytest.mark.parametrize("style", ["zero-shot", "cot", "few-shot", "cot-few-shot", "structured"])
def test_published_rows_run_in_every_style(server: Running, commands: Prefork, tmp_path: Path, style: str) -> None:
    for task in ("sgqa", "sgds"):
        data = Path(os.environ["TSGKIT_OFFICIAL_DATA"], f"tsg_{task}_sample.jsonl")
        rest = words(server, "--style", style, "--data", str(data), "--json")[3:]
        [result] = results(commands.run("eval", "--task", task, *rest, cwd=tmp_path))
        assert result["counts"]["items"] > 0
        assert result["counts"]["api_error"] == 0
        assert (result["profiles"]["official"] is None) == (style == "structured")


def test_a_file_of_rows_says_which_tasks_are_meant(commands: Prefork, tmp_path: Path) -> None:
    for task in ("sgqa", "ma-sgg"):
        shutil.copy(BUNDLED / f"{task}.jsonl", tmp_path)
        [result] = results(commands.run("eval", "--data", f"{task}.jsonl", "--first", "1", "--json", cwd=tmp_path))
        assert result["task"] == f"tsg/{task}"
    assert row_kind(json.loads((tmp_path / "sgqa.jsonl").read_text().splitlines()[0])) == "sgqa"
    found = results(commands.run("eval", "--data", ".", "--first", "1", "--json", cwd=tmp_path))
    assert [result["task"] for result in found] == ["tsg/sgqa", "tsg/ma-sgg"], "those that the folder holds"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--first", "0"), "--first 0: at least 1 is needed"),
        (("--repeat", "-1"), "--repeat -1: at least 1 is needed"),
        (("--concurrency", "0"), "--concurrency 0: it must be more than 0"),
        (("--timeout", "nan"), "--timeout nan: it must be more than 0"),
        (("--task", "sgqb"), "there is no task sgqb\n  sgqa?"),
        (("--style", "zeroshot"), "zeroshot"),
        (("--solver", "vote:1"), "a vote takes 2 to 100 calls"),
        (("--model", "baseline/rule"), "there is no baseline/rule"),
        (("--model-arg", "temperature=1"), "no model is asked, so --model-arg has no use"),
        (("--data", "nowhere.jsonl"), "nowhere.jsonl: no such file"),
        (("--prompts", "nowhere"), "nowhere"),
        (("--price", "cheap", "--dry-run"), "'cheap' is no price"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_slip_is_refused_by_its_name(commands: Prefork, tmp_path: Path, more: tuple[str, ...], said: str) -> None:
    ended = commands.run("eval", *more, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, ""), ended.err
    assert said in ended.err
    assert not (tmp_path / "runs").exists()


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


def test_progress_changes_in_place_on_a_terminal(commands: Prefork, tmp_path: Path) -> None:
    with model_server(delay=0.3) as slow:
        command = [word for word in words(slow, "--concurrency", "1") if word != "--quiet"]
        shown = on_a_terminal(commands, tmp_path, *command)
    assert "\x1b[1A\r\x1b[2Kopenai/x tsg/sgqa: 4/4" in shown
    assert "of at most 1 in flight" in shown
    assert "left" in shown


def test_quiet_shows_no_progress(commands: Prefork, tmp_path: Path) -> None:
    with model_server(delay=0.2) as slow:
        assert on_a_terminal(commands, tmp_path, *words(slow, "--concurrency", "1", first=2)) == ""
