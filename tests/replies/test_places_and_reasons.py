"""Places, repairs and reasons of what is read, by texts whose readings are written out."""

from __future__ import annotations

import pytest

from tsgkit.replies import Read, Unreadable, near_json
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed, names
from tsgkit.replies.near_json import FoundValue, values_in
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.words import word

OPTIONS = dict(zip("ABC", ["left of it", "right", "The pan"], strict=True))
Place = tuple[str, int, int]


def shown(found: Read[str] | Unreadable) -> Place | str:
    return found.reason if isinstance(found, Unreadable) else (found.value, found.start, found.end)


def test_values_in_a_text_have_their_places_and_repairs() -> None:
    rows: list[tuple[str, list[tuple[object, int, int, bool]]]] = [
        ('x {"a": 1} y', [({"a": 1}, 2, 10, False)]),
        ("{'a': [1, None, True]}", [({"a": [1, None, True]}, 0, 22, True)]),
        ('{a = 1, b: "x",}', [({"a": 1, "b": "x"}, 0, 16, True)]),
        ('{"a" 1} [3]', [([3], 8, 11, False)]),
        ('["a\\u00e9\\n", \'b\']', [(["aé\n", "b"], 0, 18, True)]),
        ('{"a": [1.5, -2e3]} {"c": null}', [({"a": [1.5, -2000.0]}, 0, 18, False), ({"c": None}, 19, 30, False)]),
        ("[1] // no\n[2] # x", [([1], 0, 3, False), ([2], 10, 13, False)]),
        ('{"a": "x" "b": 2}', [({"a": "x", "b": 2}, 0, 17, True)]),
    ]  # fmt: skip
    for text, expected in rows:
        assert values_in(text) == [FoundValue(*one, is_cut=False) for one in expected], text
    for text, start in (("[1, 2", 0), ('"{"', 1), ('{"a": tr', 0)):
        assert values_in(text) == [FoundValue(None, start, len(text), repaired=False, is_cut=True)], text


def test_values_are_given_up_where_they_cost_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (near_json.MOST_WORK, near_json.WORK_A_CHARACTER) == (500_000, 3)
    monkeypatch.setattr(near_json, "MOST_WORK", 60)
    text = "[1] " + '["' * 40
    assert values_in(text) == [
        FoundValue([1], 0, 3, repaired=False, is_cut=False),
        FoundValue(None, values_in(text)[-1].start, len(text), repaired=False, is_cut=True, is_given_up=True),
    ]


def test_choices_have_their_place_or_a_reason() -> None:
    rows: list[tuple[str, Place | str]] = [
        ("b.", ("B", 0, 1)),
        ("(C)", ("C", 1, 2)),
        ("Answer: B", ("B", 8, 9)),
        ("right", ("B", 0, 5)),
        ("the pan", ("C", 0, 7)),
        ("A or B", "no answer"),
        ("A\nB", "two answers: A, B"),
        ("A, B", "two answers: A, B"),
        ('{"answer": ["B"]}', ("B", 0, 17)),
        ('{"answer": ["A","B"]}', "no answer"),
        ('{"result": {"choice": "C"}}', ("C", 0, 27)),
        ('{"a": {"b": {"c": {"answer": "A"}}}}', ("A", 0, 36)),
        ("✓ A\n✗ B", ("A", 2, 3)),
        ("A: left of it\nB: right", "two answers: A, B"),
        ("~~A~~ B", ("B", 6, 7)),
        ("Option C: The pan", ("C", 7, 8)),
        ("B - right\nB", ("B", 10, 11)),
        ("D", "D is none of the 3 options"),
        ("", "no answer"),
    ]
    for reply, expected in rows:
        assert shown(choice(reply, OPTIONS)) == expected, reply


def test_letters_of_two_questions_have_their_places_or_reasons() -> None:
    objects = '[{"question": 2, "answer": "B"}, {"question": 1, "answer": "C"}]'
    rows: list[tuple[str, list[Place | str]]] = [
        (objects, [("C", 0, 64), ("B", 0, 64)]),
        ('[{"id": "Question 2.", "letter": "B"}]', ["no answer", ("B", 0, 38)]),
        ('["B", null, "C"]', [("B", 0, 16), "no answer"]),
        ('{"q1": "B", "Q2": {"answer": "A"}}', [("B", 0, 34), ("A", 0, 34)]),
        ('{"answers": [["A"], "C"]}', [("A", 0, 25), ("C", 0, 25)]),
        ("1. B\n2. C\n3. A", [("B", 3, 4), ("C", 8, 9)]),
        ("1: B, 2: C", [("B", 3, 4), ("C", 9, 10)]),
        ("B, C", [("B", 0, 1), ("C", 3, 4)]),
        ("Q1) B\nQ2) C", [("B", 4, 5), ("C", 10, 11)]),
        ("BC", ["no answer", "no answer"]),
        ("1. B", [("B", 3, 4), "no answer"]),
        ("1. B\n1. C\n2. A", ["two answers: B, C", ("A", 13, 14)]),
    ]
    for reply, expected in rows:
        assert [shown(one) for one in letters(reply, [OPTIONS] * 2)] == expected, reply


def test_words_have_their_place_or_a_reason() -> None:
    rows: list[tuple[str, Place | str]] = [
        ("The cup.", ("cup", 4, 7)),
        ("a cup and a pan", "two answers: cup, pan"),
        ("**cup**\nbecause", ("cup", 2, 5)),
        ('It is "cup".', ("cup", 7, 10)),
        ("1. cup\n2. pan", "two answers: cup, pan"),
        ("cup\nlong words that follow here and go on\npan", "two answers: cup, pan"),
        ("the object is cup", ("cup", 14, 17)),
        ('{"answer": ["cup"]}', ("cup", 0, 19)),
        ("'a' or 'b'", "no one name"),
        ("no idea", "no one name"),
        ("", "no answer"),
    ]
    for reply, expected in rows:
        assert shown(word(reply, {"cup", "pan"})) == expected, reply


def test_names_of_a_list_have_their_places_and_what_is_left_out_is_noted() -> None:
    rows: list[tuple[str, tuple[str, ...], tuple[str, ...], tuple[tuple[int, int], ...]]] = [
        ("take, wash and dry", ("take", "wash and dry"), (), ((0, 4), (6, 18))),
        ("1. take\n2. a b c d e f g", ("take",), ("left out: 2. a b c d e f g",), ((3, 7),)),
        ("-\ntake", ("take",), ("left out: -",), ((2, 6),)),
        ("a;b", ("a;b",), (), ((0, 3),)),
        ('["a", "a"]', ("a", "a"), (), ((0, 10), (0, 10))),
        ("take (x)\nwash", ("take", "wash"), ("only its names: take (x)",), ((0, 4), (9, 13))),
        ("take: it is\n", ("take",), ("only its names: take: it is",), ((0, 4),)),
    ]
    for reply, expected, notes, spans in rows:
        assert names(reply) == Listed(expected, notes, spans), reply
    assert names("[]") == Unreadable("no names listed")
    assert names('["a", 1]') == Unreadable("JSON, and no list of names in it")
    for length, shown_line in ((60, "b " * 29 + "bb"), (61, "b " * 29 + "bb...")):
        line = ("b " * 29 + "bbb")[:length]
        found = names("take\n" + line)
        assert isinstance(found, Listed) and found.notes == (f"left out: {shown_line}",), length
