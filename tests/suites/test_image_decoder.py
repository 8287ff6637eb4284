"""Decoding by content: sound images pass unchanged, odd ones are re-encoded with a note, others have a reason."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import pytest
from drawn_images import animated, bomb, clear_palette, deep_colours, drawn, png_of, saved, text_bomb, turned, webp_bomb
from PIL import Image

from tsgkit.errors import UsageError
from tsgkit.llm.images import MOST_BYTES
from tsgkit.suites import image_decoder
from tsgkit.suites.image_decoder import Examined, PixelBudget, Unreadable, examine


def found(data: bytes, **how: int) -> Examined:
    examined = examine(data, **how)  # type: ignore[arg-type]
    assert isinstance(examined, Examined), examined
    return examined


def pixel(png: bytes | None, mode: str = "RGB") -> object:
    assert png is not None
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.convert(mode).getpixel((image.width - 1, image.height - 1))


def test_a_sound_png_jpeg_or_webp_stays_as_it_is() -> None:
    for mode in ("RGB", "RGBA", "L", "LA", "P", "1"):
        assert examine(saved(drawn(mode), "PNG")) == Examined("PNG", "image/png", 12, 8, None, ()), mode
    for kind, media_type in (("JPEG", "image/jpeg"), ("WEBP", "image/webp")):
        assert examine(saved(drawn(), kind)) == Examined(kind, media_type, 12, 8, None, ())


def test_images_that_services_could_misread_are_reencoded_with_a_note() -> None:
    for data, note in (
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
    ):
        examined = found(data)
        assert (note in examined.notes, examined.media_type) == (True, "image/png"), examined
        again = found(examined.png or b"")
        assert (again.format, again.png, again.notes) == ("PNG", None, ()), note
        assert (again.width, again.height) == (examined.width, examined.height), note


def test_reencoded_images_show_the_same() -> None:
    assert pixel(found(animated("GIF")).png) == pixel(found(animated("PNG")).png) == (255, 0, 0)
    assert pixel(found(saved(drawn("I;16"), "PNG")).png, "L") == 0x80
    assert pixel(found(deep_colours()).png) == (0x80, 0x40, 0xFF)
    red = pixel(found(saved(drawn("CMYK"), "JPEG", quality=95)).png)
    assert isinstance(red, tuple) and abs(red[0] - 200) < 12 and abs(red[1] - 40) < 12
    upright = found(turned())
    assert (upright.width, upright.height) == (8, 12)


def test_unusable_images_have_a_reason() -> None:
    rows: list[tuple[Callable[[], bytes], str]] = [
        (lambda: b"", "the file is empty"),
        (lambda: b"not an image at all", "no image of a kind that is read"),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image of a kind that is read"),
        (lambda: saved(drawn(), "TIFF"), "no image of a kind that is read"),
        (lambda: saved(drawn(), "PNG")[:60], "cannot be decoded"),
        (lambda: saved(drawn(size=(300, 300)), "JPEG")[:700], "cannot be decoded"),
        (lambda: png_of(0, 8, 8, 2, b""), "no image of a kind that is read"),
        (bomb, "far more than 36,000,000 pixels"),
        (lambda: bomb(9_000, 9_000), "9,000 x 9,000 pixels; at most 36,000,000 are decoded"),
        (lambda: bomb(400_000, 400_000), "pixels"),
        (lambda: webp_bomb(b"VP8X"), "16,000 x 16,000 pixels"),
        (lambda: webp_bomb(b"VP8L"), "16,000 x 16,000 pixels"),
        (lambda: webp_bomb(b"VP8 "), "16,000 x 16,000 pixels"),
        (text_bomb, "cannot be decoded"),
        (lambda: bytes(MOST_BYTES + 1), "at most 50,000,000 are read"),
    ]
    for number, (made, reason) in enumerate(rows):
        examined = examine(made())
        assert isinstance(examined, Unreadable) and reason in examined.reason, (number, reason)


def test_images_become_smaller_or_png_only_on_request() -> None:
    data = saved(drawn(size=(400, 100)), "JPEG")
    assert found(data).png is None and found(data, longest_side=400).png is None
    small = found(data, longest_side=100)
    assert (small.width, small.height, small.notes) == (100, 25, ("shrunk from 400x100 to 100x25",))
    assert found(small.png or b"").width == 100
    thin = found(saved(drawn(size=(400, 2)), "PNG"), longest_side=40)
    assert (thin.width, thin.height) == (40, 1)
    assert found(saved(drawn(), "PNG"), as_png=True).png is None
    made = found(saved(drawn(), "JPEG"), as_png=True)
    assert made.notes == ("JPEG made PNG",) and found(made.png or b"").format == "PNG"


def test_without_the_extra_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(UsageError, match="not installed") as error:
        image_decoder.require_pillow()
    assert 'pip install "tsgkit[images]"' in (error.value.hint or "")


def test_pixels_that_are_decoded_at_a_time_are_bounded_over_all_threads() -> None:
    budget, lock, held, most = PixelBudget(100), threading.Lock(), 0, 0
    hangs, ends = threading.Event(), threading.Event()

    def decode(pixels: int) -> None:
        nonlocal held, most
        for _ in range(20):
            with budget.taken(pixels):
                with lock:
                    held += pixels
                    most = max(most, held)
                with lock:
                    held -= pixels

    def hang() -> None:
        with budget.taken(30):
            hangs.set()
            ends.wait()

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(decode, (100, 60, 40, 40, 20, 1)))
        assert 0 < most <= 100
        hanging = pool.submit(hang)
        hangs.wait()
        with budget.taken(70):
            pass
        ends.set()
        hanging.result()
        with budget.taken(100):
            pass


def test_filters_of_warnings_are_as_before_once_all_threads_have_decoded() -> None:
    before, data = list(warnings.filters), saved(drawn(size=(400, 300)), "PNG")
    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(lambda _: examine(data), range(60)))) == 1
    assert warnings.filters == before
