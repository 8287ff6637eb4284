"""The memory that decoding takes is bounded by the pixels of an image."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from drawn_images import drawn, png_of, saved

from tsgkit.suites.image_decoder import MOST_PIXELS

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
MEASURED = """
import sys
from pathlib import Path
import PIL.JpegImagePlugin, PIL.PngImagePlugin
from tsgkit.suites.image_decoder import examine

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
