"""Tests of the lines beside a room: one for each demand and each problem, with its objects."""

from __future__ import annotations

from typing import Any

from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.pages.remarks import Remark, demand_remarks, sections, trouble_remarks

WANTED = annotation_of(
    "0", "easy", "Two lamps.", ("eq,2,lamp", "eq,1,bed"), ("ge,1,lamp,red",), ("ge,1,on,0,bed,lamp",)
)


def verdict(satisfied: bool | None, *groups: tuple[bool, tuple[str, ...]], reason: str = "so it is") -> dict[str, Any]:
    told = [{"objects": list(names), "satisfied": good} for good, names in groups]
    return {"satisfied": satisfied, "count": None, "reason": reason, "groups": told}


def found(text: str, strict: dict[str, Any], official: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"text": text, "profiles": {"strict": strict, "official": official or strict}}


def seen(*specifications: dict[str, Any]) -> dict[str, Any]:
    matched = {"lamp_1": "lamp", "lamp_2": "lamp", "bed_1": "bed", "thing_1": None}
    return {"matched": matched, "specifications": list(specifications)}


def test_remark_lists_all_counted_the_satisfying_or_the_closest_objects() -> None:
    held = verdict(True, (False, ("bed_1", "lamp_1")), (True, ("bed_1", "lamp_2")))
    missed = verdict(False, (False, ("bed_1", "lamp_2")), (False, ("bed_1", "lamp_1")))
    on = "ge,1,on,0,bed,lamp"
    for text, one, remark in (
        ("eq,2,lamp", verdict(True), Remark("exactly 2 lamp", True, ("lamp_1", "lamp_2"), "so it is")),
        (on, held, Remark("at least 1 lamp on bed", True, ("bed_1", "lamp_2"), "so it is")),
        (on, missed, Remark("at least 1 lamp on bed", False, ("bed_1", "lamp_2"), "so it is")),
    ):
        assert demand_remarks(WANTED, seen(found(text, one))) == [remark], text


def test_remark_gives_both_profiles_if_they_differ() -> None:
    both = found("ge,1,on,0,bed,lamp", verdict(None, reason="nobody knows"), verdict(True, reason="satisfied anyway"))
    (remark,) = demand_remarks(WANTED, seen(both))
    assert remark.holds is None
    assert remark.why == "nobody knows\nas published it holds: satisfied anyway"


def test_trouble_remarks_are_unique_with_their_own_reasons() -> None:
    fine = {"in_collision": False, "colliding_with": [], "supported": True, "out_of_bounds": False, "reasons": []}
    bed = fine | {"colliding_with": ["lamp_1", "wall_2"], "reasons": ["bed_1 cuts lamp_1", "bed_1 cuts wall_2"]}
    lamp = fine | {"colliding_with": ["bed_1"], "supported": False, "reasons": ["bed_1 cuts lamp_1", "it floats"]}
    value = {
        "objects": {
            "bed_1": bed,
            "lamp_1": lamp,
            "rug_1": fine | {"out_of_bounds": True, "reasons": ["outside"]},
            "clock_1": fine | {"supported": None, "reasons": ["nobody could say what holds it"]},
        },
        "openings": [
            {"id": "door_1", "occluded": True, "reason": "hidden by bed_1"},
            {"id": "door_2", "occluded": False, "reason": ""},
        ],
        "navigability": {"value": 0.5, "reason": "two parts"},
    }
    assert trouble_remarks(value) == [
        Remark("bed_1 and lamp_1 collide", False, ("bed_1", "lamp_1"), "bed_1 cuts lamp_1"),
        Remark("bed_1 and wall_2 collide", False, ("bed_1", "wall_2"), "bed_1 cuts wall_2"),
        Remark("nothing holds lamp_1", False, ("lamp_1",), "bed_1 cuts lamp_1\nit floats"),
        Remark("rug_1 is not over the floor", False, ("rug_1",), "outside"),
        Remark("something holds clock_1", None, ("clock_1",), "nobody could say what holds it"),
        Remark("door_1 is blocked", False, ("door_1",), "hidden by bed_1"),
        Remark("part of the floor cannot be reached", False, (), "two parts"),
    ]


def test_sections_give_counts_and_are_absent_without_values() -> None:
    clear = {"objects": {}, "openings": [], "navigability": {"value": 1.0, "reason": "one part"}}
    met = seen(found("eq,2,lamp", verdict(True)), found("eq,1,bed", verdict(False)))
    assert [one.title for one in sections(WANTED, met, clear)] == ["Demanded: 1 of 2 met", "Plausible: nothing wrong"]
    assert [one.title for one in sections(WANTED, None, None)] == []
