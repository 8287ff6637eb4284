"""Prompts are written anew by a text model before images are made: recorded, counted, never paid for twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from image_server import image_server, png
from model_server import Running

from tsgkit.errors import UsageError
from tsgkit.llm.door import Patience
from tsgkit.runs.image_generation import PaintingOutcome, paint_all, painter_of
from tsgkit.runs.prompt_rewriter import RewriterOptions
from tsgkit.runs.subjects import Limits
from tsgkit.suites.paintable import Painting

KEY = "sk-loopback-key"
HASTE = Patience(timeout=5.0, attempts=2, same_error=2, first_wait=0.001, longest_wait=0.002, throttled_attempts=2)
ITEMS = tuple(Painting(str(number), f"Cup number {number}.") for number in range(4))
ANEW = "A cup, seen from above."


def scripted(folder: Path, *replies: object) -> RewriterOptions:
    """Says of each item what is given, or of each the same words with its number."""
    said = replies or [f"Cup {number} in other words." for number in range(len(ITEMS))]
    told = [one if isinstance(one, dict) else {"reply": one} for one in said]
    rows = [{"item_id": str(number), **one} for number, one in enumerate(told)]
    (folder / "script.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return RewriterOptions(f"script:{folder / 'script.jsonl'}")


def asked(server: Running, *, price: str | None = None, model: str = "openai/words") -> RewriterOptions:
    return RewriterOptions(model, (f"api_base={server.base}", f"api_key={KEY}"), price)


def painted(
    server: Running,
    out: Path,
    rewriter: RewriterOptions | None,
    items: tuple[Painting, ...] = ITEMS,
    *,
    price: str | None = None,
    **limits: Any,  # noqa: ANN401
) -> PaintingOutcome:
    painter = painter_of("openai/m", [f"api_base={server.base}", f"api_key={KEY}"], price, rewriter)
    usual: dict[str, Any] = {"concurrency": 2, "patience": HASTE} | limits
    return paint_all(items, painter, out, Limits(**usual))


def lines(out: Path) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in map(json.loads, (out / "paintings.jsonl").read_text().splitlines())}


def test_the_image_model_gets_what_the_text_model_wrote_and_both_are_recorded(tmp_path: Path) -> None:
    with image_server() as server:
        result = painted(server, tmp_path / "out", scripted(tmp_path, f"<think>a cup?</think>\n{ANEW}"), ITEMS[:1])
        assert server.stats()["prompts"] == [ANEW]
    assert (result.painted, result.exit_code) == (1, 0)
    assert (tmp_path / "out/0.png").read_bytes() == png(ANEW)
    line = lines(tmp_path / "out")["0"]
    assert (line["rewritten"], line["rewriter"].startswith("script:")) == (ANEW, True)
    calls = (tmp_path / "out/rewriting.calls/calls.jsonl").read_text()
    assert ANEW in calls
    assert "Cup number 0." in (tmp_path / "out/rewriting.calls/prompts.jsonl").read_text()


def test_rewritten_prompts_and_images_are_not_requested_again(tmp_path: Path) -> None:
    with image_server(replies={"": ANEW}, always={ANEW: "500"}) as server:
        first = painted(server, tmp_path, asked(server), ITEMS[:2])
        before = server.stats()["seen"]
    assert (first.painted, len(first.failures), first.requests) == (0, 2, 2 + 4)
    assert before == 6


def test_the_same_command_goes_on_with_the_texts_it_has(tmp_path: Path) -> None:
    with image_server(replies={"": ANEW}) as server:
        first = painted(server, tmp_path, asked(server), max_requests=4)
        second = painted(server, tmp_path, asked(server))
        third = painted(server, tmp_path, asked(server))
        assert server.stats()["counts"] == {"good": 8}
    assert first.exit_code == 4
    assert (second.exit_code, second.requests, second.there + second.painted) == (0, 8, 4)
    assert (third.there, third.painted, third.requests) == (4, 0, 8)


def test_the_cost_of_rewriting_counts(tmp_path: Path) -> None:
    options: dict[str, Any] = {"replies": {"": ANEW}}
    with image_server(**options) as server:
        known = painted(server, tmp_path / "known", asked(server, price="1000,1000"), ITEMS[:2], price="0.5")
        unknown = painted(server, tmp_path / "unknown", asked(server), ITEMS[:2], price="0.5")
        with pytest.raises(UsageError, match="the price of openai/words is not known") as error:
            painted(server, tmp_path / "refused", asked(server), price="0.5", max_cost=10.0)
    assert known.cost is not None
    assert known.cost > 1.0
    assert unknown.cost is None
    assert "--rewriter-price" in error.value.hint
    assert not (tmp_path / "refused").exists()


def test_each_rewriter_needs_its_own_folder(tmp_path: Path) -> None:
    with image_server() as server:
        painted(server, tmp_path / "plain", None, ITEMS[:1])
        painted(server, tmp_path / "anew", scripted(tmp_path), ITEMS[:1])
        for folder, rewriter in (("plain", scripted(tmp_path)), ("anew", None), ("anew", asked(server))):
            with pytest.raises(UsageError, match=r"0\.png was asked for otherwise"):
                painted(server, tmp_path / folder, rewriter, ITEMS[:1])
        assert server.stats()["seen"] == 2


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({"reply": ""}, "empty"),
        ({"reply": "<think>for ever"}, "the reasoning never ends"),
        ({"reply": "A cup", "outcome": "truncated"}, "truncated"),
    ],
)
def test_a_prompt_that_is_not_rewritten_is_not_painted(tmp_path: Path, said: dict[str, Any], reason: str) -> None:
    with image_server() as server:
        result = painted(server, tmp_path / "out", scripted(tmp_path, said), ITEMS[:1])
        assert server.stats()["seen"] == 0
    ((item_id, why),) = result.failures
    assert (item_id, result.exit_code) == ("0", 1)
    assert "the prompt was not rewritten" in why
    assert reason in why
    assert not (tmp_path / "out/0.png").exists()


def test_a_baseline_rewrites_nothing() -> None:
    with pytest.raises(UsageError, match="writes no text"):
        RewriterOptions("baseline/rules")


def test_no_key_reaches_a_file(tmp_path: Path) -> None:
    with image_server(replies={"": f"{ANEW} {KEY}"}) as server:
        painted(server, tmp_path, asked(server), ITEMS[:1])
    assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
