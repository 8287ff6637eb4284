"""The stored verdicts on the bundled rooms equal those of independent arithmetic, except a few with reasons.

The arithmetic is in ``rooms_by_hand``. It uses the numbers in the files and nothing of tsgkit.
"""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from rooms_by_hand import Judged, demands, home
from shipped import TASKS

ROOMS = TASKS / "sceneeval" / "data"
WANTED = {one.item: one for one in demands(ROOMS / "annotations.csv")}
HOVERS = "on is measured as over and higher, as published: what hovers above something is on it, and unsupported"
SUNK = "on is measured from the middle of the anchor's height, as published: what is sunk into it is on it"
OUTWARDS = (
    "as published only the last of several floors is asked which way walls look: those of the first look outwards"
)
ITSELF = "as published an object is compared with itself too, and a box is over the middle of its own height"


class Spot(NamedTuple):
    kind: str
    item: str
    entry: str
    profile: str


def both(kind: str, item: str, entry: str) -> list[Spot]:
    return [Spot(kind, item, entry, profile) for profile in ("strict", "official")]


EXCEPTIONS: dict[Spot, str] = {
    **dict.fromkeys(both("flawed", "1", "eq,1,on,0,nightstand,lamp"), HOVERS),
    **dict.fromkeys(both("flawed", "3", "ge,1,stacked_on,0,storage_box,storage_box"), HOVERS),
    **dict.fromkeys(both("flawed", "4", "eq,1,on,0,tv_stand,tv"), HOVERS),
    **dict.fromkeys(both("flawed", "8", "ge,2,on,0,rug,toy"), HOVERS),
    **dict.fromkeys(both("flawed", "14", "eq,1,on,0,shelf,towel"), HOVERS),
    **dict.fromkeys(both("flawed", "15", "eq,4,on,0,table,plate"), HOVERS),
    **dict.fromkeys(both("flawed", "26", "eq,1,on,0,filing_cabinet,printer"), HOVERS),
    **dict.fromkeys(both("flawed", "7", "eq,1,on,0,kitchen_island,bowl"), SUNK),
    **dict.fromkeys(
        both("flawed", "4", "eq,1,facing,0,tv,sofa"),
        "facing is measured by level rays from the object, as published: the TV hovers higher than the sofa is",
    ),
    **dict.fromkeys(
        both("flawed", "5", "eq,1,surround,0,dining_table,chair:0,chair:1,chair:2,chair:3"),
        "surround is a mean over the objects, as published: three good chairs make up for the one in the table",
    ),
    Spot("good", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    Spot("flawed", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    Spot("good", "16", "eq,1,in_corner,plant,living_room", "official"): OUTWARDS,
    Spot("flawed", "29", "ge,1,stacked_on,0,storage_box,storage_box", "official"): ITSELF,
}


def stored(kind: str, item: str) -> dict[str, dict[str, bool]]:
    value = json.loads((ROOMS / "expected" / f"scene_{item}.json").read_text())
    found: dict[str, dict[str, bool]] = value[kind]["specifications"]
    return found


def measured(kind: str, item: str) -> dict[str, bool]:
    return Judged(home(ROOMS / "rooms" / kind / f"scene_{item}.json"), WANTED[item]).verdicts()


@pytest.mark.parametrize("kind", ["good", "flawed"])
@pytest.mark.parametrize("item", WANTED)
def test_stored_verdicts_equal_independent_arithmetic_or_have_a_reason(item: str, kind: str) -> None:
    by_hand = measured(kind, item)
    verdicts = stored(kind, item)
    assert by_hand.keys() == verdicts.keys()
    for entry, said in verdicts.items():
        for profile, met in said.items():
            is_exception = Spot(kind, item, entry, profile) in EXCEPTIONS
            assert (met != by_hand[entry]) == is_exception, f"{entry} ({profile}): {met}, by hand {by_hand[entry]}"


def test_exceptions_are_few_and_name_existing_verdicts() -> None:
    known = {
        Spot(kind, item, entry, profile)
        for kind in ("good", "flawed")
        for item in WANTED
        for entry, said in stored(kind, item).items()
        for profile in said
    }
    assert EXCEPTIONS.keys() <= known
    assert len(EXCEPTIONS) < 0.02 * len(known)
    assert all(EXCEPTIONS.values())


def test_independent_arithmetic_finds_most_deliberate_flaws() -> None:
    unmet = [not met for item in WANTED for met in measured("flawed", item).values()]
    assert all(met for item in WANTED for met in measured("good", item).values())
    assert sum(unmet) > len(WANTED)
