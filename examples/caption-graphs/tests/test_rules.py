"""The baseline that parses captions by rules."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tsgkit.replies.tuples import Tuples, tuples_text

from caption_graphs.parsing import graph_of, read_tuples
from caption_graphs.rules import parse

CAPTIONS = {
    "A brown horse stands in front of a barn.": "( horse , brown ) , ( horse , stand in front of , barn )",
    "Men in red hats are riding a horse.": "( hat , red ) , ( man , in , hat ) , ( man , ride , horse )",
    "A girl watches a dog chasing a ball.": "( girl , watch , dog ) , ( dog , chase , ball )",
    "A cat and a dog sleep on a sofa.": "( cat ) , ( dog , sleep on , sofa )",
    "A man without a coat holds an umbrella.": "( man , hold , umbrella )",
    "There are no boats on the calm lake.": "( lake , calm )",
    "A baby is crying.": "( baby , crying )",
    "Leaves lie on shelves next to boxes.": "( leaf , lie on , shelf ) , ( shelf , next to , box )",
}


@pytest.mark.parametrize("caption", CAPTIONS)
def test_rules_parse_simple_captions(caption: str) -> None:
    wanted = read_tuples(CAPTIONS[caption])
    assert isinstance(wanted, Tuples)
    assert set(graph_of(parse(caption))) == set(wanted.tuples)


WORDS = st.sampled_from(
    ["a", "the", "no", "dog", "dogs", "red", "sits", "on", "is", "and", "it", ",", ".", "'", "_", "é"]
)


@example("OBJECT")
@example("𝕊 ﬀ ２")
@given(st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=12).map(" ".join)))
def test_rules_make_a_readable_graph_of_any_text(caption: str) -> None:
    graph = graph_of(parse(caption))
    assert not graph or read_tuples(tuples_text(graph)) == Tuples(graph)
