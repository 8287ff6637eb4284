"""Tests of annotation files: reading, writing, drawing, and a finding for every defect."""

from __future__ import annotations

import pytest
from refusals import refuses

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.sceneeval.annotation_files import (
    COLUMNS,
    RULES,
    AnnotationFile,
    as_csv,
    as_json,
    read_annotations,
    unmapped_relations,
)
from tsgkit.suites.sceneeval.annotations import annotation_of, in_words, scene_graph, triplets

HEAD = ",".join(COLUMNS)
GOOD = (
    '0,easy,"A bedroom, small.","eq,1,bed;ge,2,lamp","eq,1,bed,king_size",'
    '"eq,2,left,0,bed,lamp","gt,0,against,bed,wall"'
)


def read(*rows: str) -> AnnotationFile:
    return read_annotations("\n".join([HEAD, *rows]) + "\n", "a.csv")


def codes(*rows: str) -> set[str]:
    return {finding.code for finding in read(*rows).findings}


def test_a_row_becomes_its_demands() -> None:
    found = read(GOOD)
    (one,) = found.usable()
    assert not found.findings
    assert [spec.kind for spec in one.specifications] == ["cnt", "cnt", "atr", "oor", "oar"]
    assert in_words(one.object_relations[0]) == "exactly 2 lamp left bed"
    assert one.groups == {"difficulty": ("easy",), "room": ("bedroom",)}
    assert one.cluster == "0"


def test_csv_and_json_round_trip() -> None:
    annotations = read(GOOD, '1,hard,Den,"le,3,sofa",,,').annotations
    assert read_annotations(as_csv(annotations), "b.csv").annotations == annotations
    twin = read_annotations(as_json(annotations), "b.json")
    assert [one.specifications for one in twin.annotations] == [one.specifications for one in annotations]
    assert not twin.findings


def test_count_follows_the_comparison() -> None:
    rows: list[tuple[str, list[int]]] = [
        ("eq", [2]),
        ("lt", [0, 1]),
        ("gt", [3, 4]),
        ("le", [0, 1, 2]),
        ("ge", [2, 3, 4]),
    ]
    for quantity, holds in rows:
        (spec,) = annotation_of("0", "", "", [f"{quantity},2,bed"]).counts
        assert [count for count in range(5) if spec.holds(count)] == holds, quantity


def test_anchor_defaults_to_the_first_object() -> None:
    entries = ["eq,1,left,1,lamp,bed", "eq,1,left,-1,lamp,bed", "eq,1,surround,0,table,chair:0,chair:1,chair:2"]
    assert len(annotation_of("0", "", "", ["eq,1,bed", "eq,1,bed"]).specifications) == 1, "written twice counts once"
    first, second, third = annotation_of("0", "", "", ["eq,1,bed"], (), entries).object_relations
    assert (first.anchor, first.others) == ("bed", ("lamp",))
    assert (second.anchor, second.others) == ("lamp", ("bed",))
    assert (third.anchor, third.named) == ("table", {"table": 1, "chair": 3})


def test_annotation_defects_have_codes() -> None:
    table: list[tuple[list[str], str]] = [
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
    ]
    for rows, code in table:
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
    rows: list[tuple[str, str]] = [
        ("ID,Difficulty\n0,easy\n", "column Description is missing"),
        (f"{HEAD}\n0,easy\n", "line 2: the number of cells differs"),
        (f'{HEAD}\n0,"easy\n', "line"),
        ("", "column ID is missing"),
        ('{"format": "x", "annotations": []}', "format"),
        ('{"format": "tsgkit/annotations", "annotations": [{"counts": 1}]}', "annotations: 0"),
    ]
    for text, said in rows:
        with refuses(FileProblem, said, text):
            read_annotations(text, "a.csv")


def test_demands_convert_to_a_drawable_graph() -> None:
    (one,) = read(GOOD).usable()
    graph = scene_graph(one)
    assert graph.nodes["king size"]["kind"] == "attribute"
    assert graph.nodes["wall"]["kind"] == "built"
    assert ("lamp", "bed", {"relation": "left", "quantity": "exactly 2", "text": "eq,2,left,0,bed,lamp"}) in list(
        graph.edges(data=True)
    )
    drawn = triplets(one)
    assert ("lamp", "count", "at least 2") in drawn
    assert len(ActionGraph.of(*drawn).triplets) == len(drawn)
