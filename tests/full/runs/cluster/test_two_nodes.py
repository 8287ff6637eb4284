"""Units, runs and models on a cluster of two nodes, which lose workers and are lost themselves."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray
import ray_units
from ray_nodes import LONGEST, MARKS, Nodes, added, each, in_use, until
from run_files import lines
from shipped import TASKS

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.library.downloads import Watch, watched
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.executors import model_actors, ray_cluster
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.plan import Plan
from tsgkit.suites.judgement import ItemError

pytestmark = MARKS
DIED = "the workers that computed it died or hung, 3 times"


def test_units_are_done_on_both_nodes_in_order_and_failures_are_errors_without_their_words(
    executor: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubled = asyncio.run(each(executor, ray_units.doubled, 2, 8))
    assert [value for value, _ in doubled] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert len({process for _, process in doubled} - {os.getpid()}) >= 2
    assert os.getpid() not in {process for _, process in doubled}
    assert executor.workers == 3, "two processors, and one unit that waits"
    executor.shared.clear()
    sizes = asyncio.run(each(executor, ray_units.size_of, bytes(5_000_000), 4))
    assert [value for value, _ in sizes] == [5_000_000, 5_000_001, 5_000_002, 5_000_003]
    assert len(executor.shared) == 1, "what is shared travels once"
    for work, errors in (
        (ray_units.raising, {1: "ValueError in a worker"}),
        (ray_units.greedy, {1: "MemoryError in a worker", 2: DIED, 3: DIED}),
    ):
        monkeypatch.setattr(executor, "_longest", 5.0)
        values = asyncio.run(each(executor, work, None, 4))
        assert all(isinstance(values[number], ItemError) for number in errors), work
        assert [str(one) for one in values] == [errors.get(number, str(number)) for number in range(4)], work


def test_a_unit_that_hangs_is_left_when_it_is_cancelled_and_processors_in_use_are_waited_for_and_it_is_said(
    executor: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancelled() -> tuple[int, int]:
        hanging = asyncio.ensure_future(executor.run(ray_units.held, str(tmp_path), 7))
        await until((tmp_path / "7").exists)
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        found: tuple[int, int] = await executor.run(ray_units.doubled, 2, 2)
        return found

    assert asyncio.run(cancelled())[0] == 4
    monkeypatch.setattr(ray_cluster, "SLOW", 0.5)
    (tmp_path / "others").mkdir()

    async def waiting(newcomer: Cluster) -> list[Any]:
        with in_use(tmp_path / "others"):
            begun = asyncio.ensure_future(each(newcomer, ray_units.doubled, 2, 2))
            await until(newcomer.waits_for)
            assert newcomer.waits_for().endswith("others may use all 2 processors of the cluster")
        found = await begun
        assert newcomer.waits_for() == ""
        return found

    with Cluster() as newcomer:
        newcomer.connect()
        assert [value for value, _ in asyncio.run(waiting(newcomer))] == [0, 2]


def test_folders_that_a_machine_has_not_got_and_another_version_on_a_node_are_refused(
    executor: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Cluster, "carries", True)
    executor.check_folders([tmp_path])
    with pytest.raises(UsageError, match=r"node .*: there is no folder .*assets"):
        executor.check_folders([tmp_path, tmp_path / "assets"])
    monkeypatch.setattr(ray_cluster, "__version__", "9.9.9")
    with pytest.raises(UsageError, match=r"node .*: tsgkit .* instead of 9\.9\.9"):
        Cluster().connect()


def test_records_equal_those_that_were_made_here_and_rooms_travel_to_machines_that_do_not_have_them(
    joined: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(TASKS / "sceneeval/data/rooms/good", tmp_path / "rooms")
    (tmp_path / "rooms/scene_1.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    rooms = Plan(tasks=("sceneeval/plausibility",), scenes=("mine=rooms",), ids=("0", "1"))
    baseline = Plan(tasks=("tsg/sgqa", "formalimg/layout"), models=("baseline/random",), limit=6)
    for name, plan, is_spread in (("baseline", baseline, False), ("rooms", rooms, False), ("away", rooms, True)):
        monkeypatch.setattr(Cluster, "carries", is_spread)
        for executor in ("here", "ray"):
            evaluate(plan, RunOptions(out=tmp_path / name / executor, executor=executor))
        records = (tmp_path / name / "ray/samples.jsonl").read_bytes()
        assert records == (tmp_path / name / "here/samples.jsonl").read_bytes(), name
        assert (b'"outcome":"unreadable"' in records) is (plan is rooms) and b"tsgkit-unit-" not in records, name


class Busy(Exception):
    status_code = 429


def test_a_model_answers_as_soon_as_one_place_is_free_and_its_failures_are_tried_again_as_here(
    executor: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_actors, "LOOK", 0.5)
    said = list[str]()
    place = tmp_path / "asked"

    def busy_at_first(messages: list[dict[str, Any]]) -> str:
        count = len(place.read_text()) if place.exists() else 0
        place.write_text("x" * (count + 1))
        if count < 2:
            raise Busy
        return "[cup]"

    (tmp_path / "others").mkdir()
    with in_use(tmp_path / "others") as others:

        def note(words: str) -> None:
            said.append(words)
            ray.cancel(others[0], force=True)

        with watched(Watch(note)):
            run = tk.evaluate(
                "sgqa", model={"busy": busy_at_first}, limit=2, out=tmp_path / "run", executor="ray", cache=False,
                quiet=True, concurrency=1,
            )  # fmt: skip
    assert said[0] == "python:busy: waiting for a free processor of the cluster's 1", (
        "one, since one is asked at a time"
    )
    assert run.complete and [one.reply for one in run.samples] == ["[cup]"] * 2
    assert len(place.read_text()) == 4, "two failures, and two answers"


MODEL = """
import os, time

class Loaded:
    def __init__(self):
        with open({log!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")

    def __call__(self, messages):
        return "[cup]"

def load():
    return Loaded()

def paint(prompt, seed):
    from PIL import Image
    time.sleep(0.3)
    return Image.new("RGB", (8, 8), (seed % 256, len(prompt) % 256, os.getpid() % 256))
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with models, which only the driver can read by its path."""
    (tmp_path / "mine.py").write_text(MODEL.format(log=str(tmp_path / "loaded.txt")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def test_a_model_is_loaded_once_in_each_actor_and_never_here(joined: None, model: None, tmp_path: Path) -> None:
    ask = functools.partial(tk.evaluate, "sgqa", model="python:./mine.py:load()", limit=8, cache=False, quiet=True)
    run = ask(out=tmp_path / "run", executor="ray")
    loaded = [int(line) for line in (tmp_path / "loaded.txt").read_text().split()]
    assert len(loaded) == len(set(loaded)), "no process loads it twice"
    assert 2 <= len(loaded) <= 3, "to look at its code, and in two actors, which may come too late"
    assert os.getpid() not in loaded
    assert run.complete and {one.reply for one in run.samples} == {"[cup]"}
    calls = list(lines(tmp_path / "run/calls.jsonl"))
    assert len(calls) == len({one["sample"] for one in calls}) == 8, "nothing is asked twice"
    here = ask(out=tmp_path / "here")
    identities = [json.loads((one.path / "run.json").read_text())["identity"] for one in (run, here)]
    assert identities[0] == identities[1]


def after_images(folder: Path, count: int, then: Callable[[], object]) -> threading.Thread:
    """Do something when there are so many images."""

    def wait() -> None:
        last = time.monotonic() + LONGEST
        while len(list(folder.glob("*.png"))) < count and time.monotonic() < last:
            time.sleep(0.05)
        then()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_a_model_whose_node_is_lost_is_held_by_others_and_by_none_if_there_are_none(
    cluster: Nodes, joined: None, model: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(model_actors, "LOOK", 1.0)
    out = tmp_path / "out"
    paint = functools.partial(tk.images, "spatialgen", "python:./mine.py:paint", out, executor="ray", quiet=True)
    with_gpu = [added(cluster, num_cpus=0, num_gpus=1) for _ in range(2)]
    cluster.wait_for_nodes()

    def lose_one() -> None:
        cluster.remove_node(with_gpu.pop(), allow_graceful=False)

    after_images(out, 2, lose_one)
    last = after_images(out, 5, lose_one)
    painted = paint(max_outage=0.05)
    last.join()
    assert not with_gpu and 5 <= painted.painted < 25 and "the nodes that held it were lost" in painted.given_up
    assert len(list(out.glob("*.png"))) == painted.painted
    assert capfd.readouterr().out == "", "what happens on nodes is not printed among results"
