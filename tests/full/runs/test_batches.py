"""Runs whose requests are sent in batches: each is paid once, and every fault of a service ends with its outcome."""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from batch_server import batch_server
from command_line import CommandLine, Ended
from model_server import Running
from prefork import Prefork, Ran
from run_files import everything, lines, samples

import tsgkit as tk
from tsgkit.llm import batches
from tsgkit.llm.batch_services import OPENAI, SERVICES

KEY = "sk-0123456789abcdef"
MODEL = "openai/gpt-4o"


def words(server: Running, *more: str, first: int = 8) -> list[str]:
    told = ("--model", MODEL, "--model-arg", f"api_base={server.base}", "--model-arg", f"api_key={KEY}")
    return ["eval", "--task", "sgqa", "--first", str(first), *told, "--no-cache", "--out", "run", *more]


def batched(server: Running, *more: str, **how: Any) -> list[str]:  # noqa: ANN401
    return words(server, "--batch", "--quiet", *more, **how)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, and in haste."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["tsgkit", "eval", "--task", "sgqa"])
    monkeypatch.setattr(batches, "PACE", batches.Pace(quiet=0.4, first_poll=0.1, longest_poll=0.3, rest=0.02, lag=1.0))


def outcomes(run: Path) -> Counter[str]:
    return Counter(one["outcome"] for one in samples(run).values())


def steps(folder: Path) -> list[str]:
    path = folder / "run/batches.jsonl"
    return [line["step"] for line in lines(path)] if path.exists() else []


def check_whole(ended: Ended | Ran, server: Running, sizes: list[int] | None = None, number: int = 8) -> None:
    """Check that a run ended well, each of its requests was paid once, and in which batches they were sent."""
    assert (getattr(ended, "code", 0), ended.err) == (0, ""), ended.out + ended.err
    stats = server.stats()
    assert (stats["paid"], stats["paid_twice"], stats["seen"]) == (number, 0, 0)
    assert sizes is None or stats["batches"] == sizes


def test_figures_are_those_of_single_requests_at_half_the_price(tsgkit: CommandLine, tmp_path: Path) -> None:
    found, costs, identities, estimates = [], [], [], []
    with batch_server() as server:
        for way in ("--batch", "--quiet"):
            told = words(server, "--json", "--quiet", way, "--solver", "vote:3", "--out", way.strip("-"))
            estimates.append(tsgkit("", *told, "--dry-run").json["estimates"][0]["cost"])
            ended = tsgkit("", *told)
            assert ended.err == ""
            [result], run = ended.json["results"], tmp_path / way.strip("-")
            costs.append(result["usage"].pop("cost"))
            del result["usage"]["seconds"]
            found.append((samples(run), result["profiles"], result["counts"], result["usage"]))
            identities.append(json.loads((run / "run.json").read_text())["identity"])
        assert server.stats()["batches"] == [24]
    assert found[0] == found[1] and identities[0] == identities[1]
    assert costs[0] == pytest.approx(costs[1] / 2)
    assert estimates[0] == pytest.approx([cost / 2 for cost in estimates[1]])


KILLS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    "uploading": ({"slow": {"uploads": 60}}, "uploads", ["intent"]),
    "uploaded": ({"slow": {"creates": 60}}, "creates", ["intent", "file"]),
    "created": ({"hold": True}, "polls", ["intent", "file", "batch"]),
    "collecting": ({"slow": {"downloads": 60}}, "downloads", ["intent", "file", "batch"]),
}


@pytest.mark.parametrize("when", KILLS)
def test_a_killed_run_pays_nothing_twice(when: str, commands: Prefork, tmp_path: Path) -> None:
    options, step, recorded = KILLS[when]
    with batch_server(**options) as server:
        process = commands.start(*batched(server), cwd=tmp_path)
        process.until(lambda: server.stats()["steps"].get(step, 0) > 0)
        process.signal(signal.SIGKILL)
        assert process.wait().code == -signal.SIGKILL
        assert steps(tmp_path) == recorded
        server.release()
        check_whole(commands.run(*batched(server), cwd=tmp_path), server, [8])
    assert outcomes(tmp_path / "run") == {"answered": 8}


def test_a_run_that_does_not_wait_is_collected_later(tsgkit: CommandLine, tmp_path: Path) -> None:
    with batch_server(hold=True) as server:
        told = batched(server, "--no-wait")
        for _ in range(2):
            ended = tsgkit("", *told, code=5)
            assert "1 batch left with the service" in ended.err
            assert "collect later with: tsgkit eval --task sgqa" in ended.err
            assert KEY not in ended.err + ended.out
        ended = tsgkit("", *words(server, "--max-requests", "1"), code=4)
        assert "1 batch is pending, which only --batch collects" in ended.err
        server.release()
        assert tsgkit("", *told).err == "" and outcomes(tmp_path / "run") == {"answered": 8}
        assert (server.stats()["batches"], server.stats()["paid_twice"]) == ([8], 0)
    assert KEY.encode() not in everything(tmp_path)


def test_ctrl_c_leaves_the_batch_with_the_service(commands: Prefork, tmp_path: Path) -> None:
    with batch_server(hold=True) as server:
        process = commands.start(*words(server, "--batch"), cwd=tmp_path)
        process.until(lambda: "batch" in steps(tmp_path))
        process.signal(signal.SIGINT)
        ended = process.wait()
        assert ended.code == 130 and "1 batch left with the service" in ended.err
        assert "1 batch at the service for" in ended.err and "0 of 8 requests done" in ended.err
        server.release()
        check_whole(commands.run(*batched(server, "--concurrency", "3"), cwd=tmp_path), server, [8])


def test_a_merged_run_collects_the_batches_of_its_shards(tsgkit: CommandLine, tmp_path: Path) -> None:
    parts = [f"run.shard-{number}-of-2" for number in (1, 2)]
    with batch_server(hold=True) as server:
        for number in (1, 2):
            tsgkit("", *batched(server, "--no-wait", "--shard", f"{number}/2"), code=5)
        for sources, target in ((parts, "half"), (["half", *parts], "whole")):
            tsgkit("runs merge", *sources, "-o", target, code=1)
        server.release()
        check_whole(tsgkit("", *batched(server), "--out", "whole"), server)
        tsgkit("runs merge whole -o again")
    assert outcomes(tmp_path / "whole") == {"answered": 8}
    assert not (tmp_path / "again/batches.jsonl").exists(), "all are collected"


def test_lines_that_fail_are_sent_again_in_a_further_batch(tsgkit: CommandLine, tmp_path: Path) -> None:
    faults = {"429": 0.15, "500": 0.15, "missing": 0.15, "expired": 0.15}
    with batch_server(lines=faults, odd=True) as server:
        check_whole(tsgkit("", *batched(server, first=30)), server, number=30)
        sizes = server.stats()["batches"]
    assert (sizes[0], len(sizes)) == (30, 2) and 5 < sizes[1] < 30
    assert outcomes(tmp_path / "run") == {"answered": 30}
    told = [one for call in lines(tmp_path / "run/calls.jsonl") for one in call["reply"]["attempts"] if "error" in one]
    assert len(told) == sizes[1], "every failure stands in the record"


def test_what_a_service_refuses_is_named_and_nothing_recorded(tsgkit: CommandLine, tmp_path: Path) -> None:
    with batch_server(refuses=[401]) as server:
        ended = tsgkit("", *batched(server), code=1)
        assert "check the key" in ended.err
        assert KEY not in ended.err + ended.out and KEY.encode() not in everything(tmp_path)
        check_whole(tsgkit("", *batched(server)), server)
    with batch_server(refuses=[404]) as server:
        ended = tsgkit("", *batched(server, "--out", "none"), code=2)
    assert "the server has no batch interface" in ended.err and "leave --batch out" in ended.err
    (tmp_path / "s.jsonl").write_text('{"item_id": "x", "reply": "A"}\n')
    for model in ("script:s.jsonl", "gemini/gemini-2.5-pro", "python:json:dumps"):
        assert "--batch" in tsgkit("eval --task sgqa --batch --out other --model", model, code=2).err
        assert not (tmp_path / "other").exists()
    assert "add --batch" in tsgkit("eval --task sgqa --limit 2 --no-wait", code=2).err


def test_a_budget_and_a_batch_have_limits_and_python_an_option(
    tsgkit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with batch_server() as server:
        for _ in range(2):
            tsgkit("", *batched(server, "--max-requests", "3"), code=4)
            assert server.stats()["batches"] == [3]
        check_whole(tsgkit("", *batched(server)), server, [3, 5])
    monkeypatch.setattr(batches, "PACE", batches.Pace(quiet=0.15, first_poll=0.05))
    monkeypatch.setitem(SERVICES, "openai", OPENAI._replace(most_lines=5))
    with batch_server(hold=True) as server:
        told: dict[str, Any] = {"model_arg": {"api_base": server.base, "api_key": KEY}, "out": tmp_path / "python"}
        told |= {"model": MODEL, "first": 8, "quiet": True, "batch": True, "cache": False}
        left = tk.evaluate("sgqa", wait=False, **told)
        assert (left.complete, server.stats()["batches"]) == (False, [5, 3])
        server.release()
        assert tk.evaluate("sgqa", **told).complete
        assert (server.stats()["batches"], server.stats()["paid"]) == ([5, 3], 8)
