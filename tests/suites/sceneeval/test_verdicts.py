"""Tests of the verdicts on demands, and their reasons, in both profiles."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from refusals import refuses
from rooms_of_ours import SCENE_TASKS, measured, room, thing

from tsgkit.errors import UsageError
from tsgkit.geometry import Architecture, Floor, MeasuredScene, Object, Scene, Wall, box, standing
from tsgkit.geometry.png import png
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.judges.rules import RulesJudge, support_type
from tsgkit.suites.sceneeval.scene_files.simple import read_simple
from tsgkit.suites.sceneeval.scenes import SceneFolder, judge_scene
from tsgkit.suites.sceneeval.word_meanings import Synonyms, best_category, element_of, relation_table, sides_table

BED = thing("bed_1", "bed", (2, 1.98, 0), (1.6, 2, 0.5), description="a king-size bed")
LAMP = thing("lamp_2", "lamp", (0.3, 0.3, 0), (0.2, 0.2, 1.5), attributes=["red"])


def demands(
    *pairs: str, built: tuple[str, ...] = (), atr: tuple[str, ...] = (), cnt: str = "eq,1,bed;eq,1,lamp"
) -> Any:  # noqa: ANN401
    return annotation_of("0", "easy", "A bedroom.", cnt.split(";"), atr, pairs, built)


def verdicts(folder: Path, annotation: Annotation, *objects: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (folder / "scene_0.json").write_text(room(*objects))
    found = measured("fidelity", annotation, folder)["specifications"]
    return {one["text"]: one["profiles"] for one in found}


def test_reason_gives_actual_and_allowed_distance(tmp_path: Path) -> None:
    entry = "eq,1,next_to,0,bed,lamp"
    far = thing("lamp_2", "lamp", (3.9, 0.1, 0), (0.2, 0.2, 1.5))
    found = verdicts(tmp_path, demands(entry), BED, far)[entry]["strict"]
    assert found["satisfied"] is False
    assert found["reason"].startswith("lamp_2 is 1.2")
    assert found["reason"].endswith("m from bed_1; next_to needs < 0.79")
    (group,) = found["groups"]
    assert group["objects"] == ["bed_1", "lamp_2"]
    assert group["relations"][0]["margin"] < 0


def test_unmapped_phrase_is_met_in_official_and_unknown_in_strict(tmp_path: Path) -> None:
    entry = "eq,1,in_harmony_with,0,bed,lamp"
    found = verdicts(tmp_path, demands(entry), BED, LAMP)[entry]
    assert (found["official"]["satisfied"], found["strict"]["satisfied"]) == (True, None)
    assert "means no relation that can be measured" in found["strict"]["reason"]
    assert verdicts(tmp_path, demands(entry), BED)[entry]["official"]["satisfied"] is False
    assert measured("fidelity", demands(entry), tmp_path)["specifications"][-1]["meant"] is None, "whatever is there"


def test_absent_category_and_the_object_itself_count_otherwise_in_official(tmp_path: Path) -> None:
    entry = "le,1,next_to,0,bed,lamp"
    found = verdicts(tmp_path, demands(entry), BED)[entry]
    assert (found["official"]["satisfied"], found["strict"]["satisfied"]) == (False, True)
    entry = "eq,1,next_to,0,lamp,lamp"
    other = thing("lamp_3", "lamp", (0.8, 0.3, 0), (0.2, 0.2, 1.5))
    found = verdicts(tmp_path, demands(entry, cnt="eq,2,lamp"), LAMP, other)[entry]
    assert (found["strict"]["count"], found["strict"]["satisfied"]) == (1, True)
    assert (found["official"]["count"], found["official"]["satisfied"]) == (4, False)


def test_attribute_is_read_from_list_or_description_else_unknown(tmp_path: Path) -> None:
    entries = ("eq,1,bed,king_size", "eq,1,bed,soft", "eq,1,lamp,red", "eq,1,lamp,tall", "le,1,bed,soft")
    found = verdicts(tmp_path, demands(atr=entries), BED, LAMP)
    told = {entry: found[entry]["strict"]["satisfied"] for entry in entries}
    assert told == dict(zip(entries, (True, None, True, False, True), strict=True))
    assert "rules cannot look" in found["eq,1,bed,soft"]["strict"]["reason"]


def test_too_many_and_too_few_that_satisfy_a_demand_are_named(tmp_path: Path) -> None:
    lamps = [thing(f"lamp_{n}", "lamp", (0.3 + 0.5 * n, 0.12, 0), (0.2, 0.2, 1)) for n in range(3)]
    found = verdicts(tmp_path, demands(built=("eq,1,against,lamp,wall",), cnt="eq,1,lamp"), *lamps)
    assert found["eq,1,against,lamp,wall"]["strict"]["reason"] == (
        "3 of 3 satisfy it, exactly 1 needed: lamp_0; lamp_1; lamp_2"
    )
    assert found["eq,1,lamp"]["strict"]["reason"] == "3 lamp: lamp_0, lamp_1, lamp_2; exactly 1 needed"
    near, few = thing("lamp_2", "lamp", (3, 2, 0), (0.2, 0.2, 1.5)), "gt,1,next_to,0,bed,lamp"
    strict = verdicts(tmp_path, demands(few), BED, near)[few]["strict"]
    assert strict["satisfied"] is False
    assert strict["reason"] == "1 of 1 satisfy it, more than 1 needed: bed_1 and lamp_2"


def judged(folder: Path, kind: str, annotation: Annotation) -> Any:  # noqa: ANN401
    task = SCENE_TASKS[kind]
    return task.judge(annotation, asyncio.run(judge_scene(task, annotation, SceneFolder(folder), RulesJudge(), None)))


@pytest.mark.parametrize("kind", SCENE_TASKS)
def test_missing_scene_scores_worst_in_strict_and_is_skipped_in_official(kind: str, tmp_path: Path) -> None:
    found = judged(tmp_path, kind, demands())
    assert (str(found.outcome), found.counts["skipped_official"]) == ("missing", 1)
    for name, metric in SCENE_TASKS[kind].metrics.items():
        strict, official = found.scores["strict"][name], found.scores["official"][name]
        assert official.value is None
        if strict.weight:
            assert strict.value == (0 if metric.more_is_better else 1)
    assert found.scores["strict"]["cnt" if kind == "fidelity" else "sup"].weight


@pytest.mark.parametrize("kind", SCENE_TASKS)
def test_broken_texture_is_noted_and_changes_no_score(kind: str, tmp_path: Path) -> None:
    import trimesh

    made: Any = trimesh
    pixels = png(np.random.default_rng(1).integers(0, 256, (32, 32, 3), dtype=np.uint8))
    (tmp_path / "wood.mtl").write_text("newmtl wood\nmap_Kd wood.png\n")
    cube = made.creation.box((1, 1, 1)).export(file_type="obj").splitlines()
    faces = [line if line[0] != "f" else "f " + " ".join(f"{at}/1" for at in line.split()[1:]) for line in cube if line]
    (tmp_path / "cube.obj").write_text("\n".join(["mtllib wood.mtl", "usemtl wood", "vt 0 0", *faces]))
    (tmp_path / "scene_0.json").write_text(room({"id": "a", "category": "bed", "mesh": "cube.obj", "at": [2, 2, 0.5]}))
    found = []
    for data in (pixels, pixels[:500]):
        (tmp_path / "wood.png").write_bytes(data)
        found.append(judged(tmp_path, kind, demands(cnt="eq,1,bed")))
    whole, broken = found
    assert (str(broken.outcome), broken.scores) == ("answered", whole.scores)
    assert not any("texture" in note for note in whole.notes)
    (note,) = (note for note in broken.notes if "texture" in note)
    assert note.startswith("a: a texture is not shown: it cannot be decoded: ")


@pytest.mark.parametrize("kind", SCENE_TASKS)
def test_a_broken_scene_is_unreadable_with_the_reason_and_an_empty_room_as_published(kind: str, tmp_path: Path) -> None:
    (tmp_path / "scene_0.json").write_text(room({"id": "a", "category": "x"}))
    found = judged(tmp_path, kind, demands(cnt="eq,1,bed;eq,0,cat"))
    assert str(found.outcome) == "unreadable"
    assert found.notes[0].startswith("scene_0.json: object a: at: Field required")
    strict, official = found.scores["strict"], found.scores["official"]
    if kind == "fidelity":
        assert (strict["cnt"].value, official["cnt"].value) == (0, 0.5)
    else:
        assert (strict["nav"].value, official["nav"].value) == (0, 1)
        assert (strict["col_sc"].value, official["col_sc"].value, official["col_ob"].value) == (1, 0, None)


def test_unknown_demands_are_counted_and_carry_no_weight_in_strict(tmp_path: Path) -> None:
    (tmp_path / "scene_0.json").write_text(room(BED, LAMP))
    found = judged(tmp_path, "fidelity", demands("eq,1,in_harmony_with,0,bed,lamp", atr=("eq,1,bed,soft",)))
    assert found.counts["unknown"] == 2
    assert found.scores["strict"]["oor"].value is None
    assert found.scores["official"]["oor"].value == 1
    assert found.scores["strict"]["atr"].value is None
    assert found.answer["unknown"] == ["eq,1,bed,soft", "eq,1,in_harmony_with,0,bed,lamp"]


def test_evidence_covers_every_object_in_both_profiles(tmp_path: Path) -> None:
    (tmp_path / "scene_0.json").write_text(room(BED, thing("box_1", "box", (2, 2, 0), (0.5, 0.5, 0.4)), LAMP))
    found = judged(tmp_path, "plausibility", demands()).evidence["objects"]
    assert list(found) == ["bed_1", "box_1", "lamp_2"]
    wanted = {"in_collision", "colliding_with", "supported", "out_of_bounds", "accessibility"}
    assert all(wanted <= set(one[profile]) for one in found.values() for profile in ("strict", "official"))
    assert found["bed_1"]["strict"]["colliding_with"] == ["box_1"]
    assert found["lamp_2"]["strict"]["accessibility"] is None


def holders(folder: Path, text: str) -> dict[str, str]:
    stage = MeasuredScene(read_simple(text, "x", folder).scene)
    return {name: support_type(stage, body) for name, body in stage.bodies.items()}


def at_the_wall(name: str, low: float, *, gap: float = 0.0005, high: float = 0.4) -> Any:  # noqa: ANN401
    """Return an object at a height above the floor, with its back close to the north wall."""
    return thing(name, name, (1, 2.8 - gap, low), (0.8, 0.4, high))


DESK = thing("desk", "desk", (1, 2.7, 0), (1.4, 0.6, 0.75))


def test_object_is_held_by_the_nearest_support_and_not_by_the_wall_behind_it(tmp_path: Path) -> None:
    text = room(
        BED,
        thing("cup_1", "cup", (2, 2, 0.5), (0.1, 0.1, 0.1)),
        thing("picture_1", "picture", (1, 2.98, 1.5), (0.5, 0.03, 0.4)),
        thing("light_1", "light", (1, 1, 2.4), (0.3, 0.3, 0.2)),
        thing("shelf_1", "shelf", (3.5, 2.83, 0), (0.8, 0.3, 1.8)),
    )
    assert holders(tmp_path, text) == {
        "bed_1": "ground",
        "cup_1": "object",
        "picture_1": "wall",
        "light_1": "ceiling",
        "shelf_1": "ground",
    }
    rows: list[tuple[list[Any], str]] = [
        ([at_the_wall("bookshelf", 0, high=1.8)], "ground"),
        ([at_the_wall("wardrobe", 0.001, high=2)], "ground"),
        ([at_the_wall("floating_bed", 0.04)], "ground"),
        ([at_the_wall("pillar", 0, high=2.6)], "ground"),
        ([at_the_wall("hung_cabinet", 1.5, gap=0.004)], "wall"),
        ([at_the_wall("cabinet_too_far_from_its_wall", 0.2, gap=0.3)], "ground"),
        ([at_the_wall("monitor", 0.753), DESK], "object"),
        ([at_the_wall("sunken_monitor", 0.71), DESK], "object"),
        ([at_the_wall("whiteboard_above_the_desk", 0.78), DESK], "wall"),
        ([at_the_wall("box_on_a_rug", 0.02), thing("rug", "rug", (1, 2, 0), (2, 1.9, 0.02))], "object"),
        ([at_the_wall("cabinet", 1.5), thing("fridge", "fridge", (1.7, 2.7, 0), (0.6, 0.6, 1.5))], "wall"),
        ([at_the_wall("cabinet_in_a_corner", 1.5, high=1.1)], "wall"),
    ]
    for objects, wanted in rows:
        assert holders(tmp_path, room(*objects))[objects[0]["id"]] == wanted, objects[0]["id"]


def test_a_thing_stands_on_the_floor_of_its_own_room(tmp_path: Path) -> None:
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
        ("Beds", "", "bed"),
        ("couch", "", "sofa"),
        ("bookshelves", "", "bookshelf"),
        ("office chair", "", "office_chair"),
        ("chair", "an office chair with wheels", "office_chair"),
        ("armchair", "", None),
        ("", "a tall bookshelf made of oak", "bookshelf"),
        ("lamp", "a lamp beside a bed", None),
        ("", "", None),
    ]
    for named, told, wanted in rows:
        same = Synonyms.of([["sofa", "couch"]])
        assert best_category(named, told, ["bed", "sofa", "bookshelf", "office_chair"], same) == wanted, named


def test_bundled_tables_are_valid_and_have_common_phrases() -> None:
    table = relation_table()
    for phrase in ("left", "to the right of", "in front of", "behind", "next_to", "on_top_of", "under", "facing"):
        assert table.between_objects(phrase), phrase
    for phrase, element in (("against", "wall"), ("in the corner of", "room"), ("hanging from", "ceiling")):
        assert table.to_room(phrase, element), phrase
    assert [element_of(name) for name in ("walls", "living_room", "cloud")] == ["wall", "room", None]
    assert sides_table()[0]["bed"] == ("front", "left", "right")


def test_table_of_a_project_changes_the_meaning_of_phrases_and_an_invalid_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tasks/sceneeval", "prompts", "eval"):
        (tmp_path / name).mkdir(parents=True)
    table = tmp_path / "tasks/sceneeval/relations.yaml"
    table.write_text("objects: {in harmony with: [near]}\nrooms: {}")
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
            relation_table()
