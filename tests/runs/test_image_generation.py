"""Images are made once: whatever stops the work, the same call goes on with it and pays for nothing twice."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from drawn_images import drawn, saved
from image_server import image_server, png
from model_server import Running

from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm.door import Patience
from tsgkit.llm.images import ImageFile
from tsgkit.runs.image_folder import PaintingLog, is_there
from tsgkit.runs.image_generation import (
    PaintingOutcome,
    paint_all,
    painter_of,
    to_paint,
)
from tsgkit.runs.jobs import Engine, Watch
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import ImageFolder, keep_image
from tsgkit.suites.paintable import Painting

KEY = "sk-loopback-key"
HASTE = Patience(timeout=5.0, attempts=2, same_error=2, first_wait=0.001, longest_wait=0.002, throttled_attempts=2)
ITEMS = tuple(Painting(str(number), f"Cup number {number}.") for number in range(6))


def painted(
    server: Running,
    out: Path,
    items: tuple[Painting, ...] = ITEMS,
    *arguments: str,
    price: str | None = None,
    watch: Watch | None = None,
    **limits: Any,  # noqa: ANN401
) -> PaintingOutcome:
    painter = painter_of("openai/m", [f"api_base={server.base}", f"api_key={KEY}", *arguments], price)
    usual: dict[str, Any] = {"concurrency": 2, "patience": HASTE} | limits
    return paint_all(items, painter, out, Limits(**usual), watch)


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "paintings.jsonl").read_text().splitlines()]


def test_every_item_gets_its_own_image_and_a_line_that_says_how(tmp_path: Path) -> None:
    with image_server(image_usage={"input_tokens": 7, "output_tokens": 100, "total_tokens": 107}) as server:
        result = painted(server, tmp_path / "out", ITEMS, "size=8x6", "seed=3", price="0.04")
    assert (result.total, result.painted, result.exit_code, result.complete) == (6, 6, 0, True)
    for item in ITEMS:
        assert (tmp_path / f"out/{item.item_id}.png").read_bytes() == png(item.prompt)
    line = next(line for line in lines(tmp_path / "out") if line["id"] == "3")
    assert line["sha256"] == hashlib.sha256(png("Cup number 3.")).hexdigest()
    assert line["prompt"] == hashlib.sha256(b"Cup number 3.").hexdigest() and line["shown"] is None
    expected = {
        "outcome": "painted", "model": "openai/m", "endpoint": server.base, "parameters": {"size": "8x6", "seed": 3},
        "width": 8, "height": 6, "usage": {"prompt": 7, "completion": 100, "cost": 0.04}, "cost": 0.04,
    }  # fmt: skip
    assert {name: line[name] for name in expected} == expected
    assert len(line["attempts"]) == 1 and line["seconds"] > 0
    assert round(result.cost or 0, 6) == 0.24 and result.requests == 6


def test_existing_images_are_not_requested_again(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:4])
        (tmp_path / "2.png").unlink()
        (tmp_path / "5.png").write_bytes(b"made by hand")
        result = painted(server, tmp_path)
        assert server.stats()["seen"] == 4 + 2
    assert (result.there, result.painted, result.total, result.requests) == (4, 2, 6, 6)
    assert (tmp_path / "5.png").read_bytes() == b"made by hand"


def test_a_image_whose_line_is_written_gets_its_name_and_one_without_a_line_is_asked_for_again(
    tmp_path: Path,
) -> None:
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:4])
        (tmp_path / "2.png").rename(tmp_path / ".2.png.new")  # killed between the line and the name
        (tmp_path / "3.png").unlink()
        (tmp_path / ".3.png.new").write_bytes(b"cut off")
        (tmp_path / "..3.png.new.bcb0s2te").write_bytes(b"cut off while it was written")
        (tmp_path / ".5.png.new").write_bytes(png("no line tells of it"))
        result = painted(server, tmp_path)
        assert server.stats()["seen"] == 4 + 3
    assert (result.there, result.painted, result.requests) == (3, 3, 7)
    assert not list(tmp_path.glob(".*.new*"))
    assert all((tmp_path / f"{item.item_id}.png").read_bytes() == png(item.prompt) for item in ITEMS)


def test_blocked_prompts_are_not_requested_again_unless_changed(tmp_path: Path) -> None:
    with image_server(always={"number 1.": "blocked"}, echo_key=True) as server:
        first = painted(server, tmp_path)
        second = painted(server, tmp_path)
        assert server.stats()["counts"] == {"good": 5, "blocked": 1}
        milder = (*ITEMS[:1], Painting("1", "A cup, and nothing else."), *ITEMS[2:])
        third = painted(server, tmp_path, milder)
    assert (first.blocked, first.painted, first.exit_code) == (1, 5, 0)
    assert (second.blocked, second.painted, second.refusals) == (1, 0, ())
    assert (third.blocked, third.painted) == (0, 1)
    assert "safety system" in dict(first.refusals)["1"] and KEY not in str(first)


def test_failed_images_are_requested_again_by_the_next_call(tmp_path: Path) -> None:
    with image_server(always={"number 1.": "500", "number 2.": "nopicture"}, echo_key=True) as server:
        first = painted(server, tmp_path)
        assert server.stats()["counts"] == {"good": 4, "500": 2, "nopicture": 1}
    with image_server() as server:
        base = lines(tmp_path)[0]["endpoint"]
        second = painted(server, tmp_path, (ITEMS[1], ITEMS[2]))
    assert base != server.base
    assert (first.painted, first.exit_code, first.unasked) == (4, 1, 0)
    assert dict(first.failures)["1"] == "InternalServerError: this is error 500 [redacted]"
    assert dict(first.failures)["2"].startswith("what came is no image: ")
    assert (second.painted, second.exit_code, second.requests) == (2, 0, 7 + 2)
    assert [line["outcome"] for line in lines(tmp_path)].count("api_error") == 2
    assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def test_images_asked_for_otherwise_need_a_folder_of_their_own(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:2], "size=8x6")
        for arguments in (["size=16x16"], ["size=8x6", "seed=1"]):
            with pytest.raises(UsageError, match=r"0\.png was asked for otherwise"):
                painted(server, tmp_path, ITEMS[:2], *arguments)
        with pytest.raises(UsageError, match="asked for otherwise"):
            painted(server, tmp_path, (Painting("0", "Another prompt."),), "size=8x6")
        assert server.stats()["seen"] == 2
    assert len(lines(tmp_path)) == 2


def test_other_image_formats_become_png_with_a_note(tmp_path: Path) -> None:
    jpeg = saved(drawn(), "JPEG")
    with image_server(always={"Cup": "jpeg"}, jpeg=base64.b64encode(jpeg).decode()) as server:
        painted(server, tmp_path, ITEMS[:1])
    assert (tmp_path / "0.png").read_bytes().startswith(b"\x89PNG")
    (line,) = lines(tmp_path)
    assert line["notes"] == ["JPEG made PNG"]
    assert line["sha256"] == hashlib.sha256((tmp_path / "0.png").read_bytes()).hexdigest()


def test_a_model_is_shown_the_drawing_of_an_item(tmp_path: Path) -> None:
    drawing = keep_image(tmp_path / "drawings", png("layout"), (8, 6))
    with image_server() as server:
        result = painted(server, tmp_path, (Painting("0", "Follow this.", drawing), ITEMS[1]))
    assert (result.painted, result.failures) == (2, ())
    assert (tmp_path / "0.png").read_bytes() == png("Follow this." + drawing.sha256)
    assert {line["id"]: line["shown"] for line in lines(tmp_path)} == {"0": drawing.sha256, "1": None}


def test_a_painted_folder_is_one_whose_images_can_be_looked_at(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path / "out")
    found = ImageFolder("m", tmp_path / "out", tmp_path / "kept")
    assert all(isinstance(found.look(item.item_id), ImageFile) for item in ITEMS)
    assert found.stray([item.item_id for item in ITEMS]) == ()


@pytest.mark.parametrize("item_id", ["../7", "/etc/7", "a/b", "", "..", "a\0", ".hidden", "x" * 300])
def test_an_id_is_never_a_path(tmp_path: Path, item_id: str) -> None:
    with image_server() as server:
        with pytest.raises(UsageError, match="no image can be named after"):
            painted(server, tmp_path / "out", (*ITEMS, Painting(item_id, "A cup.")))
        assert server.stats()["seen"] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_link_that_stands_where_a_image_belongs_is_never_written_through(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/0.png").symlink_to(tmp_path / "elsewhere.png")
    with image_server() as server:
        result = painted(server, tmp_path / "out", ITEMS[:2])
    assert (result.there, result.painted) == (1, 1) and not (tmp_path / "elsewhere.png").exists()


def test_two_images_of_one_name_are_refused(tmp_path: Path) -> None:
    with image_server() as server, pytest.raises(UsageError, match=r"two images are to be called 0\.png"):
        painted(server, tmp_path / "out", (*ITEMS, ITEMS[0]))


def test_budgets_of_requests_and_money_stop_the_asking_and_are_raised_later(tmp_path: Path) -> None:
    with image_server() as server:
        first = painted(server, tmp_path, max_requests=2)
        second = painted(server, tmp_path, price="0.1", max_cost=0.25)
        with pytest.raises(UsageError, match="the price of openai/m is not known"):
            painted(server, tmp_path, max_cost=1)
        third = painted(server, tmp_path)
        assert server.stats()["good"] == 6 and server.stats()["good_twice"] == 0
    assert (first.painted, first.exit_code, first.unasked) == (2, 4, 4) and "2 of 2 requests" in first.budget
    assert (second.painted, second.there, second.exit_code) == (2, 2, 4) and "dollars" in second.budget
    assert (third.painted, third.exit_code) == (2, 0)


def test_a_service_that_knows_nobody_is_not_asked_for_every_item(tmp_path: Path) -> None:
    with image_server(status_of={"m": "401"}) as server:
        result = painted(server, tmp_path, concurrency=1)
        assert server.stats()["seen"] == 3
    assert (len(result.failures), result.unasked, result.exit_code) == (3, 3, 1) and "401" in result.given_up


def test_the_first_interrupt_lets_what_is_in_work_come_home(tmp_path: Path) -> None:
    def stop_soon(engine: Engine) -> None:
        engine.watch.changed = engine.stop

    with image_server(delay=0.05) as server:
        first = painted(server, tmp_path, watch=Watch(begun=stop_soon))
        seen = server.stats()["seen"]
        second = painted(server, tmp_path)
        assert server.stats()["seen"] == 6 and server.stats()["good_twice"] == 0
    assert first.interrupted and first.exit_code == 130 and first.painted == seen < 6
    assert second.there == first.painted and second.exit_code == 0


def test_abandoned_images_are_not_waited_for(tmp_path: Path) -> None:
    def abandon_soon(engine: Engine) -> None:
        engine.watch.changed = engine.abandon

    with image_server(always={"number 1.": "hang"}) as server:
        first = painted(server, tmp_path, watch=Watch(begun=abandon_soon))
    assert first.interrupted and first.painted < 6 and (tmp_path / "paintings.jsonl").exists()


def test_a_torn_last_line_is_healed(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:3])
        whole = (tmp_path / "paintings.jsonl").read_bytes()
        (tmp_path / "paintings.jsonl").write_bytes(whole[:-20])
        result = painted(server, tmp_path, ITEMS[:4])
        assert server.stats()["seen"] == 4
    assert (result.there, result.painted) == (3, 1)
    assert (tmp_path / "paintings.jsonl").read_bytes().startswith(whole[: whole[:-20].rindex(b"\n") + 1])
    assert len(lines(tmp_path)) == 3


def test_a_line_that_was_broken_by_hand_is_named(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:1])
        (tmp_path / "paintings.jsonl").write_text("{}\n")
        with pytest.raises(FileProblem, match=r"line 1: no field"):
            painted(server, tmp_path)


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with image_server() as server:
        with pytest.raises(FileProblem, match="images cannot be kept here"):
            painted(server, tmp_path / "out")
        assert server.stats()["seen"] == 0


def test_remaining_images_are_counted_without_writing(tmp_path: Path) -> None:
    painter = painter_of("openai/m", ["api_base=http://127.0.0.1:9/v1", "api_key=sk-loopback-key"])
    todo = to_paint(ITEMS, painter, tmp_path / "out", PaintingLog.of(tmp_path / "out"))
    assert (todo.total, todo.there, todo.blocked, len(todo.left)) == (6, 0, 0, 6)
    assert not (tmp_path / "out").exists()


def test_models_that_make_no_images_are_refused() -> None:
    for model in ("baseline/rules", "script:x.jsonl", "replay:run"):
        with pytest.raises(UsageError, match="makes no images"):
            painter_of(model, [])


@pytest.mark.parametrize(("kept", "made"), [(None, True), (0, False), (5, False), (-1, False)])
def test_an_empty_or_cut_image_does_not_count_as_made(kept: int | None, made: bool, tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (8, 8)).save(tmp_path / "7.png")
    whole = (tmp_path / "7.png").read_bytes()
    (tmp_path / "7.png").write_bytes(whole[:kept])
    assert is_there(tmp_path, "7") is made
