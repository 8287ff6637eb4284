"""Decoding by content: sound images pass unchanged, odd ones are re-encoded with a note, others have a reason."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from drawn_images import (
    animated,
    bomb,
    clear_palette,
    deep_colours,
    drawn,
    png_of,
    saved,
    text_bomb,
    turned,
    webp_bomb,
)

from tsgkit.errors import UsageError
from tsgkit.llm.images import MOST_BYTES
from tsgkit.suites import image_decoder
from tsgkit.suites.image_decoder import MOST_PIXELS, Examined, PixelBudget, Unreadable, examine


def found(data: bytes, **how: int) -> Examined:
    examined = examine(data, **how)  # type: ignore[arg-type]
    assert isinstance(examined, Examined), examined
    return examined


def pixel(png: bytes | None, mode: str = "RGB") -> object:
    from PIL import Image

    assert png is not None
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.convert(mode).getpixel((image.width - 1, image.height - 1))


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P", "1"])
def test_a_sound_png_stays_as_it_is(mode: str) -> None:
    assert examine(saved(drawn(mode), "PNG")) == Examined("PNG", "image/png", 12, 8, None, ())


@pytest.mark.parametrize(("kind", "media_type"), [("JPEG", "image/jpeg"), ("WEBP", "image/webp")])
def test_so_does_a_sound_jpeg_or_webp(kind: str, media_type: str) -> None:
    assert examine(saved(drawn(), kind)) == Examined(kind, media_type, 12, 8, None, ())


@pytest.mark.parametrize(
    ("data", "note"),
    [
        (animated("GIF"), "animated: its first frame is taken"),
        (animated("WEBP"), "animated: its first frame is taken"),
        (animated("PNG"), "animated: its first frame is taken"),
        (saved(drawn("CMYK"), "JPEG"), "CMYK made RGB"),
        (saved(drawn("I;16"), "PNG"), "16 or more bits a channel made 8"),
        (deep_colours(), "16 or more bits a channel made 8"),
        (clear_palette(), "palette with transparency made RGBA"),
        (turned(), "turned as its EXIF data say"),
        (saved(drawn(), "GIF"), "GIF made PNG"),
        (saved(drawn(), "BMP"), "BMP made PNG"),
    ],
)
def test_images_that_services_could_misread_are_reencoded_with_a_note(data: bytes, note: str) -> None:
    examined = found(data)
    assert note in examined.notes and examined.media_type == "image/png"
    again = found(examined.png or b"")
    assert (again.format, again.png, again.notes) == ("PNG", None, ())
    assert (again.width, again.height) == (examined.width, examined.height)


def test_reencoded_images_show_the_same() -> None:
    assert pixel(found(animated("GIF")).png) == pixel(found(animated("PNG")).png) == (255, 0, 0)
    assert pixel(found(saved(drawn("I;16"), "PNG")).png, "L") == 0x80
    assert pixel(found(deep_colours()).png) == (0x80, 0x40, 0xFF)
    red = pixel(found(saved(drawn("CMYK"), "JPEG", quality=95)).png)
    assert isinstance(red, tuple) and abs(red[0] - 200) < 12 and abs(red[1] - 40) < 12
    upright = found(turned())
    assert (upright.width, upright.height) == (8, 12)


UNUSABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", "the file is empty"),
    "words": (lambda: b"not an image at all", "no image of a kind that is read"),
    "svg": (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image of a kind that is read"),
    "postscript": (lambda: b"%!PS-Adobe-3.0 EPSF-3.0\n", "no image of a kind that is read"),
    "tiff": (lambda: saved(drawn(), "TIFF"), "no image of a kind that is read"),
    "half a png": (lambda: saved(drawn(), "PNG")[:60], "cannot be decoded"),
    "half a jpeg": (lambda: saved(drawn(size=(300, 300)), "JPEG")[:700], "cannot be decoded"),
    "half a webp": (lambda: saved(drawn(), "WEBP")[:40], "cannot be decoded"),
    "no width": (lambda: png_of(0, 8, 8, 2, b""), "no image of a kind that is read"),
    "a bomb": (bomb, "far more than 36,000,000 pixels"),
    "a smaller bomb": (lambda: bomb(9_000, 9_000), "9,000 x 9,000 pixels; at most 36,000,000 are decoded"),
    "a very large bomb": (lambda: bomb(400_000, 400_000), "pixels"),
    "a webp bomb": (lambda: webp_bomb(b"VP8X"), "16,000 x 16,000 pixels"),
    "a lossless webp bomb": (lambda: webp_bomb(b"VP8L"), "16,000 x 16,000 pixels"),
    "a lossy webp bomb": (lambda: webp_bomb(b"VP8 "), "16,000 x 16,000 pixels"),
    "a bomb in a text": (text_bomb, "cannot be decoded"),
    "a large file": (lambda: bytes(MOST_BYTES + 1), "at most 50,000,000 are read"),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_unusable_images_have_a_reason(what: str) -> None:
    made, reason = UNUSABLE[what]
    examined = examine(made())
    assert isinstance(examined, Unreadable) and reason in examined.reason


def test_a_image_is_made_smaller_only_on_request() -> None:
    data = saved(drawn(size=(400, 100)), "JPEG")
    assert found(data).png is None and found(data, longest_side=400).png is None
    small = found(data, longest_side=100)
    assert (small.width, small.height, small.notes) == (100, 25, ("shrunk from 400x100 to 100x25",))
    assert found(small.png or b"").width == 100
    thin = found(saved(drawn(size=(400, 2)), "PNG"), longest_side=40)
    assert (thin.width, thin.height) == (40, 1)


def test_other_formats_become_png_if_required() -> None:
    assert found(saved(drawn(), "PNG"), as_png=True).png is None
    made = found(saved(drawn(), "JPEG"), as_png=True)
    assert made.notes == ("JPEG made PNG",) and found(made.png or b"").format == "PNG"


def test_without_the_extra_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(UsageError, match="not installed") as error:
        image_decoder.require_pillow()
    assert 'pip install "tsgkit[images]"' in (error.value.hint or "")


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


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
def test_the_largest_image_takes_memory_that_is_bounded_by_its_pixels(tmp_path: Path) -> None:
    side = int(MOST_PIXELS**0.5)
    (tmp_path / "large.jpg").write_bytes(saved(drawn("CMYK", (side, side)), "JPEG"))
    assert 4 < taken(tmp_path / "large.jpg", "CMYK made RGB") / MOST_PIXELS < 9, "bytes for each pixel"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured as Linux tells it")
@pytest.mark.parametrize(
    ("sides", "bits", "colours", "notes"),
    [
        ((6000, 1500), 8, 2, ()),
        ((6000, 750), 16, 2, ("16 or more bits a channel made 8",)),
        ((6000, 2250), 16, 0, ("16 or more bits a channel made 8",)),
        ((6000, 4500), 8, 3, ("palette with transparency made RGBA",)),
    ],
    ids=["colours", "deep colours", "deep greys", "palette with transparency"],
)
def test_a_png_of_27_mb_takes_less_than_300_mb(
    tmp_path: Path, sides: tuple[int, int], bits: int, colours: int, notes: tuple[str, ...]
) -> None:
    wide, high = sides
    line = wide * bits // 8 * (3 if colours == 2 else 1)
    noise = Random(7).randbytes(line)
    rows = b"".join(b"\0" + noise[turn:] + noise[:turn] for turn in (row * 7919 % line for row in range(high)))
    (tmp_path / "large.png").write_bytes(png_of(wide, high, bits, colours, rows, level=0))
    assert 26e6 < (tmp_path / "large.png").stat().st_size < 28e6
    assert taken(tmp_path / "large.png", *notes) < 300e6


def test_pixels_that_are_decoded_at_a_time_are_bounded_over_all_threads() -> None:
    budget, held, most = PixelBudget(100), Counter[str](), 0
    lock = threading.Lock()

    def decode(pixels: int) -> None:
        nonlocal most
        for _ in range(20):
            with budget.taken(pixels):
                with lock:
                    held["pixels"] += pixels
                    most = max(most, held["pixels"])
                with lock:
                    held["pixels"] -= pixels

    threads = [threading.Thread(target=decode, args=(pixels,)) for pixels in (100, 60, 40, 40, 20, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 0 < most <= 100


def test_a_decode_that_hangs_holds_its_own_pixels_alone() -> None:
    budget, hangs, ends = PixelBudget(100), threading.Event(), threading.Event()

    def hang() -> None:
        with budget.taken(30):
            hangs.set()
            ends.wait()

    thread = threading.Thread(target=hang)
    thread.start()
    hangs.wait()
    with budget.taken(70):
        pass
    ends.set()
    thread.join()
    with budget.taken(100):
        pass


def test_filters_of_warnings_are_as_before_once_all_threads_have_decoded() -> None:
    before, data = list(warnings.filters), saved(drawn(size=(400, 300)), "PNG")
    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(lambda _: examine(data), range(60)))) == 1
    assert warnings.filters == before
