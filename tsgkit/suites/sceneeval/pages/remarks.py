"""What was found about a room, as lines to show beside it: each with its reason, and the objects it is about.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> wanted = annotation_of("0", "easy", "A lamp.", ("ge,1,lamp",))
>>> told = {"satisfied": False, "count": 0, "reason": "0 lamp; at least 1 needed", "groups": []}
>>> value = {"matched": {}, "specifications": [{"text": "ge,1,lamp", "profiles": {"strict": told, "official": told}}]}
>>> demanded(wanted, value)
[Remark(text='at least 1 lamp', holds=False, objects=(), why='0 lamp; at least 1 needed')]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tsgkit.suites.sceneeval.annotations import Annotation, Specification, in_words

Found = Mapping[str, Any]
TOLD = {True: "holds", False: "does not hold", None: "cannot be told"}
OCCLUDED = "is blocked"


class Remark(NamedTuple):
    """A line: whether it is as it should be (None: nobody can tell), of which objects, and why."""

    text: str
    holds: bool | None = None
    objects: tuple[str, ...] = ()
    why: str = ""


class Section(NamedTuple):
    """Lines under a title."""

    title: str
    remarks: Sequence[Remark]


def sections(annotation: Annotation | None, fidelity: Found | None, plausibility: Found | None) -> list[Section]:
    """What is known of a room: whether its demands are met, and what is wrong with it; what nobody looked at is absent.

    The values are what was measured, or the evidence of a record.
    """
    made = []
    if annotation is not None and fidelity is not None:
        remarks = demanded(annotation, fidelity)
        met = sum(bool(remark.holds) for remark in remarks)
        made.append(Section(f"Demanded: {met} of {len(remarks)} met", remarks))
    if plausibility is not None:
        remarks = troubles(plausibility)
        wrong = sum(remark.holds is False for remark in remarks)
        made.append(Section(f"Plausible: {wrong} wrong" if wrong else "Plausible: nothing wrong", remarks))
    return made


def demanded(annotation: Annotation, value: Found) -> list[Remark]:
    """Every demand, as strict finds it; the reason says where the published way finds something else."""
    found = {one["text"]: one["profiles"] for one in value["specifications"]}
    return [_demand(spec, found[spec.text], value) for spec in annotation.specifications if spec.text in found]


def _demand(spec: Specification, profiles: Mapping[str, Any], value: Found) -> Remark:
    strict, official = profiles["strict"], profiles["official"]
    why = strict["reason"]
    if strict["satisfied"] != official["satisfied"]:
        why += f"\nas published it {TOLD[official['satisfied']]}: {official['reason']}"
    return Remark(in_words(spec), strict["satisfied"], _objects(spec, strict, value["matched"]), why)


def _objects(spec: Specification, verdict: Found, matched: Mapping[str, str | None]) -> tuple[str, ...]:
    """Those that satisfy a demand, else the group that comes nearest; of a number, all that are counted."""
    if spec.kind == "cnt":
        return tuple(name for name, category in matched.items() if category == spec.category)
    groups = verdict["groups"]
    good = [group for group in groups if group["satisfied"]] or groups[:1]
    return tuple(dict.fromkeys(name for group in good for name in group["objects"]))


def troubles(found: Found) -> list[Remark]:
    """What is wrong with a room under one profile, whatever it was meant to be, and how free its floor is."""
    remarks = [remark for name, one in found["objects"].items() for remark in _trouble(name, one)]
    blocked = (one for one in found["openings"] if one["occluded"])
    remarks += [Remark(f"{one['id']} {OCCLUDED}", False, (one["id"],), one["reason"]) for one in blocked]
    way = found["navigability"]
    if way["value"] is not None:
        remarks.append(Remark("all free floor can be reached", way["value"] >= 1, (), way["reason"]))
    return list(_once(remarks))


def _trouble(name: str, one: Found) -> Iterable[Remark]:
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
    """Each line once: of two things that collide, both say so."""
    told: set[str] = set()
    for remark in remarks:
        if remark.text not in told:
            told.add(remark.text)
            yield remark
