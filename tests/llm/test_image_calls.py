"""Models that make images: what is sent, what comes back, and everything that goes wrong."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from doors import HASTE, CarriedService, carried, carrying, closing, door_to, run
from image_server import png
from loopback import Answer, Loopback, loopback

from tsgkit.errors import UsageError
from tsgkit.llm import image_calls
from tsgkit.llm.door import Door
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.image_calls import LiteLlmImages, fetched, image_in, messages_for, prompt_in
from tsgkit.llm.images import ImageFile
from tsgkit.llm.prices import ImagePrice
from tsgkit.llm.reply import Ending, Reply, reply_value
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, parse, settings_of
from tsgkit.llm.user_images import image_of

KEY = "sk-loopback-key"
CUP = png("A red cup.")


def settings(*arguments: str, model: str = "openai/m") -> Settings:
    return settings_of(model, parse([f"api_key={KEY}", *arguments], [model], IMAGE_PARAMETERS), {})


def painter(*arguments: str, price: ImagePrice | None = None, **parts: Any) -> Door:  # noqa: ANN401
    provider = LiteLlmImages(settings("api_base=http://127.0.0.1:9/v1", *arguments), price)
    return door_to(provider, price=price, secrets=Secrets([KEY]), **parts)


def painted(told: CarriedService, door: Door | None = None, image: ImageFile | None = None) -> Reply:
    door = door or painter()
    with carrying(told):
        return run(closing(door, door.fetch(messages_for("A red cup.", image))))


def made(image: bytes = CUP, **more: object) -> CarriedService:
    """Return a service that makes this image."""
    return carried(200, {"created": 1, "data": [{"b64_json": base64.b64encode(image).decode()}], **more})


@pytest.fixture
def blueprint(tmp_path: Path) -> ImageFile:
    data = png("layout")
    (tmp_path / "layout.png").write_bytes(data)
    return ImageFile(tmp_path / "layout.png", hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))


def test_prompt_brings_the_bytes_of_one_image() -> None:
    told = made(usage={"input_tokens": 12, "output_tokens": 4160, "total_tokens": 4172})
    reply = painted(told, painter("size=512x512", "seed=3", "quality=low", "extra_body.steps=4"))
    assert reply.image == CUP and reply.ending is Ending.COMPLETE
    assert painted(made(), painter(price=ImagePrice(0.04))).usage.cost == 0.04
    parts = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert prompt_in([{"role": "user", "content": parts}, *messages_for("c")]) == "a\n\nb\n\nc"
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.cost) == (12, 4160, None)
    [(url, headers, body)] = told.asked
    assert url == "http://127.0.0.1:9/v1/images/generations" and headers["authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "m",
        "prompt": "A red cup.",
        "n": 1,
        "size": "512x512",
        "seed": 3,
        "quality": "low",
        "steps": 4,
    }
    assert "image" not in reply_value(reply) and "PNG" not in repr(reply)


def test_model_is_shown_the_image_that_goes_with_the_prompt(blueprint: ImageFile) -> None:
    told = made()
    assert painted(told, painter("size=512x512"), blueprint).image == CUP
    [(url, _, body)] = told.asked
    assert url == "http://127.0.0.1:9/v1/images/edits"
    assert blueprint.path.read_bytes() in body and b"512x512" in body and b"A red cup." in body
    blueprint.path.write_bytes(png("another"))
    told = made()
    reply = painted(told, image=blueprint)
    assert told.asked == []
    assert reply.ending is Ending.API_ERROR and "was changed" in (reply.error or "")


def test_every_fault_of_a_service_is_an_error_after_as_many_requests_as_it_is_worth(blueprint: ImageFile) -> None:
    error = {"error": {"message": f"why {KEY}"}}
    blocked = {"error": {"message": f"rejected by our safety system {KEY}", "code": "moderation_blocked"}}
    for image in (None, blueprint):
        for status, body, requests, words in (
            (429, error, 4, "why [redacted]"),
            (500, error, 3, "why [redacted]"),
            (404, error, 1, "why [redacted]"),
            (400, blocked, 1, "safety system [redacted]"),
            (200, b"<html>", 3, "no proper answer"),
            (200, {"images": "here"}, 3, "holds no image"),
            (200, {"data": []}, 3, "holds no image"),
            (200, {"data": [{"b64_json": "this is no base64!"}]}, 3, "no base64"),
            (200, {"data": [{"url": "ftp://127.0.0.1/a.png?signature=hidden"}]}, 1, "neither http nor https"),
        ):
            told = carried(status, body, Retry_After="0")
            reply = painted(told, image=image)
            assert len(told.asked) == requests == len(reply.attempts), (status, body, image)
            assert reply.ending is (Ending.REFUSED if body is blocked else Ending.API_ERROR)
            assert words in (reply.error or "") and KEY not in str(reply) and "hidden" not in str(reply)
            assert reply.image is None


def test_image_that_is_too_large_is_not_requested_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_calls, "MOST_BYTES", 900)
    assert painted(made(bytes(900))).image == bytes(900)
    told = made(bytes(910))
    reply = painted(told)
    assert len(told.asked) == 1
    assert reply.ending is Ending.API_ERROR and "larger than 900 bytes" in (reply.error or "")


def test_models_that_cannot_be_asked_are_refused_before_anything_is_sent() -> None:
    with pytest.raises(UsageError, match="does not take seed"):
        LiteLlmImages(settings("seed=3", model="gemini/imagen-4.0-generate-001")).prepare()
    LiteLlmImages(settings(model="xinference/x")).prepare()
    with pytest.raises(UsageError, match="knows no way to show it an image") as caught:
        LiteLlmImages(settings(model="xinference/x"), conditioned=True).prepare()
    assert "--condition text" in caught.value.hint


# Images by their address


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setattr(image_calls, "FETCH_WAIT", 0.0)
    with loopback() as served:
        yield served


def response(address: str) -> Any:  # noqa: ANN401  (as LiteLLM has it)
    return SimpleNamespace(data=[SimpleNamespace(url=address)])


def test_image_by_its_address_is_fetched_without_the_key(web: Loopback) -> None:
    address = web.put("a.png", CUP)
    assert painted(carried(200, {"data": [{"url": f"{address}?signature=1"}]})).image is None, "no such file"
    assert painted(carried(200, {"data": [{"url": address}]})).image == CUP
    path, headers = web.asked[-1]
    assert path == "a.png" and "authorization" not in headers and headers["user-agent"] == "tsgkit"


def test_address_is_tried_three_times_and_never_shown_whole(web: Loopback) -> None:
    address = web.put("a.png", CUP)
    web.put("a.png?key=hidden", CUP)
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


def test_address_that_hangs_is_waited_for_no_longer_than_asked(web: Loopback) -> None:
    web.otherwise = Answer(hang=True)
    web.put("a.png", CUP)
    door = painter(patience=HASTE.__class__(timeout=0.2, attempts=2, first_wait=0.001, longest_wait=0.002))
    reply = painted(carried(200, {"data": [{"url": f"{web.url}/a.png"}]}), door)
    assert reply.ending is Ending.API_ERROR and "no image within 0.2 s" in (reply.error or "")


def test_only_the_web_is_fetched_within_the_limits(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "http://[", "x"):
        with pytest.raises(CallFailed, match="neither http nor https"):
            fetched(address, 1)
    with pytest.raises(CallFailed, match=r"cannot be fetched: http://127\.0\.0\.1:9"):
        fetched("http://127.0.0.1:9/a.png", 1)
    monkeypatch.setattr(image_calls, "MOST_BYTES", 900)
    assert fetched(web.put("a.png", bytes(900)), 5) == bytes(900)
    with pytest.raises(CallFailed, match=f"{web.url}/b.png is larger than 900 bytes") as caught:
        fetched(web.put("b.png", bytes(901)), 5)
    assert caught.value.final
    monkeypatch.setattr(image_calls, "time", SimpleNamespace(monotonic=iter([0.0, 2.0]).__next__))
    with pytest.raises(CallFailed, match="is too slow"):
        fetched(f"{web.url}/a.png", 1)


# Functions of the user


def test_function_of_the_user_makes_an_image_in_any_form(tmp_path: Path) -> None:
    import io

    import numpy as np
    from PIL import Image

    def pixels(data: bytes) -> list[list[int]]:
        opened = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
        return [opened[0, 0].tolist(), list(opened.shape)]

    (tmp_path / "a.png").write_bytes(CUP)
    for found in (CUP, bytearray(CUP), memoryview(CUP), str(tmp_path / "a.png"), tmp_path / "a.png"):
        assert image_of(found) == CUP, type(found)
    for array, colour in (
        (np.full((2, 3, 3), [0, 128, 255]), [0, 128, 255]),
        (np.full((2, 3, 3), [-5, 128, 300]), [0, 128, 255]),
        (np.full((2, 3, 3), [0.0, 0.5, 1.0]), [0, 128, 255]),
        (np.full((2, 3, 3), [np.nan, 0.5, 2.0]), [0, 128, 255]),
        (np.full((2, 3, 4), [0, 128, 255, 255]), [0, 128, 255]),
    ):
        assert pixels(image_of(array)) == [colour, [2, 3, 3]], array[0, 0]
    assert pixels(image_of(Image.new("CMYK", (3, 2), (0, 0, 0, 255)))) == [[0, 0, 0], [2, 3, 3]]
