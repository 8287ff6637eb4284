"""Lint reports: counts, places, L from outside, and what stands beside a narrative."""

from __future__ import annotations

import json

from tsgkit.graph import Vocabulary
from tsgkit.library.documents.lint import check_document, report_value
from tsgkit.library.documents.reader import read_document

PICK = [["person", "verb", "pick-up"], ["pick-up", "dobj", "cup"], ["pick-up", "with", "hand2"]]
BAD = [["person", "verb", "wash"], ["wash", "dobj", "Cup"]]
TEXT = (
    "person -> verb -> wash\nwash -> dobj -> Cup\n\n\nperson -> verb -> wash\nwash -> dobj -> cup\nwash -> on -> a_b\n"
)


def test_a_report_counts_what_the_file_holds_and_what_was_found() -> None:
    report = check_document(read_document(TEXT, "f.txt"))
    assert (report.format, report.narratives, report.graphs, report.triplets) == ("arrow", 1, 2, 5)
    assert report.counts == {"not-lower-case": 1, "not-hyphenated": 1}
    assert (report.errors, report.warnings) == (2, 0)


def test_in_text_a_finding_knows_the_line_of_its_triplet() -> None:
    report = check_document(read_document(TEXT, "f.txt"))
    assert [tuple(finding.place) for finding in report.findings] == [(2, "0", 0, 1), (7, "0", 1, 2)]


def test_in_rows_a_finding_knows_the_line_and_item_of_its_row() -> None:
    rows = [{"item_id": "a", "context_graphs": [PICK, BAD], "qa_pairs": []}, {"context_graphs": [BAD], "qa_pairs": []}]
    report = check_document(read_document("".join(json.dumps(row) + "\n" for row in rows), "f"))
    assert [(f.code, tuple(f.place)) for f in report.findings] == [
        ("not-lower-case", (1, "a", 1, 1)),
        ("hand2-first", (1, "a", 0, None)),
        ("not-lower-case", (2, "1", 0, 1)),
    ]


def test_a_graph_alone_on_its_line_is_not_judged_by_hands_it_knows_nothing_of() -> None:
    put = [["person", "verb", "put-down"], ["put-down", "dobj", "cup"], ["put-down", "with", "hand2"]]
    alone = check_document(read_document(json.dumps(PICK) + "\n" + json.dumps(put) + "\n", "f"))
    story = check_document(read_document(json.dumps([put, PICK]), "f"))
    assert alone.counts == {}
    assert story.counts == {"hand2-first": 1, "not-held": 1}


def test_candidates_graphs_are_checked_after_the_narratives_and_without_hands() -> None:
    row = {
        "context_graphs": [], "triplet": BAD, "target_sentence": "a", "position": 0,
        "variations": list("abcde"), "variation_triplets": [BAD, PICK, PICK, PICK, BAD],
    }  # fmt: skip
    report = check_document(read_document(json.dumps(row), "f"))
    assert [(finding.code, finding.place.graph) for finding in report.findings] == [
        ("not-lower-case", 0),
        ("not-lower-case", 1),
        ("not-lower-case", 5),
    ]


def test_a_vocabulary_from_outside_serves_items_that_bring_none() -> None:
    own = {"object": ["Cup"], "relationship": [], "verb": ["wash"]}
    texts = [{"descriptions": [{"graphs": [BAD]}], "id": "a"}, {"descriptions": [{"graphs": [BAD]}], "vocabulary": own}]
    document = read_document("".join(json.dumps(text) + "\n" for text in texts), "f")
    report = check_document(document, Vocabulary(("cup",), (), ("wash",)))
    assert [(f.code, f.place.item, f.hint) for f in report.findings if f.code == "out-of-vocabulary"] == [
        ("out-of-vocabulary", "a", "cup?")
    ]


def test_the_json_of_a_report_has_the_agreed_fields() -> None:
    value = json.loads(json.dumps(report_value(check_document(read_document(TEXT, "f.txt")))))
    assert list(value) == ["file", "format", "narratives", "graphs", "triplets", "counts", "findings"]
    assert value["findings"][0] == {
        "code": "not-lower-case",
        "severity": "error",
        "place": {"line": 2, "item": "0", "graph": 0, "triplet": 1},
        "message": "Cup is not in lower case",
        "hint": "cup?",
    }


def test_a_row_of_one_graph_among_rows_of_several_is_a_warning() -> None:
    space = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
    wash = {"triplets": [["person", "verb", "wash"], ["wash", "dobj", "cup"]]}
    cases: list[tuple[tuple[int, ...], list[int]]] = [((2, 1, 3), [2]), ((1, 1), []), ((2, 2), []), ((1, 1, 2), [])]
    for ks, lines in cases:
        rows = [{"context": "", "target_sentence": "x", "mandatory_space": space, "graphs": [wash] * k} for k in ks]
        report = check_document(read_document("".join(json.dumps(row) + "\n" for row in rows), "f"))
        assert [(f.code, f.severity, f.place.line) for f in report.findings] == [
            ("single-graph", "warning", n) for n in lines
        ], (ks, lines)
