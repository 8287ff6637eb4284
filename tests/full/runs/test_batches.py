"""Runs by batches: the same figures, nothing paid twice, and every fault of a service ends with the right outcome."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from batch_server import RunningBatches, batch_server
from every_job import ACTIONS
from prefork import Prefork, Ran
from run_files import everything, lines, samples

import tsgkit as tk
from tsgkit.llm import batches

KEY = "sk-0123456789abcdef"
OPENAI, ANTHROPIC = "openai/gpt-4o", "anthropic/claude-sonnet-4-5"
both = pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])


def words(server: RunningBatches, *more: str, model: str = OPENAI, task: str = "sgqa", first: int = 8) -> list[str]:
    base = server.base.removesuffix("/v1") if model == ANTHROPIC else server.base
    told = ("--model", model, "--model-arg", f"api_base={base}", "--model-arg", f"api_key={KEY}")
    return ["eval", "--task", task, "--first", str(first), *told, "--no-cache", "--out", "run", *more]


def batched(server: RunningBatches, *more: str, **how: Any) -> list[str]:  # noqa: ANN401
    return words(server, "--batch", "--quiet", *more, **how)


def outcomes(run: Path) -> Counter[str]:
    return Counter(one["outcome"] for one in samples(run).values())


def steps(folder: Path) -> list[str]:
    path = folder / "run/batches.jsonl"
    return [line["step"] for line in lines(path)] if path.exists() else []


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def check_whole(ended: Ran, server: RunningBatches, number: int = 8) -> None:
    """Check that a run ended well and each of its requests was paid once."""
    assert (ended.code, ended.err) == (0, ""), ended.out + ended.err
    stats = server.stats()
    assert (stats["paid"], stats["paid_twice"], stats["seen"]) == (number, 0, 0)


@both
def test_figures_are_those_of_single_requests_at_half_the_price(model: str, commands: Prefork, tmp_path: Path) -> None:
    found, costs = [], []
    with batch_server() as server:
        for way in ("--batch", "--quiet"):
            folder = tmp_path / way
            folder.mkdir()
            ended = commands.run(
                *words(server, "--json", "--quiet", way, "--solver", "vote:3", model=model), cwd=folder
            )
            assert (ended.code, ended.err) == (0, ""), ended.out + ended.err
            result = ended.json["results"][0]
            costs.append(result["usage"]["cost"])
            used = {name: value for name, value in result["usage"].items() if name not in ("cost", "seconds")}
            found.append((samples(folder / "run"), result["profiles"], result["counts"], used))
        stats = server.stats()
    assert found[0] == found[1]
    assert costs[0] == pytest.approx(costs[1] / 2)
    headers = [json.loads((tmp_path / way / "run/run.json").read_text()) for way in ("--batch", "--quiet")]
    assert headers[0]["identity"] == headers[1]["identity"]
    assert stats["batches"] == [24]


def test_an_agent_sends_one_batch_a_round(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(replies=ACTIONS) as server:
        told = batched(server, "--solver", "agent", task="ma-sgg", first=4)
        ended = commands.run(*told, cwd=tmp_path)
        assert (ended.code, ended.err) == (0, ""), ended.out + ended.err
        stats = server.stats()
    replies = [call["reply"] for call in lines(tmp_path / "run/calls.jsonl")]
    assert sum(stats["batches"]) == stats["paid"] == sum(reply["source"] == "model" for reply in replies)
    assert stats["batches"][0] == 4
    assert len(stats["batches"]) <= 6 < stats["paid"]


KILLS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "uploading": ({"slow": {"uploads": 60}}, "uploads", ["intent"]),
    "uploaded": ({"slow": {"creates": 60}}, "creates", ["intent", "file"]),
    "created": ({"takes": 2.0}, "polls", ["intent", "file", "batch"]),
    "collecting": ({"slow": {"downloads": 60}}, "downloads", ["intent", "file", "batch"]),
}


@pytest.mark.parametrize(("when", "model"), [*((when, OPENAI) for when in KILLS), ("collecting", ANTHROPIC)])
def test_a_killed_run_pays_nothing_twice(when: str, model: str, commands: Prefork, tmp_path: Path) -> None:
    options, step, recorded = KILLS[when]
    if model == ANTHROPIC:
        recorded = [one for one in recorded if one != "file"]
    with batch_server(**options) as server:
        process = commands.start(*batched(server, model=model), cwd=tmp_path)
        until(lambda: server.stats()["steps"].get(step, 0) > 0)
        process.signal(signal.SIGKILL)
        assert process.wait().code == -signal.SIGKILL
        assert steps(tmp_path) == recorded
        check_whole(commands.run(*batched(server, model=model), cwd=tmp_path), server)
        assert server.stats()["batches"] == [8]
    assert outcomes(tmp_path / "run") == {"answered": 8}


@both
def test_a_run_that_does_not_wait_is_collected_later(model: str, commands: Prefork, tmp_path: Path) -> None:
    with batch_server(hold=True) as server:
        told = batched(server, model=model)
        for _ in range(2):
            ended = commands.run(*told, "--no-wait", cwd=tmp_path)
            assert ended.code == 5, ended.out + ended.err
            assert "1 batch left with the service" in ended.err
            assert "collect later with: tsgkit eval --task sgqa" in ended.err
            assert KEY not in ended.err + ended.out
        ended = commands.run(*words(server, "--max-requests", "1", model=model), cwd=tmp_path)
        assert "1 batch is pending, which only --batch collects" in ended.err
        server.release()
        ended = commands.run(*told, "--no-wait", cwd=tmp_path)
        assert (ended.code, ended.err, outcomes(tmp_path / "run")) == (0, "", {"answered": 8})
        stats = server.stats()
        assert (stats["batches"], stats["paid_twice"]) == ([8], 0)
    assert KEY.encode() not in everything(tmp_path)


def test_ctrl_c_leaves_the_batch_with_the_service(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(hold=True) as server:
        process = commands.start(*words(server, "--batch"), cwd=tmp_path)
        until(lambda: "batch" in steps(tmp_path))
        process.signal(signal.SIGINT)
        ended = process.wait(10)
        assert ended.code == 130
        assert "1 batch at the service for" in ended.err and "0 of 8 requests done" in ended.err
        assert "1 batch left with the service" in ended.err
        server.release()
        check_whole(commands.run(*batched(server, "--concurrency", "3"), cwd=tmp_path), server)
        assert server.stats()["batches"] == [8], "results wait for those who ask later"


def test_a_merged_run_collects_the_batches_of_its_shards(commands: Prefork, tmp_path: Path) -> None:
    parts = [f"run.shard-{number}-of-2" for number in (1, 2)]
    with batch_server(hold=True) as server:
        for number in (1, 2):
            told = [*batched(server, "--no-wait"), "--shard", f"{number}/2"]
            assert commands.run(*told, cwd=tmp_path).code == 5
        for sources, target in ((parts, "half"), (["half", *parts], "whole")):
            merged = commands.run("runs", "merge", *sources, "-o", target, cwd=tmp_path)
            assert merged.code == 1, merged.out + merged.err
        server.release()
        ended = commands.run(*batched(server), "--out", "whole", cwd=tmp_path)
        check_whole(ended, server)
        assert commands.run("runs", "merge", "whole", "-o", "again", cwd=tmp_path).code == 0
    assert outcomes(tmp_path / "whole") == {"answered": 8}
    assert not (tmp_path / "again/batches.jsonl").exists(), "all are collected"


def test_a_list_of_batches_that_was_changed_is_an_error_in_one_line(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(hold=True) as server:
        commands.run(*batched(server, "--no-wait"), cwd=tmp_path)
        file = tmp_path / "run/batches.jsonl"
        before = file.read_text()
        read = {"step": "read", "mark": json.loads(before.splitlines()[0])["mark"]}
        spoilt: list[dict[str, Any]] = [
            {"step": "intent"},
            {"step": "read", "names": 1},
            {"step": "batch"},
            {"mark": []},
        ]
        for line in spoilt:
            file.write_text(f"{before}{json.dumps(read | line)}\n")
            for words_ in (batched(server), ["runs", "merge", "run", "-o", "merged"]):
                ended = commands.run(*words_, cwd=tmp_path)
                assert (ended.code, ended.err.count("\n")) == (2, 2), (line, ended.err)
                assert "batches.jsonl: line 4" in ended.err, line
    assert not (tmp_path / "merged").exists()


@both
def test_lines_that_fail_are_sent_again_in_a_further_batch(model: str, commands: Prefork, tmp_path: Path) -> None:
    faults = {"429": 0.15, "500": 0.15, "missing": 0.15, "expired": 0.15}
    with batch_server(lines=faults, odd=True) as server:
        check_whole(commands.run(*batched(server, model=model, first=30), cwd=tmp_path), server, 30)
        sizes = server.stats()["batches"]
    assert (sizes[0], len(sizes)) == (30, 2)
    assert 5 < sizes[1] < 30
    assert outcomes(tmp_path / "run") == {"answered": 30}
    told = [one for call in lines(tmp_path / "run/calls.jsonl") for one in call["reply"]["attempts"] if "error" in one]
    assert len(told) == sizes[1], "every failure stands in the record"


def test_lines_that_always_fail_are_failed_rows(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(always={"dough": "429"}) as server:
        ended = commands.run(*batched(server, "--json", first=30), cwd=tmp_path)
        counts = ended.json["results"][0]["counts"]
        assert (ended.code, counts["answered"] + counts["api_error"]) == (1, 30), ended.err
        assert counts["api_error"] == 5
        assert len(server.stats()["batches"]) == 5, "five equal errors in a row are enough"


def test_what_a_line_is_refused_for_is_final(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(lines={"400": 0.2, "filter": 0.2}) as server:
        ended = commands.run(*batched(server, "--json", first=30), cwd=tmp_path)
        counts = ended.json["results"][0]["counts"]
        assert ended.code == 1, ended.err
        assert counts["api_error"] and counts["refused"]
        assert counts["answered"] + counts["api_error"] + counts["refused"] == 30
        assert server.stats()["batches"] == [30]


def test_a_batch_that_fails_says_why(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(fails=["token_limit_exceeded", "invalid_model"]) as server:
        ended = commands.run(*batched(server), cwd=tmp_path)
        assert ended.code == 1
        assert "the batch failed: it was refused: invalid_model" in ended.err + ended.out
        check_whole(commands.run(*batched(server), cwd=tmp_path), server)
        assert server.stats()["batches"] == [8, 8, 8]


@both
def test_faults_on_the_way_change_nothing(model: str, commands: Prefork, tmp_path: Path) -> None:
    faults = {
        "uploads": ["500", "cut"], "creates": ["429", "cut"], "lists": ["500", "cut"],
        "polls": ["500", "cut", "html", "429"],
        "downloads": ["cut", "torn"],
    }  # fmt: skip
    with batch_server(**faults) as server:
        check_whole(commands.run(*batched(server, model=model), cwd=tmp_path), server)
        assert server.stats()["batches"] == [8], "a creation whose answer was cut is found, not made again"


def test_a_silent_service_is_asked_again(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(creates=["hang"], polls=["hang"]) as server:
        check_whole(commands.run(*batched(server, "--timeout", "0.5"), cwd=tmp_path), server)
        assert server.stats()["batches"] == [8]


def test_a_key_that_the_service_refuses_is_named_and_nothing_recorded(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(uploads=["401"]) as server:
        ended = commands.run(*batched(server), cwd=tmp_path)
        assert ended.code == 1
        assert "check the key" in ended.err
        assert KEY not in ended.err + ended.out and KEY.encode() not in everything(tmp_path)
        check_whole(commands.run(*batched(server), cwd=tmp_path), server)


def test_a_server_without_batches_is_said_so(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(none=404) as server:
        ended = commands.run(*batched(server), cwd=tmp_path)
    assert ended.code == 2
    assert "the server has no batch interface" in ended.err
    assert "leave --batch out" in ended.err


def test_budgets_hold_before_anything_is_sent(commands: Prefork, tmp_path: Path) -> None:
    with batch_server() as server:
        for _ in range(2):
            ended = commands.run(*batched(server, "--max-requests", "3"), cwd=tmp_path)
            assert ended.code == 4, ended.err
            assert server.stats()["batches"] == [3]
        check_whole(commands.run(*batched(server), cwd=tmp_path), server)


def test_a_batch_has_a_limit_and_python_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "PACE", batches.Pace(quiet=0.15, first_poll=0.05, most_lines=5))
    with batch_server(hold=True) as server:
        told: dict[str, Any] = {"model_arg": {"api_base": server.base, "api_key": KEY}, "out": tmp_path / "run"}
        told |= {"model": OPENAI, "first": 8, "quiet": True, "batch": True, "cache": False}
        left = tk.evaluate("sgqa", wait=False, **told)
        assert (left.complete, server.stats()["batches"]) == (False, [5, 3])
        server.release()
        assert tk.evaluate("sgqa", **told).complete
        assert (server.stats()["batches"], server.stats()["paid"]) == ([5, 3], 8)


def test_the_dry_run_estimates_at_the_price_of_batches(commands: Prefork, tmp_path: Path) -> None:
    with batch_server() as server:
        single, batch = (
            commands.run(*words(server, "--dry-run", "--json", *more), cwd=tmp_path).json["estimates"][0]["cost"]
            for more in ((), ("--batch",))
        )
        assert server.stats()["batches"] == []
    assert batch == pytest.approx([cost / 2 for cost in single])


def test_models_without_batches_are_refused(commands: Prefork, tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_text('{"item_id": "x", "reply": "A"}\n')
    for model in ("script:s.jsonl", "gemini/gemini-2.5-pro", "python:json:dumps"):
        ended = commands.run("eval", "--task", "sgqa", "--model", model, "--batch", "--out", "run", cwd=tmp_path)
        assert (ended.code, "--batch" in ended.err) == (2, True), ended.err
        assert not (tmp_path / "run").exists()
    ended = commands.run("eval", "--task", "sgqa", "--limit", "2", "--no-wait", cwd=tmp_path)
    assert (ended.code, "add --batch" in ended.err) == (2, True)
