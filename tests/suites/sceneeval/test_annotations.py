"""Tests of annotations: files, imports, baselines, and replies of models read in any form, scored and voted on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from shipped import TASKS

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.library.cards import load_card
from tsgkit.library.datasets import known
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.judgement import Judged, Reading, Scores
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.sceneeval import annotations as demands
from tsgkit.suites.sceneeval.annotate import METRICS, NO_MAJORITY, UNREAD, entry_matcher
from tsgkit.suites.sceneeval.annotation_baselines import annotate, annotator_named
from tsgkit.suites.sceneeval.annotation_files import (
    COLUMNS,
    RULES,
    AnnotationFile,
    read_annotations,
    unmapped_relations,
)
from tsgkit.suites.sceneeval.annotation_replies import CUT, FIELDS, NOTHING, AnnotationReading, read_annotation_reply
from tsgkit.suites.sceneeval.word_meanings import furniture, relation_table
from tsgkit.suites.solvers.scorers import Draws, judge_reading, read_reply, reading_of
from tsgkit.suites.suite import task_of
from tsgkit.suites.transcript import LabelledReply, Transcript

HEAD = ",".join(COLUMNS)
GOOD = (
    '0,easy,"A bedroom, small.","eq,1,bed;ge,2,lamp","eq,1,bed,king_size",'
    '"eq,2,left,0,bed,lamp","gt,0,against,bed,wall"'
)
WORDS = (
    "a the two 999999 no at least each with it them on in front of left its corner wall room table chairs red lamp"
    " stand surrounded by around facing , . ; and another several pair row"
)
ROWS = (TASKS / "sceneeval" / "data" / "annotations.csv").read_bytes()
TASK = task_of(load_card("sceneeval/annotate"))
WORDING = entry_matcher()
WANTED = {
    "counts": ["eq,1,bed", "ge,2,lamp"],
    "attributes": ["eq,1,bed,king_size"],
    "object_relations": ["eq,2,left,0,bed,lamp"],
    "room_relations": ["eq,1,against,bed,wall"],
}
TWO: dict[str, Any] = {"quantity": "eq", "n": 2}
LISTED = [entry for entries in WANTED.values() for entry in entries]
KINDS_WANTED = ["cnt", "cnt", "atr", "oor", "oar"]
NAMES = st.sampled_from(["bed", "lamp", "sofa", "couch", "chair:1", "tv_stand", "é"])
RELATIONS = st.sampled_from(["left", "next_to", "beside", "in_harmony_with"])
PIECES = (
    *("```json\n", "<think>", "</think>", "counts", '{"counts": [', '"ObjAttr": "', '"room_relations": ["', "ObjAttr:"),
    *("eq,1,bed", "ge,two,lamp", ">=,2,bed", "eq,1,left,bed,lamp", "eq,1,on,0,bed,lamp", "eq,1,by,bed,wall"),
    *("eq,1,bed,red", '{"n": 1, "category": "bed"}', '", "', '"]', "]", "}", ";", "\n- ", "\n", "none", "Attributes: "),
    *("null", ", "),
)
RIGHT: dict[str, Any] = WANTED | {"object_relations": ["eq,2,left,0,bed,lamp", "eq,1,next_to,0,bed,lamp"]}
ASKED = demands.annotation_of("0", "easy", "A bedroom.", *RIGHT.values())
SAID = ("eq,1,bed", "ge,2,lamp", "eq,2,lamp", "eq,1,sofa", "eq,1,couch", "eq,1,bed,king_size", "eq,one")
DEN = demands.annotation_of("0", "easy", "A den.", ("eq,1,bed",))
DRAWS = st.lists(st.lists(st.sampled_from(SAID), max_size=5), min_size=1, max_size=7)
NEXT_TO = ("eq,1,next_to,0,bed,lamp", "eq,1,next_to,1,bed,lamp")
LEFT_OF = ("eq,1,left,0,bed,lamp", "eq,1,left,1,bed,lamp")


def read(*rows: str) -> AnnotationFile:
    return read_annotations("\n".join([HEAD, *rows]) + "\n", "a.csv")


def test_a_row_becomes_its_demands_and_a_drawable_graph() -> None:
    found = read(GOOD)
    (one,) = found.usable()
    assert not found.findings
    assert [spec.kind for spec in one.specifications] == ["cnt", "cnt", "atr", "oor", "oar"]
    assert demands.in_words(one.object_relations[0]) == "exactly 2 lamp left bed"
    assert (one.groups, one.cluster) == ({"difficulty": ("easy",), "room": ("bedroom",)}, "0")
    graph = demands.scene_graph(one)
    assert (graph.nodes["king size"]["kind"], graph.nodes["wall"]["kind"]) == ("attribute", "built")
    label = {"relation": "left", "quantity": "exactly 2", "text": "eq,2,left,0,bed,lamp"}
    assert ("lamp", "bed", label) in list(graph.edges(data=True))
    drawn = demands.triplets(one)
    assert ("lamp", "count", "at least 2") in drawn
    assert len(ActionGraph.of(*drawn).triplets) == len(drawn)
    specs = demands.annotation_of(
        "0", "", "", [f"{quantity},2,bed" for quantity in ("eq", "lt", "gt", "le", "ge")]
    ).counts
    held = [[count for count in range(5) if spec.holds(count)] for spec in specs]
    assert held == [[2], [0, 1], [3, 4], [0, 1, 2], [2, 3, 4]]
    entries = ["eq,1,left,1,lamp,bed", "eq,1,left,-1,lamp,bed", "eq,1,surround,0,table,chair:0,chair:1,chair:2"]
    assert len(demands.annotation_of("0", "", "", ["eq,1,bed", "eq,1,bed"]).specifications) == 1, (
        "written twice counts once"
    )
    first, second, third = demands.annotation_of("0", "", "", ["eq,1,bed"], (), entries).object_relations
    assert (first.anchor, first.others) == ("bed", ("lamp",))
    assert (second.anchor, second.others) == ("lamp", ("bed",))
    assert (third.anchor, third.named) == ("table", {"table": 1, "chair": 3})


def test_defects_have_codes_and_an_error_keeps_a_file_from_being_scored_or_read() -> None:
    for rows, code in (
        (['0,easy,Den,"eq,-1,sofa",,,'], "bad-entry"),
        (['0,easy,Den,"eq,1,sofa","eq,1,sofa,red,soft",,'], "bad-entry"),
        (['0,easy,Den,"eq,1,sofa",,"eq,1,left,2,sofa,lamp",'], "bad-entry"),
        (['../0,easy,Den,"eq,1,sofa",,,'], "bad-id"),
        (['0,easy,Den,"eq,1,sofa",,,', '0,easy,Den,"eq,1,sofa",,,'], "repeated-id"),
        (['5,easy,Den,"eq,1,sofa",,,'], "out-of-place"),
        (["0,easy,Den,,,,"], "no-counts"),
        (['0,easy,Den,"eq,1,sofa",,"eq,1,left,0,sofa,lamp",'], "uncounted-category"),
        (['0,easy,Den,"eq,1,sofa;eq,1,sofa",,,'], "repeated-entry"),
        (['0,trivial,Den,"eq,1,sofa",,,'], "unknown-difficulty"),
        (['0,easy,Den,"eq,1,sofa",,,"eq,1,on,sofa,cloud"'], "unknown-reference"),
        (['0,easy,Den,"eq,2,sofa",,"eq,1,left,-1,sofa,sofa",'], "no-anchor"),
        (['0,easy,Den,"eq,3,sofa",,"eq,1,left,0,sofa,sofa,sofa",'], "several-objects"),
        (['0,easy,,"eq,1,sofa",,,'], "empty-description"),
        (['0,easy,Den; big,"eq,1,sofa",,,'], "cut-description"),
    ):
        assert code in {finding.code for finding in read(*rows).findings}, rows
    found = read('0,easy,Den,"eq,2,sofa",,"eq,1,in_harmony_with,0,sofa,sofa","eq,1,worships,sofa,wall"')
    assert [finding.code for finding in unmapped_relations(found.annotations)] == ["unmapped-relation"] * 2
    assert all("tasks/sceneeval/relations.yaml" in finding.hint for finding in unmapped_relations(found.annotations))
    found = read('0,easy,Den,"eq,1",,,', '1,easy,Den,"eq",,,')
    assert {finding.code for finding in found.findings} <= set(RULES)
    with pytest.raises(NotationError, match="none of eq, lt, gt, le, ge"):
        demands.annotation_of("0", "", "", ["some,1,bed"])
    with pytest.raises(UsageError, match=r"line 2, item 0: ObjCount: 'eq,1': not quant,n,category \(and 3 more"):
        found.usable()
    for text, said in (
        ("ID,Difficulty\n0,easy\n", "column Description is missing"),
        (f"{HEAD}\n0,easy\n", "line 2: the number of cells differs"),
        (f'{HEAD}\n0,"easy\n', "line"),
        ("", "column ID is missing"),
        ('{"format": "x", "annotations": []}', "format"),
        ('{"format": "tsgkit/annotations", "annotations": [{"counts": 1}]}', "annotations: 0"),
    ):
        with refuses(FileProblem, said, text):
            read_annotations(text, "a.csv")


def test_rules_read_the_same_in_every_version_without_the_annotation_and_chance_draws_by_seed() -> None:
    for description, expected in (
        ("A lamp in harmony with a sofa.", ["eq,1,lamp", "eq,1,sofa"]),  # no relation of the table
        ("At least three books and no lamp.", ["ge,3,book", "eq,0,lamp"]),
        ("A pair of lamps, a row of four chairs, several vases.", ["eq,2,lamp", "eq,4,chair", "ge,2,vase"]),
        ("Two tables, each with a lamp on it.", ["eq,2,table", "eq,2,lamp", "eq,2,on,0,table,lamp"]),
        ("A plant in the corner.", ["eq,1,plant", "eq,1,in_corner,plant,room"]),
        ("The two lamps. A sofa, the three sofas.", ["eq,2,lamp", "eq,3,sofa"]),
    ):
        assert [
            entry for entries in annotate(description, relation_table(), furniture()).values() for entry in entries
        ] == expected
    entries, random = sha256(), Random(7)
    ours = read_annotations((TASKS / "sceneeval" / "data" / "annotations.csv").read_text(), "ours").annotations
    words = WORDS.split()
    texts = [one.description for one in ours] + [" ".join(random.choices(words, k=n % 30)) for n in range(300)]
    for text in [*texts, "0S", "999999 tables, each with 999999 chairs around it", "{description} ٣ chairs; eq,1,bed"]:
        told = annotate(text, relation_table(), furniture())
        reading = read_annotation_reply(json.dumps(told))
        listed = [entry for entries in told.values() for entry in entries]
        assert ([spec.text for spec in reading.specifications], reading.findings) == (listed, ()), text
        entries.update(repr(listed).encode())
    assert entries.hexdigest()[:16] == "19835ee6730485bd", "see that the change is meant, and write it down"
    counts, pairs, built = ["eq,1,sofa", "ge,2,lamp"], ["eq,1,left,0,sofa,lamp"], ["eq,1,on,sofa,floor"]
    samples = [demands.annotation_of(str(number), "easy", "A den.", counts, (), pairs, built) for number in range(20)]
    chance, other = (annotator_named("baseline/random", seed, samples) for seed in (0, 1))
    said = [chance.answer(one) for one in samples]
    assert said == [chance.answer(one) for one in samples] != [other.answer(one) for one in samples]
    assert len(set(said)) > 1
    for text in said:
        reading = read_annotation_reply(text)
        assert not reading.findings and set(reading.annotation("0").categories) <= {"sofa", "lamp"}
    den = demands.annotation_of("0", "easy", "A den.", ["eq,7,cat"])
    answer = annotator_named("baseline/rules", 0, []).answer(den)
    assert json.loads(answer)["counts"] == []
    with pytest.raises(UsageError, match="there is no baseline/rule"):
        annotator_named("baseline/rule", 0, [])


def test_release_is_imported_and_usable_by_name_unless_it_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (file,), name = known("sceneeval").files, "sceneeval"
    place = "3dlg-hcvc/SceneEval/releases/download/SceneEval-500_v250610/annotations.csv"
    assert known(name).url(file) == f"https://github.com/{place}"
    for data, says in (
        (b"a,b\n1,2\n", "column ID is missing"),
        (ROWS.replace(b"eq,1", b"eq,many", 1), "many is no number"),
    ):
        Path("mine.csv").write_bytes(data)
        with refuses(FileProblem, says, data):
            import_dataset(name, "mine.csv")
    Path("mine.csv").write_bytes(ROWS)
    [arrival] = import_dataset(name, "mine.csv").arrivals
    assert (arrival.stored.rows, arrival.stored.official, arrival.stored.sha256) == (30, None, sha256(ROWS).hexdigest())
    for kind in ("annotate", "fidelity", "plausibility"):
        assert len(task_of(load_card(f"sceneeval/{kind}")).dataset(name).item_ids) == 30, kind


def texts_of(reading: AnnotationReading) -> list[str]:
    return [spec.text for spec in reading.specifications]


def reasons(reading: AnnotationReading, kind: str) -> list[str]:
    return [note.reason for note in reading.findings if note.kind == kind]


def test_any_usual_form_of_annotations_is_read() -> None:
    frames = ("{}", "```json\n{}\n```", "Sure! Here it is:\n\n{}\n\nAnything else?", "<think>[]</think>\nAnswer:\n{}")
    for frame in frames:
        reading = read_annotation_reply(frame.replace("{}", json.dumps(WANTED), 1))
        assert (texts_of(reading), reading.findings, reading.unreadable) == (LISTED, (), ""), frame
        assert [spec.kind for spec in reading.specifications] == KINDS_WANTED, frame
    rows: list[Any] = [
        {"annotation": WANTED},
        [WANTED],
        dict(zip(COLUMNS[3:], map("; ".join, WANTED.values()), strict=True)),
        {name: [entry.split(",") for entry in entries] for name, entries in WANTED.items()},
        LISTED,
        {
            "counts": [{"quantifier": "eq", "number": 1, "category": "bed"}, {"op": ">=", "n": 2, "object": "lamp"}],
            "attributes": [{"quantity": "eq", "n": 1, "category": "bed", "attribute": "king_size"}],
            "object relations": [{**TWO, "relation": "left", "anchor_index": 0, "objects": ["bed", "lamp"]}],
            "room relations": [{**TWO, "n": 1, "relation": "against", "category": "bed", "references": ["wall"]}],
        },
    ]
    for value in rows:
        reading = read_annotation_reply(json.dumps(value))
        assert (texts_of(reading), reading.bad) == (LISTED, ()), value
    text = "**ObjCount**\n- eq,1,bed\n- ge,2,lamp\n\n## Attributes: eq,1,bed,king_size\n"
    text += "OORel:\n1. `eq,2,left,0,bed,lamp`\n\nRoom relations:\n* eq,1,against,bed,wall\n"
    reading = read_annotation_reply(f"I counted everything.\n\n{text}\nI hope this helps.")
    assert texts_of(reading) == LISTED
    assert reasons(reading, "ignored") == ["no entry and no heading"] * 2
    assert reading.is_repaired
    assert [spec.kind for spec in read_annotation_reply("\n".join(LISTED)).specifications] == KINDS_WANTED


def test_bad_entries_are_findings_and_the_last_annotation_with_entries_counts() -> None:
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
    several = [{"counts": ["eq,1,bed"]}, {"counts": ["eq,2,bed"]}, {"counts": []}]
    reading = read_annotation_reply("\n".join(map(json.dumps, several)))
    assert texts_of(reading) == ["eq,2,bed"]
    assert reasons(reading, "ignored") == ["2 other annotations in it; the last one with entries counts"]
    assert read_annotation_reply('{"counts": [], "attributes": []}') == AnnotationReading()
    hostile = "eq,1,{statement}; DROP\x1b[31m,%s"
    reading = read_annotation_reply(json.dumps({"counts": [hostile], "__proto__": {"x": 1}, "system": "obey"}))
    assert (texts_of(reading), len(reading.bad)) == (["eq,1,{statement}"], 1)
    assert reasons(reading, "ignored") == ["a field that was not requested"] * 2
    for text, why in (
        ("I'm sorry, I can't help with that.", "there is no annotation in it"),
        ('{"counts": ["eq,1,bed", "eq,1,la', "the annotation ends in the middle"),
        ('<think>{"counts": ["eq,1,bed"]}', "the reasoning never ends"),
    ):
        reading = read_annotation_reply(text)
        assert (reading.unreadable, reading.specifications, reading.bad) == (why, (), ()), text


QUANTITIES = st.tuples(st.sampled_from(["eq", "lt", "gt", "le", "ge"]), st.integers(0, 3)).map(
    lambda q: f"{q[0]},{q[1]}"
)
COUNTS = st.tuples(QUANTITIES, NAMES).map(",".join)
ATTRIBUTES = st.tuples(QUANTITIES, NAMES, st.sampled_from(["red", "king_size"])).map(",".join)
PAIRS = st.tuples(QUANTITIES, RELATIONS, st.sampled_from(["0", "1", "-1"]), NAMES, NAMES).map(",".join)
BUILT = st.tuples(QUANTITIES, st.sampled_from(["on", "hang", "in"]), NAMES, st.sampled_from(["wall", "den", "room"]))
ENTRIES = st.tuples(
    st.lists(COUNTS, min_size=1, max_size=4),
    st.lists(ATTRIBUTES, max_size=3),
    st.lists(PAIRS, max_size=4),
    st.lists(BUILT.map(",".join), max_size=3),
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
def test_what_is_as_asked_is_read_back_and_what_is_cut_never_whole(listed: tuple[list[str], ...], end: int) -> None:
    value = dict(zip(FIELDS.values(), listed, strict=True))
    reading = read_annotation_reply(f"Here:\n```json\n{json.dumps(value, indent=1)}\n```")
    assert {FIELDS[kind]: [spec.text for spec in reading.of_kind(kind)] for kind in demands.KINDS} == value
    assert not reading.findings
    text = json.dumps(value)
    if end < len(text):
        assert read_annotation_reply(text[:-end]).unreadable in (CUT, NOTHING)


def judge_reply(asked: demands.Annotation, reply: CollectedReply | None) -> Judged:
    return judge_reading(TASK, asked, read_reply(TASK, asked, reply))


def judged(**changed: list[str]) -> Judged:
    return judge_reply(ASKED, CollectedReply(json.dumps(RIGHT | changed)))


def strict(**changed: list[str]) -> Scores:
    return judged(**changed).scores["strict"]


def test_entries_agree_exactly_by_meaning_or_not_at_all() -> None:
    def same(kind: demands.Kind, *texts: str, one_room: bool = True) -> list[bool]:
        one, other = map(demands.PARSERS[kind], texts)
        keys = [[WORDING.key(of, level, one_room=one_room) for of in (one, other)] for level in ("exact", "meaning")]
        return [left == right for left, right in keys]

    exactly: list[tuple[demands.Kind, str, str]] = [  # spelling, synonyms, order
        ("cnt", "eq,1,tv_stand", "eq,1,TV stand"),
        ("atr", "eq,1,sofa,grey", "eq,1,couch,gray"),
        ("oor", "eq,1,left,0,bed,lamp", "eq,1,left,1,lamp,bed"),
        ("oor", "eq,1,left,-1,bed,lamp", "eq,1,left,0,bed,lamp"),
        ("oor", "eq,1,next_to,0,bed,lamp", "eq,1,next_to,0,lamp,bed"),
        ("oor", "eq,1,surround,0,table,chair:0,chair:1,chair:2", "eq,1,surround,3,chair:2,chair:1,chair:5,table"),
        ("oar", "eq,1,against,bed,wall", "eq,1,against,bed,walls"),
    ]
    by_meaning: list[tuple[demands.Kind, str, str]] = [  # paraphrases
        ("cnt", "gt,1,chair", "ge,2,chair"),
        ("cnt", "lt,1,chair", "eq,0,chair"),
        ("oor", "eq,1,beside,0,bed,lamp", "eq,1,next_to,0,bed,lamp"),
        ("oor", "eq,1,in_front_of,0,bed,lamp", "eq,1,in_front,0,bed,lamp"),
        ("oar", "eq,1,hang,mirror,wall", "eq,1,on,mirror,wall"),
        ("oar", "eq,1,in_corner,plant,den", "eq,1,in_corner,plant,room"),
    ]
    different: list[tuple[demands.Kind, str, str]] = [
        ("cnt", "eq,2,chair", "ge,2,chair"),
        ("cnt", "eq,1,lamp", "eq,1,floor_lamp"),
        ("atr", "eq,1,bed,red", "eq,1,bed,blue"),
        ("oor", "eq,1,left,0,bed,lamp", "eq,1,left,0,lamp,bed"),
        ("oor", "eq,1,surround,0,table,chair:0,chair:1,chair:2", "eq,1,surround,0,table,chair:0,chair:1"),
        ("oar", "eq,1,in_harmony_with,bed,wall", "eq,1,at_odds_with,bed,wall"),
    ]
    for rows, agree in ((exactly, [True, True]), (by_meaning, [False, True]), (different, [False, False])):
        for row in rows:
            assert same(*row) == agree, row
    in_flat = same("oar", "eq,1,in_corner,plant,den", "eq,1,in_corner,plant,room", one_room=False)
    assert in_flat == [False, False]


def test_missing_entries_lower_recall_and_samples_without_answer_all_scores() -> None:
    values = {name: score.value for name, score in strict().items()}
    assert values == {**dict.fromkeys(METRICS, 1.0), "unread": 0}
    scores = strict(counts=["eq,1,bed", "eq,1,desk"])
    assert (scores["cnt_precision"].value, scores["cnt_recall"].value, scores["cnt_f1"].value) == (0.5, 0.5, 0.5)
    assert scores["precision"][:2] == (5, 6)
    assert scores["exact_match"].value == 0
    scores = judge_reply(
        demands.annotation_of("0", "", "A den.", ["eq,1,sofa"]), CollectedReply('{"counts": ["eq,1,sofa"]}')
    ).scores["strict"]
    assert (scores["oor_f1_per_item"].value, scores["oor_f1"].value, scores["exact_match"].value) == (1, None, 1)
    found = judged(counts=[*RIGHT["counts"], "about,3,chair"])
    scores = found.scores["strict"]
    assert (scores["cnt_precision"][:2], scores["cnt_recall"].value) == ((2, 3), 1)
    assert scores["unread"][:2] == (1, 7)
    assert found.counts["unread_entries"] == 1
    assert "about is none of" in found.evidence["fields"]["cnt"]["unread"][0]["reason"]
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
    rows: list[tuple[CollectedReply | None, Outcome]] = [
        (None, Outcome.MISSING),
        (CollectedReply(""), Outcome.EMPTY),
        (CollectedReply("I would rather not."), Outcome.UNREADABLE),
        (CollectedReply('{"counts": ["eq,1,bed"', None), Outcome.UNREADABLE),
        (CollectedReply(json.dumps(RIGHT), Outcome.TRUNCATED), Outcome.TRUNCATED),
        (CollectedReply(None, Outcome.REFUSED), Outcome.REFUSED),
        (CollectedReply(None, Outcome.API_ERROR), Outcome.API_ERROR),
    ]
    for reply, outcome in rows:
        found = judge_reply(ASKED, reply)
        scores = found.scores["strict"]
        assert (found.outcome, found.answer, found.counts[outcome]) == (outcome, None, 1), reply
        shares = {name: one.value for name, one in scores.items() if name not in ("quantities", "anchors", "unread")}
        assert set(shares.values()) == {0.0}, reply
        assert "official" not in found.scores, reply


def scored(wanted: Sequence[Any], said: tuple[list[str], ...]) -> Scores:
    reply = json.dumps(dict(zip(FIELDS.values(), said, strict=True)))
    return judge_reply(demands.annotation_of("0", "easy", "A den.", *wanted), CollectedReply(reply)).scores["strict"]


@settings(max_examples=60)
@given(ENTRIES, ENTRIES, st.randoms(use_true_random=False))
def test_scores_are_symmetric_shares_whatever_the_order_and_no_entry_left_out_raises_recall(
    wanted: tuple[list[str], ...], said: tuple[list[str], ...], random: Random
) -> None:
    found = scored(wanted, said)
    assert all(0 <= one.sum <= one.weight for one in found.values())
    swapped = scored(said, wanted)
    assert (found["f1"].value, found["precision"].value) == (swapped["f1"].value, swapped["recall"].value)
    assert found["f1"].value != 1 or found["f1_meaning"].value == 1
    shuffled = tuple(random.sample([*listed, *listed], 2 * len(listed)) for listed in said)
    after = scored(tuple(random.sample(listed, len(listed)) for listed in wanted), shuffled)
    assert {name: one[:2] for name, one in found.items()} == {name: one[:2] for name, one in after.items()}
    fewer = tuple([entry for entry in listed if random.random() < 0.8] for listed in said)
    after = scored(wanted, fewer)
    for name in ("recall", "recall_meaning", "recall_per_item", *(f"{one}_recall" for one in demands.KINDS)):
        assert (after[name].value or 0) <= (found[name].value or 0)
    same = scored(wanted, wanted)
    names = ("f1", "f1_meaning", "f1_per_item", "exact_match", "quantities")
    assert [same[name].value for name in names] == [1] * 5 and same["anchors"].value in (1, None)


def reply(*entries: str) -> str:
    fields: dict[str, list[str]] = {name: [] for name in FIELDS.values()}
    for entry in entries:
        fields[{4: "attributes", 6: "object_relations"}.get(len(entry.split(",")), "counts")].append(entry)
    return json.dumps(fields)


def draw(*entries: str) -> AnnotationReading:
    return read_annotation_reply(reply(*entries))


def voted(draws: Sequence[AnnotationReading]) -> Reading:
    assert TASK.vote is not None
    return reading_of(TASK.vote(draws))


def kept(found: Reading) -> tuple[demands.Specification, ...]:
    return () if found.answer is None else found.answer.specifications


def test_vote_keeps_entries_of_more_than_half_of_the_draws_or_is_unreadable() -> None:
    rows: list[tuple[list[list[str]], list[str]]] = [
        ([["eq,1,bed"], ["eq,1,bed", "ge,2,lamp"], ["ge,2,lamp"]], ["eq,1,bed", "ge,2,lamp"]),
        ([["eq,1,bed", "ge,2,lamp"], ["eq,1,bed"]], ["eq,1,bed"]),  # half of the draws is no majority
        # another number or another comparison is another entry, another spelling, plural or name of a kind is not
        ([["eq,1,bed", "eq,2,lamp"], ["eq,1,bed", "ge,2,lamp"], ["eq,1,bed", "eq,3,lamp"]], ["eq,1,bed"]),
        ([["eq,1,couch"], ["eq,1,sofa"], ["eq,1,Sofas"]], ["eq,1,couch"]),
        ([["eq,1,bed", "eq,1,bed"], ["ge,2,lamp"], ["ge,2,lamp"]], ["ge,2,lamp"]),  # said twice has one vote
        # the anchor counts where the relation has a direction, and does not where it has none
        ([[NEXT_TO[0]], [NEXT_TO[1]], ["eq,1,bed"]], [NEXT_TO[0]]),
        ([[LEFT_OF[0], "eq,1,bed"], [LEFT_OF[1], "eq,1,bed"]], ["eq,1,bed"]),
        ([["eq,1,bed,king_size"], ["eq,1,bed"], ["eq,1,bed,king_size"]], ["eq,1,bed,king_size"]),
        ([[], [], ["eq,1,bed"]], []),  # most draws want nothing at all
    ]
    for draws, said in rows:
        found = voted([draw(*one) for one in draws])
        assert (found.outcome, texts_of(found.answer)) == (Outcome.ANSWERED, said), draws
    without_majority: list[list[list[str]]] = [[["eq,1,bed"], ["eq,2,bed"]], [["eq,1,bed"], ["ge,2,lamp"], []]]
    for draws in without_majority:
        found = voted([draw(*one) for one in draws])
        assert found == (Outcome.UNREADABLE, None, NO_MAJORITY), draws


def transcript(*replies: str | Ending) -> Transcript:
    given = (Reply(None, one) if isinstance(one, Ending) else Reply(one) for one in replies)
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
    one = Draws(TASK, "zero-shot").judge(DEN, transcript(odd))
    assert (judged := Draws(TASK, "zero-shot", "vote:3", 3).judge(DEN, transcript(odd, odd, odd))).scores == one.scores
    assert judged.counts == one.counts, "the same draws score as one"


@given(draws=DRAWS, order=st.randoms(use_true_random=False))
def test_voted_entries_occur_in_more_than_half_of_the_draws_in_any_order(draws: list[list[str]], order: Random) -> None:
    readings = [draw(*one) for one in draws]
    one_order, other = (voted(some) for some in (readings, order.sample(readings, len(readings))))
    assert one_order.outcome is other.outcome
    assert {WORDING.key(spec) for spec in kept(one_order)} == {WORDING.key(spec) for spec in kept(other)}
    keys = [{WORDING.key(one) for one in reading.specifications} for reading in readings]
    for spec in kept(one_order):
        assert sum(WORDING.key(spec) in one for one in keys) * 2 > len(draws)
