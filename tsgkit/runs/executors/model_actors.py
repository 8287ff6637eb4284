"""Models that are code of yours, held in actors on a Ray cluster: one for each GPU, else for each processor.

An actor loads the model once, from the file that is sent along, and answers one call at a time. One that dies is
started again, and its call is made by another one; a call that kills several actors in a row is the failure of that
call. Work begins with the first actor that has loaded the model; places that others use are waited for. A cluster that
has no place left for an actor is a service that is down.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.long_waits import note
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, bytes_of, images_in, is_image
from tsgkit.llm.reply import Provider, Reply
from tsgkit.llm.user_code import PREFIX, give_object, given_object, load_object
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint
from tsgkit.runs.executors.executor import TRIES
from tsgkit.runs.executors.ray_cluster import Cluster, Losses, Lost, outcome_of, was_lost
from tsgkit.suites.item_errors import ItemError

GRACE = 10.0
"""Seconds beyond a call's own time limit, after which its actor is taken for lost."""
LOOK = 5.0
"""Seconds of waiting for an actor, after which it is asked whether the cluster still has a place for one."""
PLACES = {"GPU": "GPU", "CPU": "processor"}
SAY_AGAIN = 60.0
"""Seconds after which it is said again what is waited for."""


@dataclass
class HeldModel(Provider):
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
        """Join the cluster, start the actors and wait for a first one. ``UsageError`` if it cannot load the model."""
        if self._actors is None:
            self.cluster.connect()
            self._actors = _Actors.started(self.provider, self.cluster, self.slots)
            try:
                self._actors.wait_for_first()
            except BaseException:
                self._leave()
                raise

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
        self._leave()

    def _leave(self) -> None:
        if self._actors is not None:
            self._actors.end()
            self._actors = None
        self.cluster.close()


@dataclass(eq=False)
class _Actor:
    """An actor, and what it was asked first."""

    handle: Any
    node: str = ""
    """The node that it is on, once the model was loaded."""
    placed: Any = field(init=False)
    """A reference that is ready when the actor has a place in the cluster."""
    loaded: Any = field(init=False)
    """A reference to why the model was not loaded, None if it was, and to the node."""

    def __post_init__(self) -> None:
        self.begin(self.handle)

    def begin(self, handle: Any) -> None:  # noqa: ANN401
        """Let an actor that was just started load the model."""
        self.handle, self.placed, self.loaded = handle, handle.place.remote(), handle.load.remote()


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
    _refused: TsgkitError | None = None
    """The reason why an actor could not load the model when it was first started."""

    @classmethod
    def started(cls, provider: Any, cluster: Cluster, count: int) -> _Actors:  # noqa: ANN401
        """Return actors that begin to load the model."""
        import ray

        name, kind = str(provider.name), _kind(cluster)
        held: Any = ray.remote(_Holder).options(max_restarts=0, max_task_retries=0, **_uses(kind))
        found = cls(name, cluster, kind, partial(held.remote, provider, sources_of(name), str(Path.cwd())))
        found.all = [_Actor(found.start()) for _ in range(count)]
        return found

    def wait_for_first(self) -> None:
        """Return when one actor has loaded the model. ``UsageError`` if it cannot."""
        problem, _ = _waited_for([actor.loaded for actor in self.all], self.name, self._waits_for)
        if problem is not None:
            raise problem

    def _waits_for(self) -> str:
        """Return what a first actor waits for: its place, or the model."""
        import ray

        placed, _ = ray.wait([actor.placed for actor in self.all], num_returns=len(self.all), timeout=0)
        if placed:
            return f"being loaded in the cluster, in {_places(self.kind, len(placed))}"
        return f"waiting for a free {PLACES[self.kind]} of the cluster's {len(self.all)}"

    async def taken(self) -> _Actor:
        """Return an idle actor. Raise ``CallFailed`` if none can be expected: as by a service that is down, if the
        cluster has no place for one any more. ``UsageError`` where the model could not be loaded in one of them.
        """
        if self._idle is None:
            self._idle = asyncio.Queue()
            self._starting = {actor: asyncio.ensure_future(self._load(actor)) for actor in self.all}
        while True:
            if self._refused is not None:
                raise self._refused
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
        actor.begin(self.start())
        self._starting[actor] = asyncio.ensure_future(self._load(actor))

    async def _load(self, actor: _Actor) -> None:
        """Give an actor back when it has loaded the model, and start it again if it dies meanwhile."""
        from ray.exceptions import RayError

        is_first = not actor.node
        problem: TsgkitError | None = UsageError(f"{self.name}: its actors died as they loaded it, {TRIES} times")
        for left in reversed(range(TRIES)):
            with suppress(RayError):
                problem, actor.node = await asyncio.wrap_future(actor.loaded.future())
                break
            if left:
                actor.begin(self.start())
        del self._starting[actor]
        if problem is None:
            self.give_back(actor)
            return
        self._broken[actor] = str(problem)
        if is_first:
            self._refused = problem

    def end(self) -> None:
        """End all actors."""
        import ray

        for task in self._starting.values():
            task.cancel()
        for actor in self.all:
            ray.kill(actor.handle)


def _waited_for(references: list[Any], name: str, waits_for: Callable[[], str]) -> Any:  # noqa: ANN401
    """Return the first of these values that the cluster has, and say from time to time what is waited for.
    ``UsageError`` if its worker failed.
    """
    import ray

    said = -SAY_AGAIN
    while not (found := ray.wait(references, num_returns=1, timeout=LOOK)[0]):
        if time.monotonic() - said >= SAY_AGAIN:
            said = time.monotonic()
            note(f"{name}: {waits_for()}")
    try:
        return ray.get(found[0])
    except Exception as error:  # noqa: BLE001 - what an actor lacks fails in every way there is
        first = type(getattr(error, "cause", None) or error).__name__
        raise UsageError(f"{name}: cannot be loaded in the cluster: {first}") from None


def _kind(cluster: Cluster) -> str:
    return "GPU" if cluster.gpus else "CPU"


def _places(kind: str, number: int) -> str:
    return f"{number} {PLACES[kind]}{'' if number == 1 else 's'}"


def _uses(kind: str) -> dict[str, int]:
    return {"num_gpus": int(kind == "GPU"), "num_cpus": int(kind == "CPU")}


class _Holder:
    """The program of an actor: it loads a model once, and asks it."""

    def __init__(self, provider: Provider, sources: dict[str, Any], folder: str) -> None:
        self._provider, self._sources, self._folder = provider, sources, folder

    def place(self) -> str:
        """Return the node that this is."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def load(self) -> tuple[TsgkitError | None, str]:
        """Load the model. Return why it could not be loaded, None if it was, and the node that this is."""
        with suppress(OSError):  # the model's code may name files from here
            os.chdir(self._folder)
        problem = None
        try:
            with loaded_here(self._sources):
                self._provider.prepare()
        except TsgkitError as error:
            problem = error
        return problem, self.place()

    def send(
        self, messages: Messages, schema: dict[str, Any] | None, timeout: float, images: dict[str, bytes]
    ) -> tuple[bool, Any]:
        """Return a reply, or the failure of the call; images of the messages come along."""
        with tempfile.TemporaryDirectory(prefix="tsgkit-images-") if images else nullcontext("") as place:
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


@contextmanager
def loaded_here(sources: dict[str, Any]) -> Iterator[None]:
    """Let models be found by their names in this process: objects, or the texts of their files. These lie on the disk
    only while the block lasts, since the process may be killed later.
    """
    with tempfile.TemporaryDirectory(prefix="tsgkit-model-") as folder:
        for name, text in sources.items():
            found = text
            if isinstance(text, str):
                place, _, attribute = name.removeprefix(PREFIX).rpartition(":")
                file = Path(folder) / Path(place).name
                file.write_text(text, encoding="utf-8")
                found = load_object(f"{PREFIX}{file}:{attribute}")
            give_object(name, found)
        yield


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
        kind = _kind(cluster)
        options: Any = {"max_calls": 1, "max_retries": 0, **_uses(kind)}
        look: Any = ray.remote(**options)(_looked_at)  # its process ends, and frees the model
        looking = f"waiting for a free {PLACES[kind]} of the cluster, to look at its code there"
        is_known, found = _waited_for([look.remote(name, sources_of(name))], name, lambda: looking)
    finally:
        cluster.close()
    if not is_known:
        raise found
    return str(found)


def _looked_at(name: str, sources: dict[str, Any]) -> tuple[bool, Any]:
    """Return the fingerprint of a model, which this process loads for that, or the error."""
    try:
        with loaded_here(sources):
            return True, fingerprint(load_object(name))
    except TsgkitError as error:
        return False, error
