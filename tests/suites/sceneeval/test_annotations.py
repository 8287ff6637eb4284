"""Tests of annotation files (a finding for every defect), of importing them, and of the baselines that annotate."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from loopback import Loopback, loopback
from refusals import refuses
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.library.cards import load_card
from tsgkit.library.catalogue import known
from tsgkit.library.datasets import dataset
from tsgkit.suites.importers import import_dataset
from tsgkit.suites.sceneeval.annotation_baselines import annotate, annotator_named
from tsgkit.suites.sceneeval.annotation_files import (
    COLUMNS,
    RULES,
    AnnotationFile,
    read_annotations,
    unmapped_relations,
)
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.annotations import annotation_of, in_words, scene_graph, triplets
from tsgkit.suites.sceneeval.word_meanings import relation_table
from tsgkit.suites.suite import task_of

HEAD = ",".join(COLUMNS)
GOOD = (
    '0,easy,"A bedroom, small.","eq,1,bed;ge,2,lamp","eq,1,bed,king_size",'
    '"eq,2,left,0,bed,lamp","gt,0,against,bed,wall"'
)


def read(*rows: str) -> AnnotationFile:
    return read_annotations("\n".join([HEAD, *rows]) + "\n", "a.csv")


def codes(*rows: str) -> set[str]:
    return {finding.code for finding in read(*rows).findings}


def test_a_row_becomes_its_demands_and_a_drawable_graph() -> None:
    found = read(GOOD)
    (one,) = found.usable()
    assert not found.findings
    assert [spec.kind for spec in one.specifications] == ["cnt", "cnt", "atr", "oor", "oar"]
    assert in_words(one.object_relations[0]) == "exactly 2 lamp left bed"
    assert (one.groups, one.cluster) == ({"difficulty": ("easy",), "room": ("bedroom",)}, "0")
    graph = scene_graph(one)
    assert (graph.nodes["king size"]["kind"], graph.nodes["wall"]["kind"]) == ("attribute", "built")
    label = {"relation": "left", "quantity": "exactly 2", "text": "eq,2,left,0,bed,lamp"}
    assert ("lamp", "bed", label) in list(graph.edges(data=True))
    drawn = triplets(one)
    assert ("lamp", "count", "at least 2") in drawn
    assert len(ActionGraph.of(*drawn).triplets) == len(drawn)


def test_count_follows_the_comparison_and_the_anchor_defaults_to_the_first_object() -> None:
    for quantity, holds in (("eq", [2]), ("lt", [0, 1]), ("gt", [3, 4]), ("le", [0, 1, 2]), ("ge", [2, 3, 4])):
        (spec,) = annotation_of("0", "", "", [f"{quantity},2,bed"]).counts
        assert [count for count in range(5) if spec.holds(count)] == holds, quantity
    entries = ["eq,1,left,1,lamp,bed", "eq,1,left,-1,lamp,bed", "eq,1,surround,0,table,chair:0,chair:1,chair:2"]
    assert len(annotation_of("0", "", "", ["eq,1,bed", "eq,1,bed"]).specifications) == 1, "written twice counts once"
    first, second, third = annotation_of("0", "", "", ["eq,1,bed"], (), entries).object_relations
    assert (first.anchor, first.others) == ("bed", ("lamp",))
    assert (second.anchor, second.others) == ("lamp", ("bed",))
    assert (third.anchor, third.named) == ("table", {"table": 1, "chair": 3})


def test_annotation_defects_have_codes() -> None:
    for rows, code in (
        (['0,easy,Den,"eq,1",,,'], "bad-entry"),
        (['0,easy,Den,"about,1,sofa",,,'], "bad-entry"),
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
        assert code in codes(*rows), rows
    found = read('0,easy,Den,"eq,2,sofa",,"eq,1,in_harmony_with,0,sofa,sofa","eq,1,worships,sofa,wall"')
    assert [finding.code for finding in unmapped_relations(found.annotations)] == ["unmapped-relation"] * 2
    assert all("tasks/sceneeval/relations.yaml" in finding.hint for finding in unmapped_relations(found.annotations))


def test_every_code_is_declared_and_an_error_keeps_a_file_from_being_scored_or_read() -> None:
    found = read('0,easy,Den,"eq,1",,,', '1,easy,Den,"eq",,,')
    assert {finding.code for finding in found.findings} <= set(RULES)
    with pytest.raises(NotationError, match="none of eq, lt, gt, le, ge"):
        annotation_of("0", "", "", ["some,1,bed"])
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


TABLE = relation_table()


WORDS = (
    "a the two 999999 no at least each with it them on in front of left its corner wall room table chairs red lamp"
    " stand surrounded by around facing , . ; and another several pair row"
)


def test_rules_read_numbers_nouns_adjectives_and_relations_the_same_in_every_version() -> None:
    for description, expected in (
        ("A lamp in harmony with a sofa.", ["eq,1,lamp", "eq,1,sofa"]),  # no relation of the table
        ("At least three books and no lamp.", ["ge,3,book", "eq,0,lamp"]),
        ("More than two stools, at most one chair.", ["gt,2,stool", "le,1,chair"]),
        ("A pair of lamps, a row of four chairs, several vases.", ["eq,2,lamp", "eq,4,chair", "ge,2,vase"]),
        ("A bedroom with a bed; the bed is old.", ["eq,1,bed"]),
        ("A bed and another bed.", ["eq,2,bed"]),
        ("Two white coffee tables.", ["eq,2,coffee_table", "eq,2,coffee_table,white"]),
        ("Two tables, each with a lamp on it.", ["eq,2,table", "eq,2,lamp", "eq,2,on,0,table,lamp"]),
        ("A plant in the corner.", ["eq,1,plant", "eq,1,in_corner,plant,room"]),
    ):
        assert [entry for entries in annotate(description, TABLE).values() for entry in entries] == expected
    entries, random = sha256(), Random(7)
    ours = read_annotations((TASKS / "sceneeval" / "data" / "annotations.csv").read_text(), "ours").annotations
    words = WORDS.split()
    texts = [one.description for one in ours] + [" ".join(random.choices(words, k=n % 30)) for n in range(300)]
    for text in [*texts, "0S", "999999 tables, each with 999999 chairs around it", "{description} ٣ chairs; eq,1,bed"]:
        told = annotate(text, TABLE)
        reading = read_annotation_reply(json.dumps(told))
        listed = [entry for entries in told.values() for entry in entries]
        assert ([spec.text for spec in reading.specifications], reading.findings) == (listed, ()), text
        entries.update(repr(listed).encode())
    assert entries.hexdigest()[:16] == "39dadff57a82731f", "see that the change is meant, and write it down"


def test_random_annotator_depends_on_seed_and_item_and_uses_dataset_values() -> None:
    counts, pairs, built = ["eq,1,sofa", "ge,2,lamp"], ["eq,1,left,0,sofa,lamp"], ["eq,1,on,sofa,floor"]
    samples = [annotation_of(str(number), "easy", "A den.", counts, (), pairs, built) for number in range(20)]
    chance = annotator_named("baseline/random", 0, samples)
    said = [chance.answer(one) for one in samples]
    assert said == [chance.answer(one) for one in samples] and len(set(said)) > 1
    assert said != [annotator_named("baseline/random", 1, samples).answer(one) for one in samples]
    for text in said:
        reading = read_annotation_reply(text)
        assert not reading.findings and set(reading.annotation("0").categories) <= {"sofa", "lamp"}


def test_rules_ignore_the_annotation_and_an_unknown_baseline_is_refused() -> None:
    answer = annotator_named("baseline/rules", 0, []).answer(annotation_of("0", "easy", "A den.", ["eq,7,cat"]))
    assert json.loads(answer)["counts"] == []
    with pytest.raises(UsageError, match="there is no baseline/rule"):
        annotator_named("baseline/rule", 0, [])


ROWS = (TASKS / "sceneeval" / "data" / "annotations.csv").read_bytes()
NAME = "sceneeval"
PLACE = "3dlg-hcvc/SceneEval/releases/download/SceneEval-500_v250610/annotations.csv"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        yield served


def test_release_is_downloaded_recorded_and_usable_by_name(
    server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    (file,) = known(NAME).files
    assert known(NAME).url(file) == f"https://github.com/{PLACE}"
    assert main(["eval", "--task", "sceneeval/annotate", "--data", NAME]) == 2
    assert "tsgkit data get sceneeval" in capsys.readouterr().err
    server.put(PLACE, ROWS)
    assert main(["data", "get", NAME, "--from", server.url, "--quiet"]) == 0
    (stored,) = dataset(NAME).files
    assert (stored.rows, stored.official, stored.sha256) == (30, None, sha256(ROWS).hexdigest())
    assert "30 of 500 rows" in capsys.readouterr().out
    for kind in ("annotate", "fidelity", "plausibility"):
        assert len(task_of(load_card(f"sceneeval/{kind}")).dataset(NAME).item_ids) == 30
    assert main(["eval", "--task", "sceneeval/annotate", "--data", NAME, "--limit", "2", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["n"] == 2


def test_import_rejects_unusable_files(server: Loopback) -> None:
    for data, says in (
        (b"a,b\n1,2\n", "column ID is missing"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (ROWS.replace(b"eq,1", b"eq,many", 1), "many is no number"),
    ):
        Path("mine.csv").write_bytes(data)
        with refuses(FileProblem, says, data):
            import_dataset(NAME, "mine.csv")
    server.put(PLACE, data)
    assert main(["data", "get", NAME, "--from", server.url, "--quiet"]) == 2
    assert not dataset(NAME).files
