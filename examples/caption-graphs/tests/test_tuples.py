"""Tuples of captions: written so that they can be read, and read the way models write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tsgkit.replies import Unreadable
from tsgkit.replies.tuples import Tuples, tuples_text

from caption_graphs.parsing import CaptionGraph, graph_of, read_tuples, tidy

RIDE = (("man",), ("horse",), ("horse", "brown"), ("man", "ride", "horse"))
READ_AS_RIDE = {
    "as it is asked for": "( man ) , ( horse ) , ( horse , brown ) , ( man , ride , horse )",
    "objects named only in the others": "( man , ride , horse ) , ( horse , brown )",
    "without spaces": "(man,ride,horse),(horse,brown)",
    "with semicolons": "(man, ride, horse); (horse, brown)",
    "with nothing between": "(man, ride, horse)(horse, brown)",
    "one a line, bullets": "- (man, ride, horse)\n- (horse, brown)",
    "one a line, numbers": "1. ( man )\n2. ( horse )\n3. ( man , ride , horse )\n4. ( horse , brown )",
    "capitals, articles, quotes": "( The Man , \"Ride\" , a Horse ), ('horse', brown.)",
    "curly quotes": "( “man” , ride , horse ), ( horse , ‘brown’ )",
    "said twice": "( man , ride , horse ) , ( man , ride , horse ) , ( horse , brown )",
    "prose around": "Here is the scene graph (as asked):\n( man , ride , horse )\n( horse , brown )\nAny questions?",
    "a lead-in on the line": "Scene graph: ( man , ride , horse ) , ( horse , brown ).",
    "leads for each kind": "Objects: (man), (horse)\nAttributes: (horse, brown)\n**Relations:** (man, ride, horse)",
    "bold and backticks": "**( man , ride , horse )**\n`( horse , brown )`",
    "a fence": "```\n( man , ride , horse )\n( horse , brown )\n```",
    "an answer label": "Reasoning:\n( dog ) is wrong.\n\nFinal answer: ( man , ride , horse ) , ( horse , brown )",
    "reasoning in a block": "<think>( dog ) , ( cat )</think>( man , ride , horse ) , ( horse , brown )",
    "an explanation behind": "- (man, ride, horse): the man sits on it\n- (horse, brown) - its colour",
    "a remark on the line": "(man, ride, horse) (he sits on it)\n(horse, brown)",
    "a remark in parentheses": "(man, ride, horse), (horse, brown)\n(I left out the field, since nobody mentions it.)",
    "the form of the notation": "( object ) , ( object , attribute ) , ( subject , relation , object )\n"
    "( man , ride , horse ) , ( horse , brown )",
    "attributes as triples": "( man , ride , horse ) , ( horse , is , brown )",
    "full-width signs": "（man，ride，horse），（horse，brown）",
    "square brackets": "[man, ride, horse]\n[horse, brown]",
    "JSON lists": '[["man"], ["horse"], ["man", "ride", "horse"], ["horse", "brown"]]',
    "JSON lists in a fence": '```json\n[\n  ["man", "ride", "horse"],\n  ["horse", "brown"]\n]\n```',
    "a list of Python": "[('man',), ('man', 'ride', 'horse'), ('horse', 'brown')]",
    "parentheses around all": "((man, ride, horse), (horse, brown))",
    "a JSON object of tuples": '{"tuples": [["man", "ride", "horse"], ["horse", "brown"]]}',
    "a JSON object of kinds": '{"objects": ["man", "horse"], "attributes": [["horse", "brown"]],'
    ' "relations": [["man", "ride", "horse"]]}',
    "a comma too many": "( man , ride , horse , ) , ( horse , brown , )",
    "a later JSON answer that takes the first back": '[["dog"]]\nWait, that is wrong.\n'
    '[["man", "ride", "horse"], ["horse", "brown"]]',
}
OTHERS = {
    "( man , sit on , park bench )": [("man",), ("park bench",), ("man", "sit on", "park bench")],
    "[(man, sit on, bench),\n (bench, dark green)]": [
        ("man",), ("bench",), ("bench", "dark green"), ("man", "sit on", "bench"),
    ],
    "( t-shirt(s) , red )": [("t-shirt(s)",), ("t-shirt(s)", "red")],
    "( man (left, old) , hold , cup )": [("man (left, old)",), ("cup",), ("man (left, old)", "hold", "cup")],
    '( "stop, please" , on , sign )': [("stop, please",), ("sign",), ("stop, please", "on", "sign")],
    "( \"smile :)\" , on , 'man's shirt' )": [("smile :)",), ("man's shirt",), ("smile :)", "on", "man's shirt")],
    "( dog , 3 )": [("dog",), ("dog", "3")],
    '[["dog", 3]]': [("dog",), ("dog", "3")],
    "( street_sign , yellow )": [("street sign",), ("street sign", "yellow")],
    "( café , open )": [("café",), ("café", "open")],
    '[["caf\\u00e9", "open"]]': [("café",), ("café", "open")],
    "( dog , is on , sofa )": [("dog",), ("sofa",), ("dog", "is on", "sofa")],
    "( dog )\n( dog , brown )\n( dog , black )": [("dog",), ("dog", "brown"), ("dog", "black")],
}  # fmt: skip
UNREADABLE = {
    "": "no tuples",
    "I cannot see any image.": "no tuples",
    "man rides horse": "no tuples",
    "The tuple (man, ride, horse) and others.": "no tuples",
    "[]": "tuple 1 has an element without a name",
    "( )": "tuple 1 has an element without a name",
    "( man , , horse )": "tuple 1 has an element without a name",
    "( man ) , ( man , ride , brown , horse )": "tuple 2 has 4 elements",
    '["man", "horse", "field", "sky"]': "tuple 1 has 4 elements",
    '[["man"], [null, "brown"]]': "tuple 2 has an element without a name",
    '{"answer": "a man on a horse"}': "JSON without tuples",
    "( man , ride , horse ) , ( horse , br": "a tuple is not closed, or not one",
    '[["man"], ["man", "ride", "hor': "it ends in the middle",
    "( man , ride\n\nThat is all.": "a tuple is not closed, or not one",
    "<think>( man ) , ( horse )": "the reasoning never ends",
    "( man )\nWait, that is wrong.\n( dog )": "tuples are taken back",
    "( man )\nActually:\n( dog )": "tuples are taken back",
    "( man , ride , horse )\nWait, no.": "tuples are taken back",
    "Option 1:\n( man )\n\nOption 2:\n( woman )": "tuples are taken back or offered as alternatives",
    '[["man"]]\n\n[["woman"]]': "two answers that differ",
    "((((((man))))))": "a tuple is not closed, or not one",
}


def read(reply: str) -> Tuples:
    found = read_tuples(reply)
    assert isinstance(found, Tuples), found
    return found


@pytest.mark.parametrize("reply", READ_AS_RIDE.values(), ids=READ_AS_RIDE)
def test_reader_takes_the_ways_in_which_tuples_are_written(reply: str) -> None:
    assert set(read(reply).tuples) == set(RIDE)


@pytest.mark.parametrize("reply", OTHERS)
def test_reader_keeps_names_of_several_words_and_signs(reply: str) -> None:
    assert list(read(reply).tuples) == OTHERS[reply]


@pytest.mark.parametrize("reply", UNREADABLE)
def test_reader_says_why_a_reply_holds_no_graph(reply: str) -> None:
    found = read_tuples(reply)
    assert isinstance(found, Unreadable)
    assert found.reason.startswith(UNREADABLE[reply])


def test_reader_notes_what_it_leaves_out() -> None:
    notes = read("Also a dog (dog, small).\n( object )\n( man , tall )\n(He is really quite tall for his age.)").notes
    assert notes == (
        "left out: Also a dog (dog, small).",
        "left out: ( He is really quite tall for his age. )",
        "left out: ( object )",
    )


def test_graph_names_an_object_once_however_often_it_is_said() -> None:
    graph = graph_of([("dog", "brown"), ("dog", "black"), ("dog",), ("dog", "chase", "dog")])
    assert graph == (("dog",), ("dog", "brown"), ("dog", "black"), ("dog", "chase", "dog"))


WORD = st.text(st.sampled_from("abcdehilmorstuz0123456789é'(),;[]-:"), min_size=1, max_size=8)
NAMES = st.lists(WORD, min_size=1, max_size=3).map(" ".join).filter(lambda name: any(map(str.isalnum, tidy(name))))
TUPLES = st.one_of(st.tuples(NAMES), st.tuples(NAMES, NAMES), st.tuples(NAMES, NAMES, NAMES))
GRAPHS = st.lists(TUPLES, min_size=1, max_size=6).map(graph_of)


@given(GRAPHS)
def test_reader_gets_back_what_was_written(graph: CaptionGraph) -> None:
    assert read(tuples_text(graph)) == Tuples(graph)
    assert read(json.dumps(graph)).tuples == graph


@given(GRAPHS, st.sampled_from(["Here you are:\n{}", "```\n{}\n```", "<think>( cow )</think>\n{}", "Answer: {}\n"]))
def test_what_stands_around_tuples_does_not_change_them(graph: CaptionGraph, around: str) -> None:
    assert read(around.format(tuples_text(graph))).tuples == graph


@given(GRAPHS, st.integers(1, 60))
def test_a_reply_that_is_cut_off_is_refused_or_read_as_a_part(graph: CaptionGraph, cut: int) -> None:
    found = read_tuples(tuples_text(graph)[:-cut])
    assert isinstance(found, Unreadable) or set(found.tuples) <= set(graph)


@given(st.text(st.sampled_from("ab ()[]{},;:\"'“”\n-*`"), max_size=200))
@example('("' * 50)
@example("[[" * 60)
def test_no_text_makes_the_reader_raise(text: str) -> None:
    found = read_tuples(text)
    assert isinstance(found, Unreadable) or all(all(one) for one in found.tuples)
