"""The published readers and scorers, behaviour by behaviour; each row says what it shows."""

from __future__ import annotations

import pytest
from tsg_tasks import judge

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample, SelectionSample

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "dobj", "cup"))
STACK = ActionGraph.of(("person", "verb", "stack"), ("stack", "dobj", "cup"))


def choice(candidates: int = 5, position: int = 2) -> SelectionSample:
    return SelectionSample(
        item_id="0", cluster="", context=(), graph=WASH, candidates=tuple("abcde"[:candidates]), position=position
    )


def question(answer: str = "rope") -> QuestionSample:
    graphs = (ActionGraph.of(("pull", "dobj", answer)),)
    return QuestionSample(item_id="0", cluster="", graphs=graphs, question="", answer=answer)


def generation(*references: ActionGraph) -> GenerationSample:
    vocabulary = Vocabulary(("cup",), ("verb", "dobj"), ("wash", "dry", "stack"))
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence="", vocabulary=vocabulary, references=references
    )


def arrows(*graphs: ActionGraph) -> str:
    return "\n\n".join(str(graph) for graph in graphs)


CHOICES = {
    "D1: the article A is taken for option A before a bracket": ("A close reading suggests [C]", "A", "C"),
    "D1: a bracket after no bare capital is read": ("the answer is [C]", "C", "C"),
    "D2: a rationale is scanned from its start": ("B is wrong, D is wrong.\nFinal answer: [C]", "B", "C"),
    "D3: lower case is not seen": ("[c]", None, "C"),
    "D3: 'option c' is not seen": ("option c", None, "C"),
    "D4: (C) is seen": ("(C)", "C", "C"),
    "D4: C. is seen": ("C.", "C", "C"),
    "D4: C: is seen": ("C: the third", "C", "C"),
    "D4: **C** is seen": ("**C**", "C", "C"),
    "D5: no letter is wrong and counted": ("I cannot say", None, None),
    "D5: letters beyond E are not seen": ("[F]", None, None),
    "D4: a letter inside a word is not seen": ("CAB", None, None),
}


@pytest.mark.parametrize("shows", CHOICES)
def test_choices_are_read_as_published_and_strictly(shows: str) -> None:
    reply, published, strict = CHOICES[shows]
    judged = judge(choice(), Reply(reply))
    assert official.letter(reply) == published
    assert judged.answer == strict
    assert judged.scores["official"]["accuracy"].value == float(published == "C")
    assert judged.scores["strict"]["accuracy"].value == float(strict == "C")


def test_d7_a_letter_beyond_the_candidates_is_wrong_as_published_and_no_answer_strictly() -> None:
    judged = judge(choice(candidates=4), Reply("[E]"))
    assert official.letter("[E]") == "E"
    assert judged.scores["official"]["accuracy"].value == 0
    assert (judged.outcome, judged.notes) == ("unreadable", ("E is none of the 4 options",))


QUESTIONS = {
    "Q0: one word in brackets": ("[rope]", 1, 1),
    "Q0: case and spaces are folded": ("[ Rope ]", 1, 1),
    "Q1: the first bracket wins": ('From ["pull", "dobj", "rope"]: [rope]', 0, 1),
    "Q2: a bracket over two lines is not seen": ("[\nrope\n]", 0, 1),
    "Q3: a period stays": ("[rope.]", 0, 1),
    "Q3: quotes stay": ('["rope"]', 0, 1),
    "Q3: an article stays": ("[the rope]", 0, 1),
    "Q4: a label is not understood": ("Final answer: rope", 0, 1),
    "Q4: the whole reply is compared where there is no bracket": ("rope", 1, 1),
    "Q4: brackets before the label win": ("I looked at [cup].\nFinal answer: [rope]", 0, 1),
    "Q4: a sentence is no answer": ("It must be the rope", 0, 1),
}


@pytest.mark.parametrize("shows", QUESTIONS)
def test_questions_are_scored_as_published_and_strictly(shows: str) -> None:
    reply, published, strict = QUESTIONS[shows]
    scores = judge(question(), Reply(reply)).scores
    assert scores["official"]["exact_match"].value == published
    assert scores["strict"]["exact_match"].value == strict


def test_q3_hyphens_and_spaces_differ_but_in_the_normalised_metric() -> None:
    scores = judge(question("tea-bag"), Reply("[tea bag]")).scores
    assert scores["official"]["exact_match"].value == 0
    assert scores["strict"]["exact_match"].value == 0
    assert scores["strict"]["normalised"].value == 1


def test_q5_an_answer_that_is_no_node_is_told_apart_strictly() -> None:
    assert judge(question(), Reply("[ladder]")).scores["strict"]["not_a_node"].value == 1
    assert judge(question(), Reply("[pull]")).scores["strict"]["not_a_node"].value == 0


GRAPHS = {
    "G0: all right": (arrows(WASH, DRY, STACK), 1, 1),
    "G1: missing graphs are not scored": (arrows(WASH), 1, 1 / 3),
    "G2: a reply without triplets is skipped": ("I cannot do that.", None, 0),
    "G3: surplus graphs are free": (arrows(WASH, DRY, STACK, WASH), 1, 3 / 4),
    "G4: one graph forgotten at the start shifts the others": (arrows(DRY, STACK), 0, 0),
    "G6: a blank line after each triplet makes graphs of single triplets": (
        arrows(WASH, DRY, STACK).replace("\n", "\n\n"), (2 / 3) / 3, 1),
    "G7: a heading without a blank line fuses graphs": (
        "Graph 1:\n" + arrows(WASH) + "\nGraph 2:\n" + arrows(DRY) + "\nGraph 3:\n" + arrows(STACK), 0.5, 1),
    "G9: bullets stay in the names": (
        "\n\n".join("\n".join(f"- {triplet}" for triplet in graph) for graph in (WASH, DRY, STACK)), 0, 1),
    "G9: a trailing period stays in the name": (arrows(WASH, DRY, STACK).replace("cup", "cup."), 0.5, 1),
    "G10: other arrows give no triplets": (arrows(WASH, DRY, STACK).replace("->", "→"), None, 1),
    "G10: long arrows leave a hyphen behind": (arrows(WASH, DRY, STACK).replace("->", "-->"), 0, 1),
    "G11: case counts": (arrows(WASH, DRY, STACK).replace("person", "Person"), 0.5, 1),
    "G12: duplicates are free": (arrows(WASH, DRY, STACK) + "\nstack -> dobj -> cup", 1, 1),
    "G12: reversed triplets are wrong": (
        arrows(WASH, DRY, STACK).replace("stack -> dobj -> cup", "cup -> dobj -> stack"),
                                         (1 + 1 + 0.5) / 3, (1 + 1 + 0.5) / 3),
    "G17: a rationale line with two arrows is a triplet": (
        "so first -> then -> later\n" + arrows(WASH, DRY, STACK), (0.8 + 1 + 1) / 3, 1),
}  # fmt: skip


@pytest.mark.parametrize("shows", GRAPHS)
def test_graphs_are_scored_as_published_and_strictly(shows: str) -> None:
    reply, published, strict = GRAPHS[shows]
    scores = judge(generation(WASH, DRY, STACK), Reply(reply)).scores
    assert scores["official"]["f1"].value == (None if published is None else pytest.approx(published))
    assert scores["strict"]["f1"].value == pytest.approx(strict)


def test_g8_of_several_blocks_for_a_single_action_only_the_first_is_scored() -> None:
    scores = judge(generation(WASH), Reply(arrows(WASH, DRY))).scores
    assert scores["official"]["f1"].value == 1
    assert scores["strict"]["f1"].value == 0.5


def test_g11_triplets_are_compared_as_one_string() -> None:
    wanted = ActionGraph.of(("a b", "c", "d"))
    said = ActionGraph.of(("a", "b c", "d"))
    assert official.score_graph(wanted, said).f1 == 1
    assert wanted != said


def test_g13_the_average_is_over_the_graphs_that_were_paired() -> None:
    right, wrong = judge(generation(WASH, DRY), Reply(arrows(WASH, DRY))), judge(generation(WASH), Reply(arrows(DRY)))
    scores = [one.scores["official"]["f1"] for one in (right, wrong)]
    assert sum(score.sum for score in scores) / sum(score.weight for score in scores) == pytest.approx(2 / 3)


def test_g5_where_nothing_was_scored_there_is_no_value_and_no_crash() -> None:
    judged = judge(generation(WASH), Reply("no"))
    assert judged.scores["official"]["f1"].value is None
    assert judged.counts["skipped_official"] == 1


@pytest.mark.parametrize("style", ["cot", "cot-few-shot"])
def test_for_reasoning_styles_the_published_reader_sees_what_follows_the_label(style: str) -> None:
    reply = Reply("A and B are wrong.\nFinal answer: [C]")
    assert judge(choice(), reply, style).scores["official"]["accuracy"].value == 1
    assert judge(choice(), reply, "few-shot").scores["official"]["accuracy"].value == 0


def test_for_structured_replies_nothing_is_official() -> None:
    assert "official" not in judge(choice(), Reply("[C]"), "structured").scores


@pytest.mark.parametrize("reply", ["[" * 500_000, "[a" * 250_000, "[\n" * 200_000 + "[x]"])
def test_a_long_run_of_brackets_is_read_to_its_end(reply: str) -> None:
    assert official.word(reply) == ("x" if reply.endswith("]") else reply)
