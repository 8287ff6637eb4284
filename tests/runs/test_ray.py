"""Ray behind the engine: a real cluster of two nodes on this machine, which lose workers and are lost themselves."""

from __future__ import annotations

import asyncio
import fcntl
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import ray_units
from run_files import lines
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.long_waits import Watch, watched
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.executors import model_actors, ray_cluster
from tsgkit.runs.executors.executor import Work
from tsgkit.runs.executors.ray_cluster import DIED, RayExecutor
from tsgkit.runs.plan import Plan
from tsgkit.suites.item_errors import ItemError

ray = pytest.importorskip("ray", reason="Ray is an extra: tsgkit[ray]")
pytestmark = [
    pytest.mark.slow,
    # Ray's own: what it opens for its processes it leaves to the collector, and its fork of a test's process warns.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Nodes = Any
"""Ray's cluster for tests, which has no types."""
HERE = Path(__file__).parents[1]
PATHS = os.pathsep.join([str(HERE.parent), str(HERE)])


@contextmanager
def one_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no other worker of these tests be here meanwhile."""
    with (tmp_path_factory.getbasetemp().parent / "cluster.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def started(start: Callable[[], Nodes]) -> Nodes:
    """Return a node or a cluster. On a busy machine one may take longer to start than Ray waits."""
    for left in (2, 1, 0):
        try:
            return start()
        except Exception as error:
            if not left or "timed out during startup" not in str(error):
                raise
    raise AssertionError


def added(cluster: Nodes, **node: int) -> Nodes:
    """Return another node."""
    return started(functools.partial(cluster.add_node, **node))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A cluster of two nodes with one processor each."""
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch:
        for name, value in ray_cluster.QUIET.items():
            patch.setenv(name, value)
        patch.setenv("RAY_AUTH_MODE", "disabled")
        patch.setenv("PYTHONPATH", PATHS)
        head = {"num_cpus": 1, "include_dashboard": False}
        with one_at_a_time(tmp_path_factory):  # several that start at once on a busy machine do not find each other
            made = started(functools.partial(Cluster, initialize_head=True, head_node_args=head))
            added(made, num_cpus=1)
        patch.setenv("RAY_ADDRESS", made.address)
        try:
            yield made
        finally:
            made.shutdown()


@pytest.fixture
def executor(cluster: Nodes) -> Iterator[RayExecutor]:
    with RayExecutor() as found:
        yield found


async def each(executor: RayExecutor, work: Work, shared: object, count: int) -> list[Any]:
    units = (executor.run(work, shared, number) for number in range(count))
    return list(await asyncio.gather(*units, return_exceptions=True))


def test_units_are_done_on_both_nodes_and_come_back_in_order(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.doubled, 2, 8))
    assert [value for value, _ in found] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert len({process for _, process in found}) >= 2
    assert os.getpid() not in {process for _, process in found}
    assert executor.workers == 3, "two processors, and one unit that waits"


def test_what_is_shared_travels_once(executor: RayExecutor) -> None:
    shared = bytes(5_000_000)
    found = asyncio.run(each(executor, ray_units.size_of, shared, 20))
    assert [value for value, _ in found] == [5_000_000 + number for number in range(20)]
    assert len(executor.cluster.shared) == 1


def test_a_unit_that_raises_is_an_error_without_its_words(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.raising, None, 3))
    assert found[0] == 0 and found[2] == 2
    assert isinstance(found[1], ItemError) and str(found[1]) == "ValueError in a worker"


def test_a_unit_that_kills_its_workers_is_given_up_after_three(executor: RayExecutor) -> None:
    found = asyncio.run(each(executor, ray_units.greedy, None, 4))
    assert found[0] == 0 and found[3] == 3
    assert isinstance(found[1], ItemError) and str(found[1]) == "MemoryError in a worker"
    assert isinstance(found[2], ItemError) and str(found[2]) == DIED


def test_a_unit_that_hangs_is_left_when_it_is_cancelled(executor: RayExecutor) -> None:
    async def work() -> float:
        hanging = asyncio.ensure_future(executor.run(ray_units.hanging, None, 1))
        await asyncio.sleep(1)
        began = time.monotonic()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging
        assert await executor.run(ray_units.hanging, None, 2) == 2
        return time.monotonic() - began

    assert asyncio.run(work()) < 60


@contextmanager
def in_use(count: int) -> Iterator[list[Any]]:
    """Let others use so many processors of the cluster while the block lasts, or until they are cancelled."""
    others = [ray.remote(ray_units.hanging).remote(None, 1) for _ in range(count)]
    while ray.available_resources().get("CPU", 0) > 2 - count:
        time.sleep(0.05)
    try:
        yield others
    finally:
        for one in others:
            ray.cancel(one, force=True)


def test_processors_that_others_use_are_waited_for_and_it_is_said(
    executor: RayExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "SLOW", 0.5)
    executor.connect()

    async def units() -> list[Any]:
        with in_use(2):
            begun = asyncio.ensure_future(each(executor, ray_units.doubled, 2, 2))
            while not (why := executor.waits_for()):
                await asyncio.sleep(0.05)
            assert why.endswith("others may use all 2 processors of the cluster")
        found = await begun
        assert executor.waits_for() == ""
        return found

    assert [value for value, _ in asyncio.run(units())] == [0, 2]


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


def test_the_units_of_a_node_that_is_lost_are_done_again(cluster: Nodes, executor: RayExecutor) -> None:
    lost = added(cluster, num_cpus=1)
    cluster.wait_for_nodes()

    async def work() -> list[Any]:
        units = asyncio.ensure_future(each(executor, ray_units.doubled, 3, 30))
        await asyncio.sleep(2)
        await asyncio.to_thread(cluster.remove_node, lost, allow_graceful=False)
        return await units

    found = asyncio.run(work())
    assert [one[0] for one in found] == [3 * number for number in range(30)]


def test_records_equal_those_that_were_made_here(cluster: Nodes, tmp_path: Path) -> None:
    proved = ("formalimg/layout",) if find_spec("ortools") else ()  # formulas are an extra: tsgkit[logic]
    plan = Plan(tasks=("tsg/sgqa", *proved), models=("baseline/random",), limit=6)
    for name in ("here", "ray"):
        evaluate(plan, Options(out=tmp_path / name, executor=name))
    assert (tmp_path / "here/samples.jsonl").read_bytes() == (tmp_path / "ray/samples.jsonl").read_bytes()


@pytest.mark.parametrize("spread", [False, True])
def test_rooms_travel_to_machines_that_do_not_have_them(
    spread: bool, cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcl", reason="rooms are measured by the extra tsgkit[scenes]")
    shutil.copytree(TASKS / "sceneeval/data/rooms/good", tmp_path / "rooms")
    (tmp_path / "rooms/scene_1.json").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ray_cluster.Cluster, "is_spread", property(lambda _: spread))
    plan = Plan(tasks=("sceneeval/plausibility",), scenes=("mine=rooms",), ids=("0", "1", "2"))
    for name in ("here", "ray"):
        evaluate(plan, Options(out=tmp_path / name, executor=name))
    assert (tmp_path / "here/samples.jsonl").read_bytes() == (tmp_path / "ray/samples.jsonl").read_bytes()
    records = (tmp_path / "ray/samples.jsonl").read_bytes()
    assert b'"outcome":"unreadable"' in records and b"tsgkit-unit-" not in records


def test_folders_that_a_machine_has_not_got_are_refused(executor: RayExecutor, tmp_path: Path) -> None:
    executor.connect()
    executor.cluster.check_folders([tmp_path])
    with pytest.raises(UsageError, match="there is no folder"):
        executor.cluster.check_folders([tmp_path, tmp_path / "assets"])


class Busy(Exception):
    status_code = 429


def test_a_failure_in_an_actor_is_tried_again_as_it_would_be_here(cluster: Nodes, tmp_path: Path) -> None:
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
    cluster: Nodes, model: Path, tmp_path: Path
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


def test_images_are_made_by_a_function_in_actors(cluster: Nodes, model: Path, tmp_path: Path) -> None:
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
    cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
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


def test_another_version_on_a_node_is_refused(cluster: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "__version__", "9.9.9")
    with pytest.raises(UsageError, match=r"node .*: tsgkit .* instead of 9\.9\.9"), RayExecutor() as found:
        found.connect()
    assert not ray.is_initialized()


def test_a_driver_that_is_killed_goes_on_and_records_everything_once(cluster: Nodes, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", "eval", "--task", "sgqa,sgds,sa-sgg", "--model", "baseline/random"]
    command += ["--seed", "1", "--executor", "ray", "--out", str(tmp_path / "run"), "--quiet"]
    environment = {**os.environ, "PYTHONPATH": PATHS}
    process = subprocess.Popen(command, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL)
    recorded, deadline = tmp_path / "run/samples.jsonl", time.monotonic() + 90
    while time.monotonic() < deadline and not (recorded.is_file() and recorded.stat().st_size > 20_000):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = recorded.read_bytes().count(b"\n")
    assert before > 0
    assert subprocess.run(command, env=environment, cwd=tmp_path, check=False).returncode == 0
    plan = Plan(tasks=("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"), models=("baseline/random",), seed=1)
    evaluate(plan, Options(out=tmp_path / "here", executor="here"))
    found = [(one["task"], one["item_id"], one["answer"]) for one in lines(recorded)]
    assert found == [(one["task"], one["item_id"], one["answer"]) for one in lines(tmp_path / "here/samples.jsonl")]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "no cluster answers"),
        ("nowhere", "not HOST:PORT"),
        ("ray://127.0.0.1:10001", "Ray's client is not used"),
    ],
)
def test_an_address_without_a_cluster_is_told_in_seconds(
    address: str, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)
    began = time.monotonic()
    words = ["eval", "--task", "sgqa", "--limit", "2", "--executor", "ray", "--out", str(tmp_path / "run"), "--quiet"]
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert time.monotonic() - began < 30


def test_ray_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match="which is not installed") as problem:
        ray_cluster.check()
    assert "tsgkit[ray]" in problem.value.hint
