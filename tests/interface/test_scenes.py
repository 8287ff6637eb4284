"""Scenes from Python: read, measured and shown from above, whatever their objects are called."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import TsgkitError
from tsgkit.library.projects import find

ROOMS = sorted(Path(str(find("tasks", "sceneeval/data/rooms"))).rglob("*.json"))
HOSTILE = '<script>alert(1)</script>"\x1b[31m'


def test_bundled_room_shows_itself_as_the_command_does_in_a_running_loop(tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> Any:  # noqa: ANN401
        return tk.read_scene(str(ROOMS[0]))

    room = asyncio.run(cell_of_a_notebook())
    assert room._repr_svg_().startswith("<svg ")
    assert set(room.findings["objects"]) <= set(room.objects) and f"{len(room.objects)} objects" in repr(room)
    assert main(["scene", "show", str(ROOMS[0]), "-o", str(tmp_path / "command.svg")]) == 0
    assert room.save(tmp_path / "mine.svg").read_text() == (tmp_path / "command.svg").read_text()


def test_names_in_a_scene_are_never_obeyed(tmp_path: Path) -> None:
    value = json.loads(ROOMS[0].read_text())
    value["objects"][0]["id"] = value["rooms"][0]["name"] = HOSTILE
    (tmp_path / "room.json").write_text(json.dumps(value))
    room = tk.read_scene(tmp_path / "room.json")
    assert room.objects[0] == HOSTILE
    assert "<script" not in room.svg and "\x1b" not in room.svg + repr(room)


def test_read_scene_refuses_other_files() -> None:
    mistakes: list[tuple[Any, dict[str, Any], str]] = [
        ("nowhere.json", {}, "nowhere.json"),
        (5, {}, "5: expected the path of a scene"),
        (ROOMS[0], {"missing": "bax"}, "missing=bax"),
        (ROOMS[0], {"assets": {"hssd": "nowhere"}}, "nowhere: there is no such folder"),
    ]
    for path, options, message in mistakes:
        with pytest.raises(TsgkitError) as told:
            tk.read_scene(path, **options)
        assert message in str(told.value), message
