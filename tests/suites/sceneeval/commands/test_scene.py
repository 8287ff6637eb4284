"""Tests of the command ``tsgkit scene``: relations, top views, annotations."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rooms_of_ours import ROOMS, room, thing

from tsgkit.cli import main

GOOD, FLAWED = ROOMS / "rooms" / "good", ROOMS / "rooms" / "flawed"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_room_and_annotation_files_are_distinguished(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert main(["scene", "check", str(GOOD / "scene_1.json")]) == 2
    assert "this is a room, not annotations\n  tsgkit scene show draws a room" in capsys.readouterr().err
    assert main(["scene", "show", str(ROOMS / "annotations.csv"), "-o", "x.svg"]) == 2
    assert "tsgkit scene check reads annotations" in capsys.readouterr().err


def test_one_relation_is_answered_with_score_margin_and_evidence_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    scene = str(GOOD / "scene_1.json")
    words = ["scene", "relation", scene, "side_of", "nightstand_1", "bed_1", "--side", "left", "--json"]
    assert main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["score"], found["satisfied"], found["margin"], found["profile"]) == (1, True, 0.5, "strict")
    assert "nightstand_1" in found["evidence"]
    assert main(["scene", "relation", scene, "against_wall", "bed_1", "--profile", "official"]) == 0
    assert capsys.readouterr().out.startswith("against_wall: yes")
    rows: list[tuple[list[str], str]] = [
        (["no_such", "bed_1", "lamp_1"], "there is no relation no_such"),
        (["next_to", "bed_1", "cat_1"], "there is no object 'cat_1'"),
        (["side_of", "lamp_1", "bed_1"], "needs a side"),
        (["on_top", "lamp_1"], "is a relation between objects"),
        (["on_wall", "lamp_1", "bed_1"], "is a relation of one object to the room"),
    ]
    for words, said in rows:
        assert main(["scene", "relation", str(GOOD / "scene_1.json"), *words]) == 2, words
        assert said in capsys.readouterr().err, words


def test_a_room_is_shown_from_above_with_its_troubles_and_a_legend(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scene", "show", str(FLAWED / "scene_9.json"), "-o", "top.svg"]) == 0
    text = Path("top.svg").read_text()
    root = ElementTree.fromstring(text)  # noqa: S314
    words = {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"collides", "rests on nothing", "side that is used, blocked", "free floor, part 1: 7.4 m2 (47 %)"} <= words
    assert "arcade_1 and arcade_2 overlap" in text
    assert "href" not in text


def test_names_stay_text_in_images_and_pages_and_an_empty_room_can_be_shown(here: Path) -> None:
    name = "<script>alert(1)</script>"
    (here / "odd.json").write_text(room(thing(name, "bed", (2, 1.5, 0.5), (1.6, 2, 0.5))))
    for out in ("odd.svg", "odd.html"):
        assert main(["scene", "show", "odd.json", "-o", out]) == 0
        text = Path(out).read_text()
        assert "<script" not in text
        assert "&lt;script&gt;" in text
    assert "http://" not in Path("odd.html").read_text()
    for number, text in enumerate((room(), json.dumps({"format": "tsgkit/room"}))):
        (here / "empty.json").write_text(text)
        assert main(["scene", "show", "empty.json", "-o", f"{number}.svg"]) == 0
        ElementTree.parse(f"{number}.svg")  # noqa: S314


def test_annotations_are_checked_and_drawn(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    assert main(["scene", "check", str(ROOMS / "annotations.csv")]) == 0
    assert "0 errors, 0 warnings" in capsys.readouterr().out
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    (here / "a.csv").write_text(f'{head}\n0,easy,A den,"eq,1",,"eq,1,worships,0,a,b",\n')
    assert main(["scene", "check", "a.csv", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["files"][0]["counts"] == {
        "bad-entry": 1, "no-counts": 1, "uncounted-category": 2, "unmapped-relation": 1,
    }  # fmt: skip
    assert main(["scene", "draw", str(ROOMS / "annotations.csv"), "--item", "4", "-o", "g.svg"]) == 0
    assert "coffee table" in Path("g.svg").read_text()
    assert main(["scene", "draw", str(ROOMS / "annotations.csv"), "--item", "x", "-o", "g.svg"]) == 2
    assert main(["scene", "draw", str(ROOMS / "annotations.csv"), "-o", "g.png"]) == 2
    assert not Path("g.png").exists()
    Path("house.json").write_text('{"rooms": [], "objects": []}')
    assert main(["scene", "show", "house.json", "-o", "top.svg"]) == 2
    assert "tsgkit scene convert" in capsys.readouterr().err
