"""Work on a Ray cluster, as far as it needs none: addresses, losses, files that travel, and models in actors.

What needs a cluster is tested in ``tests/full``; here a stand-in takes the place of the library.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from tsgkit.errors import ExtraMissing, FileProblem, TsgkitError, UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.reply import Reply
from tsgkit.llm.user_code import load_object
from tsgkit.llm.user_models import UserModel, fingerprint
from tsgkit.runs.executors import executor, model_actors, ray_cluster
from tsgkit.runs.executors.executor import Carried, NodeLost, carried, tried, with_files
from tsgkit.runs.executors.model_actors import HeldModel, _Actor, _Holder
from tsgkit.runs.executors.ray_cluster import Cluster, outcome_of
from tsgkit.runs.executors.workers import WorkerDied
from tsgkit.suites.judgement import ItemError
from tsgkit.suites.transcript import LabelledReply, Transcript

ERRORS = (
    *("NodeDiedError", "ObjectLostError", "LocalRayletDiedError", "WorkerCrashedError", "OutOfMemoryError"),
    *("RayActorError", "RayTaskError", "RayError", "AuthenticationError"),
)
Ray = Any
"""The library, or what stands in its place."""


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    """In the place of the library: what it is told of a cluster, and what it was asked to do."""
    made: Any = ModuleType("ray")
    made.exceptions = ModuleType("ray.exceptions")
    for name in ERRORS:
        setattr(made.exceptions, name, type(name, (Exception,), {}))
    made.resources, made.alive, made.is_ready = {"CPU": 8.0}, {"n1": "here", "n2": "there"}, False
    made.killed, made.cancelled = [], []
    monkeypatch.setattr(Cluster, "connect", lambda _: None)
    made.cluster_resources = lambda: made.resources
    made.nodes = lambda: [
        {"NodeID": node, "Alive": node in made.alive, "NodeManagerHostname": made.alive.get(node, name)}
        for node, name in (("n1", "here"), ("n2", "there"), ("n3", "gone"))
    ]
    made.wait = lambda references, **_: (references, []) if made.is_ready else ([], references)
    made.kill = made.killed.append
    made.cancel = lambda reference, *, force: made.cancelled.append((reference, force))
    monkeypatch.setitem(sys.modules, "ray", made)
    monkeypatch.setitem(sys.modules, "ray.exceptions", made.exceptions)
    return made


def ready(value: object) -> Any:  # noqa: ANN401
    """Return a reference whose value is there, or that raises it."""
    found: Future[Any] = Future()
    if isinstance(value, Exception):
        found.set_exception(value)
    else:
        found.set_result(value)
    return SimpleNamespace(future=lambda: found)


def test_a_cluster_says_what_it_has_and_how_many_units_it_takes(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster()
    for resources, numbers in (({"CPU": 8.0}, (8, 8, 0)), ({"CPU": 0.5, "GPU": 2.0}, (1, 0, 2)), ({}, (1, 0, 0))):
        ray.resources = resources
        assert (cluster.cpus, cluster.count("CPU"), cluster.count("GPU")) == numbers
    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    assert cluster.carries
    ray.alive = {"n1": "here"}
    assert not Cluster().carries and ray_cluster.was_lost("n2") and not ray_cluster.was_lost("n1")
    for cpus, most, workers in ((8.0, None, 10), (2.0, None, 3), (100.0, None, 125), (8.0, 4, 4), (8.0, 40, 10)):
        ray.resources = {"CPU": cpus}
        assert Cluster(most).workers == workers, cpus


def test_ray_is_an_extra_whose_client_is_not_used_and_a_token_is_read_anew_where_the_mode_changes(
    ray: Ray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _: None)
    with pytest.raises(ExtraMissing):
        ray_cluster.check()
    monkeypatch.setattr(ray_cluster, "find_spec", lambda _: object())
    monkeypatch.setenv("RAY_ADDRESS", "ray://a:1")
    with pytest.raises(UsageError, match="Ray's client is not used"):
        ray_cluster.check()
    monkeypatch.setenv("RAY_ADDRESS", "a:1")
    ray_cluster.check()
    done = list[str]()
    loader = SimpleNamespace(reset_cache=lambda: done.append("reset"), has_token=lambda **_: False)
    raylet: Any = ModuleType("ray._raylet")
    raylet.Config = SimpleNamespace(initialize=lambda _: done.append("read"))
    raylet.AuthenticationTokenLoader = SimpleNamespace(instance=lambda: loader)
    monkeypatch.setitem(sys.modules, "ray._raylet", raylet)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    ray_cluster.prove_by(None)
    assert done == []
    ray_cluster.prove_by("token")
    assert (os.environ["RAY_AUTH_MODE"], done) == ("token", ["read", "reset"])
    ray_cluster.prove_by(None)
    assert "RAY_AUTH_MODE" not in os.environ and len(done) == 4


def test_errors_are_named_in_one_line_and_a_unit_is_done_in_the_folder_of_the_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [ray_cluster._first_line(ValueError(text)) for text in ("\n one\ntwo", "", "x" * 300)]
    assert said == ["one", "ValueError", "x" * 200]
    assert set(ray_cluster._versions()) == {"tsgkit", "Python"}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    done = ray_cluster._unit(lambda shared, item: (shared, item, Path.cwd().name), 1, 2, str(tmp_path / "inner"), 60.0)
    assert done == (1, 2, "inner")
    assert ray_cluster._unit(lambda *_: Path.cwd(), 1, 2, str(tmp_path / "nowhere"), 60.0) == tmp_path / "inner"


def test_units_that_do_not_begin_are_waited_for_aloud(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    executor = Cluster()
    assert executor.waits_for() == ""
    executor._first, executor._asked_at = object(), 100.0
    now[0] = 109.9
    assert executor.waits_for() == ""
    now[0] = 110.0
    assert executor.waits_for() == "no unit has begun for 10 s: others may use all 8 processors of the cluster"
    ray.resources = {}
    assert executor.waits_for() == "the cluster has no processor"
    ray.is_ready = True
    assert executor.waits_for() == "" and executor._has_begun
    ray.is_ready = False
    assert executor.waits_for() == "", "it has begun"


def test_a_unit_is_begun_again_but_not_for_ever_and_what_a_call_ends_with_is_told_apart(ray: Ray) -> None:
    died, lost = ray.exceptions.WorkerCrashedError(), ray.exceptions.NodeDiedError()
    for errors, message in (
        ([died] * 2 + [lost] * 9, ""),
        ([lost] * 9 + [died] * 3, "the workers that computed it died or hung, 3 times"),
        ([died] * 2 + [lost] * 10, "the nodes that computed it were lost, again and again"),
    ):
        outcomes = iter([*errors, "made"])
        unit = tried(lambda outcomes=outcomes: outcome_of(ready(next(outcomes))), "workers")  # type: ignore[misc]
        with pytest.raises(ItemError, match=f"^{message}$") if message else nullcontext():
            assert asyncio.run(unit) == "made"
        assert list(outcomes) == (["made"] if message else [])
    own = (TsgkitError("told"), ItemError("told"), CallFailed("told"))
    causes = [(None, "RayTaskError in a worker"), (ValueError("secret"), "ValueError in a worker")]
    for cause, message in (*causes, *((error, "told") for error in own)):
        error = ray.exceptions.RayTaskError()
        error.cause = cause
        with pytest.raises(type(cause) if cause in own else ItemError, match=f"^{message}$"):
            asyncio.run(outcome_of(ready(error)))
    for name, kind in zip(ERRORS[:6], (NodeLost, NodeLost, NodeLost, *[WorkerDied] * 3), strict=True):
        with pytest.raises(kind):
            asyncio.run(outcome_of(ready(getattr(ray.exceptions, name)())))

    async def cancelled() -> None:
        reference = SimpleNamespace(future=Future)
        task = asyncio.ensure_future(outcome_of(reference))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ray.cancelled == [(reference, True)]

    asyncio.run(cancelled())


def test_an_address_where_no_cluster_answers_is_refused(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    raylet: Any = ModuleType("ray._raylet")
    raylet.GcsClient = lambda address: None
    monkeypatch.setitem(sys.modules, "ray._raylet", raylet)
    for address in ("nowhere", ":1", "host:port", "host:"):
        with pytest.raises(UsageError, match="not HOST:PORT"):
            ray_cluster.check_address(address)
    for answer, reason in ((bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)), ""), (b"HTTP/1.1 ", "something else answers there")):
        with socket.create_server(("127.0.0.1", 0)) as server:
            heard = list[bytes]()

            def serve(answer: bytes = answer, heard: list[bytes] = heard, server: socket.socket = server) -> None:
                connection, _ = server.accept()
                with connection:
                    heard.append(connection.recv(100))
                    connection.sendall(answer)

            thread = threading.Thread(target=serve)
            thread.start()
            with pytest.raises(UsageError, match=reason) if reason else nullcontext():
                ray_cluster.check_address(f"127.0.0.1:{server.getsockname()[1]}")
            thread.join()
            assert heard[0].startswith(b"PRI * HTTP/2.0") and len(heard[0]) == 33
    with pytest.raises(UsageError, match="no cluster answers: Connection refused"):
        ray_cluster.check_address("127.0.0.1:1")


@dataclass(frozen=True)
class Reader:
    """A solver that reads files of one folder."""

    folder: Path | None

    def files_of(self, sample: object) -> list[Path]:
        assert self.folder is not None
        return [Path(os.path.normpath(self.folder / name)) for name in ("a.txt", "in/b.txt", "no.txt", "../out.txt")]

    def in_folder(self, folder: Path) -> Reader:
        return Reader(folder)


def test_files_travel_with_their_sample_and_come_back_by_their_own_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "ReadsFolder", Reader)
    home = tmp_path / "home"
    (home / "in").mkdir(parents=True)
    for name in ("a.txt", "in/b.txt", "../out.txt"):
        (home / name).write_text(name)
    reader: Any = Reader(home)
    item = carried(reader, "s")
    assert item == Carried("s", {"a.txt": b"a.txt", "in/b.txt": b"in/b.txt"})
    with monkeypatch.context() as patch, pytest.raises(FileProblem, match=r"\.\./out\.txt is outside its folder"):
        patch.setattr(Reader, "files_of", lambda *_: [home / "../out.txt"])
        carried(reader, "s")
    empty, other = cast(Any, Reader(None)), cast(Any, object())
    assert carried(empty, "s") == "s" == carried(other, "s")

    def work(solver: Any, sample: object) -> Transcript:  # noqa: ANN401
        folder = solver.folder
        assert folder != home and (folder / "in/b.txt").read_bytes() == b"in/b.txt"
        said = Reply(f"{sample}: {folder}/a.txt", error=str(folder))
        return Transcript((LabelledReply("local", said), LabelledReply("x", Reply(None))))

    [said, empty] = with_files(work, reader, item).said
    assert (said.reply.text, said.reply.error, empty.reply.text) == (f"s: {home}/a.txt", str(home), None)
    alone = with_files(lambda solver, sample: Transcript((LabelledReply(str(sample), Reply("")),)), reader, "s")
    assert alone.said[0].label == "s"


def actor(problem: TsgkitError | None = None, *replies: object) -> _Actor:
    """Return an actor that loads at once, and each time that it is started answers in these ways."""
    answers, loaded = map(ready, replies), Future[Any]()
    loaded.set_result(problem or "fingerprint")
    handle = SimpleNamespace(
        place=SimpleNamespace(remote=lambda: ready("n1")),
        load=SimpleNamespace(remote=lambda: SimpleNamespace(future=lambda: loaded)),
        send=SimpleNamespace(remote=lambda *_: next(answers)),
    )
    return _Actor(lambda: copy(handle))


def model(*actors: _Actor, cpus: int = 4, gpus: int = 0, room: int = 1, most: int | None = None) -> HeldModel:
    """Return a model in these actors of a cluster with these processors."""
    counts = {"CPU": cpus * room, "GPU": gpus}
    held = HeldModel(SimpleNamespace(name="m"), cast(Any, SimpleNamespace(cpus=cpus, count=counts.__getitem__)), most)
    held._actors = list(actors)
    return held


def test_a_model_has_an_actor_for_each_gpu_else_for_each_processor_to_which_its_images_travel(tmp_path: Path) -> None:
    for cpus, gpus, most, slots in ((4, 0, None, 4), (4, 2, None, 2), (4, 0, 3, 3), (4, 0, 9, 4), (4, 8, 5, 5)):
        assert model(cpus=cpus, gpus=gpus, most=most).slots == slots, (cpus, gpus, most)

    async def send(messages: list[Any], *_: object) -> Reply:
        paths = [Path(part["path"]) for part in messages[1]["content"][1:]]
        return Reply(" ".join(f"{path.name} {path.read_text()}" for path in paths))

    parts: list[Any] = [{"type": "image_file", "path": path} for path in ("/a/x.png", "/b/x.jpg")]
    messages: list[dict[str, Any]] = [
        {"content": "a text"},
        {"content": [{"type": "text", "text": "Look"}, *parts, parts[0]]},
    ]
    holder = _Holder(SimpleNamespace(send=send), None, "")
    assert holder.send(messages, None, 1.0, {"/a/x.png": b"1", "/b/x.jpg": b"2"}).text == "0.png 1 1.jpg 2 0.png 1"


def test_an_actor_loads_a_model_from_the_text_of_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def load(messages):\n    return '7'\n")
    elsewhere = UserModel("python:/nowhere/mine.py:load")
    loaded = _Holder(elsewhere, (tmp_path / "mine.py").read_text(), str(tmp_path)).load()
    assert loaded == fingerprint(load_object(f"python:{tmp_path}/mine.py:load"))
    assert asyncio.run(elsewhere.send([], None, 9.0)).text == "7"
    missing = _Holder(UserModel("python:/nowhere/mine.py:ask"), None, str(tmp_path)).load()
    assert isinstance(missing, UsageError)


def test_actors_are_taken_when_they_are_loaded_and_replaced_when_lost(ray: Ray) -> None:
    one = actor(None, ray.exceptions.RayActorError(), Reply("good"))
    held, first = model(one), one.handle
    assert asyncio.run(held.send([], None, 9.0)).text == "good"
    assert ray.killed == [first] and one.handle is not first and one.node == "n1"


def test_an_actor_that_cannot_load_its_model_is_told(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_actors, "LOOK", 0.01)
    with pytest.raises((UsageError, CallFailed), match="no such function"):
        asyncio.run(model(actor(UsageError("no such function"))).send([], None, 9.0))
    for broken, starting, room, message in (
        (2, 0, 1, "why"), (1, 1, 0, "the nodes that held it were lost"), (1, 1, 1, ""), (1, 0, 0, ""),
    ):  # fmt: skip
        held = model(actor(), actor(), room=room)
        held._broken = dict.fromkeys(held._actors[:broken], "why")
        for number, each in enumerate(held._actors):
            each.loading = SimpleNamespace(done=lambda number=number, starting=starting: number < 2 - starting)

        async def taken(held: HeldModel = held) -> _Actor:
            asyncio.get_running_loop().call_later(0.1, held._idle.put_nowait, held._actors[1])
            return await held._taken()

        if not message:
            assert asyncio.run(taken()) is held._actors[1]
            continue
        with pytest.raises(CallFailed, match=f"^m: {message}$") as problem:
            asyncio.run(taken())
        assert (problem.value.lasting, problem.value.unreachable) == (message == "why", message != "why")
