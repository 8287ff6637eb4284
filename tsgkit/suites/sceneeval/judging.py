"""From what was found about a scene to its scores in both profiles, with reasons, evidence and counts.

A scene that is not there is missing: ``strict`` leaves every demand unmet and gives the worst value to every metric of
plausibility; ``official`` does not see it, since the published tool starts from the files there are. A scene that
cannot be read is unreadable: the same in ``strict``, and as published an empty room of 6 by 6 metres in ``official``.

Where a judge that is a model gave no answer that can be used, ``strict`` leaves open what depends on it, and counts it.
Where its service failed, the sample is one that failed: what is known is told, and the published tool, which stops
there, has no figure. A scene that is given up for its time is an error, with the reason, scored as if it were missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.llm.reply import Reply
from tsgkit.scoring.outcomes import FAILURES, Outcome
from tsgkit.scoring.score import Score
from tsgkit.suites.judged import Judged, Scores
from tsgkit.suites.metrics import PROFILES
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation
from tsgkit.suites.sceneeval.measuring import ABSENT, BROKEN, SEEN, TOO_LONG, value_of
from tsgkit.suites.sceneeval.metrics import PER_SCENE, WORST
from tsgkit.suites.transcript import LOCAL, Transcript

UNKNOWN = "unknown"
NOT_LOOKED_AT, STOPPED = "nobody looked at it yet", "the run was stopped before it was measured"
NOT_SEEN = "the published tool starts from the scene files there are"
FAILED = "the judge's service failed, where the published tool stops"
OUTCOMES = {ABSENT: Outcome.MISSING, BROKEN: Outcome.UNREADABLE}


def judge(kind: str, sample: Annotation, transcript: Transcript | None) -> Judged:
    """The judgement on what was found (None: nobody looked)."""
    value = value_of(transcript)
    given_up = value is None and transcript is not None and any(one.label == TOO_LONG for one in transcript.said)
    if value is None:
        failed = transcript.said[-1].reply if transcript and transcript.said else None
        value = {"found": ABSENT, "reason": (failed.error or STOPPED) if failed else NOT_LOOKED_AT}
        outcome = _outcome_of(failed) if failed and failed.error else Outcome.MISSING
    else:
        outcome = OUTCOMES.get(value["found"]) or Outcome(_judge(value)["ended"])
    scores = (_fidelity if kind == "fidelity" else _plausibility)(sample, value)
    if outcome is Outcome.API_ERROR and value["found"] == SEEN:
        scores["official"] = dict.fromkeys(scores["official"], Score.missing(FAILED))
    counts = {"items": 1, str(outcome): 1, UNKNOWN: _unknown(value)}
    if value["found"] == ABSENT or outcome in FAILURES:
        counts["skipped_official"] = 1
    if given_up:
        counts[TOO_LONG] = 1
    notes = (*([value["reason"]] if value.get("reason") else []), *value.get("notes", ()), *value.get("problems", ()))
    notes += tuple(": ".join(filter(None, (one["label"], one["reason"]))) for one in _judge(value)["unknown"])
    both = {profile: _with_averages(scores[profile]) for profile in PROFILES}
    return Judged(sample, outcome, _answer(kind, value), both, notes, _evidence(kind, value), counts)


def _outcome_of(failed: Reply) -> Outcome:
    """Return how a sample ended whose last reply is an error: the service's, or that of the work on the scene."""
    return Outcome.ERROR if failed.source == LOCAL else Outcome.API_ERROR


def _judge(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """How asking the judge ended, and what it could not tell; rules always end well."""
    found: Mapping[str, Any] = value.get("judge", {"ended": Outcome.ANSWERED, "unknown": ()})
    return found


def _with_averages(scores: Scores) -> Scores:
    return scores | {name + PER_SCENE: score for name, score in scores.items()}


def _fidelity(sample: Annotation, value: Mapping[str, Any]) -> dict[str, Scores]:
    found = {one["text"]: one for one in value.get("specifications", ())}
    return {profile: {kind: _met(sample, kind, profile, value, found) for kind in KINDS} for profile in PROFILES}


def _met(sample: Annotation, kind: str, profile: str, value: Mapping[str, Any], found: Mapping[str, Any]) -> Score:
    """How many demands of a kind are met, of those that somebody can tell."""
    wanted = [spec for spec in sample.specifications if spec.kind == kind]
    if not wanted:
        return Score.missing("the description demands nothing of this kind")
    if value["found"] == ABSENT and profile == "official":
        return Score.missing(NOT_SEEN)
    if value["found"] in OUTCOMES and profile == "strict":
        return Score(0, len(wanted), value["reason"])
    verdicts = [found[spec.text]["profiles"][profile] for spec in wanted]
    known = [one["satisfied"] for one in verdicts if one["satisfied"] is not None]
    if not known:
        return Score.missing(verdicts[0]["reason"])
    pairs = zip(wanted, verdicts, strict=True)
    unmet = [f"{spec.text}: {one['reason']}" for spec, one in pairs if one["satisfied"] is False]
    why = f"; {unmet[0]}" + (f" (and {len(unmet) - 1} more)" if len(unmet) > 1 else "") if unmet else ""
    return Score(sum(known), len(known), f"{sum(known)} of {len(known)} demands are met{why}")


def _plausibility(sample: Annotation, value: Mapping[str, Any]) -> dict[str, Scores]:
    return {profile: _measured(value, profile) for profile in PROFILES}


def _measured(value: Mapping[str, Any], profile: str) -> Scores:
    names = [name for name in WORST if not name.endswith(PER_SCENE)]
    if value["found"] == ABSENT and profile == "official":
        return {name: Score.missing(NOT_SEEN) for name in names}
    if value["found"] in OUTCOMES and profile == "strict":
        return {name: Score(WORST[name], 1, value["reason"]) for name in names}
    scores = value["profiles"][profile]["scores"]
    return {name: Score(*scores[name]) if scores[name][1] else Score.missing(_nothing(name, value)) for name in names}


def _nothing(name: str, value: Mapping[str, Any]) -> str:
    """Why a metric has nothing to be made of."""
    if name == "sup" and value["profiles"]["strict"]["objects"]:
        return "of no object is known what holds it"
    return (
        "from which sides objects are used is not known"
        if name == "acc" and "unknown_sides" in value
        else _NOTHING[name]
    )


_NOTHING = {
    "col_ob": "there is no object",
    "col_sc": "there is no scene",
    "sup": "there is no object",
    "nav": "there is no floor",
    "acc": "no object is used from any side in particular",
    "oob": "there is no object",
    "opc": "there is no door and no window",
}


def _unknown(value: Mapping[str, Any]) -> int:
    """The demands and objects of which strict cannot tell what is asked, and the objects that cannot be measured."""
    if value["found"] in OUTCOMES:
        return 0
    told = [one["profiles"]["strict"]["satisfied"] for one in value.get("specifications", ())]
    if "unmeasured" in value:
        told += [one["supported"] for one in value["profiles"]["strict"]["objects"].values()]
    return sum(one is None for one in told) + sum(len(value.get(name, ())) for name in ("unmeasured", "unknown_sides"))


def _answer(kind: str, value: Mapping[str, Any]) -> Any:  # noqa: ANN401  (as JSON has it)
    """What a person wants to know first: the demands that are not met, or how many objects have which trouble."""
    if value["found"] in OUTCOMES:
        return None
    if kind == "fidelity":
        verdicts = {one["text"]: one["profiles"]["strict"]["satisfied"] for one in value["specifications"]}
        return {"met": [text for text, met in verdicts.items() if met],
                "unmet": [text for text, met in verdicts.items() if met is False],
                "unknown": [text for text, met in verdicts.items() if met is None]}  # fmt: skip
    objects = value["profiles"]["strict"]["objects"]
    return {
        "in_collision": [name for name, one in objects.items() if one["in_collision"]],
        "unsupported": [name for name, one in objects.items() if one["supported"] is False],
        "out_of_bounds": [name for name, one in objects.items() if one["out_of_bounds"]],
        "occluded": [one["id"] for one in value["profiles"]["strict"]["openings"] if one["occluded"]],
    }


def troubles(kind: str, value: Mapping[str, Any] | None, profile: str) -> list[str]:
    """What is wrong with a scene under a profile, a line each; nothing where nobody looked."""
    if value is None or value["found"] in OUTCOMES:
        return []
    if kind == "fidelity":
        told = ((one["text"], one["profiles"][profile]) for one in value["specifications"])
        names = {False: "unmet", None: "unknown"}
        return [f"{names[one['satisfied']]} {text}: {one['reason']}" for text, one in told if not one["satisfied"]]
    found = value["profiles"][profile]
    bad = [one for one in found["objects"].values() if _in_trouble(one)]
    lines = [reason for one in bad for reason in one["reasons"]]
    lines += [one["reason"] for one in found["openings"] if one["occluded"]]
    return [*dict.fromkeys(lines), found["navigability"]["reason"]]


def _in_trouble(found: Mapping[str, Any]) -> bool:
    return bool(found["in_collision"] or found["out_of_bounds"] or not found["supported"])


def _evidence(kind: str, value: Mapping[str, Any]) -> dict[str, Any] | None:
    if value["found"] in OUTCOMES:
        return None
    if kind == "fidelity":
        return {name: value[name] for name in ("matched", "specifications", "judge") if name in value}
    profiles = value["profiles"]
    names = dict.fromkeys(name for profile in PROFILES for name in profiles[profile]["objects"])
    objects = {name: {profile: profiles[profile]["objects"].get(name) for profile in PROFILES} for name in names}
    about = ("openings", "navigability")
    both = {part: {one: profiles[one][part] for one in PROFILES} for part in about}
    return {"objects": objects, **both, **{name: value[name] for name in ("judge",) if name in value}}
