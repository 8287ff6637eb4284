"""The verdicts on the bundled rooms equal those checked by hand, by demand and by object."""

from __future__ import annotations

import colorsys
import json
from collections import Counter

from rooms_by_hand import Judged, demands, home
from rooms_of_ours import ROOMS, assert_as_stored

from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

ANNOTATIONS = {one.item_id: one for one in read_annotation_file(ROOMS / "annotations.csv").usable()}
EXPECTED = {item: json.loads((ROOMS / "expected" / f"scene_{item}.json").read_text()) for item in ANNOTATIONS}
FLAWS: dict[str, dict[str, str]] = {
    "0": {"unmet": "eq,1,mirror,round eq,1,above,0,washbasin,mirror eq,1,against,toilet,wall",
           "unsupported": "washbasin_1", "occluded": "door_0_bathroom_south"},
    "1": {"unmet": "eq,1,bed,double eq,1,left,0,bed,nightstand",
           "unsupported": "lamp_1", "occluded": "door_0_bedroom_south"},
    "2": {"unmet": "eq,1,facing,0,sofa,armchair",
           "in_collision": "sofa_1 coffee_table_1"},
    "3": {"unmet": "eq,1,washing_machine eq,1,against,washing_machine,wall ge,3,in,storage_box,basement",
           "in_collision": "box_3", "unsupported": "box_3 box_2", "out_of_bounds": "box_3"},
    "16": {"unmet": "eq,1,in,refrigerator,kitchen eq,1,in_corner,plant,living_room",
           "in_collision": "plant_1", "occluded": "door_0_living_room_east door_0_kitchen_west"},
    "6": {"unmet": "eq,1,on,0,desk,monitor",
           "in_collision": "office_chair_1 trash_can_1", "unsupported": "monitor_1",
           "occluded": "door_0_office_south"},
    "9": {"unmet": "eq,1,facing,0,tv,sofa eq,1,on,cue_rack,wall eq,1,hang_from,ceiling_lamp,ceiling",
           "in_collision": "arcade_1 arcade_2", "unsupported": "lamp_1 cue_rack_1",
           "occluded": "door_0_gaming_room_south"},
    "17": {"unmet": "eq,1,laundry_basket,grey eq,1,next_to,0,shower,laundry_basket eq,1,on,towel_rack,wall",
           "unsupported": "towel_rack_1", "occluded": "door_0_bathroom_south"},
    "18": {"unmet": "eq,1,loveseat,green eq,1,facing,0,fireplace,loveseat",
           "in_collision": "fireplace_1 basket_1"},
    "19": {"unmet": "eq,2,chair eq,2,beside,0,table,chair eq,2,facing,0,table,chair "
            "eq,1,hanging_from,pendant_lamp,ceiling",
           "unsupported": "lamp_1"},
    "20": {"unmet": "eq,1,above,0,fireplace,painting eq,2,facing,0,fireplace,armchair",
           "unsupported": "side_table_1", "occluded": "door_0_den_east"},
    "21": {"unmet": "ge,2,paint_can eq,1,on,0,workbench,toolbox eq,1,in_front_of,0,workbench,stool "
            "ge,2,on_shelves,0,shelf,paint_can",
           "in_collision": "washing_machine_1 dryer_1", "occluded": "door_0_basement_south"},
    "22": {"unmet": "eq,3,stool eq,1,surround,0,table,stool:0,stool:1,stool:2 eq,3,next_to,0,table,stool "
            "eq,1,on,0,table,toy_train",
           "in_collision": "stool_2", "unsupported": "stool_2 train_1", "out_of_bounds": "stool_2",
           "occluded": "window_0_playroom_east"},
    "23": {"unmet": "eq,2,on,0,desk,monitor eq,1,facing,0,desk,gaming_chair eq,1,next_to,0,desk,mini_fridge "
            "eq,1,mounted_on,neon_sign,wall",
           "unsupported": "monitor_2 sign_1", "occluded": "door_0_gaming_room_east"},
    "24": {"unmet": "eq,1,refrigerator,red eq,1,on_long_side,0,table,bench eq,1,on,clock,wall",
           "in_collision": "counter_1 sink_1", "unsupported": "clock_1"},
    "25": {"unmet": "eq,2,nightstand eq,2,lamp eq,1,right,0,bed,nightstand eq,2,on,0,nightstand,lamp "
            "eq,1,at_foot,0,bed,bench eq,1,hang,mirror,wall eq,1,in_corner,armchair,room",
           "in_collision": "wardrobe_1 armchair_1", "unsupported": "mirror_1", "occluded": "door_0_bedroom_south"},
    "26": {"unmet": "eq,2,on,0,desk,monitor eq,2,monitor eq,2,facing,0,desk,office_chair "
            "eq,1,mounted_on,whiteboard,wall eq,1,in_corner,plant,room",
           "in_collision": "plant_1 desk_2", "unsupported": "printer_1 whiteboard_1"},
    "27": {"unmet": "eq,1,facing,0,tv,sofa eq,1,piano,black eq,1,in_front_of,0,piano,piano_bench "
            "eq,1,in_front_of,0,sofa,coffee_table eq,2,on,0,coffee_table,book",
           "in_collision": "lamp_1 sofa_1", "unsupported": "book_2", "occluded": "door_0_living_room_south"},
    "28": {"unmet": "eq,1,against,toilet,wall eq,2,mirror eq,2,mirror,round eq,2,above,0,washbasin,mirror "
            "eq,1,on,0,stool,towel eq,2,on,mirror,wall",
           "in_collision": "washbasin_1 trash_can_1 washbasin_2", "unsupported": "trash_can_1 towel_1",
           "out_of_bounds": "trash_can_1", "occluded": "door_0_bathroom_south"},
    "29": {"unmet": "eq,1,tv eq,1,yoga_mat,purple eq,1,facing,0,tv,treadmill "
            "ge,1,stacked_on,0,storage_box,storage_box eq,1,on,tv,wall eq,1,hang_from,punching_bag,ceiling",
           "in_collision": "treadmill_1 bike_1", "unsupported": "box_2 bag_1", "occluded": "door_0_basement_south"},
}  # fmt: skip
"""What was broken on purpose in some of the flawed rooms, listed by hand from their notes."""
QUIRKS = {"16": {"eq,1,against,sofa,wall", "eq,1,in_corner,plant,living_room"}}
"""As published only the last floor is asked which way walls face: those of the first room look outwards."""
TROUBLES = ("in_collision", "unsupported", "out_of_bounds", "occluded")


def test_every_demand_and_every_object_of_flawed_rooms_gets_its_verdict() -> None:
    for annotation in ANNOTATIONS.values():
        assert_as_stored(annotation, "flawed", EXPECTED[annotation.item_id]["flawed"])


def test_good_rooms_meet_all_demands_without_problems() -> None:
    for item, kinds in EXPECTED.items():
        good = kinds["good"]
        assert [text for text, met in good["specifications"].items() if met["strict"] is not True] == [], item
        unmet = {text for text, met in good["specifications"].items() if not met["official"]}
        assert unmet == QUIRKS.get(item, set()), item
        for profile in ("strict", "official"):
            assert not any(good[profile][trouble] for trouble in TROUBLES), (item, profile)


def test_flawed_rooms_name_their_flaw_and_deliberate_flaws_are_found() -> None:
    for item, kinds in EXPECTED.items():
        flawed, wanted = kinds["flawed"], FLAWS.get(item, {})
        assert json.loads((ROOMS / "rooms" / "flawed" / f"scene_{item}.json").read_text())["note"], item
        assert any(met["strict"] is False for met in flawed["specifications"].values()), item
        assert any(flawed["strict"][trouble] for trouble in TROUBLES), item
        if wanted:
            unmet = {text for text, met in flawed["specifications"].items() if not met["strict"]}
            assert unmet == set(wanted["unmet"].split()), item
            for trouble in TROUBLES:
                assert set(flawed["strict"][trouble]) == set(wanted.get(trouble, "").split()), (item, trouble)


HUES = {"red": 0, "orange": 25, "yellow": 48, "green": 130, "blue": 215, "purple": 280, "pink": 335}
GREYS = {"black": (0.0, 0.2), "grey": (0.4, 0.7), "white": (0.9, 1.0)}
"""How bright what has no hue is."""


def shows(colour: str, name: str) -> bool:
    hue, depth, light = colorsys.rgb_to_hsv(*(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)))
    if name in GREYS:
        return depth < 0.15 and GREYS[name][0] <= light <= GREYS[name][1]
    return depth > 0.4 and light > 0.4 and abs((360 * hue - HUES[name] + 180) % 360 - 180) < 20


def test_every_object_has_a_colour_and_the_one_that_its_attributes_name() -> None:
    named = 0
    for path in sorted((ROOMS / "rooms").glob("*/scene_*.json")):
        for one in json.loads(path.read_text())["objects"]:
            wanted = [name for name in one["attributes"] if name in HUES or name in GREYS]
            assert all(shows(one["colour"], name) for name in wanted), (path, one["id"])
            named += len(wanted)
    assert named > 200


def test_bundled_data_have_ten_descriptions_per_level_and_ten_types_of_room() -> None:
    assert Counter(one.difficulty for one in ANNOTATIONS.values()) == {"easy": 10, "medium": 10, "hard": 10}
    assert len({one.room for one in ANNOTATIONS.values()}) == 10


WANTED = {one.item: one for one in demands(ROOMS / "annotations.csv")}
HOVERS = "on is measured as over and higher, as published: what hovers above something is on it, and unsupported"
SUNK = "on is measured from the middle of the anchor's height, as published: what is sunk into it is on it"
OUTWARDS = (
    "as published only the last of several floors is asked which way walls look: those of the first look outwards"
)
ITSELF = "as published an object is compared with itself too, and a box is over the middle of its own height"


Spot = tuple[str, str, str, str]
"""The kind of room, the item, the entry and the profile of a verdict."""


def both(kind: str, item: str, entry: str) -> list[Spot]:
    return [(kind, item, entry, profile) for profile in ("strict", "official")]


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
    ("good", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("flawed", "16", "eq,1,against,sofa,wall", "official"): OUTWARDS,
    ("good", "16", "eq,1,in_corner,plant,living_room", "official"): OUTWARDS,
    ("flawed", "29", "ge,1,stacked_on,0,storage_box,storage_box", "official"): ITSELF,
}


def by_hand(kind: str, item: str) -> dict[str, bool]:
    return Judged(home(ROOMS / "rooms" / kind / f"scene_{item}.json"), WANTED[item]).verdicts()


def test_stored_verdicts_equal_independent_arithmetic_or_have_a_reason() -> None:
    different, known, unmet = set(), 0, 0
    for item, kinds in EXPECTED.items():
        for kind in ("good", "flawed"):
            mine = by_hand(kind, item)
            assert mine.keys() == kinds[kind]["specifications"].keys(), (kind, item)
            assert kind == "flawed" or all(mine.values()), item
            unmet += list(mine.values()).count(False)
            for entry, said in kinds[kind]["specifications"].items():
                different |= {(kind, item, entry, profile) for profile, met in said.items() if met != mine[entry]}
                known += len(said)
    assert different == EXCEPTIONS.keys()
    assert len(EXCEPTIONS) < 0.02 * known
    assert unmet > len(WANTED), "the arithmetic finds most deliberate flaws"
