"""Images in prompts: named by their SHA-256, read when they are sent, recorded nowhere, and missed out loud."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, carried, carrying, closing, completion, door_to, run, service_door

from tsgkit.llm.budget import Budget
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.door import Door, as_dicts, prompt_hash
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import (
    FEWEST_TOKENS,
    MOST_TOKENS,
    ImageFile,
    bytes_of,
    characters_of,
    content_of,
    data_url,
    identity_of,
    image_from,
    image_line,
    images_in,
    is_image,
    tokens_of_content,
    tokens_of_image,
    with_bytes,
    without_base64,
    without_images,
)
from tsgkit.llm.reply import Ending, Reply
from tsgkit.runs.folder import RunFolder

HEADER = {"format": 1, "identity": "x", "tsgkit": "0", "command": [], "begun": "now", "asked": {}}
BASE = "http://127.0.0.1:9/v1"


def image(folder: Path, name: str = "7.png", data: bytes = b"a cup" * 20) -> ImageFile:
    """Return an image that lies in a folder."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data)
    return ImageFile(folder / name, hashlib.sha256(data).hexdigest(), "image/png", 8, 6, len(data))


async def asked(door: Door, *pieces: str | ImageFile, draw: int = 0) -> Reply:
    from langchain_core.messages import HumanMessage

    return await door.ask(WHERE, [HumanMessage(content=content_of(*pieces))], label="look", draw=draw)


def prompt(*pieces: str | ImageFile) -> list[dict[str, Any]]:
    from langchain_core.messages import HumanMessage

    return as_dicts([HumanMessage(content=content_of(*pieces))])


def test_run_folder_names_the_image_and_never_holds_it(tmp_path: Path) -> None:
    mine = image(tmp_path / "pictures")
    payload = base64.b64encode(bytes_of(mine))
    folder, cache = RunFolder(tmp_path / "run", HEADER), ReplyCache(tmp_path / "cache")
    door = service_door(BASE, recorder=folder, cache=cache)
    with carrying(carried(200, completion(content=data_url(mine)))):
        reply = run(closing(door, asked(door, "Look:", mine)))
    with carrying(carried(400, {"error": {"message": f"cannot take {data_url(mine)}"}})):
        refused = run(closing(door, asked(door, "Look:", mine, draw=1)))
    folder.close()
    cache.close()
    assert reply.text == "data:image/png;base64,[picture]"
    assert (refused.status, refused.error) == (400, "BadRequestError: cannot take [picture]")
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path != mine.path)
    assert payload not in kept and payload[:60] not in kept and payload not in repr(reply).encode()
    (line, *_) = (tmp_path / "run/prompts.jsonl").read_text().splitlines()
    (part,) = filter(is_image, json.loads(line)["messages"][0]["content"])
    assert image_from(part) == mine
    assert image_line(part) == f"[picture {mine.path}: image/png 8x6, SHA-256 {mine.sha256[:12]}]"


def test_identity_of_a_prompt_is_its_texts_and_images_in_order(tmp_path: Path) -> None:
    mine, other = image(tmp_path), image(tmp_path, "8.png", b"a plate")
    renamed = replace(mine, path=Path("x.png"), notes=("shrunk",))
    assert prompt_hash(prompt("a", mine)) == prompt_hash(prompt("a", renamed))
    as_jpeg = replace(mine, media_type="image/jpeg")
    prompts = [prompt("a", mine), prompt(mine, "a"), prompt("a", other), prompt("b", mine), prompt("a", as_jpeg)]
    assert len({prompt_hash(one) for one in prompts}) == len(prompts)
    assert list(images_in(prompt(mine, "a", other))) == [mine, other]
    assert identity_of("a text") == "a text"


def become_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def become_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def test_image_that_is_not_what_it_was_fails_its_call_and_nothing_is_sent_or_spent(tmp_path: Path) -> None:
    happenings: dict[str, tuple[Callable[[Path], object], str]] = {
        "vanished": (Path.unlink, "cannot be read any more: No such file or directory"),
        "changed": (lambda path: path.write_bytes(path.read_bytes()[::-1]), "was changed since it was looked at"),
        "grown": (lambda path: path.write_bytes(path.read_bytes() + b"more"), "was changed since it was looked at"),
        "a pipe": (become_a_pipe, "was changed since it was looked at"),
        "a folder": (become_a_folder, "cannot be read any more: Is a directory"),
    }
    for name, (happens, words) in happenings.items():
        lost, good = image(tmp_path / name), image(tmp_path / name, "8.png", b"a plate")
        happens(lost.path)
        budget, notebook = Budget(requests=1), Notebook()
        door = service_door(BASE, budget=budget, recorder=notebook)

        async def several(door: Door, lost: ImageFile, good: ImageFile) -> list[Reply]:
            return [await asked(door, "Look:", one, draw=draw) for draw, one in enumerate([lost] * 4 + [good])]

        with carrying(told := carried()):
            replies = run(closing(door, several(door, lost, good)))
        assert len(told.asked) == budget.used_requests == 1, name
        assert [reply.ending for reply in replies] == [Ending.API_ERROR] * 4 + [Ending.COMPLETE], name
        assert (replies[0].error, replies[0].attempts) == (f"the image {lost.path} {words}", ()), name
        assert (budget.in_flight_tokens, len(notebook.calls)) == (0, 5), "a failed call is recorded like any other"


def test_budgets_count_an_image_by_its_pixels_not_by_its_characters(tmp_path: Path) -> None:
    mine = replace(image(tmp_path), width=1500, height=1000)
    for width, height, tokens in (
        (1500, 1000, 2000),
        (1501, 1000, 2002),
        (1, 1, FEWEST_TOKENS),
        (750, 86, 86),
        (6000, 6000, MOST_TOKENS),
    ):
        assert tokens_of_image(replace(mine, width=width, height=height)) == tokens, (width, height)
    assert tokens_of_content(content_of("x" * 403, mine, mine)) == 100 + 4000
    assert tokens_of_content("x" * 403) == 100
    assert characters_of(["ab", {"type": "text", "text": "c"}, {"type": "odd"}, *content_of(mine)]) == 3
    door = door_to(provider=None, budget=Budget(tokens=2300))  # type: ignore[arg-type]
    assert door._estimate([{"role": "user", "content": content_of("Look:", mine)}]).tokens == 2001 + 300


def test_data_url_is_made_for_what_was_looked_at_and_for_nothing_else(tmp_path: Path) -> None:
    mine = image(tmp_path)
    assert data_url(mine) == "data:image/png;base64," + base64.b64encode(mine.path.read_bytes()).decode()
    with pytest.raises(CallFailed, match="was changed since it was looked at") as failure:
        data_url(replace(mine, sha256="0" * 64))
    assert failure.value.unsent and not failure.value.can_be_retried
    parts = [{"type": "text", "text": "b"}]
    plain: list[dict[str, Any]] = [{"role": "user", "content": "a text"}, {"role": "user", "content": parts}]
    assert run(with_bytes(plain)) is plain


def test_base64_is_taken_out_of_messages_whole_or_cut_off() -> None:
    run_of_it = "QUJD" * 50
    for text, kept in (
        (f"bad: data:image/jpeg;base64,{run_of_it}== at 3", "bad: [picture] at 3"),
        (f"bad: {run_of_it[:100]}", "bad: [picture]"),
        (f"bad: {run_of_it[:99]}", f"bad: {run_of_it[:99]}"),
    ):
        assert without_base64(text) == kept
    sent = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:x;base64,QUJD"}}, "QUJE"]}]
    assert without_images("I see QUJD, QUJE", [*sent, {"role": "user", "content": "QUJE"}]) == "I see [picture], QUJE"
