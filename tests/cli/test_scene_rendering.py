"""``tsgkit scene render`` writes pictures and pages of rooms, and says what it cannot show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")
pytest.importorskip("shapely", reason="rooms need the extra: scenes")

from tsgkit.cli import main
from tsgkit.cli.scene_rendering import VIEWS
from tsgkit.geometry import views

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


@pytest.mark.parametrize("kind", VIEWS)
def test_every_view_of_an_object_is_a_picture(kind: str, room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = room.parent / "lamp.png"
    assert drawn(room, "--object", "lamp_2", "--view", kind, "-o", out, "--size", 64) == 0
    assert size_of(out) == (64, 64)
    assert capsys.readouterr().out == f"drawn: {out}\n"


def test_the_views_are_those_of_the_geometry() -> None:
    assert views.VIEWS == VIEWS


def test_without_an_object_the_room_is_seen_from_above(room: Path) -> None:
    whole, top, front = (room.parent / f"{name}.png" for name in ("whole", "top", "front"))
    drawn(room, "-o", whole)
    drawn(room, "-o", top, "--view", "top")
    drawn(room, "-o", front, "--object", "desk_1")
    assert size_of(whole) == (512, 512)
    assert whole.read_bytes() == top.read_bytes() != front.read_bytes()


def test_a_page_is_written_where_the_name_says_so(room: Path) -> None:
    out = room.parent / "room.html"
    assert drawn(room, "-o", out) == 0
    assert "lamp_2" in out.read_text()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-o", "room.jpg"], "a picture is PNG"),
        (["-o", "-"], "a picture is PNG"),
        (["-o", "room.html", "--object", "desk_1"], "--object has no meaning"),
        (["-o", "lamp.png", "--view", "front"], "is of one object"),
        (["-o", "lamp.png", "--object", "sofa_1"], "'sofa_1'"),
        (["-o", "lamp.png", "--size", "0"], "0 pixels"),
        (["-o", "lamp.png", "--size", "100000"], "100000 pixels"),
        (["-o", "lamp.png", "--assets", "nowhere"], "not LAYOUT=DIR"),
    ],
)
def test_what_cannot_be_drawn_is_wrong_usage(
    words: list[str], says: str, room: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(room.parent)
    assert drawn(room, *words) == 2
    assert says in capsys.readouterr().err
    assert [path.name for path in room.parent.iterdir()] == ["scene_0.json"]


def test_a_scene_is_never_overwritten_by_its_picture(room: Path) -> None:
    scene = room.rename(room.with_suffix(".png"))
    before = scene.read_bytes()
    assert drawn(scene, "-o", scene) == 2
    assert scene.read_bytes() == before
    assert drawn(room.parent / "missing.json", "-o", room.parent / "it.png") == 2


def test_what_is_wrong_with_a_room_is_said(room: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floorless = {**ROOM, "rooms": [], "walls": [{"name": "w", "from": [0, 0], "to": [1, 0]}]}
    room.write_text(json.dumps(floorless))
    assert drawn(room, "-o", room.parent / "room.png", "--size", 16) == 0
    assert "no usable floor" in capsys.readouterr().err
