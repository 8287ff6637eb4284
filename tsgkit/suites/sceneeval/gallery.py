"""The pictures of one scene that a judge is shown, each taken when it is first asked for, beside the event loop.

>>> import tempfile
>>> from tsgkit.geometry import Object, Scene, box
>>> den = Gallery(Stage(Scene("den", (Object("desk_1", box(1.4, 0.7, 0.7)),))), Path(tempfile.mkdtemp()))
>>> taken = asyncio.run(den.picture("front", "desk_1"))
>>> taken.width, taken.media_type, asyncio.run(den.picture("front", "desk_9"))
(512, 'image/png', "there is no object 'desk_9'")

They are kept under their SHA-256, in the user's cache folder where no other is named.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tsgkit.errors import UsageError
from tsgkit.geometry import Stage, View, view
from tsgkit.geometry.rendering import GOES_ON
from tsgkit.homes import cache_home
from tsgkit.llm.pictures import Picture
from tsgkit.suites.pictures import keep_picture
from tsgkit.suites.sceneeval.time_limit import TimeLimit

SIZE = 512
VERSION = f"{GOES_ON}/{SIZE}"
"""What pictures look like: as the renderer makes them, this large; runs of other ones do not go on."""
FAULTS = (ArithmeticError, LookupError, ValueError, RuntimeError, MemoryError)
"""What goes wrong where a scene is odd in a way that nobody thought of."""


@dataclass
class Gallery:
    """The pictures of a scene."""

    stage: Stage
    folder: Path | None = None
    limit: TimeLimit = field(default_factory=lambda: TimeLimit(None), repr=False)
    _taken: dict[tuple[View, str], Picture | str] = field(default_factory=dict, repr=False)
    _one_at_a_time: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def picture(self, kind: View, name: str, wanted: Callable[[], None] | None = None) -> Picture | str:
        """A view of an object, or why there is none; ``wanted`` raises where nobody waits for it any more."""
        async with self._one_at_a_time:
            if wanted is not None:
                wanted()
            if (kind, name) not in self._taken:
                self._taken[kind, name] = await asyncio.to_thread(self._take, kind, name)
            return self._taken[kind, name]

    def _take(self, kind: View, name: str) -> Picture | str:
        try:
            with self.limit.working():
                png = view(self.stage, kind, name, SIZE).png()
        except UsageError as error:
            return error.message
        except FAULTS as error:
            return f"it cannot be drawn: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return keep_picture(self.folder or cache_home() / "pictures", png, (SIZE, SIZE))
