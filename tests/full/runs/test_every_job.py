"""Whatever the job: killed, interrupted, out of budget or beside another process, it goes on and asks nothing twice."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from image_server import image_server, png
from model_server import Running, model_server
from prefork import Prefork, Ran
from run_files import samples
from shipped import TASKS
from told_rooms import draws, served

from tsgkit.graph import ActionGraph, Narrative
from tsgkit.graph.notation import narratives
from tsgkit.logic.formula import text_of
from tsgkit.suites.formalimg.maker import composed, faults
from tsgkit.suites.spatialgen.rows import SpatialRow, rows_in, written

KEY = "sk-0123456789abcdef"
LOGS = ("run.json", "calls.jsonl", "prompts.jsonl", "samples.jsonl")
QUESTIONS = TASKS / "spatialgen/data/questions.jsonl"
ROWS = list(rows_in(QUESTIONS))
GRAPH = "person -> verb -> take\ntake -> dobj -> towel\ntake -> with -> hand1"
VOCABULARY = {"object": ["kettle", "cup"], "relationship": ["verb", "dobj", "with"], "verb": ["fill", "pour"]}
GOOD = ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "kettle"), ("fill", "with", "hand1"))
ACTIONS = {
    "Break a sentence": "1. take the towel\n2. put it over the chair",
    "number 1 of the sentence": GRAPH.replace("towel", "vessel"),
    "number 2 of the sentence": "person -> verb -> put\nput -> dobj -> towel\nput -> over -> chair",
    "Compare action graphs": "graph 1: mismatched: take -> dobj -> towel",
}
STORY = {
    "Break a sentence": "1. pick up the cup\n2. rinse the cup",
    "number 1 of": "person -> verb -> pick-up\npick-up -> dobj -> cup\npick-up -> with -> hand1",
    "number 2 of": "person -> verb -> rinse\nrinse -> dobj -> cup\nrinse -> with -> hand1",
}
REFINED = {"Compare action graphs": "1: fill -> dobj -> kettle"}
SEEN = "ABCDEABCDE"
"""What a judge says to ten questions."""
FORMULAS = "make", "formalimg", "--k", "2", "--n", "4"


@dataclass(frozen=True)
class Job:
    """A command, the replies it gets, and the product it makes of them."""

    words: tuple[str, ...]
    replies: Callable[[], dict[str, str]]
    out: str
    prepare: Callable[[Path, Prefork], None] = lambda *_: None
    looks: bool = False
    """Whether images are shown or asked for."""
    addresses: tuple[str, ...] = ("--model-arg",)
    in_flight: int = 2
    """How many requests are on their way together, where two may be."""
    room: tuple[int, ...] = (2000, 4500)
    """Bytes of the largest file on disks that are too small for its log."""

    def server(self, **options: object) -> AbstractContextManager[Running]:
        """Return the service it asks."""
        return (image_server if self.looks else model_server)(replies=self.replies(), **options)

    def command(self, server: Running, *more: str) -> tuple[str, ...]:
        """Return the words that are typed, without those about progress."""
        given = [
            part for option in self.addresses for part in (option, f"api_base={server.base}", option, f"api_key={KEY}")
        ]
        return (*self.words, *given, "--concurrency", "2", *more)

    def product(self, folder: Path) -> Any:  # noqa: ANN401
        """Return all that it made, without times and costs; None where there is nothing yet."""
        out = folder / self.out
        if self.words[0] == "eval":
            return samples(out) if (out / "samples.jsonl").exists() else None
        names = [out, *sorted(folder.glob(f"{self.out}.*.jsonl"))] if out.is_file() else sorted(out.glob("*.*"))
        found = {path.name: path.read_bytes() for path in names if path.is_file() and path.name not in LOGS}
        return found or None

    def answered(self, folder: Path) -> int:
        """Return how many answers are kept."""
        calls = [line for path in folder.glob(f"{self.out}*/**/calls.jsonl") for line in whole_lines(path)]
        replies = [line["reply"] for line in calls]
        return len([reply for reply in replies if reply["source"] == "model" and reply["ending"] != "api_error"])


def whole_lines(path: Path) -> list[Any]:
    """Return the lines of a file, without a torn last one."""
    return [json.loads(line) for line in path.read_bytes().rpartition(b"\n")[0].splitlines()] if path.exists() else []


def _graphs(folder: Path, _: Prefork) -> None:
    (folder / "L.json").write_text(json.dumps(VOCABULARY))
    vases = [
        Narrative.of(
            [ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", f"vase{n}"), ("fill", "with", "hand1"))]
        )
        for n in range(5)
    ]
    (folder / "g.jsonl").write_text("".join(map(narratives.write, vases)))


def _story(folder: Path, _: Prefork) -> None:
    (folder / "story.txt").write_text("".join(f"She takes cup {n} and rinses it.\n" for n in range(4)))


def _project(folder: Path, _: Prefork) -> None:
    """A project whose own rows are one, so that the others are new to it."""
    for room in ("tasks/spatialgen/data", "prompts", "eval"):
        (folder / room).mkdir(parents=True)
    shutil.copy(TASKS / "spatialgen/questions.yaml", folder / "tasks/spatialgen")
    (folder / "tasks/spatialgen/data/questions.jsonl").write_text(written(ROWS[0]) + "\n")


def _images(folder: Path, _: Prefork) -> None:
    (folder / "pictures").mkdir()
    for row in ROWS[:6]:
        (folder / f"pictures/{row.id}.png").write_bytes(png(row.id))


def _judged(folder: Path, commands: Prefork) -> None:
    """A run in which a judge sees in each image something else than was asked for."""
    _images(folder, commands)
    said = [{"item_id": row.id, "reply": ["\n".join(SEEN)]} for row in ROWS[:6]]
    (folder / "judge.jsonl").write_text("\n".join(map(json.dumps, said)))
    words = ("--judge", "script:judge.jsonl", "--out", "run", "--quiet", "--no-cache")
    ended = commands.run(*JUDGING, *words, cwd=folder)
    assert ended.code == 0, ended.err


JUDGING = (
    *("eval", "--task", "spatialgen/questions", "--data", str(QUESTIONS), "--images", "mine=pictures"),
    *("--ids", *(row.id for row in ROWS[:6])),
)


def _formulas() -> dict[str, str]:
    sound = [one for seed in range(30) if not faults((one := composed(2, "knolling", seed)).formula, "knolling", 2)]
    texts = [text_of(one.formula) for one in sound[:6]]
    return {text: f"Words number {n}." for n, text in enumerate(texts)} | {
        f"Words number {n}.": f"```\n{text}\n```" for n, text in enumerate(texts)
    }


def _questions(row: SpatialRow) -> str:
    questions = [
        {
            "kind": q.sub_domain,
            "question": q.stem,
            "right": q.options[q.key],
            "wrong": [q.options[letter] for letter in q.choices if letter != q.key],
        }
        for q in row.questions
    ]
    return json.dumps({"questions": questions})


def _rows() -> dict[str, str]:
    asked = {f"{row.prompt}\\n\\nWrite ten": _questions(row) for row in ROWS[1:5]}
    return asked | {f"kind of scene: {row.scene}": json.dumps({"prompts": [row.prompt]}) for row in ROWS[1:5]}


def _rewritten() -> dict[str, str]:
    return {row.prompt: json.dumps({"prompt": _shown(row)}) for row in ROWS[:6]}


def _shown(row: SpatialRow) -> str:
    """Return a text that tells what the judge saw."""
    seen = [q.options.get(letter, "") for q, letter in zip(row.questions, SEEN, strict=True)]
    return f"The image shows: {', '.join(filter(None, seen))}."


MODEL = ("--model", "openai/x")
PAINTED = ("images", "--task", "spatialgen/questions", "--limit", "6", "-o", "pictures", *MODEL)
EVAL = ("eval", *MODEL, "--no-cache", "--out", "run")
SCENES = tuple(part for row in ROWS[1:5] for part in ("--scene", row.scene))
JOBS = {
    "zero-shot": Job((*EVAL, "--task", "sgqa", "--limit", "8"), dict, "run"),
    "agent": Job((*EVAL, "--task", "ma-sgg", "--limit", "2", "--solver", "agent"), lambda: ACTIONS, "run"),
    "judge": Job(
        (*JUDGING, "--judge", "openai/eye", "--no-cache", "--out", "run"),
        lambda: {"": "\n".join("A" * 10)}, "run", _images, looks=True,
    ),
    "images": Job(PAINTED, dict, "pictures", looks=True, room=(900, 2000)),
    "images --rewriter": Job(
        (*PAINTED, "--rewriter", "openai/w"), lambda: {row.prompt: f"Again: {row.id}." for row in ROWS[:6]},
        "pictures", looks=True, addresses=("--model-arg", "--rewriter-arg"),
    ),
    "refine": Job(
        ("refine", "g.jsonl", "-o", "out.jsonl", "--vocabulary", "L.json", *MODEL),
        lambda: REFINED, "out.jsonl", _graphs,
    ),
    "generate": Job(
        ("generate", "story.txt", "-o", "out.jsonl", *MODEL), lambda: STORY, "out.jsonl", _story, in_flight=1
    ),
    "formalimg": Job((*FORMULAS, "-o", "out.jsonl", *MODEL), _formulas, "out.jsonl"),
    "sceneeval": Job(
        ("make", "sceneeval", "-o", "out.csv", "--items", "4", *MODEL), lambda: served(draws(4)), "out.csv"
    ),
    "spatialgen": Job(
        ("make", "spatialgen", "-o", "out.jsonl", *SCENES, *MODEL),
        _rows, "out.jsonl", _project,
    ),
    "spatialt2i": Job(
        ("make", "spatialt2i", "--from", "run", "-o", "pairs", *MODEL), _rewritten, "pairs", _judged, looks=True
    ),
}  # fmt: skip


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


@pytest.mark.parametrize("name", JOBS)
def test_a_killed_job_ends_as_if_it_had_not_been_killed(name: str, prepare: Prepare) -> None:
    one = prepare(name)
    with one.job.server(answers=one.requests // 2) as server:
        process = one.start(server, "--quiet")
        process.until(lambda: server.stats()["seen"] > one.requests // 2)
        process.signal(signal.SIGKILL)
        assert process.wait().code == -signal.SIGKILL
        assert 0 <= server.stats()["seen"] - one.answered() <= 2, "at most what was in flight"
        server.release()
        one.finish(server)


@pytest.mark.parametrize("name", ["zero-shot", "refine"])
def test_a_second_ctrl_c_does_not_wait(name: str, prepare: Prepare) -> None:
    one = prepare(name)
    with one.job.server(first=[200, 200], faults={"hang": 1.0}) as server:
        process = one.start(server, "--timeout", "600")
        process.until(lambda: server.stats()["seen"] >= 2 + one.job.in_flight)
        process.signal(signal.SIGINT)
        process.until(lambda: "Ctrl-C again does not wait" in process.err)
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
        process.until(lambda: "no answer for" in process.err)
        before = process.err
        assert "slow down" in before
        process.signal(signal.SIGINT)
        assert process.wait().code == 130
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
