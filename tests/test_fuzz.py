"""A run of the fuzzer (``make fuzz``: a long one), and planted faults that it must find."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from fuzzing import LOADERS, TIMES, Fault, load_spoilt, made_up, put_through, run
from reader_promises import CHECKS, Broken, Check, check_reading
from refusals import refusal

from tsgkit.graph.reading import read


def fault_found(check: Check) -> Fault:
    failure = run(300, 1, {"planted": check}).failure
    assert failure is not None
    return failure[1]


def test_readers_and_loaders_keep_their_word_on_made_up_texts_and_mutated_files() -> None:
    count = 60 * TIMES
    tally = run(count, seed=TIMES)
    assert (tally.failure, tally.texts) == (None, count)
    assert tally.calls > count * len(CHECKS)
    spoilt = {name: load_spoilt(name, loader, 8 * TIMES, seed=TIMES) for name, loader in LOADERS.items()}
    assert {name: fault for name, fault in spoilt.items() if fault} == {}
    assert made_up(3, 7) == made_up(3, 7) != made_up(4, 7)


def test_a_reader_that_raises_or_hangs_is_found() -> None:
    def raising(text: str) -> int:
        if "**" in text:
            raise IndexError("two stars")
        return 1

    def hanging(text: str) -> int:
        while text:
            with contextlib.suppress(Exception):  # a reader that takes every error for its own
                read(text)
        return 1

    assert fault_found(raising) == Fault("raises IndexError", "two stars")
    assert put_through(hanging, "person", seconds=0.1) == Fault("does not end", "not within 0.1 s")


def test_a_reader_that_drops_lines_or_words_is_found() -> None:
    def without_first_note(text: str) -> int:
        reading = read(text)
        check_reading(text, replace(reading, notes=reading.notes[1:]))
        return 1

    def without_first_graph(text: str) -> int:
        reading = read(text)
        check_reading(text, replace(reading, graphs=reading.graphs[1:], lines=reading.lines[1:]))
        return 1

    for dropping in (without_first_note, without_first_graph):
        assert fault_found(dropping).kind == "no line is dropped", dropping
    text = '[["person", "verb", "wash"],\n"a word",\n["wash", "dobj", "cup"'
    reading = read(text)
    check_reading(text, reading)
    silent = replace(reading, notes=tuple(note for note in reading.notes if "a word" not in note.text))
    assert "no line is dropped" in refusal(Broken, check_reading, text, silent)
