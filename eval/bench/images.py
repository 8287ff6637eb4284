"""Benchmark: examining and sending images, against the plainest program that does the job.

    python eval/bench/images.py

Three tables. Looking: a folder of images, each decoded, checked and hashed, beside Pillow decoding and hashlib
hashing the same files; rounds are interleaved and the median counts. Sending: an image read, held against its SHA-256
and made a data URL, beside reading and base64 alone. Memory: what a process takes at most while it looks at many
images and at the largest that are allowed, beside what one decoded image of that size takes.

Times are processor times. All images are drawn here.
"""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from smoke import sized

from tsgkit.llm.image_decoder import MOST_PIXELS
from tsgkit.llm.images import ImageFile, data_url
from tsgkit.suites.images import ImageFolder

IMAGES, SIDE, ROUNDS = sized(20, 2), sized(1024, 128), sized(5, 1)
MOST_OVERHEAD = 1.6
"""How many times as long as the plainest program looking may take; memory that is taken and given back counts."""
MOST_BYTES_A_PIXEL = 9.0
"""A CMYK image (4), what is made of it (3), and the PNG that holds it."""
MEMORY = """
import sys
from pathlib import Path
import PIL.Image, PIL.JpegImagePlugin, PIL.PngImagePlugin
from tsgkit.suites.images import ImageFolder

def peak():
    return next(int(line.split()[1]) for line in Path("/proc/self/status").open() if line.startswith("VmHWM"))

folder = ImageFolder("bench", sys.argv[1], sys.argv[2])
before = peak()
for name in sys.argv[3:]:
    folder.look(name)
print(peak() - before)
"""


def draw(folder: Path, kind: str, mode: str = "RGB", side: int = SIDE, count: int = IMAGES) -> list[str]:
    """Images with noise in them, as made images have; the result is their ids."""
    from PIL import Image

    ids = [f"{kind}-{mode}-{side}-{number}" for number in range(count)]
    for name in ids:
        small = Image.frombytes("RGB", (side // 8, side // 8), os.urandom(3 * (side // 8) ** 2))
        small.resize((side, side)).convert(mode).save(folder / f"{name}.{kind}")
    return ids


def plainly(folder: Path, kind: str, ids: list[str]) -> None:
    """The rival: decode and hash, and judge nothing."""
    from PIL import Image

    for name in ids:
        path = folder / f"{name}.{kind}"
        hashlib.sha256(path.read_bytes()).hexdigest()
        with Image.open(path) as image:
            image.load()


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time of a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def looking(folder: Path) -> list[float]:
    """Return the table of looking; the result is the ratios."""
    print(f"\nlooking at {IMAGES} images of {SIDE} x {SIDE}, milliseconds each")
    print(f"{'':8}{'plainly':>10}{'looked at':>12}{'again':>8}{'ratio':>8}")
    ratios = []
    for kind in ("png", "jpg", "webp"):
        ids, rounds = draw(folder, kind), []
        for _ in range(ROUNDS):
            found = ImageFolder("bench", folder, folder / "kept")
            rounds.append([
                seconds(lambda: plainly(folder, kind, ids)),  # noqa: B023
                seconds(lambda: [found.look(name) for name in ids]),  # noqa: B023
                seconds(lambda: [found.look(name) for name in ids]),  # noqa: B023
            ])  # fmt: skip
        rival, own, again = (median(times) * 1000 / IMAGES for times in zip(*rounds, strict=True))
        ratios.append(own / rival)
        print(f"{kind:8}{rival:10.2f}{own:12.2f}{again:8.3f}{own / rival:8.2f}")
    return ratios


def sending(folder: Path) -> None:
    """The table of sending."""
    found = ImageFolder("bench", folder, folder / "kept")
    images = [found.look(f"png-RGB-{SIDE}-{number}") for number in range(IMAGES)]
    ready = [image for image in images if isinstance(image, ImageFile)]
    own = median(seconds(lambda: [data_url(one) for one in ready]) for _ in range(ROUNDS))
    rival = median(
        seconds(lambda: [base64.b64encode(one.path.read_bytes()).decode() for one in ready]) for _ in range(ROUNDS)
    )
    each, plain = (part * 1000 / IMAGES for part in (own, rival))
    size = sum(one.size for one in ready) / len(ready)
    print(f"\nmaking a data URL of {size:,.0f} bytes: {each:.2f} ms, without the check {plain:.2f} ms")


def taken(folder: Path, ids: list[str]) -> float:
    """Return how many bytes a process takes more, at its peak, for looking at these."""
    command = [sys.executable, "-c", MEMORY, str(folder), str(folder / "kept"), *ids]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) * 1024


def memory(folder: Path) -> float:
    """Return the table of memory; the result is bytes for each pixel of the largest image."""
    side = sized(int(MOST_PIXELS**0.5), SIDE)
    one, many = draw(folder, "jpg", count=1), draw(folder, "jpg", count=IMAGES * 5)
    large, odd = draw(folder, "jpg", side=side, count=1), draw(folder, "jpg", "CMYK", side, 1)
    print(f"\nmemory at its peak, MB\n  one image of {SIDE} x {SIDE}: {taken(folder, one) / 1e6:.0f}")
    print(f"  {len(many)} of them: {taken(folder, many) / 1e6:.0f}")
    print(f"  one of {side} x {side}: {taken(folder, large) / 1e6:.0f}; decoded it is {side * side * 4 / 1e6:.0f}")
    most = taken(folder, odd)
    print(f"  the same in CMYK, made anew: {most / 1e6:.0f}, {most / side**2:.1f} bytes a pixel")
    return most / side**2


def main() -> None:
    """Measure and say whether the aims are met."""
    print(f"Python {platform.python_version()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        ratio = max(looking(folder))
        sending(folder)
        bytes_a_pixel = memory(folder)
    met = "met" if ratio <= MOST_OVERHEAD and bytes_a_pixel <= MOST_BYTES_A_PIXEL else "not met"
    print(f"\naims: at most {MOST_OVERHEAD} times the plainest program ({ratio:.2f})", end="")
    print(f" and {MOST_BYTES_A_PIXEL:.0f} bytes a pixel ({bytes_a_pixel:.1f}): {met}")


if __name__ == "__main__":
    main()
