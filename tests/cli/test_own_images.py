"""Image models of one's own: a function of a prompt and a seed, named on the command line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from image_suite import install

Captured = pytest.CaptureFixture[str]
ROWS = {f"c{number}": f"Cup number {number}." for number in range(6)}
MINE = '''
"""A pipeline of ours: small images in the colours of their prompts."""

import asyncio
import hashlib
import io
import sys
import time
from pathlib import Path

from PIL import Image


class Pipeline:
    def __init__(self):
        with open("loaded", "a") as file:
            file.write("once\\n")

    def __call__(self, prompt, seed):
        assert "litellm" not in sys.modules
        if "number 2." in prompt:
            raise RuntimeError(f"out of memory: {prompt}\\nand more")
        colour = hashlib.sha256(f"{prompt}{seed}".encode()).digest()[:3]
        return Image.new("RGB", (8, 6), tuple(colour))


def encoded(prompt, seed):
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (seed, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def in_a_file(prompt, seed):
    Path("made.png").write_bytes(encoded(prompt, seed))
    return "made.png"


async def later(prompt, seed):
    await asyncio.sleep(0)
    return encoded(prompt, seed)


def numbers(prompt, seed):
    import numpy

    return numpy.full((6, 8, 3), 0.5)


def shown(prompt, seed, image):
    return image


def slow(prompt, seed):
    if "number 1." in prompt:
        Path("working").touch()
        time.sleep(600)
    return encoded(prompt, seed)


def nothing(prompt, seed):
    return {"images": []}


def flat(prompt, seed):
    import numpy

    return numpy.zeros((6, 8))


def failing():
    raise OSError("no weights here")


def lonely(prompt):
    return prompt


def exhausted(prompt, seed):
    return next(iter(()))
'''


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with images to make, which processes that are started know."""
    for name, value in install(tmp_path, ROWS).items():
        monkeypatch.setenv(name, value)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def words(name: str, *more: str) -> list[str]:
    return ["images", "--task", "demo/cups", "--model", f"python:./mine.py:{name}", "-o", "out", *more]


def ran(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tsgkit", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, timeout=120)


def made(folder: Path) -> list[Path]:
    return [*(folder / "out").glob("*.png")]


def records(folder: Path) -> dict[str, dict[str, Any]]:
    return {line["id"]: line for line in map(json.loads, (folder / "out/paintings.jsonl").read_text().splitlines())}


def test_a_factory_is_called_once_and_failures_are_those_of_single_images(folder: Path) -> None:
    first = ran(folder, *words("Pipeline()", "--seed", "7"))
    assert first.returncode == 1, first.stderr
    assert "6 images: 5 painted, 0 there already, 0 blocked, 1 failed" in first.stdout and "$0.0000" in first.stdout
    assert "c2 failed: python:./mine.py:Pipeline() failed: RuntimeError: out of memory: Cup number 2." in first.stderr
    assert "LiteLLM" not in first.stderr and "and more" not in first.stderr
    assert (folder / "loaded").read_text() == "once\n"
    line = records(folder)["c1"]
    assert (line["model"], line["parameters"]) == ("python:./mine.py:Pipeline()", {"seed": 7})
    before = (folder / "out/c1.png").read_bytes()
    again = ran(folder, *words("Pipeline()", "--seed", "7"))
    assert "0 painted, 5 there already" in again.stdout and (folder / "out/c1.png").read_bytes() == before
    other = ran(folder, *words("Pipeline()", "--seed", "8"))
    assert other.returncode == 2 and "was asked for otherwise" in other.stderr


@pytest.mark.parametrize("name", ["encoded", "in_a_file", "later", "numbers"])
def test_a_image_may_come_in_many_forms(name: str, folder: Path) -> None:
    if name == "numbers":
        pytest.importorskip("numpy", reason="arrays are of numpy")
    ended = ran(folder, *words(name, "--limit", "2", "--quiet"))
    assert ended.returncode == 0, ended.stderr
    assert {line["outcome"] for line in records(folder).values()} == {"painted"}


@pytest.mark.parametrize(
    ("name", "said", "code"),
    [
        ("exhausted", "exhausted failed: RuntimeError: StopIteration", 1),
        ("nothing", "what was returned is no image, but a dict: expected an image of Pillow", 1),
        ("flat", "what was returned is an array of 6 x 8: expected height x width x 3", 1),
        ("failing()", "the factory failed: OSError: no weights here", 2),
        ("lonely", "cannot be called with (prompt, seed)", 2),
        ("Pipelin()", "mine has no Pipelin", 2),
        ("encoded()", "the factory failed: TypeError", 2),
        ("MINE-1", "no name of code", 2),
    ],
)
def test_objects_that_make_no_images_are_named(name: str, said: str, code: int, folder: Path) -> None:
    if name == "flat":
        pytest.importorskip("numpy", reason="arrays are of numpy")
    ended = ran(folder, *words(name, "--limit", "1"))
    assert ended.returncode == code and said in ended.stderr and "Traceback" not in ended.stderr
    assert (folder / "out").exists() == (code == 1), "nothing is begun before the code is known to be good"


@pytest.mark.parametrize(
    ("model", "said"),
    [("python:nowhere_at_all:x", "no module nowhere_at_all"), ("python:./no.py:x", "no.py: no such file")],
)
def test_missing_code_is_named(model: str, said: str, folder: Path) -> None:
    ended = ran(folder, "images", "--task", "demo/cups", "--model", model, "-o", "out")
    assert ended.returncode == 2 and said in ended.stderr
    assert ran(folder, "eval", "--model", "python:./mine.py:encoded").returncode == 2


@pytest.mark.parametrize(("name", "code"), [("shown", 0), ("encoded", 2)])
def test_a_function_with_an_image_is_shown_drawings(name: str, code: int, folder: Path) -> None:
    (folder / "layouts.json").write_text(json.dumps({"c0": [1]}))
    more = ("--condition", "drawn", "--layouts", "layouts.json", "--ids", "c0", "--quiet")
    ended = ran(folder, *words(name, *more))
    assert ended.returncode == code, ended.stderr
    assert code == 0 or "cannot be called with (prompt, seed, image=...)" in ended.stderr
    if code == 0:
        assert records(folder)["c0"]["outcome"] == "painted"


@pytest.mark.slow
def test_killed_work_goes_on_and_the_second_interrupt_does_not_wait(folder: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", *words("slow", "--concurrency", "2")]
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not ((folder / "working").exists() and len(made(folder)) == 5):
                time.sleep(0.02)
            process.send_signal(number)
            if number == signal.SIGINT:
                assert process.stderr is not None
                assert any("stopping: waiting for 1 image in work" in line for line in process.stderr)
                process.send_signal(number)
        assert process.returncode == code
        (folder / "working").unlink()
    ended = ran(folder, *words("slow", "--ids", "c0", "c2", "c3", "c4", "c5"))
    assert ended.returncode == 0 and "0 painted, 5 there already" in ended.stdout
