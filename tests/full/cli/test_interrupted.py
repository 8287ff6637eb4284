"""Killed and interrupted work on images and rooms: it goes on, and ends as if it had not been interrupted."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import pytest
from command_line import CommandLine
from image_suite import install
from prefork import Prefork
from rooms_of_ours import ROOMS

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
LONG = 120
"""Seconds that a busy machine may need until a process is where it is waited for."""
MAKE = "images --task demo/cups --model python:./mine.py:slow -o out"


def test_killed_work_goes_on_and_the_second_interrupt_does_not_wait(
    commands: Prefork, folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    (folder / "mine.py").write_text(SLOW)
    environment = install(folder, ROWS, monkeypatch)
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        process = commands.start(*MAKE.split(), "--concurrency", "2", cwd=folder, env=environment)
        until = time.monotonic() + LONG
        while not (Path("working").exists() and len([*Path("out").glob("*.png")]) == len(ROWS) - 1):
            assert not process.ended() and time.monotonic() < until, process.err
            time.sleep(0.01)
        process.signal(number)
        while number == signal.SIGINT and "stopping: waiting for 1 image in work" not in process.err:
            assert time.monotonic() < until, process.err
            time.sleep(0.01)
        process.signal(number)
        assert process.wait(LONG).code == code
        Path("working").unlink()
    assert "0 painted, 5 there already" in tsgkit(f"{MAKE} --ids c0 c2 c3 c4 c5").out


def test_ctrl_c_keeps_what_was_measured_and_the_same_command_goes_on(commands: Prefork, folder: Path) -> None:
    Path("mine").mkdir()
    for number in range(16):
        shutil.copy(ROOMS / "rooms/good/scene_7.json", f"mine/scene_{number}.json")
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    Path("a.csv").write_text("\n".join([head, *(f'{n},easy,A kitchen,"eq,1,stove",,,' for n in range(16))]) + "\n")
    words = (
        *("eval", "--task", "sceneeval/plausibility", "--scenes", "mine=mine"),
        *("--data", "a.csv", "--out", "run", "--quiet"),
    )
    process = commands.start(*words, cwd=folder)
    samples = folder / "run/samples.jsonl"
    until = time.monotonic() + LONG
    while not (samples.is_file() and samples.stat().st_size):
        assert not process.ended() and time.monotonic() < until, process.err
        time.sleep(0.005)
    process.signal(signal.SIGINT)
    assert process.wait(LONG).code == 130
    assert "nothing is lost; go on with: tsgkit eval --task sceneeval/plausibility" in process.err
    assert "Traceback" not in process.err
    assert 0 < samples.read_text().count("\n") < 16
    ended = commands.start(*words, cwd=folder).wait(LONG)
    assert (ended.code, ended.err) == (0, "")
    for name in ("samples", "calls"):
        assert (folder / f"run/{name}.jsonl").read_text().count("\n") == 16, name
