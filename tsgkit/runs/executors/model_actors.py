"""Models that are code of yours, held in actors on a Ray cluster: one for each GPU, else for each processor.

An actor loads the model once, from the file that is sent along, and answers one call at a time. One that dies is
started again and the call made again; a call that kills several actors in a row is the failure of that call.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.door import Provider
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages, bytes_of, images_in, is_image
from tsgkit.llm.reply import Reply
from tsgkit.llm.user_code import PREFIX, give_object, given_object, load_object
from tsgkit.llm.user_models import ELSEWHERE, UserModel, fingerprint
from tsgkit.runs.executors.ray_cluster import Cluster, tried
from tsgkit.suites.item_errors import ItemError

GRACE = 10.0
"""Seconds beyond a call's own time limit, after which its actor is taken for lost."""


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
    _idle: asyncio.Queue[Any] | None = field(default=None, repr=False)
    _actors: list[Any] = field(default_factory=list, repr=False)

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
        import ray

        if self._actors:
            return
        self.cluster.connect()
        sources = sources_of(self.name)
        uses = {"num_gpus": 1} if self.cluster.gpus else {"num_cpus": 1}
        held = ray.remote(_Holder).options(max_restarts=-1, max_task_retries=0, **uses)
        self._actors = [held.remote(self.provider, sources, str(Path.cwd())) for _ in range(self.slots)]
        for actor in self._actors:
            try:
                is_ready, problem = ray.get(actor.prepare.remote())
            except Exception as error:  # noqa: BLE001 - what an actor lacks fails in every way there is
                first = type(getattr(error, "cause", None) or error).__name__
                raise UsageError(f"{self.name}: cannot be loaded in the cluster: {first}") from None
            if not is_ready:
                raise problem

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask once, in an actor that is idle."""
        idle = self._idle
        if idle is None:
            idle = self._idle = asyncio.Queue()
            for actor in self._actors:
                idle.put_nowait(actor)
        images = {str(image.path): bytes_of(image) for image in images_in(messages)}
        actor = await idle.get()
        try:
            async with asyncio.timeout(timeout + GRACE if self.is_timed else None):
                reply: Reply = await tried(lambda: actor.send.remote(messages, schema, timeout, images))
        except ItemError as error:
            raise CallFailed(f"{self.name}: {error}", lasting=True) from None
        except TimeoutError:
            _restart(actor)
            raise CallFailed(f"{self.name}: no answer within {timeout:g} s") from None
        except asyncio.CancelledError:
            _restart(actor)  # a call in an actor cannot be ended in another way
            raise
        finally:
            idle.put_nowait(actor)
        return reply

    @property
    def is_timed(self) -> bool:
        """True if the model's calls have a time limit; making an image has none."""
        return isinstance(self.provider, UserModel)

    async def close(self) -> None:
        """End the actors, and leave the cluster."""
        import ray

        for actor in self._actors:
            ray.kill(actor, no_restart=True)
        self._actors, self._idle = [], None
        self.cluster.close()


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

    def prepare(self) -> tuple[bool, Any]:
        """Return whether the model was loaded, and why not."""
        return self._problem is None, self._problem

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


def _restart(actor: Any) -> None:  # noqa: ANN401
    import ray

    ray.kill(actor, no_restart=False)


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
        uses: Any = {"num_gpus": 1} if cluster.gpus else {"num_cpus": 1}
        look: Any = ray.remote(max_calls=1, max_retries=0, **uses)(_looked_at)  # its process ends, and frees the model
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
