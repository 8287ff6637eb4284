"""What a record says of a room, question by question, as people or another judge would be asked about it.

A demand is a question of its kind (CNT, ATR, OOR, OAR), numbered from 0 as the annotation lists them. Of an object is
asked whether it is held (SUP), touches nothing (COL) and is over the floor (OOB), as in ``lamp_1/held``. What strict
cannot tell, and all of a room that is not there, is no right answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tsgkit.suites.judged import Verdict
from tsgkit.suites.sceneeval.annotations import Annotation

MET, UNMET = "met", "unmet"
YES, NO = "yes", "no"
ABOUT_OBJECTS = (("held", "SUP", "supported", True), ("free", "COL", "in_collision", False),
                 ("inside", "OOB", "out_of_bounds", False))  # fmt: skip
"""What is asked of an object, its kind, the finding that tells, and what that has to be."""


def of_demands(record: Mapping[str, Any], sample: Annotation) -> Iterator[Verdict]:
    """Whether each demand is met, in strict."""
    found = {one["text"]: one["profiles"]["strict"]["satisfied"] for one in _evidence(record).get("specifications", ())}
    for number, spec in enumerate(sample.specifications):
        met = found.get(spec.text)
        label = None if met is None else MET if met else UNMET
        yield Verdict(str(number), label == MET, label, MET, spec.kind.upper())


def of_objects(record: Mapping[str, Any]) -> Iterator[Verdict]:
    """What is wrong with each object, in strict."""
    for name, profiles in _evidence(record).get("objects", {}).items():
        strict = profiles["strict"] or {}
        for question, kind, finding, good in ABOUT_OBJECTS:
            said = strict.get(finding)
            label = None if said is None else YES if said is good else NO
            yield Verdict(f"{name}/{question}", label == YES, label, YES, kind)


def _evidence(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = record["evidence"] or {}
    return found
