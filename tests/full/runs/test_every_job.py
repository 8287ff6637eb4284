"""Whatever the job: killed, interrupted, out of budget or beside another process, it goes on and asks nothing twice."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from every_job import JOBS, KEY, Job
from model_server import Running
from prefork import Prefork, Ran
from run_files import everything


@dataclass(frozen=True)
class Undisturbed:
    """A place where a job was prepared, and its run without any trouble."""

    place: Path
    product: Any
    requests: int
    answered: int


Whole = Callable[[str], Undisturbed]


@pytest.fixture(scope="module")
def whole(commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Carries out each job undisturbed, once."""
    known: dict[str, Undisturbed] = {}

    def of(name: str) -> Undisturbed:
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
            assert product is not None
            assert asked["seen"] == asked["good"] == answered > 3
            known[name] = Undisturbed(folder / "prepared", product, answered, answered)
        return known[name]

    return of


def placed(one: Undisturbed, folder: Path) -> Path:
    shutil.copytree(one.place, folder / "work")
    return folder / "work"


def when_seen(server: Running, process: Ran, number: int) -> None:
    """Wait until the server was asked so often."""
    until = time.monotonic() + 30
    while not process.ended() and server.stats()["seen"] < number and time.monotonic() < until:
        time.sleep(0.005)


def finish(job: Job, server: Running, commands: Prefork, folder: Path, one: Undisturbed) -> None:
    """Go on, and find everything as if nothing had happened; only what was not recorded is asked."""
    kept, before = job.answered(folder), server.stats()["good"]
    ended = commands.run(*job.command(server, "--quiet"), cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    assert job.product(folder) == one.product
    assert server.stats()["good"] - before == one.requests - kept
    assert job.answered(folder) == one.answered


@pytest.mark.parametrize("name", JOBS)
def test_a_killed_job_ends_as_if_it_had_not_been_killed(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(delay=0.05) as server:
        process = commands.start(*job.command(server, "--quiet"), cwd=folder)
        when_seen(server, process, 1 + one.requests // 2)
        process.signal(signal.SIGKILL)
        assert process.wait().code == -signal.SIGKILL
        lost = server.stats()["seen"] - job.answered(folder)
        assert 0 <= lost <= 2, "at most what was in flight"
        finish(job, server, commands, folder, one)


@pytest.mark.parametrize("name", ["images --rewriter", "refine"])
def test_ctrl_c_lets_what_is_in_work_come_home(name: str, whole: Whole, commands: Prefork, tmp_path: Path) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(delay=0.3) as server:
        process = commands.start(*job.command(server), cwd=folder)
        when_seen(server, process, 2)
        process.signal(signal.SIGINT)
        assert process.wait().code == 130
        assert "go on" in process.err or "goes on" in process.err
        assert not any(word in process.err + process.out for word in (KEY, "Traceback", "Warning", "Exception"))
        assert 2 <= job.answered(folder) == server.stats()["seen"] < one.requests
        finish(job, server, commands, folder, one)


@pytest.mark.parametrize("name", ["zero-shot", "refine"])
def test_a_second_ctrl_c_does_not_wait(name: str, whole: Whole, commands: Prefork, tmp_path: Path) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(first=[200, 200], faults={"hang": 1.0}) as server:
        port = int(server.base.split(":")[2].split("/")[0])
        process = commands.start(*job.command(server, "--timeout", "600"), cwd=folder)
        when_seen(server, process, 2 + job.in_flight)
        process.signal(signal.SIGINT)
        until = time.monotonic() + 30
        while "Ctrl-C again does not wait" not in process.err and time.monotonic() < until:
            time.sleep(0.01)
        assert not process.ended(), "the first waits"
        process.signal(signal.SIGINT)
        assert process.wait().code == 130
        assert "go on" in process.err or "goes on" in process.err
        assert job.answered(folder) == 2
    with job.server(port=port) as server:
        finish(job, server, commands, folder, one)


@pytest.mark.parametrize("name", ["images --rewriter"])
def test_a_second_process_at_the_same_work_is_refused(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(delay=0.2) as server:
        command = job.command(server, "--quiet")
        first = commands.start(*command, cwd=folder)
        when_seen(server, first, 1)
        first.signal(signal.SIGSTOP)  # it stays at work, however slow the second is
        second = commands.run(*command, cwd=folder)
        first.signal(signal.SIGCONT)
        assert (second.code, "another process is working on" in second.err) == (2, True), second.err
        assert (first.wait().code, first.err) == (0, "")
        assert server.stats()["seen"] == one.requests
    assert job.product(folder) == one.product


@pytest.mark.parametrize("name", ["refine"])
def test_a_budget_of_requests_holds_over_continuations(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server() as server:
        for _ in range(2):
            ended = commands.run(*job.command(server, "--quiet", "--max-requests", "3"), cwd=folder)
            assert ended.code == 4, ended.err
            assert "3 of 3 requests" in ended.err
            assert server.stats()["seen"] == job.answered(folder) == 3
        finish(job, server, commands, folder, one)


@pytest.mark.parametrize("name", ["zero-shot"])
def test_faults_of_the_service_change_nothing(name: str, whole: Whole, commands: Prefork, tmp_path: Path) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    faults = {"429": 0.06, "500": 0.06, "cut": 0.06, "html": 0.06, "nochoices": 0.06}
    with job.server(faults=faults, retry_after="0.1") as server:
        finish(job, server, commands, folder, one)


@pytest.mark.parametrize("name", ["zero-shot", "images --rewriter", "refine"])
def test_a_key_that_errors_repeat_is_nowhere(name: str, whole: Whole, commands: Prefork, tmp_path: Path) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(first=[429, 500, 200, 200], faults={"401": 1.0}, retry_after="0.1", echo_key=True) as server:
        ended = commands.run(*job.command(server, "--attempts", "2"), cwd=folder)
    assert ended.code in (0, 1, 2)
    assert KEY not in ended.out + ended.err and KEY.encode() not in everything(folder)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("name", ["zero-shot"])
def test_an_outage_is_waited_for(name: str, whole: Whole, commands: Prefork, tmp_path: Path) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server(away=[2, 2.0]) as server:
        ended = commands.run(*job.command(server, "--quiet"), cwd=folder)
        assert (ended.code, ended.err) == (0, "")
        assert server.stats()["good"] <= one.requests + 2, "at most what was on its way when it went is asked again"
    assert job.product(folder) == one.product


@pytest.mark.parametrize("name", ["zero-shot"])
def test_a_silent_service_is_seen_and_named_when_interrupted(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, folder = JOBS[name], placed(whole(name), tmp_path)
    with job.server(always={"": "429"}, retry_after="30") as server:
        process = commands.start(*job.command(server), cwd=folder)
        until = time.monotonic() + 30
        while "no answer for" not in process.err and time.monotonic() < until:
            time.sleep(0.05)
        assert "slow down" in process.err, process.err
        before = process.err
        process.signal(signal.SIGINT)
        assert process.wait(20).code == 130
    assert "while waiting for openai/" in process.err[len(before) :]
    assert "no answer for" in process.err[len(before) :] and "slow down" in process.err[len(before) :]


@pytest.mark.parametrize("name", ["refine"])
def test_a_service_that_does_not_come_back_is_given_up_after_the_longest_outage(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, folder = JOBS[name], placed(whole(name), tmp_path)
    with job.server(first=[200, 200] + [503] * 400) as server:
        command = job.command(server, "--max-outage", "0.02", "--quiet")
        ended = commands.run(*command, cwd=folder)
        assert ended.code == 1, ended.out + ended.err
        assert "(limit: --max-outage)" in ended.out + ended.err
        ended = commands.run(*command, "--max-outage", "0", cwd=folder)
        assert (ended.code, "--max-outage 0.0: it must be more than 0" in ended.err) == (2, True)


@pytest.mark.parametrize("name", ["zero-shot", "images --rewriter"])
def test_a_full_disk_is_told_and_what_was_kept_goes_on(
    name: str, whole: Whole, commands: Prefork, tmp_path: Path
) -> None:
    job, one = JOBS[name], whole(name)
    folder = placed(one, tmp_path)
    with job.server() as server:
        for size in job.room:
            ended = commands.run(*job.command(server, "--quiet"), cwd=folder, largest_file=size)
            assert ended.code == 2, ended.out + ended.err
            assert "cannot be written" in ended.err
        finish(job, server, commands, folder, one)
