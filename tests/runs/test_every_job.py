"""The guarantees of a run hold for every kind of job: killed, interrupted, out of money or disk, it goes on."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="pictures are decoded by Pillow, the extra tsgkit[pictures]")

from model_server import Running, model_server
from picture_server import picture_server
from picture_suite import install
from prefork import Prefork, Ran, prefork
from run_files import everything, samples
from told_rooms import draws, served

from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.notation import arrow, narratives

KEY = "sk-loopback-key-of-every-job"
GOOD = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"), ("fill", "with", "hand1"))
WRONG = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
STORY = "".join(f"She fills vase {number}.\n" for number in range(4))
CLEANED = {"Put action graphs right": arrow.write([GOOD]), "Look at": "graph 1: mismatched: fill -> dobj -> kettle"}
TOLD = {"Break a sentence": "1. fill the vase", "number 1 of": arrow.write([GOOD])}


@dataclass(frozen=True)
class Job:
    """A command, what a server answers to it, and what it makes."""

    words: tuple[str, ...]
    out: str
    requests: int
    replies: dict[str, str] = field(default_factory=dict)
    log: str = "calls.jsonl"
    pictures: bool = False
    in_flight: int = 2
    room: int = 3_000
    """Bytes of the largest file on a disk that is too small for its log."""

    def command(self, server: Running, *more: str) -> tuple[str, ...]:
        model = ("--model", "openai/x", "--model-arg", f"api_base={server.base}", "--model-arg", f"api_key={KEY}")
        return (*self.words, *model, "--concurrency", str(self.in_flight), *more)

    def server(self, **how: object) -> Any:  # noqa: ANN401
        return picture_server(**how) if self.pictures else model_server(replies=self.replies, **how)

    def recorded(self, folder: Path) -> int:
        path = folder / self.log
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def made(self, folder: Path) -> object:
        """What a person wants of it."""
        out = folder / self.out
        if self.pictures:
            return {path.name: path.read_bytes() for path in out.glob("*.png")}
        return samples(out) if self.words[0] == "eval" else out.read_bytes() if out.exists() else None


def evaluation(*more: str) -> tuple[str, ...]:
    return ("eval", "--task", "sgqa", "--limit", "6", "--no-cache", "--quiet", "--out", "run", *more)


JOBS = {
    "eval": Job(evaluation(), "run", 6, log="run/calls.jsonl"),
    "eval vote:3": Job(evaluation("--solver", "vote:3"), "run", 18, log="run/calls.jsonl"),
    "images": Job(
        ("images", "--task", "demo/cups", "--quiet", "-o", "made"),
        "made",
        6,
        log="made/paintings.jsonl",
        pictures=True,
        room=900,
    ),
    "refine": Job(
        ("refine", "g.jsonl", "--quiet", "-o", "c.jsonl"), "c.jsonl", 18, CLEANED, "c.jsonl.calls/calls.jsonl"
    ),
    "generate": Job(
        ("generate", "story.txt", "--quiet", "-o", "g.json"), "g.json", 8, TOLD, "g.json.calls/calls.jsonl", in_flight=1
    ),
    "make sceneeval": Job(
        ("make", "sceneeval", "--items", "4", "--quiet", "-o", "made.csv"),
        *("made.csv", 8, served(draws(4)), "made.csv.calls/calls.jsonl"),
    ),
}


QUICK = ("images", "refine")
SOME_QUICK = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in JOBS]


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prefork, Path]]:
    """Processes that know a suite with pictures to make."""
    folder = tmp_path_factory.mktemp("jobs")
    with pytest.MonkeyPatch.context() as patch:
        install(folder / "project", {f"c{number}": f"Cup {number}." for number in range(6)}, patch)
        with prefork(folder) as processes:
            yield processes, folder / "project"


@pytest.fixture
def folder(parent: tuple[Prefork, Path], tmp_path: Path) -> Path:
    for name in ("tasks", "prompts", "eval"):
        (tmp_path / name).symlink_to(parent[1] / name)
    (tmp_path / "g.jsonl").write_text(narratives.write(Narrative.of([WRONG])) * 6)
    (tmp_path / "story.txt").write_text(STORY)
    return tmp_path


@pytest.fixture(scope="module")
def wanted(parent: tuple[Prefork, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], object]:
    """What each job makes undisturbed, made once."""
    found: dict[str, object] = {}

    def of(name: str) -> object:
        if name not in found:
            place, job = tmp_path_factory.mktemp("undisturbed"), JOBS[name]
            for part in ("tasks", "prompts", "eval"):
                (place / part).symlink_to(parent[1] / part)
            (place / "g.jsonl").write_text(narratives.write(Narrative.of([WRONG])) * 6)
            (place / "story.txt").write_text(STORY)
            with job.server() as server:
                ended = parent[0].run(*job.command(server), cwd=place)
                assert ended.code == 0, ended.err
                assert server.stats()["seen"] == job.requests
            found[name] = job.made(place)
        return found[name]

    return of


def until(process: Ran, true: Callable[[], bool]) -> None:
    while not process.ended() and not true():
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("name", SOME_QUICK)
def test_stopped_at_any_moment_it_goes_on_and_pays_for_nothing_twice(
    name: str, number: signal.Signals, parent: tuple[Prefork, Path], folder: Path, wanted: Callable[[str], object]
) -> None:
    job, right = JOBS[name], wanted(name)
    with job.server(delay=0.1) as server:
        process = parent[0].start(*job.command(server), cwd=folder)
        until(process, lambda: job.recorded(folder) >= job.requests // 3)
        process.signal(number)
        process.wait()
        assert process.code == (130 if number == signal.SIGINT else -number), process.err
        if number == signal.SIGINT:
            assert job.recorded(folder) == server.stats()["seen"], "what was in flight is paid for, so it is kept"
        again = parent[0].run(*job.command(server), cwd=folder)
        assert again.code == 0, again.err
        spare = 0 if number == signal.SIGINT else job.in_flight
        assert job.requests <= server.stats()["seen"] <= job.requests + spare
    assert job.made(folder) == right
    assert KEY.encode() not in everything(folder) and KEY not in process.err + process.out + again.err


@pytest.mark.parametrize("name", SOME_QUICK)
def test_a_budget_holds_over_continuations(
    name: str, parent: tuple[Prefork, Path], folder: Path, wanted: Callable[[str], object]
) -> None:
    job, right = JOBS[name], wanted(name)
    with job.server() as server:
        for limit in (2, 3):
            ended = parent[0].run(*job.command(server, "--max-requests", str(limit)), cwd=folder)
            assert ended.code == 4 and server.stats()["seen"] == limit, ended.err
        assert parent[0].run(*job.command(server), cwd=folder).code == 0
        assert server.stats()["seen"] == job.requests
    assert job.made(folder) == right


@pytest.mark.parametrize("name", SOME_QUICK)
def test_two_processes_at_one_work_are_refused(name: str, parent: tuple[Prefork, Path], folder: Path) -> None:
    job = JOBS[name]
    with job.server(delay=600) as server:
        first = parent[0].start(*job.command(server), cwd=folder)
        until(first, lambda: server.stats()["seen"] >= 1)
        second = parent[0].run(*job.command(server), cwd=folder)
        first.signal(signal.SIGKILL)
    assert second.code == 2 and "another process is working on" in second.err


@pytest.mark.parametrize("name", SOME_QUICK)
def test_a_full_disk_ends_with_a_hint_and_the_work_goes_on(
    name: str, parent: tuple[Prefork, Path], folder: Path, wanted: Callable[[str], object]
) -> None:
    job, right = JOBS[name], wanted(name)
    with job.server() as server:
        full = parent[0].run(*job.command(server), cwd=folder, largest_file=job.room)
        assert full.code not in (0, 70) and "Traceback" not in full.err
        assert "cannot be written" in full.err or "cannot be kept" in full.err
        again = parent[0].run(*job.command(server), cwd=folder)
        assert again.code == 0, again.err
    assert job.made(folder) == right


@pytest.mark.slow
@pytest.mark.parametrize("name", JOBS)
def test_among_faults_everything_ends_as_without(
    name: str, parent: tuple[Prefork, Path], folder: Path, wanted: Callable[[str], object]
) -> None:
    job, right = JOBS[name], wanted(name)
    faults = {"429": 0.1, "500": 0.1, "cut": 0.05, "html": 0.05}
    with job.server(faults=faults, retry_after="0.1") as server:
        ended = parent[0].run(*job.command(server), cwd=folder)
        assert ended.code == 0, ended.err
        stats = server.stats()
    assert (job.made(folder), stats["good"]) == (right, job.requests)
    told = [json.loads(line) for line in (folder / job.log).read_text().splitlines()]
    attempts = sum(len(line["attempts"] if job.pictures else line["reply"].get("attempts", [])) for line in told)
    assert attempts == stats["seen"], "every request stands in the record"
