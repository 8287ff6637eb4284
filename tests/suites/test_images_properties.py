"""Whatever an id is, nothing outside the folder is read, and an image is found exactly where it is named after it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from image_server import png

from tsgkit.llm.images import ImageFile, bytes_of
from tsgkit.suites.image_decoder import Examined, Unreadable, examine
from tsgkit.suites.images import ImageFolder, Missing, is_file_id

IDS = st.one_of(st.text(max_size=40), st.text("./\\ab\0", max_size=12))


@given(IDS)
def test_an_id_is_a_name_in_the_folder_or_nothing(item_id: str) -> None:
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


@given(st.sets(st.sampled_from("abcdefgh")), st.sampled_from("abcdefgh"))
def test_a_image_is_that_of_its_id_whichever_others_there_are(there: set[str], wanted: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        for name in there:
            (Path(place) / f"{name}.png").write_bytes(png(name))
        found = ImageFolder("model", place, Path(place) / "kept").look(wanted)
        assert bytes_of(found) == png(wanted) if isinstance(found, ImageFile) else found == Missing()
        assert isinstance(found, ImageFile) == (wanted in there)


@given(st.binary(max_size=200), st.integers(0, 70), st.integers(0, 255))
def test_whatever_bytes_hold_they_are_a_image_or_a_reason(data: bytes, place: int, value: int) -> None:
    good = bytearray(png("a cup"))
    good[place % len(good)] = value
    for tried in (data, bytes(good), bytes(good[:place]), bytes(good) + data, png("x")[:8] + data):
        assert isinstance(examine(tried), (Examined, Unreadable))
