"""Killed and interrupted work on images and rooms: it goes on, and ends as if it had not been interrupted."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest
from command_line import CommandLine
from image_suite import install
from prefork import Prefork
from rooms_of_ours import ROOMS

from tsgkit.runs.journal import Journal

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


def test_killed_work_goes_on_and_the_second_interrupt_does_not_wait(
    commands: Prefork, folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    (folder / "mine.py").write_text(SLOW)
    environment = install(folder, ROWS, monkeypatch)
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        process = commands.start(*MAKE.split(), "--concurrency", "2", cwd=folder, env=environment)
        process.until(lambda: Path("working").exists() and len([*Path("out").glob("*.png")]) == len(ROWS) - 1)
        process.signal(number)
        if number == signal.SIGINT:
            process.until(lambda: "stopping: waiting for 1 image in work" in process.err)  # noqa: B023
        process.signal(number)
        assert process.wait().code == code
        Path("working").unlink()
    assert "0 painted, 5 there already" in tsgkit(f"{MAKE} --ids c0 c2 c3 c4 c5").out


def test_ctrl_c_keeps_what_was_measured_and_the_same_command_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    Path("mine").mkdir()
    for number in range(8):
        shutil.copy(ROOMS / "rooms/good/scene_7.json", f"mine/scene_{number}.json")
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    Path("a.csv").write_text("\n".join([head, *(f'{n},easy,A kitchen,"eq,1,stove",,,' for n in range(8))]) + "\n")
    words = "eval --task sceneeval/plausibility --scenes mine=mine --data a.csv --out run --quiet"
    samples, add = folder / "run/samples.jsonl", Journal.add_line

    def interrupted(journal: Journal, line: bytes) -> int:
        place = add(journal, line)
        if (journal.path.name, place) == (samples.name, 0):
            signal.raise_signal(signal.SIGINT)
        return place

    monkeypatch.setattr(Journal, "add_line", interrupted)
    assert "nothing is lost; go on with: tsgkit eval --task sceneeval/plausibility" in tsgkit(words, code=130).err
    assert 0 < samples.read_text().count("\n") < 8
    assert tsgkit(words).err == ""
    for name in ("samples", "calls"):
        assert (folder / f"run/{name}.jsonl").read_text().count("\n") == 8, name
