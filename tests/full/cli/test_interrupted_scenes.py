"""Ctrl-C while ``tsgkit eval`` measures many rooms."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

from prefork import Prefork
from rooms_of_ours import ROOMS

SCENE = ROOMS / "rooms/good/scene_7.json"
HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
MANY = 16


def test_ctrl_c_keeps_what_was_measured_and_the_same_command_goes_on(commands: Prefork, folder: Path) -> None:
    Path("mine").mkdir()
    for number in range(MANY):
        shutil.copy(SCENE, f"mine/scene_{number}.json")
    Path("a.csv").write_text("\n".join([HEAD, *(f'{n},easy,A kitchen,"eq,1,stove",,,' for n in range(MANY))]) + "\n")
    words = [
        "eval",
        "--task",
        "sceneeval/plausibility",
        "--scenes",
        "mine=mine",
        "--data",
        "a.csv",
        "--out",
        "run",
        "--quiet",
    ]
    process = commands.start(*words, "--quiet", cwd=folder)
    samples = folder / "run/samples.jsonl"
    until = time.monotonic() + 60
    while not (samples.is_file() and samples.stat().st_size):
        assert not process.ended() and time.monotonic() < until, process.err
        time.sleep(0.005)
    process.signal(signal.SIGINT)
    assert process.wait().code == 130
    assert "nothing is lost; go on with: tsgkit eval --task sceneeval/plausibility" in process.err
    assert "Traceback" not in process.err
    assert 0 < samples.read_text().count("\n") < MANY
    ended = commands.run(*words, "--quiet", cwd=folder)
    assert (ended.code, ended.err) == (0, "")
    for name in ("samples", "calls"):
        assert (folder / f"run/{name}.jsonl").read_text().count("\n") == MANY, name
