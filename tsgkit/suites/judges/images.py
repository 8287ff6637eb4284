"""Images of a folder for a judge, decoded in threads, and the records of what was shown.

>>> import asyncio
>>> asyncio.run(beside(lambda: 6 * 7))
42

``AT_ONCE`` threads read and decode for the whole process, for all folders and protocols; the pixels decoded at a time
are limited too (:mod:`~tsgkit.llm.image_decoder`). They are daemon threads: a file that hangs delays neither
replies, nor other images, nor the end of the process.

A transcript ends with the record of the image that was shown, or of the reason why there was none, as a local call
labelled ``image``; without it the solver did not finish.

>>> from tsgkit.suites.transcript import Transcript
>>> sight_of(Transcript((ShownImage(MISSING, NO_IMAGE).said,)))
ShownImage(found='missing', reason='there is no image of this item', sha256='', notes=(), image_of='', file='')
>>> unshown(None)
(<Outcome.MISSING: 'missing'>, 'not judged yet')
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cache
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from tsgkit.errors import UsageError
from tsgkit.llm.images import ImageFile
from tsgkit.llm.reply import Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.images import ImageFolder, Looked, MissingImage
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

if TYPE_CHECKING:
    from tsgkit.suites.task import Viewing

IMAGE = "image"
"""The label of a shown image in a transcript."""
SEEN, MISSING, UNREADABLE, NOT_SHOWN = "seen", "missing", "unreadable", "not shown"
NO_IMAGE = "there is no image of this item"
NOT_JUDGED = "not judged yet"
STOPPED = "the run was stopped before all was asked"
ALWAYS = ("found", "reason", "sha256", "notes")
"""The fields that every record has; others only where they say something."""
AT_ONCE = 4
"""Images that are read and decoded at a time."""
RULES = "rules"
Found = TypeVar("Found")
_waiting: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()


@cache
def _start_threads() -> None:
    def decode() -> None:
        while True:
            future, work = _waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001  (the caller receives it through the future)
                    future.set_exception(error)

    for number in range(AT_ONCE):
        threading.Thread(target=decode, name=f"image-{number}", daemon=True).start()


async def beside(work: Callable[[], Found]) -> Found:
    """Run a function in a decoding thread and return its result."""
    _start_threads()
    future: Future[Found] = Future()
    _waiting.put((future, work))
    return await asyncio.wrap_future(future)


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
    return ImageFolder(viewing.folder.name, viewing.folder.path)


def shown(looked: Looked) -> tuple[ShownImage, ImageFile | None]:
    """Return the record of a look-up, and the image if it can be shown."""
    if isinstance(looked, MissingImage):
        return ShownImage(MISSING, NO_IMAGE), None
    if not isinstance(looked, ImageFile):
        return ShownImage(UNREADABLE, looked.reason), None
    return ShownImage(SEEN, "", looked.sha256, looked.notes), looked


@dataclass(frozen=True)
class ShownImage:
    """The result of looking up an item's image, and how it was shown."""

    found: str
    reason: str = ""
    sha256: str = ""
    notes: tuple[str, ...] = ()
    image_of: str = ""
    """The id of another item whose image was shown instead."""
    file: str = ""
    """The file that was shown by its position, where it is not named after the item."""
    orders: tuple[tuple[str, ...], ...] = field(default=(), repr=False)
    """The orders in which options were shown beside it, round by round."""

    @property
    def said(self) -> LabelledReply:
        """The record of it."""
        value = {name: part for name, part in self.__dict__.items() if part or name in ALWAYS}
        return LabelledReply(IMAGE, Reply(text=json.dumps(value), source=LOCAL))


def sight_of(transcript: Transcript | None) -> ShownImage | None:
    """Return the record in a transcript; None if the solver did not finish."""
    text = next((call.reply.text for call in (transcript.said if transcript else ()) if call.label == IMAGE), None)
    if text is None:
        return None
    value = json.loads(text)
    orders = tuple(tuple(turn) for turn in value.get("orders", ()))
    return ShownImage(**{**value, "notes": tuple(value["notes"]), "orders": orders})


def unshown(transcript: Transcript | None) -> tuple[Outcome, str] | None:
    """Return how it counts that no image could be shown, and why none was; None where nothing was in the way."""
    sight = sight_of(transcript)
    if sight is None:
        return Outcome.MISSING, STOPPED if transcript and transcript.said else NOT_JUDGED
    if sight.found == MISSING:
        return Outcome.MISSING, sight.reason
    if sight.found == UNREADABLE:
        return Outcome.UNREADABLE, f"the image cannot be read: {sight.reason}"
    return None


def unfinished(transcript: Transcript) -> str:
    """Return what a transcript lacks; empty if the solver finished."""
    return "" if sight_of(transcript) is not None else STOPPED
