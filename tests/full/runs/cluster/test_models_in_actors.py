"""Models of the user's in actors on a cluster, which are loaded once, busy, and lost."""

from __future__ import annotations

import functools
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ray_nodes import MARKS, Nodes, added, in_use
from run_files import lines

import tsgkit as tk
from tsgkit.library.long_waits import Watch, watched
from tsgkit.runs.executors import model_actors
from tsgkit.runs.executors.ray_cluster import RayExecutor

ray = pytest.importorskip("ray", reason="Ray is an extra: tsgkit[ray]")
pytestmark = MARKS


def test_a_model_answers_as_soon_as_one_place_for_it_is_free(
    executor: RayExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_actors, "LOOK", 0.5)
    executor.connect()
    said = list[str]()
    with in_use(2) as others:

        def note(words: str) -> None:
            said.append(words)
            ray.cancel(others[0], force=True)

        with watched(Watch(note)):
            run = tk.evaluate(
                "sgqa", model={"one": lambda messages: "[cup]"}, limit=3, out=tmp_path / "run", executor="ray",
                cache=False, quiet=True,
            )  # fmt: skip
    assert said[0] == "python:one: waiting for a free processor of the cluster's 2"
    assert run.complete and [one.reply for one in run.samples] == ["[cup]"] * 3


class Busy(Exception):
    status_code = 429


def test_a_failure_in_an_actor_is_tried_again_as_it_would_be_here(joined: None, tmp_path: Path) -> None:
    place = tmp_path / "asked"

    def busy_at_first(messages: list[dict[str, Any]]) -> str:
        count = len(place.read_text()) if place.exists() else 0
        place.write_text("x" * (count + 1))
        if count < 2:
            raise Busy
        return "[cup]"

    run = tk.evaluate(
        "sgqa", model={"busy": busy_at_first}, limit=1, out=tmp_path / "run", executor="ray", cache=False, quiet=True,
        concurrency=1,
    )  # fmt: skip
    assert [one.reply for one in run.samples] == ["[cup]"]
    assert len(place.read_text()) == 3


MODEL = """
import os, pathlib, sys

class Loaded:
    def __init__(self):
        with open({log!r}, "a") as file:
            file.write(f"{{os.getpid()}}\\n")

    def __call__(self, messages):
        if "deadly" in messages[-1]["content"]:
            os._exit(3)
        return "[cup]"

def load():
    return Loaded()

def paint(prompt, seed):
    from PIL import Image
    return Image.new("RGB", (8, 8), (seed % 256, len(prompt) % 256, os.getpid() % 256))
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with models, which only the driver can read by its path."""
    (tmp_path / "mine.py").write_text(MODEL.format(log=str(tmp_path / "loaded.txt")), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "mine.py"


def test_a_model_is_loaded_once_in_each_actor_and_never_here_and_budgets_stop_it(
    joined: None, model: Path, tmp_path: Path
) -> None:
    ask = functools.partial(
        tk.evaluate, "sgqa", model="python:./mine.py:load()", limit=12, cache=False, quiet=True
    )  # fmt: skip
    first = ask(out=tmp_path / "run", executor="ray", max_requests=5)
    assert not first.complete and "5 of 5 requests" in first.stopped
    loaded = [int(line) for line in (tmp_path / "loaded.txt").read_text().split()]
    assert len(loaded) == len(set(loaded)), "no process loads it twice"
    assert 2 <= len(loaded) <= 3, "to look at its code, and in two actors, which may come too late"
    assert os.getpid() not in loaded
    run = ask(out=tmp_path / "run", executor="ray")
    assert run.complete and {one.reply for one in run.samples} == {"[cup]"}
    calls = list(lines(tmp_path / "run/calls.jsonl"))
    assert len(calls) == len({one["sample"] for one in calls}) == 12, "nothing is asked twice"
    here = ask(out=tmp_path / "here")
    identities = [json.loads((one.path / "run.json").read_text())["identity"] for one in (run, here)]
    assert identities[0] == identities[1]


def test_images_are_made_by_a_function_in_actors(joined: None, model: Path, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="images are checked by Pillow, the extra tsgkit[images]")
    made = tk.images("spatialgen", "python:./mine.py:paint", tmp_path / "out", limit=4, executor="ray", quiet=True)
    assert made.painted == 4
    assert len(list((tmp_path / "out").glob("*.png"))) == 4


SLOW = """
import time
from PIL import Image

def paint(prompt, seed):
    time.sleep(0.5)
    return Image.new("RGB", (8, 8))
"""


def after_images(folder: Path, count: int, then: Callable[[], object]) -> threading.Thread:
    """Do something when there are so many images."""

    def wait() -> None:
        while len(list(folder.glob("*.png"))) < count:
            time.sleep(0.05)
        then()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_a_model_whose_node_is_lost_is_held_by_others_and_by_none_if_there_are_none(
    cluster: Nodes, joined: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL", reason="images are checked by Pillow, the extra tsgkit[images]")
    monkeypatch.setattr(model_actors, "LOOK", 1.0)
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    paint = functools.partial(tk.images, "spatialgen", "python:./slow.py:paint", out, executor="ray", quiet=True)
    with_gpu = [added(cluster, num_cpus=0, num_gpus=1) for _ in range(2)]
    cluster.wait_for_nodes()

    def lose_one() -> None:
        cluster.remove_node(with_gpu.pop(), allow_graceful=False)

    after_images(out, 3, lose_one)
    last = after_images(out, 12, lose_one)
    made = paint(max_outage=0.05)
    last.join()
    assert not with_gpu and 12 <= made.painted < 25 and "the nodes that held it were lost" in made.given_up
    with_gpu.append(added(cluster, num_cpus=0, num_gpus=1))
    cluster.wait_for_nodes()
    try:
        assert paint().complete
    finally:
        cluster.remove_node(with_gpu.pop())
    assert len(list(out.glob("*.png"))) == 25
    assert capfd.readouterr().out == "", "what happens on nodes is not printed among results"
