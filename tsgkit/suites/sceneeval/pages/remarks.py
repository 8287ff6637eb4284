"""Findings on a room, as lines for its page: each with its reason and its objects.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> wanted = annotation_of("0", "easy", "A lamp.", ("ge,1,lamp",))
>>> verdict = {"satisfied": False, "count": 0, "reason": "0 lamp; at least 1 needed", "groups": []}
>>> profiles = {"strict": verdict, "official": verdict}
>>> value = {"matched": {}, "specifications": [{"text": "ge,1,lamp", "profiles": profiles}]}
>>> demand_remarks(wanted, value)
[Remark(text='at least 1 lamp', holds=False, objects=(), why='0 lamp; at least 1 needed')]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tsgkit.suites.sceneeval.annotations import Annotation, Specification, in_words
from tsgkit.suites.sceneeval.pages.verdicts import ALL_REACHED, NOT_ALL_REACHED, verdicts

Findings = Mapping[str, Any]
VERDICT_WORDS = {True: "holds", False: "does not hold", None: "is unknown"}
OCCLUDED = "is blocked"


class Remark(NamedTuple):
    """A line on a page: whether it holds (None if unknown), the objects it is about, and the reason."""

    text: str
    holds: bool | None = None
    objects: tuple[str, ...] = ()
    why: str = ""


class Section(NamedTuple):
    """Lines under a title."""

    title: str
    remarks: Sequence[Remark]


def sections(annotation: Annotation | None, fidelity: Findings | None, plausibility: Findings | None) -> list[Section]:
    """Return sections on the demands and the plausibility of a room, leaving out those without a value.

    The values are fresh measurements or the evidence of a record.
    """
    made = []
    if annotation is not None and fidelity is not None:
        remarks = demand_remarks(annotation, fidelity)
        met = sum(bool(remark.holds) for remark in remarks)
        made.append(Section(f"Demanded: {met} of {len(remarks)} met", remarks))
    if plausibility is not None:
        made.append(Section(_plausibility_title(plausibility), trouble_remarks(plausibility)))
    return made


def _plausibility_title(plausibility: Findings) -> str:
    """Return the verdicts on a room in one sentence."""
    wrong = [one.text for one in verdicts(plausibility) if one.holds is False]
    return f"Not plausible: {'; '.join(wrong)}" if wrong else "Plausible: nothing wrong"


def strict_findings(evidence: Findings | None) -> Findings | None:
    """Return the strict findings in the evidence of a record, of fidelity or plausibility; None if there are none."""
    if evidence is None or "matched" in evidence:
        return evidence
    return {
        "objects": {name: one["strict"] for name, one in evidence["objects"].items() if one["strict"] is not None},
        "openings": evidence["openings"]["strict"],
        "navigability": evidence["navigability"]["strict"],
    }


def demand_remarks(annotation: Annotation, value: Findings) -> list[Remark]:
    """Return a line for each demand, with its strict verdict. If the official one differs, the reason says so."""
    found = {one["text"]: one["profiles"] for one in value["specifications"]}
    return [_demand_remark(spec, found[spec.text], value) for spec in annotation.specifications if spec.text in found]


def _demand_remark(spec: Specification, profiles: Mapping[str, Any], value: Findings) -> Remark:
    strict, official = profiles["strict"], profiles["official"]
    why = strict["reason"]
    if strict["satisfied"] != official["satisfied"]:
        why += f"\nas published it {VERDICT_WORDS[official['satisfied']]}: {official['reason']}"
    return Remark(in_words(spec), strict["satisfied"], _objects(spec, strict, value["matched"]), why)


def _objects(spec: Specification, verdict: Findings, matched: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the objects that satisfy a demand, else the closest group; for a count, all counted objects."""
    if spec.kind == "cnt":
        return tuple(name for name, category in matched.items() if category == spec.category)
    groups = verdict["groups"]
    good = [group for group in groups if group["satisfied"]] or groups[:1]
    return tuple(dict.fromkeys(name for group in good for name in group["objects"]))


def trouble_remarks(found: Findings) -> list[Remark]:
    """Return the plausibility problems of a room under one profile, and how free its floor is."""
    remarks = [remark for name, one in found["objects"].items() for remark in _trouble_remarks(name, one)]
    blocked = (one for one in found["openings"] if one["occluded"])
    remarks += [Remark(f"{one['id']} {OCCLUDED}", False, (one["id"],), one["reason"]) for one in blocked]
    way = found["navigability"]
    if way["value"] is not None:
        is_whole = way["value"] >= 1
        remarks.append(Remark(ALL_REACHED if is_whole else NOT_ALL_REACHED, is_whole, (), way["reason"]))
    return list(_once(remarks))


def _trouble_remarks(name: str, one: Findings) -> Iterable[Remark]:
    why = "\n".join(one["reasons"])
    for other in one["colliding_with"]:
        pair = tuple(sorted((name, other)))
        said = [reason for reason in one["reasons"] if other in reason]
        yield Remark(f"{pair[0]} and {pair[1]} collide", False, pair, "\n".join(said))
    if one["supported"] is None:
        yield Remark(f"something holds {name}", None, (name,), why)
    elif not one["supported"]:
        yield Remark(f"nothing holds {name}", False, (name,), why)
    if one["out_of_bounds"]:
        yield Remark(f"{name} is not over the floor", False, (name,), why)


def _once(remarks: Iterable[Remark]) -> Iterable[Remark]:
    """Yield each line once. Both objects of a colliding pair report it."""
    seen: set[str] = set()
    for remark in remarks:
        if remark.text not in seen:
            seen.add(remark.text)
            yield remark
