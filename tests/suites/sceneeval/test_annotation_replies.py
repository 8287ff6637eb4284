"""Tests of annotations that models write: read from any usual form, scored exactly and by meaning, and voted on."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending
from tsgkit.llm.reply import Reply as ModelReply
from tsgkit.replies import Unreadable
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judgement import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.sceneeval.annotate import METRICS, NO_MAJORITY, UNREAD, AnnotateTask
from tsgkit.suites.sceneeval.annotation_replies import CUT, FIELDS, NOTHING, AnnotationReading, read_annotation_reply
from tsgkit.suites.sceneeval.annotations import KINDS, PARSERS, Annotation, Kind, Specification, annotation_of
from tsgkit.suites.solvers.protocols import Reading
from tsgkit.suites.solvers.scorers import Draws, OneReply
from tsgkit.suites.transcript import LabelledReply, Transcript

TASK = AnnotateTask(load_card("sceneeval/annotate"))
WORDING = TASK.matcher
WANTED = {
    "counts": ["eq,1,bed", "ge,2,lamp"],
    "attributes": ["eq,1,bed,king_size"],
    "object_relations": ["eq,2,left,0,bed,lamp"],
    "room_relations": ["eq,1,against,bed,wall"],
}
LISTED = [entry for entries in WANTED.values() for entry in entries]
KINDS_WANTED = ["cnt", "cnt", "atr", "oor", "oar"]


def texts_of(reading: AnnotationReading) -> list[str]:
    return [spec.text for spec in reading.specifications]


def reasons(reading: AnnotationReading, kind: str) -> list[str]:
    return [note.reason for note in reading.findings if note.kind == kind]


def test_requested_form_is_read_without_findings() -> None:
    for frame in (
        "{}",
        "```json\n{}\n```",
        "Sure! Here it is:\n\n{}\n\nAnything else?",
        "<think>[]</think>\n{}",
        "Final answer:\n{}",
    ):
        reading = read_annotation_reply(frame.replace("{}", json.dumps(WANTED), 1))
        assert (texts_of(reading), reading.findings, reading.unreadable) == (LISTED, (), ""), frame
        assert [spec.kind for spec in reading.specifications] == KINDS_WANTED, frame


def test_other_forms_of_annotations_and_lines_under_headings_are_read() -> None:
    rows: list[Any] = [
        {"annotation": WANTED},
        [WANTED],
        {
            "ObjCount": "eq,1,bed; ge,2,lamp",
            "ObjAttr": "eq,1,bed,king_size",
            "OORel": "eq,2,left,0,bed,lamp",
            "OARel": "eq,1,against,bed,wall",
        },
        {name: [entry.split(",") for entry in entries] for name, entries in WANTED.items()},
        LISTED,
        {
            "counts": [{"quantifier": "eq", "number": 1, "category": "bed"}, {"op": ">=", "n": 2, "object": "lamp"}],
            "attributes": [{"quantity": "eq", "n": 1, "category": "bed", "attribute": "king_size"}],
            "object relations": [
                {"quantity": "eq", "n": 2, "relation": "left", "anchor_index": 0, "objects": ["bed", "lamp"]}
            ],
            "room relations": [
                {"quantity": "eq", "n": 1, "relation": "against", "category": "bed", "references": ["wall"]}
            ],
        },
    ]
    for value in rows:
        reading = read_annotation_reply(json.dumps(value))
        assert texts_of(reading) == LISTED, value
        assert not reading.bad, value
    text = "**ObjCount**\n- eq,1,bed\n- ge,2,lamp\n\n## Attributes: eq,1,bed,king_size\n"
    text += "OORel:\n1. `eq,2,left,0,bed,lamp`\n\nRoom relations:\n* eq,1,against,bed,wall\n"
    reading = read_annotation_reply(f"I counted everything.\n\n{text}\nI hope this helps.")
    assert texts_of(reading) == LISTED
    assert reasons(reading, "ignored") == ["no entry and no heading"] * 2
    assert reading.is_repaired
    assert [spec.kind for spec in read_annotation_reply("\n".join(LISTED)).specifications] == KINDS_WANTED


def test_a_bad_entry_is_a_finding_and_comparison_signs_number_words_and_missing_anchors_are_repaired() -> None:
    value = {"counts": ["eq,1,bed", "some,1,lamp", 7, "eq,1"], "room_relations": ["eq,1,on,lamp", None]}
    reading = read_annotation_reply(json.dumps(value))
    assert texts_of(reading) == ["eq,1,bed"]
    assert [one.kind for one in reading.bad] == ["cnt", "cnt", "cnt", "oar"]
    assert "some is none of eq, lt, gt, le, ge" in reading.bad[0].note.reason
    assert all(one.note in reading.findings for one in reading.bad)
    for written, read, reason in (
        (">=,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("at least,2,lamp", "ge,2,lamp", "the comparison as a sign or in words"),
        ("eq,two,lamp", "eq,2,lamp", "the number in words"),
        ("eq,2.0,lamp", "eq,2,lamp", "the number in words"),
    ):
        reading = read_annotation_reply(json.dumps({"counts": [written]}))
        assert (texts_of(reading), reasons(reading, "repaired")) == ([read], [reason]), written
    reading = read_annotation_reply('{"object_relations": ["eq,1,left,bed,lamp"]}')
    (spec,) = reading.specifications
    assert (spec.anchor_place, spec.anchor, spec.others) == (-1, "bed", ("lamp",))
    assert reasons(reading, "repaired") == ["no place of the anchor"]


def test_the_last_annotation_with_entries_counts_an_empty_one_is_valid_and_hostile_text_stays_data() -> None:
    several = [{"counts": ["eq,1,bed"]}, {"counts": ["eq,2,bed"]}, {"counts": []}]
    reading = read_annotation_reply("\n".join(map(json.dumps, several)))
    assert texts_of(reading) == ["eq,2,bed"]
    assert reasons(reading, "ignored") == ["2 other annotations in it; the last one with entries counts"]
    assert read_annotation_reply('{"counts": [], "attributes": []}') == AnnotationReading()
    assert read_annotation_reply("Counts: none\nAttributes: none").unreadable == ""
    hostile = "eq,1,{statement}; DROP\x1b[31m,%s"
    reading = read_annotation_reply(json.dumps({"counts": [hostile], "__proto__": {"x": 1}, "system": "obey"}))
    assert (texts_of(reading), len(reading.bad)) == (["eq,1,{statement}"], 1)
    assert reasons(reading, "ignored") == ["a field that was not requested"] * 2
    made = read_annotation_reply(json.dumps(WANTED)).annotation("7", description="A bedroom.", difficulty="easy")
    assert (made.item_id, made.room, [spec.text for spec in made.specifications]) == ("7", "bedroom", LISTED)


def test_a_text_without_an_annotation_says_why() -> None:
    for text, why in (
        ("I'm sorry, I can't help with that.", "there is no annotation in it"),
        ('{"counts": ["eq,1,bed", "eq,1,la', "the annotation ends in the middle"),
        ('<think>{"counts": ["eq,1,bed"]}', "the reasoning never ends"),
    ):
        reading = read_annotation_reply(text)
        assert (reading.unreadable, reading.specifications, reading.bad) == (why, (), ()), text


NAMES = st.sampled_from(["bed", "lamp", "sofa", "couch", "chair:1", "tv_stand", "é"])
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
PIECES = (
    *("```json\n", "<think>", "</think>", "counts", '{"counts": [', '"ObjAttr": "', '"room_relations": ["', "ObjAttr:"),
    *(
        "eq,1,bed",
        "ge,two,lamp",
        ">=,2,bed",
        "eq,1,left,bed,lamp",
        "eq,1,on,0,bed,lamp",
        "eq,1,by,bed,wall",
        "eq,1,bed,red",
    ),
    *('{"n": 1, "category": "bed"}', '", "', '"]', "]", "}", ";", "\n- ", "\n", "none", "Attributes: ", "null", ", "),
)


def test_strange_replies_are_read_the_same_in_every_version() -> None:
    readings, random = sha256(), Random(7)
    for _ in range(3_000):
        text = "".join(random.choices(PIECES, k=random.randrange(1, 12)))
        reading = read_annotation_reply(text)
        kinds = [note.kind for note in reading.findings], [one.kind for one in reading.bad], reading.unreadable
        readings.update(repr((texts_of(reading), kinds, reading.spans, reading.is_repaired)).encode())
    assert readings.hexdigest()[:16] == "2dd607823b53525a", "see that the change is meant, and write it down"
    for text in (
        "[{" * 3000,
        '{"counts": [[[[[]]]], {"a": [1]}, "' + "," * 5000 + '"]}',
        "eq," + "9" * 400 + ",bed",
        "\ud800,eq,1,bed",
    ):
        reading = read_annotation_reply(text)
        assert all(len(note.text) <= 123 and len(note.reason) <= 200 for note in reading.findings), text[:20]
        json.dumps([list(reading.specifications), reading.findings], ensure_ascii=False).encode("utf-8")


@settings(max_examples=50)
@given(ENTRIES, st.integers(1, 300))
def test_what_is_written_as_asked_is_read_back_and_what_is_cut_is_never_read_as_complete(
    listed: tuple[list[str], ...], end: int
) -> None:
    value = dict(zip(FIELDS.values(), listed, strict=True))
    reading = read_annotation_reply(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```")
    assert {FIELDS[kind]: [spec.text for spec in reading.of_kind(kind)] for kind in KINDS} == value
    assert not reading.findings
    text = json.dumps(value)
    if end < len(text):
        assert read_annotation_reply(text[:-end]).unreadable in (CUT, NOTHING)


RIGHT = WANTED | {"object_relations": ["eq,2,left,0,bed,lamp", "eq,1,next_to,0,bed,lamp"]}
ASKED = annotation_of("0", "easy", "A bedroom.", *RIGHT.values())


def judge_reply(asked: Annotation, reply: Reply | None) -> Judged:
    return TASK.score(asked, TASK.read(asked, reply), None)


def judged(**changed: list[str]) -> Judged:
    return judge_reply(ASKED, Reply(json.dumps(RIGHT | changed)))


def strict(**changed: list[str]) -> Scores:
    return judged(**changed).scores["strict"]


def same(kind: Kind, left: str, right: str, *, one_room: bool = True) -> tuple[bool, bool]:
    """Return if two entries are equal, exactly and by meaning."""
    one, other = PARSERS[kind](left), PARSERS[kind](right)
    exact, meaning = (
        WORDING.key(one, level, one_room=one_room) == WORDING.key(other, level, one_room=one_room)
        for level in ("exact", "meaning")
    )
    return exact, meaning


def test_entries_agree_exactly_by_meaning_or_not_at_all() -> None:
    exactly: list[tuple[Kind, str, str]] = [  # spelling, synonyms, order
        ("cnt", "eq,1,tv_stand", "eq,1,TV stand"),
        ("cnt", "eq,1,sofa", "eq,1,couch"),
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
        ("oar", "eq,1,in_harmony_with,bed,wall", "eq,1,at_odds_with,bed,wall"),
    ]
    for rows, agree in ((exactly, (True, True)), (by_meaning, (False, True)), (different, (False, False))):
        for row in rows:
            assert same(*row) == agree, row
    in_flat = same("oar", "eq,1,in_corner,plant,den", "eq,1,in_corner,plant,room", one_room=False)
    assert in_flat == (False, False)


def test_an_entry_that_is_missing_lowers_recall_and_one_too_many_precision() -> None:
    values = {name: score.value for name, score in strict().items()}
    assert values == {**dict.fromkeys(METRICS, 1.0), "unread": 0}
    scores = strict(counts=["eq,1,bed", "eq,1,desk"])
    assert (scores["cnt_precision"].value, scores["cnt_recall"].value, scores["cnt_f1"].value) == (0.5, 0.5, 0.5)
    assert scores["precision"][:2] == (5, 6)
    assert scores["exact_match"].value == 0
    assert strict(counts=["eq,1,bed"])["precision"].value == 1
    scores = judge_reply(annotation_of("0", "", "A den.", ["eq,1,sofa"]), Reply('{"counts": ["eq,1,sofa"]}')).scores[
        "strict"
    ]
    assert (scores["oor_f1_per_item"].value, scores["oor_f1"].value, scores["exact_match"].value) == (1, None, 1)
    found = judged(counts=[*RIGHT["counts"], "about,3,chair"])
    scores = found.scores["strict"]
    assert (scores["cnt_precision"][:2], scores["cnt_recall"].value) == ((2, 3), 1)
    assert scores["unread"][:2] == (1, 7)
    assert found.counts["unread_entries"] == 1
    assert "about is none of" in found.evidence["fields"]["cnt"]["unread"][0]["reason"]


def test_a_wrong_number_or_anchor_alone_shows_in_its_own_score_and_paraphrases_count_by_meaning() -> None:
    assert strict(counts=["eq,1,bed", "eq,1,beds", "ge,2,lamp"])["precision"].value == 1, "said twice counts once"
    scores = strict(counts=["eq,2,bed", "ge,2,lamp"])
    assert (scores["quantities"][:2], scores["anchors"].value) == ((5, 6), 1)
    found = judged(object_relations=["eq,2,left,1,bed,lamp", "eq,1,next_to,1,bed,lamp"])
    assert found.scores["strict"]["anchors"][:2] == (0, 1), "next_to is alike from both sides"
    assert found.scores["strict"]["oor_f1"].value == 0.5
    assert found.evidence["nearly"] == [
        {"said": "eq,2,left,1,bed,lamp", "wanted": "eq,2,left,0,bed,lamp", "differs": "anchor"}
    ]
    found = judged(object_relations=["eq,2,to_the_left_of,0,bed,lamp", "eq,1,beside,0,bed,lamp"])
    scores = found.scores["strict"]
    assert (scores["oor_f1"].value, scores["oor_f1_meaning"].value) == (0, 1)
    assert [one["differs"] for one in found.evidence["nearly"]] == ["words", "words"]


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


def asked_for(entries: tuple[list[str], ...]) -> Annotation:
    return annotation_of("0", "easy", "A den.", *entries)


def scored(reference: Annotation, entries: tuple[list[str], ...]) -> Scores:
    reply = json.dumps(dict(zip(FIELDS.values(), entries, strict=True)))
    return judge_reply(reference, Reply(reply)).scores["strict"]


@settings(max_examples=60)
@given(ENTRIES, ENTRIES, st.randoms(use_true_random=False))
def test_scores_are_symmetric_shares_whatever_the_order_and_no_entry_left_out_raises_recall(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], random: Random
) -> None:
    found = scored(asked_for(wanted), said)
    assert all(0 <= one.sum <= one.weight for one in found.values())
    swapped = scored(asked_for(said), wanted)
    assert (found["f1"].value, found["precision"].value) == (swapped["f1"].value, swapped["recall"].value)
    assert found["f1"].value != 1 or found["f1_meaning"].value == 1
    shuffled = tuple(random.sample([*listed, *listed], 2 * len(listed)) for listed in said)
    after = scored(asked_for(tuple(random.sample(listed, len(listed)) for listed in wanted)), shuffled)
    assert {name: one[:2] for name, one in found.items()} == {name: one[:2] for name, one in after.items()}
    fewer = tuple([entry for entry in listed if random.random() < 0.8] for listed in said)
    after = scored(asked_for(wanted), fewer)
    for name in ("recall", "recall_meaning", "recall_per_item", *(f"{one}_recall" for one in KINDS)):
        assert (after[name].value or 0) <= (found[name].value or 0)
    same = scored(asked_for(wanted), wanted)
    names = ("f1", "f1_meaning", "f1_per_item", "exact_match", "quantities")
    assert [same[name].value for name in names] == [1] * 5 and same["anchors"].value in (1, None)


SAID = ("eq,1,bed", "ge,2,lamp", "eq,2,lamp", "eq,1,sofa", "eq,1,couch", "eq,1,bed,king_size", "eq,one")
DEN = annotation_of("0", "easy", "A den.", ("eq,1,bed",))
DRAWS = st.lists(st.lists(st.sampled_from(SAID), max_size=5), min_size=1, max_size=7)


def reply(*entries: str) -> str:
    fields: dict[str, list[str]] = {name: [] for name in FIELDS.values()}
    for entry in entries:
        fields[{4: "attributes", 6: "object_relations"}.get(len(entry.split(",")), "counts")].append(entry)
    return json.dumps(fields)


def draw(*entries: str) -> AnnotationReading:
    return read_annotation_reply(reply(*entries))


def kept(found: Reading[Any]) -> tuple[Specification, ...]:
    return () if isinstance(found.answer, Unreadable) else found.answer.specifications


NEXT_TO = ("eq,1,next_to,0,bed,lamp", "eq,1,next_to,1,bed,lamp")
LEFT_OF = ("eq,1,left,0,bed,lamp", "eq,1,left,1,bed,lamp")


def test_vote_keeps_entries_of_more_than_half_of_the_draws_or_is_unreadable() -> None:
    rows: list[tuple[list[list[str]], list[str]]] = [
        # the same entry in two of three draws
        ([["eq,1,bed"], ["eq,1,bed", "ge,2,lamp"], ["ge,2,lamp"]], ["eq,1,bed", "ge,2,lamp"]),
        # half of the draws is no majority
        ([["eq,1,bed", "ge,2,lamp"], ["eq,1,bed"]], ["eq,1,bed"]),
        # another number or another comparison is another entry
        ([["eq,1,bed", "eq,2,lamp"], ["eq,1,bed", "ge,2,lamp"], ["eq,1,bed", "eq,3,lamp"]], ["eq,1,bed"]),
        # spelling, plural and names of one kind of thing are the same entry, as first written
        ([["eq,1,couch"], ["eq,1,sofa"], ["eq,1,Sofas"]], ["eq,1,couch"]),
        # an entry that a draw says twice has one vote
        ([["eq,1,bed", "eq,1,bed"], ["ge,2,lamp"], ["ge,2,lamp"]], ["ge,2,lamp"]),
        # the anchor counts where the relation has a direction, and does not where it has none
        ([[NEXT_TO[0]], [NEXT_TO[1]], ["eq,1,bed"]], [NEXT_TO[0]]),
        ([[LEFT_OF[0], "eq,1,bed"], [LEFT_OF[1], "eq,1,bed"]], ["eq,1,bed"]),
        # an attribute is an entry of its own kind
        ([["eq,1,bed,king_size"], ["eq,1,bed"], ["eq,1,bed,king_size"]], ["eq,1,bed,king_size"]),
        # most draws want nothing at all
        ([[], [], ["eq,1,bed"]], []),
    ]
    for draws, said in rows:
        found = TASK.vote(DEN, [draw(*one) for one in draws])
        assert (found.outcome, texts_of(found.answer)) == (Outcome.ANSWERED, said), draws
    without_majority: list[list[list[str]]] = [[["eq,1,bed"], ["eq,2,bed"]], [["eq,1,bed"], ["ge,2,lamp"], []]]
    for draws in without_majority:
        found = TASK.vote(DEN, [draw(*one) for one in draws])
        assert found == (Outcome.UNREADABLE, Unreadable(NO_MAJORITY)), draws


def transcript(*replies: str | Ending) -> Transcript:
    given = (ModelReply(None, one) if isinstance(one, Ending) else ModelReply(one) for one in replies)
    return Transcript(tuple(LabelledReply(f"vote/{number}", one) for number, one in enumerate(given)))


def test_unreadable_draws_do_not_vote_and_failed_draw_fails_the_sample() -> None:
    no, bed, odd = "I cannot do that.", reply("eq,1,bed"), reply("eq,1,bed", "eq,one")
    rows: list[tuple[list[str | Ending], Outcome, float, int]] = [
        ([no, bed, bed], Outcome.ANSWERED, 1, 0),
        ([no, Ending.REFUSED, bed], Outcome.ANSWERED, 1, 0),
        ([odd, odd, odd], Outcome.ANSWERED, 2 / 3, 1),
        ([odd, bed, bed], Outcome.ANSWERED, 1, 0),
        ([no, Ending.REFUSED, Ending.EMPTY], Outcome.UNREADABLE, 0, 0),
        ([Ending.REFUSED, no, Ending.EMPTY], Outcome.REFUSED, 0, 0),
        ([bed, Ending.API_ERROR, bed], Outcome.API_ERROR, 0, 0),
        ([], Outcome.MISSING, 0, 0),
    ]
    for replies, outcome, f1, unread in rows:
        judged = Draws(TASK, "zero-shot", "vote:3", 3).judge(DEN, transcript(*replies) if replies else None)
        assert (judged.outcome, judged.counts[UNREAD]) == (outcome, unread), replies
        assert judged.scores["strict"]["f1"].value == pytest.approx(f1), replies
    one = OneReply(TASK, "zero-shot").judge(DEN, transcript(odd))
    assert (judged := Draws(TASK, "zero-shot", "vote:3", 3).judge(DEN, transcript(odd, odd, odd))).scores == one.scores
    assert judged.counts == one.counts, "the same draws score as one"


@given(draws=DRAWS, order=st.randoms(use_true_random=False))
def test_voted_entries_occur_in_more_than_half_of_the_draws_in_any_order(draws: list[list[str]], order: Random) -> None:
    readings = [draw(*one) for one in draws]
    voted, other = (TASK.vote(DEN, some) for some in (readings, order.sample(readings, len(readings))))
    assert voted.outcome is other.outcome
    assert {WORDING.key(spec) for spec in kept(voted)} == {WORDING.key(spec) for spec in kept(other)}
    keys = [{WORDING.key(one) for one in reading.specifications} for reading in readings]
    for spec in kept(voted):
        assert sum(WORDING.key(spec) in one for one in keys) * 2 > len(draws)
