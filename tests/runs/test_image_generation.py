"""Images are made once: whatever stops the work, the same call goes on with it and pays for nothing twice."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from drawn_images import drawn, saved
from image_server import image_server, png
from model_server import Running
from run_files import everything, write_lines
from run_files import lines as lines_of

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import write_bytes
from tsgkit.llm.images import ImageFile
from tsgkit.llm.settings import RetryLimits
from tsgkit.runs import image_folder
from tsgkit.runs.folder import read_header
from tsgkit.runs.image_folder import ImageCalls, is_there
from tsgkit.runs.image_generation import PaintingJob, PaintingOutcome, Rewriter, painter_of, to_paint
from tsgkit.runs.jobs import Engine, JobWatch
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import ImageFolder, keep_image
from tsgkit.suites.task import Painting

KEY = "sk-loopback-key"
HASTE = RetryLimits(timeout=60.0, attempts=2, same_error=2, first_wait=0.001, longest_wait=0.002, throttled_attempts=2)
ITEMS = tuple(Painting(str(number), f"Cup number {number}.") for number in range(6))


def painted(
    server: Running, out: Path, items: tuple[Painting, ...] = ITEMS, *arguments: str, **how: Any  # noqa: ANN401
) -> PaintingOutcome:  # fmt: skip
    price, rewriter, watch = (how.pop(name, None) for name in ("price", "rewriter", "watch"))
    painter = painter_of("openai/m", [f"api_base={server.base}", f"api_key={KEY}", *arguments], price, rewriter)
    limits: dict[str, Any] = {"concurrency": 2, "patience": HASTE} | how
    return PaintingJob(items, painter, out, Limits(**limits)).carry_out(watch)


def lines(out: Path) -> list[dict[str, Any]]:
    return lines_of(out / "calls.jsonl")


def test_every_item_gets_its_own_image_and_a_line_that_says_how(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with image_server(image_usage={"input_tokens": 7, "output_tokens": 100, "total_tokens": 107}) as server:
        result = painted(server, out, ITEMS, "size=8x6", "seed=3", price="0.04")
    assert (result.total, result.painted, result.exit_code, result.complete) == (6, 6, 0, True)
    assert round(result.cost or 0, 6) == 0.24 and result.requests == 6
    assert all((out / f"{item.item_id}.png").read_bytes() == png(item.prompt) for item in ITEMS)
    line = next(line for line in lines(out) if line["sample"] == "3")
    reply = line["reply"]
    assert len(reply.pop("attempts")) == 1 and reply.pop("seconds") > 0
    assert (line["subject"], line["task"], line["label"]) == ("openai/m", "images", "paint") and "solver" not in line
    assert reply == {
        "text": None, "ending": "complete", "source": "model", "usage": {"prompt": 7, "completion": 100, "cost": 0.04},
        "sha256": hashlib.sha256(png("Cup number 3.")).hexdigest(),
    }  # fmt: skip
    asked = read_header(out)["asked"]["model"]
    assert asked == {"name": "openai/m", "endpoint": server.base, "parameters": {"size": "8x6", "seed": 3}}
    found = ImageFolder("m", out, tmp_path / "kept")
    assert all(isinstance(found.look(item.item_id), ImageFile) for item in ITEMS)
    assert found.stray([item.item_id for item in ITEMS]) == ()


def test_images_that_are_there_are_not_asked_for_again_and_those_without_a_line_are(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    with image_server() as server:
        painted(server, tmp_path, ITEMS[:4])
        (tmp_path / "1.png").unlink()
        (tmp_path / "1.png").symlink_to(tmp_path / "elsewhere/1.png")
        (tmp_path / "2.png").rename(tmp_path / ".2.png.new")  # killed between the line and the name
        (tmp_path / "3.png").unlink()
        (tmp_path / ".3.png.new").write_bytes(b"cut off")
        (tmp_path / "..3.png.new.bcb0s2te").write_bytes(b"cut off while it was written")
        (tmp_path / ".5.png.new").write_bytes(png("no line tells of it"))
        (tmp_path / "4.png").write_bytes(b"made by hand")
        result = painted(server, tmp_path)
        assert server.stats()["seen"] == 4 + 2
        assert (result.total, result.there, result.painted, result.requests) == (6, 4, 2, 6)
        assert (tmp_path / "4.png").read_bytes() == b"made by hand" and not (tmp_path / "elsewhere").exists()
        assert not list(tmp_path.glob(".*.new*"))
        assert all((tmp_path / f"{name}.png").read_bytes() == png(f"Cup number {name}.") for name in "0235")
        log.write_text("{}\n")
        with pytest.raises(FileProblem, match=r"line 1: no field"):
            painted(server, tmp_path)
        with pytest.raises(FileProblem, match="cannot be kept here"):
            painted(server, log)
        assert server.stats()["seen"] == 6


def test_blocked_prompts_are_not_requested_again_unless_changed_and_failed_ones_are(tmp_path: Path) -> None:
    always = {"number 1.": "blocked", "number 2.": "500", "number 3.": "nopicture"}
    with image_server(always=always, echo_key=True) as server:
        first = painted(server, tmp_path)
        assert server.stats()["counts"] == {"good": 3, "blocked": 1, "500": 2, "nopicture": 1}
    with image_server(port=urlsplit(server.base).port) as server:
        second = painted(server, tmp_path)
        third = painted(server, tmp_path, (*ITEMS[:1], Painting("1", "A cup, and nothing else."), *ITEMS[2:]))
    assert (first.painted, first.blocked, first.exit_code, first.unasked) == (3, 1, 1, 0)
    assert dict(first.failures)["2"] == "InternalServerError: this is error 500 [redacted]"
    assert dict(first.failures)["3"].startswith("what came is no image: ")
    assert [item_id for item_id, _ in first.refusals] == ["1"] and "safety system" in first.refusals[0][1]
    assert KEY not in str(first) and KEY.encode() not in everything(tmp_path)
    assert [line["reply"]["ending"] for line in lines(tmp_path)].count("api_error") == 2
    assert (second.blocked, second.painted, second.refusals, second.exit_code, second.requests) == (1, 2, (), 0, 9)
    assert (third.there, third.blocked, third.painted, third.requests) == (5, 0, 1, 10)


def test_images_asked_for_otherwise_or_rewritten_by_another_need_a_folder_of_their_own(tmp_path: Path) -> None:
    said = scripted(tmp_path)
    with image_server() as server:
        painted(server, tmp_path / "plain", ITEMS[:2], "size=8x6")
        painted(server, tmp_path / "anew", ITEMS[:1], rewriter=said)
        seen = server.stats()["seen"]
        for folder, arguments, rewriter, what in (
            ("plain", ["size=16x16"], None, "model"), ("plain", ["size=8x6", "seed=1"], None, "model"),
            ("plain", ["size=8x6"], said, "rewriter"), ("anew", [], None, "rewriter"),
            ("anew", [], asked(server), "rewriter"),
        ):  # fmt: skip
            with pytest.raises(UsageError, match=f"another run lies here .{what} differs"):
                painted(server, tmp_path / folder, ITEMS[:1], *arguments, rewriter=rewriter)
        for folder, arguments, rewriter in (("plain", ["size=8x6"], None), ("anew", [], said)):
            with pytest.raises(UsageError, match=r"0\.png was asked for otherwise"):
                painted(server, tmp_path / folder, (Painting("0", "Another."),), *arguments, rewriter=rewriter)
        assert server.stats()["seen"] == seen == 3
    assert len(lines(tmp_path / "plain")) == 2


def test_a_model_is_shown_the_drawing_of_an_item_and_other_formats_become_png(tmp_path: Path) -> None:
    drawing = keep_image(tmp_path / "drawings", png("layout"), (8, 6))
    jpeg = base64.b64encode(saved(drawn(), "JPEG")).decode()
    with image_server(always={"Cup": "jpeg"}, jpeg=jpeg) as server:
        result = painted(server, tmp_path, (Painting("0", "Follow this.", drawing), ITEMS[1]))
    assert (result.painted, result.failures) == (2, ())
    assert (tmp_path / "0.png").read_bytes() == png("Follow this." + drawing.sha256)
    found = {line["sample"]: line["reply"] for line in lines(tmp_path)}
    assert [found[name].get("note") for name in "01"] == [None, "JPEG made PNG"]
    assert drawing.sha256 in (tmp_path / "prompts.jsonl").read_text()
    made = (tmp_path / "1.png").read_bytes()
    assert made.startswith(b"\x89PNG") and found["1"]["sha256"] == hashlib.sha256(made).hexdigest()


def test_items_after_which_no_image_can_be_named_are_refused_and_empty_or_cut_images_do_not_count(
    tmp_path: Path,
) -> None:
    painter = painter_of("openai/m", ["api_base=http://127.0.0.1:9/v1", "api_key=k"])
    for item_id in ("../7", "/etc/7", "a/b", "", "..", "a\0", ".hidden", "x" * 201, "é" * 101):
        with pytest.raises(UsageError, match="no image can be named after"):
            PaintingJob((*ITEMS, Painting(item_id, "A cup.")), painter, tmp_path / "out").carry_out()
    with pytest.raises(UsageError, match=r"two images are to be called 0\.png"):
        PaintingJob((*ITEMS, ITEMS[0]), painter, tmp_path / "out").carry_out()
    todo = to_paint((*ITEMS, Painting("x" * 200, "")), painter, tmp_path / "out", ImageCalls(tmp_path / "out"))
    assert (todo.total, todo.there, todo.blocked, len(todo.left)) == (7, 0, 0, 7)
    assert list(tmp_path.iterdir()) == []
    for model in ("baseline/rules", "script:x.jsonl", "replay:run"):
        with pytest.raises(UsageError, match="makes no images"):
            painter_of(model, [])
    for argument, message in (("size=1x1", "--model-arg size has no use"), ("seed=x", "not a"), ("seed=true", "not a")):
        with pytest.raises(UsageError, match=message):
            painter_of("python:json:dumps", [argument])
    own = painter_of("python:json:dumps", [])
    assert (own.is_own, own.settings.parameters, own.price and own.price.dollars) == (True, {"seed": 0}, 0.0)
    path, whole = tmp_path / "7.png", png("7")
    for data in (whole, b"JPEG", b"", whole[:5], whole[:8], whole[:-1]):
        path.write_bytes(data)
        assert is_there(tmp_path, "7") is (data in (whole, b"JPEG")), data
    path.unlink()
    assert not is_there(tmp_path, "7")
    path.mkdir()
    with pytest.raises(FileProblem, match="a folder lies where an image is to be written"):
        is_there(tmp_path, "7")


def test_budgets_stop_the_asking_and_are_raised_later_and_denials_stop_it_too(tmp_path: Path) -> None:
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
    with image_server(status_of={"m": "401"}) as server:
        result = painted(server, tmp_path / "denied", concurrency=1)
        assert server.stats()["seen"] == 3
    assert (len(result.failures), result.unasked, result.exit_code) == (3, 3, 1) and "401" in result.given_up


def test_the_first_interrupt_lets_what_is_in_work_come_home_and_the_second_does_not(tmp_path: Path) -> None:
    def soon(name: str) -> JobWatch:
        return JobWatch(begun=lambda engine: setattr(engine.watch, "changed", getattr(engine, name)))

    with image_server(delay=0.05) as server:
        first = painted(server, tmp_path / "out", watch=soon("stop"))
        seen = server.stats()["seen"]
        second = painted(server, tmp_path / "out")
        assert server.stats()["seen"] == 6 and server.stats()["good_twice"] == 0
    assert first.interrupted and first.exit_code == 130 and first.painted == seen < 6
    assert second.there == first.painted and second.exit_code == 0
    with image_server(always={"number 1.": "hang"}) as server:
        third = painted(server, tmp_path / "left", watch=soon("abandon"))
    assert third.interrupted and third.painted < 6 and (tmp_path / "left/calls.jsonl").exists()


def test_images_are_written_in_a_thread_and_recorded_though_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[Engine] = []

    def abandoned(path: Path, data: bytes) -> None:
        loop = next(iter(engines[0]._tasks)).get_loop()
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        loop.call_soon_threadsafe(engines[0].abandon)
        while not loop.is_closed():
            time.sleep(0.01)
        write_bytes(path, data)

    monkeypatch.setattr(image_folder, "write_bytes", abandoned)
    with image_server() as server:
        first = painted(server, tmp_path, concurrency=1, watch=JobWatch(begun=engines.append))
        monkeypatch.undo()
        second = painted(server, tmp_path)
        assert server.stats()["good"] == 6
    assert first.interrupted and (second.there, second.painted) == (1, 5)


ANEW = "A cup, seen from above."


def scripted(folder: Path, **said: object) -> Rewriter:
    """Writes of each item the same words, with its number, or what is said."""
    replies = [{"reply": f"Cup {number} in other words."} | said for number in range(len(ITEMS))]
    write_lines(folder / "script.jsonl", [{"item_id": str(number), **one} for number, one in enumerate(replies)])
    return Rewriter(f"script:{folder / 'script.jsonl'}")


def asked(server: Running, *, price: str | None = None) -> Rewriter:
    return Rewriter("openai/words", (f"api_base={server.base}", f"api_key={KEY}"), price)


def test_the_image_model_gets_what_the_text_model_wrote_and_both_are_recorded(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with image_server() as server:
        said = scripted(tmp_path, reply=f"<think>a cup?</think>\n{ANEW}")
        result = painted(server, out, ITEMS[:1], rewriter=said)
        assert server.stats()["prompts"] == [ANEW]
    assert (result.painted, result.exit_code) == (1, 0)
    assert (out / "0.png").read_bytes() == png(ANEW)
    assert [line["label"] for line in lines(out)] == ["rewrite", "paint"] and "solver" not in lines(out)[0]
    assert ANEW in lines(out)[0]["reply"]["text"]
    assert "Cup number 0." in (out / "prompts.jsonl").read_text()


def test_the_same_command_goes_on_with_the_texts_it_has_and_no_key_reaches_a_file(tmp_path: Path) -> None:
    with image_server(replies={"": f"{ANEW} {KEY}"}) as server:
        first = painted(server, tmp_path, ITEMS[:4], rewriter=asked(server), max_requests=4)
        second = painted(server, tmp_path, ITEMS[:4], rewriter=asked(server))
        third = painted(server, tmp_path, ITEMS[:4], rewriter=asked(server))
        assert server.stats()["counts"] == {"good": 8}
    assert (first.exit_code, first.requests) == (4, 4)
    assert (second.exit_code, second.requests, second.there + second.painted) == (0, 8, 4)
    assert (third.there, third.painted, third.requests) == (4, 0, 8)
    assert KEY.encode() not in everything(tmp_path)


def test_the_cost_of_rewriting_counts(tmp_path: Path) -> None:
    with image_server(replies={"": ANEW}) as server:
        known = painted(server, tmp_path / "a", ITEMS[:2], price="0.5", rewriter=asked(server, price="1000,1000"))
        unknown = painted(server, tmp_path / "b", ITEMS[:2], price="0.5", rewriter=asked(server))
        with pytest.raises(UsageError, match="the price of openai/words is not known") as error:
            painted(server, tmp_path / "refused", price="0.5", max_cost=10.0, rewriter=asked(server))
    assert known.cost == pytest.approx(2 * 0.5 + 2 * 110 / 1000) and unknown.cost is None
    assert "--rewriter-price" in error.value.hint and not (tmp_path / "refused").exists()
    with pytest.raises(UsageError, match="writes no text"):
        Rewriter("baseline/rules")


def test_a_prompt_that_is_not_rewritten_is_not_painted(tmp_path: Path) -> None:
    rows: tuple[tuple[dict[str, str], str], ...] = (
        ({"reply": ""}, "empty"), ({"reply": "<think>a</think> "}, "there is no text in the reply"),
        ({"reply": "<think>for ever"}, "the reasoning never ends"),
        ({"reply": "A cup", "outcome": "truncated"}, "truncated"),
    )  # fmt: skip
    with image_server() as server:
        for said, reason in rows:
            out = tmp_path / f"{len(list(tmp_path.iterdir()))}"
            result = painted(server, out, ITEMS[:1], rewriter=scripted(tmp_path, **said))
            [(item_id, why)] = result.failures
            assert (item_id, result.exit_code) == ("0", 1)
            assert why.startswith("the prompt was not rewritten: ") and reason in why, said
            assert not (out / "0.png").exists()
        refused = painted(server, tmp_path / "refused", ITEMS[:1], rewriter=scripted(tmp_path, outcome="refused"))
        assert (refused.blocked, refused.failures, refused.exit_code) == (1, (), 0)
        assert server.stats()["seen"] == 0
