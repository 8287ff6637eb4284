"""Unknown answers of a judge make exactly those strict verdicts unknown that they could decide."""

from __future__ import annotations

from typing import Any

from furnished_rooms import AS_IT_IS
from rooms_of_ours import SCENE_TASKS

from tsgkit.geometry import Object, Scene
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval import fidelity, plausibility
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.judges.judge import AttributeAnswer, MeasuredRoomRelation, ended, unknowns
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation

WHY = Unknown("the judge refused", "match lamp_2", Outcome.REFUSED)
ROOM = AS_IT_IS.room(5, 4)
BED = AS_IT_IS.thing("bed_1", (1.6, 2, 0.5), (0, 0.95, 0.25), category="bed")
NEAR = AS_IT_IS.thing("lamp_1", (0.2, 0.2, 1.2), (1.1, 1.5, 0.6), category="lamp")
FAR = AS_IT_IS.thing("lamp_2", (0.2, 0.2, 1.2), (2.2, -1.7, 0.6), category="lamp")
NEXT = (MeasuredRelation("next_to"),)


def demands(*entries: str) -> Annotation:
    kinds: dict[int, list[str]] = {3: [], 4: [], 6: [], 5: []}
    for entry in entries:
        kinds[len(entry.split(","))].append(entry)
    return annotation_of("0", "easy", "A bedroom.", kinds[3], kinds[4], kinds[6], kinds[5])


def told(demand: str, *objects: Object, unknown: str = "lamp_2", **said: Any) -> tuple[bool | None, bool | None]:  # noqa: ANN401
    """Return if a demand is met in strict and in official, with one lamp of unknown category."""
    annotation = demands(demand)
    [spec] = annotation.specifications
    matched = {one.id: WHY if one.id == unknown else one.category for one in objects}
    pairs = {spec: said["meant"]} if spec.kind == "oor" else {}
    rooms = {spec: said["meant"]} if spec.kind == "oar" else {}
    attributes = {spec: AttributeAnswer(said["has"])} if spec.kind == "atr" and "has" in said else {}
    looked = fidelity.JudgeAnswers(matched, attributes, pairs, rooms)
    value = SCENE_TASKS["fidelity"].measure(annotation, LoadedScene(Scene("den", objects, ROOM)), looked)
    profiles = value["specifications"][0]["profiles"]
    return profiles["strict"]["satisfied"], profiles["official"]["satisfied"]


def test_count_and_attribute_are_unknown_if_one_more_object_would_decide_them() -> None:
    rows: list[tuple[str, object, object]] = [
        ("eq,1,lamp", None, True),
        ("eq,2,lamp", None, False),
        ("ge,1,lamp", True, True),
        ("ge,2,lamp", None, False),
        ("ge,3,lamp", False, False),
        ("le,2,lamp", True, True),
        ("lt,1,lamp", False, False),
        ("eq,0,sofa", None, True),
        ("ge,2,bed", None, False),
        ("ge,3,bed", False, False),
    ]
    for demand, strict, official in rows:
        assert told(demand, BED, NEAR, FAR) == (strict, official), demand
    attributes: list[tuple[str, dict[str, bool], object]] = [
        ("eq,1,lamp,red", {"lamp_1": True}, None),
        ("ge,1,lamp,red", {"lamp_1": True}, True),
        ("ge,1,lamp,red", {"lamp_1": False}, None),
        ("ge,2,lamp,red", {"lamp_1": False}, False),
    ]
    for demand, has, strict in attributes:
        assert told(demand, BED, NEAR, FAR, has=has)[0] is strict, demand


def test_relation_is_unknown_only_if_the_unknown_object_could_be_part_of_it() -> None:
    relation = "eq,1,next_to,0,bed,lamp"
    assert told(relation, BED, NEAR, FAR, meant=NEXT) == (True, True), "lamp_2 is nowhere near the bed"
    assert told(relation, BED, NEAR, FAR, unknown="lamp_1", meant=NEXT) == (None, False)
    assert told("ge,1,next_to,0,bed,lamp", BED, NEAR, FAR, unknown="lamp_1", meant=NEXT)[0] is None
    assert told("ge,2,next_to,0,bed,lamp", BED, NEAR, FAR, unknown="lamp_1", meant=NEXT)[0] is False
    assert told("eq,1,next_to,0,sofa,chair", NEAR, unknown="lamp_1", meant=WHY) == (None, False)
    assert told("eq,1,next_to,0,sofa,chair", NEAR, unknown="", meant=WHY) == (False, False)


def test_room_relation_is_unknown_only_if_the_unknown_object_would_satisfy_it() -> None:
    corner = MeasuredRoomRelation("corner_of_room", "room")
    assert told("ge,1,in,lamp,room", BED, NEAR, FAR, meant=corner) == (None, False)
    assert told("eq,0,in,lamp,room", BED, NEAR, FAR, unknown="lamp_1", meant=corner) == (False, False)
    assert told("eq,1,in,lamp,room", BED, NEAR, FAR, unknown="lamp_1", meant=corner) == (True, True)


def held(what: Object, **types: str | Unknown) -> tuple[Any, Any, Any]:
    scene = LoadedScene(Scene("den", (BED, what), ROOM))
    looked = plausibility.JudgeAnswers({"bed_1": "ground", **types}, {"bed_1": WHY, what.id: ("front",)})
    value = SCENE_TASKS["plausibility"].measure(demands("eq,1,bed"), scene, looked)
    strict, official = (value["profiles"][name]["objects"][what.id]["supported"] for name in ("strict", "official"))
    assert value["unknown_sides"] == ["bed_1"]
    return strict, official, value["profiles"]["strict"]["scores"]["sup"]


def test_support_is_unknown_only_if_support_types_differ() -> None:
    floating = AS_IT_IS.thing("box_1", (0.3, 0.3, 0.3), (-1.5, -1, 1.2))
    assert held(floating, box_1=WHY) == (False, False, [1, 2])
    assert held(NEAR, lamp_1=WHY) == (None, True, [1, 1])
    assert held(NEAR, lamp_1="ceiling") == (False, False, [1, 2])


def test_outcome_of_calls_is_an_error_or_the_failure_that_left_no_answer() -> None:
    failed = Unknown("the service failed: 500", "sides", Outcome.API_ERROR)
    undrawn = Unknown("it cannot be drawn")
    assert ended(["lamp", WHY, failed]) is Outcome.API_ERROR
    assert ended(["lamp", WHY]) is ended([None, WHY]) is ended([undrawn]) is ended([]) is Outcome.ANSWERED
    assert ended([WHY, undrawn]) is ended([AttributeAnswer({}, "", WHY)]) is Outcome.REFUSED
    assert unknowns([WHY, "lamp", AttributeAnswer({"a": True}), AttributeAnswer({}, "", failed), WHY]) == [WHY, failed]
