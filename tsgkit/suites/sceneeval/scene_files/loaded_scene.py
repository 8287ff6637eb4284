"""A loaded scene: the objects' descriptions, its images for a judge, and its time limit.

>>> import tempfile
>>> from tsgkit.geometry import Object, box
>>> den = Gallery(MeasuredScene(Scene("den", (Object("desk_1", box(1.4, 0.7, 0.7)),))), Path(tempfile.mkdtemp()))
>>> taken = asyncio.run(den.image("front", "desk_1"))
>>> taken.width, taken.media_type, asyncio.run(den.image("front", "desk_9"))
(512, 'image/png', "there is no object 'desk_9'")
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.geometry import PROFILES, STRICT, MeasuredScene, Mesh, Profile, Scene, View, view
from tsgkit.geometry.rendering import GOES_ON, texture_faults
from tsgkit.llm.images import ImageFile
from tsgkit.suites.images import keep_image
from tsgkit.user_folders import cache_home


class TooLong(Exception):
    """The time limit of a scene was reached."""


class TimeLimit:
    """The seconds left for a scene, without waiting for replies.

    >>> limit = TimeLimit(0.5, clock=iter([0.0, 0.25, 1.0, 1.0]).__next__)
    >>> with limit.working():
    ...     limit.check()
    ...     limit.check()
    Traceback (most recent call last):
    tsgkit.suites.sceneeval.scene_files.loaded_scene.TooLong: measuring it takes longer than 0.5 seconds
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._spent = 0.0
        self._since: float | None = None

    @property
    def rest(self) -> TimeLimit:
        """The same limit for work in another process, of which as much is used up."""
        rest = TimeLimit(self._seconds)
        rest._spent = self._spent
        return rest

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time until this ends; within itself it counts once."""
        if self._since is not None:
            yield
            return
        self._since = self._clock()
        try:
            yield
        finally:
            self._spent += self._clock() - self._since
            self._since = None

    def check(self) -> None:
        """Raise ``TooLong`` where nothing is left."""
        running = 0.0 if self._since is None else self._clock() - self._since
        if self._seconds is not None and self._spent + running > self._seconds:
            raise TooLong(f"measuring it takes longer than {self._seconds:g} seconds")


SIZE = 512
VERSION = f"{GOES_ON}/{SIZE}"
"""The renderer version and image size; runs with others cannot be resumed."""
FAULTS = (ArithmeticError, LookupError, ValueError, RuntimeError, MemoryError)
"""Exceptions that an unusual scene may raise."""


@dataclass
class Gallery:
    """The images of a scene for a judge, each rendered on first use in a thread.

    They are kept under their SHA-256, in the user's cache folder where no other is named.
    """

    stage: MeasuredScene
    folder: Path | None = None
    limit: TimeLimit = field(default_factory=lambda: TimeLimit(None), repr=False)
    _taken: dict[tuple[View, str], ImageFile | str] = field(default_factory=dict, repr=False)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def image(self, kind: View, name: str, wanted: Callable[[], None] | None = None) -> ImageFile | str:
        """Return a view of an object, or the reason why there is none; ``wanted`` raises if it is not needed
        any more."""
        async with self._one_at_a_time:
            if wanted is not None:
                wanted()
            if (kind, name) not in self._taken:
                self._taken[kind, name] = await asyncio.to_thread(self._take, kind, name)
            return self._taken[kind, name]

    def _take(self, kind: View, name: str) -> ImageFile | str:
        try:
            with self.limit.working():
                png = view(self.stage, kind, name, SIZE).png()
        except UsageError as error:
            return error.message
        except FAULTS as error:
            return f"it cannot be drawn: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return keep_image(self.folder or cache_home() / "images", png, (SIZE, SIZE))


Attributes = Mapping[str, tuple[str, ...]]
MISSING = ("error", "box")
"""The treatment of a missing mesh: an error, or the object's box if known."""


@dataclass(frozen=True)
class LoadedScene:
    """A scene, the attributes of its objects, and the repairs made in reading."""

    scene: Scene
    attributes: Attributes = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    limit: TimeLimit = field(default_factory=lambda: TimeLimit(None), repr=False, compare=False)
    """Its time limit."""

    @cached_property
    def stage(self) -> MeasuredScene:
        """The scene as ``strict`` measures it."""
        return self.staged(STRICT)

    def staged(self, profile: Profile) -> MeasuredScene:
        """Return the scene as a profile measures it."""
        return MeasuredScene(self.scene, profile, self.limit.check)

    @property
    def stages(self) -> dict[str, MeasuredScene]:
        """The scene as each profile measures it."""
        return {name: self.stage if profile is STRICT else self.staged(profile) for name, profile in PROFILES.items()}

    @cached_property
    def texture_faults(self) -> tuple[str, ...]:
        """The textures that cannot be shown; images show their objects without them."""
        things = [(thing.id, thing.shape) for thing in self.scene.objects]
        return tuple(
            fault for name, shape in things if isinstance(shape, Mesh) for fault in texture_faults(name, shape.paint)
        )

    @cached_property
    def gallery(self) -> Gallery:
        """Its images."""
        return Gallery(self.stage, limit=self.limit)
