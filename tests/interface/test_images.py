"""Images and scenes from Python: made by functions, in scripts and in running loops, read, measured and shown."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from image_suite import install
from PIL import Image
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.interface.images import PaintedImages

ROOM = TASKS / "sceneeval/data/rooms/good/scene_0.json"
ROWS = {f"c{number}": f"Cup number {number}." for number in range(6)}
CUPS: dict[str, Any] = {"task": "demo/cups", "quiet": True}


@pytest.fixture(autouse=True)
def _suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, ROWS, monkeypatch)


def red(prompt: str, seed: int) -> Image.Image:
    return Image.new("RGB", (8, 6), (seed, 0, 0))


async def refused(prompt: str, seed: int) -> Image.Image:
    await asyncio.sleep(0)
    if "number 2" in prompt:
        raise LookupError("\x1b[31mno paint")
    return red(prompt, seed)


def test_function_paints_and_the_same_call_goes_on(tmp_path: Path) -> None:
    made = tk.images(model={"red": red}, out=tmp_path / "red", limit=2, seed=7, **CUPS)
    assert made.complete and list(made.paths) == ["c0", "c1"]
    assert Image.open(made.paths["c1"]).getpixel((0, 0)) == (7, 0, 0)
    more = tk.images(model={"red": red}, out=str(tmp_path / "red"), seed=7, **CUPS)
    assert (more.there, more.painted) == (2, 4) and Path(more) == tmp_path / "red"
    made = tk.images("spatialgen", {"red": red}, tmp_path / "rooms", limit=2, quiet=True)
    plan = tk.plan("spatialgen", images={"red": made}, judge={"looker": lambda messages: "A"}, limit=2)
    assert [one.samples for one in plan] == [2], "images become the subject of an evaluation"
    with pytest.raises(UsageError, match="was asked for otherwise"):
        tk.images(model={"red": red}, out=tmp_path / "red", seed=8, **CUPS)


def test_images_are_made_inside_a_running_loop_and_failures_are_told_inertly(tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> tuple[PaintedImages, PaintedImages]:
        awaited = tk.aimages(model={"one": refused}, out=tmp_path / "one", **CUPS)
        called = tk.images(model={"two": red}, out=tmp_path / "two", **CUPS)
        return await awaited, called

    one, two = asyncio.run(cell_of_a_notebook())
    assert [name for name, _ in one.failures] == ["c2"] and not one.complete and two.complete
    assert "c2 failed: " in repr(one) and "\x1b" not in repr(one)


def test_images_refuses_mistakes_before_anything_is_made(tmp_path: Path) -> None:
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"sise": "8x8"}, "there is no option sise"),
        ({"limit": "2"}, "limit: '2' is no whole number"),
        ({"model": 3}, "model: 3 is none"),
        ({"model": {"a": red, "b": refused}}, "images of several models"),
        ({"condition": "text"}, "--condition and --layouts go together"),
        ({"condition": "painted"}, "there is no condition painted"),
        ({"out": None}, "out: None is no path"),
    ]
    for options, message in mistakes:
        with pytest.raises(TsgkitError) as told:
            tk.images(**{**CUPS, "model": {"red": red}, "out": tmp_path / "out", **options})
        assert message in f"{told.value} {told.value.hint}" and not (tmp_path / "out").exists(), options


def test_bundled_room_shows_itself_as_the_command_does_and_other_files_are_refused(tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> Any:  # noqa: ANN401
        return tk.read_scene(str(ROOM))

    room = asyncio.run(cell_of_a_notebook())
    assert room._repr_svg_().startswith("<svg ")
    assert set(room.findings["objects"]) <= set(room.objects) and f"{len(room.objects)} objects" in repr(room)
    assert main(["scene", "show", str(ROOM), "-o", str(tmp_path / "command.svg")]) == 0
    assert room.save(tmp_path / "mine.svg").read_text() == (tmp_path / "command.svg").read_text()
    mistakes: list[tuple[Any, dict[str, Any], str]] = [
        ("nowhere.json", {}, "nowhere.json"),
        (5, {}, "5: expected the path of a scene"),
        (ROOM, {"missing": "bax"}, "missing=bax"),
        (ROOM, {"assets": {"hssd": "nowhere"}}, "nowhere: there is no such folder"),
    ]
    for path, options, message in mistakes:
        with pytest.raises(TsgkitError) as told:
            tk.read_scene(path, **options)
        assert message in str(told.value), message
