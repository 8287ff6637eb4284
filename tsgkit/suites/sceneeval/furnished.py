"""A scene with what its file says of the objects beside their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.errors import FileProblem, NotationError
from tsgkit.geometry import PROFILES, STRICT, Mesh, Profile, Scene, Stage
from tsgkit.geometry.coats import texture_faults
from tsgkit.graph.notation.json_triplets import load
from tsgkit.suites.sceneeval.gallery import Gallery
from tsgkit.suites.sceneeval.time_limit import TimeLimit

Attributes = Mapping[str, tuple[str, ...]]
MISSING = ("error", "box")
"""What a mesh that is not there is: an error, or the object's box where that is known."""


@dataclass(frozen=True)
class Furnished:
    """A scene, the attributes of the objects that list theirs, and what was repaired in reading."""

    scene: Scene
    attributes: Attributes = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    limit: TimeLimit = field(default_factory=lambda: TimeLimit(None), repr=False, compare=False)
    """How long the work on it may take."""

    @cached_property
    def stage(self) -> Stage:
        """The scene as ``strict`` measures it."""
        return self.staged(STRICT)

    def staged(self, profile: Profile) -> Stage:
        """The scene as a profile measures it."""
        return Stage(self.scene, profile, self.limit.check)

    @property
    def stages(self) -> dict[str, Stage]:
        """The scene as each profile measures it."""
        return {name: self.stage if profile is STRICT else self.staged(profile) for name, profile in PROFILES.items()}

    @cached_property
    def texture_faults(self) -> tuple[str, ...]:
        """The textures that cannot be shown: pictures show their objects without."""
        things = [(thing.id, thing.shape) for thing in self.scene.objects]
        return tuple(
            fault for name, shape in things if isinstance(shape, Mesh) for fault in texture_faults(name, shape.paint)
        )

    @cached_property
    def gallery(self) -> Gallery:
        """Its pictures."""
        return Gallery(self.stage, limit=self.limit)


class Given(BaseModel):
    """Something a file says: odd numbers and unknown fields are refused, where ours; theirs are ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def json_of(text: str, where: str) -> Any:  # noqa: ANN401  (as JSON has it)
    """The JSON value of a text; ``FileProblem`` names the line."""
    try:
        return load(text)
    except NotationError as error:
        raise FileProblem(f"{where}: {error}") from None


def problem_of(error: ValidationError, where: str, names: Mapping[tuple[str, int], str] | None = None) -> FileProblem:
    """The first thing that is wrong, with the object (by its id where that is known) and the field."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = list(first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    for known, name in (names or {}).items():
        for start in range(len(place) - 1):
            if tuple(place[start : start + 2]) == known:
                place[: start + 2] = [name]
                break
    spot = ": ".join(str(part) for part in place)
    return FileProblem(f"{where}: {spot}: {first['msg']}{more}" if spot else f"{where}: {first['msg']}{more}")


def object_names(listed: object, field_name: str, key: str) -> dict[tuple[str, int], str]:
    """How the objects of a list are called in messages: by an own field where they have it, else by number."""
    found: dict[tuple[str, int], str] = {}
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        said = one.get(key) if isinstance(one, dict) else None
        found[field_name, number] = f"object {said if isinstance(said, str | int) else f'number {number}'!s:.80}"
    return found
