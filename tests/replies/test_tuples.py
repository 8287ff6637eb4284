"""Tuples in brackets, as models write them."""

from __future__ import annotations

from tsgkit.replies import Unreadable
from tsgkit.replies.tuples import Tuples, tuples

RIDE = (("man", "ride", "horse"), ("horse", "brown"))


def test_tuples_are_read_in_the_forms_that_models_write() -> None:
    for reply in [
        "( man , ride , horse ) , ( horse , brown )",
        "Facts: (man, ride, horse); ('horse', \"brown\").",
        "1. [man, ride, horse]\n2. [horse, brown]",
        "```\n(man, ride, horse)(horse, brown)\n```",
        "<think>(dog)</think>**(man, ride, horse)**\n(horse, brown)\nIs this (all right)?",
        '[["man", "ride", "horse"], ["horse", "brown"]]',
        '{"tuples": [["man", "ride", "horse"], ["horse", "brown"]]}',
        "(a, b)\n(man, ride, horse)\n(horse, brown)",
    ]:
        found = tuples(reply, forms={("a", "b")})
        assert not isinstance(found, Unreadable) and found.tuples == RIDE, reply


def test_text_that_is_left_out_is_noted() -> None:
    assert tuples("(A, B)\n(man)", forms={("a", "b")}) == Tuples((("man",),), ("left out: ( A , B )",))
    assert tuples("(man)\nThe man (tall, old) rides.") == Tuples((("man",),), ("left out: The man (tall, old) rides.",))
    assert tuples("(man)\n(a man on a horse)") == Tuples((("man",),), ("left out: ( a man on a horse )",))
    assert tuples("(man)\n(old and tired man, ride)") == Tuples((("man",), ("old and tired man", "ride")))
    assert tuples("(man, ride,)\n(the old man)") == Tuples((("man", "ride"), ("the old man",)))


def test_fields_of_an_object_are_read_in_the_order_asked_for() -> None:
    reply = '{"b": [["x", "y"]], "a": ["horse", ["man", 2]], "c": null}'
    assert tuples(reply, fields=("a", "b", "c")) == Tuples((("horse",), ("man", "2"), ("x", "y")))


def test_tuples_say_why_they_cannot_be_read() -> None:
    for reply, reason in [
        ("A man rides.", "no tuples"),
        ("( a , b , c , d )", "tuple 1 has 4 elements: ( a , b , c , d )"),
        ("( a )\n( b , , c )", "tuple 2 has an element without a name: ( b , , c )"),
        ('[["a"], [true]]', "tuple 2 has an element without a name: ( True )"),
        ("( a , b", "a tuple is not closed, or not one: ( a , b"),
        ("( a )\nWait, that is wrong.", "tuples are taken back, and no others are given"),
        ("( a )\nWait, that is wrong.\n( b )", "tuples are taken back or offered as alternatives, and which"),
        ("Option A\n( a )\nOption B\n( b )", "tuples are taken back or offered as alternatives"),
        ('{"others": [["a"]]}', "JSON without tuples"),
        ('[["a"], ["b', "it ends in the middle"),
    ]:
        found = tuples(reply)
        assert isinstance(found, Unreadable) and found.reason.startswith(reason), (reply, found)
