"""Tests of the command ``tsgkit scene render``: images and pages of rooms."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tsgkit.cli import main
from tsgkit.geometry import views
from tsgkit.suites.sceneeval.commands.render import VIEWS

ROOM = {
    "format": "tsgkit/room",
    "rooms": [{"name": "den", "from": [0, 0], "to": [4, 3]}],
    "objects": [
        {"id": "desk_1", "category": "desk", "size": [1.4, 0.7, 0.7], "at": [2, 2, 0]},
        {"id": "lamp_2", "category": "lamp", "size": [0.2, 0.2, 0.5], "at": [2, 2, 0.7]},
    ],
}


@pytest.fixture
def room(tmp_path: Path) -> Path:
    path = tmp_path / "scene_0.json"
    path.write_text(json.dumps(ROOM))
    return path


def drawn(*words: object) -> int:
    return main(["scene", "render", *map(str, words)])


def size_of(path: Path) -> tuple[int, int]:
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def test_every_view_of_an_object_is_a_image(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert views.VIEWS == VIEWS
    for kind in VIEWS:
        out = room.parent / "lamp.png"
        assert drawn(room, "--object", "lamp_2", "--view", kind, "-o", out, "--size", 64) == 0, kind
        assert size_of(out) == (64, 64), kind
        assert capsys.readouterr().out == f"drawn: {out}\n", kind


def test_without_an_object_the_room_is_seen_from_above(room: Path) -> None:
    whole, top, front = (room.parent / f"{name}.png" for name in ("whole", "top", "front"))
    drawn(room, "-o", whole, "--size", 64)
    drawn(room, "-o", top, "--view", "top", "--size", 64)
    drawn(room, "-o", front, "--object", "desk_1")
    assert (size_of(whole), size_of(front)) == ((64, 64), (512, 512))
    assert whole.read_bytes() == top.read_bytes()
    assert drawn(room, "-o", room.parent / "room.html") == 0
    assert "lamp_2" in (room.parent / "room.html").read_text()


DEMANDS = """ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel
0,easy,A den with a desk and two lamps on it.,"eq,1,desk;eq,2,lamp",,"eq,2,on,0,desk,lamp",
"""


@pytest.fixture
def demands(room: Path) -> Path:
    path = room.parent / "demands.csv"
    path.write_text(DEMANDS)
    return path


def listed(page: Path) -> dict[str, list[tuple[str, bool | None]]]:
    found = re.search(r'id="data">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    sections = json.loads(found[1])["sections"]
    return {one["title"]: [(line["text"], line["holds"]) for line in one["remarks"]] for one in sections}


MET = [("exactly 1 desk", True), ("exactly 2 lamp", False), ("exactly 2 lamp on desk", False)]


def test_page_lists_demands_and_problems(room: Path, demands: Path) -> None:
    out = room.parent / "room.html"
    assert drawn(room, "--annotations", demands, "-o", out) == 0
    assert listed(out)["Demanded: 1 of 3 met"] == MET
    assert "Plausible: nothing wrong" in listed(out)
    assert "A den with a desk and two lamps on it." in out.read_text()


def test_page_shows_findings_of_a_run_and_not_those_of_another_room(
    room: Path, demands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = {name: room.parent / name for name in ("mine", "yours")}
    for folder in folders.values():
        folder.mkdir()
    (folders["mine"] / room.name).write_text(room.read_text())
    (folders["yours"] / room.name).write_text("{")
    scenes = [word for name, folder in folders.items() for word in ("--scenes", f"{name}={folder}")]
    run, out = room.parent / "run", room.parent / "room.html"
    assert main(["eval", "--task", "sceneeval", *scenes, "--data", str(demands), "--out", str(run), "--quiet"]) == 0
    assert drawn(room, "--run", run, "--subject", "mine", "-o", out) == 0
    assert listed(out)["Demanded: 1 of 3 met"] == MET
    assert "Plausible: nothing wrong" in listed(out)
    assert drawn(room, "--run", run, "--subject", "yours", "-o", out) == 0
    assert listed(out) == {}
    assert drawn(room, "--run", run, "-o", out) == 2
    assert "several subjects: mine, yours" in capsys.readouterr().err
    other, out = room.parent / "scene_1.json", room.parent / "other.html"
    other.write_text(room.read_text().replace("desk_1", "table_1"))
    words = ["--task", "sceneeval/plausibility", *scenes, "--data", str(demands), "--quiet"]
    assert main(["eval", *words, "--out", str(room.parent / "half")]) == 0
    for judged in (run, room.parent / "half"):
        assert drawn(other, "--run", judged, "--subject", "mine", "--item", "0", "-o", out) == 2
        assert "desk_1 is not in" in capsys.readouterr().err, judged
    assert not out.exists()


def test_conflicting_remark_options_are_refused(
    room: Path, demands: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[tuple[list[str], str]] = [
        (["-o", "x.png", "--annotations", "demands.csv"], "--annotations needs a page"),
        (
            ["-o", "x.html", "--annotations", "demands.csv", "--run", "run"],
            "--annotations cannot be combined with --run",
        ),
        (["-o", "x.html", "--subject", "mine"], "--subject needs --run"),
        (["-o", "x.html", "--item", "0"], "--item needs --annotations or --run"),
        (["-o", "x.html", "--annotations", "demands.csv", "--item", "7"], "there is no item 7"),
        (["-o", "x.html", "--annotations", "scene_0.json"], "scene_0.json"),
        (["-o", "x.html", "--run", "nowhere"], "nowhere"),
    ]
    for words, says in rows:
        monkeypatch.chdir(room.parent)
        assert drawn(room, *words) == 2, words
        assert says in capsys.readouterr().err, words
        assert sorted(path.name for path in room.parent.iterdir()) == ["demands.csv", "scene_0.json"], words


def test_item_is_required_if_the_file_name_has_none(
    room: Path, demands: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = room.rename(room.with_name("mine.json"))
    out = mine.with_suffix(".html")
    assert drawn(mine, "--annotations", demands, "-o", out) == 2
    assert "--item ID" in capsys.readouterr().err
    assert drawn(mine, "--annotations", demands, "--item", "0", "-o", out) == 0


def test_render_refuses_invalid_options(
    room: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[tuple[list[str], str]] = [
        (["-o", "room.jpg"], "unknown kind of output"),
        (["-o", "-"], "unknown kind of output"),
        (["-o", "room.html", "--object", "desk_1"], "--object has no effect"),
        (["-o", "lamp.png", "--view", "front"], "is of one object"),
        (["-o", "lamp.png", "--object", "sofa_1"], "'sofa_1'"),
        (["-o", "lamp.png", "--size", "0"], "0 pixels"),
        (["-o", "lamp.png", "--size", "100000"], "100000 pixels"),
        (["-o", "lamp.png", "--assets", "nowhere"], "not LAYOUT=DIR"),
    ]
    for words, says in rows:
        monkeypatch.chdir(room.parent)
        assert drawn(room, *words) == 2, words
        assert says in capsys.readouterr().err, words
        assert [path.name for path in room.parent.iterdir()] == ["scene_0.json"], words


def test_a_scene_is_never_overwritten_by_its_image_and_its_problems_are_reported(
    room: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = room.with_suffix(".png")
    scene.write_bytes(before := room.read_bytes())
    assert drawn(scene, "-o", scene) == 2
    assert scene.read_bytes() == before
    assert drawn(room.parent / "missing.json", "-o", room.parent / "it.png") == 2
    floorless = {**ROOM, "rooms": [], "walls": [{"name": "w", "from": [0, 0], "to": [1, 0]}]}
    room.write_text(json.dumps(floorless))
    assert drawn(room, "-o", room.parent / "room.png", "--size", 16) == 0
    assert "no usable floor" in capsys.readouterr().err
