"""``tsgkit eval`` over folders of images, as a person types it: controls beside scores, killed and gone on with."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from image_server import png
from model_server import Running
from prefork import Prefork
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.suites.spatialgen.rows import rows_in

ROWS = TASKS / "spatialgen" / "data" / "questions.jsonl"
IDS = [row.id for row in rows_in(ROWS)]
IMAGES = {item_id: png(item_id) for item_id in IDS}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    known = {hashlib.sha256(data).hexdigest(): item_id for item_id, data in IMAGES.items()}
    with spatial_judge(rows=str(ROWS), images=known, delay=0.02) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pictures").mkdir()
    for item_id, data in IMAGES.items():
        (tmp_path / "pictures" / f"{item_id}.png").write_bytes(data)
    return tmp_path


def words(server: Running, *more: str, limit: int = 4, out: str = "run") -> tuple[str, ...]:
    return (
        *("eval", "--task", "spatialgen/questions", "--images", "mine=pictures", "--judge", "openai/eye"),
        *("--model-arg", f"api_base={server.base}", "--limit", str(limit), "--no-cache", "--quiet", "--out", out),
        *more,
    )


def test_controls_are_asked_for_by_name_and_stand_beside(server: Running, commands: Prefork, folder: Path) -> None:
    ran = commands.run(*words(server, "--blind", "--shuffled", "--protocol", "ours"), cwd=folder)
    assert ran.code == 0, ran.err
    for way in ("ours ", "ours-blind", "ours-shuffled"):
        assert f"- {way}" in ran.out
    assert "controls of spatialgen/questions, free: the same 4 items answered without looking" in ran.out
    assert "baseline/constant:C" in ran.out and "single_round" in ran.out
    assert "no official figures: the published code asks all ten questions at once" in ran.out


def test_controls_need_images(server: Running, commands: Prefork, folder: Path) -> None:
    ran = commands.run("eval", "--task", "spatialgen/questions", "--blind", cwd=folder)
    assert ran.code == 2 and "--blind controls who looks at images" in ran.err


def test_a_dry_run_tells_how_much_would_be_asked(server: Running, commands: Prefork, folder: Path) -> None:
    ran = commands.run(*words(server, "--dry-run", "--json", "--protocol", "ours-apart", limit=2), cwd=folder)
    [estimate] = ran.json["estimates"]
    assert (estimate["requests_at_least"], estimate["requests"]) == (100, 300)


def recorded(folder: Path, run: str) -> dict[tuple[str, str, int], Any]:
    lines = (folder / run / "calls.jsonl").read_text().splitlines()
    return {(one["sample"], one["label"], one["draw"]): one["reply"]["text"] for one in map(json.loads, lines)}


@pytest.mark.parametrize(("protocol", "calls"), [("published", 31), ("ours", 17)])
def test_a_killed_run_ends_as_if_it_had_not_been_killed(
    protocol: str, calls: int, server: Running, commands: Prefork, folder: Path
) -> None:
    more = ("--protocol", protocol, "--concurrency", "4", "--json", "--samples")
    whole = commands.run(*words(server, *more, limit=12, out="whole"), cwd=folder)
    assert whole.code == 0, whole.err
    process = commands.start(*words(server, *more, limit=12), cwd=folder)
    path = folder / "run/calls.jsonl"
    while not process.ended() and not (path.exists() and path.read_bytes().count(b"\n") >= calls):
        time.sleep(0.002)
    process.signal(signal.SIGKILL)
    process.wait()
    ran = commands.run(*words(server, *more, limit=12), cwd=folder)
    assert ran.code == 0, ran.err
    strip = ("usage", "data")
    one, other = ({k: v for k, v in ran.json["results"][0].items() if k not in strip} for ran in (whole, ran))
    assert one == other
    assert recorded(folder, "run") == recorded(folder, "whole")


def test_images_of_our_prompts_can_be_asked_for(server: Running, commands: Prefork, folder: Path) -> None:
    asked = (
        "images",
        "--task",
        "spatialgen/questions",
        "--model",
        "openai/p",
        "--model-arg",
        f"api_base={server.base}",
    )
    ran = commands.run(*asked, "--ids", IDS[0], IDS[7], "-o", "made", "--quiet", cwd=folder)
    assert ran.code == 0, ran.err
    prompts = {row.id: row.prompt for row in rows_in(ROWS)}
    assert (folder / "made" / f"{IDS[7]}.png").read_bytes() == png(prompts[IDS[7]])
    assert prompts[IDS[0]] in server.stats()["prompts"]
    ran = commands.run(*asked, "--condition", "text", "--layouts", "x.json", "-o", "other", cwd=folder)
    assert ran.code == 2 and "take no layouts" in ran.err
