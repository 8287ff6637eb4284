"""Readers of replies read or refuse texts of hundreds of kilobytes that are made to take for ever."""

from __future__ import annotations

import pytest
from fuzzing import alarm
from reply_readers import REPLY_READERS

from tsgkit.graph.reading import read
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import TOO_MUCH, values_in
from tsgkit.suites.formalimg.strict import layout_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.judges.answers import Fault, read_support

LONG = 60_000
SECONDS = 12.0
"""Many times what one of them takes; a reader whose time grows with the square of the text takes longer."""
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


def test_time_of_a_reader_grows_with_the_length_of_a_text() -> None:
    for reader in REPLY_READERS.values():
        for text in TEXTS.values():
            with alarm(SECONDS):
                reader(text)
    assert len(read(TEXTS["thinking before a triplet"]).graphs) == 1


def test_text_of_too_many_steps_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.replies.near_json.MOST_WORK", 10)
    text = '[{"label": "cup"}]' + "[[[[" * 40
    assert [one.is_given_up for one in values_in(text)] == [False, True]
    assert layout_in(text) == Unreadable(TOO_MUCH)
    assert read_support(text) == Fault(TOO_MUCH)
    assert read_annotation_reply(text).unreadable == TOO_MUCH
