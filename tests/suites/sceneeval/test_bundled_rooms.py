"""The verdicts on the bundled rooms equal those checked by hand, by demand and by object."""

from __future__ import annotations

import json
from collections import Counter

from rooms_by_hand import demands, verdicts
from rooms_of_ours import ROOMS, assert_as_stored

from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

ANNOTATIONS = {one.item_id: one for one in read_annotation_file(ROOMS / "annotations.csv").usable()}
EXPECTED = {item: json.loads((ROOMS / "expected" / f"scene_{item}.json").read_text()) for item in ANNOTATIONS}
QUIRKS = {"16": {"eq,1,against,sofa,wall", "eq,1,in_corner,plant,living_room"}}
"""As published only the last floor is asked which way walls face: those of the first room look outwards."""
TROUBLES = ("in_collision", "unsupported", "out_of_bounds", "occluded")


def test_every_demand_and_every_object_of_flawed_rooms_gets_its_verdict() -> None:
    for annotation in ANNOTATIONS.values():
        assert_as_stored(annotation, "flawed", EXPECTED[annotation.item_id]["flawed"])


def test_good_rooms_meet_all_demands_without_problems_and_flawed_ones_have_some() -> None:
    for item, kinds in EXPECTED.items():
        good, flawed = kinds["good"], kinds["flawed"]
        assert [text for text, met in good["specifications"].items() if met["strict"] is not True] == [], item
        unmet = {text for text, met in good["specifications"].items() if not met["official"]}
        assert unmet == QUIRKS.get(item, set()), item
        for profile in ("strict", "official"):
            assert not any(good[profile][trouble] for trouble in TROUBLES), (item, profile)
        assert any(met["strict"] is False for met in flawed["specifications"].values()), item
        assert any(flawed["strict"][trouble] for trouble in TROUBLES), item
    levels = Counter((one.difficulty, one.room) for one in ANNOTATIONS.values())
    assert Counter(level for level, _ in levels.elements()) == {"easy": 10, "medium": 10, "hard": 10}


WANTED = dict(demands(ROOMS / "annotations.csv"))
HOVERS = "on is measured as over and higher, as published: what hovers above something is on it, and unsupported"
SUNK = "on is measured from the middle of the anchor's height, as published: what is sunk into it is on it"
OUTWARDS = (
    "as published only the last of several floors is asked which way walls look: those of the first look outwards"
)
ITSELF = "as published an object is compared with itself too, and a box is over the middle of its own height"


IN_BOTH = {
    ("1", "eq,1,on,0,nightstand,lamp"): HOVERS,
    ("3", "ge,1,stacked_on,0,storage_box,storage_box"): HOVERS,
    ("4", "eq,1,on,0,tv_stand,tv"): HOVERS,
    ("8", "ge,2,on,0,rug,toy"): HOVERS,
    ("14", "eq,1,on,0,shelf,towel"): HOVERS,
    ("15", "eq,4,on,0,table,plate"): HOVERS,
    ("26", "eq,1,on,0,filing_cabinet,printer"): HOVERS,
    ("7", "eq,1,on,0,kitchen_island,bowl"): SUNK,
    ("4", "eq,1,facing,0,tv,sofa"): "level rays from the object, as published: the TV hovers higher than the sofa is",
    ("5", "eq,1,surround,0,dining_table,chair:0,chair:1,chair:2,chair:3"): (
        "a mean over the objects, as published: three good chairs make up for the one in the table"
    ),
}
"""Demands on flawed rooms whose verdicts in both profiles differ from plain arithmetic, and why."""
EXCEPTIONS = {
    **{("flawed", *key, profile): why for key, why in IN_BOTH.items() for profile in ("strict", "official")},
    ("good", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("flawed", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("good", "16", "eq,1,in_corner,plant,living_room", "official"): OUTWARDS,
    ("flawed", "29", "ge,1,stacked_on,0,storage_box,storage_box", "official"): ITSELF,
}


def test_stored_verdicts_equal_independent_arithmetic_or_have_a_reason() -> None:
    different, known, unmet = set(), 0, 0
    for item, kinds in EXPECTED.items():
        for kind in ("good", "flawed"):
            mine = verdicts(ROOMS / "rooms" / kind / f"scene_{item}.json", WANTED[item])
            assert mine.keys() == kinds[kind]["specifications"].keys(), (kind, item)
            assert kind == "flawed" or all(mine.values()), item
            unmet += list(mine.values()).count(False)
            for entry, said in kinds[kind]["specifications"].items():
                different |= {(kind, item, entry, profile) for profile, met in said.items() if met != mine[entry]}
                known += len(said)
    assert different == EXCEPTIONS.keys()
    assert len(EXCEPTIONS) < 0.02 * known
    assert unmet > len(WANTED), "the arithmetic finds most deliberate flaws"
