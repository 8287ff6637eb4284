"""Scores of captions' graphs: what counts as the same, and what a reply can gain by."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caption_graphs.parsing import METRICS, CaptionGraph, graph_of, same, scores

CAPTION = "A young man in a red hat rides a brown horse."
REFERENCE = graph_of(
    [("man", "young"), ("man", "in", "hat"), ("hat", "red"), ("man", "ride", "horse"), ("horse", "brown")]
)
RENAMED = graph_of(
    [("guy", "young"), ("guy", "inside", "hats"), ("hats", "red"), ("guys", "riding", "horses"), ("horse", "brown")]
)


def value(name: str, *said: tuple[str, ...], caption: str = CAPTION) -> float | None:
    return scores(REFERENCE, graph_of(said), caption)[name].value


@pytest.mark.parametrize(
    ("a", "b"),
    [("man", "men"), ("ride", "riding"), ("sitting on", "sit on"), ("couch", "sofas"), ("T-shirt", "t shirt"),
     ("next to", "beside"), ("guys", "man"), ("3", "three"), ("carries", "holding")],
)  # fmt: skip
def test_names_are_the_same_in_inflection_and_synonyms(a: str, b: str) -> None:
    assert same(a, b) and same(b, a)


@pytest.mark.parametrize(("a", "b"), [("man", "woman"), ("on", "under"), ("hat", "hatch"), ("two", "three"), ("", "a")])
def test_names_differ_in_meaning(a: str, b: str) -> None:
    assert not same(a, b)


def test_the_reference_itself_scores_one_everywhere_and_hallucinates_nothing() -> None:
    found = scores(REFERENCE, REFERENCE, CAPTION)
    assert tuple(found) == tuple(METRICS)
    assert {name: score.value for name, score in found.items()} == dict.fromkeys(METRICS, 1.0) | {"hallucinated": 0.0}


def test_synonyms_and_inflection_count_in_folded_f1_alone() -> None:
    found = scores(REFERENCE, RENAMED, CAPTION)
    assert found["exact_f1"].value == pytest.approx(2 * 2 / (8 + 10))
    assert found["folded_f1"].value == pytest.approx(2 * 8 / (8 + 10))
    assert found["folded_f1"].evidence["extra"] == [("guys",), ("horses",)]
    assert found["hallucinated"].value == 0


def test_soft_f1_counts_the_elements_that_are_the_same() -> None:
    assert value("soft_f1", ("man", "lead", "horse")) == pytest.approx(2 * (2 + 2 / 3) / (8 + 3))
    assert value("soft_f1", ("young man",)) == 0


def test_soft_f1_takes_the_best_assignment() -> None:
    reference = graph_of([("cup", "on", "table"), ("cup", "near", "jug")])
    said = graph_of([("cup", "near", "table"), ("cup", "on", "sill")])
    found = scores(reference, said, "")
    # Objects: cup and table. Relations: with 2 and 1 elements the same crosswise, with 2 and 2 straight.
    assert found["soft_f1"].value == pytest.approx(2 * (2 + 2 / 3 + 2 / 3) / (5 + 5))


def test_kinds_are_scored_apart() -> None:
    said = (("man", "ride", "horse"), ("horse", "white"), ("sky",))
    assert value("objects_f1", *said) == pytest.approx(2 * 2 / (3 + 3))
    assert value("attributes_f1", *said) == 0
    assert value("relations_f1", *said) == pytest.approx(2 * 1 / (2 + 1))


def test_kind_that_is_neither_wanted_nor_said_has_no_score() -> None:
    dog = graph_of([("dog",)])
    assert scores(dog, dog, "A dog.")["relations_f1"].value is None
    assert scores(dog, graph_of([("dog", "on", "sofa")]), "A dog.")["relations_f1"].value == 0


def test_object_is_hallucinated_where_neither_reference_nor_caption_has_it() -> None:
    said = (("men",), ("horses",), ("hats",), ("tree",))
    assert value("hallucinated", *said) == pytest.approx(1 / 4)
    assert value("hallucinated", *said, caption="There are trees.") == 0


def test_no_answer_is_worth_nothing_with_full_weight() -> None:
    found = scores(REFERENCE, (), CAPTION)
    assert [found[name][:2] for name in METRICS if name != "hallucinated"] == [(0.0, 1.0)] * (len(METRICS) - 1)
    assert found["hallucinated"].value is None


def test_soft_f1_takes_a_reply_of_very_many_tuples() -> None:
    said = graph_of([("man", "ride", f"thing{number}") for number in range(300)])
    wanted = graph_of([("man", "ride", f"object{number}") for number in range(9)])
    assert scores(wanted, said, "")["soft_f1"].value == pytest.approx(2 * (1 + 9 * 2 / 3) / (19 + 601))


WORDS = st.sampled_from(["man", "men", "guy", "dog", "dogs", "red", "big", "large", "on", "ride", "riding", "red dog"])
TUPLES = st.one_of(st.tuples(WORDS), st.tuples(WORDS, WORDS), st.tuples(WORDS, WORDS, WORDS))
GRAPHS = st.lists(TUPLES, min_size=1, max_size=5).map(graph_of)


@given(GRAPHS, GRAPHS)
def test_scores_are_shares_and_looser_ones_are_no_lower(wanted: CaptionGraph, said: CaptionGraph) -> None:
    found = scores(wanted, said, "")
    assert all(score.value is None or 0 <= score.value <= 1 for score in found.values())
    exact, folded, soft = (found[name].value or 0 for name in ("exact_f1", "folded_f1", "soft_f1"))
    assert exact <= folded <= soft + 1e-9


@given(GRAPHS, GRAPHS)
def test_f1_is_symmetric(wanted: CaptionGraph, said: CaptionGraph) -> None:
    there, back = scores(wanted, said, ""), scores(said, wanted, "")
    assert all(there[name].value == pytest.approx(back[name].value) for name in ("exact_f1", "folded_f1", "soft_f1"))


@given(GRAPHS, st.randoms())
def test_order_of_tuples_changes_nothing(wanted: CaptionGraph, lot: Random) -> None:
    shuffled = list(wanted)
    lot.shuffle(shuffled)
    assert scores(wanted, graph_of(shuffled), "")["folded_f1"].value == 1
