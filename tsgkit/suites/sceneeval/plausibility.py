"""Could a room be real? Collisions, support, ways, access, bounds and openings, in both profiles.

=========  ==================================================================  =============
``col_ob``  objects that collide with something, over all                       less is better
``col_sc``  scenes in which anything collides                                   less is better
``sup``     objects that are held by something, over all                        more
``nav``     the largest free part of the floor over all free floor, per scene   more
``acc``     how free the best functional side is, over objects that have one    more
``oob``     objects that are not over the floor, over all                       less is better
``opc``     sides of doors and windows that nothing stands before, over all     more
=========  ==================================================================  =============
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tsgkit.geometry import (
    Stage,
    accessibility,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    supports,
)
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.furnished import Furnished
from tsgkit.suites.sceneeval.judges import Judge
from tsgkit.suites.together import together
from tsgkit.suites.transcript import Ask

METRICS = ("col_ob", "col_sc", "sup", "nav", "acc", "oob", "opc")
WAYS = ("ground", "wall", "ceiling")
"""The ways to be held that are measured differently: standing on a thing is measured like standing on the floor."""
Types = Mapping[str, str | Unknown]
Sides = Mapping[str, tuple[str, ...] | Unknown]


@dataclass(frozen=True)
class Looked:
    """What the judge said of a scene: what holds each object, and from which sides it is used."""

    types: Types
    sides: Sides

    @property
    def told(self) -> list[object]:
        """All that the judge said."""
        return [*self.types.values(), *self.sides.values()]


class Held(NamedTuple):
    """Whether an object is held (None: nobody can tell), how, and why it is not or cannot be told."""

    supported: bool | None
    type: str | None
    why: str


def _held(stage: Stage, types: Types) -> dict[str, Held]:
    """How every object is held; of whom nothing was said stands on the ground, as published.

    In strict that is unknown, if the ways to be held differ in it.
    """
    known = {name: kind for name, kind in types.items() if isinstance(kind, str)}
    found = {
        name: Held(one.supported, one.type, "" if one.supported else one.evidence)
        for name, one in supports(stage, known).items()
    }
    unsure = {name: why for name, why in types.items() if isinstance(why, Unknown) and name in found}
    if stage.profile.self_pairs or not unsure:
        return found
    ways = [supports(stage, known | dict.fromkeys(unsure, way)) for way in WAYS]
    for name, why in unsure.items():
        if len({way[name].supported for way in ways}) > 1:
            found[name] = Held(None, None, f"it is not known what holds {name} ({why})")
    return found


def findings(stage: Stage, types: Types, sides: Sides) -> dict[str, Any]:
    """All that is found under the profile of a stage: by object, by opening, and what each metric is made of."""
    hits, held = collisions(stage), _held(stage, types)
    used = {name: found for name, found in sides.items() if not isinstance(found, Unknown)}
    bounds, access = out_of_bounds(stage), accessibility(stage, used)
    way, open_ = navigability(stage), clearances(stage)
    objects = {
        name: {
            "in_collision": bool(hits.colliding_with[name]),
            "colliding_with": list(hits.colliding_with[name]),
            "supported": held[name].supported,
            "out_of_bounds": bounds.objects[name].out,
            "accessibility": access[name].score if name in access else None,
            "support_type": held[name].type,
            "reasons": [
                *(hit.evidence for hit in (*hits.hits, *hits.wall_hits) if name in (hit.one, hit.other)),
                *filter(None, [held[name].why]),
                *([bounds.objects[name].evidence] if bounds.objects[name].out else []),
                *([access[name].evidence] if name in access and access[name].sides else []),
            ],
        }
        for name in stage.bodies
    }
    scores = [access[name].score for name in access if access[name].score is not None]
    told = [one["supported"] for one in objects.values() if one["supported"] is not None]
    count = len(objects)
    return {
        "objects": objects,
        "openings": [
            {"id": side.opening, "kind": side.kind, "occluded": side.occluded, "occlusion": round(side.occlusion, 6),
             "reason": side.evidence}
            for side in open_
        ],
        "navigability": {"value": way.value, "parts": list(way.parts), "unit": way.unit, "reason": way.evidence},
        "scores": {
            "col_ob": [sum(one["in_collision"] for one in objects.values()), count],
            "col_sc": [int(hits.scene_in_collision), 1],
            "sup": [told.count(True), len(told)],
            "nav": [way.value or 0.0, int(way.value is not None)],
            "acc": [sum(score for score in scores if score is not None), len(scores)],
            "oob": [sum(one["out_of_bounds"] for one in objects.values()), count],
            "opc": [sum(not side.occluded for side in open_), len(open_)],
        },
    }  # fmt: skip


async def looked_at(annotation: Annotation, scene: Furnished, judge: Judge, ask: Ask | None) -> Looked:
    """Ask the judge all that has to be seen."""
    return Looked(*await together(judge.supports(scene, scene.stage, ask), judge.sides(scene, ask)))


def measured(annotation: Annotation, scene: Furnished, looked: Looked) -> dict[str, Any]:
    """All that is found, as JSON has it."""
    strict = scene.stage
    unknown = [name for name, found in looked.sides.items() if isinstance(found, Unknown)]
    return {
        "profiles": {name: findings(stage, looked.types, looked.sides) for name, stage in scene.stages.items()},
        "problems": [str(problem) for problem in strict.problems],
        "unmeasured": list(strict.unmeasured),
        **({"unknown_sides": unknown} if unknown else {}),
    }
