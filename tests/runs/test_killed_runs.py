"""A run that is killed at any moment goes on as if nothing had happened, by its folder alone."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from model_server import Running, model_server
from prefork import Prefork
from run_files import good_calls, lines, samples

ITEMS = 12
WAYS = ("single", "vote:3")


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(delay=0.02) as running:
        yield running


def words(server: Running, solver: str, out: str = "run") -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={server.base}"),
        *("--limit", str(ITEMS), "--solver", solver, "--no-cache", "--quiet", "--concurrency", "4", "--out", out),
    )


@pytest.fixture(scope="module")
def undisturbed(server: Running, commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("undisturbed")
    for solver in WAYS:
        assert commands.run(*words(server, solver, solver), cwd=folder).code == 0
    return {solver: folder / solver for solver in WAYS}


def killed(parent: Prefork, command: tuple[str, ...], folder: Path, calls: int) -> None:
    """Start the command and kill it as soon as so many calls are recorded."""
    process = parent.start(*command, cwd=folder)
    path = folder / "run/calls.jsonl"
    while not process.ended() and not (path.exists() and path.read_bytes().count(b"\n") >= calls):
        time.sleep(0.002)
    process.signal(signal.SIGKILL)
    process.wait()


def settled(server: Running) -> int:
    """Return how many requests the server has seen, when no more come."""
    return int(server.stats()["seen"])


@pytest.mark.parametrize(("solver", "seed"), [("single", 1), ("vote:3", 3)])
def test_a_killed_run_ends_as_if_it_had_not_been_killed(
    server: Running, commands: Prefork, undisturbed: dict[str, Path], tmp_path: Path, solver: str, seed: int
) -> None:
    draw, calls = random.Random(seed), ITEMS * (3 if solver == "vote:3" else 1)
    command = words(server, solver)
    killed(commands, command, tmp_path, draw.randrange(calls))
    if seed % 3 == 0:  # killed once more while it goes on
        killed(commands, command, tmp_path, draw.randrange(calls))
    recorded, seen = good_calls(tmp_path / "run"), settled(server)
    ended = commands.run(*command, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert settled(server) - seen == calls - recorded, "only what was not recorded is asked"
    assert good_calls(tmp_path / "run") == calls == len(lines(tmp_path / "run/calls.jsonl"))
    assert samples(tmp_path / "run") == samples(undisturbed[solver])
    assert list(samples(tmp_path / "run")) == list(samples(undisturbed[solver]))


def test_a_finished_run_asks_nothing_and_says_the_same(
    server: Running, commands: Prefork, undisturbed: dict[str, Path]
) -> None:
    seen, run = settled(server), undisturbed["single"]
    before = (run / "samples.jsonl").read_bytes()
    again = commands.run(*words(server, "single", "single"), cwd=run.parent)
    assert again.code == 0
    assert "tsg/sgqa" in again.out
    assert (settled(server), (run / "samples.jsonl").read_bytes()) == (seen, before)


def test_another_version_rescores_from_recorded_calls(
    server: Running, commands: Prefork, undisturbed: dict[str, Path]
) -> None:
    run, seen = undisturbed["vote:3"], settled(server)
    expected, calls = samples(run), (run / "calls.jsonl").read_bytes()
    text = (run / "samples.jsonl").read_text()
    (run / "samples.jsonl").write_text(text.replace('"outcome":"answered"', '"outcome":"unreadable"'))
    assert samples(run) != expected
    assert commands.run(*words(server, "vote:3", "vote:3"), cwd=run.parent, version="9.9.9").code == 0
    assert samples(run) == expected
    assert (settled(server), (run / "calls.jsonl").read_bytes()) == (seen, calls)
    assert '"tsgkit": "9.9.9"' in (run / "run.json").read_text()
