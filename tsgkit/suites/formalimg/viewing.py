"""Looking at pictures: one is found by its item's id and shown to a judge, who is asked again where it cannot be read.

A transcript ends with what was found under the item's id, as a call of nobody labelled ``picture``: so it can be told
from one that was stopped on the way.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.llm.cache import cache_home
from tsgkit.llm.pictures import Picture
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.pictures import Missing, PictureFolder
from tsgkit.suites.replies import OUTCOMES
from tsgkit.suites.tasks import Viewing
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

RULES = "rules"
PICTURE = "picture"
"""The label of what was found under an item's id."""
SEEN, MISSING, UNREADABLE = "seen", "missing", "unreadable"
NO_PICTURE = "there is no picture of this item"
STOPPED = "the run was stopped here"
Fails = Callable[[Reply], bool]
"""Whether a reply has to be asked for again."""


@dataclass(frozen=True)
class Sight:
    """What was found under the id of an item: a picture that was shown, none, or one that cannot be read."""

    found: str
    reason: str = ""
    sha256: str = ""
    notes: tuple[str, ...] = ()

    @property
    def said(self) -> Said:
        """The record of it."""
        value = {"found": self.found, "reason": self.reason, "sha256": self.sha256, "notes": self.notes}
        return Said(PICTURE, Reply(text=json.dumps(value), source=LOCAL))


def sight_of(transcript: Transcript | None) -> Sight | None:
    """What a transcript says was found; None where the solver did not come to its end."""
    text = next((one.reply.text for one in (transcript.said if transcript else ()) if one.label == PICTURE), None)
    if text is None:
        return None
    value = json.loads(text)
    return Sight(value["found"], value["reason"], value["sha256"], tuple(value["notes"]))


def unshown(transcript: Transcript | None) -> tuple[Outcome, str] | None:
    """How it counts that no picture was shown, and why none was; None where one was."""
    sight = sight_of(transcript)
    if sight is None:
        return Outcome.MISSING, STOPPED if transcript and transcript.said else "nobody looked at it yet"
    if sight.found == MISSING:
        return Outcome.MISSING, NO_PICTURE
    if sight.found == UNREADABLE:
        return Outcome.UNREADABLE, f"the picture cannot be read: {sight.reason}"
    return None


def pictures_of(viewing: Viewing) -> PictureFolder:
    """The folder that is looked at; ``UsageError`` where nobody is named who could look."""
    if viewing.judge == RULES:
        raise UsageError(
            "no program sees what is in a picture: a model has to look at it",
            hint="name one that takes pictures: --judge PROVIDER/MODEL",
        )
    return PictureFolder(viewing.folder.name, viewing.folder.path, cache_home() / "pictures")


async def looked_at(
    folder: PictureFolder, sample: FormulaSample, ask: Ask | None, look: Callable[[Picture, Ask], Awaitable[list[Said]]]
) -> Transcript:
    """The transcript of showing the picture of an item, if there is one that can be shown."""
    if ask is None:
        raise UsageError("a model has to look at the pictures, and none was given", hint="give --judge")
    found = folder.look(sample.number)
    if isinstance(found, Missing):
        return Transcript((Sight(MISSING, NO_PICTURE).said,))
    if not isinstance(found, Picture):
        return Transcript((Sight(UNREADABLE, found.reason).said,))
    said = await look(found, ask)
    return Transcript((*said, Sight(SEEN, "", found.sha256, found.notes).said))


async def asked_until_read(
    ask: Ask,
    messages: Sequence[BaseMessage],
    label: str,
    tries: int,
    fails: Fails,
    schema: dict[str, Any] | None = None,
) -> list[Said]:
    """Ask until a reply can be read, each time a new draw; a service that fails is not asked again here."""
    said: list[Said] = []
    for draw in range(tries):
        reply = await ask(messages, label=label, draw=draw, schema=schema)
        said.append(Said(label, reply))
        if reply.ending in (Ending.API_ERROR, Ending.MISSING) or not fails(reply):
            break
    return said


def outcome_of(reply: Reply) -> Outcome:
    """How a look ended whose reply gives nothing."""
    if reply.ending is Ending.MISSING:
        return Outcome.MISSING
    if reply.ending in OUTCOMES:
        return OUTCOMES[reply.ending]
    return Outcome.UNREADABLE if (reply.text or "").strip() else Outcome.EMPTY
