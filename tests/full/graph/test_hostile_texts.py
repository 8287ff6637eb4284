"""Long hostile texts, read to their end in a time that grows with their length."""

from __future__ import annotations

from hostile_texts import hostile_texts

from tsgkit.graph import read


def test_a_long_hostile_text_is_read_to_its_end() -> None:
    for kind, text in hostile_texts(10_000).items():
        reading = read(text, 5)
        assert reading.notes or kind == "parts", kind
        assert all(len(note.text) < 200 for note in reading.notes), kind
