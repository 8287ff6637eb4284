"""Images are found by id and decoded by content; nothing outside a folder is read; every oddity has its reason."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from io import BytesIO
from pathlib import Path

import pytest
from drawn_images import animated, bomb, clear_palette, deep_colours, drawn, png_of, saved, text_bomb, turned, webp_bomb
from hypothesis import given, settings
from hypothesis import strategies as st
from image_server import png
from PIL import Image

from tsgkit.errors import FileProblem
from tsgkit.llm.image_decoder import Examined, PixelBudget, UndecodableImage, examine
from tsgkit.llm.images import MOST_IMAGE_BYTES, ImageFile, bytes_of
from tsgkit.suites.images import ImageFolder, Looked, MissingImage, is_file_id, keep_image

HOSTILE = (
    *("", ".", "..", "../secret", "..\\secret", "/etc/passwd", "sub/7", "./7", "7/", "7\0", "7\n", "\x7f", ".hidden"),
    *("a/../7", "x" * 201, "é" * 101, "\ud800", "C:\\7", "~/7"),
)
NAMES = ("a b", "a.b", "7", "é", "*", "?", "[7]", "~", "$HOME", "-o", "a:b", "x" * 200)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "pictures"
    path.mkdir()
    return path


def looked(folder: Path, item_id: str) -> Looked:
    return ImageFolder("model", folder, folder.parent / "kept").look(item_id)


def seen(folder: Path, item_id: str) -> ImageFile:
    found = looked(folder, item_id)
    assert isinstance(found, ImageFile), found
    return found


def test_an_image_is_found_by_its_id_which_is_never_a_path_and_a_missing_one_shifts_no_other(folder: Path) -> None:
    for name in ("0.png", "1.PNG", "10.png", "old.png", "notes.txt", ".DS_Store", "calls.jsonl"):
        (folder / name).write_bytes(png(name))
    (folder / "drawings").mkdir()
    (folder.parent / "link").symlink_to(folder)
    found = ImageFolder("model", folder.parent / "link", folder.parent / "kept")
    for item_id, name in (("0", "0.png"), ("1", "1.PNG"), ("10", "10.png")):
        image = found.look(item_id)
        assert isinstance(image, ImageFile) and bytes_of(image) == png(name)
        assert (image.width, image.height, image.path, image.notes) == (8, 6, (folder / name).resolve(), ())
    assert found.look("2") == found.look("01") == MissingImage()
    assert found.stray(["0", "1", "2", "10"]) == ("notes.txt", "old.png")
    assert not (folder.parent / "kept").exists(), "nothing is written without re-encoding"
    (folder.parent / "secret.png").write_bytes(png("secret"))
    (folder / "sub").mkdir()
    (folder / "sub/7.png").write_bytes(png("seven"))
    for item_id in HOSTILE:
        assert not is_file_id(item_id), item_id
        refused = looked(folder, item_id)
        assert isinstance(refused, UndecodableImage) and "cannot be the name of an image" in refused.reason, item_id
    for item_id in NAMES:
        (folder / f"{item_id}.png").write_bytes(png(item_id))
        assert bytes_of(seen(folder, item_id)) == png(item_id), item_id


@given(st.one_of(st.text(max_size=40), st.text("./\\ab\0", max_size=12)))
@settings(max_examples=40)
def test_no_id_reads_anything_outside_the_folder(item_id: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        outer = Path(place)
        (outer / "inner/deep").mkdir(parents=True)
        for name in ("a", "b", "ab"):
            (outer / f"{name}.png").write_bytes(png("outside"))
            (outer / f"inner/deep/{name}.png").write_bytes(png("too deep"))
        if is_file_id(item_id):
            (outer / "inner" / f"{item_id}.png").write_bytes(png("inside"))
        found = ImageFolder("model", outer / "inner", outer / "kept").look(item_id)
        if is_file_id(item_id):
            assert isinstance(found, ImageFile) and bytes_of(found) == png("inside")
        else:
            assert isinstance(found, UndecodableImage)


@given(st.binary(max_size=200), st.integers(0, 70), st.integers(0, 255))
@settings(max_examples=50)
def test_whatever_bytes_hold_they_are_an_image_or_a_reason(data: bytes, place: int, value: int) -> None:
    good = bytearray(png("a cup"))
    good[place % len(good)] = value
    for tried in (data, bytes(good), bytes(good[:place]), bytes(good) + data, png("x")[:8] + data):
        assert isinstance(examine(tried), (Examined, UndecodableImage))


def test_files_that_are_no_single_image_within_the_folder_say_why(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes(png("secret"))
    for name, target in {"out": "../secret.png", "in": "7.png", "none": "gone.png", "ring": "ring.png"}.items():
        (folder / f"{name}.png").symlink_to(target)
    for name in ("7", "8", "closed"):
        (folder / f"{name}.png").write_bytes(png("seven"))
    (folder / "8.JPG").write_bytes(saved(drawn(), "JPEG"))
    (folder / "text.png").write_text("a red cup")
    os.mkfifo(folder / "pipe.png")
    (folder / "huge.png").touch()
    os.truncate(folder / "huge.png", MOST_IMAGE_BYTES + 1)
    (folder / "closed.png").chmod(0)
    (folder / "dir.png").mkdir()
    assert bytes_of(seen(folder, "in")) == png("seven")
    assert looked(folder, "none") == looked(folder, "dir") == MissingImage()
    for name, reason in (
        ("out", "out.png is outside the folder"),
        ("8", "several files have this id: 8.JPG, 8.png"),
        ("pipe", "pipe.png is no file"),
        ("huge", "huge.png: the file has 50,000,001 bytes; at most 50,000,000 are read"),
        ("closed", "closed.png cannot be read: Permission denied"),
    ):
        assert looked(folder, name) == UndecodableImage(reason) or (name == "closed" and os.geteuid() == 0), name
    for name, reason in (("text", "no image of a kind"), ("ring", "ring.png cannot be read")):
        found = looked(folder, name)
        assert isinstance(found, UndecodableImage) and reason in found.reason


def test_a_reencoded_image_is_kept_once_and_a_replaced_one_looked_at_again(folder: Path) -> None:
    for name, kind in (("7.png", "JPEG"), ("8.jpeg", "JPEG"), ("9.GIF", "GIF"), ("10.bmp", "BMP")):
        (folder / name).write_bytes(saved(drawn(), kind))
    assert (seen(folder, "7").media_type, seen(folder, "7").notes) == ("image/jpeg", ("named 7.png, but holds JPEG",))
    assert [seen(folder, item_id).notes for item_id in ("8", "9", "10")] == [(), ("GIF made PNG",), ("BMP made PNG",)]
    shutil.rmtree(folder.parent / "kept")
    for name in ("11.webp", "12.png"):
        (folder / name).write_bytes(animated("WEBP"))
    found = ImageFolder("model", folder, folder.parent / "kept")
    first, again, other = found.look("11"), found.look("11"), found.look("12")
    assert isinstance(first, ImageFile) and isinstance(other, ImageFile)
    assert again is first and other == first and first.notes == ("animated: its first frame is taken",)
    assert other.notes == ("named 12.png, but holds WEBP", "animated: its first frame is taken")
    assert [path.name for path in (folder.parent / "kept").iterdir()] == [f"{first.sha256}.png"]
    assert bytes_of(first).startswith(b"\x89PNG") and first.media_type == "image/png"
    first.path.write_bytes(b"torn")
    assert bytes_of(seen(folder, "11"))
    first.path.unlink()
    assert bytes_of(seen(folder, "11"))
    (folder / "7.png").write_bytes(png("seven", width=64, height=32))
    found = ImageFolder("model", folder, folder.parent / "kept")
    before = found.look("7")
    assert seen(folder, "7") == before
    (folder / "7.png").write_bytes(png("another", width=20))
    after = found.look("7")
    assert isinstance(after, ImageFile) and (after.width, bytes_of(after)) == (20, png("another", width=20))
    (folder / "7.png").unlink()
    assert found.look("7") == MissingImage()


def test_folders_that_cannot_be_used_are_refused(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    with pytest.raises(FileProblem, match="no such folder") as error:
        ImageFolder("model", folder.parent / "picturs", folder.parent / "kept")
    assert "pictures" in error.value.hint
    with pytest.raises(FileProblem, match="a file, not a folder"):
        ImageFolder("model", folder / "7.png", folder.parent / "kept")
    (folder.parent / "kept").touch()
    with pytest.raises(FileProblem, match="images cannot be stored here"):
        keep_image(folder.parent / "kept", png("seven"), (8, 6))


def decoded(data: bytes, *, as_png: bool = False) -> Examined:
    examined = examine(data, as_png=as_png)
    assert isinstance(examined, Examined), examined
    return examined


def pixel(png: bytes | None, mode: str = "RGB") -> object:
    assert png is not None
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.convert(mode).getpixel((image.width - 1, image.height - 1))


def test_images_that_services_could_misread_are_reencoded_with_a_note_and_show_the_same() -> None:
    for data, note in (
        *((animated(kind), "animated: its first frame is taken") for kind in ("GIF", "WEBP", "PNG")),
        (saved(drawn("CMYK"), "JPEG"), "CMYK made RGB"),
        (saved(drawn("I;16"), "PNG"), "16 or more bits a channel made 8"),
        (deep_colours(), "16 or more bits a channel made 8"),
        (clear_palette(), "palette with transparency made RGBA"),
        (turned(), "turned as its EXIF data say"),
        *((saved(drawn(), kind), f"{kind} made PNG") for kind in ("GIF", "BMP")),
    ):
        examined = decoded(data)
        assert (note in examined.notes, examined.media_type) == (True, "image/png"), examined
        again = decoded(examined.png or b"")
        assert (again.format, again.png, again.notes) == ("PNG", None, ()), note
        assert (again.width, again.height) == (examined.width, examined.height), note
    assert pixel(decoded(animated("GIF")).png) == pixel(decoded(animated("PNG")).png) == (255, 0, 0)
    assert pixel(decoded(saved(drawn("I;16"), "PNG")).png, "L") == 0x80
    assert pixel(decoded(deep_colours()).png) == (0x80, 0x40, 0xFF)
    red = pixel(decoded(saved(drawn("CMYK"), "JPEG", quality=95)).png)
    assert isinstance(red, tuple) and abs(red[0] - 200) < 12 and abs(red[1] - 40) < 12
    upright = decoded(turned())
    assert (upright.width, upright.height) == (8, 12)
    for mode in ("RGB", "RGBA", "L", "LA", "P", "1"):
        assert examine(saved(drawn(mode), "PNG")) == Examined("PNG", "image/png", 12, 8, None, ()), mode
    for kind, media_type in (("JPEG", "image/jpeg"), ("WEBP", "image/webp")):
        assert examine(saved(drawn(), kind)) == Examined(kind, media_type, 12, 8, None, ()), "a sound one stays"


def test_unusable_images_have_a_reason_and_others_become_smaller_or_png_only_on_request() -> None:
    rows: list[tuple[Callable[[], bytes], str]] = [
        (lambda: b"", "the file is empty"),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no image of a kind that is read"),
        (lambda: saved(drawn(), "TIFF"), "no image of a kind that is read"),
        (lambda: saved(drawn(), "PNG")[:60], "cannot be decoded"),
        (lambda: saved(drawn(size=(300, 300)), "JPEG")[:700], "cannot be decoded"),
        (lambda: png_of(0, 8, 8, 2, b""), "no image of a kind that is read"),
        (bomb, "far more than 36,000,000 pixels"),
        (lambda: bomb(9_000, 9_000), "9,000 x 9,000 pixels; at most 36,000,000 are decoded"),
        (lambda: webp_bomb(b"VP8X"), "16,000 x 16,000 pixels"),
        (lambda: webp_bomb(b"VP8L"), "16,000 x 16,000 pixels"),
        (lambda: webp_bomb(b"VP8 "), "16,000 x 16,000 pixels"),
        (text_bomb, "cannot be decoded"),
        (lambda: bytes(MOST_IMAGE_BYTES + 1), "at most 50,000,000 are read"),
    ]
    for number, (made, reason) in enumerate(rows):
        examined = examine(made())
        assert isinstance(examined, UndecodableImage) and reason in examined.reason, (number, reason)
    data = saved(drawn(size=(400, 100)), "JPEG")
    assert decoded(data).png is None
    assert decoded(saved(drawn(), "PNG"), as_png=True).png is None
    converted = decoded(saved(drawn(), "JPEG"), as_png=True)
    assert converted.notes == ("JPEG made PNG",) and decoded(converted.png or b"").format == "PNG"


def test_pixels_that_are_decoded_at_a_time_are_bounded_over_all_threads() -> None:
    budget, hangs, ends = PixelBudget(100), threading.Event(), threading.Event()

    def hang() -> None:
        with budget.taken(30):
            hangs.set()
            ends.wait()

    def decode(pixels: int) -> int:
        with budget.taken(pixels):
            return pixels

    with ThreadPoolExecutor(6) as pool:
        hanging = pool.submit(hang)
        hangs.wait()
        assert list(pool.map(decode, (70, 40, 20, 1))) == [70, 40, 20, 1]
        waiting = pool.submit(decode, 71)
        assert not wait([waiting], timeout=0.2).done, "30 and 71 are too many"
        ends.set()
        hanging.result()
        assert (waiting.result(), decode(100)) == (71, 100)
    before, data = list(warnings.filters), saved(drawn(size=(400, 300)), "PNG")
    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(lambda _: examine(data), range(60)))) == 1
    assert warnings.filters == before, "as before once all threads have decoded"
