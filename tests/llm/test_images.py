"""Images in prompts: named by their SHA-256, read when they are sent, recorded nowhere, and missed out loud."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, closing, door_to, run, service_door
from image_server import image_server, png
from model_server import Running

from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.door import Call, Door, as_dicts, prompt_hash
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import (
    FEWEST_TOKENS,
    MOST_TOKENS,
    ImageFile,
    bytes_of,
    content_of,
    data_url,
    image_from,
    image_line,
    is_image,
    tokens_of_content,
    tokens_of_image,
    without_base64,
)
from tsgkit.llm.providers import CLIENTS
from tsgkit.llm.reply import Ending, Reply
from tsgkit.llm.settings import Client
from tsgkit.runs.folder import RunFolder

HEADER = {"format": 1, "identity": "x", "tsgkit": "0", "command": [], "begun": "now", "asked": {}}


def image(folder: Path, name: str = "7.png", text: str = "a cup", **sides: int) -> ImageFile:
    """Return an image that lies in a folder."""
    data = png(text, **sides)
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return ImageFile(folder / name, hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))


async def asked(door: Door, *pieces: str | ImageFile, where: Call = WHERE, **parts: Any) -> Reply:  # noqa: ANN401
    from langchain_core.messages import HumanMessage

    return await door.ask(where, [HumanMessage(content=content_of(*pieces))], **({"label": "look"} | parts))


def asked_of(server: Running, *pieces: str | ImageFile, **parts: Any) -> Reply:  # noqa: ANN401
    door = service_door(server.base, **parts)
    return run(closing(door, asked(door, *pieces)))


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("client", CLIENTS)
def test_the_service_gets_the_very_image_with_its_media_type_and_between_the_texts(
    tmp_path: Path, client: Client
) -> None:
    mine, other = image(tmp_path), image(tmp_path, "8.png", "a plate")
    with image_server() as server:
        reply = asked_of(server, "Look:", mine, "and", other, client=client)
        looked = server.stats()["looked"]
    assert [one["sha256"] for one in looked] == [mine.sha256, other.sha256]
    assert {one["declared"] for one in looked} == {one["holds"] for one in looked} == {"image/png"}
    assert looked[0]["text"] == "Look: and" and reply.ending is Ending.COMPLETE
    assert [one["size"] for one in json.loads(reply.text or "")] == [mine.size, other.size]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("size", [10, 200_000])
def test_large_images_are_sent_as_small_ones_are(tmp_path: Path, size: int, client: Client) -> None:
    data = b"\xff\xd8\xff" + os.urandom(size)
    (tmp_path / "7.jpg").write_bytes(data)
    large = ImageFile(tmp_path / "7.jpg", hashlib.sha256(data).hexdigest(), "image/jpeg", 8, 6, len(data))
    with image_server() as server:
        asked_of(server, large, client=client)
        assert server.stats()["looked"] == [
            {"text": "", "sha256": large.sha256, "size": len(data), "declared": "image/jpeg", "holds": "image/jpeg"}
        ]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_run_folder_names_the_image_and_never_holds_it(tmp_path: Path, client: Client) -> None:
    mine = image(tmp_path / "pictures")
    payload = base64.b64encode(bytes_of(mine))
    folder = RunFolder(tmp_path / "run", HEADER)
    cache = ReplyCache(tmp_path / "cache")
    with image_server() as server:
        reply = asked_of(server, "Look:", mine, recorder=folder, cache=cache, client=client)
    folder.close()
    cache.close()
    kept = everything_in(tmp_path / "run") + everything_in(tmp_path / "cache")
    assert payload not in kept and payload[:60] not in kept and payload not in repr(reply).encode()
    (line,) = (tmp_path / "run/prompts.jsonl").read_text().splitlines()
    (part,) = filter(is_image, json.loads(line)["messages"][0]["content"])
    assert image_from(part) == mine
    assert image_line(part) == f"[picture {mine.path}: image/png 8x6, SHA-256 {mine.sha256[:12]}]"


@pytest.mark.parametrize("client", CLIENTS)
def test_image_path_changes_neither_prompt_nor_cache_key(tmp_path: Path, client: Client) -> None:
    mine = image(tmp_path)
    moved = image(tmp_path / "elsewhere", "other.png")
    changed = image(tmp_path, "9.png", "a plate")
    cache = ReplyCache(tmp_path / "cache")
    with image_server() as server:
        first = asked_of(server, "Look:", mine, cache=cache, client=client)
        second = asked_of(server, "Look:", moved, cache=cache, client=client)
        third = asked_of(server, "Look:", changed, cache=cache, client=client)
        assert server.stats()["seen"] == 2
    cache.close()
    assert (first.source, second.source, third.source) == ("model", "cache", "model")
    assert first.text == second.text != third.text


def test_the_hash_of_a_prompt_is_that_of_its_texts_and_images_in_order(tmp_path: Path) -> None:
    from langchain_core.messages import HumanMessage

    mine, other = image(tmp_path), image(tmp_path, "8.png", "a plate")

    def hashed(*pieces: str | ImageFile) -> str:
        return prompt_hash(as_dicts([HumanMessage(content=content_of(*pieces))]))

    renamed = replace(mine, path=Path("x.png"), notes=("shrunk",))
    assert hashed("a", mine) == hashed("a", renamed)
    as_jpeg = replace(mine, media_type="image/jpeg")
    different = [hashed("a", mine), hashed(mine, "a"), hashed("a", other), hashed("b", mine), hashed("a", as_jpeg)]
    assert len(set(different)) == len(different)


def test_a_prompt_of_text_alone_hashes_as_it_always_did() -> None:
    prompt = [{"role": "user", "content": "Which?"}]
    known = hashlib.sha256(b'[{"content":"Which?","role":"user"}]').hexdigest()[:32]
    assert prompt_hash(prompt) == known


def vanish(path: Path) -> None:
    path.unlink()


def change(path: Path) -> None:
    path.write_bytes(path.read_bytes()[::-1])


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"more")


def become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("happens", [vanish, change, grow, become_a_pipe, become_a_folder])
def test_a_image_that_is_not_what_it_was_fails_its_call_and_nothing_is_sent_or_spent(
    tmp_path: Path, happens: Any  # noqa: ANN401
) -> None:  # fmt: skip
    mine, other = image(tmp_path), image(tmp_path, "8.png", "a plate")
    happens(mine.path)
    budget, notebook = Budget(requests=1), Notebook()
    with image_server() as server:
        door = service_door(server.base, budget=budget, recorder=notebook)

        async def both() -> tuple[Reply, Reply]:
            return await asked(door, "Look:", mine), await asked(door, "Look:", other)

        lost, good = run(closing(door, both()))
        assert server.stats()["seen"] == 1
    assert (lost.ending, lost.attempts, lost.text) == (Ending.API_ERROR, (), None)
    assert str(mine.path) in (lost.error or "") and "image" in (lost.error or "")
    assert good.ending is Ending.COMPLETE and budget.used_requests == 1 and not budget.in_flight_tokens
    assert len(notebook.calls) == 2, "a failed call is recorded like any other"


def test_images_that_are_lost_do_not_count_as_a_service_that_is_silent(tmp_path: Path) -> None:
    mine, other = image(tmp_path), image(tmp_path, "8.png", "a plate")
    mine.path.unlink()
    with image_server() as server:
        door = service_door(server.base)

        async def several() -> list[Reply]:
            return [await asked(door, "Look:", one, draw=draw) for draw, one in enumerate([mine] * 4 + [other])]

        endings = [reply.ending for reply in run(closing(door, several()))]
    assert endings == [Ending.API_ERROR] * 4 + [Ending.COMPLETE]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_service_that_repeats_what_it_was_sent_gets_no_image_into_an_error(tmp_path: Path, client: Client) -> None:
    mine = image(tmp_path, width=64, height=64)
    payload = base64.b64encode(bytes_of(mine)).decode()
    with image_server(always={"Look": "echo"}) as server:
        reply = asked_of(server, "Look:", mine, client=client)
    assert reply.ending is Ending.API_ERROR and reply.status == 400
    assert "cannot take" in (reply.error or "") and payload[:40] not in (reply.error or "")


@pytest.mark.parametrize("client", CLIENTS)
def test_a_model_that_repeats_the_image_gets_no_base64_into_the_record(tmp_path: Path, client: Client) -> None:
    mine = image(tmp_path)
    with image_server(always={"Look": "parrot"}) as server:
        reply = asked_of(server, "Look:", mine, client=client)
    assert reply.text == "data:image/png;base64,[picture]"


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("fault", ["429", "500", "cut", "html", "nochoices"])
def test_faults_of_a_judge_are_the_same_with_images(tmp_path: Path, fault: str, client: Client) -> None:
    mine = image(tmp_path)
    with image_server(always={"Look": fault}, retry_after="0") as server:
        reply = asked_of(server, "Look:", mine, client=client)
        assert server.stats()["seen"] == len(reply.attempts) >= 3
    assert reply.ending is Ending.API_ERROR and base64.b64encode(bytes_of(mine)).decode()[:40] not in str(reply)


def test_budgets_count_a_image_by_its_pixels_not_by_its_characters(tmp_path: Path) -> None:
    mine = replace(image(tmp_path), width=1500, height=1000)
    assert tokens_of_image(mine) == 2000
    assert tokens_of_content(content_of("x" * 400, mine, mine)) == 100 + 4000
    assert tokens_of_image(replace(mine, width=1, height=1)) == FEWEST_TOKENS
    assert tokens_of_image(replace(mine, width=6000, height=6000)) == MOST_TOKENS
    door = door_to(provider=None, budget=Budget(tokens=2300))  # type: ignore[arg-type]
    prompt = [{"role": "user", "content": content_of("Look:", mine)}]
    assert door._estimate(prompt).tokens == 2001 + 300


def test_a_data_url_is_made_for_what_was_looked_at_and_for_nothing_else(tmp_path: Path) -> None:
    mine = image(tmp_path)
    assert data_url(mine) == "data:image/png;base64," + base64.b64encode(mine.path.read_bytes()).decode()
    with pytest.raises(CallFailed, match="was changed since it was looked at") as failure:
        data_url(replace(mine, sha256="0" * 64))
    assert failure.value.unsent and not failure.value.can_be_retried


def test_base64_is_taken_out_of_messages_whole_or_cut_off() -> None:
    run_of_it = "QUJD" * 50
    assert without_base64(f"bad: data:image/jpeg;base64,{run_of_it}== at 3") == "bad: [picture] at 3"
    assert without_base64(f"bad: {run_of_it[:120]}") == "bad: [picture]"
    assert without_base64("an everyday message of 64 " + "ab" * 32) == "an everyday message of 64 " + "ab" * 32
