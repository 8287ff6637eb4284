"""Killed and interrupted work on images: it goes on, and ends as if it had not been interrupted."""

from __future__ import annotations

import hashlib
import json
import signal
import time
from pathlib import Path

import pytest
from command_line import CommandLine
from image_server import png
from image_suite import install
from prefork import Prefork, prefork
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.suites.spatialgen.rows import rows_in

ROWS = {f"c{number}": f"Cup number {number}." for number in range(6)}
SLOW = """
import io
import time
from pathlib import Path

from PIL import Image


def slow(prompt, seed):
    if "number 1." in prompt:
        Path("working").touch()
        time.sleep(600)
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (seed, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()
"""
MAKE = "images --task demo/cups --model python:./mine.py:slow -o out"
QUESTIONS = TASKS / "spatialgen" / "data" / "questions.jsonl"
IMAGES = {row.id: png(row.id) for row in rows_in(QUESTIONS)}


def test_killed_work_goes_on_and_the_second_interrupt_does_not_wait(
    tmp_path_factory: pytest.TempPathFactory, folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    (folder / "mine.py").write_text(SLOW)
    environment = install(folder, ROWS, monkeypatch)
    with prefork(tmp_path_factory.mktemp("painting")) as parent:
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            process = parent.start(*MAKE.split(), "--concurrency", "2", cwd=folder, env=environment)
            until = time.monotonic() + 60
            while not (Path("working").exists() and len([*Path("out").glob("*.png")]) == len(ROWS) - 1):
                assert not process.ended() and time.monotonic() < until, process.err
                time.sleep(0.01)
            process.signal(number)
            while number == signal.SIGINT and "stopping: waiting for 1 image in work" not in process.err:
                assert time.monotonic() < until, process.err
                time.sleep(0.01)
            process.signal(number)
            assert process.wait().code == code
            Path("working").unlink()
    assert "0 painted, 5 there already" in tsgkit(f"{MAKE} --ids c0 c2 c3 c4 c5").out


def replies(run: str) -> dict[tuple[str, str, int], str]:
    calls = map(json.loads, Path(run, "calls.jsonl").read_text().splitlines())
    return {(one["sample"], one["label"], one["draw"]): one["reply"]["text"] for one in calls}


@pytest.mark.parametrize(("protocol", "calls"), [("published", 31), ("ours", 17)])
def test_killed_runs_of_a_judge_end_as_if_they_had_not_been_killed(
    protocol: str, calls: int, commands: Prefork, folder: Path, tsgkit: CommandLine
) -> None:
    Path("pictures").mkdir()
    for item_id, data in IMAGES.items():
        Path(f"pictures/{item_id}.png").write_bytes(data)
    known = {hashlib.sha256(data).hexdigest(): item_id for item_id, data in IMAGES.items()}
    with spatial_judge(rows=str(QUESTIONS), images=known, delay=0.02) as judge:
        words = (
            "eval --task spatialgen/questions --images mine=pictures --judge openai/eye --no-cache --quiet --limit 12"
        )
        words += f" --model-arg api_base={judge.base} --protocol {protocol} --concurrency 4 --json --samples"
        [whole] = tsgkit(words, "--out", "whole").json["results"]
        process = commands.start(*words.split(), "--out", "run", cwd=folder)
        path = Path("run/calls.jsonl")
        while not process.ended() and not (path.exists() and path.read_bytes().count(b"\n") >= calls):
            time.sleep(0.002)
        process.signal(signal.SIGKILL)
        process.wait()
        [again] = tsgkit(words, "--out", "run").json["results"]
    for result in (whole, again):
        del result["usage"], result["data"]
    assert again == whole and replies("run") == replies("whole")
