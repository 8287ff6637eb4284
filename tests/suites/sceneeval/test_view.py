"""Panels of the samples of sceneeval: rooms with remarks, bounded; rooms that changed or cannot be drawn are told."""

from __future__ import annotations

import base64
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stored_samples import STORED, of_kind, panels, stored_samples

from tsgkit.geometry import MeasuredScene, Mesh, Object, Scene, box, standing
from tsgkit.suites.panels import Panel, Shown
from tsgkit.suites.sceneeval import view
from tsgkit.suites.sceneeval.pages.parts import BOX_FACES, room_parts, simplified
from tsgkit.suites.task import Folder


def rooms(at: Path = STORED) -> dict[tuple[str, str], Shown]:
    found = stored_samples("sceneeval", "rules", at=at)
    return {(one.task.kind, one.sample.item_id): one for one in found}


def scene_of(found: list[Panel]) -> dict[str, Any]:
    [value] = of_kind(found, "scene")
    assert isinstance(value, dict)
    return value


def faces(part: dict[str, Any]) -> int:
    return len(base64.b64decode(part["colours"])) // 3


def test_a_room_has_its_surfaces_demands_and_problems() -> None:
    value = scene_of(panels(rooms()["fidelity", "1"]))
    assert {"bed_1", "nightstand_1", "lamp_1"} <= {part["name"] for part in value["parts"]}
    [section] = value["sections"]
    assert section["title"] == "Demanded: 5 of 7 met"
    failed = [one["text"] for one in section["remarks"] if one["holds"] is False]
    assert failed == ["exactly 1 bed that is double", "exactly 1 nightstand left bed"]
    shown = rooms()["plausibility", "1"]
    value = scene_of(panels(shown))
    assert {"text": "nothing holds lamp_1", "objects": ["lamp_1"]}.items() <= value["sections"][0]["remarks"][0].items()
    lost = scene_of(panels(replace(shown, judged=replace(shown.judged, evidence=None))))
    assert (lost["parts"], lost["sections"]) == (value["parts"], []), "of a sample that ended in an error"


def test_entries_of_an_annotation_are_signed() -> None:
    shown = {one.sample.item_id: one for one in stored_samples("sceneeval", "annotated")}
    [table] = of_kind(panels(shown["1"]), "table")
    assert ["-", "counts", "eq,1,lamp", ""] in table["rows"]
    assert ["?", "attributes", "eq,1,double bed", "not quant,n,category,attribute"] in table["rows"]
    assert ["+", "counts", "ge,1,lamp"] in [row[:3] for row in table["rows"]]
    [text] = of_kind(panels(shown["2"]), "text")
    assert "No annotation" in text["text"]


def test_a_missing_folder_or_scene_and_another_room_are_told_and_the_remarks_stay(tmp_path: Path) -> None:
    shown = rooms()["fidelity", "1"]
    gone = panels(replace(shown, folder=Folder("gone", "scenes", tmp_path / "gone")))
    assert "no folder of scenes" in gone[0].value["text"]
    assert gone[1].title == "Demanded: 5 of 7 met"
    shutil.copytree(STORED / "sceneeval", tmp_path / "sceneeval")
    scene = tmp_path / "sceneeval" / "rooms" / "scene_1.json"
    scene.write_text(scene.read_text().replace("bed_1", "cot_1"))
    section = scene_of(panels(rooms(tmp_path)["fidelity", "1"]))["sections"][0]
    assert section["title"] == "This is not the room that was judged"
    assert [one["text"] for one in section["remarks"]] == ["bed_1 is gone", "cot_1 is new"]
    scene.write_text("[")
    assert "cannot be drawn" in panels(rooms(tmp_path)["fidelity", "1"])[0].value["text"]
    scene.unlink()
    assert "no scene of this id" in panels(rooms(tmp_path)["fidelity", "1"])[0].value["text"]
    odd = replace(shown, sample=replace(shown.sample, item_id="../../rooms/scene_1"))
    assert panels(odd)[0].kind == "text"


def grid(sides: int) -> Mesh:
    """Return a flat square of so many squares a side, of two triangles each."""
    places = range(sides + 1)
    vertices = [(x / sides, y / sides, 0.0) for x in places for y in places]
    corners = [x * (sides + 1) + y for x in range(sides) for y in range(sides)]
    faces = [(at, at + sides + 1, at + sides + 2) for at in corners] + [(at, at + sides + 2, at + 1) for at in corners]
    return Mesh.of(vertices, faces)


def test_large_objects_are_drawn_as_boxes_and_the_panel_says_so() -> None:
    scene = Scene("den", (Object("rug", grid(20), standing((0, 0, 1))), Object("cube", box(1, 1, 1))))
    drawn = room_parts(MeasuredScene(scene), most_faces=300)
    counts = {part["name"]: faces(part) for part in drawn.parts}
    assert counts["rug"] == len(BOX_FACES)
    assert sum(counts.values()) <= 300
    [section] = drawn.simplified
    assert [(one.text, one.why) for one in section.remarks] == [
        ("rug is drawn as a box", "its surface has 800 triangles")
    ]
    assert room_parts(MeasuredScene(scene)).simplified == ()


def test_the_panel_of_a_room_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "MOST_FACES", 40)
    value = scene_of(panels(rooms()["fidelity", "2"]))
    assert all(faces(part) <= 40 for part in value["parts"] if part.get("object"))
    for small, drawn_as_boxes in ((12, ""), (60, "ab"), (40, "a")):
        assert simplified({"a": 80, "b": small}, 100) == set(drawn_as_boxes), small
