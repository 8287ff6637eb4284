"""A longer run of the fuzzer, and long hostile texts, read to their end in a time that grows with their length."""

from __future__ import annotations

from fuzzing import load_spoilt, run
from hostile_texts import hostile_texts
from loader_promises import LOADERS

from tsgkit.graph import read


def test_readers_keep_their_word_on_many_made_up_texts() -> None:
    tally = run(300, seed=2)
    assert (tally.failure, tally.texts) == (None, 300)


def test_loaders_load_or_refuse_many_mutated_files() -> None:
    assert {name: wrong for name, loader in LOADERS.items() if (wrong := load_spoilt(name, loader, 20, seed=2))} == {}


def test_a_long_hostile_text_is_read_to_its_end() -> None:
    for kind, text in hostile_texts(30_000).items():
        reading = read(text, 5)
        assert reading.notes or kind == "parts", kind
        assert all(len(note.text) < 200 for note in reading.notes), kind
