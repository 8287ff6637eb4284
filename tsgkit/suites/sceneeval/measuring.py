"""A scene, read and measured: one JSON value that scores are made of, so that stored ones can be scored again.

A file that is not there, cannot be read or cannot be measured is a value too, with the reason; nothing stops a run.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import TsgkitError
from tsgkit.geometry import bare_room
from tsgkit.suites.sceneeval import fidelity, plausibility
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.assets import FolderSource
from tsgkit.suites.sceneeval.furnished import MISSING, Furnished
from tsgkit.suites.sceneeval.judges import Judge
from tsgkit.suites.sceneeval.loading import read_scene, scene_file
from tsgkit.suites.transcript import LOCAL, Ask, Transcript, local

Measure = Callable[[Annotation, Furnished, Judge, Ask | None], Awaitable[dict[str, Any]]]
MEASURES: Mapping[str, Measure] = {"fidelity": fidelity.measured, "plausibility": plausibility.measured}
SEEN, ABSENT, BROKEN = "seen", "missing", "unreadable"


@dataclass(frozen=True)
class Rooms:
    """A folder of scenes, and where the meshes they name are looked for."""

    folder: Path
    sources: tuple[FolderSource, ...] = ()
    missing: str = MISSING[0]

    def scene(self, item_id: str) -> Furnished | None:
        """The scene of an id; None where there is none, ``FileProblem`` where it cannot be read."""
        path = scene_file(self.folder, item_id)
        return None if path is None else read_scene(path, self.sources, missing=self.missing)


async def looked_at(kind: str, annotation: Annotation, rooms: Rooms, judge: Judge, ask: Ask | None) -> Transcript:
    """The transcript of looking at one scene."""
    try:
        scene = rooms.scene(annotation.item_id)
    except TsgkitError as error:
        return await _instead(kind, annotation, judge, ask, error.message)
    except (MemoryError, RecursionError, OSError) as error:
        return await _instead(kind, annotation, judge, ask, f"it cannot be read: {type(error).__name__}: {error}")
    if scene is None:
        return local(json.dumps({"found": ABSENT, "reason": "there is no scene of this id"}))
    try:
        value = await MEASURES[kind](annotation, scene, judge, ask)
    except (ArithmeticError, LookupError, ValueError, RuntimeError, MemoryError, TsgkitError) as error:
        words = " ".join(str(error).split())[:200]
        return await _instead(kind, annotation, judge, ask, f"it cannot be measured: {type(error).__name__}: {words}")
    return local(json.dumps({"found": SEEN, "notes": list(scene.notes), **value}))


async def _instead(kind: str, annotation: Annotation, judge: Judge, ask: Ask | None, reason: str) -> Transcript:
    """As published, an empty room stands for a scene that cannot be read."""
    empty = Furnished(bare_room(f"scene_{annotation.item_id}"))
    value = await MEASURES[kind](annotation, empty, judge, ask)
    return local(json.dumps({"found": BROKEN, "reason": reason, **value}))


def value_of(transcript: Transcript | None) -> dict[str, Any] | None:
    """What a transcript says was found; None where the solver did not come to its end."""
    said = transcript.said if transcript else ()
    text = next((one.reply.text for one in said if one.label == LOCAL), None)
    if text is None:
        return None
    value: dict[str, Any] = json.loads(text)
    return value
