"""The published readers and scorers beside the strict ones, behaviour by behaviour; and votes on several draws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tsg_tasks import STYLES, judge, task

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.graph.reading import Reading as GraphReading
from tsgkit.graph.reading.answers import GraphAnswer
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.protocols import Reading
from tsgkit.suites.solvers.scorers import combined
from tsgkit.suites.tsg import official, qa, selection
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample, SelectionSample
from tsgkit.suites.tsg.votes import MOST_GRAPHS, comparable, majority_graphs

WASH = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"))
DRY = ActionGraph.of(("person", "verb", "dry"), ("dry", "dobj", "cup"))
STACK = ActionGraph.of(("person", "verb", "stack"), ("stack", "dobj", "cup"))
L = Vocabulary(("cup", "lid", "table", "tea-bag"), ("verb", "dobj", "with", "on"), ("wash", "dry", "stack", "hold"))


def choice(candidates: int = 5) -> SelectionSample:
    texts = tuple("abcde"[:candidates])
    return SelectionSample(item_id="0", cluster="", context=(), graph=WASH, candidates=texts, position=2)


def question(answer: str = "rope") -> QuestionSample:
    graphs = (ActionGraph.of(("pull", "dobj", answer)),)
    return QuestionSample(item_id="0", cluster="", graphs=graphs, question="", answer=answer)


def generation(*references: ActionGraph) -> GenerationSample:
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence="She washes it.", vocabulary=L, references=references
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
ALL = arrows(WASH, DRY, STACK)
GRAPHS = {
    "G0: all right": (ALL, 1, 1),
    "G1: missing graphs are not scored": (arrows(WASH), 1, 1 / 3),
    "G2: a reply without triplets is skipped": ("I cannot do that.", None, 0),
    "G3: surplus graphs are free": (arrows(WASH, DRY, STACK, WASH), 1, 3 / 4),
    "G4: one graph forgotten at the start shifts the others": (arrows(DRY, STACK), 0, 0),
    "G6: a blank line after each triplet makes graphs of single triplets": (ALL.replace("\n", "\n\n"), (2 / 3) / 3, 1),
    "G7: a heading without a blank line fuses graphs": (
        f"Graph 1:\n{WASH}\nGraph 2:\n{DRY}\nGraph 3:\n{STACK}", 0.5, 1),
    "G9: bullets stay in the names": (re.sub("(?m)^(.)", r"- \1", ALL), 0, 1),
    "G9: a trailing period stays in the name": (ALL.replace("cup", "cup."), 0.5, 1),
    "G10: other arrows give no triplets": (ALL.replace("->", "→"), None, 1),
    "G10: long arrows leave a hyphen behind": (ALL.replace("->", "-->"), 0, 1),
    "G11: case counts": (ALL.replace("person", "Person"), 0.5, 1),
    "G12: duplicates are free": (ALL + "\nstack -> dobj -> cup", 1, 1),
    "G12: reversed triplets are wrong": (ALL.replace("stack -> dobj -> cup", "cup -> dobj -> stack"), 2.5 / 3, 2.5 / 3),
    "G17: a rationale line with two arrows is a triplet": ("so first -> then -> later\n" + ALL, 2.8 / 3, 1),
}  # fmt: skip


def test_replies_are_scored_as_published_and_strictly() -> None:
    for shows, (text, published, strict) in CHOICES.items():
        judged = judge(choice(), Reply(text))
        assert (official.letter(text), judged.answer) == (published, strict), shows
        values = [judged.scores[profile]["accuracy"].value for profile in ("official", "strict")]
        assert values == [published == "C", strict == "C"], shows
    for cases, sample, metric in ((QUESTIONS, question(), "exact_match"), (GRAPHS, generation(WASH, DRY, STACK), "f1")):
        for shows, (text, *expected) in cases.items():
            scores = judge(sample, Reply(text)).scores
            values = [scores[profile][metric].value for profile in ("official", "strict")]
            assert values == [pytest.approx(one) for one in expected], shows


def test_words_graphs_and_letters_beyond_the_tables_are_told_apart_as_published() -> None:
    hyphen = judge(question("tea-bag"), Reply("[tea bag]")).scores
    words = [hyphen["official"]["exact_match"], hyphen["strict"]["exact_match"], hyphen["strict"]["normalised"]]
    assert [score.value for score in words] == [0, 0, 1], "Q3: hyphens and spaces differ but in the normalised metric"
    others = [judge(question(), Reply(text)).scores["strict"]["not_a_node"].value for text in ("[ladder]", "[pull]")]
    assert others == [1, 0], "Q5: other names are told apart"
    scores = judge(generation(WASH), Reply(arrows(WASH, DRY))).scores
    assert (scores["official"]["f1"].value, scores["strict"]["f1"].value) == (1, 0.5), "G8: the first of several blocks"
    judged = judge(generation(WASH), Reply("no"))
    assert (judged.scores["official"]["f1"].value, judged.counts["skipped_official"]) == (None, 1), "G5: none"
    judged = judge(choice(candidates=4), Reply("[E]"))
    assert (official.letter("[E]"), judged.scores["official"]["accuracy"].value) == ("E", 0), "D7: beyond all"
    assert (judged.outcome, judged.notes) == ("unreadable", ("E is none of the 4 options",))
    wanted, said = ActionGraph.of(("a b", "c", "d")), ActionGraph.of(("a", "b c", "d"))
    assert official.score_graph(wanted, said).f1 == 1 and wanted != said, "G11: triplets as one string"
    right, wrong = judge(generation(WASH, DRY), Reply(arrows(WASH, DRY))), judge(generation(WASH), Reply(arrows(DRY)))
    averaged = [one.scores["official"]["f1"] for one in (right, wrong)]
    assert [(score.sum, score.weight) for score in averaged] == [(2, 2), (0, 1)], "G13: over paired graphs"


def test_every_strict_metric_of_generated_graphs_has_its_definition() -> None:
    mug = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "mug"))
    judged = judge(generation(WASH, DRY, STACK), Reply(arrows(mug, STACK)))
    found = {name: (score.sum, score.weight) for name, score in judged.scores["strict"].items()}
    assert {name: pair for name, pair in found.items() if name != "f1_soft"} == {
        "precision": (0.5, 3), "recall": (0.5, 3), "f1": (0.5, 3), "f1_per_item": (0.5, 3), "exact_match": (0, 1),
        "micro_precision": (1, 4), "micro_recall": (1, 6), "micro_f1": (2, 10),
        "f1_in_order": (1.5, 3), "f1_aligned": (1.5, 3),
        "nodes_f1": (pytest.approx(4 / 3), 3), "edges_f1": (2, 3),
        "actions_precision": (1, 1), "actions_recall": (pytest.approx(2 / 3), 1), "actions_f1": (pytest.approx(0.8), 1),
        "hallucinated": (1, 7), "hallucinating": (1, 1),
    }  # fmt: skip
    assert {name: count for name, count in judged.counts.items() if count} == {
        "items": 1, "answered": 1, "missing_graphs": 1, "hallucinated_total": 1, "hallucinated_new": 1,
        "hallucinating_items": 1, "hallucinating_items_new": 1,
    }  # fmt: skip


def test_the_published_reader_sees_what_its_style_shows_and_no_answer_has_a_reason() -> None:
    told = Reply("A and B are wrong.\nFinal answer: [C]")
    seen = {style: judge(choice(), told, style).scores.get("official") for style in STYLES}
    assert {style: scores and scores["accuracy"].value for style, scores in seen.items()} == {
        "zero-shot": 0, "few-shot": 0, "cot": 1, "cot-few-shot": 1, "structured": None,
    }  # fmt: skip
    for reply, text in (
        ("Answer: A\nno wait\nAnswer: B", " B"),
        ("reasons\n### Final graphs\na -> b -> c", "\na -> b -> c"),
        ("<think>Answer: A</think>[B]", "[B]"),
        ("Answer: A\nFinal answer:\n", " A\nFinal answer:\n"),
        ("Answer:", ""),
        ("Graph 1:\na -> b -> c", "Graph 1:\na -> b -> c"),
    ):
        assert official.answer_section(reply) == text, reply
    for reply in ("[" * 500_000, "[a" * 250_000, "[\n" * 200_000 + "[x]"):
        assert official.word(reply) == ("x" if reply.endswith("]") else reply)
    for reply, reason in (
        ("[F]", "F is none of the 5 options"),
        ("[A] or [B]", "two answers: A, B"),
        ("The third one", "no answer"),
        ("Final answer:", "no answer"),
        ("7", "no answer"),
    ):
        assert selection.letter(reply, [""] * 5) == Unreadable(reason)
    for reply in ("from [table] to [Cup]", "[]", "Answer: ", "[ . ]"):
        assert isinstance(qa.word(reply), Unreadable), reply


EDGES = st.tuples(st.sampled_from(["dobj", "with", "on"]), st.sampled_from(["cup", "lid", "hand1", "hand2", "tea-bag"]))
DRAWN = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, *edge) for edge in edges)]),
    st.sampled_from(["wash", "dry", "hold"]),
    st.lists(EDGES, max_size=4),
)
REFERENCES = st.lists(DRAWN, min_size=1, max_size=4)


def judged_generation(references: list[ActionGraph], graphs: list[ActionGraph]) -> Judged:
    return judge(generation(*references), Reply(arrows(*graphs)))


@given(references=REFERENCES, graphs=st.lists(DRAWN, max_size=6), data=st.data())
def test_perfect_graphs_score_one_any_have_bounded_scores_and_silence_is_never_better(
    references: list[ActionGraph], graphs: list[ActionGraph], data: st.DataObject
) -> None:
    lower = {"hallucinated", "hallucinating"}
    for scores in judged_generation(references, references).scores.values():
        assert all(score.value == pytest.approx(float(name not in lower)) for name, score in scores.items())
    judged, silent = judged_generation(references, graphs), judge(generation(*references), None).scores["strict"]
    for scores in judged.scores.values():
        assert all(score.value is None or 0 <= score.value <= 1 + 1e-12 for score in scores.values())
        precision, recall, f1 = (scores[name].sum for name in ("precision", "recall", "f1"))
        assert f1 <= (precision + recall) / 2 + 1e-9
    strict = judged.scores["strict"]
    if strict["f1_aligned"].weight:
        assert strict["f1"].sum <= strict["f1_in_order"].sum + 1e-9 <= strict["f1_aligned"].sum + 2e-9
    for name in ("precision", "recall", "f1", "f1_per_item", "exact_match"):
        assert silent[name].sum <= strict[name].sum and silent[name].weight == strict[name].weight
    counts = judged.counts
    assert counts["hallucinated_desc"] + counts["hallucinated_new"] == counts["hallucinated_total"]
    shuffled = [ActionGraph(data.draw(st.permutations(graph.triplets))) for graph in graphs]
    again = judged_generation(references, shuffled).scores["strict"]
    assert {name: one.value for name, one in again.items()} == {name: one.value for name, one in strict.items()}


@given(text=st.text(alphabet="[]aB \n\r", max_size=20))
@settings(max_examples=50)
def test_the_published_bracket_is_found_as_its_pattern_finds_it(text: str) -> None:
    match = re.search(r"\[(.*?)\]", text)
    assert official.word(text) == (match.group(1) if match else text).lower().strip()


NONE = Unreadable("nothing")
Read = Reading[Any]


def drawn(*found: ActionGraph) -> Read:
    return Reading(Outcome.ANSWERED, GraphAnswer(found, GraphReading(found, (), ())))


def majority(readings: Sequence[Read]) -> Read:
    of_graphs = any(isinstance(reading.answer, GraphAnswer) for reading in readings)
    return combined(task("ma-sgg") if of_graphs else task("sgqa"), question(), readings)


def test_only_draws_that_could_be_read_have_a_vote() -> None:
    cup: Read = Reading(Outcome.ANSWERED, "cup")
    assert majority([Reading(Outcome.UNREADABLE, NONE), Reading(Outcome.EMPTY, None), cup]) == (Outcome.ANSWERED, "cup")
    for outcome in (Outcome.EMPTY, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.MISSING):
        assert majority([Reading(outcome, None), Reading(Outcome.UNREADABLE, NONE)]) == (outcome, None)
        assert majority([Reading(Outcome.UNREADABLE, NONE), Reading(outcome, None)]) == (Outcome.UNREADABLE, NONE)
    assert majority([]) == (Outcome.MISSING, None)
    assert majority([cup, Reading(Outcome.API_ERROR, None), cup]) == (Outcome.API_ERROR, None)


def test_draws_without_end_have_no_vote_and_a_note_says_so() -> None:
    endless = drawn(*[WASH, DRY] * MOST_GRAPHS)
    outcome, answer = majority([endless, drawn(WASH), endless, drawn(WASH), drawn(DRY)])
    note = f"2 of 5 draws had no vote: the draws hold more than {MOST_GRAPHS} graphs"
    assert (outcome, answer.graphs, answer.asides) == (Outcome.ANSWERED, (WASH,), (note,))
    too_many = Unreadable(f"every draw holds more than {MOST_GRAPHS} graphs: too many to compare")
    assert majority([endless, endless]) == (Outcome.UNREADABLE, too_many)
    long, short = [WASH] * (MOST_GRAPHS - 2), [DRY, STACK]
    assert comparable([short, long, short]) == [short, short]
    assert comparable([short, long]) == [short, long]
    assert comparable([long, short, [WASH], [DRY]]) == [short, [WASH], [DRY]], "the first of the shortest"
    more = ActionGraph([*WASH, ("wash", "with", "hand1")])
    assert majority_graphs([[WASH], [more]]) == (WASH,), "half is not enough"
    assert majority_graphs([[WASH, DRY, STACK], [DRY, STACK], [WASH, DRY, STACK]]) == (WASH, DRY, STACK)
    nothing = Unreadable("no triplet has a majority")
    assert majority([drawn(WASH), drawn(DRY)]) == (Outcome.UNREADABLE, nothing)


@given(draws=st.lists(REFERENCES, min_size=1, max_size=5), other=REFERENCES, place=st.integers(0, 2))
def test_two_equal_draws_of_three_win_and_every_voted_triplet_stands_in_more_than_half(
    draws: list[list[ActionGraph]], other: list[ActionGraph], place: int
) -> None:
    for graph in majority_graphs(draws):
        assert graph.triplets
        for triplet in graph:
            holding = sum(any(triplet in set(other) for other in draw) for draw in draws)
            assert holding * 2 > len(draws)
    agreed = draws[0]
    three = [agreed, agreed]
    three.insert(place, other)
    assert majority_graphs(three) == tuple(agreed) == majority_graphs([agreed] * (place + 1))
