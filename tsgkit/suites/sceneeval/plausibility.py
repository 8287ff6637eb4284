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
from typing import Any

from tsgkit.geometry import (
    PROFILES,
    Stage,
    accessibility,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    supports,
)
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.furnished import Furnished
from tsgkit.suites.sceneeval.judges import Judge
from tsgkit.suites.transcript import Ask

METRICS = ("col_ob", "col_sc", "sup", "nav", "acc", "oob", "opc")


def findings(stage: Stage, types: Mapping[str, str], sides: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """All that is found under the profile of a stage: by object, by opening, and what each metric is made of."""
    hits, held = collisions(stage), supports(stage, types)
    bounds, access = out_of_bounds(stage), accessibility(stage, sides)
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
                *([] if held[name].supported else [held[name].evidence]),
                *([bounds.objects[name].evidence] if bounds.objects[name].out else []),
                *([access[name].evidence] if name in access and access[name].sides else []),
            ],
        }
        for name in stage.bodies
    }
    scores = [access[name].score for name in access if access[name].score is not None]
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
            "sup": [sum(one["supported"] for one in objects.values()), count],
            "nav": [way.value or 0.0, int(way.value is not None)],
            "acc": [sum(score for score in scores if score is not None), len(scores)],
            "oob": [sum(one["out_of_bounds"] for one in objects.values()), count],
            "opc": [sum(not side.occluded for side in open_), len(open_)],
        },
    }  # fmt: skip


async def measured(annotation: Annotation, scene: Furnished, judge: Judge, ask: Ask | None) -> dict[str, Any]:
    """All that is found, as JSON has it."""
    strict = Stage(scene.scene)
    types = await judge.supports(scene, strict, ask)
    sides = await judge.sides(scene, ask)
    stages = {name: strict if profile is strict.profile else Stage(scene.scene, profile)
              for name, profile in PROFILES.items()}  # fmt: skip
    return {
        "profiles": {name: findings(stage, types, sides) for name, stage in stages.items()},
        "problems": [str(problem) for problem in strict.problems],
        "unmeasured": list(strict.unmeasured),
    }
