"""The task ``sceneeval/plausibility``: could a room be real?

Collisions, support, ways, access, bounds and openings, in both profiles.

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

from collections.abc import Iterator, Mapping
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
from tsgkit.scoring.score import Score
from tsgkit.suites.gather_all import together
from tsgkit.suites.judgement import Scores, Verdict
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.metrics import PROFILES, Metric
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges.judge import Judge
from tsgkit.suites.sceneeval.scene_files.loaded_scene import Furnished
from tsgkit.suites.sceneeval.scenes import ABSENT, NOT_SEEN, OUTCOMES, PER_SCENE, SceneTask, with_averages
from tsgkit.suites.transcript import Ask

WAYS = ("ground", "wall", "ceiling")
"""The ways to be held that are measured differently: standing on a thing is measured like standing on the floor."""
Types = Mapping[str, str | Unknown]
Sides = Mapping[str, tuple[str, ...] | Unknown]
METRICS = with_averages(
    {
        "col_ob": Metric("objects that collide", more_is_better=False),
        "col_sc": Metric("scenes in which anything collides", more_is_better=False),
        "sup": Metric("objects that something holds"),
        "nav": Metric("the largest free part of the floor over all free floor"),
        "acc": Metric("how free the best functional side of an object is"),
        "oob": Metric("objects that are not over the floor", more_is_better=False),
        "opc": Metric("sides of doors and windows that nothing stands before"),
    }
)
WORST = {name: 0.0 if one.more_is_better else 1.0 for name, one in METRICS.items() if not name.endswith(PER_SCENE)}
"""What a scene that is not there, or is broken, counts as in ``strict``."""
NOTHING = {
    "col_ob": "there is no object",
    "col_sc": "there is no scene",
    "sup": "there is no object",
    "nav": "there is no floor",
    "acc": "no object is used from any side in particular",
    "oob": "there is no object",
    "opc": "there is no door and no window",
}
"""Why a metric has nothing to be made of."""
YES, NO = "yes", "no"
ABOUT_OBJECTS = (("held", "SUP", "supported", True), ("free", "COL", "in_collision", False),
                 ("inside", "OOB", "out_of_bounds", False))  # fmt: skip
"""What is asked of an object, its kind, the finding that tells, and what that has to be."""


class PlausibilityTask(SceneTask):
    """The task that holds rooms against what all rooms must be."""

    metrics = METRICS

    async def look(self, annotation: Annotation, scene: Furnished, judge: Judge, ask: Ask | None) -> Looked:
        """Ask the judge all that has to be seen."""
        return Looked(*await together(judge.supports(scene, scene.stage, ask), judge.sides(scene, ask)))

    def measure(self, annotation: Annotation, scene: Furnished, looked: Looked) -> dict[str, Any]:
        """All that is found, as JSON has it."""
        strict = scene.stage
        unknown = [name for name, found in looked.sides.items() if isinstance(found, Unknown)]
        return {
            "profiles": {name: findings(stage, looked.types, looked.sides) for name, stage in scene.stages.items()},
            "problems": [str(problem) for problem in strict.problems],
            "unmeasured": list(strict.unmeasured),
            **({"unknown_sides": unknown} if unknown else {}),
        }

    def scores_of(self, sample: Annotation, value: Mapping[str, Any], profile: str) -> Scores:
        """Score every metric."""
        if value["found"] == ABSENT and profile == "official":
            return {name: Score.missing(NOT_SEEN) for name in WORST}
        if value["found"] in OUTCOMES and profile == "strict":
            return {name: Score(worst, 1, value["reason"]) for name, worst in WORST.items()}
        scores = value["profiles"][profile]["scores"]
        return {
            name: Score(*scores[name]) if scores[name][1] else Score.missing(_nothing(name, value)) for name in WORST
        }

    def answer_of(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return the objects that have each trouble, and the openings that are blocked."""
        objects = value["profiles"]["strict"]["objects"]
        return {
            "in_collision": [name for name, one in objects.items() if one["in_collision"]],
            "unsupported": [name for name, one in objects.items() if one["supported"] is False],
            "out_of_bounds": [name for name, one in objects.items() if one["out_of_bounds"]],
            "occluded": [one["id"] for one in value["profiles"]["strict"]["openings"] if one["occluded"]],
        }

    def evidence_of(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return what was found of each object, of openings and ways, and how the judge ended."""
        profiles = value["profiles"]
        names = dict.fromkeys(name for profile in PROFILES for name in profiles[profile]["objects"])
        objects = {name: {profile: profiles[profile]["objects"].get(name) for profile in PROFILES} for name in names}
        about = ("openings", "navigability")
        both = {part: {one: profiles[one][part] for one in PROFILES} for part in about}
        return {"objects": objects, **both, **{name: value[name] for name in ("judge",) if name in value}}

    def troubles_of(self, value: Mapping[str, Any], profile: str) -> list[str]:
        """Return the reasons of everything that is wrong, and how free the floor is."""
        found = value["profiles"][profile]
        bad = [
            one
            for one in found["objects"].values()
            if one["in_collision"] or one["out_of_bounds"] or not one["supported"]
        ]
        lines = [reason for one in bad for reason in one["reasons"]]
        lines += [one["reason"] for one in found["openings"] if one["occluded"]]
        return [*dict.fromkeys(lines), found["navigability"]["reason"]]

    def unknown_in(self, value: Mapping[str, Any]) -> int:
        """Return of how many objects it is open what holds them or how they are used, or what they measure."""
        held = [one["supported"] for one in value["profiles"]["strict"]["objects"].values()]
        return held.count(None) + sum(len(value.get(name, ())) for name in ("unmeasured", "unknown_sides"))

    def verdicts(self, record: Mapping[str, Any], sample: Annotation, metric: str) -> Iterator[Verdict]:
        """Say what is wrong with each object, in strict, as people or another judge would be asked about it.

        Of an object is asked whether it is held (SUP), touches nothing (COL) and is over the floor (OOB), as in
        ``lamp_1/held``. What strict cannot tell, and all of a room that is not there, is no right answer.
        """
        for name, profiles in (record["evidence"] or {}).get("objects", {}).items():
            strict = profiles["strict"] or {}
            for question, kind, finding, good in ABOUT_OBJECTS:
                said = strict.get(finding)
                label = None if said is None else YES if said is good else NO
                yield Verdict(f"{name}/{question}", label == YES, label, YES, kind)

    def reference(self, sample: Annotation) -> str:
        """Return nothing: a room need only be possible."""
        return ""


def _nothing(name: str, value: Mapping[str, Any]) -> str:
    """Why a metric has nothing to be made of."""
    if name == "sup" and value["profiles"]["strict"]["objects"]:
        return "of no object is known what holds it"
    return (
        "from which sides objects are used is not known"
        if name == "acc" and "unknown_sides" in value
        else NOTHING[name]
    )


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
