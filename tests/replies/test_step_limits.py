"""Limits of steps: what takes too long to read is given up with a reason, and long texts that are simple are read."""

from __future__ import annotations

from tsgkit.graph.reading import read
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import MOST_NESTED, MOST_TOO_NESTED, values_in
from tsgkit.replies.reasoning import CHARACTERS_A_LINE, MOST_LINES, TOO_MANY_LINES, most_lines, spoken


def test_values_are_given_up_after_many_attempts_that_are_nested_too_deeply() -> None:
    brackets = MOST_TOO_NESTED + MOST_NESTED + 1
    for count, is_given_up in ((brackets, False), (brackets + 1, True)):
        (value,) = values_in("[" * count)
        assert (value.start, value.is_cut, value.is_given_up) == (MOST_TOO_NESTED, True, is_given_up), count


def test_values_inside_brackets_that_are_nested_too_deeply_are_read() -> None:
    (value,) = values_in("[" * 50 + "7" + "]" * 50)
    assert (value.start, value.end) == (50 - MOST_NESTED, 51 + MOST_NESTED)


def test_a_reply_of_too_many_lines_is_unreadable() -> None:
    assert spoken("a\n" * MOST_LINES) == ("a\n" * MOST_LINES, 0)
    assert spoken("a\n" * (MOST_LINES + 1)) == Unreadable(TOO_MANY_LINES)
    assert most_lines("x" * CHARACTERS_A_LINE * (MOST_LINES + 7)) == MOST_LINES + 7


def test_lines_of_graphs_that_are_not_clean_are_read_up_to_a_limit() -> None:
    reading = read("a -> verb -> b\n" * (MOST_LINES + 9))
    assert len(reading.graphs[0].triplets) == MOST_LINES + 9
    assert reading.notes == ()
    reading = read("so\n" * MOST_LINES + "person -> verb -> lift\nno")
    (note,) = reading.notes[MOST_LINES:]
    assert str(note) == f"line {MOST_LINES + 2}: unread: {TOO_MANY_LINES}: 'no'"
