"""Images of a folder for a judge, decoded in threads.

>>> import asyncio
>>> asyncio.run(beside(lambda: 6 * 7))
42

``AT_ONCE`` threads read and decode for the whole process, for all folders and protocols; the pixels decoded at a time
are limited too (:mod:`~tsgkit.llm.image_decoder`). They are daemon threads: a file that hangs delays neither
replies, nor other images, nor the end of the process.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.llm.images import ImageFile
from tsgkit.suites.images import ImageFolder, Looked, Missing
from tsgkit.suites.judges.shown_images import MISSING, NO_IMAGE, SEEN, UNREADABLE, ShownImage
from tsgkit.user_folders import cache_home

if TYPE_CHECKING:
    from tsgkit.suites.task import Viewing

AT_ONCE = 4
"""Images that are read and decoded at a time."""
RULES = "rules"
Found = TypeVar("Found")
_waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()


async def beside(work: Callable[[], Found]) -> Found:
    """Run a function in a decoding thread and return its result."""
    _start()
    future: Future[Found] = Future()
    _waiting.put((future, work))
    return await asyncio.wrap_future(future)


@cache
def _start() -> None:
    for number in range(AT_ONCE):
        threading.Thread(target=_decode, name=f"image-{number}", daemon=True).start()


def _decode() -> None:
    while True:
        future, work = _waiting.get()
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001  (the caller receives it through the future)
                future.set_exception(error)


@dataclass(frozen=True)
class Images:
    """The images of a folder. Raise ``UsageError`` if no judge is given."""

    folder: ImageFolder

    @classmethod
    def of(cls, viewing: Viewing) -> Images:
        """Return the images of the folder that is looked at."""
        if viewing.judge == RULES:
            raise UsageError(
                "a model must judge the images",
                hint="name one that accepts images: --judge PROVIDER/MODEL",
            )
        return cls(folder_of(viewing))

    async def of_item(self, item_id: str) -> tuple[ShownImage, ImageFile | None]:
        """Return the image named after an item, if it can be shown, and its record."""
        return shown(await beside(lambda: self.folder.look(item_id)))

    def sides(self, item_id: str) -> tuple[int, int] | None:
        """Return the sides of the image named after an item, without decoding it; None if there is none to show."""
        names = self.folder.named(item_id)
        return self.folder.sides(names[0]) if len(names) == 1 else None

    async def in_file(self, name: str) -> tuple[ShownImage, ImageFile | None]:
        """Return the image in a file of the folder, whatever it is called."""
        return shown(await beside(lambda: self.folder.look_at(name)))


def folder_of(viewing: Viewing) -> ImageFolder:
    """Return the folder that is looked at."""
    return ImageFolder(viewing.folder.name, viewing.folder.path, cache_home() / "images")


def shown(found: Looked) -> tuple[ShownImage, ImageFile | None]:
    """Return the record of a look-up, and the image if it can be shown."""
    if isinstance(found, Missing):
        return ShownImage(MISSING, NO_IMAGE), None
    if not isinstance(found, ImageFile):
        return ShownImage(UNREADABLE, found.reason), None
    return ShownImage(SEEN, "", found.sha256, found.notes), found
