"""Images: in prompts named by their SHA-256 and never recorded; made by models, and everything that goes wrong."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doors import WHERE, CarriedService, Notebook, carried, carrying, closing, completion, door_to, run, service_door
from image_server import png
from langchain_core.messages import HumanMessage
from loopback import Answer, Loopback, loopback

from tsgkit.errors import UsageError
from tsgkit.llm import images, litellm_calls
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.door import Door, as_dicts, prompt_hash
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import FEWEST_TOKENS, MOST_TOKENS, ImageFile, content_of, data_url, messages_for, prompt_in
from tsgkit.llm.litellm_calls import LiteLlmImages, fetched, image_in
from tsgkit.llm.prices import ImagePrice
from tsgkit.llm.reply import PAINT, CallBudget, Ending, Reply, reply_value
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import IMAGE_PARAMETERS, RetryLimits, Settings, parse, settings_of
from tsgkit.llm.user_models import image_of
from tsgkit.runs.folder import FORMAT, RunFolder

HEADER = {"format": FORMAT, "identity": "x", "tsgkit": "0", "command": [], "begun": "now", "asked": {}}
BASE = "http://127.0.0.1:9/v1"
KEY = "sk-loopback-key"
CUP = png("A red cup.")


def image(folder: Path, name: str = "7.png", data: bytes = b"a cup" * 20) -> ImageFile:
    """Return an image that lies in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return ImageFile(folder / name, hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))


async def asked(door: Door, *pieces: str | ImageFile, draw: int = 0) -> Reply:
    return await door.ask(WHERE, [HumanMessage(content=content_of(*pieces))], label="look", draw=draw)


def prompt(*pieces: str | ImageFile) -> list[dict[str, Any]]:
    return as_dicts([HumanMessage(content=content_of(*pieces))])


def test_run_folder_names_the_image_and_never_holds_it(tmp_path: Path) -> None:
    mine = image(tmp_path / "pictures")
    payload = base64.b64encode(images.bytes_of(mine))
    folder, cache = RunFolder(tmp_path / "run", HEADER), ReplyCache(tmp_path / "cache")
    door = service_door(BASE, recorder=folder, cache=cache)
    with carrying(carried(200, completion(content=data_url(mine)))):
        reply = run(closing(door, asked(door, "Look:", mine)))
    with carrying(carried(400, {"error": {"message": f"cannot take {data_url(mine)}"}})):
        refused = run(closing(door, asked(door, "Look:", mine, draw=1)))
    folder.close()
    cache.close()
    assert reply.text == "data:image/png;base64,[image]"
    assert (refused.status, refused.error) == (400, "BadRequestError: cannot take [image]")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != mine.path)
    assert payload not in kept and payload[:60] not in kept and payload not in repr(reply).encode()
    (line, *_) = (tmp_path / "run/prompts.jsonl").read_text().splitlines()
    (part,) = filter(images.is_image, json.loads(line)["messages"][0]["content"])
    assert images.image_from(part) == mine
    assert images.image_line(part) == f"[image {mine.path}: image/png 8x6, SHA-256 {mine.sha256[:12]}]"


def test_identity_of_a_prompt_is_its_images_in_order_which_budgets_count_by_their_pixels(tmp_path: Path) -> None:
    mine, other = image(tmp_path), image(tmp_path, "8.png", b"a plate")
    renamed = replace(mine, path=Path("x.png"), notes=("shrunk",))
    assert prompt_hash(prompt("a", mine)) == prompt_hash(prompt("a", renamed))
    as_jpeg = replace(mine, media_type="image/jpeg")
    pieces = (("a", mine), (mine, "a"), ("a", other), ("b", mine), ("a", as_jpeg))
    assert len({prompt_hash(prompt(*one)) for one in pieces}) == len(pieces)
    assert list(images.images_in(prompt(mine, "a", other))) == [mine, other]
    assert images.identity_of("a text") == "a text"
    mine = replace(image(tmp_path), width=1500, height=1000)
    sides = {(1500, 1000): 2000, (1501, 1000): 2002, (1, 1): FEWEST_TOKENS, (750, 86): 86, (6000, 6000): MOST_TOKENS}
    assert {side: images.tokens_of_sides(*side) for side in sides} == sides
    assert images.tokens_of_content(content_of("x" * 403, mine, mine)) == 100 + 4000
    assert images.tokens_of_content("x" * 403) == 100
    assert images.characters_of(["ab", {"type": "text", "text": "c"}, {"type": "odd"}, *content_of(mine)]) == 3
    door = door_to(provider=None, budget=CallBudget(tokens=2300))  # type: ignore[arg-type]
    assert door._estimate([{"role": "user", "content": content_of("Look:", mine)}]).tokens == 2001 + 300


def become(make: Callable[[Path], object], path: Path) -> None:
    path.unlink()
    make(path)


def test_image_that_is_not_what_it_was_fails_its_call_and_nothing_is_sent_or_spent(tmp_path: Path) -> None:
    changed = "was changed since it was looked at"
    happenings: dict[str, tuple[Callable[[Path], object], str]] = {
        "vanished": (Path.unlink, "cannot be read any more: No such file or directory"),
        "changed": (lambda path: path.write_bytes(path.read_bytes()[::-1]), changed),
        "grown": (lambda path: path.write_bytes(path.read_bytes() + b"more"), changed),
        "a pipe": (partial(become, os.mkfifo), changed),
        "a folder": (partial(become, Path.mkdir), "cannot be read any more: Is a directory"),
    }
    for name, (happens, words) in happenings.items():
        lost, good = image(tmp_path / name), image(tmp_path / name, "8.png", b"a plate")
        happens(lost.path)
        budget, notebook = CallBudget(requests=1), Notebook()
        door = service_door(BASE, budget=budget, recorder=notebook)

        async def several(door: Door, lost: ImageFile, good: ImageFile) -> list[Reply]:
            return [await asked(door, "Look:", one, draw=draw) for draw, one in enumerate([lost] * 4 + [good])]

        with carrying(told := carried()):
            replies = run(closing(door, several(door, lost, good)))
        assert len(told.asked) == budget.used_requests == 1, name
        assert [reply.ending for reply in replies] == [Ending.API_ERROR] * 4 + [Ending.COMPLETE], name
        assert (replies[0].error, replies[0].attempts) == (f"the image {lost.path} {words}", ()), name
        assert (budget.in_flight_tokens, len(notebook.calls)) == (0, 5), "a failed call is recorded like any other"


def test_data_url_is_made_for_what_was_looked_at_and_base64_is_taken_out_of_messages(tmp_path: Path) -> None:
    mine = image(tmp_path)
    assert data_url(mine) == "data:image/png;base64," + base64.b64encode(mine.path.read_bytes()).decode()
    with pytest.raises(CallFailed, match="was changed since it was looked at") as failure:
        data_url(replace(mine, sha256="0" * 64))
    assert failure.value.unsent and not failure.value.can_be_retried
    plain: list[dict[str, Any]] = [{"role": "user", "content": one} for one in ("a", [{"type": "text", "text": "b"}])]
    assert run(images.with_bytes(plain)) is plain
    run_of_it = "QUJD" * 50
    for text, kept in (
        (f"bad: data:image/jpeg;base64,{run_of_it}== at 3", "bad: [image] at 3"),
        (f"bad: {run_of_it[:100]}", "bad: [image]"),
        (f"bad: {run_of_it[:99]}", f"bad: {run_of_it[:99]}"),
    ):
        assert images.without_base64(text) == kept
    cup = image(tmp_path, "cup.png", b"ABC")
    assert images.without_images("I see QUJD, QUJE", [cup]) == "I see [image], QUJE"
    assert images.without_images("I see QUJD", [replace(cup, path=tmp_path / "gone.png")]) == "I see QUJD"


def settings(*arguments: str, model: str = "openai/m") -> Settings:
    return settings_of(model, parse([f"api_key={KEY}", *arguments], [model], IMAGE_PARAMETERS), {})


def painted(
    told: CarriedService,
    *arguments: str,
    price: ImagePrice | None = None,
    image: ImageFile | None = None,
    **parts: object,
) -> Reply:
    provider = LiteLlmImages(settings(f"api_base={BASE}", *arguments), price)
    door = door_to(provider, price=price, secrets=Secrets([KEY]), **parts)
    with carrying(told):
        asked = [HumanMessage(messages_for("A red cup.", image)[0]["content"])]
        return run(closing(door, door.ask(WHERE, asked, label=PAINT)))


def made(data: bytes = CUP, **more: object) -> CarriedService:
    """Return a service that makes this image."""
    return carried(200, {"created": 1, "data": [{"b64_json": base64.b64encode(data).decode()}], **more})


def linked(address: str) -> CarriedService:
    return carried(200, {"data": [{"url": address}]})


def test_prompt_brings_the_bytes_of_one_image() -> None:
    told = made(usage={"input_tokens": 12, "output_tokens": 4160, "total_tokens": 4172})
    reply = painted(told, "size=512x512", "seed=3", "quality=low", "extra_body.steps=4")
    assert reply.image == CUP and reply.ending is Ending.COMPLETE
    assert painted(made(), price=ImagePrice(0.04)).usage.cost == 0.04
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert prompt_in([{"role": "user", "content": parts}, *messages_for("c")]) == "a\n\nb\n\nc"
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.cost) == (12, 4160, None)
    [(url, headers, body)] = told.asked
    assert url == f"{BASE}/images/generations" and headers["authorization"] == f"Bearer {KEY}"
    wanted = {"model": "m", "prompt": "A red cup.", "n": 1, "size": "512x512", "seed": 3, "quality": "low", "steps": 4}
    assert body == wanted
    assert "image" not in reply_value(reply) and "PNG" not in repr(reply)
    (probed := LiteLlmImages(settings(f"api_base={BASE}"))).prepare()
    with carrying(carried()):
        assert run(probed.probe(50)).text == "[A]", "it makes no image"


def test_model_is_shown_the_image_that_goes_with_the_prompt(tmp_path: Path) -> None:
    blueprint = image(tmp_path, data=png("layout"))
    told = made()
    assert painted(told, "size=512x512", image=blueprint).image == CUP
    [(url, _, body)] = told.asked
    assert url == f"{BASE}/images/edits"
    assert blueprint.path.read_bytes() in body and b"512x512" in body and b"A red cup." in body
    blueprint.path.write_bytes(png("another"))
    reply = painted(told := made(), image=blueprint)
    assert told.asked == []
    assert reply.ending is Ending.API_ERROR and "was changed" in (reply.error or "")


def test_every_fault_of_a_service_is_an_error_after_as_many_requests_as_it_is_worth(tmp_path: Path) -> None:
    error = {"error": {"message": f"why {KEY}"}}
    blocked = {"error": {"message": f"rejected by our safety system {KEY}", "code": "moderation_blocked"}}
    for shown in (None, image(tmp_path, data=png("layout"))):
        for status, body, requests, words in (
            (500, error, 3, "why [redacted]"), (404, error, 1, "why [redacted]"),
            (400, blocked, 1, "safety system [redacted]"), (200, b"<html>", 3, "no proper answer"),
            (200, {"images": "here"}, 3, "holds no image"), (200, {"data": []}, 3, "holds no image"),
            (200, {"data": [{"b64_json": "this is no base64!"}]}, 3, "no base64"),
            (200, {"data": [{"url": "ftp://127.0.0.1/a.png?signature=hidden"}]}, 1, "neither http nor https"),
        ):  # fmt: skip
            told = carried(status, body, Retry_After="0")
            reply = painted(told, image=shown)
            assert len(told.asked) == requests == len(reply.attempts), (status, body, shown)
            assert reply.ending is (Ending.REFUSED if body is blocked else Ending.API_ERROR)
            assert words in (reply.error or "") and KEY not in str(reply) and "hidden" not in str(reply)
            assert reply.image is None


def test_image_that_is_too_large_is_not_requested_again_and_some_models_are_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(litellm_calls, "MOST_IMAGE_BYTES", 900)
    assert "no image" in (painted(made(bytes(900))).error or "")
    reply = painted(told := made(bytes(910)))
    assert len(told.asked) == 1
    assert reply.ending is Ending.API_ERROR and "larger than 900 bytes" in (reply.error or "")
    with pytest.raises(UsageError, match="does not take seed"):
        LiteLlmImages(settings("seed=3", model="gemini/imagen-4.0-generate-001")).prepare()
    LiteLlmImages(settings(model="xinference/x")).prepare()
    with pytest.raises(UsageError, match="knows no way to show it an image") as caught:
        LiteLlmImages(settings(model="xinference/x"), conditioned=True).prepare()
    assert "--condition text" in caught.value.hint


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setattr(litellm_calls, "FETCH_WAIT", 0.0)
    with loopback() as served:
        yield served


def test_image_by_its_address_is_fetched_without_the_key_three_times_and_never_shown_whole(web: Loopback) -> None:
    address = web.put("a.png", CUP)
    assert painted(linked(f"{address}?signature=1")).image is None, "no such file"
    assert painted(linked(address)).image == CUP
    path, headers = web.asked[-1]
    assert path == "a.png" and "authorization" not in headers and headers["user-agent"] == "tsgkit"
    web.put("a.png?key=hidden", CUP)

    def response(address: str) -> Any:  # noqa: ANN401  (as LiteLLM has it)
        return SimpleNamespace(data=[SimpleNamespace(url=address)])

    web.plan += [Answer(status=500), Answer(cut_after=5)]
    assert run(image_in(response(address), 5)) == CUP
    for answer, words in (
        (Answer(status=404), f"{web.url}/a.png answers 404"),
        (Answer(cut_after=5), "ends early"),
        (Answer(status=302, location="ftp://127.0.0.1/secret"), "cannot be fetched"),
    ):
        web.plan, web.asked = [answer] * 3, []
        with pytest.raises(CallFailed, match=words) as caught:
            run(image_in(response(f"{address}?key=hidden"), 5))
        assert (len(web.asked), caught.value.final) == (3, True)
        assert "hidden" not in caught.value.message
    web.plan = [Answer(status=302, location=web.put("b.png", png("b")))]
    assert run(image_in(response(address), 5)) == png("b")
    web.otherwise = Answer(hang=True)
    reply = painted(
        linked(address), patience=RetryLimits(2.0, attempts=3)
    )  # LiteLLM warns where it cannot begin in time
    assert (reply.ending, reply.error, len(reply.attempts)) == (Ending.API_ERROR, "no image within 2 s", 2)


def test_only_the_web_is_fetched_within_the_limits(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "http://[", "x"):
        with pytest.raises(CallFailed, match="neither http nor https"):
            run(fetched(address, 1))
    with pytest.raises(CallFailed, match=r"cannot be fetched: http://127\.0\.0\.1:9"):
        run(fetched("http://127.0.0.1:9/a.png", 1))
    monkeypatch.setattr(litellm_calls, "MOST_IMAGE_BYTES", 900)
    assert run(fetched(web.put("a.png", bytes(900)), 5)) == bytes(900)
    with pytest.raises(CallFailed, match=f"{web.url}/b.png is larger than 900 bytes") as caught:
        run(fetched(web.put("b.png", bytes(901)), 5))
    assert caught.value.final
    web.plan = [Answer(hang=True)]
    with pytest.raises(CallFailed, match="is too slow"):
        run(fetched(f"{web.url}/a.png", 0.2))


def test_function_of_the_user_makes_an_image_in_any_form(tmp_path: Path) -> None:
    import numpy as np
    from PIL import Image

    (tmp_path / "a.png").write_bytes(CUP)
    for found in (CUP, bytearray(CUP), memoryview(CUP), str(tmp_path / "a.png"), tmp_path / "a.png"):
        assert image_of(found) == CUP, type(found)
    for pixel, colour in (
        ([0, 128, 255], [0, 128, 255]), ([-5, 128, 300], [0, 128, 255]), ([0.0, 0.5, 1.0], [0, 128, 255]),
        ([np.nan, 0.5, 2.0], [0, 128, 255]), ([0, 128, 255, 255], [0, 128, 255]),
        (Image.new("CMYK", (3, 2), (0, 0, 0, 255)), [0, 0, 0]),
    ):  # fmt: skip
        drawn = np.full((2, 3, len(pixel)), pixel) if isinstance(pixel, list) else pixel
        opened = np.asarray(Image.open(io.BytesIO(image_of(drawn))).convert("RGB"))
        assert (opened[0, 0].tolist(), opened.shape) == (colour, (2, 3, 3)), pixel
