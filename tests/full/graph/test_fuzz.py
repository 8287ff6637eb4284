"""A longer run of the fuzzer."""

from __future__ import annotations

from fuzzing import load_spoilt, run
from loader_promises import LOADERS


def test_every_reader_keeps_its_word_on_many_made_up_texts() -> None:
    tally = run(2000, seed=2)
    assert (tally.failure, tally.texts) == (None, 2000)


def test_loaders_load_or_refuse_many_mutated_files() -> None:
    assert {name: wrong for name, loader in LOADERS.items() if (wrong := load_spoilt(name, loader, 100, seed=2))} == {}
