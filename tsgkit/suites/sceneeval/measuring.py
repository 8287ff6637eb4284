"""A scene, read and measured: one JSON value that scores are made of, so that stored ones can be scored again.

A file that is not there, cannot be read or cannot be measured is a value too, with the reason; nothing stops a run.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from tsgkit.errors import TsgkitError
from tsgkit.geometry import bare_room
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.sceneeval import fidelity, plausibility
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.assets import FolderSource
from tsgkit.suites.sceneeval.furnished import MISSING, Furnished
from tsgkit.suites.sceneeval.gallery import FAULTS
from tsgkit.suites.sceneeval.judges import Judge, ended, unknowns
from tsgkit.suites.sceneeval.loading import read_scene, scene_file
from tsgkit.suites.sceneeval.rules_judge import RulesJudge
from tsgkit.suites.sceneeval.time_limit import TimeLimit, TooLong
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Found = TypeVar("Found")


class Half(NamedTuple):
    """One task: what the judge is asked about a scene, and what is measured with what it said."""

    looked_at: Callable[[Annotation, Furnished, Judge, Ask | None], Awaitable[Any]]
    measured: Callable[[Annotation, Furnished, Any], dict[str, Any]]


HALVES: Mapping[str, Half] = {
    "fidelity": Half(fidelity.looked_at, fidelity.measured),
    "plausibility": Half(plausibility.looked_at, plausibility.measured),
}
TOO_LONG, RAISE = "too_long", "raise --scene-time (0: no limit)"
"""The label of a scene that was given up, and what to do."""
SEEN, ABSENT, BROKEN = "seen", "missing", "unreadable"


@dataclass(frozen=True)
class Rooms:
    """A folder of scenes, and where the meshes they name are looked for."""

    folder: Path
    sources: tuple[FolderSource, ...] = ()
    missing: str = MISSING[0]
    seconds: float | None = None
    """How long the work on a scene may take; None is for as long as it takes."""

    def scene(self, item_id: str) -> Furnished | None:
        """The scene of an id; None where there is none, ``FileProblem`` where it cannot be read."""
        path = scene_file(self.folder, item_id)
        return None if path is None else read_scene(path, self.sources, missing=self.missing)


@dataclass
class Heard:
    """Asks a model, and remembers its replies; one that was asked for again in other words stands in its place."""

    ask: Ask
    replies: dict[tuple[str, int], Reply] = field(default_factory=dict)

    async def __call__(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        """The reply."""
        reply = await self.ask(messages, label=label, draw=draw, schema=schema)
        self.replies[label, draw] = reply
        return reply

    @property
    def said(self) -> tuple[Said, ...]:
        """All calls, label by label in the order in which they were first answered."""
        return tuple(Said(label, reply) for (label, _), reply in self.replies.items())


async def looked_at(kind: str, annotation: Annotation, rooms: Rooms, judge: Judge, ask: Ask | None) -> Transcript:
    """The transcript of looking at one scene: the calls of the judge, then what was found."""
    heard = None if ask is None else Heard(ask)
    try:
        value = await _found(kind, annotation, rooms, judge, heard)
        found = Said(LOCAL, Reply(text=json.dumps(value), source=LOCAL))
    except TooLong as error:
        found = Said(TOO_LONG, Reply(None, Ending.API_ERROR, error=f"{error}; {RAISE}", source=LOCAL))
    return Transcript((*(heard.said if heard is not None else ()), found))


async def _found(
    kind: str, annotation: Annotation, rooms: Rooms, judge: Judge, heard: Heard | None
) -> Mapping[str, Any]:
    limit = TimeLimit(rooms.seconds)
    try:
        scene = await _beside(heard, lambda: rooms.scene(annotation.item_id), limit)
    except TsgkitError as error:
        return await _instead(kind, annotation, heard, error.message)
    except (MemoryError, RecursionError, OSError) as error:
        return await _instead(kind, annotation, heard, f"it cannot be read: {type(error).__name__}: {error}")
    if scene is None:
        return {"found": ABSENT, "reason": "there is no scene of this id"}
    scene = replace(scene, limit=limit)
    try:
        value = await _measured(kind, annotation, scene, judge, heard)
    except _NotMeasured as error:
        return await _instead(kind, annotation, heard, str(error))
    notes = [*scene.notes, *await _beside(heard, lambda: scene.texture_faults, limit)]
    return {"found": SEEN, "notes": notes, **value}


class _NotMeasured(Exception):
    """A scene that is too odd to be measured, with the reason. What asking raises is none of these."""


@contextmanager
def _of_the_scene() -> Iterator[None]:
    """Whatever goes wrong here lies with the scene."""
    try:
        yield
    except (*FAULTS, TsgkitError) as error:
        words = " ".join(str(error).split())[:200]
        raise _NotMeasured(f"it cannot be measured: {type(error).__name__}: {words}") from error


async def _measured(
    kind: str, annotation: Annotation, scene: Furnished, judge: Judge, heard: Heard | None
) -> dict[str, Any]:
    half = HALVES[kind]
    with _of_the_scene():
        await _beside(heard, lambda: (scene.stage.bodies, scene.stage.floors), scene.limit)
    if heard is None:  # rules look by measuring; a model is waited for, and only its pictures are work
        with _of_the_scene(), scene.limit.working():
            looked = await half.looked_at(annotation, scene, judge, None)
    else:
        looked = await half.looked_at(annotation, scene, judge, heard)
    with _of_the_scene():
        value = await _beside(heard, lambda: half.measured(annotation, scene, looked), scene.limit)
    return value if heard is None else value | {"judge": _told(looked.told)}


def _told(told: Sequence[object]) -> dict[str, Any]:
    """How asking the judge ended, and what it could not tell."""
    unknown = [
        {"label": one.label, "outcome": one.outcome and str(one.outcome), "reason": one.reason}
        for one in unknowns(told)
    ]
    return {"ended": str(ended(told)), "unknown": unknown}


async def _beside(heard: Heard | None, work: Callable[[], Found], limit: TimeLimit) -> Found:
    """Beside the event loop where others wait for replies meanwhile; its time is counted."""
    with limit.working():
        found = work() if heard is None else await asyncio.to_thread(work)
        limit.check()
    return found


async def _instead(kind: str, annotation: Annotation, heard: Heard | None, reason: str) -> dict[str, Any]:
    """As published, an empty room stands for a scene that cannot be read; nobody has to look at that."""
    empty, half = Furnished(bare_room(f"scene_{annotation.item_id}")), HALVES[kind]
    looked = await half.looked_at(annotation, empty, RulesJudge(), None)
    value = await _beside(heard, lambda: half.measured(annotation, empty, looked), empty.limit)
    return {"found": BROKEN, "reason": reason, **value}


def value_of(transcript: Transcript | None) -> dict[str, Any] | None:
    """What a transcript says was found; None where the solver did not come to its end."""
    said = transcript.said if transcript else ()
    text = next((one.reply.text for one in said if one.label == LOCAL), None)
    if text is None:
        return None
    value: dict[str, Any] = json.loads(text)
    return value
