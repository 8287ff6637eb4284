"""Verdicts on rooms: sentences with the right number, and nothing said of what is in order."""

from __future__ import annotations

from typing import Any

from tsgkit.suites.sceneeval.pages.remarks import sections
from tsgkit.suites.sceneeval.pages.verdicts import verdicts

FINE = {"in_collision": False, "colliding_with": [], "supported": True, "out_of_bounds": False, "accessibility": 1.0}
WHOLE = {"value": 1.0, "reason": "1 free part"}


def room(*objects: dict[str, Any], openings: tuple[str, ...] = (), floor: object = 1.0) -> dict[str, Any]:
    named = {f"lamp_{number}": FINE | {"reasons": []} | one for number, one in enumerate(objects)}
    shut = [
        {"id": f"{kind}_{n}", "kind": kind, "occluded": True, "reason": "hidden"} for n, kind in enumerate(openings)
    ]
    return {"objects": named, "openings": shut, "navigability": {"value": floor, "reason": "so it is"}}


def said(value: dict[str, Any]) -> list[str]:
    return [one.text for one in verdicts(value) if one.holds is not True]


def test_verdicts_count_objects_in_words() -> None:
    rows: list[tuple[dict[str, Any], str, str]] = [
        ({"supported": False}, "one object hangs in the air", "two objects hang in the air"),
        ({"in_collision": True}, "one object collides", "two objects collide"),
        ({"out_of_bounds": True}, "one object is not over the floor", "two objects are not over the floor"),
        (
            {"accessibility": 0.0},
            "one object can hardly be used: less than half of its best side is free",
            "two objects can hardly be used: less than half of the best side of each is free",
        ),
        (
            {"supported": None},
            "one object may hang in the air: the judge could not say",
            "two objects may hang in the air: the judge could not say",
        ),
    ]
    for trouble, one, two in rows:
        assert said(room(trouble, {})) == [one], trouble
        assert said(room(trouble, {}, trouble)) == [two], trouble
    assert said(room(*[{"supported": False}] * 13)) == ["13 objects hang in the air"]


def test_openings_are_counted_by_their_kind_and_a_divided_floor_is_told() -> None:
    assert said(room(openings=("door", "window", "window"))) == ["one door is blocked", "two windows are blocked"]
    assert said(room(floor=0.7)) == ["part of the floor cannot be reached"]
    assert said(room(floor=None)) == []


def test_a_room_in_order_is_said_to_be() -> None:
    assert [(one.text, one.holds) for one in verdicts(room({}))] == [
        ("nothing is wrong with the room", True),
        ("all free floor can be reached", True),
    ]


def test_the_title_of_the_problems_is_a_sentence() -> None:
    [section] = sections(None, None, room({"supported": False}, {"supported": False}, floor=0.5))
    assert section.title == "Not plausible: two objects hang in the air; part of the floor cannot be reached"
