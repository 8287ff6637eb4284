"""Work on a Ray cluster, as far as it needs none: addresses, losses, files that travel, and models in actors.

What needs a cluster is tested in ``tests/full``; here a stand-in takes the place of the library.
"""

from __future__ import annotations

import asyncio
import functools
import os
import socket
import sys
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from tsgkit.errors import ExtraMissing, TsgkitError, UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.reply import Reply
from tsgkit.runs.executors import carried_files, model_actors, ray_address, ray_cluster
from tsgkit.runs.executors.carried_files import Carried, carried, with_files
from tsgkit.runs.executors.model_actors import HeldModel, _Actor, _Actors
from tsgkit.runs.executors.ray_cluster import DIED, Cluster, Losses, Lost, RayExecutor, outcome_of, tried
from tsgkit.suites.item_errors import ItemError
from tsgkit.suites.transcript import LabelledReply, Transcript

ERRORS = (
    *("NodeDiedError", "ObjectLostError", "LocalRayletDiedError", "WorkerCrashedError", "OutOfMemoryError"),
    *("RayActorError", "RayTaskError", "RayError"),
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
    assert (cluster.cpus, cluster.gpus, cluster.has("CPU"), cluster.has("GPU")) == (8, 0, True, False)
    ray.resources = {"CPU": 0.5, "GPU": 2.0}
    assert (cluster.cpus, cluster.gpus, cluster.has("CPU"), cluster.has("GPU")) == (1, 2, False, True)
    ray.resources = {}
    assert (cluster.cpus, cluster.gpus) == (1, 0)
    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    spread = [cluster.is_spread]
    ray.alive = {"n1": "here"}
    spread.append(cluster.is_spread)
    assert spread == [True, False] and ray_cluster.was_lost("n2") and not ray_cluster.was_lost("n1")
    monkeypatch.setattr(Cluster, "connect", lambda _: None)
    for cpus, most, workers in ((8.0, None, 10), (2.0, None, 3), (100.0, None, 125), (8.0, 4, 4), (8.0, 40, 10)):
        ray.resources = {"CPU": cpus}
        assert RayExecutor(most).workers == workers, cpus
    ray.alive["n2"] = "there"
    assert RayExecutor().carries


def test_ray_is_an_extra_whose_client_is_not_used_and_a_token_is_read_anew_where_the_mode_changes(
    monkeypatch: pytest.MonkeyPatch,
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
    raylet = SimpleNamespace(
        Config=SimpleNamespace(initialize=lambda _: done.append("read")),
        AuthenticationTokenLoader=SimpleNamespace(instance=lambda: loader),
    )
    monkeypatch.setattr(ray_address, "_raylet", lambda: raylet)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    ray_address.prove_by(None)
    assert done == []
    ray_address.prove_by("token")
    assert (os.environ["RAY_AUTH_MODE"], done) == ("token", ["read", "reset"])
    ray_address.prove_by(None)
    assert "RAY_AUTH_MODE" not in os.environ and len(done) == 4


def test_nodes_and_errors_are_named_and_a_unit_leaves_keys_handlers_and_folders_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ray_cluster._place({"NodeManagerHostname": "a", "NodeManagerAddress": "b"}) == "node a"
    assert ray_cluster._place({"NodeManagerHostname": "", "NodeManagerAddress": "b"}) == "node b"
    assert ray_cluster._lacking([str(tmp_path), str(tmp_path / "no")]) == [str(tmp_path / "no")]
    said = [ray_cluster._first_line(ValueError(text)) for text in ("\n one\ntwo", "", "x" * 300)]
    assert said == ["one", "ValueError", "x" * 200]
    assert set(ray_cluster._versions()) == {"tsgkit", "Python"}
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with ray_cluster._keys_hidden():
        assert "OPENAI_API_KEY" not in os.environ
    assert os.environ["OPENAI_API_KEY"] == "k"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inner").mkdir()
    done = ray_cluster._unit(lambda shared, item: (shared, item, Path.cwd().name), 1, 2, str(tmp_path / "inner"), 60.0)
    assert done == (True, (1, 2, "inner"))
    error = ItemError("no")

    def fails(shared: object, item: object) -> None:
        raise error

    assert ray_cluster._unit(fails, 1, 2, str(tmp_path / "nowhere"), 60.0) == (False, error)


def test_units_that_do_not_begin_are_waited_for_aloud(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    executor = RayExecutor()
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
    for with_node, most, message in ((False, 3, DIED), (True, 10, "the nodes that computed it were lost")):
        losses = Losses()
        for _ in range(most - 1):
            losses.add(Lost(with_node=with_node))
        with pytest.raises(ItemError, match=message):
            losses.add(Lost(with_node=with_node))
    errors = [ray.exceptions.WorkerCrashedError(), ray.exceptions.NodeDiedError(), (True, "made")]
    assert asyncio.run(tried(lambda: ready(errors.pop(0)))) == "made"
    assert DIED == "the workers that computed it died or hung, 3 times"

    def ended(value: object) -> Any:  # noqa: ANN401
        return asyncio.run(outcome_of(ready(value)))

    assert ended((True, 7)) == 7
    with pytest.raises(TsgkitError, match="told"):
        ended((False, TsgkitError("told")))
    for name, with_node in zip(ERRORS[:6], (True, True, True, False, False, False), strict=True):
        with pytest.raises(Lost) as lost:
            ended(getattr(ray.exceptions, name)())
        assert lost.value.with_node is with_node, name
    error = ray.exceptions.RayTaskError()
    with pytest.raises(ItemError, match=r"^RayTaskError in a worker$"):
        ended(error)
    error.cause = ValueError("secret")
    with pytest.raises(ItemError, match=r"^ValueError in a worker$"):
        ended(error)

    async def cancelled() -> None:
        reference = SimpleNamespace(future=Future)
        task = asyncio.ensure_future(outcome_of(reference))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ray.cancelled == [(reference, True)]

    asyncio.run(cancelled())


def test_an_address_where_no_cluster_answers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_address, "_check_token", lambda _: None)
    for address in ("nowhere", ":1", "host:port", "host:"):
        with pytest.raises(UsageError, match="not HOST:PORT"):
            ray_address.check_address(address)
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
            assert ray_address._silent("127.0.0.1", server.getsockname()[1]) == reason
            thread.join()
            assert heard[0].startswith(b"PRI * HTTP/2.0") and len(heard[0]) == 33
    with pytest.raises(UsageError, match="no cluster answers: Connection refused"):
        ray_address.check_address("127.0.0.1:1")


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
    monkeypatch.setattr(carried_files, "ReadsFolder", Reader)
    home = tmp_path / "home"
    (home / "in").mkdir(parents=True)
    for name in ("a.txt", "in/b.txt", "../out.txt"):
        (home / name).write_text(name)
    reader: Any = Reader(home)
    item = carried(reader, "s")
    assert item == Carried("s", {"a.txt": b"a.txt", "in/b.txt": b"in/b.txt"})
    empty, other = cast(Any, Reader(None)), cast(Any, object())
    assert carried(empty, "s") == "s" == carried(other, "s")

    def work(solver: Any, sample: object) -> Transcript:  # noqa: ANN401
        folder = solver.folder
        assert folder != home and (folder / "in/b.txt").read_bytes() == b"in/b.txt"
        said = Reply(f"{sample}: {folder}/a.txt", error=str(folder))
        return Transcript((LabelledReply("local", said), LabelledReply("x", Reply(None))))

    [said, empty] = with_files(work, reader, item).said
    assert (said.reply.text, said.reply.error, empty.reply.text) == (f"s: {home}/a.txt", str(home), None)
    with pytest.raises(ValueError, match="lies outside"):
        with_files(work, reader, Carried("s", {"../x": b""}))
    alone = with_files(lambda solver, sample: Transcript((LabelledReply(str(sample), Reply("")),)), reader, "s")
    assert alone.said[0].label == "s"


def handle(problem: TsgkitError | None = None) -> Any:  # noqa: ANN401
    """Return an actor that loads at once."""
    place, load = (SimpleNamespace(remote=functools.partial(ready, one)) for one in ("n1", (problem, "n1")))
    return SimpleNamespace(place=place, load=load)


def fake(cpus: int = 4, gpus: int = 0, *, room: bool = True) -> Any:  # noqa: ANN401
    """Return a cluster with these processors."""
    return SimpleNamespace(cpus=cpus, gpus=gpus, connect=lambda: None, has=lambda kind: room)


def test_a_model_has_an_actor_for_each_gpu_else_for_each_processor_to_which_its_files_travel(tmp_path: Path) -> None:
    provider = SimpleNamespace(name="python:mine")
    for cpus, gpus, most, slots in ((4, 0, None, 4), (4, 2, None, 2), (4, 0, 3, 3), (4, 0, 9, 4), (4, 8, 5, 5)):
        held = HeldModel(provider, fake(cpus, gpus), most)
        assert (held.slots, held.name, held.is_timed) == (slots, "python:mine", False), (cpus, gpus, most)
    assert model_actors._uses("GPU") == {"num_gpus": 1, "num_cpus": 0}
    assert model_actors._uses("CPU") == {"num_gpus": 0, "num_cpus": 1}
    assert model_actors._kind(fake(gpus=1)) == "GPU" and model_actors._kind(fake()) == "CPU"
    assert [model_actors._places("CPU", n) for n in (1, 2)] == ["1 processor", "2 processors"]
    there = model_actors._put({"/a/x.png": b"1", "/b/x.jpg": b"2"}, tmp_path)
    assert there == {"/a/x.png": str(tmp_path / "0.png"), "/b/x.jpg": str(tmp_path / "1.jpg")}
    assert (tmp_path / "1.jpg").read_bytes() == b"2"
    (tmp_path / "mine.py").write_text("def load():\n    return 7\n")
    name = f"python:{tmp_path}/mine.py:load"
    assert model_actors.sources_of(name) == {name: "def load():\n    return 7\n"}
    assert model_actors.sources_of("python:json:dumps") == {} == model_actors.sources_of(f"python:{tmp_path}/no.py:x")


def test_actors_are_taken_when_they_are_loaded_and_replaced_when_lost(ray: Ray) -> None:
    async def work() -> None:
        made = _Actors("m", fake(), "CPU", handle)
        made.all = [_Actor(handle())]
        actor = await made.taken()
        assert (actor.node, made._starting) == ("n1", {})
        old = actor.handle
        made.replace(actor)
        assert ray.killed == [old] and actor.handle is not old
        assert await made.taken() is actor
        made.give_back(actor)
        assert await made.taken() is actor

    asyncio.run(work())


def test_an_actor_that_cannot_load_its_model_is_told(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_actors, "LOOK", 0.01)

    async def taken(made: _Actors) -> None:
        await made.taken()

    refused = _Actors("m", fake(), "CPU", handle)
    refused.all = [_Actor(handle(UsageError("no such function")))]
    with pytest.raises((UsageError, CallFailed), match="no such function"):
        asyncio.run(taken(refused))
    for broken, starting, room, message in (
        (2, 0, True, "why"), (1, 1, False, "the nodes that held it were lost"), (1, 1, True, ""), (1, 0, False, ""),
    ):  # fmt: skip
        made = _Actors("m", fake(room=room), "CPU", handle)
        made.all = [_Actor(handle()), _Actor(handle())]
        made._broken = dict.fromkeys(made.all[:broken], "why")
        tasks: Any = dict.fromkeys(made.all[2 - starting :])
        made._starting = tasks if starting else {}
        if not message:
            made._check_hope()
            continue
        with pytest.raises(CallFailed, match=f"^m: {message}$") as problem:
            made._check_hope()
        assert (problem.value.lasting, problem.value.unreachable) == (message == "why", message != "why")
