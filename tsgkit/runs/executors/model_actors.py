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
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.downloads import note
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, bytes_of, images_in, is_image
from tsgkit.llm.reply import Provider, Reply
from tsgkit.llm.user_code import PREFIX, REGISTERED, load_object
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint
from tsgkit.runs.executors.executor import TRIES, NodeLost, tried
from tsgkit.runs.executors.ray_cluster import Cluster, cause_of, outcome_of, was_lost
from tsgkit.runs.executors.workers import WorkerDied
from tsgkit.suites.judgement import ItemError

GRACE = 10.0
"""Seconds beyond a call's own time limit, after which its actor is taken for lost; making an image has no limit."""
LOOK = 5.0
"""Seconds of waiting for an actor, after which it is asked whether the cluster still has a place for one."""
SAY_AGAIN = 60.0
"""Seconds after which it is said again what is waited for."""


class HeldModel(Provider):
    """A model of the user's in actors, behind the interface of every model: at most ``most`` of them.

    ``provider`` is the model as it would be used in this process, not yet loaded; each actor has a copy.
    """

    def __init__(self, provider: Any, cluster: Cluster, most: int | None = None) -> None:  # noqa: ANN401
        self.provider, self.cluster, self.most = provider, cluster, most
        self.name, self.fingerprint = str(provider.name), ""
        self.notices, self.sent = list[str](), list[str]()  # nothing goes over a wire that is recorded
        self._kind = "CPU"
        self._actors, self._idle = list[_Actor](), asyncio.Queue[_Actor]()
        self._broken: dict[_Actor, str] = {}
        self._refusal: TsgkitError | None = None

    @property
    def slots(self) -> int:
        """The number of actors: one for each GPU, else for each processor, bounded by ``most``."""
        return min(self.cluster.count("GPU") or self.cluster.cpus, self.most or self.cluster.cpus)

    def prepare(self, purpose: str = "") -> None:
        """Join the cluster, start the actors and wait for a first one. ``UsageError`` if it cannot load the model."""
        if self._actors:
            return
        import ray

        with ExitStack() as failing:
            failing.callback(self.leave)
            self._kind = "GPU" if self.cluster.count("GPU") else "CPU"
            needs: dict[str, Any] = {"num_gpus": int(self._kind == "GPU"), "num_cpus": int(self._kind == "CPU")}
            holder: Any = ray.remote(max_restarts=0, max_task_retries=0, **needs)(_Holder)
            file, source = Path(self.name.removeprefix(PREFIX).rpartition(":")[0]), REGISTERED.get(self.name)
            if source is None and file.suffix == ".py" and file.is_file():
                source = file.read_text(encoding="utf-8")
            start = partial(holder.remote, self.provider, source, str(Path.cwd()))
            self._actors = [_Actor(start) for _ in range(self.slots)]
            noted = -SAY_AGAIN
            while not (ready := ray.wait([actor.loaded for actor in self._actors], num_returns=1, timeout=LOOK)[0]):
                if time.monotonic() - noted >= SAY_AGAIN:
                    noted = time.monotonic()
                    note(f"{self.name}: {self._waits_for(purpose)}")
            try:
                outcome: str | TsgkitError = ray.get(ready[0])
            except Exception as error:  # noqa: BLE001 - what an actor lacks fails in every way there is
                raise UsageError(f"{self.name}: cannot be loaded in the cluster: {cause_of(error)}") from None
            if isinstance(outcome, TsgkitError):
                raise outcome
            self.fingerprint = outcome
            failing.pop_all()

    def _waits_for(self, purpose: str) -> str:
        """Return what a first actor waits for: its place, or the model."""
        import ray

        count, kind = len(self._actors), "GPU" if self._kind == "GPU" else "processor"
        placed, _ = ray.wait([actor.placed for actor in self._actors], num_returns=count, timeout=0)
        if placed and not purpose:
            return f"being loaded in the cluster, in {len(placed)} {kind}{'' if len(placed) == 1 else 's'}"
        return f"waiting for a free {kind} of the cluster" + (f", {purpose}" if purpose else f"'s {count}")

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask once, in an actor that is idle; in another one where its worker or node is lost meanwhile."""
        try:
            return await tried(lambda: self._sent(messages, schema, timeout), "workers")
        except ItemError as error:
            raise CallFailed(f"{self.name}: {error}", lasting=True) from None

    async def _sent(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Return the reply of one actor. In the place of one that can answer no more another is started."""
        import ray

        actor = await self._taken()
        is_over = True
        try:
            images = {str(image.path): bytes_of(image) for image in images_in(messages)}
            async with asyncio.timeout(timeout + GRACE if isinstance(self.provider, UserModel) else None):
                reply: Reply = await outcome_of(actor.handle.send.remote(messages, schema, timeout, images))
            is_over = False
        except (WorkerDied, NodeLost):
            raise (NodeLost if was_lost(actor.node) else WorkerDied) from None
        except TimeoutError:
            raise CallFailed(f"{self.name}: no answer within {timeout:g} s") from None
        except Exception:  # and not where the call is cancelled, which cannot be ended in another way
            is_over = False
            raise
        finally:
            if is_over:
                ray.kill(actor.handle)
                actor.begin()
                actor.loading = asyncio.ensure_future(self._load(actor))
            else:
                self._idle.put_nowait(actor)
        return reply

    async def _taken(self) -> _Actor:
        """Return an idle actor. Raise an error if none can be expected any more."""
        for actor in self._actors:
            actor.loading = actor.loading or asyncio.ensure_future(self._load(actor))
        while self._refusal is None:
            try:
                async with asyncio.timeout(LOOK):
                    return await self._idle.get()
            except TimeoutError:
                if len(self._broken) == len(self._actors):
                    raise CallFailed(f"{self.name}: {next(iter(self._broken.values()))}", lasting=True) from None
                is_lost = all(actor in self._broken or not actor.loading.done() for actor in self._actors)
                if is_lost and not self.cluster.count(self._kind):
                    raise CallFailed(f"{self.name}: the nodes that held it were lost", unreachable=True) from None
        raise self._refusal

    async def _load(self, actor: _Actor) -> None:
        """Give an actor back when it has loaded the model, and start it again if it dies meanwhile."""
        from ray.exceptions import RayError

        is_first = not actor.node
        outcome: str | TsgkitError = UsageError(f"{self.name}: its actors died as they loaded it, {TRIES} times")
        for left in reversed(range(TRIES)):
            with suppress(RayError):
                actor.node = await asyncio.wrap_future(actor.placed.future())
                outcome = await asyncio.wrap_future(actor.loaded.future())
                break
            if left:
                actor.begin()
        if isinstance(outcome, str):
            self._idle.put_nowait(actor)
            return
        self._broken[actor] = str(outcome)
        if is_first:
            self._refusal = outcome

    async def close(self) -> None:
        """End the actors, and leave the cluster."""
        self.leave()

    def leave(self) -> None:
        """Do the same without an event loop."""
        while self._actors:
            import ray

            actor = self._actors.pop()
            ray.kill(actor.handle)
            if actor.loading:
                actor.loading.cancel()
        self.cluster.close()


class _Actor:
    """An actor, with references to its node and to what came of loading the model."""

    node = ""
    """The node that it is on, or that the one before was on, once it had a place."""
    loading: Any = None
    """The task that waits until it has loaded the model; None before the first call."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start = start
        self.begin()

    def begin(self) -> None:
        """Start an actor, and let it load the model."""
        self.handle = self._start()
        self.placed, self.loaded = self.handle.place.remote(), self.handle.load.remote()


class _Holder:
    """The program of an actor: it loads a model once, and asks it."""

    def __init__(self, provider: Any, source: Any, folder: str) -> None:  # noqa: ANN401
        """Take what finds the model by its name here: an object, a file's text, or None for an installed package's."""
        self._provider, self._source, self._folder = provider, source, folder

    def place(self) -> str:
        """Return the node that this is."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def load(self) -> str | TsgkitError:
        """Load the model. Return the fingerprint of its code, or why it could not be loaded."""
        name, source = self._provider.name, self._source
        with suppress(OSError):  # the model's code may name files from here
            os.chdir(self._folder)
        try:
            with tempfile.TemporaryDirectory(prefix="tsgkit-model-") as folder:  # the process may be killed later
                if isinstance(source, str):
                    path, _, attribute = name.removeprefix(PREFIX).rpartition(":")
                    file = Path(folder) / Path(path).name
                    file.write_text(source, encoding="utf-8")
                    source = load_object(f"{PREFIX}{file}:{attribute}")
                if source is not None:
                    REGISTERED[name] = source
                self._provider.prepare()
                return fingerprint(load_object(name))
        except TsgkitError as error:
            return error

    def send(
        self, messages: Messages, schema: dict[str, Any] | None, timeout: float, images: dict[str, bytes]
    ) -> Reply:
        """Return a reply; images of the messages come along, by their paths."""
        with tempfile.TemporaryDirectory(prefix="tsgkit-images-") as folder:
            files = {path: Path(folder) / f"{number}{Path(path).suffix}" for number, path in enumerate(images)}
            for path, data in images.items():
                files[path].write_bytes(data)
            contents = [message["content"] for message in messages if isinstance(message["content"], list)]
            for part in filter(is_image, (part for content in contents for part in content)):
                part["path"] = str(files.get(part["path"], part["path"]))
            reply: Reply = asyncio.run(self._provider.send(messages, schema, timeout))
        return reply


@contextmanager
def known_there() -> Iterator[None]:
    """While the block lasts, look at the code of models in the cluster, so that none is loaded in this process."""
    token = ELSEWHERE.set(_fingerprint_there)
    try:
        yield
    finally:
        ELSEWHERE.reset(token)


def _fingerprint_there(name: str) -> str:
    if (model := REGISTERED.get(name)) is not None:
        return fingerprint(model)
    actor = HeldModel(UserModel(name), Cluster(needs_keys=True), 1)
    actor.prepare("to look at its code there")
    actor.leave()
    return actor.fingerprint
