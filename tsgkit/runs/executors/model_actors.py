"""Models that are code of yours, held in actors on a Ray cluster: one for each GPU, else for each processor.

An actor loads the model once, from the file that is sent along, and answers one call at a time. One that dies is
started again, and its call is made by another one; a call that kills several actors in a row is the failure of that
call. A cluster that has no place left for an actor is a service that is down.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.door import Provider
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, bytes_of, images_in, is_image
from tsgkit.llm.reply import Reply
from tsgkit.llm.user_code import PREFIX, give_object, given_object, load_object
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint
from tsgkit.runs.executors.executor import TRIES
from tsgkit.runs.executors.ray_cluster import Cluster, Losses, Lost, outcome_of, was_lost
from tsgkit.suites.item_errors import ItemError

GRACE = 10.0
"""Seconds beyond a call's own time limit, after which its actor is taken for lost."""
LOOK = 5.0
"""Seconds of waiting for an actor, after which it is asked whether the cluster still has a place for one."""


@dataclass
class HeldModel:
    """A model of the user's in actors, behind the interface of every model."""

    provider: Any
    """The model as it would be used in this process, not yet loaded; each actor has a copy."""
    cluster: Cluster
    most: int | None = None
    """At most so many actors."""
    notices: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """Nothing goes over a wire that is recorded."""
    _actors: _Actors | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """The name of the model."""
        return str(self.provider.name)

    @property
    def slots(self) -> int:
        """The number of actors: one for each GPU, else for each processor, bounded by ``most``."""
        self.cluster.connect()
        return min(self.cluster.gpus or self.cluster.cpus, self.most or self.cluster.cpus)

    def prepare(self) -> None:
        """Join the cluster and start the actors; ``UsageError`` where the model cannot be loaded in one."""
        if self._actors is None:
            self.cluster.connect()
            self._actors = _Actors.started(self.provider, self.cluster, self.slots)

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask once, in an actor that is idle; in another one where its worker or node is lost meanwhile."""
        assert self._actors is not None  # noqa: S101  (prepare() comes first)
        losses = Losses()
        while True:
            try:
                return await self._sent(await self._actors.taken(), messages, schema, timeout)
            except Lost as lost:
                try:
                    losses.add(lost)
                except ItemError as error:
                    raise CallFailed(f"{self.name}: {error}", lasting=True) from None

    async def _sent(self, actor: _Actor, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Return the reply of one actor. It is given back, or started again if it could answer no more."""
        assert self._actors is not None  # noqa: S101  (prepare() comes first)
        try:
            images = {str(image.path): bytes_of(image) for image in images_in(messages)}
            async with asyncio.timeout(timeout + GRACE if self.is_timed else None):
                reply: Reply = await outcome_of(actor.handle.send.remote(messages, schema, timeout, images))
        except Lost:
            self._actors.replace(actor)
            raise Lost(with_node=was_lost(actor.node)) from None
        except TimeoutError:
            self._actors.replace(actor)
            raise CallFailed(f"{self.name}: no answer within {timeout:g} s") from None
        except asyncio.CancelledError:
            self._actors.replace(actor)  # a call in an actor cannot be ended in another way
            raise
        except ItemError as error:
            self._actors.give_back(actor)
            raise CallFailed(f"{self.name}: {error}", lasting=True) from None
        except BaseException:
            self._actors.give_back(actor)
            raise
        self._actors.give_back(actor)
        return reply

    @property
    def is_timed(self) -> bool:
        """True if the model's calls have a time limit; making an image has none."""
        return isinstance(self.provider, UserModel)

    async def close(self) -> None:
        """End the actors, and leave the cluster."""
        if self._actors is not None:
            self._actors.end()
            self._actors = None
        self.cluster.close()


@dataclass(eq=False)
class _Actor:
    """An actor, and the node that it is on."""

    handle: Any
    node: str = ""

    def begin(self) -> Any:  # noqa: ANN401
        """Return a reference to why the model was not loaded, None if it was, and the node."""
        return self.handle.prepare.remote()


@dataclass
class _Actors:
    """The actors of a model. In the place of one that died another is started, wherever the cluster has room."""

    name: str
    cluster: Cluster
    kind: str
    """What an actor takes of its node: a ``GPU`` or a ``CPU``."""
    start: Callable[[], Any]
    all: list[_Actor] = field(default_factory=list)
    _idle: asyncio.Queue[_Actor] | None = None
    _starting: dict[_Actor, asyncio.Task[None]] = field(default_factory=dict)
    _broken: dict[_Actor, str] = field(default_factory=dict)
    """Actors that could not be started again, with reasons."""

    @classmethod
    def started(cls, provider: Any, cluster: Cluster, count: int) -> _Actors:  # noqa: ANN401
        """Return actors that have loaded the model. ``UsageError`` if one cannot."""
        import ray

        name, kind = str(provider.name), _kind(cluster)
        held: Any = ray.remote(_Holder).options(max_restarts=0, max_task_retries=0, **_uses(kind))
        found = cls(name, cluster, kind, partial(held.remote, provider, sources_of(name), str(Path.cwd())))
        found.all = [_Actor(found.start()) for _ in range(count)]
        for actor in found.all:
            try:
                problem, actor.node = ray.get(actor.begin())
            except Exception as error:  # noqa: BLE001 - what an actor lacks fails in every way there is
                first = type(getattr(error, "cause", None) or error).__name__
                raise UsageError(f"{name}: cannot be loaded in the cluster: {first}") from None
            if problem is not None:
                raise problem
        return found

    async def taken(self) -> _Actor:
        """Return an idle actor. Raise ``CallFailed`` if none can be expected: as by a service that is down, if the
        cluster has no place for one any more.
        """
        if self._idle is None:
            self._idle = asyncio.Queue()
            for actor in self.all:
                self._idle.put_nowait(actor)
        while True:
            try:
                async with asyncio.timeout(LOOK):
                    return await self._idle.get()
            except TimeoutError:
                self._check_hope()

    def _check_hope(self) -> None:
        if len(self._broken) == len(self.all):
            raise CallFailed(f"{self.name}: {next(iter(self._broken.values()))}", lasting=True)
        if len(self._broken) + len(self._starting) == len(self.all) and not self.cluster.has(self.kind):
            raise CallFailed(f"{self.name}: the nodes that held it were lost", unreachable=True)

    def give_back(self, actor: _Actor) -> None:
        """Let an actor be taken by others."""
        assert self._idle is not None  # noqa: S101  (it was taken)
        self._idle.put_nowait(actor)

    def replace(self, actor: _Actor) -> None:
        """End an actor and what it does, and give it back when another has been started in its place."""
        import ray

        ray.kill(actor.handle)
        self._starting[actor] = asyncio.ensure_future(self._start_again(actor))

    async def _start_again(self, actor: _Actor) -> None:
        from ray.exceptions import RayError

        problem: object = f"its actors died as they were started again, {TRIES} times"
        for _ in range(TRIES):
            actor.handle = self.start()
            with suppress(RayError):
                problem, actor.node = await asyncio.wrap_future(actor.begin().future())
                break
        del self._starting[actor]
        if problem is None:
            self.give_back(actor)
        else:
            self._broken[actor] = str(problem)

    def end(self) -> None:
        """End all actors."""
        import ray

        for task in self._starting.values():
            task.cancel()
        for actor in self.all:
            ray.kill(actor.handle)


def _kind(cluster: Cluster) -> str:
    return "GPU" if cluster.gpus else "CPU"


def _uses(kind: str) -> dict[str, int]:
    return {"num_gpus": int(kind == "GPU"), "num_cpus": int(kind == "CPU")}


class _Holder:
    """What an actor runs: a model that is loaded when it starts, and again if it had to be restarted."""

    def __init__(self, provider: Provider, sources: dict[str, Any], place: str) -> None:
        with suppress(OSError):  # the model's code may name files from here
            os.chdir(place)
        load_here(sources)
        self._provider, self._problem = provider, None
        try:
            provider.prepare()
        except TsgkitError as error:
            self._problem = error

    def prepare(self) -> tuple[TsgkitError | None, str]:
        """Return why the model was not loaded, None if it was, and the node that this is."""
        import ray

        return self._problem, str(ray.get_runtime_context().get_node_id())

    def send(
        self, messages: Messages, schema: dict[str, Any] | None, timeout: float, images: dict[str, bytes]
    ) -> tuple[bool, Any]:
        """Return a reply, or the failure of the call; images of the messages come along."""
        with tempfile.TemporaryDirectory(prefix="tsgkit-images-") as place:
            there = _put(images, Path(place))
            try:
                return True, asyncio.run(self._provider.send(_moved(messages, there), schema, timeout))
            except (TsgkitError, CallFailed) as error:
                return False, error


def _put(images: dict[str, bytes], folder: Path) -> dict[str, str]:
    """Write images into a folder, and return where each lies now, by where it lay."""
    found = {}
    for number, (path, data) in enumerate(images.items()):
        file = folder / f"{number}{Path(path).suffix}"
        file.write_bytes(data)
        found[path] = str(file)
    return found


def _moved(messages: Messages, there: dict[str, str]) -> Messages:
    """Return messages whose images lie elsewhere."""

    def moved(part: Any) -> Any:  # noqa: ANN401
        return {**part, "path": there[part["path"]]} if is_image(part) else part

    return [
        {**one, "content": list(map(moved, one["content"]))} if isinstance(one["content"], list) else one
        for one in messages
    ]


def sources_of(name: str) -> dict[str, Any]:
    """Return what another process needs to find a model by its name: an object of this program, the text of a file, or
    nothing for one of an installed package.
    """
    if (given := given_object(name)) is not None:
        return {name: given}
    place = Path(name.removeprefix(PREFIX).rpartition(":")[0])
    return {name: place.read_text(encoding="utf-8")} if place.suffix == ".py" and place.is_file() else {}


def load_here(sources: dict[str, Any]) -> None:
    """Let models be found by their names in this process: objects, or the texts of their files."""
    for name, text in sources.items():
        if not isinstance(text, str):
            give_object(name, text)
            continue
        place, _, attribute = name.removeprefix(PREFIX).rpartition(":")
        folder = Path(tempfile.mkdtemp(prefix="tsgkit-model-"))
        file = folder / Path(place).name
        file.write_text(text, encoding="utf-8")
        give_object(name, load_object(f"{PREFIX}{file}:{attribute}"))


@contextmanager
def known_there() -> Iterator[None]:
    """While the block lasts, look at the code of models in the cluster, so that none is loaded in this process."""
    token = ELSEWHERE.set(_fingerprint_there)
    try:
        yield
    finally:
        ELSEWHERE.reset(token)


def _fingerprint_there(name: str) -> str:
    import ray

    if (given := given_object(name)) is not None:
        return fingerprint(given)
    cluster = Cluster(needs_keys=True)
    try:
        cluster.connect()
        options: Any = {"max_calls": 1, "max_retries": 0, **_uses(_kind(cluster))}
        look: Any = ray.remote(**options)(_looked_at)  # its process ends, and frees the model
        is_known, found = ray.get(look.remote(name, sources_of(name)))
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        first = type(getattr(error, "cause", None) or error).__name__
        raise UsageError(f"{name}: cannot be loaded in the cluster: {first}") from None
    finally:
        cluster.close()
    if not is_known:
        raise found
    return str(found)


def _looked_at(name: str, sources: dict[str, Any]) -> tuple[bool, Any]:
    """Return the fingerprint of a model, which this process loads for that, or the error."""
    try:
        load_here(sources)
        return True, fingerprint(load_object(name))
    except TsgkitError as error:
        return False, error
