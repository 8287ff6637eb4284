"""First steps of a newcomer: mistakes are named before anything is made, and nothing looks like a result that
is none."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from model_server import model_server

from tsgkit.cli import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of one's own, without anybody's keys and cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--model", "openai/gpt-4o"], "OPENAI_API_KEY is not set"),
        (["--model", "anthropic/claude"], "ANTHROPIC_API_KEY is not set"),
        (["--model", ""], "a name is empty"),
        (["--model", "openai/x", "--model-arg", "tempature=1"], "no parameter is called so"),
        (["--price", "1"], "is no price"),
        (["--model", "script:nowhere.jsonl"], "nowhere.jsonl"),
    ],
)
def test_a_refused_command_leaves_no_folder_behind(
    words: list[str], said: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "--quiet", *words]) == 2
    assert said in capsys.readouterr().err
    assert not (place / "runs").exists()


def test_a_folder_with_other_things_in_it_is_not_made_a_run(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "thesis").mkdir()
    (place / "thesis" / "chapter.txt").write_text("words")
    assert main(["eval", "--quiet", "--limit", "1", "--out", "thesis"]) == 2
    assert "is not empty, and no run lies in it" in capsys.readouterr().err
    assert [path.name for path in (place / "thesis").iterdir()] == ["chapter.txt"]


def test_new_says_where_the_earlier_run_lies_now(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "1", "--out", "mine"]
    assert main(words) == main([*words, "--new"]) == 0
    [aside] = place.glob("mine.until-*")
    assert f"the earlier run now lies in {aside.name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "hint"), [('{"item_id": "zzz", "reply": "[B]"}', "its items begin with zzz"), ("", "it is empty")]
)
def test_a_script_that_fits_nothing_is_refused(
    line: str, hint: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "script.jsonl").write_text(line)
    assert main(["eval", "--quiet", "--task", "tsg/sgqa", "--model", "script:script.jsonl"]) == 2
    said = capsys.readouterr().err
    assert "says nothing about any item that is asked" in said
    assert hint in said


def test_a_replay_of_another_task_says_what_the_run_has(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "2", "--out", "first"]) == 0
    assert main(["eval", "--quiet", "--task", "tsg/sgds", "--model", "replay:first"]) == 2
    assert "the run has tsg/sgqa baseline" in capsys.readouterr().err


@pytest.mark.slow
def test_a_service_that_never_answers_is_one_error_and_no_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--model", "openai/x", "--model-arg", "api_base=http://127.0.0.1:9/v1", "--no-cache", "--concurrency", "4"]
    assert main(["eval", "--quiet", "--task", "tsg/sgqa", "--task", "tsg/sgds", *words]) == 1
    shown = capsys.readouterr()
    assert "openai/x never answered: nothing was ever answered at http://127.0.0.1:9/v1, is it running?" in shown.err
    assert "start the server, or mend its address: --model-arg api_base=..." in shown.err
    assert "strict" not in shown.out and "go on with" not in shown.err


def test_replies_from_the_cache_are_told_and_cost_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as server:
        words = ["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "3", "--model", "openai/x"]
        words += ["--model-arg", f"api_base={server.base}"]
        assert main([*words, "--out", "one"]) == main([*words, "--out", "two"]) == 0
        assert server.stats()["seen"] == 3
    shown = capsys.readouterr().out
    assert "3 replies from the cache, paid for before" in shown
    assert "(cached)" in shown


def test_styles_for_baselines_are_said_to_be_of_no_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "1", "--style", "cot"]) == 0
    assert "baselines have no style and no solver" in capsys.readouterr().out


def test_runs_are_listed_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "2"]) == 0
    capsys.readouterr()
    assert main(["runs", "list"]) == 0
    [line] = capsys.readouterr().out.splitlines()
    assert "complete  baseline/rules  tsg/sgqa  limit 2" in line
    assert main(["runs", "list", "nowhere"]) == 0
    assert "there is no folder nowhere" in capsys.readouterr().out


def test_a_dry_run_adds_up_and_knows_what_is_answered(capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as server:
        words = ["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "3", "--model", "openai/x", "--price", "1,2"]
        words += ["--model-arg", f"api_base={server.base}"]
        assert main([*words, "--dry-run"]) == 0
        assert "in all 3 requests, " in capsys.readouterr().out
        assert server.stats()["seen"] == 0
        assert main(words) == main([*words, "--dry-run"]) == 0
    assert "3 samples of these are answered already" in capsys.readouterr().out


def test_a_service_tier_is_estimated_and_settled_at_its_price(capsys: pytest.CaptureFixture[str]) -> None:
    """The prices of gpt-5-mini, a million: 0.25 in, 0.025 cached, 2 out; flex costs half."""
    used = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
    with model_server(usage=used | {"prompt_tokens_details": {"cached_tokens": 400}}) as server:
        words = ["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "2", "--model", "openai/gpt-5-mini", "--json"]
        words += ["--model-arg", f"api_base={server.base}", "--model-arg", "temperature=1"]
        estimates = []
        for tier in ("default", "flex"):
            assert main([*words, "--model-arg", f"service_tier={tier}", "--dry-run"]) == 0
            estimates.append(json.loads(capsys.readouterr().out)["estimates"][0]["cost"])
        assert [2 * cost for cost in estimates[1]] == pytest.approx(estimates[0])
        words += ["--model-arg", "service_tier=flex"]
        assert main(words) == 0
        usage = json.loads(capsys.readouterr().out)["results"][0]["usage"]
        words.remove("--json")
        assert main(words) == 0
    assert usage["cost"] == pytest.approx(2 * (600 * 0.125e-6 + 400 * 0.0125e-6 + 100 * 1e-6))
    assert (usage["cached_tokens"], usage["cached_input"]) == (800, 0.4)
    assert "40 % of the input tokens came from the service's prompt cache" in capsys.readouterr().out


def test_a_tier_without_a_price_is_noted_in_a_dry_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--quiet", "--task", "tsg/sgqa", "--limit", "1", "--model", "openai/gpt-4o", "--dry-run"]
    assert main([*words, "--model-arg", "api_key=x", "--model-arg", "service_tier=flex"]) == 0
    said = capsys.readouterr().out
    assert "service tier flex\n" in said
    assert said.count("the price of service tier flex is not known") == 1
    assert main([*words, "--model-arg", "api_key=x", "--model-arg", "service_tier=flex", "--price", "1,2"]) == 0
    assert "service tier" not in capsys.readouterr().out


def test_a_project_of_ones_own_runs_at_once(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "mine"]) == 0
    monkeypatch.chdir(place / "mine")
    assert main(["check", "tasks/my/data/actions.jsonl"]) == 0
    capsys.readouterr()
    assert main(["eval", "--quiet", "--task", "my/actions", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["results"]
    assert (row["task"], row["n"], row["counts"]["answered"]) == ("my/actions", 10, 10)
    assert main(["eval", "--quiet", "--plan", "first"]) == 0
    mine = ["--code", "parts.py", "--task", "my/capitals", "--model", "python:./parts.py:model", "--quiet", "--json"]
    command = [sys.executable, "-m", "tsgkit", "eval", *mine, "--style", "polite", "--solver", "doubted"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    (result,) = json.loads(said.stdout)["results"]
    strict = {name: one["value"] for name, one in result["profiles"]["strict"].items()}
    assert strict == {"correct": 0.5, "letters": 4}
    assert main(["init", "../mine"]) == 2
    assert "a project lies here already" in capsys.readouterr().err


def test_the_next_step_asks_a_model_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--task", "tsg/sgds", "--limit", "2", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "tsgkit eval --task tsg/sgds --model openai/gpt-4o --limit 10" in said
    assert "tsgkit eval --task tsg/sgds --model openai/NAME" in said
    assert main(["eval", "--limit", "2", "--quiet"]) == 0
    assert "tsgkit eval --model openai/gpt-4o --limit 10" in capsys.readouterr().out


def test_the_next_step_of_questions_about_images_is_a_folder_and_a_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "--task", "spatialgen/questions", "--limit", "2", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert "tsgkit eval --task spatialgen/questions --images NAME=DIR --judge" in said
    assert "tsgkit images --task spatialgen/questions --model" in said
    assert "--model openai/gpt-4o" not in said


def test_the_next_step_of_mixed_tasks_is_told_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--task", "spatialgen/questions", "--task", "tsg/sgds"]
    assert main(["eval", *both, "--limit", "2", "--quiet", "--model", "baseline/random"]) == 0
    said = capsys.readouterr().out
    assert "tsgkit eval --task tsg/sgds --model openai/gpt-4o --limit 10" in said
    assert "tsgkit eval --task spatialgen/questions --images NAME=DIR" in said
