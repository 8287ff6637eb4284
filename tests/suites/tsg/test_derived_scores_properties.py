"""Properties of scores of derived tasks for any reply."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st
from tsg_tasks import DERIVATIONS, METRICS, STYLES, judge

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg.items import AnySample, GenerationSample, RefineSample

L = Vocabulary(("person", "cup", "lid", "tea-bag", "hand1"), ("verb", "dobj", "with", "on"), ("wash", "dry", "hold"))
NAMES = ["person", "cup", "lid", "tea-bag", "hand1", "wash", "dry", "spoon"]
TRIPLETS = st.tuples(
    st.sampled_from(NAMES), st.sampled_from(["verb", "dobj", "with", "on"]), st.sampled_from(NAMES)
).map(" -> ".join)
REPLIES = st.one_of(
    st.lists(st.one_of(TRIPLETS, st.sampled_from([*NAMES, "", "Final answer:", "and so on."])), max_size=8).map(
        "\n".join
    ),
    st.text(max_size=60),
)
WASH, DRY = (
    ActionGraph.of(("person", "verb", verb), (verb, "dobj", "cup"), (verb, "with", "hand1")) for verb in ("wash", "dry")
)


def samples() -> list[AnySample]:
    source = GenerationSample(
        item_id="0", cluster="", context=(), sentence="She does it.", vocabulary=L, references=(WASH, DRY)
    )
    return [sample for derivation in DERIVATIONS.values() for sample in derivation.make(source)]


SAMPLES = samples()
REPAIRS = [sample for sample in SAMPLES if isinstance(sample, RefineSample)]


@given(sample=st.sampled_from(SAMPLES), text=REPLIES, style=st.sampled_from(STYLES))
def test_every_reply_has_one_outcome_and_scores_between_zero_and_one(sample: AnySample, text: str, style: str) -> None:
    found = judge(sample, Reply(text), style)
    assert found.counts["items"] == found.counts[found.outcome] == 1
    assert (found.answer is not None) == (found.outcome == "answered")
    assert list(found.scores) == ["strict"]
    for score in found.scores["strict"].values():
        assert score.value is None or -1e-12 <= score.value <= 1 + 1e-12


@given(sample=st.sampled_from(SAMPLES), text=REPLIES)
def test_leaving_an_answer_out_is_never_better(sample: AnySample, text: str) -> None:
    said, silent = (judge(sample, reply).scores["strict"] for reply in (Reply(text), None))
    for name in ("precision", "recall", "f1", "exact_match"):
        assert silent[name].sum <= said[name].sum
        assert silent[name].weight == said[name].weight


@given(sample=st.sampled_from(REPAIRS), text=REPLIES)
def test_an_error_is_fixed_or_left_or_neither_but_not_both(sample: RefineSample, text: str) -> None:
    found = judge(sample, Reply(text))
    fixed, left = (found.scores["strict"][name].sum for name in ("fixed", "left"))
    assert 0 <= fixed + left <= len(sample.changes)
    if found.scores["strict"]["exact_match"].sum:
        assert (fixed, found.counts["newly_broken"]) == (len(sample.changes), 0)
    assert set(found.scores["strict"]) == set(METRICS["refine"])
