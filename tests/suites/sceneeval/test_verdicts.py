"""Tests of verdicts and their reasons in both profiles, and of what an unknown answer of a judge leaves unknown."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from furnished_rooms import AS_IT_IS
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from rooms_of_ours import CHECKS, METRICS, measured, room, thing

from tsgkit.errors import UsageError
from tsgkit.geometry import Architecture, Floor, MeasuredScene, Object, Opening, Primitive, Scene, Wall, box, standing
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval import fidelity, plausibility, word_meanings
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.judges.answers import AttributeAnswer, MeasuredRoomRelation, ended, unknowns
from tsgkit.suites.sceneeval.judges.rules import RulesJudge, support_type
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.simple import read_simple
from tsgkit.suites.sceneeval.scenes import SceneFolder, SceneScorer, judge_scene
from tsgkit.suites.transcript import local

BED = thing("bed_1", "bed", (2, 1.98, 0), (1.6, 2, 0.5), description="a king-size bed")
LAMP = thing("lamp_2", "lamp", (0.3, 0.3, 0), (0.2, 0.2, 1.5), attributes=["red"])
DESK = thing("desk", "desk", (1, 2.7, 0), (1.4, 0.6, 0.75))
WHY = Unknown("the judge refused", "match lamp_2", Outcome.REFUSED)
ROOM = AS_IT_IS.room(5, 4)
COT = AS_IT_IS.thing("bed_1", (1.6, 2, 0.5), (0, 0.95, 0.25), category="bed")
NEAR = AS_IT_IS.thing("lamp_1", (0.2, 0.2, 1.2), (1.1, 1.5, 0.6), category="lamp")
FAR = AS_IT_IS.thing("lamp_2", (0.2, 0.2, 1.2), (2.2, -1.7, 0.6), category="lamp")
NEXT = (word_meanings.MeasuredRelation("next_to"),)
CATEGORIES = ("bed", "lamp", "chair")
OPENINGS = (Opening("door", (1, 0), (2, 2)), Opening("window", (4, 1), (5, 2)))
PAIRS = ("next_to", "near", "left", "in_front_of", "facing", "on", "above", "beside", "across_from", "far_from")
BUILT = ("against,lamp,wall", "next_to,chair,door", "in_corner,bed,room", "in,lamp,room", "in_middle_of,chair,room")
Piece = tuple[str, Any, tuple[float, float, float], tuple[float, float], float]
"""An object to place: its category, shape, size, place and yaw."""
shapes = st.sampled_from(["box", "cylinder", "cone"])


def demands(
    *pairs: str, built: tuple[str, ...] = (), atr: tuple[str, ...] = (), cnt: str = "eq,1,bed;eq,1,lamp"
) -> Any:  # noqa: ANN401
    return annotation_of("0", "easy", "A bedroom.", cnt.split(";"), atr, pairs, built)


def verdicts(folder: Path, annotation: Annotation, *objects: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (folder / "scene_0.json").write_text(room(*objects))
    return {one["text"]: one["profiles"] for one in measured("fidelity", annotation, folder)["specifications"]}


def test_unmapped_phrase_absent_category_and_the_object_itself_count_otherwise_in_official(tmp_path: Path) -> None:
    harmony, few, own = "eq,1,in_harmony_with,0,bed,lamp", "le,1,next_to,0,bed,lamp", "eq,1,next_to,0,lamp,lamp"
    other = thing("lamp_3", "lamp", (0.8, 0.3, 0), (0.2, 0.2, 1.5))
    rows: list[tuple[str, list[Any], list[Any], list[Any]]] = [
        (harmony, [BED, LAMP], [None, None], [None, True]),
        (harmony, [BED], [0, False], [0, False]),
        (few, [BED], [0, True], [0, False]),
        (own, [LAMP, other], [1, True], [4, False]),
    ]
    for entry, objects, *wanted in rows:
        found = verdicts(tmp_path, demands(entry), *objects)[entry]
        told = [[found[profile][name] for name in ("count", "satisfied")] for profile in ("strict", "official")]
        assert told == wanted, (entry, objects)
    found = verdicts(tmp_path, demands(harmony), BED, LAMP)[harmony]
    assert "means no relation that can be measured" in found["strict"]["reason"]
    assert verdicts(tmp_path, demands(harmony), BED)[harmony]["official"]["satisfied"] is False
    assert measured("fidelity", demands(harmony), tmp_path)["specifications"][-1]["meant"] is None, "whatever is there"


def test_an_attribute_is_read_from_list_or_description_and_reasons_name_what_satisfies_a_demand(tmp_path: Path) -> None:
    entries = ("eq,1,bed,king_size", "eq,1,bed,soft", "eq,1,lamp,red", "eq,1,lamp,tall", "le,1,bed,soft")
    found = verdicts(tmp_path, demands(atr=entries), BED, LAMP)
    told = {entry: found[entry]["strict"]["satisfied"] for entry in entries}
    assert told == dict(zip(entries, (True, None, True, False, True), strict=True))
    assert "rules cannot look" in found["eq,1,bed,soft"]["strict"]["reason"]
    lamps = [thing(f"lamp_{n}", "lamp", (0.3 + 0.5 * n, 0.12, 0), (0.2, 0.2, 1)) for n in range(3)]
    found = verdicts(tmp_path, demands(built=("eq,1,against,lamp,wall",), cnt="eq,1,lamp"), *lamps)
    assert [found[entry]["strict"]["reason"] for entry in ("eq,1,against,lamp,wall", "eq,1,lamp")] == [
        "3 of 3 satisfy it, exactly 1 needed: lamp_0; lamp_1; lamp_2",
        "3 lamp: lamp_0, lamp_1, lamp_2; exactly 1 needed",
    ]
    few = "gt,1,next_to,0,bed,lamp"
    for at, reason in (
        ((3, 2, 0), r"1 of 1 satisfy it, more than 1 needed: bed_1 and lamp_2"),
        ((3.9, 0.1, 0), r"lamp_2 is 1\.2\d* m from bed_1; next_to needs < 0\.79"),
    ):
        lamp = thing("lamp_2", "lamp", at, (0.2, 0.2, 1.5))
        strict = verdicts(tmp_path, demands(few), BED, lamp)[few]["strict"]
        assert strict["satisfied"] is False and re.fullmatch(reason, strict["reason"]), strict["reason"]
    (group,) = strict["groups"]
    assert group["objects"] == ["bed_1", "lamp_2"] and group["relations"][0]["margin"] < 0


def judged(folder: Path, kind: str, annotation: Annotation) -> Any:  # noqa: ANN401
    checks = CHECKS[kind]
    transcript = asyncio.run(judge_scene(checks, annotation, SceneFolder(folder), RulesJudge(), None))
    return SceneScorer(checks).judge(annotation, transcript)


@pytest.mark.parametrize("kind", CHECKS)
def test_missing_or_broken_scene_scores_worst_in_strict_and_as_published_in_official(kind: str, tmp_path: Path) -> None:
    found = judged(tmp_path, kind, demands())
    assert (str(found.outcome), found.counts["skipped_official"]) == ("missing", 1)
    for name, metric in METRICS[kind].items():
        strict, official = found.scores["strict"][name], found.scores["official"][name]
        assert official.value is None
        assert not strict.weight or strict.value == (0 if metric.more_is_better else 1)
    assert found.scores["strict"]["cnt" if kind == "fidelity" else "sup"].weight
    (tmp_path / "scene_0.json").write_text(room({"id": "a", "category": "x"}))
    found = judged(tmp_path, kind, demands(cnt="eq,1,bed;eq,0,cat"))
    assert str(found.outcome) == "unreadable"
    assert found.notes[0].startswith("scene_0.json: object a: at: Field required")
    values = {
        name: [found.scores[profile][name].value for profile in ("strict", "official")]
        for name in found.scores["strict"]
    }
    if kind == "fidelity":
        assert values["cnt"] == [0, 0.5], "an empty room"
    else:
        assert (values["nav"], values["col_sc"], values["col_ob"][1]) == ([0, 1], [1, 0], None)


def holders(folder: Path, text: str) -> dict[str, str]:
    stage = MeasuredScene(read_simple(text, "x", folder).scene)
    return {name: support_type(stage, body) for name, body in stage.bodies.items()}


def at_the_wall(name: str, low: float, *, gap: float = 0.0005, high: float = 0.4) -> Any:  # noqa: ANN401
    """Return an object at a height above the floor, with its back close to the north wall."""
    return thing(name, name, (1, 2.8 - gap, low), (0.8, 0.4, high))


def test_object_is_held_by_the_nearest_support_and_not_by_the_wall_behind_it(tmp_path: Path) -> None:
    text = room(
        BED,
        thing("cup_1", "cup", (2, 2, 0.5), (0.1, 0.1, 0.1)),
        thing("picture_1", "picture", (1, 2.98, 1.5), (0.5, 0.03, 0.4)),
        thing("light_1", "light", (1, 1, 2.4), (0.3, 0.3, 0.2)),
    )
    held = {"bed_1": "ground", "cup_1": "object", "picture_1": "wall", "light_1": "ceiling"}
    assert holders(tmp_path, text) == held
    rows: list[tuple[list[Any], str]] = [
        ([at_the_wall("bookshelf", 0, high=1.8)], "ground"),
        ([at_the_wall("floating_bed", 0.04)], "ground"),
        ([at_the_wall("pillar", 0, high=2.6)], "ground"),
        ([at_the_wall("hung_cabinet", 1.5, gap=0.004)], "wall"),
        ([at_the_wall("cabinet_too_far_from_its_wall", 0.2, gap=0.3)], "ground"),
        ([at_the_wall("monitor", 0.753), DESK], "object"),
        ([at_the_wall("whiteboard_above_the_desk", 0.78), DESK], "wall"),
        ([at_the_wall("box_on_a_rug", 0.02), thing("rug", "rug", (1, 2, 0), (2, 1.9, 0.02))], "object"),
        ([at_the_wall("cabinet", 1.5), thing("fridge", "fridge", (1.7, 2.7, 0), (0.6, 0.6, 1.5))], "wall"),
        ([at_the_wall("cabinet_in_a_corner", 1.5, high=1.1)], "wall"),
    ]
    for objects, wanted in rows:
        assert holders(tmp_path, room(*objects))[objects[0]["id"]] == wanted, objects[0]["id"]
    corners = [[[4 * n, 0, 0.3 * n], [4 * n + 4, 0, 0.3 * n], [4 * n + 4, 3, 0.3 * n], [4 * n, 3, 0.3 * n]]
               for n in (0, 1)]  # fmt: skip
    floors = tuple(Floor(f"room {n}", tuple((x, y, z) for x, y, z in corners[n])) for n in (0, 1))
    wall = Wall("north", (0, 3, 0.0), (8, 3, 0.0), 2.6)
    shelf = Object("shelf", box(0.8, 0.3, 1.8), standing(at=(6, 2.8495, 1.2)))
    low = Object("low_shelf", box(0.8, 0.3, 1.8), standing(at=(2, 2.8495, 0.9)))
    stage = MeasuredScene(Scene("split level", (shelf, low), Architecture(floors, (wall,))))
    assert [support_type(stage, body) for body in stage.bodies.values()] == ["ground", "ground"]


def test_object_gets_the_best_fitting_category() -> None:
    rows: list[tuple[str, str, str | None]] = [
        ("bed", "", "bed"),
        ("couch", "", "sofa"),
        ("bookshelves", "", "bookshelf"),
        ("office chair", "", "office_chair"),
        ("chair", "an office chair with wheels", "office_chair"),
        ("armchair", "", None),
        ("", "a tall bookshelf made of oak", "bookshelf"),
        ("lamp", "a lamp beside a bed", None),
    ]
    for named, told, wanted in rows:
        same = word_meanings.CategorySynonyms.of([["sofa", "couch"]])
        assert word_meanings.best_category(named, told, ["bed", "sofa", "bookshelf", "office_chair"], same) == wanted, (
            named
        )


def test_table_of_a_project_changes_what_phrases_mean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tasks/sceneeval", "prompts", "eval"):
        (tmp_path / name).mkdir(parents=True)
    table = tmp_path / "tasks/sceneeval/relations.yaml"
    table.write_text("objects: {in harmony with: [near]}\nrooms: {}")
    assert [word_meanings.element_of(name) for name in ("walls", "living_room", "cloud")] == ["wall", "room", None]
    assert word_meanings.sides_table()[0]["bed"] == ("front", "left", "right")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene_0.json").write_text(room(BED, LAMP))
    found = measured("fidelity", demands("eq,1,in_harmony_with,0,bed,lamp"), tmp_path)["specifications"][-1]
    assert found["meant"] == ["near"]
    rows = [
        ("objects: {x: [flies_over]}\nrooms: {}", "there is no relation flies_over"),
        ("objects: {x: [side_of up]}\nrooms: {}", "side_of takes"),
        ("objects: {}\nrooms: {x: {cloud: on_wall}}", "cloud is not a built element"),
        ("objects: {}\nrooms: {x: {wall: next}}", "there is no relation next"),
        ("rooms: {}", "expected a table with the fields"),
    ]
    for text, said in rows:
        table.write_text(text)
        with refuses(UsageError, said, text):
            word_meanings.relation_table()


def told(demand: str, *objects: Object, unknown: str = "lamp_2", **said: Any) -> tuple[bool | None, bool | None]:  # noqa: ANN401
    """Return if a demand is met in strict and in official, with one lamp of unknown category."""
    entries: dict[int, tuple[str, ...]] = {len(demand.split(",")): (demand,)}
    cnt, atr, oor, oar = (entries.get(length, ()) for length in (3, 4, 6, 5))
    annotation = annotation_of("0", "easy", "A den.", cnt, atr, oor, oar)
    [spec] = annotation.specifications
    matched = {one.id: WHY if one.id == unknown else one.category for one in objects}
    pairs = {spec: said["meant"]} if spec.kind == "oor" else {}
    rooms = {spec: said["meant"]} if spec.kind == "oar" else {}
    attributes = {spec: AttributeAnswer(said["has"])} if spec.kind == "atr" and "has" in said else {}
    looked = fidelity.FidelityAnswers(matched, attributes, pairs, rooms)
    value = CHECKS["fidelity"].measure(annotation, LoadedScene(Scene("den", objects, ROOM)), looked)
    profiles = value["specifications"][0]["profiles"]
    return profiles["strict"]["satisfied"], profiles["official"]["satisfied"]


def test_a_verdict_is_unknown_if_one_more_object_would_decide_it() -> None:
    counts: list[tuple[str, object, object]] = [
        ("eq,1,lamp", None, True),
        ("eq,2,lamp", None, False),
        ("ge,1,lamp", True, True),
        ("ge,2,lamp", None, False),
        ("ge,3,lamp", False, False),
        ("le,2,lamp", True, True),
        ("lt,1,lamp", False, False),
        ("eq,0,sofa", None, True),
    ]
    for demand, strict, official in counts:
        assert told(demand, COT, NEAR, FAR) == (strict, official), demand
    attributes: list[tuple[str, bool, object]] = [
        ("eq,1,lamp,red", True, None),
        ("ge,1,lamp,red", True, True),
        ("ge,1,lamp,red", False, None),
        ("ge,2,lamp,red", False, False),
    ]
    for demand, is_red, strict in attributes:
        assert told(demand, COT, NEAR, FAR, has={"lamp_1": is_red})[0] is strict, (demand, is_red)
    corner = MeasuredRoomRelation("corner_of_room", "room")
    relations: list[tuple[str, object, str, object, object]] = [
        ("eq,1,next_to,0,bed,lamp", NEXT, "lamp_2", True, True),  # it is nowhere near the bed
        ("eq,1,next_to,0,bed,lamp", NEXT, "lamp_1", None, False),
        ("ge,1,next_to,0,bed,lamp", NEXT, "lamp_1", None, False),
        ("ge,2,next_to,0,bed,lamp", NEXT, "lamp_1", False, False),
        ("ge,1,in,lamp,room", corner, "lamp_2", None, False),
        ("eq,0,in,lamp,room", corner, "lamp_1", False, False),
        ("eq,1,in,lamp,room", corner, "lamp_1", True, True),
    ]
    for demand, meant, unknown, strict, official in relations:
        assert told(demand, COT, NEAR, FAR, unknown=unknown, meant=meant) == (strict, official), (demand, unknown)
    assert told("eq,1,next_to,0,sofa,chair", NEAR, unknown="lamp_1", meant=WHY) == (None, False)
    assert told("eq,1,next_to,0,sofa,chair", NEAR, unknown="", meant=WHY) == (False, False)


def held(what: Object, **types: str | Unknown) -> tuple[Any, Any, Any]:
    scene = LoadedScene(Scene("den", (COT, what), ROOM))
    looked = plausibility.PlausibilityAnswers({"bed_1": "ground", **types}, {"bed_1": WHY, what.id: ("front",)})
    value = CHECKS["plausibility"].measure(demands(cnt="eq,1,bed"), scene, looked)
    strict, official = (value["profiles"][name]["objects"][what.id]["supported"] for name in ("strict", "official"))
    assert value["unknown_sides"] == ["bed_1"]
    return strict, official, value["profiles"]["strict"]["scores"]["sup"]


def test_what_no_judge_decided_is_unknown_what_is_taken_for_a_rug_told_and_calls_end_as_their_failure() -> None:
    floating = AS_IT_IS.thing("box_1", (0.3, 0.3, 0.3), (-1.5, -1, 1.2))
    assert held(floating, box_1=WHY) == (None, False, [1, 1])
    assert held(NEAR, lamp_1=WHY) == (None, True, [1, 1])
    assert held(NEAR, lamp_1="ceiling") == (False, False, [1, 2])
    failed = Unknown("the service failed: 500", "sides", Outcome.API_ERROR)
    undrawn = Unknown("it cannot be drawn")
    assert ended(["lamp", WHY, failed]) is Outcome.API_ERROR
    assert ended(["lamp", WHY]) is ended([None, WHY]) is ended([undrawn]) is ended([]) is Outcome.ANSWERED
    assert ended([WHY, undrawn]) is ended([AttributeAnswer({}, "", WHY)]) is Outcome.REFUSED
    assert unknowns([WHY, "lamp", AttributeAnswer({"a": True}), AttributeAnswer({}, "", failed), WHY]) == [WHY, failed]
    scene = LoadedScene(Scene("den", (AS_IT_IS.thing("mat_1", (1, 1, 0.01), (0, 0, 0.005)),), ROOM))
    value = CHECKS["plausibility"].measure(demands(cnt="eq,1,bed"), scene, plausibility.PlausibilityAnswers({}, {}))
    told = {name: value["profiles"][name]["objects"]["mat_1"]["reasons"] for name in ("strict", "official")}
    assert told == {"strict": ["mat_1 is a rug by its shape: it neither collides nor blocks"], "official": []}


metres = st.integers(2, 12).map(lambda n: n / 10)
away = st.integers(-300, 300).map(lambda n: n / 97)
yaws = st.integers(0, 23).map(lambda n: 15.0 * n)
places = st.tuples(away, away)
pieces = st.lists(
    st.tuples(st.sampled_from(CATEGORIES), shapes, st.tuples(metres, metres, metres), places, yaws), max_size=4
)


def all_demands(quantity: str, n: int) -> Annotation:
    head = f"{quantity},{n}"
    pairs = [f"{head},{phrase},0,bed,lamp" for phrase in PAIRS] + [f"{head},surround,0,bed,chair:0,chair:1,chair:2"]
    counts = [f"{head},{name}" for name in CATEGORIES]
    return annotation_of("0", "easy", "A room.", counts, [f"{head},bed,red"], pairs, [f"{head},{one}" for one in BUILT])


def furnished_room(listed: list[Piece], *more: Object, backwards: bool = False) -> LoadedScene:
    """Return a room of these pieces, each 2 mm higher above the floor than the one before it."""
    things: list[Object] = []
    for n, (category, shape, size, at, yaw) in enumerate(listed):
        place = (*at, size[2] / 2 + 0.002 * n)
        things.append(AS_IT_IS.thing(f"{category}_{n}", Primitive(shape, size), place, yaw=yaw, category=category))
    listed_as = {one.id: ("red",) for one in things[::2]} | {one.id: ("green",) for one in more}
    ordered = (*(things[::-1] if backwards else things), *more)
    return LoadedScene(Scene("room", ordered, AS_IT_IS.room(6, 6, openings=OPENINGS)), listed_as)


def measured_of(kind: str, furnished: LoadedScene, wanted: Annotation) -> dict[str, Any]:
    checks = CHECKS[kind]

    async def looked() -> Any:  # noqa: ANN401  (what a task makes of it)
        return await checks.ask_judge(wanted, furnished, RulesJudge(), None)

    return checks.measure(wanted, furnished, asyncio.run(looked()))


@given(pieces, st.integers(0, 3), st.sampled_from(CATEGORIES), places, st.sampled_from(["eq", "lt", "gt", "le", "ge"]))
@settings(max_examples=15)
def test_verdicts_ignore_the_order_and_distant_objects_and_at_least_stays_met_with_one_more(
    listed: list[Piece], n: int, category: str, at: tuple[float, float], quantity: str
) -> None:
    wanted = all_demands(quantity, n)
    fridge = AS_IT_IS.thing("fridge_1", (0.6, 0.6, 1.8), (50, 50, 0.9), category="refrigerator")
    more = AS_IT_IS.thing(f"{category}_more", (0.5, 0.4, 0.8), (*at, 0.4), category=category)
    rooms = [
        furnished_room(listed),
        furnished_room(listed, backwards=True),
        furnished_room(listed, fridge),
        furnished_room(listed, more),
    ]
    found = [measured_of("fidelity", one, wanted) for one in rooms]
    for profile in ("strict", "official"):
        before, backwards, distant, after = (
            {spec["text"]: spec["profiles"][profile] for spec in one["specifications"]} for one in found
        )
        for text, one in before.items():
            for other in (backwards[text], distant[text]) if profile == "strict" else ():
                assert (other["count"], other["satisfied"]) == (one["count"], one["satisfied"]), text
            assert (after[text]["count"] or 0) >= (one["count"] or 0), text
            assert quantity != "ge" or after[text]["satisfied"] or not one["satisfied"], text
    plausible = [measured_of("plausibility", one, wanted) for one in rooms[:2]]
    one, other = (value["profiles"]["strict"]["objects"] for value in plausible)
    for name, said in one.items():
        for field in ("in_collision", "supported", "support_type", "out_of_bounds"):
            assert said[field] == other[name][field], (name, field)
        assert said["accessibility"] == pytest.approx(other[name]["accessibility"], abs=0.02), name
    for kind, value in (("fidelity", found[0]), ("plausibility", plausible[0])):
        judgement = SceneScorer(CHECKS[kind]).judge(wanted, local(json.dumps({"found": "seen", **value})))
        scores = [scores[name] for scores in judgement.scores.values() for name in METRICS[kind]]
        assert str(judgement.outcome) == "answered"
        assert all(score.weight >= 0 and 0 <= (score.value or 0) <= 1 for score in scores)
