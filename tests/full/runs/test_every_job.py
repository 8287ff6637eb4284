"""Whatever the job: killed, interrupted, out of budget or beside another process, it goes on and asks nothing twice."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from every_job import JOBS, Job
from model_server import Running
from prefork import Prefork, Ran


@dataclass(frozen=True)
class Prepared:
    """A job in a folder where it can begin, and what it comes to without any trouble."""

    job: Job
    commands: Prefork
    folder: Path
    product: Any
    requests: int

    def answered(self) -> int:
        return self.job.answered(self.folder)

    def run(self, server: Running, *more: str, **how: Any) -> Ran:  # noqa: ANN401
        return self.commands.run(*self.job.command(server, "--quiet", *more), cwd=self.folder, **how)

    def start(self, server: Running, *more: str) -> Ran:
        return self.commands.start(*self.job.command(server, *more), cwd=self.folder)

    def finish(self, server: Running) -> None:
        """Go on, and find everything as if nothing had happened; only what was not recorded is asked."""
        kept, before = self.answered(), server.stats()["good"]
        ended = self.run(server)
        assert (ended.code, ended.err) == (0, "")
        assert self.job.product(self.folder) == self.product
        assert server.stats()["good"] - before == self.requests - kept
        assert self.answered() == self.requests


Prepare = Callable[[str], Prepared]


@pytest.fixture(scope="module")
def undisturbed(commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """Carries out each job undisturbed, once."""
    known: dict[str, Prepared] = {}

    def of(name: str) -> Prepared:
        if name not in known:
            job, folder = JOBS[name], tmp_path_factory.mktemp("whole")
            (folder / "prepared").mkdir()
            job.prepare(folder / "prepared", commands)
            shutil.copytree(folder / "prepared", folder / "run")
            with job.server() as server:
                ended = commands.run(*job.command(server, "--quiet"), cwd=folder / "run")
                asked = server.stats()
            assert (ended.code, ended.err) == (0, "")
            product, answered = job.product(folder / "run"), job.answered(folder / "run")
            assert product is not None and asked["seen"] == asked["good"] == answered > 3
            known[name] = Prepared(job, commands, folder / "prepared", product, answered)
        return known[name]

    return of


@pytest.fixture
def prepare(undisturbed: Prepare, tmp_path: Path) -> Prepare:
    def placed(name: str) -> Prepared:
        one = undisturbed(name)
        shutil.copytree(one.folder, tmp_path / "work")
        return Prepared(one.job, one.commands, tmp_path / "work", one.product, one.requests)

    return placed


def until(happened: Callable[[], bool], process: Ran) -> None:
    last = time.monotonic() + 30
    while not process.ended() and not happened() and time.monotonic() < last:
        time.sleep(0.005)


@pytest.mark.parametrize("name", JOBS)
def test_a_killed_job_ends_as_if_it_had_not_been_killed(name: str, prepare: Prepare) -> None:
    one = prepare(name)
    with one.job.server(delay=0.05) as server:
        process = one.start(server, "--quiet")
        until(lambda: server.stats()["seen"] > one.requests // 2, process)
        process.signal(signal.SIGKILL)
        assert process.wait().code == -signal.SIGKILL
        assert 0 <= server.stats()["seen"] - one.answered() <= 2, "at most what was in flight"
        one.finish(server)


@pytest.mark.parametrize("name", ["zero-shot", "refine"])
def test_a_second_ctrl_c_does_not_wait(name: str, prepare: Prepare) -> None:
    one = prepare(name)
    with one.job.server(first=[200, 200], faults={"hang": 1.0}) as server:
        process = one.start(server, "--timeout", "600")
        until(lambda: server.stats()["seen"] >= 2 + one.job.in_flight, process)
        process.signal(signal.SIGINT)
        until(lambda: "Ctrl-C again does not wait" in process.err, process)
        assert not process.ended(), "the first waits"
        process.signal(signal.SIGINT)
        assert process.wait().code == 130
        assert "go on" in process.err or "goes on" in process.err
        assert one.answered() == 2
    with one.job.server(port=urlsplit(server.base).port) as server:
        one.finish(server)


def test_a_silent_service_is_seen_and_named_when_interrupted(prepare: Prepare) -> None:
    one = prepare("zero-shot")
    with one.job.server(always={"": "429"}, retry_after="30") as server:
        process = one.start(server)
        until(lambda: "no answer for" in process.err, process)
        before = process.err
        assert "slow down" in before
        process.signal(signal.SIGINT)
        assert process.wait(20).code == 130
    said = process.err[len(before) :]
    assert "while waiting for openai/" in said and "no answer for" in said and "slow down" in said


@pytest.mark.parametrize("name", ["zero-shot", "images --rewriter"])
def test_a_full_disk_is_told_and_what_was_kept_goes_on(name: str, prepare: Prepare) -> None:
    one = prepare(name)
    with one.job.server() as server:
        for size in one.job.room:
            ended = one.run(server, largest_file=size)
            assert ended.code == 2 and "cannot be written" in ended.err, ended.out + ended.err
        one.finish(server)
