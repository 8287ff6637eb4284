"""Properties of every baseline on any sample: answers are readable, within L, valid and deterministic."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st
from tsg_tasks import BASELINES, read_reply

from tsgkit.graph import ActionGraph, Vocabulary, check_graph
from tsgkit.graph.folding import fold
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.baselines.elements import elements_of
from tsgkit.suites.tsg.items import GenerationSample, QuestionSample, SelectionSample

THINGS = ("cup", "lid", "tea-bag", "brush", "person", "hand1", "hand2", "left-hand", "Mug", "two words", "bolt:1", "")
VERBS = ("pick-up", "put-down", "brush", "hold", "pass", "turn-on", "open", "hand1", "person", "Wash", "go over")
LABELS = ("verb", "dobj", "with", "on", "from", "to", "out-of", "into", "verbs", "prep", "manner", "ON", "next to")
NAMES = st.sampled_from(THINGS) | st.text("abc-: _Z[]>", max_size=6)
VOCABULARIES = st.builds(
    Vocabulary,
    st.lists(NAMES, max_size=8).map(tuple),
    st.lists(st.sampled_from(LABELS) | st.text("abo- ", max_size=4), max_size=8).map(tuple),
    st.lists(st.sampled_from(VERBS) | st.text("abc- _", max_size=6), max_size=6).map(tuple),
)
WORDS = word_set(
    "the cup lid tea bag brush brushes it them with both hands her other hand and then picks up puts down holds opens",
    "passes turns on twice three times more again from out of into to next using is was goes , . ; before after",
)
TEXTS = st.lists(st.sampled_from(sorted(WORDS)), max_size=14).map(" ".join) | st.text(max_size=30)
K = st.integers(1, 6)
GRAPHS = st.lists(
    st.lists(
        st.tuples(NAMES, st.sampled_from(LABELS), NAMES) | st.tuples(st.just("person"), st.just("verb"), NAMES),
        max_size=4,
    ).map(ActionGraph),
    max_size=5,
).map(tuple)
BY_NAME = pytest.mark.parametrize("name", list(BASELINES))


@BY_NAME
@given(vocabulary=VOCABULARIES, sentence=TEXTS, context=st.lists(TEXTS, max_size=3), k=K, seed=st.integers(0, 9))
def test_generated_graphs_are_as_many_as_asked_for_valid_and_of_l(
    name: str, vocabulary: Vocabulary, sentence: str, context: list[str], k: int, seed: int
) -> None:
    sample = GenerationSample(
        item_id="0",
        cluster="",
        context=tuple(context),
        sentence=sentence,
        vocabulary=vocabulary,
        references=(ActionGraph(),) * k,
    )
    reply = BASELINES[name](sample, seed)
    if not elements_of(vocabulary).actions:
        assert reply == ""
        return
    answer = read_graphs(reply, k)
    assert isinstance(answer, GraphAnswer)
    assert len(answer.graphs) == len(official.graphs(reply)) == k
    assert not answer.reading.notes
    for read, written in zip(answer.graphs, official.graphs(reply), strict=True):
        assert read == written
        assert [finding for finding in check_graph(written, vocabulary) if finding.severity == "error"] == []


@BY_NAME
@given(graphs=GRAPHS, question=TEXTS, seed=st.integers(0, 9))
def test_an_answer_is_a_readable_node_of_the_graphs(
    name: str, graphs: tuple[ActionGraph, ...], question: str, seed: int
) -> None:
    sample = QuestionSample(item_id="0", cluster="", graphs=graphs, question=question, answer="")
    _, found = read_reply(sample, Reply(BASELINES[name](sample, seed)))
    assert isinstance(found, str)
    assert found in {fold(node) for node in (*sample.nodes, "person")}


@BY_NAME
@given(graphs=GRAPHS, candidates=st.lists(TEXTS, min_size=1, max_size=5), seed=st.integers(0, 9))
def test_a_choice_is_one_of_the_letters_in_both_readings(
    name: str, graphs: tuple[ActionGraph, ...], candidates: list[str], seed: int
) -> None:
    graph = graphs[0] if graphs else ActionGraph()
    sample = SelectionSample(
        item_id="0", cluster="", context=graphs, graph=graph, candidates=tuple(candidates), position=0
    )
    reply = BASELINES[name](sample, seed)
    assert read_reply(sample, Reply(reply))[1] == official.letter(reply)
    assert official.letter(reply) in tuple("ABCDE")[: len(candidates)]
