"""What is asked of whoever looks at a room, behind one interface: rules ask nobody, a model is asked through the door.

Every answer is about one scene and its annotation. A judge that cannot tell says so (with an ``Unknown`` that holds the
reason) and never stops a run; what it answers is part of the transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from tsgkit.geometry import Stage
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval.annotations import Annotation, Specification
from tsgkit.suites.sceneeval.scene_files.loaded_scene import Furnished
from tsgkit.suites.sceneeval.word_meanings import Meant
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.transcript import Ask


class Attributed(NamedTuple):
    """Whether each instance has an attribute; None where it cannot be told.

    ``failed`` says why there is no answer that could be used, where somebody was asked for one.
    """

    instances: Mapping[str, bool | None]
    reason: str = ""
    failed: Unknown | None = None


class MeantInRoom(NamedTuple):
    """A measured relation to what is built, and the floors it is about (none: all)."""

    type: str
    element: str
    floors: tuple[str, ...] = ()


class Judge(Protocol):
    """Whoever looks."""

    @property
    def name(self) -> str:
        """Its name on the command line."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that its answers depend on beside the scene."""

    async def categories(
        self, scene: Furnished, categories: Sequence[str], ask: Ask | None
    ) -> Mapping[str, str | Unknown | None]:
        """The category of every object; None for those of none."""

    async def attribute(
        self, scene: Furnished, spec: Specification, instances: Sequence[str], ask: Ask | None
    ) -> Attributed:
        """Which instances of a category have an attribute."""

    async def object_relations(
        self, annotation: Annotation, ask: Ask | None
    ) -> Mapping[Specification, tuple[Meant, ...] | Unknown | None]:
        """What the relations between objects mean; None for those that mean nothing measured."""

    async def room_relations(
        self, annotation: Annotation, floors: Mapping[str, str], ask: Ask | None
    ) -> Mapping[Specification, MeantInRoom | Unknown | None]:
        """What the relations to the room mean; ``floors`` are the rooms by the ids of their floors."""

    async def supports(self, scene: Furnished, stage: Stage, ask: Ask | None) -> Mapping[str, str | Unknown]:
        """What every object is held by: ground, object, wall or ceiling."""

    async def sides(self, scene: Furnished, ask: Ask | None) -> Mapping[str, tuple[str, ...] | Unknown]:
        """From which sides every object is used."""

    def expected(self, kind: str, annotation: Annotation, scene: Furnished) -> Expected:
        """What it would ask about a scene."""


def unknowns(told: Iterable[object]) -> list[Unknown]:
    """What could not be told, each reason once."""
    failed = (one.failed if isinstance(one, Attributed) else one for one in told)
    return list(dict.fromkeys(one for one in failed if isinstance(one, Unknown)))


def ended(told: Sequence[object]) -> Outcome:
    """How asking ended: an error of the service counts wherever it was, all else where nothing is left to use."""
    failed = [one for one in unknowns(told) if one.outcome is not None]
    if any(one.outcome is Outcome.API_ERROR for one in failed):
        return Outcome.API_ERROR
    usable = any(not isinstance(one, Unknown) and not (isinstance(one, Attributed) and one.failed) for one in told)
    first = failed[0].outcome if failed and not usable else None
    return first or Outcome.ANSWERED
