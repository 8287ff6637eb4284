"""Models that make images, over real HTTP: what is sent, what comes back, and everything that goes wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from doors import HASTE, closing, door_to, run
from image_server import image_server, png
from loopback import Answer, loopback
from model_server import Running

from tsgkit.errors import UsageError
from tsgkit.llm import image_calls
from tsgkit.llm.budget import Budget
from tsgkit.llm.door import Door
from tsgkit.llm.failures import BudgetReached, CallFailed
from tsgkit.llm.image_calls import LiteLlmImages, fetched, messages_for
from tsgkit.llm.images import ImageFile
from tsgkit.llm.prices import ImagePrice, image_price_given, image_price_of
from tsgkit.llm.reply import Ending, Reply, reply_value
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import IMAGE_PARAMETERS, parse, settings_of

KEY = "sk-loopback-key"


def painter(server: Running | str, *arguments: str, price: ImagePrice | None = None, **parts: Any) -> Door:  # noqa: ANN401
    base = server if isinstance(server, str) else server.base
    texts = [f"api_base={base}", f"api_key={KEY}", *arguments]
    settings = settings_of("openai/m", parse(texts, ["openai/m"], IMAGE_PARAMETERS), {})
    provider = LiteLlmImages(settings, price)
    return door_to(provider, price=price, secrets=Secrets([KEY]), **parts)


def painted(door: Door, prompt: str = "A red cup.", image: ImageFile | None = None) -> Reply:
    return run(closing(door, door.fetch(messages_for(prompt, image))))


def blueprint(folder: Path) -> ImageFile:
    data = png("layout")
    (folder / "layout.png").write_bytes(data)
    return ImageFile(folder / "layout.png", hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))


def test_a_prompt_brings_the_bytes_of_one_image() -> None:
    with image_server(image_usage={"input_tokens": 12, "output_tokens": 4160, "total_tokens": 4172}) as server:
        reply = painted(painter(server, "size=512x512", "seed=3", "quality=low", "extra_body.steps=4"))
        sent = server.stats()["last"]
    assert reply.image == png("A red cup.") and reply.ending is Ending.COMPLETE
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.cost) == (12, 4160, None)
    assert sent == {
        "path": "/v1/images/generations", "image": "", "model": "m", "prompt": "A red cup.", "n": 1,
        "size": "512x512", "seed": 3, "quality": "low", "steps": 4,
    }  # fmt: skip


def test_a_model_is_shown_the_image_that_goes_with_the_prompt(tmp_path: Path) -> None:
    layout = blueprint(tmp_path)
    with image_server() as server:
        reply = painted(painter(server, "size=512x512"), "Follow this.", layout)
        sent = server.stats()["last"]
    assert sent["path"] == "/v1/images/edits" and sent["image"] == layout.sha256 and sent["size"] == "512x512"
    assert reply.image == png("Follow this." + layout.sha256)


def test_a_blueprint_that_was_changed_is_not_sent(tmp_path: Path) -> None:
    layout = blueprint(tmp_path)
    layout.path.write_bytes(png("another"))
    with image_server() as server:
        reply = painted(painter(server), "Follow this.", layout)
        assert server.stats()["seen"] == 0
    assert reply.ending is Ending.API_ERROR and "was changed" in (reply.error or "")


def test_a_image_is_kept_out_of_every_record() -> None:
    with image_server() as server:
        reply = painted(painter(server))
    assert "picture" not in reply_value(reply) and "PNG" not in repr(reply)


def test_a_image_may_come_by_its_address_and_is_fetched_without_the_key() -> None:
    with image_server(always={"cup": "url"}) as server:
        assert painted(painter(server)).image == png("A red cup.")
        assert (server.stats()["fetches"], server.stats()["authorised_fetches"]) == (1, 0)


def test_blocked_images_are_requested_once() -> None:
    with image_server(always={"cup": "blocked"}, echo_key=True) as server:
        reply = painted(painter(server))
        assert server.stats()["seen"] == 1
    assert reply.ending is Ending.REFUSED and "safety system" in (reply.error or "")
    assert KEY not in str(reply)


FAULTS = {
    "429": (4, "slow down"),
    "500": (3, "this is error 500"),
    "cut": (3, "no proper answer"),
    "html": (3, "it is not JSON"),
    "wrongjson": (3, "holds no image"),
    "nodata": (3, "holds no image"),
    "nobase64": (3, "no base64"),
    "404": (1, "this is error 404"),
    "url404": (1, "answers 404"),
    "urlcut": (1, "ends early"),
    "urlftp": (1, "neither http nor https"),
}


@pytest.mark.parametrize("conditioned", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_of_a_service_is_an_error_in_words_after_as_many_requests_as_it_is_worth(
    fault: str, conditioned: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(image_calls, "FETCH_WAIT", 0.0)
    requests, words = FAULTS[fault]
    if fault == "html" and conditioned:
        words = "no proper answer"
    with image_server(always={"cup": fault}, retry_after="0", echo_key=True) as server:
        reply = painted(painter(server), image=blueprint(tmp_path) if conditioned else None)
        assert server.stats()["seen"] == requests == len(reply.attempts)
    assert reply.ending is Ending.API_ERROR and reply.image is None
    assert words in (reply.error or "") and KEY not in str(reply) and "hidden-value" not in str(reply)


@pytest.mark.parametrize("fault", ["hang", "urlhang"])
def test_image_requests_time_out(fault: str) -> None:
    haste = HASTE.__class__(timeout=0.4, attempts=2, first_wait=0.001, longest_wait=0.002)
    with image_server(always={"cup": fault}) as server:
        reply = painted(painter(server, patience=haste))
    assert reply.ending is Ending.API_ERROR and "no image within 0.4 s" in (reply.error or "")


@pytest.mark.parametrize(
    ("fault", "words"), [("giant", "larger than 900 bytes"), ("urlgiant", "larger than 900 bytes")]
)
def test_oversized_images_are_not_requested_again(fault: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_calls, "MOST_BYTES", 900)
    with image_server(always={"cup": fault}, giant_bytes=2_000) as server:
        reply = painted(painter(server))
        assert server.stats()["seen"] == 1
    assert reply.ending is Ending.API_ERROR and words in (reply.error or "")


def test_waits_as_long_as_the_service_asks() -> None:
    with image_server(first=[429, 200], retry_after="0.2") as server:
        reply = painted(painter(server))
    assert reply.image is not None and len(reply.attempts) == 2 and reply.attempts[0].waited >= 0.2


def test_a_budget_of_money_is_kept_by_the_price_of_a_image() -> None:
    price = ImagePrice(0.04, "--price")
    budget = Budget(cost=0.1)
    with image_server() as server:
        door = painter(server, price=price, budget=budget)

        async def three() -> list[Reply]:
            return [await door.fetch(messages_for(f"A cup {number}.")) for number in range(3)]

        with pytest.raises(BudgetReached):
            run(closing(door, three()))
        assert server.stats()["seen"] == 2
    assert round(budget.used_cost, 6) == 0.08


def test_prices_come_from_the_user_else_from_the_map_else_they_are_not_known() -> None:
    assert image_price_given("0.04") == ImagePrice(0.04, "--price")
    for text in ("free", "-1", "nan", "1,2"):
        with pytest.raises(UsageError, match="is no price"):
            image_price_given(text)
    low = image_price_of("openai/gpt-image-1", "1024x1024", "low")
    most = image_price_of("openai/gpt-image-1", "1024x1024")
    assert low is not None and most is not None and 0 < low.dollars < most.dollars and "price map" in low.source
    assert image_price_of("openai/of-my-own") is None


def test_a_parameter_that_nobody_would_be_sent_is_refused_before_anything_is_sent() -> None:
    settings = settings_of(
        "gemini/imagen-4.0-generate-001",
        parse(["api_key=sk-loopback-key", "seed=3"], [], IMAGE_PARAMETERS),
        {},
    )
    with pytest.raises(UsageError, match="does not take seed"):
        LiteLlmImages(settings).prepare()
    with pytest.raises(UsageError, match="no parameter is called so"):
        parse(["temperature=1"], [], IMAGE_PARAMETERS)


def test_a_provider_that_cannot_be_shown_a_image_says_so_before_anything_is_sent() -> None:
    settings = settings_of("xinference/x", parse(["api_key=sk-loopback-key"], [], IMAGE_PARAMETERS), {})
    LiteLlmImages(settings).prepare()
    with pytest.raises(UsageError, match="knows no way to show it an image"):
        LiteLlmImages(settings, conditioned=True).prepare()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "http://[", "x"])
def test_only_the_web_is_fetched(address: str) -> None:
    with pytest.raises(CallFailed, match="neither http nor https"):
        fetched(address, 1)


def test_a_service_cannot_lead_elsewhere_than_to_the_web() -> None:
    with loopback() as served:
        served.plan.append(Answer(status=302, location="ftp://127.0.0.1/secret"))
        with pytest.raises(CallFailed, match="cannot be fetched"):
            fetched(f"{served.url}/a.png", 5)
        served.plan.append(Answer(status=302, location=served.put("b.png", png("b"))))
        assert fetched(f"{served.url}/a.png", 5) == png("b")
