"""Folders of images: found by id, never by position; nothing outside is read; every oddity has its outcome."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from drawn_images import animated, drawn, saved
from hypothesis import given, settings
from hypothesis import strategies as st
from image_server import png

from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm.images import MOST_BYTES, ImageFile, bytes_of
from tsgkit.suites.image_decoder import Examined, Unreadable, examine
from tsgkit.suites.images import ImageFolder, Looked, Missing, is_file_id, keep_image

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


def looked(folder: Path, item_id: str, longest_side: int | None = None) -> Looked:
    return ImageFolder("model", folder, folder.parent / "kept", longest_side).look(item_id)


def seen(folder: Path, item_id: str, longest_side: int | None = None) -> ImageFile:
    found = looked(folder, item_id, longest_side)
    assert isinstance(found, ImageFile), found
    return found


def test_an_image_is_found_by_its_id_and_a_missing_one_shifts_no_other(folder: Path) -> None:
    for name in ("0.png", "1.PNG", "3.Png", "10.png", "old.png", "notes.txt", ".DS_Store", "paintings.jsonl"):
        (folder / name).write_bytes(png(name))
    (folder / "drawings").mkdir()
    found = ImageFolder("model", folder, folder.parent / "kept")
    for item_id, name in (("0", "0.png"), ("1", "1.PNG"), ("3", "3.Png"), ("10", "10.png")):
        image = found.look(item_id)
        assert isinstance(image, ImageFile) and bytes_of(image) == png(name)
        assert (image.width, image.height, image.path, image.notes) == (8, 6, (folder / name).resolve(), ())
    assert found.look("2") == found.look("01") == Missing()
    assert found.stray(["0", "1", "2", "3", "10"]) == ("notes.txt", "old.png")
    assert not (folder.parent / "kept").exists(), "nothing is written without re-encoding"
    (folder.parent / "link").symlink_to(folder)
    assert bytes_of(seen(folder.parent / "link", "0")) == png("0.png"), "the folder may be a link itself"


def test_an_id_is_never_a_path_and_every_other_id_a_name(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes(png("secret"))
    (folder / "sub").mkdir()
    (folder / "sub/7.png").write_bytes(png("seven"))
    for item_id in HOSTILE:
        assert not is_file_id(item_id), item_id
        found = looked(folder, item_id)
        assert isinstance(found, Unreadable) and "cannot be the name of an image" in found.reason, item_id
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
            assert isinstance(found, Unreadable)


@given(st.binary(max_size=200), st.integers(0, 70), st.integers(0, 255))
@settings(max_examples=50)
def test_whatever_bytes_hold_they_are_an_image_or_a_reason(data: bytes, place: int, value: int) -> None:
    good = bytearray(png("a cup"))
    good[place % len(good)] = value
    for tried in (data, bytes(good), bytes(good[:place]), bytes(good) + data, png("x")[:8] + data):
        assert isinstance(examine(tried), (Examined, Unreadable))


def test_files_that_are_no_single_image_within_the_folder_say_why(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes(png("secret"))
    for name, target in (
        ("out", folder.parent / "secret.png"),
        ("in", "7.png"),
        ("none", "gone.png"),
        ("ring", "ring.png"),
    ):
        (folder / f"{name}.png").symlink_to(target)
    for name in ("7", "8", "closed"):
        (folder / f"{name}.png").write_bytes(png("seven"))
    (folder / "8.JPG").write_bytes(saved(drawn(), "JPEG"))
    (folder / "text.png").write_text("a red cup")
    os.mkfifo(folder / "pipe.png")
    (folder / "huge.png").touch()
    os.truncate(folder / "huge.png", MOST_BYTES + 1)
    (folder / "closed.png").chmod(0)
    (folder / "dir.png").mkdir()
    assert bytes_of(seen(folder, "in")) == png("seven")
    assert looked(folder, "none") == looked(folder, "dir") == Missing()
    for name, reason in (
        ("out", "out.png is outside the folder"),
        ("8", "several files have this id: 8.JPG, 8.png"),
        ("pipe", "pipe.png is no file"),
        ("huge", "huge.png: the file has 50,000,001 bytes; at most 50,000,000 are read"),
        ("closed", "closed.png cannot be read: Permission denied"),
    ):
        assert looked(folder, name) == Unreadable(reason) or (name == "closed" and os.geteuid() == 0), name
    for name, reason in (("text", "no image of a kind"), ("ring", "ring.png cannot be read")):
        found = looked(folder, name)
        assert isinstance(found, Unreadable) and reason in found.reason


def test_content_overrides_the_file_ending_and_other_formats_become_png(folder: Path) -> None:
    for name, kind in (("7.png", "JPEG"), ("8.jpeg", "JPEG"), ("9.gif", "GIF"), ("10.bmp", "BMP"), ("11.GIF", "GIF")):
        (folder / name).write_bytes(saved(drawn(), kind))
    assert (seen(folder, "7").media_type, seen(folder, "7").notes) == ("image/jpeg", ("named 7.png, but holds JPEG",))
    assert seen(folder, "8").notes == ()
    for item_id, kind in (("9", "GIF"), ("10", "BMP"), ("11", "GIF")):
        image = seen(folder, item_id)
        assert image.notes == (f"{kind} made PNG",) and bytes_of(image).startswith(b"\x89PNG"), item_id


def test_a_reencoded_image_is_kept_once_under_its_sha256_and_written_again_if_damaged(folder: Path) -> None:
    (folder / "7.webp").write_bytes(animated("WEBP"))
    (folder / "8.png").write_bytes(animated("WEBP"))
    found = ImageFolder("model", folder, folder.parent / "kept")
    first, again, other = found.look("7"), found.look("7"), found.look("8")
    assert isinstance(first, ImageFile) and isinstance(other, ImageFile)
    assert again is first and other == first and first.notes == ("animated: its first frame is taken",)
    assert other.notes == ("named 8.png, but holds WEBP", "animated: its first frame is taken")
    assert [path.name for path in (folder.parent / "kept").iterdir()] == [f"{first.sha256}.png"]
    assert bytes_of(first).startswith(b"\x89PNG") and first.media_type == "image/png"
    first.path.write_bytes(b"torn")
    assert bytes_of(seen(folder, "7"))
    first.path.unlink()
    assert bytes_of(seen(folder, "7"))


def test_an_image_that_is_replaced_is_looked_at_again_and_made_smaller_on_request(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven", width=64, height=32))
    found = ImageFolder("model", folder, folder.parent / "kept")
    before = found.look("7")
    small = seen(folder, "7", longest_side=16)
    assert (small.width, small.height, small.notes) == (16, 8, ("shrunk from 64x32 to 16x8",))
    assert seen(folder, "7", longest_side=64) == before
    (folder / "7.png").write_bytes(png("another", width=20))
    after = found.look("7")
    assert isinstance(after, ImageFile) and (after.width, bytes_of(after)) == (20, png("another", width=20))
    (folder / "7.png").unlink()
    assert found.look("7") == Missing()


def test_folders_that_cannot_be_used_are_refused(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    with pytest.raises(FileProblem, match="no such folder") as error:
        ImageFolder("model", folder.parent / "picturs", folder.parent / "kept")
    assert "pictures" in error.value.hint
    for path, longest, message in ((folder / "7.png", None, "a file, not a folder"), (folder, 0, "at least 1")):
        with pytest.raises(UsageError, match=message):
            ImageFolder("model", path, folder.parent / "kept", longest)
    (folder.parent / "kept").touch()
    with pytest.raises(FileProblem, match="images cannot be stored here"):
        keep_image(folder.parent / "kept", png("seven"), (8, 6))
