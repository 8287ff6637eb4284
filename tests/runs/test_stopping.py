"""Whoever stops a run (the user, a budget, a full disk) finds it whole, and is told how to go on."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Running, model_server
from prefork import Prefork, Ran
from run_files import good_calls, samples

KEY = "sk-0123456789abcdef"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server() as running:
        yield running


@pytest.fixture(scope="module")
def slow() -> Iterator[Running]:
    with model_server(delay=0.3) as running:
        yield running


def words(base: str, *more: str, limit: int = 10) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={base}"),
        *("--model-arg", f"api_key={KEY}", "--limit", str(limit), "--no-cache", "--quiet", "--out", "run", *more),
    )


def when_asked(server: Running, process: Ran, number: int, before: int = 0) -> None:
    """Wait until so many more requests have come in than before."""
    until = time.monotonic() + 20
    while server.stats()["seen"] < before + number and time.monotonic() < until and not process.ended():
        time.sleep(0.01)


def test_ctrl_c_waits_for_what_is_on_its_way_and_going_on_completes(
    slow: Running, commands: Prefork, tmp_path: Path
) -> None:
    command = words(slow.base, "--concurrency", "4", limit=12)
    before = slow.stats()["seen"]
    process = commands.start(*command, cwd=tmp_path)
    when_asked(slow, process, 3, before)
    process.signal(signal.SIGINT)
    process.wait(20)
    assert process.code == 130
    assert "nothing is lost; go on with: tsgkit eval --task sgqa" in process.err
    assert "api_key=[redacted]" in process.err
    assert KEY not in process.err + process.out
    recorded, seen = good_calls(tmp_path / "run"), slow.stats()["seen"]
    assert recorded >= 3, "what was on its way came home"
    ended = commands.run(*command, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert slow.stats()["seen"] - seen == 12 - recorded
    assert len(samples(tmp_path / "run")) == 12


def test_a_budget_of_requests_holds_over_continuations(server: Running, commands: Prefork, tmp_path: Path) -> None:
    before = server.stats()["seen"]
    for _ in range(2):
        ended = commands.run(*words(server.base, "--max-requests", "4"), cwd=tmp_path)
        assert ended.code == 4
        assert "4 of 4 requests; 6 samples not asked" in ended.err
        assert "nothing is lost; raise the limit in: tsgkit eval" in ended.err
        assert server.stats()["seen"] == before + 4
    ended = commands.run(*words(server.base, "--max-requests", "10"), cwd=tmp_path)
    assert (ended.code, ended.err, server.stats()["seen"]) == (0, "", before + 10)


def test_free_subjects_are_not_stopped_by_a_budget(server: Running, commands: Prefork, tmp_path: Path) -> None:
    both = words(server.base, "--model", "baseline/rules", "--max-requests", "2", "--json", limit=90)
    ended = commands.run(*both, cwd=tmp_path)
    results = {result["subject"]: result for result in ended.json["results"]}
    assert ended.code == 4
    assert (results["openai/x"]["unasked"], results["baseline/rules"]["counts"]["answered"]) == (88, 90)
    assert "2 of 2 requests; 88 samples not asked" in ended.err


def test_of_several_models_one_that_cannot_be_asked_is_named_before_another_is(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    before = server.stats()["seen"]
    for other, said in (("nobody/knows", "PROVIDER/NAME"), ("anthropic/claude-3-haiku-20240307", "no key")):
        command = ("eval", "--task", "sgqa", "--model", "openai/x", "--model", other, "--out", "run", "--no-cache")
        ended = commands.run(*command, "--model-arg", f"openai/x:api_base={server.base}", cwd=tmp_path)
        assert ended.code == 2
        assert other in ended.err
        assert said in ended.err
    assert server.stats()["seen"] == before


def test_a_budget_counts_the_requests_of_a_call_it_cut_short(commands: Prefork, tmp_path: Path) -> None:
    with model_server(faults={"500": 1.0}) as failing:
        for _ in range(2):
            command = words(failing.base, "--max-requests", "3", "--concurrency", "1")
            assert commands.run(*command, cwd=tmp_path).code == 4
        assert failing.stats()["seen"] == 3


def test_a_budget_of_tokens_stops_before_it_is_passed(server: Running, commands: Prefork, tmp_path: Path) -> None:
    ended = commands.run(*words(server.base, "--max-tokens", "1600", "--concurrency", "1", "--json"), cwd=tmp_path)
    [result] = ended.json["results"]
    usage = result["usage"]
    assert ended.code == 4
    assert 0 < usage["prompt_tokens"] + usage["completion_tokens"] <= 1600
    assert "tokens; " in ended.err


def test_money_without_a_price_is_refused_before_anything_is_sent(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    before = server.stats()["seen"]
    ended = commands.run(*words(server.base, "--max-cost", "1"), cwd=tmp_path)
    assert ended.code == 2
    assert "the price of openai/x is not known, so --max-cost cannot be kept" in ended.err
    assert "--price IN,OUT" in ended.err
    assert server.stats()["seen"] == before
    ended = commands.run(*words(server.base, "--max-cost", "1", "--price", "10,20", "--json"), cwd=tmp_path)
    assert ended.code == 0
    assert ended.json["results"][0]["usage"]["cost"] == pytest.approx(10 * (100 * 10e-6 + 10 * 20e-6))


def test_money_stops_the_run_before_it_is_spent(server: Running, commands: Prefork, tmp_path: Path) -> None:
    price = ("--max-cost", "0.016", "--price", "10,20", "--concurrency", "1", "--json")
    ended = commands.run(*words(server.base, *price), cwd=tmp_path)
    assert ended.code == 4
    assert "dollars" in ended.err
    assert 0 < ended.json["results"][0]["usage"]["cost"] <= 0.016


def test_a_place_where_nothing_can_be_written_is_named(server: Running, commands: Prefork, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file/run", tmp_path / "file", Path("/proc/no/run")):
        ended = commands.run(*words(server.base), "--out", str(place), cwd=tmp_path)
        assert ended.code == 2
        assert f"{place}: the run cannot be kept here" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_only_be_read_is_named(server: Running, commands: Prefork, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o500)
    ended = commands.run(*words(server.base), cwd=tmp_path)
    assert ended.code == 2
    assert "the run cannot be kept here" in ended.err
