"""Places, repairs, limits and reasons of what is read, by texts whose readings are written out."""

from __future__ import annotations

import pytest

from tsgkit.graph.reading import read
from tsgkit.replies import Read, Unreadable, near_json
from tsgkit.replies.choices import choice
from tsgkit.replies.lists import Listed, names
from tsgkit.replies.near_json import MOST_TOO_NESTED, FoundValue, values_in
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.reasoning import CHARACTERS_A_LINE, MOST_LINES, TOO_MANY_LINES, most_lines, spoken
from tsgkit.replies.tuples import Tuples, tuples
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
        ("[\"a\\u00e9\\n\", 'b']", [(["aé\n", "b"], 0, 18, True)]),
        ('{"a": [1.5, -2e3]} {"c": null}', [({"a": [1.5, -2000.0]}, 0, 18, False), ({"c": None}, 19, 30, False)]),
        ("[1] // no\n[2] # x", [([1], 0, 3, False), ([2], 10, 13, False)]),
        ('{"a": "x" "b": 2}', [({"a": "x", "b": 2}, 0, 17, True)]),
    ]
    for text, expected in rows:
        assert values_in(text) == [FoundValue(*one, is_cut=False) for one in expected], text
    for text, start in (("[1, 2", 0), ('"{"', 1), ('{"a": tr', 0)):
        assert values_in(text) == [FoundValue(None, start, len(text), repaired=False, is_cut=True)], text


def test_values_are_given_up_where_they_cost_too_much_or_are_nested_too_deeply(monkeypatch: pytest.MonkeyPatch) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]")):
        deepest = 20 if "[{" in opening else 40
        for left_out in (-1, 0, 1, 10):
            (value,) = values_in(opening * (deepest + left_out) + "7" + closing * (deepest + left_out))
            read_levels = deepest + min(left_out, 0)
            assert value.start == max(left_out, 0) * len(opening), (opening, left_out)
            assert value.end == value.start + read_levels * len(opening + closing) + 1, (opening, left_out)
    brackets = MOST_TOO_NESTED + 40 + 1
    for count, is_given_up in ((brackets, False), (brackets + 1, True)):
        (value,) = values_in("[" * count)
        assert (value.start, value.is_cut, value.is_given_up) == (MOST_TOO_NESTED, True, is_given_up), count
    assert (near_json.MOST_WORK, near_json.WORK_A_CHARACTER, MOST_TOO_NESTED) == (500_000, 3, 100)
    monkeypatch.setattr(near_json, "MOST_WORK", 60)
    text = "[1] " + '["' * 40
    assert values_in(text) == [
        FoundValue([1], 0, 3, repaired=False, is_cut=False),
        FoundValue(None, values_in(text)[-1].start, len(text), repaired=False, is_cut=True, is_given_up=True),
    ]


def test_a_reply_of_too_many_lines_is_unreadable_and_one_of_graphs_is_read_up_to_them() -> None:
    assert spoken("a\n" * MOST_LINES) == ("a\n" * MOST_LINES, 0)
    assert spoken("a\n" * (MOST_LINES + 1)) == Unreadable(TOO_MANY_LINES)
    assert most_lines("x" * CHARACTERS_A_LINE * (MOST_LINES + 7)) == MOST_LINES + 7
    reading = read("a -> verb -> b\n" * (MOST_LINES + 9))
    assert (len(reading.graphs[0].triplets), reading.notes) == (MOST_LINES + 9, ())
    (note,) = read("so\n" * MOST_LINES + "person -> verb -> lift\nno").notes[MOST_LINES:]
    assert str(note) == f"line {MOST_LINES + 2}: unread: {TOO_MANY_LINES}: 'no'"


def test_choices_have_their_place_or_a_reason() -> None:
    rows: dict[str, Place | str] = {
        "b.": ("B", 0, 1),
        "(C)": ("C", 1, 2),
        "Answer: B": ("B", 8, 9),
        "right": ("B", 0, 5),
        "the pan": ("C", 0, 7),
        "A or B": "no answer",
        "A\nB": "two answers: A, B",
        "A, B": "two answers: A, B",
        '{"answer": ["B"]}': ("B", 0, 17),
        '{"answer": ["A","B"]}': "no answer",
        '{"result": {"choice": "C"}}': ("C", 0, 27),
        '{"a": {"b": {"c": {"answer": "A"}}}}': ("A", 0, 36),
        "✓ A\n✗ B": ("A", 2, 3),
        "A: left of it\nB: right": "two answers: A, B",
        "~~A~~ B": ("B", 6, 7),
        "Option C: The pan": ("C", 7, 8),
        "B - right\nB": ("B", 10, 11),
        "D": "D is none of the 3 options",
        "": "no answer",
    }
    assert {reply: shown(choice(reply, OPTIONS)) for reply in rows} == rows


def test_letters_of_two_questions_have_their_places_or_reasons() -> None:
    objects = '[{"question": 2, "answer": "B"}, {"question": 1, "answer": "C"}]'
    rows: dict[str, list[Place | str]] = {
        objects: [("C", 0, 64), ("B", 0, 64)],
        '[{"id": "Question 2.", "letter": "B"}]': ["no answer", ("B", 0, 38)],
        '["B", null, "C"]': [("B", 0, 16), "no answer"],
        '["B", [[[[[[["C"]]]]]]]]': [("B", 0, 24), ("C", 0, 24)],
        '["B", [[[[[[[["C"]]]]]]]]]': [("B", 0, 26), "no answer"],
        '{"1": ' + '{"answer":' * 7 + '"C"' + "}" * 7 + ', "2": "B"}': [("C", 0, 97), ("B", 0, 97)],
        '{"1": ' + '{"answer":' * 8 + '"C"' + "}" * 8 + ', "2": "B"}': ["no answer", ("B", 0, 108)],
        '{"q1": "B", "Q2": {"answer": "A"}}': [("B", 0, 34), ("A", 0, 34)],
        '{"answers": [["A"], "C"]}': [("A", 0, 25), ("C", 0, 25)],
        "1. B\n2. C\n3. A": [("B", 3, 4), ("C", 8, 9)],
        "1: B, 2: C": [("B", 3, 4), ("C", 9, 10)],
        "B, C": [("B", 0, 1), ("C", 3, 4)],
        "Q1) B\nQ2) C": [("B", 4, 5), ("C", 10, 11)],
        "BC": ["no answer", "no answer"],
        "1. B": [("B", 3, 4), "no answer"],
        "1. B\n1. C\n2. A": ["two answers: B, C", ("A", 13, 14)],
    }
    assert {reply: [shown(one) for one in letters(reply, [OPTIONS] * 2)] for reply in rows} == rows


def test_words_have_their_place_or_a_reason() -> None:
    none, two = "no one name", "two answers: cup, pan"
    known: dict[str, Place | str] = {
        "The cup.": ("cup", 4, 7),
        "a cup and a pan": two,
        "**cup**\nbecause": ("cup", 2, 5),
        'It is "cup".': ("cup", 7, 10),
        "1. cup\n2. pan": two,
        "cup\nlong words that follow here and go on\npan": two,
        "the object is cup": ("cup", 14, 17),
        '{"answer": ["cup"]}': ("cup", 0, 19),
        "'a' or 'b'": none,
        "no idea": none,
        "": "no answer",
        "It was the cup.\npan": two,
        "NONE": ("NONE", 0, 4),
    }
    assert {reply: shown(word(reply, {"cup", "pan", "none"})) for reply in known} == known
    rows: dict[str, Place | str] = {
        **dict.fromkeys(("none", "NONE", "None.", "12", "not cup"), none),
        "probably cup": ("cup", 9, 12),
        "cup, probably": ("cup", 0, 3),
        "perhaps: the cup": ("cup", 13, 16),
        "杯" * 10: ("杯" * 10, 0, 10),
        "杯" * 11: none,
        "杯是子": none,
        '["cup"]': ("cup", 0, 7),
        ' ["cup"]': ("cup", 1, 8),
        '["cup", "pan"]': two,
        '{"a": 1} ["cup"]': ("cup", 9, 16),
        "The object is wet.\ncup": "two answers: cup, wet",
        "The object is wet.\ncup pan": ("wet", 14, 17),
        "The object is cup\n\ncup": ("cup", 19, 22),
        "That is cup.": ("cup", 8, 11),
        "It is wet.": ("wet", 6, 9),
        "The thing that is wet is the cup.": ("cup", 29, 32),
        "What is washed is the cup.": ("cup", 22, 25),
        "She says it is wet and the object is the cup.": ("cup", 41, 44),
        "The lamp is on the table.": none,
        "The answer is cup. So, pan.": two,
        "The answer is cup. So, cup.": ("cup", 23, 26),
        "**cup** and **pan**": two,
        "look at **cup** now": ("cup", 10, 13),
        "cup, which is a long explanation of things": ("cup", 0, 3),
        "either cup or pan": two,
        "Answer:\n- cup\n- pan": two,
        "Answer: cup\nAnswer: pan": two,
        "Answer: cup\nFinal answer: pan": ("pan", 26, 29),
        "cup\nWait, no: pan": ("pan", 14, 17),
        "\\boxed{cup}": ("cup", 7, 10),
        "\\boxed{cup} \\boxed{pan}": two,
    }
    assert {reply: shown(word(reply)) for reply in rows} == rows


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
        found = names("take\n" + ("b " * 29 + "bbb")[:length])
        assert isinstance(found, Listed) and found.notes == (f"left out: {shown_line}",), length


def test_tuples_are_read_in_the_forms_that_models_write_and_what_is_left_out_is_noted() -> None:
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
        assert not isinstance(found, Unreadable), reply
        assert found.tuples == (("man", "ride", "horse"), ("horse", "brown")), reply
    assert tuples("(A, B)\n(man)", forms={("a", "b")}) == Tuples((("man",),), ("left out: ( A , B )",))
    assert tuples("(man)\nThe man (tall, old) rides.") == Tuples((("man",),), ("left out: The man (tall, old) rides.",))
    assert tuples("(man)\n(a man on a horse)") == Tuples((("man",),), ("left out: ( a man on a horse )",))
    assert tuples("(man)\n(old and tired man, ride)") == Tuples((("man",), ("old and tired man", "ride")))
    assert tuples("(man, ride,)\n(the old man)") == Tuples((("man", "ride"), ("the old man",)))
    fields = '{"b": [["x", "y"]], "a": ["horse", ["man", 2]], "c": null}'
    assert tuples(fields, fields=("a", "b", "c")) == Tuples((("horse",), ("man", "2"), ("x", "y")))
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
        refused = tuples(reply)
        assert isinstance(refused, Unreadable) and refused.reason.startswith(reason), (reply, refused)
