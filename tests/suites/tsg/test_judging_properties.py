"""Properties of scores for any reply."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st
from tsg_tasks import STYLES, judge

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.items import AnySample, GenerationSample, QuestionSample, SelectionSample

NAMES = st.sampled_from(["cup", "lid", "table", "hand1", "hand2", "tea-bag"])
EDGES = st.lists(st.tuples(st.sampled_from(["dobj", "with", "on"]), NAMES), max_size=4)
GRAPHS = st.builds(
    lambda action, edges: ActionGraph([("person", "verb", action), *((action, *edge) for edge in edges)]),
    st.sampled_from(["wash", "dry", "hold"]),
    EDGES,
)
L = Vocabulary(("cup", "lid", "table", "tea-bag"), ("verb", "dobj", "with", "on"), ("wash", "dry", "hold"))


def generation(graphs: list[ActionGraph]) -> GenerationSample:
    return GenerationSample(
        item_id="0", cluster="", context=(), sentence="She washes it.", vocabulary=L, references=tuple(graphs)
    )


SAMPLES: tuple[AnySample, ...] = (
    generation([ActionGraph.of(("person", "verb", "wash"))] * 3),
    QuestionSample(item_id="0", cluster="", graphs=(), question="?", answer="cup"),
    SelectionSample(item_id="0", cluster="", context=(), graph=ActionGraph(), candidates=tuple("abcd"), position=1),
)
REFERENCES = st.lists(GRAPHS, min_size=1, max_size=4)
REPLIES = st.lists(GRAPHS, max_size=6).map(lambda graphs: "\n\n".join(map(str, graphs)))


def judged(references: list[ActionGraph], text: str) -> Judged:
    return judge(generation(references), Reply(text))


@given(references=REFERENCES)
def test_a_perfect_reply_scores_one_in_every_metric(references: list[ActionGraph]) -> None:
    found = judged(references, "\n\n".join(map(str, references)))
    lower = {"hallucinated", "hallucinating"}
    for scores in found.scores.values():
        assert all(score.value == pytest.approx(float(name not in lower)) for name, score in scores.items())


@given(references=REFERENCES, text=REPLIES)
def test_scores_are_bounded_and_f1_is_at_most_the_mean_of_precision_and_recall(
    references: list[ActionGraph], text: str
) -> None:
    for scores in judged(references, text).scores.values():
        values = {name: score.value for name, score in scores.items()}
        assert all(value is None or 0 <= value <= 1 + 1e-12 for value in values.values())
        precision, recall, f1 = (scores[name].sum for name in ("precision", "recall", "f1"))
        assert f1 <= (precision + recall) / 2 + 1e-9


@given(references=REFERENCES, text=REPLIES)
def test_an_alignment_never_scores_below_pairing_by_place(references: list[ActionGraph], text: str) -> None:
    scores = judged(references, text).scores["strict"]
    if scores["f1_aligned"].weight:
        assert scores["f1"].sum <= scores["f1_in_order"].sum + 1e-9 <= scores["f1_aligned"].sum + 2e-9


@given(references=REFERENCES, text=REPLIES)
def test_leaving_out_the_whole_reply_never_raises_a_strict_headline(references: list[ActionGraph], text: str) -> None:
    with_reply, without = judged(references, text), judge(generation(references), None)
    for name in ("precision", "recall", "f1", "f1_per_item", "exact_match"):
        given_, left_out = with_reply.scores["strict"][name], without.scores["strict"][name]
        assert left_out.sum <= given_.sum
        assert left_out.weight == given_.weight


@given(references=REFERENCES, graphs=st.lists(GRAPHS, min_size=1, max_size=4), data=st.data())
def test_the_order_of_triplets_within_blocks_changes_no_strict_score(
    references: list[ActionGraph], graphs: list[ActionGraph], data: st.DataObject
) -> None:
    shuffled = [ActionGraph(data.draw(st.permutations(graph.triplets))) for graph in graphs]
    first, second = (judged(references, "\n\n".join(map(str, some))) for some in (graphs, shuffled))
    values = [{name: score.value for name, score in one.scores["strict"].items()} for one in (first, second)]
    assert values[0] == values[1]


@given(references=REFERENCES, text=REPLIES)
def test_invented_elements_are_mentioned_or_new(references: list[ActionGraph], text: str) -> None:
    counts = judged(references, text).counts
    assert counts["hallucinated_desc"] + counts["hallucinated_new"] == counts["hallucinated_total"]


WILD = st.one_of(
    st.text(max_size=80),
    st.text(alphabet="[]ABCDEabc (){}\n*.:->\"'Final answer", max_size=80),
    st.lists(st.sampled_from(["Final answer:", "[", "]", "cup", "C", "\n", "person -> verb -> wash", "->", "</think>"]),
             max_size=12).map(" ".join),
)  # fmt: skip


@given(sample=st.sampled_from(SAMPLES), text=WILD, style=st.sampled_from(STYLES))
def test_no_reply_makes_a_scorer_fail_and_each_has_one_outcome(sample: AnySample, text: str, style: str) -> None:
    found = judge(sample, Reply(text), style)
    assert found.counts["items"] == 1
    assert found.counts[found.outcome] == 1
    assert (found.answer is not None) == (found.outcome == "answered")


@given(text=st.text(alphabet="[]aB \n\r", max_size=20))
def test_the_published_bracket_is_found_as_its_pattern_finds_it(text: str) -> None:
    match = re.search(r"\[(.*?)\]", text)
    assert official.word(text) == (match.group(1) if match else text).lower().strip()
