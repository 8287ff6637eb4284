"""A model judge that knows what every image shows agrees with the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged_bedroom import SMALL, enter_bedroom, looked, told
from room_judge import looks_of, room_judge
from rooms_of_ours import ROOMS

from tsgkit.geometry import MeasuredScene, RenderedImage, View, view
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.sceneeval.scenes import SceneFolder

LOOK_ALIKE = {"21": {"washing machine", "dryer"}}
"""Things that look the same, beside their attributes: in these items no image tells what is what."""
ITEMS = ("3", "5", "8", "9", "18", "19", "21", "23", "24", "25")
"""Rooms that have all quantities, relations and places of the bundled annotations between them, and item 21."""


def explained(looks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Return the items in which a thing really looks like another one that is named."""
    kinds = [
        {f"{word} {one['category']}".strip() for one in things for word in ("", *(one["attributes"] or ()))}
        for things in looks.values()
    ]
    return {item for item, alike in LOOK_ALIKE.items() if any(alike <= found for found in kinds)}


def test_omniscient_judge_agrees_with_rules_on_flawed_rooms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter_bedroom(tmp_path, monkeypatch)
    drawn: dict[tuple[str, str, str], RenderedImage] = {}

    def drawn_once(stage: MeasuredScene, kind: View, name: str, size: int) -> RenderedImage:
        key = (stage.scene.name, kind, name)
        if key not in drawn:
            drawn[key] = view(stage, kind, name, size)
        return drawn[key]

    monkeypatch.setattr(gallery, "view", drawn_once)  # the same room again gives the same bytes
    folder = ROOMS / "rooms/flawed"
    scenes = map(SceneFolder(folder).scene, ITEMS)
    known = looks_of(scene for scene in scenes if scene is not None)
    (tmp_path / "known.json").write_text(json.dumps(known))
    ours: dict[str, Any] = {"scenes": (f"mine={folder}",), "data": None, "ids": ITEMS}
    with room_judge(known=str(tmp_path / "known.json"), size=SMALL) as server:
        finished = looked(server, **ours)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"]) == (0, [])
    mine, rules = told(finished), told(looked(None, out="rules", judge="rules", limits=Limits(concurrency=1), **ours))
    assert mine.keys() == rules.keys() and len(rules) > 200
    different = {key for key in rules if mine[key] != rules[key]}
    assert {item for _, _, item, _ in different} <= explained(known["looks"])
    assert 0 < len(different) < 20
