"""Long tests of the judges of scenes: whole images, all bundled rooms, other processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged_bedroom import SMALL, enter_bedroom, looked, told, write_known
from room_judge import looks_of, room_judge
from rooms_of_ours import ROOMS, assert_as_stored

from tsgkit.geometry import MeasuredScene, RenderedImage, View, view
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.sceneeval.scenes import SceneFolder

Bedroom = dict[str, Any]
Patch = pytest.MonkeyPatch
LOOK_ALIKE = {"21": {"washing machine", "dryer"}}
"""Things that look the same, beside their attributes: in these items no image tells what is what."""


@pytest.fixture
def bedroom(tmp_path: Path, monkeypatch: Patch) -> dict[str, Any]:
    """Set up a bedroom with its demands in the working folder. Return the options of a server that knows it."""
    enter_bedroom(tmp_path, monkeypatch)
    return {"known": write_known(tmp_path / "known.json", tmp_path / "mine"), "size": SMALL}


def explained(looks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Return the items in which a thing really looks like another one that is named."""
    kinds = [
        {f"{word} {one['category']}".strip() for one in things for word in ("", *(one["attributes"] or ()))}
        for things in looks.values()
    ]
    return {item for item, alike in LOOK_ALIKE.items() if any(alike <= found for found in kinds)}


def test_omniscient_judge_agrees_with_rules_on_flawed_rooms(
    bedroom: Bedroom, tmp_path: Path, monkeypatch: Patch
) -> None:
    drawn: dict[tuple[str, str, str], RenderedImage] = {}

    def drawn_once(stage: MeasuredScene, kind: View, name: str, size: int) -> RenderedImage:
        key = (stage.scene.name, kind, name)
        if key not in drawn:
            drawn[key] = view(stage, kind, name, size)
        return drawn[key]

    monkeypatch.setattr(gallery, "view", drawn_once)  # the same room again gives the same bytes
    folder = ROOMS / "rooms/flawed"
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


def test_every_demand_and_every_object_of_good_rooms_gets_its_verdict() -> None:
    for annotation in read_annotation_file(ROOMS / "annotations.csv").usable():
        stored = json.loads((ROOMS / "expected" / f"scene_{annotation.item_id}.json").read_text())
        assert_as_stored(annotation, "good", stored["good"])
