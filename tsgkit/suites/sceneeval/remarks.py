"""Remarks on a room: what is found in it, as lines for its pages, each with its reason and its objects.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> wanted = annotation_of("0", "easy", "A lamp.", ("ge,1,lamp",))
>>> verdict = {"satisfied": False, "count": 0, "reason": "0 lamp; at least 1 needed", "groups": []}
>>> profiles = {"strict": verdict, "official": verdict}
>>> value = {"matched": {}, "specifications": [{"text": "ge,1,lamp", "profiles": profiles}]}
>>> demand_remarks(wanted, value)
[Remark(text='at least 1 lamp', holds=False, objects=(), why='0 lamp; at least 1 needed')]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tsgkit.suites.sceneeval.annotations import Annotation, Specification, in_words

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
USABLE = 0.5
"""The share of the best side of an object that must be free for it to be used."""
HANGS = ("object hangs in the air", "objects hang in the air")
OUTSIDE = ("object is not over the floor", "objects are not over the floor")
HARDLY_USABLE = (
    "object can hardly be used: less than half of its best side is free",
    "objects can hardly be used: less than half of the best side of each is free",
)
FINE = "nothing is wrong with the room"
ALL_REACHED = "all free floor can be reached"
NOT_ALL_REACHED = "part of the floor cannot be reached"


class Remark(NamedTuple):
    """A line on a room: whether it holds (None if unknown), the objects it is about, and the reason."""

    text: str
    holds: bool | None = None
    objects: tuple[str, ...] = ()
    why: str = ""


def counted(number: int, singular: str, several: str) -> str:
    """Return a sentence that begins with a number; small ones are written as words.

    >>> counted(1, "door is blocked", "doors are blocked"), counted(13, "door is blocked", "doors are blocked")
    ('one door is blocked', '13 doors are blocked')
    """
    return f"{NUMBERS[number] if number < len(NUMBERS) else f'{number:,}'} {singular if number == 1 else several}"


def verdicts(findings: Mapping[str, Any]) -> list[Remark]:
    """Return what is wrong with a room under one profile, what is unknown, and whether all of its floor is reached."""
    things = findings["objects"].items()
    shares = {name: thing.get("accessibility") for name, thing in things}
    blocked_sides = [name for name, share in shares.items() if share is not None and share < USABLE]
    kinds = {
        ("object collides", "objects collide"): [name for name, thing in things if thing["in_collision"]],
        HANGS: [name for name, thing in things if thing["supported"] is False],
        OUTSIDE: [name for name, thing in things if thing["out_of_bounds"]],
        HARDLY_USABLE: blocked_sides,
    }
    wrong = [Remark(counted(len(names), *words), False, tuple(names)) for words, names in kinds.items() if names]
    if unknown := [name for name, thing in things if thing["supported"] is None]:
        words = counted(len(unknown), "object may hang in the air", "objects may hang in the air")
        wrong.append(Remark(f"{words}: the judge could not say", None, tuple(unknown)))
    blocked: dict[str, list[str]] = {}
    for opening in findings["openings"]:
        if opening["occluded"]:
            blocked.setdefault(opening.get("kind", "opening"), []).append(opening["id"])
    for kind, names in blocked.items():
        wrong.append(Remark(counted(len(names), f"{kind} is blocked", f"{kind}s are blocked"), False, tuple(names)))
    wrong += _floor_remarks(findings["navigability"])
    return wrong if any(remark.holds is not True for remark in wrong) else [Remark(FINE, True), *wrong]


def _floor_remarks(way: Mapping[str, Any]) -> list[Remark]:
    if way["value"] is None:
        return []
    is_whole = way["value"] >= 1
    return [Remark(ALL_REACHED if is_whole else NOT_ALL_REACHED, is_whole, (), way["reason"])]


Findings = Mapping[str, Any]
VERDICT_WORDS = {True: "holds", False: "does not hold", None: "is unknown"}
OCCLUDED = "is blocked"


class RemarkSection(NamedTuple):
    """Lines under a title."""

    title: str
    remarks: Sequence[Remark]


def sections(
    annotation: Annotation | None, fidelity: Findings | None, plausibility: Findings | None
) -> list[RemarkSection]:
    """Return sections on the demands and the plausibility of a room, leaving out those without a value.

    The values are fresh measurements or the evidence of a record.
    """
    titled = []
    if annotation is not None and fidelity is not None:
        remarks = demand_remarks(annotation, fidelity)
        met = sum(bool(remark.holds) for remark in remarks)
        titled.append(RemarkSection(f"Demanded: {met} of {len(remarks)} met", remarks))
    if plausibility is not None:
        wrong = [verdict.text for verdict in verdicts(plausibility) if verdict.holds is False]
        title = f"Not plausible: {'; '.join(wrong)}" if wrong else "Plausible: nothing wrong"
        titled.append(RemarkSection(title, trouble_remarks(plausibility)))
    return titled


def strict_findings(evidence: Findings | None) -> Findings | None:
    """Return the strict findings in the evidence of a record, of fidelity or plausibility; None if there are none."""
    if evidence is None or "matched" in evidence:
        return evidence
    return {
        "objects": {
            name: profiles["strict"] for name, profiles in evidence["objects"].items() if profiles["strict"] is not None
        },
        "openings": evidence["openings"]["strict"],
        "navigability": evidence["navigability"]["strict"],
    }


def demand_remarks(annotation: Annotation, value: Findings) -> list[Remark]:
    """Return a line for each demand, with its strict verdict. If the official one differs, the reason says so."""
    profiles = {demand["text"]: demand["profiles"] for demand in value["specifications"]}
    remarks = []
    for spec in (spec for spec in annotation.specifications if spec.text in profiles):
        strict, official = profiles[spec.text]["strict"], profiles[spec.text]["official"]
        why = strict["reason"]
        if strict["satisfied"] != official["satisfied"]:
            why += f"\nas published it {VERDICT_WORDS[official['satisfied']]}: {official['reason']}"
        remarks.append(Remark(in_words(spec), strict["satisfied"], _objects(spec, strict, value["matched"]), why))
    return remarks


def _objects(spec: Specification, verdict: Findings, matched: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the objects that satisfy a demand, else the closest group; for a count, all counted objects."""
    if spec.kind == "cnt":
        return tuple(name for name, category in matched.items() if category == spec.category)
    groups = verdict["groups"]
    good = [group for group in groups if group["satisfied"]] or groups[:1]
    return tuple(dict.fromkeys(name for group in good for name in group["objects"]))


def trouble_remarks(findings: Findings) -> list[Remark]:
    """Return the plausibility problems of a room under one profile, and how free its floor is."""
    remarks = []
    for name, thing in findings["objects"].items():
        why = "\n".join(thing["reasons"])
        for neighbour in thing["colliding_with"]:
            pair = tuple(sorted((name, neighbour)))
            reasons = [reason for reason in thing["reasons"] if neighbour in reason]
            remarks.append(Remark(f"{pair[0]} and {pair[1]} collide", False, pair, "\n".join(reasons)))
        if thing["supported"] is None:
            remarks.append(Remark(f"something holds {name}", None, (name,), why))
        elif not thing["supported"]:
            remarks.append(Remark(f"nothing holds {name}", False, (name,), why))
        if thing["out_of_bounds"]:
            remarks.append(Remark(f"{name} is not over the floor", False, (name,), why))
    blocked = (opening for opening in findings["openings"] if opening["occluded"])
    remarks += [Remark(f"{side['id']} {OCCLUDED}", False, (side["id"],), side["reason"]) for side in blocked]
    remarks += _floor_remarks(findings["navigability"])
    # Both objects of a colliding pair report it, and so do both sides of an opening: each line stands once.
    once: dict[str, Remark] = {}
    for remark in remarks:
        once.setdefault(remark.text, remark)
    return list(once.values())
