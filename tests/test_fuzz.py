"""A small run of the fuzzer, and planted faults that it must find."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import fuzzing
import pytest
import reader_promises
from fuzzing import Failure, Fault, load_spoilt, made_up, put_through, run, shrink
from loader_promises import LOADERS
from reader_promises import Broken, Check, check_reading, exact

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.graph.reading import Reading, read
from tsgkit.graph.reading.line_content import Note


def failure_of(check: Check, count: int = 300, seconds: float = 10) -> Failure:
    failure = run(count, 1, checks={"planted": check}, seconds=seconds).failure
    assert failure is not None
    return failure


@pytest.mark.slow
def test_every_reader_keeps_its_word_on_made_up_texts() -> None:
    tally = run(2000, seed=1)
    assert tally.failure is None, str(tally.failure)
    assert tally.texts == 2000
    assert tally.calls > 2000 * len(reader_promises.CHECKS)


@pytest.mark.parametrize("name", LOADERS)
def test_loader_loads_or_refuses_mutated_files(name: str) -> None:
    if "mesh" in LOADERS[name].name or "room" in name:
        pytest.importorskip("trimesh", reason="rooms need the extra: scenes")
    assert load_spoilt(name, LOADERS[name], 100, seed=1) == ""


def test_the_same_seed_and_number_give_the_same_text() -> None:
    assert [made_up(3, number) for number in range(50)] == [made_up(3, number) for number in range(50)]
    assert made_up(3, 7) != made_up(4, 7)


def test_a_reader_that_raises_is_found_with_the_shortest_text() -> None:
    def raising(text: str) -> int:
        if "**" in text:
            raise IndexError("two stars")
        return 1

    failure = failure_of(raising)
    assert failure.fault == Fault("raises IndexError", "two stars")
    assert failure.shortest == "**"


def test_a_reader_that_hangs_is_stopped_by_the_alarm() -> None:
    def hanging(text: str) -> int:
        while text:
            with contextlib.suppress(Exception):  # a reader that takes every error for its own
                read(text)
        return 1

    assert isinstance(outcome := put_through(hanging, "person", seconds=0.1), Fault)
    assert outcome.kind == "does not end"


def dropping_notes(reading: Reading) -> Reading:
    return replace(reading, notes=reading.notes[1:])


def dropping_graphs(reading: Reading) -> Reading:
    return replace(reading, graphs=reading.graphs[1:], lines=reading.lines[1:])


@pytest.mark.parametrize("drop", [dropping_notes, dropping_graphs])
def test_a_reader_that_drops_lines_is_found(drop: Callable[[Reading], Reading]) -> None:
    def dropping(text: str) -> int:
        check_reading(text, drop(read(text)))
        return 1

    failure = failure_of(dropping)
    assert failure.fault.kind == "no line is dropped"
    assert len(failure.shortest) < 30


def test_a_reader_that_drops_words_between_brackets_is_found() -> None:
    text = '[["person", "verb", "wash"],\n"a word",\n["wash", "dobj", "cup"'
    reading = read(text)
    check_reading(text, reading)
    silent = replace(reading, notes=tuple(note for note in reading.notes if "a word" not in note.text))
    with pytest.raises(Broken, match="no line is dropped"):
        check_reading(text, silent)


@pytest.mark.parametrize(
    ("spoil", "promise"),
    [
        (lambda reading: replace(reading, lines=((9, 2),)), "every place is inside the text"),
        (lambda reading: replace(reading, lines=((1,),)), "every triplet has a line"),
        (lambda reading: replace(reading, notes=(Note(1, "ignored", "no triplet", "else"),)), "every note quotes"),
        (
            lambda reading: replace(reading, graphs=(*reading.graphs, ActionGraph()), lines=(*reading.lines, ())),
            "every graph",
        ),
    ],
)
def test_a_reading_that_does_not_fit_its_text_is_found(spoil: Callable[[Reading], Reading], promise: str) -> None:
    text = "person -> verb -> wash\nwash -> dobj -> cup"
    with pytest.raises(Broken, match=promise):
        check_reading(text, spoil(read(text)))


def test_a_notation_that_changes_what_it_writes_is_found() -> None:
    def backwards(graphs: tuple[ActionGraph, ...]) -> str:
        return arrow.write(ActionGraph(reversed(graph.triplets)) for graph in graphs)

    assert failure_of(exact(arrow.parse, backwards)).fault.kind == "what is written is read again"


def test_a_notation_that_refuses_with_a_line_outside_the_text_is_found() -> None:
    def refusing(text: str) -> tuple[ActionGraph, ...]:
        raise NotationError("no", line=text.count("\n") + 2)

    assert failure_of(exact(refusing, arrow.write)).fault.kind == "every place is inside the text"


def test_shrinking_keeps_the_fault_and_nothing_else() -> None:
    assert shrink("abc" * 50 + "[" + "xyz" * 50 + "]", lambda text: "[" in text and "]" in text) == "[]"


def test_the_command_says_how_much_it_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzzing.main(["--count", "20", "--seed", "5"]) == 0
    assert capsys.readouterr().out.startswith("20 texts and ")


def test_the_command_shows_a_failure_and_how_to_repeat_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(reader_promises.CHECKS, "read", lambda text: 1 // ("{" not in text))
    assert fuzzing.main(["--count", "300", "--seed", "5"]) == 1
    said = capsys.readouterr().out
    assert "failure: read\n" in said
    assert "shortest text found: '{'" in said
    assert "--seed 5 --first " in said


def test_the_command_says_how_far_it_got_when_interrupted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(text: str) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(reader_promises.CHECKS, "easg.parse", interrupted)
    assert fuzzing.main(["--count", "20"]) == 130
    assert "interrupted after 0 texts and " in capsys.readouterr().out
