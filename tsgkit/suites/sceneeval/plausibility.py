"""The task ``sceneeval/plausibility``: check if a room is physically plausible.

It measures collisions, support, navigability, accessibility, bounds and openings, in both profiles.

=========  ==================================================================  =============
``col_ob``  objects that collide with something, over all                       less is better
``col_sc``  scenes in which anything collides                                   less is better
``sup``     objects that something holds, over all                              more
``nav``     the largest free part of the floor over all free floor, per scene   more
``acc``     how free the best functional side is, over objects that have one    more
``oob``     objects that are not over the floor, over all                       less is better
``opc``     unblocked sides of doors and windows, over all                      more
=========  ==================================================================  =============
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tsgkit.geometry import (
    MeasuredScene,
    accessibility,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    supports,
)
from tsgkit.library.cards import Card
from tsgkit.llm.reply import Ask
from tsgkit.scoring.pooling import Score
from tsgkit.suites.judgement import QuestionVerdict, Scores
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.metrics import PROFILES, Metric
from tsgkit.suites.sceneeval.annotation_files import VIEW
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.judges.model import SceneJudge
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scenes import ABSENT, NOT_SEEN, OUTCOMES, SceneChecks, scene_task, with_averages
from tsgkit.suites.task import Task
from tsgkit.suites.transcript import gather_all

Types = Mapping[str, str | Unknown]
Sides = Mapping[str, tuple[str, ...] | Unknown]
POOLED = {
    "col_ob": Metric("objects that collide", more_is_better=False),
    "col_sc": Metric("scenes in which anything collides", more_is_better=False),
    "sup": Metric("objects that something holds"),
    "nav": Metric("the largest free part of the floor over all free floor"),
    "acc": Metric("how free the best functional side of an object is"),
    "oob": Metric("objects that are not over the floor", more_is_better=False),
    "opc": Metric("sides of doors and windows that nothing stands before"),
}
METRICS = with_averages(POOLED)
WORST = {name: 0.0 if metric.more_is_better else 1.0 for name, metric in POOLED.items()}
"""The score of a missing or unreadable scene in ``strict``."""
NOTHING = {
    "col_ob": "there is no object",
    "col_sc": "there is no scene",
    "sup": "there is no object",
    "nav": "there is no floor",
    "acc": "no object is used from any side in particular",
    "oob": "there is no object",
    "opc": "there is no door and no window",
}
"""The reason why a metric has no value."""
YES, NO = "yes", "no"
OBJECT_QUESTIONS = (("held", "SUP", "supported", True), ("free", "COL", "in_collision", False),
                 ("inside", "OOB", "out_of_bounds", False))  # fmt: skip
"""The questions on an object: the name, the kind, the finding that answers it, and the good value."""
WORDS = {"held": "is it held?", "free": "is it free of collisions?", "inside": "is it over the floor?"}
"""These questions in words."""


async def ask_judge(
    annotation: Annotation, scene: LoadedScene, judge: SceneJudge, ask: Ask | None
) -> PlausibilityAnswers:
    """Ask the judge all questions."""
    return PlausibilityAnswers(*await gather_all(judge.supports(scene, scene.stage, ask), judge.sides(scene, ask)))


def measure(annotation: Annotation, scene: LoadedScene, answers: PlausibilityAnswers) -> dict[str, Any]:
    """Return all findings as JSON."""
    strict = scene.stage
    unknown = [name for name, answer in answers.sides.items() if isinstance(answer, Unknown)]
    return {
        "profiles": {name: findings(stage, answers.types, answers.sides) for name, stage in scene.stages.items()},
        "problems": [str(problem) for problem in strict.problems],
        "unmeasured": list(strict.unmeasured),
        **({"unknown_sides": unknown} if unknown else {}),
    }


def _scores(sample: Annotation, value: Mapping[str, Any], profile: str) -> Scores:
    """Score every metric."""
    if value["found"] == ABSENT and profile == "official":
        return {name: Score.missing(NOT_SEEN) for name in WORST}
    if value["found"] in OUTCOMES and profile == "strict":
        return {name: Score(worst, 1, value["reason"]) for name, worst in WORST.items()}
    scores = value["profiles"][profile]["scores"]
    return {name: Score(*scores[name]) if scores[name][1] else Score.missing(_nothing(name, value)) for name in WORST}


def _answer(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the objects with each problem, and the blocked openings."""
    objects = value["profiles"]["strict"]["objects"]
    return {
        "in_collision": [name for name, finding in objects.items() if finding["in_collision"]],
        "unsupported": [name for name, finding in objects.items() if finding["supported"] is False],
        "out_of_bounds": [name for name, finding in objects.items() if finding["out_of_bounds"]],
        "occluded": [finding["id"] for finding in value["profiles"]["strict"]["openings"] if finding["occluded"]],
    }


def _evidence(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the findings on objects, openings and navigability, and how the judge's calls ended."""
    profiles = value["profiles"]
    names = dict.fromkeys(name for profile in PROFILES for name in profiles[profile]["objects"])
    objects = {name: {profile: profiles[profile]["objects"].get(name) for profile in PROFILES} for name in names}
    about = ("openings", "navigability")
    both = {part: {profile_name: profiles[profile_name][part] for profile_name in PROFILES} for part in about}
    return {"objects": objects, **both, **{name: value[name] for name in ("judge",) if name in value}}


def _troubles(value: Mapping[str, Any], profile: str) -> list[str]:
    """Return the reason for each problem, and how free the floor is."""
    measured = value["profiles"][profile]
    bad = [
        finding
        for finding in measured["objects"].values()
        if finding["in_collision"] or finding["out_of_bounds"] or not finding["supported"]
    ]
    lines = [reason for finding in bad for reason in finding["reasons"]]
    lines += [finding["reason"] for finding in measured["openings"] if finding["occluded"]]
    return [*dict.fromkeys(lines), measured["navigability"]["reason"]]


def _unknown(value: Mapping[str, Any]) -> int:
    """Return the number of objects whose support, functional sides or geometry is unknown."""
    supported = [finding["supported"] for finding in value["profiles"]["strict"]["objects"].values()]
    return supported.count(None) + sum(len(value.get(name, ())) for name in ("unmeasured", "unknown_sides"))


def _verdicts(
    record: Mapping[str, Any], sample: Annotation, metric: str, profile: str = "strict"
) -> Iterator[QuestionVerdict]:
    """Yield the verdicts on each object, in the form in which people or another judge would be asked.

    Each object has three questions: is it held (SUP), is it free of collisions (COL), is it over the floor (OOB)?
    Their ids are of the form ``lamp_1/held``. Unknown findings have no label and count as wrong.
    """
    for name, profiles in (record["evidence"] or {}).get("objects", {}).items():
        findings = profiles[profile] or {}
        for question, kind, finding, good in OBJECT_QUESTIONS:
            answer = findings.get(finding)
            label = None if answer is None else YES if answer is good else NO
            yield QuestionVerdict(
                f"{name}/{question}", label == YES, label, YES, kind, text=f"{name}: {WORDS[question]}"
            )


def _nothing(name: str, value: Mapping[str, Any]) -> str:
    """Return the reason why a metric has no value."""
    if name == "sup" and value["profiles"]["strict"]["objects"]:
        return "of no object is known what holds it"
    if name == "acc" and "unknown_sides" in value:
        return "from which sides objects are used is not known"
    return NOTHING[name]


@dataclass(frozen=True)
class PlausibilityAnswers:
    """The judge's answers on a scene: the support of each object, and its functional sides."""

    types: Types
    sides: Sides

    @property
    def all_answers(self) -> list[object]:
        """All answers of the judge."""
        return [*self.types.values(), *self.sides.values()]


def findings(stage: MeasuredScene, types: Types, sides: Sides) -> dict[str, Any]:
    """Return all findings under the profile of a stage: by object, by opening, and the parts of each metric.

    An object whose support type is unknown stands on the ground in ``official``. In ``strict`` its support is unknown
    too, whatever would hold it: those that nothing could hold would be all that counts, as not held.
    """
    hits, support_of = (
        collisions(stage),
        supports(stage, {name: of for name, of in types.items() if isinstance(of, str)}),
    )
    unknown = {} if stage.profile.self_pairs else {name: of for name, of in types.items() if isinstance(of, Unknown)}
    lacking = {name: "" if support.supported else support.evidence for name, support in support_of.items()}
    lacking |= {name: f"it is not known what holds {name} ({why})" for name, why in unknown.items()}
    used = {name: answer for name, answer in sides.items() if not isinstance(answer, Unknown)}
    bounds, access = out_of_bounds(stage), accessibility(stage, used)
    way, open_ = navigability(stage), clearances(stage)
    rugs = {name: f"{name} is a rug by its {why}: it neither collides nor blocks" for name, why in stage.rugs.items()}
    objects = {
        name: {
            "in_collision": bool(hits.colliding_with[name]),
            "colliding_with": list(hits.colliding_with[name]),
            "supported": None if name in unknown else support_of[name].supported,
            "out_of_bounds": bounds.objects[name].out,
            "accessibility": access[name].score if name in access else None,
            "support_type": None if name in unknown else support_of[name].type,
            "reasons": [
                *(hit.evidence for hit in (*hits.hits, *hits.wall_hits) if name in (hit.one, hit.other)),
                *filter(None, [rugs.get(name), lacking[name]]),
                *([bounds.objects[name].evidence] if bounds.objects[name].out else []),
                *([access[name].evidence] if name in access and access[name].sides else []),
            ],
        }
        for name in stage.bodies
    }
    scores = [access[name].score for name in access if access[name].score is not None]
    known_support = [result["supported"] for result in objects.values() if result["supported"] is not None]
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
            "col_ob": [sum(result["in_collision"] for result in objects.values()), count],
            "col_sc": [int(hits.scene_in_collision), 1],
            "sup": [known_support.count(True), len(known_support)],
            "nav": [way.value or 0.0, int(way.value is not None)],
            "acc": [sum(score for score in scores if score is not None), len(scores)],
            "oob": [sum(result["out_of_bounds"] for result in objects.values()), count],
            "opc": [sum(not side.occluded for side in open_), len(open_)],
        },
    }  # fmt: skip


CHECKS = SceneChecks("plausibility", ask_judge, measure, _scores, _answer, _evidence, _troubles, _unknown)


def plausibility(card: Card) -> Task:
    """Return the task that checks rooms for physical plausibility."""
    return scene_task(card, CHECKS, METRICS, replace(VIEW, verdicts=_verdicts))
