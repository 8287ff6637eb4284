"""Readers of replies read or refuse texts of hundreds of kilobytes that are made to take for ever."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fuzzing import alarm
from reply_readers import REPLY_READERS

from tsgkit.graph.reading import read
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import TOO_MUCH, values_in
from tsgkit.suites.formalimg.strict import layout_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.judges.answers import Fault, read_support

LONG = 300_000
SECONDS = 60.0
"""A hundred times what one of them takes; a reader whose time grows with the square of the text takes ten minutes."""
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
@pytest.mark.parametrize("reader", REPLY_READERS.values(), ids=REPLY_READERS)
def test_time_of_a_reader_grows_with_the_length_of_a_text(reader: Callable[[str], object], text: str) -> None:
    with alarm(SECONDS):
        reader(text)


def test_triplet_behind_much_thinking_is_read() -> None:
    assert len(read(TEXTS["thinking before a triplet"]).graphs) == 1


def test_text_of_too_many_steps_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.replies.near_json.MOST_WORK", 10)
    text = '[{"label": "cup"}]' + "[[[[" * 40
    assert [one.is_given_up for one in values_in(text)] == [False, True]
    assert layout_in(text) == Unreadable(TOO_MUCH)
    assert read_support(text) == Fault(TOO_MUCH)
    assert read_annotation_reply(text).unreadable == TOO_MUCH
