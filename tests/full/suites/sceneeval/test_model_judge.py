"""Long tests of the model judge of scenes: whole images, all bundled rooms, every question, other processes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from judged_bedroom import (
    BOTH,
    CALLS_OF_BOTH,
    OBJECTS,
    SMALL,
    labels,
    looked,
    samples,
    told,
    write_bedroom,
    write_known,
)
from room_judge import looks_of, room_judge
from rooms_of_ours import ROOMS, SCENE_TASKS, room

from tsgkit.geometry import MeasuredScene, RenderedImage, View, view
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.sceneeval.scenes import SceneFolder


@pytest.fixture
def bedroom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Set up a bedroom with its demands in the working folder. Return the options of a server that knows it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TSGKIT_CACHE_HOME", raising=False)
    monkeypatch.setattr(gallery, "SIZE", SMALL)
    monkeypatch.chdir(tmp_path)
    write_bedroom(tmp_path)
    return {"known": write_known(tmp_path / "known.json", tmp_path / "mine"), "size": SMALL}


def test_each_object_is_shown_in_images_of_512_pixels_and_every_question_is_asked_once(
    bedroom: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "SIZE", 512)
    with room_judge(known=write_known(tmp_path / "large.json", tmp_path / "mine"), size=512) as server:
        finished = looked(server)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"], stats["schemas"], stats["kinds"]) == (0, [], 10, CALLS_OF_BOTH)
    assert {one["holds"] for one in stats["looked"]} == {"image/png"}
    named = {f"{what} {name}": 1 for what in ("match", "support") for name in ("bed_1", "lamp_1", "lamp_2")}
    questions = {"sides": 1, "object relations": 1, "room relations": 1, "attribute eq,1,lamp,red": 1}
    assert labels() == Counter({"local": 2, **questions, **named})
    assert told(finished) == told(looked(None, out="rules", judge="rules"))


def test_relation_meanings_are_asked_once_per_run_for_all_folders(bedroom: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/scene_0.json").write_text(room(*OBJECTS[:2], OBJECTS[2] | {"at": [3.4, 0.6, 0]}))
    folders: dict[str, Any] = {"scenes": ("mine=mine", "theirs=theirs"), "tasks": BOTH[:1]}
    known = write_known(tmp_path / "both.json", tmp_path / "mine", tmp_path / "theirs")
    for cache, new in ((False, False), (True, True), (False, True)):
        with room_judge(**bedroom | {"known": known}) as server:
            for number in (1, 2):
                out = f"run-{cache}-{new}-{number}"
                looked(server, out=out, cache=cache, new=new, **folders)
                kinds = server.stats()["kinds"]
                assert (kinds["object-relations"], kinds["room-relations"]) == (number, number), (cache, new)
                assert labels(out)["object relations"] == 2, "each sample has its own record of it"
            looked(server, out=out, cache=cache, **folders)
            assert server.stats()["kinds"] == kinds, (cache, new)


LOOK_ALIKE = {"21": {"washing machine", "dryer"}}
"""Things that look the same, beside their attributes: in these items no image tells what is what."""


def explained(looks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Return the items in which a thing really looks like another one that is named."""
    kinds = [
        {f"{word} {one['category']}".strip() for one in things for word in ("", *(one["attributes"] or ()))}
        for things in looks.values()
    ]
    return {item for item, alike in LOOK_ALIKE.items() if any(alike <= found for found in kinds)}


@pytest.mark.parametrize("kind", ["good", "flawed"])
def test_omniscient_model_judge_agrees_with_rules_on_bundled_rooms(
    kind: str, bedroom: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[tuple[str, str, str], RenderedImage] = {}

    def drawn_once(stage: MeasuredScene, kind: View, name: str, size: int) -> RenderedImage:
        key = (stage.scene.name, kind, name)
        if key not in drawn:
            drawn[key] = view(stage, kind, name, size)
        return drawn[key]

    monkeypatch.setattr(gallery, "view", drawn_once)  # the same room again gives the same bytes
    folder = ROOMS / "rooms" / kind
    scenes = (SceneFolder(folder).scene(str(item)) for item in range(30))
    known = looks_of(scene for scene in scenes if scene is not None)
    (tmp_path / "known.json").write_text(json.dumps(known))
    ours: dict[str, Any] = {"scenes": (f"mine={folder}",), "data": None}
    with room_judge(known=str(tmp_path / "known.json"), size=SMALL) as server:
        finished = looked(server, **ours)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"]) == (0, [])
    mine, rules = told(finished), told(looked(None, out="rules", judge="rules", limits=Limits(concurrency=1), **ours))
    assert mine.keys() == rules.keys() and len(rules) > 600
    different = {key for key in rules if mine[key] != rules[key]}
    assert {item for _, _, item, _ in different} <= explained(known["looks"])
    assert len(different) < 20


ODD = {
    "match": ('{"category": "spaceship"}', "'spaceship' is none of the categories"),
    "attribute": ('{"holds": {"1": true}}', "it says nothing of 2"),
    "support": ("It seems to float.", "there is no JSON object with held_by in the reply"),
    "sides": (
        '{"objects": [{"id": "sofa_9", "sides": ["front"]}]}',
        "nothing, but of 'sofa_9', which was not asked about",
    ),
    "object-relations": ('{"relations": [{"number": 1, "types": ["hovers over"]}]}', "is no relation that is measured"),
    "room-relations": (
        '{"relations": [{"number": 1, "type": "inside_room", "element": "room", "floors": ["floor_moon"]}]}',
        "'floor_moon' is no floor of the building",
    ),
}
TASK = {"support": "plausibility", "sides": "plausibility"}
OPEN = {
    "match": {
        "eq,1,bed",
        "eq,2,lamp",
        "eq,1,lamp,red",
        "eq,1,sofa,green",
        "eq,1,next_to,0,bed,lamp",
        "eq,1,against,bed,wall",
    },
    "attribute": {"eq,1,lamp,red"},
    "object-relations": {"eq,1,next_to,0,bed,lamp"},
    "room-relations": {"eq,1,against,bed,wall"},
}
"""The demands that each kind of question decides: open in strict, and not met as published, where it has no answer."""


@pytest.mark.parametrize("kind", ODD)
def test_unusable_answer_is_unknown_after_three_tries(kind: str, bedroom: dict[str, Any]) -> None:
    by_rules = told(looked(None, out="rules", judge="rules"))
    reply, why = ODD[kind]
    with room_judge(**bedroom, odd={kind: reply}) as server:
        finished = looked(server)
        stats = server.stats()
    demands = {key[3]: found for key, found in told(finished).items() if key[1] == "fidelity" and "," in key[3]}
    assert {text for text, found in demands.items() if found["strict"] is None} == OPEN.get(kind, set())
    assert not any(demands[text]["official"] for text in OPEN.get(kind, ()))
    known = demands.keys() - OPEN.get(kind, set())
    assert all(demands[text] == by_rules["mine", "fidelity", "0", text] for text in known)
    assert stats["kinds"][kind] == 3 * CALLS_OF_BOTH[kind] and finished.exit_code == 0
    sample = samples(finished)["mine", TASK.get(kind, "fidelity"), "0"]
    assert sample["outcome"] == "answered"
    assert any(why in note for note in sample["notes"]), sample["notes"]
    assert all(why in one["reason"] for one in sample["evidence"]["judge"]["unknown"])
    boards = {result.cell.task.removeprefix("sceneeval/"): result.board for result in finished.results}
    assert boards[TASK.get(kind, "fidelity")].counts["unknown"] > 0


def test_rooms_that_a_model_judges_are_measured_where_the_executor_computes(
    bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with room_judge(**bedroom) as server:
        here = samples(looked(server, out="here"))
        for task in SCENE_TASKS.values():
            monkeypatch.setattr(type(task), "measure", None)
        there = samples(looked(server, out="there", executor="processes"))
    assert here.keys() == there.keys() and len(here) == 2
    for key, one in here.items():
        assert [there[key][name] for name in ("outcome", "scores", "evidence")] == [
            one[name] for name in ("outcome", "scores", "evidence")
        ]
