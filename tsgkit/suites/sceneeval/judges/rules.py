"""The judge ``rules``, which uses names, tables and geometry and asks no model.

Objects are matched by the names in their files (:mod:`~tsgkit.suites.sceneeval.word_meanings`), phrases by the shared
table, functional sides by category. An object is held by the floor or the top face it stands on. If it stands on
nothing, it is held by whatever is nearest: a face below it, a wall behind it, the ceiling above it. An attribute is
known if the file lists the object's attributes, or if the description mentions it; otherwise it is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tsgkit.geometry import MeasuredScene, Object
from tsgkit.geometry.bodies import nearest_board
from tsgkit.geometry.libraries import np
from tsgkit.llm.reply import Ask
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval.annotations import Annotation, Specification, spaced
from tsgkit.suites.sceneeval.judges.answers import AttributeAnswer, MeasuredRoomRelation
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.word_meanings import (
    CategorySynonyms,
    MeasuredRelation,
    RelationTable,
    best_category,
    element_of,
    mentions,
    relation_table,
    sides_table,
    synonyms_table,
    words_of,
)
from tsgkit.suites.solvers.solver import Expected

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body

NAME = "rules"
REACH = 0.05
"""Metres. An object is held by a wall or the ceiling only within this distance, and stands on a floor nearer than
it."""
STANDING_GAP = 0.01
"""Metres above a top face within which an object stands on it; higher up it may hang, as a mirror over a basin."""
LEAST_OVERLAP = 0.001
"""Metres. Two objects whose boxes overlap by less than this are side by side."""
MOST_SUNK = 0.05
"""Metres by which an object may be sunk into its support."""
LEAST_ALIGNMENT = 0.9
"""The least cosine between the fronts of an object and of a wall for which the wall is behind the object."""


@dataclass(frozen=True)
class RulesJudge:
    """A judge by rules, with the tables of the working project or the bundled ones."""

    name: str = NAME

    @cached_property
    def _relations(self) -> RelationTable:
        return relation_table()

    @cached_property
    def _sides(self) -> tuple[Mapping[str, tuple[str, ...]], str]:
        return sides_table()

    @cached_property
    def _same(self) -> tuple[CategorySynonyms, str]:
        groups, sha256 = synonyms_table()
        return CategorySynonyms.of(groups), sha256

    @property
    def fingerprint(self) -> str:
        """The hashes of the tables."""
        return f"{self.name}/{self._relations.sha256[:16]}/{self._sides[1][:16]}/{self._same[1][:16]}"

    async def categories(self, scene: LoadedScene, categories: Sequence[str], ask: Ask | None) -> dict[str, str | None]:
        """Match objects by the words of their own category and description."""
        return self.matched(scene, categories)

    def matched(self, scene: LoadedScene, categories: Sequence[str]) -> dict[str, str | None]:
        """Return the same as ``categories``, synchronously."""
        return {
            thing.id: best_category(thing.category, thing.description, categories, self._same[0])
            for thing in scene.scene.objects
        }

    async def attribute(
        self, scene: LoadedScene, spec: Specification, instances: Sequence[str], ask: Ask | None
    ) -> AttributeAnswer:
        """Check the listed attributes, else the description."""
        things = {thing.id: thing for thing in scene.scene.objects}
        verdicts = {name: _has(things[name], scene.attributes.get(name), spec.attribute) for name in instances}
        unknown = [name for name, has in verdicts.items() if has is None]
        if not unknown:
            return AttributeAnswer(verdicts)
        why = f"{unknown[0]} lists no attributes and its description does not say {spaced(spec.attribute)}"
        return AttributeAnswer(verdicts, f"{why}; rules cannot look")

    async def object_relations(
        self, annotation: Annotation, ask: Ask | None
    ) -> Mapping[Specification, tuple[MeasuredRelation, ...] | Unknown | None]:
        """Look the relations up in the table."""
        return {spec: self._relations.between_objects(spec.relation) for spec in annotation.of_kind("oor")}

    async def room_relations(
        self, annotation: Annotation, floors: Mapping[str, str], ask: Ask | None
    ) -> Mapping[Specification, MeasuredRoomRelation | Unknown | None]:
        """Look the relations up in the table. A type of room means the floors of that name, if there are any."""
        return {spec: self._room_relation(spec, floors) for spec in annotation.of_kind("oar")}

    def _room_relation(self, spec: Specification, floors: Mapping[str, str]) -> MeasuredRoomRelation | None:
        element = element_of(spec.elements[0])
        meant = None if element is None else self._relations.to_room(spec.relation, element)
        if element is None or meant is None:
            return None
        wanted = set(words_of(spaced(spec.elements[0]))) if element == "room" else set()
        floor_ids = tuple(floor for floor, room in floors.items() if wanted and wanted <= set(words_of(spaced(room))))
        return MeasuredRoomRelation(meant, element, floor_ids)

    async def supports(self, scene: LoadedScene, stage: MeasuredScene, ask: Ask | None) -> Mapping[str, str | Unknown]:
        """Return the nearest support of each object."""
        return {name: support_type(stage, body) for name, body in stage.bodies.items()}

    async def sides(self, scene: LoadedScene, ask: Ask | None) -> Mapping[str, tuple[str, ...] | Unknown]:
        """Return the functional sides by category."""
        return self.used_sides(scene)

    def used_sides(self, scene: LoadedScene) -> dict[str, tuple[str, ...]]:
        """Return the same as ``sides``, synchronously."""
        return {thing.id: self._sides_of(thing.category) for thing in scene.scene.objects}

    def expected(self, kind: str, annotation: Annotation, scene: LoadedScene) -> Expected:
        """Return no calls: rules ask no model."""
        return Expected()

    def _sides_of(self, category: str) -> tuple[str, ...]:
        words = [word.removesuffix("s") if word.endswith("s") and not word.endswith("ss") else word
                 for word in spaced(category).split()]  # fmt: skip
        table = self._sides[0]
        names = [" ".join(spelt[start:]) for start in range(len(words)) for spelt in (spaced(category).split(), words)]
        return next((table[name] for name in names if name in table), ())


def _has(thing: Object, listed: tuple[str, ...] | None, attribute: str) -> bool | None:
    if listed is not None:
        return any(mentions(listed_attribute, attribute) for listed_attribute in listed)
    return True if mentions(f"{thing.category} {thing.description}", attribute) else None


def support_type(stage: MeasuredScene, body: Body) -> str:
    """Return the support of an object: a face it stands on, else the nearest; on a tie, floor before object before
    wall.

    An object that stands on something is never held by the wall behind it, however near: it must stand by itself.
    """
    # the floor of the object's room, or the lowest floor if it is in no room
    under = [floor.z for floor in stage.floors if floor.polygon.intersects(body.footprint)]
    # the nearest top face below part of the object; 0 if it is sunk into one
    below = (
        max(float(body.low[2] - lower.high[2]), 0.0)
        for lower in stage.bodies.values()
        if lower is not body and lower.high[2] <= body.low[2] + MOST_SUNK and _overlap(body, lower)
    )
    gaps = {
        "ground": min(abs(float(body.low[2]) - z) for z in under or [stage.floor_height]),
        "object": min(below, default=float("inf")),
    }
    if gaps["ground"] > REACH and gaps["object"] > STANDING_GAP:
        front = body.frame.front / max(float((body.frame.front**2).sum()) ** 0.5, 1e-12)
        behind = [wall for wall in stage.wall_faces if float(front @ wall.frame.front) > LEAST_ALIGNMENT]
        beyond = {"wall": (nearest_board(body, behind)[1] if behind else float("inf"))}
        if stage.ceiling is not None:
            beyond["ceiling"] = abs(float(stage.ceiling.low[2] - body.high[2]))
        gaps |= {kind: gap for kind, gap in beyond.items() if gap <= REACH}
    least = min(gaps.values())
    return next(kind for kind, gap in gaps.items() if gap <= least + 1e-6)


def _overlap(body: Body, lower: Body) -> bool:
    """Return True if one object is above the other in the top view, not just side by side."""
    common = np.minimum(body.high, lower.high) - np.maximum(body.low, lower.low)
    thin = np.minimum(body.high - body.low, lower.high - lower.low)
    return bool((common[:2] >= np.minimum(LEAST_OVERLAP, thin[:2] / 2)).all())
