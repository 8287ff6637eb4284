"""The interface of judges of scenes. Rules answer without a model; a model judge asks a model.

Every answer is about one scene and its annotation. A judge that cannot answer returns an ``Unknown`` with the reason
and never stops a run. Its answers are part of the transcript.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from tsgkit.geometry import MeasuredScene
from tsgkit.llm.reply import Ask
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval.annotations import Annotation, Specification
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation
from tsgkit.suites.solvers.solver import Expected


class AttributeAnswer(NamedTuple):
    """An answer on an attribute: True or False for each instance, None if unknown.

    ``failed`` holds the reason if a model was asked but gave no usable answer.
    """

    instances: Mapping[str, bool | None]
    reason: str = ""
    failed: Unknown | None = None


class MeasuredRoomRelation(NamedTuple):
    """A measured relation to a built element, and the floors it applies to (none: all)."""

    type: str
    element: str
    floors: tuple[str, ...] = ()


class Judge(Protocol):
    """A judge of scenes."""

    @property
    def name(self) -> str:
        """The judge's name on the command line."""

    @property
    def fingerprint(self) -> str:
        """A hash of everything besides the scene that affects the answers."""

    async def categories(
        self, scene: LoadedScene, categories: Sequence[str], ask: Ask | None
    ) -> Mapping[str, str | Unknown | None]:
        """Return the category of each object, or None if it has none of these."""

    async def attribute(
        self, scene: LoadedScene, spec: Specification, instances: Sequence[str], ask: Ask | None
    ) -> AttributeAnswer:
        """Return the instances of a category that have an attribute."""

    async def object_relations(
        self, annotation: Annotation, ask: Ask | None
    ) -> Mapping[Specification, tuple[MeasuredRelation, ...] | Unknown | None]:
        """Return the meaning of each relation between objects, or None if it cannot be measured."""

    async def room_relations(
        self, annotation: Annotation, floors: Mapping[str, str], ask: Ask | None
    ) -> Mapping[Specification, MeasuredRoomRelation | Unknown | None]:
        """Return the meaning of each relation to the room. ``floors`` maps the ids of floors to rooms."""

    async def supports(self, scene: LoadedScene, stage: MeasuredScene, ask: Ask | None) -> Mapping[str, str | Unknown]:
        """Return the support of each object: ground, object, wall or ceiling."""

    async def sides(self, scene: LoadedScene, ask: Ask | None) -> Mapping[str, tuple[str, ...] | Unknown]:
        """Return the functional sides of each object."""

    def expected(self, kind: str, annotation: Annotation, scene: LoadedScene) -> Expected:
        """Return the expected number and size of the calls for a scene."""


def unknowns(answers: Iterable[object]) -> list[Unknown]:
    """Return the unknown answers, without duplicates."""
    failed = (one.failed if isinstance(one, AttributeAnswer) else one for one in answers)
    return list(dict.fromkeys(one for one in failed if isinstance(one, Unknown)))


def ended(answers: Sequence[object]) -> Outcome:
    """Return the outcome of the calls: a service error anywhere, another failure only if no answer is usable."""
    failed = [one for one in unknowns(answers) if one.outcome is not None]
    if any(one.outcome is Outcome.API_ERROR for one in failed):
        return Outcome.API_ERROR
    usable = any(
        not isinstance(one, Unknown) and not (isinstance(one, AttributeAnswer) and one.failed) for one in answers
    )
    first = failed[0].outcome if failed and not usable else None
    return first or Outcome.ANSWERED
