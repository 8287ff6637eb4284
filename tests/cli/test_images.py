"""``tsgkit images``, by services and by functions of one's own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from image_server import image_server, png
from image_suite import install
from run_files import everything

from tsgkit.report import progress

ROWS = {f"c{number}": f"Cup number {number}." for number in range(12)}
KEY = "sk-loopback-key"
NOWHERE = "http://127.0.0.1:9/v1"
MINE = """
import hashlib
from PIL import Image
class Pipeline:
    def __init__(self):
        with open("loaded", "a") as file:
            file.write("once\\n")
    def __call__(self, prompt, seed):
        if "number 2." in prompt:
            raise RuntimeError(f"out of memory: {prompt}\\nand more")
        colour = hashlib.sha256(f"{prompt}{seed}".encode()).digest()[:3]
        return Image.new("RGB", (8, 6), tuple(colour))
def bare(prompt, seed):
    return b""
async def shown(prompt, seed, image):
    return image
def nothing(prompt, seed):
    return {"images": []}
def failing():
    raise OSError("no weights here")
def lonely(prompt):
    return prompt
def exhausted(prompt, seed):
    return next(iter(()))
"""


@pytest.fixture(autouse=True)
def suite(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a suite with images to make."""
    (folder / "mine.py").write_text(MINE)
    install(folder, ROWS, monkeypatch)


def asking(base: str, more: str = "", out: str = "out") -> str:
    model = f"--model openai/m --model-arg api_base={base} --model-arg api_key={KEY}"
    return f"images --task demo/cups {model} -o {out} {more}"


def records(out: str = "out") -> dict[str, dict[str, Any]]:
    return {line["sample"]: line for line in map(json.loads, Path(out, "calls.jsonl").read_text().splitlines())}


def test_images_are_made_and_counted_and_no_key_is_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    with image_server(always={"number 2.": "blocked"}, echo_key=True) as server:
        ended = tsgkit(asking(server.base, "--limit 4 --size 64x32 --seed 3 --price 0.04"))
        assert (server.stats()["last"]["size"], server.stats()["last"]["seed"]) == ("64x32", 3)
    assert "4 images: 3 painted, 0 there already, 1 blocked, 0 failed" in ended.out
    assert "asked: 4 requests in all, $0.1200" in ended.out and "written: out" in ended.out
    assert "c2 blocked: " in ended.err and KEY not in ended.out + ended.err
    assert Path("out/c1.png").read_bytes() == png("Cup number 1.")
    assert KEY.encode() not in everything(folder / "out")
    tsgkit.refuses(dict.fromkeys(("report out", "view out"), "out: no evaluation, but the calls of images"))
    monkeypatch.setattr(progress, "EVERY_ELSEWHERE", 0.0)
    with image_server(always={"number 1.": "404"}) as server:
        first, again = (tsgkit(asking(server.base, "--ids c1 c2 c5", "third"), code=1).err for _ in range(2))
        ended = tsgkit(asking(server.base, "--ids c1 c5 --json --quiet", "other"), code=1)
    assert "openai/m: 2/3, 1 failed" in first and "going on: 2 images are there already, 0 were blocked" in again
    value = ended.json
    assert "error 404" in value.pop("failures")["c1"] and value.pop("seconds") > 0
    assert value == {
        "out": "other", "task": "demo/cups", "model": "openai/m", "rewriter": None, "total": 2, "painted": 1,
        "there": 0, "blocked": 0, "failed": 1, "unasked": 0, "requests": 2, "cost": None, "refusals": {}, "notices": [],
    }  # fmt: skip
    assert "nothing is lost; go on with: tsgkit" in ended.err


def test_dry_runs_send_nothing_and_prompts_are_rewritten_where_a_rewriter_is_named(tsgkit: CommandLine) -> None:
    lines = tsgkit(asking(NOWHERE, "--dry-run --price 0.04")).out.splitlines()
    assert lines[:2] == ["12 images: nothing is sent", "  0 there already, 0 blocked before, 12 to be asked for"]
    assert lines[2].startswith("  12 requests, ") and lines[2].endswith(" tokens in, $0.4800")
    assert lines[3:] == ["  openai/m: priced by --price"]
    value = tsgkit(asking(NOWHERE, "--dry-run --json")).json
    least, most = value.pop("prompt")
    assert 0 < least < most
    assert value == {"total": 12, "there": 0, "blocked": 0, "left": 12, "requests": 12, "cost": None}
    Path("layouts.json").write_text("{}")
    drawn = asking(NOWHERE, "--condition drawn --layouts layouts.json --dry-run")
    assert "12 images: nothing is sent" in tsgkit(drawn).out and not Path("out").exists()
    write_lines("script.jsonl", *({"item_id": name, "reply": f"Again: {text}"} for name, text in ROWS.items()))
    rewriter = "--rewriter script:script.jsonl --ids c1 c2"
    out = tsgkit(asking(NOWHERE, f"{rewriter} --dry-run")).out
    assert "and up to 2 requests of script:script.jsonl before" in out
    assert tsgkit(asking(NOWHERE, f"{rewriter} --dry-run --json")).json["rewriting"] == 2
    with image_server() as server:
        assert tsgkit(asking(server.base, f"{rewriter} --json --quiet")).json["rewriter"] == "script:script.jsonl"
        assert sorted(server.stats()["prompts"]) == ["Again: Cup number 1.", "Again: Cup number 2."]
        assert "another run lies here (rewriter differs)" in tsgkit(asking(server.base, "--ids c1"), code=2).err


def test_images_refuses_invalid_arguments_before_sending_or_writing(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    tsgkit.refuses(
        {
            "--size big": "--size big: no size of an image",
            "--size 0x5": "no size of an image",
            "--ids c99": "no item is called c99",
            "--condition drawn": "--condition and --layouts go together",
            "--no-instruction": "leaves nothing to ask for",
            "--rewriter-price 1,2": "name it: --rewriter M",
            "--task tsg/sgqa": "tsg/sgqa has no images to make\n  tasks that have: demo/cups",
            "--task spatialgen/questions --condition text --layouts x.json": "take no layouts",
        },
        asking(NOWHERE),
    )
    for name in ("PIL", "PIL.Image"):
        monkeypatch.setitem(sys.modules, name, None)
    tsgkit.refuses({asking(NOWHERE): 'pip install "tsgkit[images]"'})


def own(name: str, more: str = "--limit 2 --quiet", out: str = "out") -> str:
    return f"images --task demo/cups --model python:./mine.py:{name} -o {out} {more}"


def test_factories_are_called_once_and_failures_are_those_of_single_images(tsgkit: CommandLine) -> None:
    ended = tsgkit(own("Pipeline()", "--seed 7"), code=1)
    assert "12 images: 11 painted, 0 there already, 0 blocked, 1 failed" in ended.out and "$0.0000" in ended.out
    assert "c2 failed: python:./mine.py:Pipeline() failed: RuntimeError: out of memory: Cup number 2." in ended.err
    assert "LiteLLM" not in ended.err and "and more" not in ended.err
    assert Path("loaded").read_text() == "once\n"
    assert records()["c1"]["subject"] == "python:./mine.py:Pipeline()"
    before = Path("out/c1.png").read_bytes()
    assert "0 painted, 11 there already" in tsgkit(own("Pipeline()", "--seed 7"), code=1).out
    assert Path("out/c1.png").read_bytes() == before
    assert "another run lies here (model differs)" in tsgkit(own("Pipeline()", "--seed 8"), code=2).err


def test_drawings_go_to_functions_that_take_one_and_objects_that_make_no_images_are_named(tsgkit: CommandLine) -> None:
    Path("layouts.json").write_text(json.dumps({"c0": [1]}))
    drawn = "--condition drawn --layouts layouts.json --ids c0 --quiet"
    tsgkit(own("shown", drawn, out="shown"))
    assert records("shown")["c0"]["reply"]["ending"] == "complete"
    for name, message in {
        "exhausted": "exhausted failed: RuntimeError: StopIteration",
        "nothing": "what was returned is no image, but a dict: expected an image of Pillow",
    }.items():
        assert message in tsgkit(own(name, out=name), code=1).err, name
    err = tsgkit(own("bare", drawn, out="other"), code=2).err
    assert "cannot be called with (prompt, seed, image=...)" in err
    tsgkit.refuses(
        {
            own("failing()"): "the factory failed: OSError: no weights here",
            own("lonely"): "cannot be called with (prompt, seed)",
            own("Pipelin()"): "mine has no Pipelin",
            own("bare()"): "the factory failed: TypeError",
            own("MINE-1"): "no name of code",
            "images --task demo/cups --model python:nowhere_at_all:x -o out": "no module nowhere_at_all",
            "images --task demo/cups --model python:./no.py:x -o out": "no.py: no such file",
        }
    )
