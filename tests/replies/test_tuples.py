"""Tuples in brackets, as models write them."""

from __future__ import annotations

import pytest

from tsgkit.replies import Unreadable
from tsgkit.replies.tuples import tuples

RIDE = (("man", "ride", "horse"), ("horse", "brown"))


@pytest.mark.parametrize(
    "reply",
    [
        "( man , ride , horse ) , ( horse , brown )",
        "Facts: (man, ride, horse); ('horse', \"brown\").",
        "1. [man, ride, horse]\n2. [horse, brown]",
        "```\n(man, ride, horse)(horse, brown)\n```",
        "<think>(dog)</think>**(man, ride, horse)**\n(horse, brown)\nIs this (all right)?",
        '[["man", "ride", "horse"], ["horse", "brown"]]',
        '{"tuples": [["man", "ride", "horse"], ["horse", "brown"]]}',
        "(a, b)\n(man, ride, horse)\n(horse, brown)",
    ],
)
def test_tuples_are_read_in_the_forms_that_models_write(reply: str) -> None:
    found = tuples(reply, forms={("a", "b")})
    assert not isinstance(found, Unreadable)
    assert found.tuples == RIDE


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("A man rides.", "no tuples"),
        ("( a , b , c , d )", "tuple 1 has 4 elements"),
        ("( a , , c )", "tuple 1 has an element without a name"),
        ("( a , b", "a tuple is not closed"),
        ("( a )\nWait, that is wrong.\n( b )", "tuples are taken back"),
        ("Option A\n( a )\nOption B\n( b )", "tuples are taken back or offered as alternatives"),
        ('{"others": [["a"]]}', "JSON without tuples"),
        ('[["a"], ["b', "it ends in the middle"),
    ],
)
def test_tuples_say_why_they_cannot_be_read(reply: str, reason: str) -> None:
    found = tuples(reply)
    assert isinstance(found, Unreadable)
    assert found.reason.startswith(reason)
