"""Answering questions by hops along time."""

from __future__ import annotations

import pytest

from tsgkit.graph import ActionGraph
from tsgkit.suites.tsg.baselines.question_parser import parse
from tsgkit.suites.tsg.baselines.questions import answer
from tsgkit.suites.tsg.items import QuestionSample


def act(action: str, thing: str, *edges: tuple[str, str]) -> ActionGraph:
    return ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *edge) for edge in edges))


PAINTING = (
    act("take", "tin", ("from", "shelf"), ("with", "hand1")),
    act("open", "lid", ("with", "screwdriver"), ("with", "hand2")),
    act("pick-up", "brush", ("from", "bench"), ("with", "hand2")),
    act("dip", "brush", ("into", "tin"), ("with", "hand2")),
    act("paint", "door", ("with", "brush"), ("with", "hand2")),
    act("paint", "frame", ("with", "brush"), ("with", "hand2")),
    act("put-down", "brush", ("on", "rag"), ("with", "hand2")),
    act("carry", "ladder", ("to", "shed"), ("with", "hand1"), ("with", "hand2")),
)


def said(question: str, graphs: tuple[ActionGraph, ...] = PAINTING) -> str:
    return answer(QuestionSample(item_id="0", cluster="", graphs=graphs, question=question, answer=""))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the first object taken?", "tin"),
        ("What was the last thing painted?", "frame"),
        ("Which tool was used to open the lid?", "screwdriver"),
        ("What was handled immediately before the lid was opened?", "tin"),
        ("What was painted right after the door?", "frame"),
        ("What was painted between opening the lid and painting the frame?", "door"),
        ("Which hand opened the lid?", "hand2"),
        ("When the lid was opened, what did hand1 hold?", "tin"),
        ("What was done to the brush right before the door was painted?", "dip"),
        ("Where was the brush put down?", "rag"),
        ("From where was the tin taken?", "shelf"),
        ("What was moved with both hands?", "ladder"),
        ("Which object was handled most often?", "brush"),
        ("After painting the frame, what was put down?", "brush"),
    ],
)
def test_a_question_is_answered(question: str, expected: str) -> None:
    assert said(question) == expected


def test_common_objects_of_two_steps_are_found() -> None:
    graphs = (act("scrub", "pan", ("with", "sponge")), act("rinse", "cup"), act("wipe", "sink", ("with", "sponge")))
    assert said("What was used both to scrub the pan and to wipe the sink?", graphs) == "sponge"


def test_a_name_the_question_gives_away_is_not_the_answer_while_there_is_another() -> None:
    assert said("What about the brush, the tin and the door?") not in ("brush", "tin", "door")
    assert said("What about the cup?", (act("wash", "cup"),)) == "cup"


def test_a_question_about_nothing_known_gets_the_commonest_direct_object() -> None:
    assert said("Whither?", (act("wash", "cup"), act("wash", "pan"), act("dry", "pan"))) == "pan"


def test_a_scenario_without_graphs_is_answered_all_the_same() -> None:
    assert said("What was last?", ()) == "person"


def test_names_that_brackets_cannot_hold_are_never_answered() -> None:
    assert said("What was last?", (act("wash", "cup"), act("wash", ""), act("dry", "[pan]"), act("dry", "_"))) == "cup"


def test_a_clause_before_the_question_word_tells_where_to_start() -> None:
    asked = parse("With the lid on the bench, what gets dipped?")
    assert [(clause.relation, clause.words) for clause in asked.clauses] == [("after", ("lid", "bench"))]
    assert "dipped" in asked.words


@pytest.mark.parametrize("question", ["", "?", "Before, after, between?", "and and and", "before what after"])
def test_no_question_is_too_odd_to_be_taken_apart(question: str) -> None:
    assert said(question)
