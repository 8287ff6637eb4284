"""Records of the image that a judge was shown for an item, or of the reason why there was none.

A transcript ends with it, as a local call labelled ``image``; without it the solver did not finish.

>>> from tsgkit.suites.transcript import Transcript
>>> sight_of(Transcript((ShownImage(MISSING, NO_IMAGE).said,)))
ShownImage(found='missing', reason='there is no image of this item', sha256='', notes=(), image_of='', file='')
>>> unshown(None)
(<Outcome.MISSING: 'missing'>, 'not judged yet')
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from tsgkit.llm.reply import Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.transcript import LOCAL, LabelledReply, Transcript

IMAGE = "image"
"""The label of a shown image in a transcript."""
SEEN, MISSING, UNREADABLE, NOT_SHOWN = "seen", "missing", "unreadable", "not shown"
NO_IMAGE = "there is no image of this item"
NOT_JUDGED = "not judged yet"
STOPPED = "the run was stopped before all was asked"
ALWAYS = ("found", "reason", "sha256", "notes")
"""The fields that every record has; others only where they say something."""


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
    text = next((one.reply.text for one in (transcript.said if transcript else ()) if one.label == IMAGE), None)
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
