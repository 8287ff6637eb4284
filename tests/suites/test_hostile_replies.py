"""Readers of replies read or refuse texts of hundreds of kilobytes that are made to take for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fuzzing import alarm

from tsgkit.agents.refiner import points_of
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading import read
from tsgkit.suites.formalimg.natural import published_result
from tsgkit.suites.formalimg.strict import Unreadable, layout_in
from tsgkit.suites.lenient import TOO_MUCH, values_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.answers import Fault, read_support
from tsgkit.suites.spatialgen.rows import Question
from tsgkit.suites.spatialgen.strict import letters
from tsgkit.suites.tsg.listing import names
from tsgkit.suites.tsg.strict import word

LONG = 300_000
SECONDS = 60.0
"""A hundred times what one of them takes; a reader whose time grows with the square of the text takes ten minutes."""
GRAPHS = (ActionGraph.of(("person", "verb", "wash")),)
QUESTIONS = [Question("Where?", {"A": "left", "B": "right", "E": "None"}, "A")]
READERS: dict[str, Callable[[str], object]] = {
    "read": read,
    "word": word,
    "names": names,
    "layout_in": layout_in,
    "published_result": published_result,
    "letters": lambda text: letters(text, QUESTIONS * 10),
    "read_annotation_reply": read_annotation_reply,
    "points_of": lambda text: points_of(text, GRAPHS),
}
TEXTS = {
    "thinking before a triplet": "<think>" + "x" * LONG + "</think> person -> verb -> lift",
    "spaces before a letter": " " * LONG + "x",
    "spaces before a bracket closes": '["a", "b", "c"' + " " * LONG + "x",
    "spaces behind a number": "1: " + " " * LONG + "x",
    "spaces behind an answer": "the answer is" + " " * LONG + "?",
    "a number of many digits": "[" + "1" * LONG + "x]",
    "escaped quotes": '["' + '\\"' * (LONG // 2),
    "fences that never close": "```{" * (LONG // 4),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_time_of_a_reader_grows_with_the_length_of_a_text(reader: Callable[[str], object], text: str) -> None:
    with alarm(SECONDS):
        reader(text)


def test_triplet_behind_much_thinking_is_read() -> None:
    assert len(read(TEXTS["thinking before a triplet"]).graphs) == 1


def test_text_of_too_many_steps_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.suites.lenient.MOST_WORK", 10)
    text = '[{"label": "cup"}]' + "[[[[" * 40
    assert [one.is_given_up for one in values_in(text)] == [False, True]
    assert layout_in(text) == Unreadable(TOO_MUCH)
    assert read_support(text) == Fault(TOO_MUCH)
    assert read_annotation_reply(text).unreadable == TOO_MUCH
