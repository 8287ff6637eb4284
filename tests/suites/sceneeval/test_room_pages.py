"""Tests of pages and panels of a room: self-contained, bounded, and no text of a scene becomes code."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from furnished_rooms import AS_IT_IS
from stored_samples import STORED, of_kind, panels, stored_samples

from tsgkit.errors import UsageError
from tsgkit.geometry import Architecture, MeasuredScene, Mesh, Object, Opening, Scene, box, standing
from tsgkit.suites.panels import Panel, SampleView
from tsgkit.suites.sceneeval import view
from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.remarks import (
    Remark,
    RemarkSection,
    demand_remarks,
    sections,
    trouble_remarks,
    verdicts,
)
from tsgkit.suites.sceneeval.room_pages import BOX_FACES, NAMESPACE, room_page, room_parts, simplified
from tsgkit.suites.task import Folder

HOSTILE = "</script><script>alert(1)</script><!--<script>&\u2028]]>\"'"
ROOM = AS_IT_IS.room(5, 4, openings=[Opening("door", (1, 0), (2, 2))])
LAMP = Object("lamp_1", box(0.2, 0.3, 0.4), standing((1, 0.5, 0.2), yaw=30), "lamp", "a small lamp")
WANTED = annotation_of(
    "0", "easy", "Two lamps.", ("eq,2,lamp", "eq,1,bed"), ("ge,1,lamp,red",), ("ge,1,on,0,bed,lamp",)
)
FINE = {"in_collision": False, "colliding_with": [], "supported": True, "out_of_bounds": False, "accessibility": 1.0}
WHOLE = {"value": 1.0, "reason": "1 free part"}


def page(*objects: Object, remarks: tuple[Remark, ...] = (), title: str = "", about: str = "") -> str:
    return room_page(Scene("den", objects, ROOM), [RemarkSection(title, remarks)], title=title, about=about)


def embedded(text: str) -> dict[str, Any]:
    [found] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    value: dict[str, Any] = json.loads(found)
    return value


def corners_of(part: dict[str, Any]) -> Any:  # noqa: ANN401
    return np.frombuffer(base64.b64decode(part["corners"]), dtype="<f4").reshape(-1, 3)


def test_page_has_every_surface_and_facts_and_problems_of_each_object() -> None:
    parts = {part["name"]: part for part in embedded(page(LAMP))["parts"]}
    assert {"lamp_1", "floor_room", "wall_north", "door_0_north"} <= set(parts)
    lamp, wall = parts["lamp_1"], parts["wall_south"]
    assert (lamp["object"], lamp["category"], lamp["about"]) == (True, "lamp", "a small lamp")
    assert (lamp["size"], lamp["place"], lamp["yaw"]) == ([0.2, 0.3, 0.4], [1, 0.5, 0.2], 30)
    assert (len(corners_of(lamp)), len(base64.b64decode(lamp["colours"]))) == (36, 36)
    assert corners_of(lamp).mean(axis=0) == pytest.approx([1, 0.5, 0.2], abs=1e-6)
    assert wall["front"] == pytest.approx([0, 1, 0])
    assert len(corners_of(wall)) == 12, "two sides of two triangles, and no rims"
    twisted = Object("mirror", box(1, 1, 1), (1.0, 0.2, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0.5, 1.0))
    part = embedded(page(twisted))["parts"][0]
    assert part["problems"] == ["its transform is not rotation times scale"]
    with pytest.raises(UsageError, match="nothing-to-draw"):
        room_page(Scene("void", (), Architecture()))


def test_only_our_script_and_style_may_run_and_scene_texts_cannot_escape_their_element() -> None:
    text = page(LAMP)
    assert text == page(LAMP), "the same room makes the same page"
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy
    [style], [script] = (re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL) for tag in ("style", "script"))
    for part in (style, script):
        assert base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() in policy
    loading = r"https?:|//[a-z]+\.|@import|url\(|fetch\(|XMLHttp|innerHTML|eval\("
    assert not re.search(loading, text.replace(NAMESPACE, ""))
    thing = Object(HOSTILE, box(1, 1, 1), standing((0, 0, 0.5)), HOSTILE, HOSTILE)
    text = page(thing, remarks=(Remark(HOSTILE, False, (HOSTILE,), HOSTILE),), title=HOSTILE, about=HOSTILE)
    assert "alert(1)</script>" not in text
    assert text.count("<script") == 2
    assert f"<title>{html.escape(HOSTILE)}</title>" in text
    value = embedded(text)
    assert value["parts"][0]["name"] == HOSTILE
    remark = {"text": HOSTILE, "holds": False, "objects": [HOSTILE], "why": HOSTILE}
    assert value["sections"] == [{"title": HOSTILE, "remarks": [remark]}]
    assert f'<p id="about">{html.escape(HOSTILE)}</p>' in text


def verdict(satisfied: bool | None, *groups: tuple[bool, tuple[str, ...]], reason: str = "so it is") -> dict[str, Any]:
    told = [{"objects": list(names), "satisfied": good} for good, names in groups]
    return {"satisfied": satisfied, "count": None, "reason": reason, "groups": told}


def found(text: str, strict: dict[str, Any], official: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"text": text, "profiles": {"strict": strict, "official": official or strict}}


def seen(*specifications: dict[str, Any]) -> dict[str, Any]:
    matched = {"lamp_1": "lamp", "lamp_2": "lamp", "bed_1": "bed", "thing_1": None}
    return {"matched": matched, "specifications": list(specifications)}


def test_remarks_name_the_objects_that_decide_and_troubles_their_own_reasons() -> None:
    held = verdict(True, (False, ("bed_1", "lamp_1")), (True, ("bed_1", "lamp_2")))
    missed = verdict(False, (False, ("bed_1", "lamp_2")), (False, ("bed_1", "lamp_1")))
    on = "ge,1,on,0,bed,lamp"
    for text, one, remark in (
        ("eq,2,lamp", verdict(True), Remark("exactly 2 lamp", True, ("lamp_1", "lamp_2"), "so it is")),
        (on, held, Remark("at least 1 lamp on bed", True, ("bed_1", "lamp_2"), "so it is")),
        (on, missed, Remark("at least 1 lamp on bed", False, ("bed_1", "lamp_2"), "so it is")),
    ):
        assert demand_remarks(WANTED, seen(found(text, one))) == [remark], text
    both = found(on, verdict(None, reason="nobody knows"), verdict(True, reason="satisfied anyway"))
    (remark,) = demand_remarks(WANTED, seen(both))
    assert (remark.holds, remark.why) == (None, "nobody knows\nas published it holds: satisfied anyway")
    fine = {"in_collision": False, "colliding_with": [], "supported": True, "out_of_bounds": False, "reasons": []}
    bed = fine | {"colliding_with": ["lamp_1", "wall_2"], "reasons": ["bed_1 cuts lamp_1", "bed_1 cuts wall_2"]}
    lamp = fine | {"colliding_with": ["bed_1"], "supported": False, "reasons": ["bed_1 cuts lamp_1", "it floats"]}
    value = {
        "objects": {
            "bed_1": bed,
            "lamp_1": lamp,
            "rug_1": fine | {"out_of_bounds": True, "reasons": ["outside"]},
            "clock_1": fine | {"supported": None, "reasons": ["nobody could say what holds it"]},
        },
        "openings": [
            {"id": "door_1", "occluded": True, "reason": "hidden by bed_1"},
            {"id": "door_2", "occluded": False, "reason": ""},
        ],
        "navigability": {"value": 0.5, "reason": "two parts"},
    }
    assert trouble_remarks(value) == [
        Remark("bed_1 and lamp_1 collide", False, ("bed_1", "lamp_1"), "bed_1 cuts lamp_1"),
        Remark("bed_1 and wall_2 collide", False, ("bed_1", "wall_2"), "bed_1 cuts wall_2"),
        Remark("nothing holds lamp_1", False, ("lamp_1",), "bed_1 cuts lamp_1\nit floats"),
        Remark("rug_1 is not over the floor", False, ("rug_1",), "outside"),
        Remark("something holds clock_1", None, ("clock_1",), "nobody could say what holds it"),
        Remark("door_1 is blocked", False, ("door_1",), "hidden by bed_1"),
        Remark("part of the floor cannot be reached", False, (), "two parts"),
    ]


def troubled(*objects: dict[str, Any], openings: tuple[str, ...] = (), floor: object = 1.0) -> dict[str, Any]:
    named = {f"lamp_{number}": FINE | {"reasons": []} | one for number, one in enumerate(objects)}
    shut = [
        {"id": f"{kind}_{n}", "kind": kind, "occluded": True, "reason": "hidden"} for n, kind in enumerate(openings)
    ]
    return {"objects": named, "openings": shut, "navigability": {"value": floor, "reason": "so it is"}}


def said(value: dict[str, Any]) -> list[str]:
    return [one.text for one in verdicts(value) if one.holds is not True]


def test_verdicts_count_objects_in_words_and_entries_of_an_annotation_are_signed() -> None:
    rows: list[tuple[dict[str, Any], str, str]] = [
        ({"supported": False}, "one object hangs in the air", "two objects hang in the air"),
        ({"in_collision": True}, "one object collides", "two objects collide"),
        ({"out_of_bounds": True}, "one object is not over the floor", "two objects are not over the floor"),
        (
            {"accessibility": 0.0},
            "one object can hardly be used: less than half of its best side is free",
            "two objects can hardly be used: less than half of the best side of each is free",
        ),
        (
            {"supported": None},
            "one object may hang in the air: the judge could not say",
            "two objects may hang in the air: the judge could not say",
        ),
    ]
    for trouble, one, two in rows:
        assert [said(troubled(*[trouble] * count, {})) for count in (1, 2)] == [[one], [two]], trouble
    assert said(troubled(*[{"supported": False}] * 13)) == ["13 objects hang in the air"]
    assert said(troubled(openings=("door", "window", "window"))) == ["one door is blocked", "two windows are blocked"]
    floors = [said(troubled(floor=reached)) for reached in (0.7, None)]
    assert floors == [["part of the floor cannot be reached"], []]
    assert [(one.text, one.holds) for one in verdicts(troubled({}))] == [
        ("nothing is wrong with the room", True),
        ("all free floor can be reached", True),
    ]
    clear = {"objects": {}, "openings": [], "navigability": WHOLE}
    met = seen(found("eq,2,lamp", verdict(True)), found("eq,1,bed", verdict(False)))
    assert [one.title for one in sections(WANTED, met, clear)] == ["Demanded: 1 of 2 met", "Plausible: nothing wrong"]
    assert sections(WANTED, None, None) == []
    [section] = sections(None, None, troubled({"supported": False}, {"supported": False}, floor=0.5))
    assert section.title == "Not plausible: two objects hang in the air; part of the floor cannot be reached"
    shown = {one.sample.item_id: one for one in stored_samples("sceneeval", "annotated")}
    [table] = of_kind(panels(shown["1"]), "table")
    assert ["-", "counts", "eq,1,lamp", ""] in table["rows"]
    assert ["?", "attributes", "eq,1,double bed", "not quant,n,category,attribute"] in table["rows"]
    assert ["+", "counts", "ge,1,lamp"] in [row[:3] for row in table["rows"]]
    [text] = of_kind(panels(shown["2"]), "text")
    assert "No annotation" in text["text"]


def rooms(at: Path = STORED) -> dict[tuple[str, str], SampleView]:
    found = stored_samples("sceneeval", "rules", at=at)
    return {(one.task.kind, one.sample.item_id): one for one in found}


def scene_of(found: list[Panel]) -> dict[str, Any]:
    [value] = of_kind(found, "scene")
    assert isinstance(value, dict)
    return value


def faces_of(part: dict[str, Any]) -> int:
    return len(base64.b64decode(part["colours"])) // 3


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


def test_a_room_is_bounded_and_large_objects_are_drawn_as_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    rug = Mesh.of(ball.vertices.tolist(), ball.faces.tolist())
    scene = Scene("den", (Object("rug", rug, standing((0, 0, 1))), Object("cube", box(1, 1, 1))))
    drawn = room_parts(MeasuredScene(scene), most_faces=300)
    counts = {part["name"]: faces_of(part) for part in drawn.parts}
    assert counts["rug"] == len(BOX_FACES)
    assert sum(counts.values()) <= 300
    [section] = drawn.simplified
    assert [(one.text, one.why) for one in section.remarks] == [
        ("rug is drawn as a box", "its surface has 320 triangles")
    ]
    assert room_parts(MeasuredScene(scene)).simplified == ()
    monkeypatch.setattr(view, "MOST_FACES", 40)
    value = scene_of(panels(rooms()["fidelity", "2"]))
    assert all(faces_of(part) <= 40 for part in value["parts"] if part.get("object"))
    for small, drawn_as_boxes in ((12, ""), (60, "ab"), (40, "a")):
        assert simplified({"a": 80, "b": small}, 100) == set(drawn_as_boxes), small
