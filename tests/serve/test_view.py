"""Runs in the browser from Python: served while a program works, or written as a file."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

import pytest
from drawn_images import drawn, saved

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.report.thumbnails import thumbnail
from tsgkit.serve.exported_page import ImageAddresses

pytest.importorskip("uvicorn", reason="the extra view is not installed")


def test_a_view_is_served_until_it_is_closed(finished: Path) -> None:
    with tk.view(finished, annotator="ann") as page:
        address = page.address.partition("#")[0]
        with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310
            assert answer.status == 200
        assert f'href="{page.address}"' in page._repr_html_()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=20)  # noqa: S310


def test_an_opened_run_is_viewed_and_written(finished: Path, tmp_path: Path) -> None:
    run = tk.open_run(finished)
    told: list[tuple[int, int]] = []
    written = tk.write_view(run, tmp_path / "mine.html", progress=lambda done, total: told.append((done, total)))
    assert written.read_text().startswith("<!doctype html>")
    assert told[-1] == (len(run.samples), len(run.samples))


@pytest.mark.parametrize("name", ["x.txt", "no/such/folder/x.html"])
def test_a_page_is_written_only_where_it_can_be(name: str, finished: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        tk.write_view(finished, tmp_path / name)


def test_images_are_made_small_or_named_where_they_lie(tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="the extra view is not installed")
    (tmp_path / "odd names").mkdir()
    image = tmp_path / "odd names" / "a #1?.png"
    image.write_bytes(saved(drawn(size=(1500, 900)), "PNG"))
    (linked,) = ImageAddresses(tmp_path / "out.html", linked=True).urls({"image": image})
    assert linked == ("image", "odd%20names/a%20%231%3F.png")
    (small,) = ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})
    assert small[1].startswith("data:image/jpeg;base64,")
    assert len(small[1]) < 60_000


@pytest.mark.parametrize("content", [b"", b"no image", b"\x89PNG\r\n\x1a\n cut"])
def test_an_image_that_cannot_be_read_is_left_out(content: bytes, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="the extra view is not installed")
    image = tmp_path / "broken.png"
    image.write_bytes(content)
    assert thumbnail(image) == ""
    assert list(ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})) == []
