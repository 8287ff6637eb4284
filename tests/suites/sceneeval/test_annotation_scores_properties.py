"""Property tests of the scores of annotations: identity, order, bounds, no gain from leaving out entries."""

from __future__ import annotations

import json
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.library.cards import load_card
from tsgkit.suites.judgement import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotate import AnnotateTask
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, annotation_of

TASK = AnnotateTask(load_card("sceneeval/annotate"))
NAMES = st.sampled_from(["bed", "lamp", "sofa", "couch", "chair:1", "tv_stand"])
QUANTITIES = st.tuples(st.sampled_from(["eq", "lt", "gt", "le", "ge"]), st.integers(0, 3)).map(
    lambda q: f"{q[0]},{q[1]}"
)
COUNTS = st.tuples(QUANTITIES, NAMES).map(",".join)
ATTRIBUTES = st.tuples(QUANTITIES, NAMES, st.sampled_from(["red", "king_size"])).map(",".join)
RELATIONS = st.sampled_from(["left", "next_to", "beside", "in_harmony_with"])
PAIRS = st.tuples(QUANTITIES, RELATIONS, st.sampled_from(["0", "1", "-1"]), NAMES, NAMES).map(",".join)
BUILT = st.tuples(QUANTITIES, st.sampled_from(["on", "hang", "in"]), NAMES, st.sampled_from(["wall", "den", "room"]))
ENTRIES = st.tuples(
    st.lists(COUNTS, min_size=1, max_size=4),
    st.lists(ATTRIBUTES, max_size=3),
    st.lists(PAIRS, max_size=4),
    st.lists(BUILT.map(",".join), max_size=3),
)


def annotation(entries: tuple[list[str], ...]) -> Annotation:
    counts, attributes, pairs, built = entries
    return annotation_of("0", "easy", "A den.", counts, attributes, pairs, built)


def judge_reply(asked: Annotation, reply: Reply | None) -> Judged:
    return TASK.score(asked, TASK.read(asked, reply), None)


def scores(reference: Annotation, entries: tuple[list[str], ...]) -> Scores:
    reply = json.dumps({FIELDS[kind]: listed for kind, listed in zip(KINDS, entries, strict=True)})
    return judge_reply(reference, Reply(reply)).scores["strict"]


@given(ENTRIES)
def test_reference_scores_perfectly_against_itself(entries: tuple[list[str], ...]) -> None:
    found = scores(annotation(entries), entries)
    assert found["f1"].value == found["f1_meaning"].value == found["f1_per_item"].value == 1
    assert found["exact_match"].value == 1
    assert found["quantities"].value == 1
    assert found["anchors"].value in (1, None)


@given(ENTRIES, ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_entries_and_writing_them_twice_make_no_difference(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], random: Random
) -> None:
    before = scores(annotation(wanted), said)
    shuffled = tuple(random.sample([*listed, *listed], 2 * len(listed)) for listed in said)
    after = scores(annotation(tuple(random.sample(listed, len(listed)) for listed in wanted)), shuffled)
    assert {name: one[:2] for name, one in before.items()} == {name: one[:2] for name, one in after.items()}


@given(ENTRIES, ENTRIES)
def test_scores_are_shares_and_symmetric(wanted: tuple[list[str], ...], said: tuple[list[str], ...]) -> None:
    found = scores(annotation(wanted), said)
    assert all(0 <= one.sum <= one.weight for one in found.values())
    swapped = scores(annotation(said), wanted)
    assert found["f1"].value == swapped["f1"].value
    assert found["precision"].value == swapped["recall"].value
    if found["f1"].value == 1:
        assert found["f1_meaning"].value == 1


@given(ENTRIES, ENTRIES, st.integers(0, 3), st.integers(0, 3))
def test_leaving_an_entry_out_never_raises_recall(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], kind: int, place: int
) -> None:
    fewer = tuple(
        [entry for number, entry in enumerate(listed) if (which, number) != (kind, place)]
        for which, listed in enumerate(said)
    )
    before, after = scores(annotation(wanted), said), scores(annotation(wanted), fewer)
    for name in ("recall", "recall_meaning", "recall_per_item", *(f"{one}_recall" for one in KINDS)):
        assert (after[name].value or 0) <= (before[name].value or 0)
