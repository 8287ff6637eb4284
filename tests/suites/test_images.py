"""Folders of images: found by id, never by position; nothing outside is read; every oddity has its outcome."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from drawn_images import animated, drawn, saved
from image_server import png

from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm.images import MOST_BYTES, ImageFile, bytes_of
from tsgkit.suites.image_decoder import Unreadable
from tsgkit.suites.images import ImageFolder, Looked, Missing, is_file_id, keep_image


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


def reason(folder: Path, item_id: str) -> str:
    found = looked(folder, item_id)
    assert isinstance(found, Unreadable), found
    return found.reason


@pytest.mark.parametrize("name", ["7.png", "7.PNG", "7.Png"])
def test_a_image_is_found_by_its_id_whatever_the_case_of_its_ending(folder: Path, name: str) -> None:
    (folder / name).write_bytes(png("seven"))
    image = seen(folder, "7")
    assert bytes_of(image) == png("seven") and (image.width, image.height) == (8, 6)
    assert image.path == (folder / name).resolve() and image.notes == ()


def test_a_missing_image_shifts_no_other(folder: Path) -> None:
    for number in (0, 1, 3, 10):
        (folder / f"{number}.png").write_bytes(png(str(number)))
    (folder / "thumbnail.png").write_bytes(png("stray"))
    found = ImageFolder("model", folder, folder.parent / "kept")
    for number in (0, 1, 3, 10):
        image = found.look(str(number))
        assert isinstance(image, ImageFile) and bytes_of(image) == png(str(number))
    assert found.look("2") == Missing() and found.look("01") == Missing()


HOSTILE = (
    *("", ".", "..", "../secret", "..\\secret", "/etc/passwd", "sub/7", "./7", "7/", "7\0", "7\n", "\x7f", ".hidden"),
    *("a/../7", "x" * 201, "é" * 101, "\ud800", "C:\\7", "~/7"),
)


@pytest.mark.parametrize("item_id", HOSTILE)
def test_an_id_is_never_a_path(folder: Path, item_id: str) -> None:
    (folder.parent / "secret.png").write_bytes(png("secret"))
    (folder / "sub").mkdir()
    (folder / "sub/7.png").write_bytes(png("seven"))
    assert not is_file_id(item_id)
    assert "cannot be the name of an image" in reason(folder, item_id)


@pytest.mark.parametrize("item_id", ["a b", "a.b", "7", "é", "*", "?", "[7]", "~", "$HOME", "-o", "a:b", "x" * 200])
def test_every_other_id_is_a_name_as_it_stands(folder: Path, item_id: str) -> None:
    (folder / f"{item_id}.png").write_bytes(png(item_id))
    assert bytes_of(seen(folder, item_id)) == png(item_id)


def test_links_out_of_the_folder_are_refused_and_links_within_are_followed(folder: Path) -> None:
    (folder.parent / "secret.png").write_bytes(png("secret"))
    (folder / "7.png").symlink_to(folder.parent / "secret.png")
    (folder / "8.png").symlink_to("9.png")
    (folder / "9.png").write_bytes(png("nine"))
    (folder / "10.png").symlink_to("nowhere.png")
    (folder / "11.png").symlink_to("11.png")
    assert reason(folder, "7") == "7.png is outside the folder"
    assert bytes_of(seen(folder, "8")) == png("nine")
    assert looked(folder, "10") == Missing()
    assert "11.png cannot be read" in reason(folder, "11")


def test_a_folder_that_is_a_link_itself_is_taken(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    (folder.parent / "link").symlink_to(folder)
    assert bytes_of(seen(folder.parent / "link", "7")) == png("seven")


def test_two_files_of_one_id_are_named_and_neither_is_taken(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    (folder / "7.JPG").write_bytes(saved(drawn(), "JPEG"))
    assert reason(folder, "7") == "several files have this id: 7.JPG, 7.png"


def test_files_that_are_no_images_say_why(folder: Path) -> None:
    (folder / "empty.png").touch()
    (folder / "text.png").write_text("a red cup")
    (folder / "cut.png").write_bytes(png("cut")[:50])
    os.mkfifo(folder / "pipe.png")
    (folder / "huge.png").touch()
    os.truncate(folder / "huge.png", MOST_BYTES + 1)
    (folder / "closed.png").write_bytes(png("closed"))
    (folder / "closed.png").chmod(0)
    (folder / "dir.png").mkdir()
    assert reason(folder, "empty") == "empty.png: the file is empty"
    assert "no image of a kind" in reason(folder, "text") and "cannot be decoded" in reason(folder, "cut")
    assert reason(folder, "pipe") == "pipe.png is no file"
    assert reason(folder, "huge").endswith("50,000,001 bytes; at most 50,000,000 are read")
    assert looked(folder, "dir") == Missing()
    if os.geteuid():
        assert reason(folder, "closed") == "closed.png cannot be read: Permission denied"


def test_image_content_overrides_the_file_ending_with_a_note(folder: Path) -> None:
    (folder / "7.png").write_bytes(saved(drawn(), "JPEG"))
    (folder / "8.jpeg").write_bytes(saved(drawn(), "JPEG"))
    assert (seen(folder, "7").media_type, seen(folder, "7").notes) == ("image/jpeg", ("named 7.png, but holds JPEG",))
    assert seen(folder, "8").notes == ()


@pytest.mark.parametrize(("ending", "kind"), [(".gif", "GIF"), (".bmp", "BMP"), (".GIF", "GIF")])
def test_gif_and_bmp_files_are_found_and_made_png(folder: Path, ending: str, kind: str) -> None:
    (folder / f"7{ending}").write_bytes(saved(drawn(), kind))
    image = seen(folder, "7")
    assert image.notes == (f"{kind} made PNG",) and bytes_of(image).startswith(b"\x89PNG")


def test_a_image_that_was_made_anew_is_kept_once_under_its_sha256(folder: Path) -> None:
    (folder / "7.webp").write_bytes(animated("WEBP"))
    (folder / "8.png").write_bytes(animated("WEBP"))
    found = ImageFolder("model", folder, folder.parent / "kept")
    first, again, other = found.look("7"), found.look("7"), found.look("8")
    assert isinstance(first, ImageFile) and isinstance(other, ImageFile)
    assert again is first and other == first and first.notes == ("animated: its first frame is taken",)
    assert other.notes == ("named 8.png, but holds WEBP", "animated: its first frame is taken")
    assert [path.name for path in (folder.parent / "kept").iterdir()] == [f"{first.sha256}.png"]
    assert bytes_of(first).startswith(b"\x89PNG") and first.media_type == "image/png"


def test_damaged_reencoded_images_are_written_again(folder: Path) -> None:
    (folder / "7.webp").write_bytes(animated("WEBP"))
    first = seen(folder, "7")
    first.path.write_bytes(b"torn")
    assert bytes_of(seen(folder, "7"))
    first.path.unlink()
    assert bytes_of(seen(folder, "7"))


def test_a_image_that_is_replaced_is_looked_at_again(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    found = ImageFolder("model", folder, folder.parent / "kept")
    before = found.look("7")
    (folder / "7.png").write_bytes(png("another", width=20))
    after = found.look("7")
    assert isinstance(before, ImageFile) and isinstance(after, ImageFile) and before.sha256 != after.sha256
    (folder / "7.png").unlink()
    assert found.look("7") == Missing()


def test_a_image_is_made_smaller_on_request_and_says_so(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven", width=64, height=32))
    image = seen(folder, "7", longest_side=16)
    assert (image.width, image.height, image.notes) == (16, 8, ("shrunk from 64x32 to 16x8",))
    assert seen(folder, "7", longest_side=64).path == (folder / "7.png").resolve()


def test_stray_files_are_listed(folder: Path) -> None:
    for name in ("7.png", "8.png", "old.png", "notes.txt", ".DS_Store", "paintings.jsonl"):
        (folder / name).write_bytes(png(name))
    (folder / "drawings").mkdir()
    found = ImageFolder("model", folder, folder.parent / "kept")
    assert found.stray(["7", "8", "9"]) == ("notes.txt", "old.png")


def test_nothing_is_written_without_reencoding(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    seen(folder, "7")
    assert not (folder.parent / "kept").exists()


def test_a_folder_that_is_none_is_refused(folder: Path) -> None:
    (folder / "7.png").write_bytes(png("seven"))
    with pytest.raises(FileProblem, match="no such folder") as error:
        ImageFolder("model", folder.parent / "picturs", folder.parent / "kept")
    assert "pictures" in error.value.hint
    with pytest.raises(FileProblem, match="a file, not a folder"):
        ImageFolder("model", folder / "7.png", folder.parent / "kept")
    with pytest.raises(UsageError, match="at least 1"):
        ImageFolder("model", folder, folder.parent / "kept", 0)


def test_unwritable_folder_for_reencoded_images_is_reported(folder: Path) -> None:
    (folder.parent / "kept").touch()
    with pytest.raises(FileProblem, match="images cannot be stored here"):
        keep_image(folder.parent / "kept", png("seven"), (8, 6))
