"""Answering questions by hops along time."""

from __future__ import annotations

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


def test_a_question_is_answered() -> None:
    for question, expected in (
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
    ):
        assert said(question) == expected, question
    graphs = (act("scrub", "pan", ("with", "sponge")), act("rinse", "cup"), act("wipe", "sink", ("with", "sponge")))
    assert said("What was used both to scrub the pan and to wipe the sink?", graphs) == "sponge"


def test_a_name_the_question_gives_away_is_not_the_answer_while_there_is_another() -> None:
    assert said("What about the brush, the tin and the door?") not in ("brush", "tin", "door")
    assert said("What about the cup?", (act("wash", "cup"),)) == "cup"


def test_a_question_about_nothing_known_gets_the_commonest_direct_object() -> None:
    assert said("Whither?", (act("wash", "cup"), act("wash", "pan"), act("dry", "pan"))) == "pan"


def test_odd_questions_and_graphs_are_answered_all_the_same() -> None:
    assert said("What was last?", ()) == "person"
    odd = (act("wash", "cup"), act("wash", ""), act("dry", "[pan]"), act("dry", "_"))
    assert said("What was last?", odd) == "cup", "names that brackets cannot hold are never answered"
    for question in ("", "?", "Before, after, between?", "and and and", "before what after"):
        assert said(question) in {part for graph in PAINTING for triplet in graph for part in triplet}, question


def test_a_clause_before_the_question_word_tells_where_to_start() -> None:
    asked = parse("With the lid on the bench, what gets dipped?")
    assert [(clause.relation, clause.words) for clause in asked.clauses] == [("after", ("lid", "bench"))]
    assert "dipped" in asked.words
