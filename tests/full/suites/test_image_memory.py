"""The memory that decoding takes is bounded by the pixels of an image, and sending one takes hardly any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from drawn_images import drawn, png_of, saved
from image_server import image_server

from tsgkit.llm.image_decoder import MOST_PIXELS

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
MEASURED = """
import sys
from pathlib import Path
import PIL.JpegImagePlugin, PIL.PngImagePlugin
from tsgkit.llm.image_decoder import examine

def peak():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))

before = peak()
data = Path(sys.argv[1]).read_bytes()
assert examine(data).notes == tuple(sys.argv[2:])
print((peak() - before) * 1024)
"""


def taken(path: Path, *notes: str) -> int:
    """Measure the bytes that a process takes to read and examine an image."""
    command = [sys.executable, "-c", MEASURED, str(path), *notes]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_an_image_takes_memory_that_is_bounded_by_its_pixels_and_a_png_of_27_mb_less_than_300(tmp_path: Path) -> None:
    side = int(MOST_PIXELS**0.5)
    (tmp_path / "large.jpg").write_bytes(saved(drawn("CMYK", (side, side)), "JPEG"))
    assert 4 < taken(tmp_path / "large.jpg", "CMYK made RGB") / MOST_PIXELS < 9, "bytes for each pixel"
    for wide, high, bits, colours, notes in (
        (6000, 1500, 8, 2, ()),
        (6000, 2250, 16, 0, ("16 or more bits a channel made 8",)),
        (6000, 4500, 8, 3, ("palette with transparency made RGBA",)),
    ):
        line = wide * bits // 8 * (3 if colours == 2 else 1)
        noise = Random(7).randbytes(line)
        rows = b"".join(b"\0" + noise[turn:] + noise[:turn] for turn in (row * 7919 % line for row in range(high)))
        (tmp_path / "large.png").write_bytes(png_of(wide, high, bits, colours, rows, level=0))
        assert taken(tmp_path / "large.png", *notes) < 300e6, (bits, colours)


ASKED = """
import asyncio, hashlib, sys
from pathlib import Path
from langchain_core.messages import HumanMessage
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import as_dicts
from tsgkit.llm.images import ImageFile, content_of
from tsgkit.llm.settings import parse, settings_of

def peak():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))

path, base = Path(sys.argv[1]), sys.argv[2]
with path.open("rb") as file:
    digest = hashlib.file_digest(file, "sha256").hexdigest()
image = ImageFile(path, digest, "image/png", 6000, 1500, path.stat().st_size)
small = ImageFile(path.with_name("small.png"), hashlib.sha256(b"x").hexdigest(), "image/png", 1, 1, 1)
client = DirectCalls(settings_of("openai/m", parse([f"api_base={base}"], ["openai/m"]), {}))
client.prepare()

async def look(one, times):
    messages = as_dicts([HumanMessage(content=content_of("Look:", one))])
    return await asyncio.gather(*(client.send(messages, None, 300) for _ in range(times)))

async def both():
    await look(small, 1)
    before = peak()
    replies = await look(image, 5)
    await client.close()
    return before, replies

before, replies = asyncio.run(both())
assert all(image.sha256 in reply.text for reply in replies)
print((peak() - before) * 1024)
"""


def test_sending_an_image_of_27_mb_five_times_at_once_takes_less_than_half_its_size(tmp_path: Path) -> None:
    (tmp_path / "large.png").write_bytes(Random(7).randbytes(27_000_000))
    (tmp_path / "small.png").write_bytes(b"x")
    with image_server() as server:
        command = [sys.executable, "-c", ASKED, str(tmp_path / "large.png"), server.base]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) < 27e6 / 2
