"""Tests of the commands ``tsgkit scene``: relations, annotations, images and pages of rooms, and conversions."""

from __future__ import annotations

import json
import os
import re
from contextlib import chdir
from pathlib import Path
from xml.etree import ElementTree

import foreign_scenes as foreign
import pytest
from rooms_of_ours import ROOMS, room, thing

from tsgkit.cli import main
from tsgkit.cli.suites.sceneeval.scene import VIEWS
from tsgkit.geometry import views

Captured = pytest.CaptureFixture[str]
GOOD, FLAWED = ROOMS / "rooms" / "good", ROOMS / "rooms" / "flawed"
ROOM = {
    "format": "tsgkit/room",
    "rooms": [{"name": "den", "from": [0, 0], "to": [4, 3]}],
    "objects": [
        {"id": "desk_1", "category": "desk", "size": [1.4, 0.7, 0.7], "at": [2, 2, 0]},
        {"id": "lamp_2", "category": "lamp", "size": [0.2, 0.2, 0.5], "at": [2, 2, 0.7]},
    ],
}
DEMANDS = """ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel
0,easy,A den with a desk and two lamps on it.,"eq,1,desk;eq,2,lamp",,"eq,2,on,0,desk,lamp",
"""
MET = [("exactly 1 desk", True), ("exactly 2 lamp", False), ("exactly 2 lamp on desk", False)]
FOUND = {"Demanded: 1 of 3 met": MET, "Plausible: nothing wrong": [("all free floor can be reached", True)]}


def test_one_relation_is_answered_with_evidence_and_a_room_shown_from_above_with_its_troubles(capsys: Captured) -> None:
    scene = str(GOOD / "scene_1.json")
    words = ["scene", "relation", scene, "side_of", "nightstand_1", "bed_1", "--side", "left", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["score"], found["satisfied"], found["margin"], found["profile"]) == (1, True, 0.5, "strict")
    assert "nightstand_1" in found["evidence"]
    assert main(["scene", "relation", scene, "against_wall", "bed_1", "--profile", "official"]) == 0
    assert capsys.readouterr().out.startswith("against_wall: yes")
    assert main(["scene", "show", str(FLAWED / "scene_9.json"), "-o", "top.svg"]) == 0
    text = Path("top.svg").read_text()
    root = ElementTree.fromstring(text)  # noqa: S314
    texts = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"collides", "rests on nothing", "side that is used, blocked", "free floor, part 1: 7.4 m2 (47 %)"} <= texts
    assert "arcade_1 and arcade_2 overlap" in text
    assert "href" not in text


def test_names_stay_text_in_images_and_pages_and_an_empty_room_can_be_shown(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>"
    (tmp_path / "odd.json").write_text(room(thing(name, "bed", (2, 1.5, 0.5), (1.6, 2, 0.5))))
    for out in ("odd.svg", "odd.html"):
        assert main(["scene", "show", "odd.json", "-o", out]) == 0
        text = Path(out).read_text()
        assert "<script" not in text
        assert "&lt;script&gt;" in text
    assert "http://" not in Path("odd.html").read_text()
    for number, text in enumerate((room(), json.dumps({"format": "tsgkit/room"}))):
        (tmp_path / "empty.json").write_text(text)
        assert main(["scene", "show", "empty.json", "-o", f"{number}.svg"]) == 0
        ElementTree.parse(f"{number}.svg")  # noqa: S314


def test_annotations_are_checked_and_drawn(capsys: Captured) -> None:
    assert main(["scene", "check", str(ROOMS / "annotations.csv")]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    Path("a.csv").write_text(f'{head}\n0,easy,A den,"eq,1",,"eq,1,worships,0,a,b",\n')
    assert main(["scene", "check", "a.csv", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["files"][0]["counts"] == {
        "bad-entry": 1, "no-counts": 1, "uncounted-category": 2, "unmapped-relation": 1,
    }  # fmt: skip
    assert main(["scene", "draw", str(ROOMS / "annotations.csv"), "--item", "4", "-o", "g.svg"]) == 0
    assert "coffee table" in Path("g.svg").read_text()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scene_0.json").write_text(json.dumps(ROOM))
    Path("demands.csv").write_text(DEMANDS)
    Path("house_1.json").write_text(json.dumps(foreign.holodeck(**{"evil\x1b[2J": 1})))
    Path("den.txt").write_text(foreign.LAYOUTGPT)
    Path("layout.json").write_text(json.dumps(foreign.layoutvlm_layout()))
    Path("made").mkdir()


def drawn(*words: str, scene: str = "scene_0.json") -> int:
    return main(["scene", "render", scene, *words])


def size_of(path: str) -> tuple[int, int]:
    data = Path(path).read_bytes()
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def listed(page: str) -> dict[str, list[tuple[str, bool | None]]]:
    [found] = re.findall(r'id="data">(.*?)</script>', Path(page).read_text(), re.DOTALL)
    sections = json.loads(found)["sections"]
    return {one["title"]: [(line["text"], line["holds"]) for line in one["remarks"]] for one in sections}


def test_every_view_is_an_image_that_never_overwrites_a_scene_and_problems_are_told(capsys: Captured) -> None:
    assert views.VIEWS == VIEWS
    for kind in VIEWS:
        assert drawn("--object", "lamp_2", "--view", kind, "-o", "lamp.png", "--size", "64") == 0, kind
        assert (size_of("lamp.png"), capsys.readouterr().out) == ((64, 64), "drawn: lamp.png\n"), kind
    drawn("-o", "whole.png", "--size", "64")
    drawn("-o", "top.png", "--view", "top", "--size", "64")
    drawn("-o", "front.png", "--object", "desk_1")
    assert (size_of("whole.png"), size_of("front.png")) == ((64, 64), (512, 512))
    assert Path("whole.png").read_bytes() == Path("top.png").read_bytes()
    Path("scene_0.png").write_bytes(before := Path("scene_0.json").read_bytes())
    assert drawn("-o", "scene_0.png", scene="scene_0.png") == 2
    assert Path("scene_0.png").read_bytes() == before
    assert drawn("-o", "it.png", scene="missing.json") == 2
    floorless = {**ROOM, "rooms": [], "walls": [{"name": "w", "from": [0, 0], "to": [1, 0]}]}
    Path("scene_0.json").write_text(json.dumps(floorless))
    assert drawn("-o", "room.png", "--size", "16") == 0
    assert "no usable floor" in capsys.readouterr().err


def test_page_lists_demands_and_findings_of_a_run_and_not_those_of_another_room(capsys: Captured) -> None:
    assert drawn("--annotations", "demands.csv", "-o", "room.html") == 0
    assert listed("room.html") == FOUND
    text = Path("room.html").read_text()
    assert "A den with a desk and two lamps on it." in text and "lamp_2" in text
    Path("mine.json").write_text(json.dumps(ROOM))
    assert drawn("--annotations", "demands.csv", "-o", "mine.html", scene="mine.json") == 2
    assert "--item ID" in capsys.readouterr().err
    assert drawn("--annotations", "demands.csv", "--item", "0", "-o", "mine.html", scene="mine.json") == 0
    for name, text in (("mine", json.dumps(ROOM)), ("yours", "{")):
        Path(name).mkdir()
        Path(name, "scene_0.json").write_text(text)
    words = ["--scenes", "mine=mine", "--scenes", "yours=yours", "--data", "demands.csv", "--quiet"]
    assert main(["eval", "--task", "sceneeval", *words, "--out", "run"]) == 0
    assert drawn("--run", "run", "--subject", "mine", "-o", "room.html") == 0
    assert listed("room.html") == FOUND
    assert drawn("--run", "run", "--subject", "yours", "-o", "room.html") == 0
    assert listed("room.html") == {}
    assert drawn("--run", "run", "-o", "room.html") == 2
    assert "several subjects: mine, yours" in capsys.readouterr().err
    Path("scene_1.json").write_text(json.dumps(ROOM).replace("desk_1", "table_1"))
    assert drawn("--run", "run", "--subject", "mine", "--item", "0", "-o", "x.html", scene="scene_1.json") == 2
    assert "desk_1 is not in" in capsys.readouterr().err
    assert not Path("x.html").exists()


def test_what_cannot_be_meant_is_refused_and_nothing_written(tmp_path: Path, capsys: Captured) -> None:
    Path("many.json").write_text(json.dumps([foreign.layoutgpt_record(str(number)) for number in range(2)]))
    Path("made/scene_1.json").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    for words, says in (
        ("check GOOD", "this is a room, not annotations\n  tsgkit scene show draws a room"),
        ("show demands.csv -o x.svg", "tsgkit scene check reads annotations"),
        ("show house_1.json -o top.svg", "tsgkit scene convert"),
        ("draw demands.csv -o g.png", "g.png"),
        ("relation GOOD no_such bed_1 lamp_1", "there is no relation no_such"),
        ("relation GOOD next_to bed_1 cat_1", "there is no object 'cat_1'"),
        ("relation GOOD side_of lamp_1 bed_1", "needs a side"),
        ("relation GOOD on_top lamp_1", "is a relation between objects"),
        ("render scene_0.json -o room.jpg", "unknown kind of output"),
        ("render scene_0.json -o room.html --object desk_1", "--object has no effect"),
        ("render scene_0.json -o lamp.png --view front", "is of one object"),
        ("render scene_0.json -o lamp.png --object sofa_1", "'sofa_1'"),
        ("render scene_0.json -o lamp.png --size 0", "0 pixels"),
        ("render scene_0.json -o x.png --annotations demands.csv", "--annotations needs a page"),
        ("render scene_0.json -o x.html --annotations demands.csv --run x", "--annotations cannot be combined"),
        ("render scene_0.json -o x.html --subject mine", "--subject needs --run"),
        ("render scene_0.json -o x.html --item 0", "--item needs --annotations or --run"),
        ("render scene_0.json -o x.html --annotations demands.csv --item 7", "there is no item 7"),
        ("convert house_1.json --id 1 -o x.json", "--id cannot be combined"),
        ("convert house_1.json -o house_1.json", "the file being read"),
        ("convert house_1.json -o den.txt", "not a folder"),
        ("convert house_1.json --assume angles", "expected NAME=VALUE"),
        ("convert house_1.json --assume a=1 --assume a=2", "given twice"),
        ("convert made --id 7", "--id needs a single scene"),
        ("convert made -o made", "the output folder is the source folder"),
        ("convert house_1.json -o made", "--force"),
        ("convert many.json --id 7", "the file has 2"),
        ("convert many.json -o x.json", "several scenes cannot be written to one file"),
    ):
        assert main(["scene", *words.replace("GOOD", str(GOOD / "scene_1.json")).split()]) == 2, words
        assert says in capsys.readouterr().err, words
        assert sorted(tmp_path.rglob("*")) == before, words


def converted(*words: str) -> int:
    return main(["scene", "convert", *words])


def test_files_and_layouts_become_scenes_and_every_kind_of_loss_has_a_line(capsys: Captured) -> None:
    assert converted("house_1.json") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "house_1.json (holodeck) to rooms/scene_1.json: 3 objects"
    assert "  lost (3): meshes, replaced by their boxes" in said
    assert any(line.startswith("  ignored (2): fields of the scene: ") for line in said)
    assert "\x1b" not in "".join(said)
    assert len({line.split(":", 1)[1] for line in said}) == len(said)
    assert json.loads(Path("rooms/scene_1.json").read_text())["note"] == "a small bedroom"
    assert converted("den.txt", "--assume", "place=corner") == 0
    assumed = capsys.readouterr().out
    assert "left and top are of the corners of things (as said)" in assumed
    assert "(--assume depth)" in assumed
    Path("settings.json").write_text(json.dumps(foreign.layoutvlm_config()))
    assert converted("layout.json") == 0
    assert "the file that lies beside belongs to the scene (--with): settings.json" in capsys.readouterr().out
    assert converted("layout.json", "--with", "settings.json", "--to", "state", "-o", "state.json") == 0
    assert "lies beside" not in capsys.readouterr().out
    value = json.loads(Path("state.json").read_text())["scene"]["object"]
    assert [one["modelId"] for one in value] == [f"layoutvlm-objaverse.asset{number}" for number in range(3)]
    assert [one["id"] for one in value] == ["bed-0", "nightstand-0", "chair-0"]


def test_a_folder_is_converted_with_a_failure_named_and_exit_code_1(capsys: Captured) -> None:
    Path("made/3.json").write_text(json.dumps(foreign.holodeck()))
    Path("made/4.json").write_text("{")
    for _ in range(2):
        assert converted("made", "-o", "made/out") == 1, "what it wrote itself is no source"
        told = capsys.readouterr()
        assert "1 scene converted (to: room), 1 failed" in told.out
        assert told.err.startswith("tsgkit: 4.json: line 1: broken JSON")
    assert [path.name for path in Path("made/out").iterdir()] == ["scene_3.json"]
    with chdir("made"):
        for _ in range(17):  # the path of the last one is too long for any user
            Path("x" * 250).mkdir()
            os.chdir("x" * 250)
    assert converted("made", "-o", "made/out", "--json") == 1
    value = json.loads(capsys.readouterr().out)
    [scene], [failure, unreadable] = value["scenes"], value["failures"]
    assert (scene["id"], scene["losses"][0]["kind"], failure["file"]) == ("3", "lost", "4.json")
    assert unreadable["message"].endswith("x: this folder cannot be read: File name too long")
    Path("many.json").write_text(json.dumps([foreign.layoutgpt_record(str(number)) for number in range(30)]))
    assert converted("many.json", "-o", "many") == 0
    assert "... and 10 more scenes" in capsys.readouterr().out
    assert len(list(Path("many").iterdir())) == 30
