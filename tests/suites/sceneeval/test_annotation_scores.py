"""Tests of the scores of annotations, exactly and by meaning."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.library.cards import load_card
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotate import METRICS, AnnotateTask
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, PARSERS, Annotation, Kind, annotation_of

TASK = AnnotateTask(load_card("sceneeval/annotate"))
ASKED = annotation_of(
    "0",
    "easy",
    "A bedroom.",
    ("eq,1,bed", "ge,2,lamp"),
    ("eq,1,bed,king_size",),
    ("eq,2,left,0,bed,lamp", "eq,1,next_to,0,bed,lamp"),
    ("eq,1,against,bed,wall",),
)
RIGHT: dict[str, list[str]] = {
    "counts": ["eq,1,bed", "ge,2,lamp"],
    "attributes": ["eq,1,bed,king_size"],
    "object_relations": ["eq,2,left,0,bed,lamp", "eq,1,next_to,0,bed,lamp"],
    "room_relations": ["eq,1,against,bed,wall"],
}


def judge_reply(asked: Annotation, reply: Reply | None) -> Judged:
    return TASK.score(asked, TASK.read(asked, reply), None)


def judged(value: Any) -> Judged:  # noqa: ANN401  (as JSON has it)
    return judge_reply(ASKED, Reply(json.dumps(value)))


def strict(**changed: list[str]) -> Scores:
    return judged(RIGHT | changed).scores["strict"]


def same(kind: Kind, left: str, right: str, description: str = "A den.") -> tuple[bool, bool]:
    """Return if two entries are equal, exactly and by meaning."""
    one_room = "kitchen" not in description
    keys = [
        [TASK.matcher.key(PARSERS[kind](entry), level, one_room=one_room) for entry in (left, right)]
        for level in ("exact", "meaning")
    ]
    return keys[0][0] == keys[0][1], keys[1][0] == keys[1][1]


def test_reference_gets_full_scores() -> None:
    scores = strict()
    values = {name: score.value for name, score in scores.items()}
    assert set(values) == set(METRICS)
    assert values.pop("unread") == 0
    assert set(values.values()) == {1.0}


def test_entries_agree_exactly_by_meaning_or_not_at_all() -> None:
    exactly: list[tuple[Kind, str, str]] = [  # spelling, synonyms, order
        ("cnt", "eq,1,tv_stand", "eq,1,TV stand"),
        ("cnt", "eq,2,chair", "eq,2,chairs"),
        ("cnt", "eq,1,sofa", "eq,1,couch"),
        ("cnt", "eq,1,shelf", "eq,1,Shelves"),
        ("atr", "eq,1,bed,king_size", "eq,1,bed,king-size"),
        ("atr", "eq,1,sofa,grey", "eq,1,couch,gray"),
        ("oor", "eq,1,left,0,bed,lamp", "eq,1,left,1,lamp,bed"),
        ("oor", "eq,1,left,-1,bed,lamp", "eq,1,left,0,bed,lamp"),
        ("oor", "eq,1,next_to,0,bed,lamp", "eq,1,next_to,0,lamp,bed"),
        ("oor", "eq,1,surround,0,table,chair:0,chair:1,chair:2", "eq,1,surround,3,chair:2,chair:1,chair:5,table"),
        ("oar", "eq,1,against,bed,wall", "eq,1,against,bed,walls"),
        ("oar", "eq,1,between,bed,door,window", "eq,1,between,bed,window,door"),
    ]
    by_meaning: list[tuple[Kind, str, str]] = [  # paraphrases
        ("cnt", "gt,1,chair", "ge,2,chair"),
        ("cnt", "lt,1,chair", "eq,0,chair"),
        ("oor", "eq,1,beside,0,bed,lamp", "eq,1,next_to,0,bed,lamp"),
        ("oor", "eq,1,in_front_of,0,bed,lamp", "eq,1,in_front,0,bed,lamp"),
        ("oar", "eq,1,hang,mirror,wall", "eq,1,on,mirror,wall"),
        ("oar", "eq,1,in_corner,plant,den", "eq,1,in_corner,plant,room"),
    ]
    different: list[tuple[Kind, str, str]] = [
        ("cnt", "eq,2,chair", "ge,2,chair"),
        ("cnt", "eq,2,chair", "eq,3,chair"),
        ("cnt", "eq,1,lamp", "eq,1,floor_lamp"),
        ("atr", "eq,1,bed,red", "eq,1,bed,blue"),
        ("oor", "eq,1,left,0,bed,lamp", "eq,1,left,0,lamp,bed"),
        ("oor", "eq,1,left,0,bed,lamp", "eq,1,right,0,bed,lamp"),
        ("oor", "eq,1,surround,0,table,chair:0,chair:1,chair:2", "eq,1,surround,0,table,chair:0,chair:1"),
        ("oar", "eq,1,near,bed,wall", "eq,1,near,bed,door"),
        ("oar", "eq,1,in_harmony_with,bed,wall", "eq,1,at_odds_with,bed,wall"),
    ]
    for rows, agree in ((exactly, (True, True)), (by_meaning, (False, True)), (different, (False, False))):
        for row in rows:
            assert same(*row) == agree, row


def test_type_of_room_means_room_only_in_one_room_descriptions() -> None:
    entries = ("oar", "eq,1,in_corner,plant,den", "eq,1,in_corner,plant,room")
    assert same(*entries, description="A flat: a den and a kitchen.") == (False, False)  # type: ignore[arg-type]


def test_an_entry_that_is_missing_lowers_recall_and_one_too_many_precision() -> None:
    scores = strict(counts=["eq,1,bed", "eq,1,desk"])
    assert (scores["cnt_precision"].value, scores["cnt_recall"].value, scores["cnt_f1"].value) == (0.5, 0.5, 0.5)
    assert scores["precision"][:2] == (5, 6)
    assert scores["exact_match"].value == 0
    assert strict(counts=["eq,1,bed"])["precision"].value == 1


def test_an_entry_that_cannot_be_read_counts_as_wrong() -> None:
    found = judged(RIGHT | {"counts": [*RIGHT["counts"], "about,3,chair"]})
    scores = found.scores["strict"]
    assert (scores["cnt_precision"][:2], scores["cnt_recall"].value) == ((2, 3), 1)
    assert scores["unread"][:2] == (1, 7)
    assert found.counts["unread_entries"] == 1
    assert "about is none of" in found.evidence["fields"]["cnt"]["unread"][0]["reason"]


def test_a_wrong_number_alone_shows_in_the_quantities() -> None:
    assert strict(counts=["eq,1,bed", "eq,1,beds", "ge,2,lamp"])["precision"].value == 1, "said twice counts once"
    scores = strict(counts=["eq,2,bed", "ge,2,lamp"])
    assert scores["quantities"][:2] == (5, 6)
    assert scores["anchors"].value == 1


def test_a_wrong_anchor_alone_shows_in_the_anchors() -> None:
    found = judged(RIGHT | {"object_relations": ["eq,2,left,1,bed,lamp", "eq,1,next_to,1,bed,lamp"]})
    assert found.scores["strict"]["anchors"][:2] == (0, 1), "next_to is alike from both sides"
    assert found.scores["strict"]["oor_f1"].value == 0.5
    assert found.evidence["nearly"] == [
        {"said": "eq,2,left,1,bed,lamp", "wanted": "eq,2,left,0,bed,lamp", "differs": "anchor"}
    ]


def test_paraphrases_are_near_misses_and_count_by_meaning() -> None:
    found = judged(RIGHT | {"object_relations": ["eq,2,to_the_left_of,0,bed,lamp", "eq,1,beside,0,bed,lamp"]})
    scores = found.scores["strict"]
    assert (scores["oor_f1"].value, scores["oor_f1_meaning"].value) == (0, 1)
    assert [one["differs"] for one in found.evidence["nearly"]] == ["words", "words"]


def test_field_without_expected_and_given_entries_is_correct() -> None:
    asked = annotation_of("0", "", "A den.", ["eq,1,sofa"])
    scores = judge_reply(asked, Reply('{"counts": ["eq,1,sofa"]}')).scores["strict"]
    assert scores["oor_f1_per_item"].value == 1
    assert scores["oor_f1"].value is None
    assert scores["exact_match"].value == 1


def test_samples_without_answer_are_counted_with_zero_scores() -> None:
    rows: list[tuple[Reply | None, Outcome]] = [
        (None, Outcome.MISSING),
        (Reply(""), Outcome.EMPTY),
        (Reply("I would rather not."), Outcome.UNREADABLE),
        (Reply('{"counts": ["eq,1,bed"', None), Outcome.UNREADABLE),
        (Reply(json.dumps(RIGHT), Outcome.TRUNCATED), Outcome.TRUNCATED),
        (Reply(None, Outcome.REFUSED), Outcome.REFUSED),
        (Reply(None, Outcome.API_ERROR), Outcome.API_ERROR),
    ]
    for reply, outcome in rows:
        found = judge_reply(ASKED, reply)
        scores = found.scores["strict"]
        assert (found.outcome, found.answer, found.counts[outcome]) == (outcome, None, 1), reply
        shares = {name: one.value for name, one in scores.items() if name not in ("quantities", "anchors", "unread")}
        assert set(shares.values()) == {0.0}, reply
        assert "official" not in found.scores, reply


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


def asked_for(entries: tuple[list[str], ...]) -> Annotation:
    counts, attributes, pairs, built = entries
    return annotation_of("0", "easy", "A den.", counts, attributes, pairs, built)


def scored(reference: Annotation, entries: tuple[list[str], ...]) -> Scores:
    reply = json.dumps({FIELDS[kind]: listed for kind, listed in zip(KINDS, entries, strict=True)})
    return judge_reply(reference, Reply(reply)).scores["strict"]


@settings(max_examples=40)
@given(ENTRIES)
def test_reference_scores_perfectly_against_itself(entries: tuple[list[str], ...]) -> None:
    found = scored(asked_for(entries), entries)
    assert found["f1"].value == found["f1_meaning"].value == found["f1_per_item"].value == 1
    assert found["exact_match"].value == 1
    assert found["quantities"].value == 1
    assert found["anchors"].value in (1, None)


@settings(max_examples=40)
@given(ENTRIES, ENTRIES, st.randoms(use_true_random=False))
def test_the_order_of_entries_and_writing_them_twice_make_no_difference(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], random: Random
) -> None:
    before = scored(asked_for(wanted), said)
    shuffled = tuple(random.sample([*listed, *listed], 2 * len(listed)) for listed in said)
    after = scored(asked_for(tuple(random.sample(listed, len(listed)) for listed in wanted)), shuffled)
    assert {name: one[:2] for name, one in before.items()} == {name: one[:2] for name, one in after.items()}


@settings(max_examples=40)
@given(ENTRIES, ENTRIES)
def test_scores_are_shares_and_symmetric(wanted: tuple[list[str], ...], said: tuple[list[str], ...]) -> None:
    found = scored(asked_for(wanted), said)
    assert all(0 <= one.sum <= one.weight for one in found.values())
    swapped = scored(asked_for(said), wanted)
    assert found["f1"].value == swapped["f1"].value
    assert found["precision"].value == swapped["recall"].value
    if found["f1"].value == 1:
        assert found["f1_meaning"].value == 1


@settings(max_examples=40)
@given(ENTRIES, ENTRIES, st.integers(0, 3), st.integers(0, 3))
def test_leaving_an_entry_out_never_raises_recall(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], kind: int, place: int
) -> None:
    fewer = tuple(
        [entry for number, entry in enumerate(listed) if (which, number) != (kind, place)]
        for which, listed in enumerate(said)
    )
    before, after = scored(asked_for(wanted), said), scored(asked_for(wanted), fewer)
    for name in ("recall", "recall_meaning", "recall_per_item", *(f"{one}_recall" for one in KINDS)):
        assert (after[name].value or 0) <= (before[name].value or 0)
