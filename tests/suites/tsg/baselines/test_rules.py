"""Baseline rules on sentences, questions and candidates."""

from __future__ import annotations

from itertools import permutations

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.tsg.baselines.generation import generate
from tsgkit.suites.tsg.baselines.question_parser import parse
from tsgkit.suites.tsg.baselines.questions import answer
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample, SelectionSample

L = Vocabulary(
    ("person", "hand1", "hand2", "jar", "lid", "shelf", "paint-brush", "tin", "table", "cloth", "crate", "water"),
    ("verb", "dobj", "with", "from", "on", "into"),
    ("take", "open", "put-down", "wipe", "dip", "lift", "brush", "pass"),
)


def told(sentence: str, k: int = 1, context: tuple[str, ...] = (), vocabulary: Vocabulary = L) -> list[str]:
    references = (ActionGraph(),) * k
    sample = GenerationSample(
        item_id="0", cluster="", context=context, sentence=sentence, vocabulary=vocabulary, references=references
    )
    return ["; ".join(f"{a} {b} {c}" for a, b, c in graph if a != "person") for graph in generate(sample)]


def test_a_sentence_becomes_its_graphs() -> None:
    for sentence, *graphs in (
        ("She takes the jar from the shelf.", "take dobj jar; take from shelf; take with hand1"),
        ("He grabbed the tin off the shelf.", "take dobj tin; take from shelf; take with hand1"),
        ("From the shelf the jar was taken.", "take dobj jar; take from shelf; take with hand1"),
        ("With both hands she lifts the crate.", "lift dobj crate; lift with hand1; lift with hand2"),
        ("Brush the lid with the brush.", "brush dobj lid; brush with paint-brush; brush with hand1"),
        ("Having come home she wipes the table with a cloth.", "wipe dobj table; wipe with cloth; wipe with hand1"),
        (
            "You take the jar from the shelf and wipe the lid with the cloth.",
            "take dobj jar; take from shelf; take with hand1",
            "wipe dobj lid; wipe with cloth; wipe with hand2",
        ),
        ("Take the jar and the lid.", "take dobj jar; take with hand1", "take dobj lid; take with hand2"),
        (
            "Take the cloth and dip it into the water.",
            "take dobj cloth; take with hand1",
            "dip dobj cloth; dip into water; dip with hand1",
        ),
        (
            "Wipe the table with the cloth.",
            "take dobj cloth; take with hand1",
            "wipe dobj table; wipe with cloth; wipe with hand1",
        ),
        ("Dip the cloth into the water three times.", *["dip dobj cloth; dip into water; dip with hand1"] * 3),
    ):
        assert told(sentence, len(graphs)) == graphs, sentence
    assert len(told("Take the jar and the lid.", 1)) == 1
    assert told("You wipe it.", context=("You take the jar.",)) == ["wipe dobj jar; wipe with hand1"]


def test_a_hand_that_the_context_left_full_does_no_other_work() -> None:
    assert told("Open the lid.", context=("You take the jar.",)) == ["open dobj lid; open with hand2"]
    put_down = ("You take the jar.", "Put the jar down on the table.")
    assert told("Open the lid.", context=put_down) == ["open dobj lid; open with hand1"]


def test_a_thing_passes_from_hand_to_hand() -> None:
    vocabulary = Vocabulary(L.objects, (*L.relationships, "to"), L.verbs)
    assert told("Pass it to the other hand.", context=("Take the jar.",), vocabulary=vocabulary) == [
        "pass dobj jar; pass from hand1; pass to hand2"
    ]


def test_a_sentence_that_tells_nothing_known_gets_as_many_graphs_as_asked_for() -> None:
    assert len(told("Nobody knows.", 3)) == 3
    assert told("Open the lid.", vocabulary=Vocabulary()) == [], "an L that names nothing to do"


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


TIGHTEN = act("tighten", "bolt", ("with", "wrench"), ("with", "hand1"))
LIFT = act("lift", "crate", ("with", "hand1"), ("with", "hand2"))


def chosen(graph: ActionGraph, *candidates: str, item_id: str = "0") -> str:
    sample = SelectionSample(item_id=item_id, cluster="", context=(), graph=graph, candidates=candidates, position=0)
    return candidates["ABCDE".index(select(sample))]


def test_the_sentence_that_tells_more_of_the_graph_is_chosen() -> None:
    one_hand = ActionGraph(triplet for triplet in LIFT if triplet.target != "hand2")
    for graph, best, *others in (
        (TIGHTEN, "Then the bolts were tightened with a wrench.", "A wrench was dropped.", "He tightened his belt."),
        (LIFT, "She picks the crate up.", "She kicks the crate."),
        (TIGHTEN, "The bolt is made firm.", "The bolt is loosened."),
        (TIGHTEN, "The wrench turns the bolt.", "The wrench never turns the bolt."),
        (LIFT, "She raises the crate with both hands.", "She raises the crate."),
        (one_hand, "She raises the crate.", "She raises the crate with both hands."),
    ):
        assert chosen(graph, *others, best) == best == chosen(graph, best, *others)


def test_the_order_of_equal_candidates_changes_nothing_and_no_place_is_preferred() -> None:
    texts = ("It rains.", "It snows.", "It thunders.", "It clears.")
    for item_id in ("0", "1", "2"):
        assert len({chosen(LIFT, *order, item_id=item_id) for order in permutations(texts)}) == 1
    assert len({chosen(LIFT, *texts, item_id=str(number)) for number in range(40)}) == 4
