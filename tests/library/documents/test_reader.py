"""Any file of graphs becomes a document; what is broken or suspicious in it becomes a finding with its place."""

from __future__ import annotations

import json

from refusals import refusal
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, WASH, lines

from tsgkit.errors import FileProblem
from tsgkit.graph import Vocabulary
from tsgkit.library.documents import formats
from tsgkit.library.documents.lint import FileReport, check_document, report_value
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.writer import write_document


def codes(document: Document) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.place.line) for finding in document.findings]


def test_the_format_is_told_from_the_content_not_from_the_name() -> None:
    for name, text in FORMATS.items():
        for file in ("data", "data.json", "data.jsonl", "data.txt"):
            document = read_document(text, file)
            assert (document.format, document.findings) == (name, ()), name
            assert any(entry.narrative.graphs for entry in document.entries), name
    assert read_document("[person -> verb -> wash]\n", "f.txt").format == "arrow"
    assert [entry.item for entry in read_document(json.dumps([SGQA, SGQA]), "f").entries] == ["0", "1"]
    document = read_document("person -> verbs -> wash\nwash -> dobj -> cup\n\nperson -> verbs -> dry\n", "f")
    assert (len(document.entries[0].narrative.graphs), document.findings) == (2, ())
    for text in [*FORMATS.values(), *REPLIES.values(), "[\n\n  [[3}", '[[["a"' * 3]:
        assert read_document(text, "f").format in {*formats.FORMATS, "unknown"}, text[:99]


def test_a_row_is_a_narrative_with_the_texts_before_its_graphs_and_candidates_beside_it() -> None:
    [entry] = read_document(lines(SGQA), "f").entries
    assert (entry.item, entry.line, entry.narrative.id, entry.narrative.graphs) == ("0", 1, "clip", (WASH, WASH))
    [entry] = read_document(lines(SGDS), "f").entries
    assert [description.text for description in entry.narrative.descriptions] == [None, "A"]
    assert (len(entry.asides), len(entry.graphs)) == (5, 7)
    first, second = read_document(lines(SGG, SGG | {"item_id": "x", "context": "All in one."}), "f").entries
    assert [description.text for description in first.narrative.descriptions] == ["Before.", "Then.", "She washes it."]
    assert [description.text for description in second.narrative.descriptions] == ["All in one.", "She washes it."]
    assert first.narrative.vocabulary is not None
    assert (first.item, second.item) == ("0", "x")


def test_file_and_row_errors_have_codes() -> None:
    others = [GRAPH, [["b", "on", "c"]], GRAPH, GRAPH, GRAPH]
    rows: list[tuple[str, str]] = [
        ('<?xml version="1.0"?>\n<graphml>\n<graph>', "broken-file"),
        (json.dumps({"uid": {"graphs": [3]}}), "unread-part"),
        (json.dumps({"uid": {"graphs": []}, "other": 3}), "broken-file"),
        (json.dumps([[["a", "b", "c"]], [["a", "b"]]]), "unread-part"),
        (json.dumps({"nodes": [3], "edges": []}), "unread-part"),
        (json.dumps({"nodes": [{"id": "lonely"}], "edges": []}), "loose-node"),
        *((lines(SGQA, other), "other-format") for other in (GRAPH, {"x": 1})),
        (lines(NARRATIVE, {"descriptions": 3}), "other-format"),
        (lines(SGQA | {"item_id": "a"}, SGQA | {"item_id": "a"}), "repeated-id"),
        (lines(SGQA | {"qa_pairs": [{"Q": "?", "A": "plate"}]}), "answer-not-a-node"),
        (lines(SGQA | {"context_graphs": []}), "no-graphs"),
        (lines(SGG | {"graphs": []}), "no-graphs"),
        *((lines(SGDS | {"position": position}), "position") for position in (5, 0)),
        (lines(SGDS | {"variations": ["A", "A", "C", "D", "E"]}), "repeated-candidate"),
        (lines(SGDS | {"variations": ["B", "A"], "variation_triplets": None}), "few-candidates"),
        *((lines(SGDS | {"variation_triplets": graphs}), "candidate-graph") for graphs in ([GRAPH], others)),
    ]
    for text, code in rows:
        assert code in [found for found, _ in codes(read_document(text, "f"))], text
    fields: list[tuple[object, str]] = [
        (SGQA | {"context_graphs": "x"}, "context_graphs"),
        (SGQA | {"context_graphs": [[["a", "b"]]]}, "context_graphs.0.0"),
        (SGQA | {"qa_pairs": [{"Q": "?"}]}, "qa_pairs.0.A"),
        (SGDS | {"position": "1"}, "position"),
        ({"variations": []}, "context_graphs"),
        (SGG | {"mandatory_space": {"object": []}}, "relationship"),
        (SGG | {"context": 3}, "context"),
        (SGG | {"graphs": [{"triplets": [["a", "b", 3]]}]}, "graphs.0.triplets.0.2"),
    ]
    for row, field in fields:
        [finding] = read_document(lines(row), "f").findings
        assert finding.code == "other-format" and field in finding.message, (row, field)


REPLIES = {
    "bullets": "- person -> verb -> wash\n- wash -> dobj -> cup\n- wash -> with -> hand1\n",
    "numbers": "1. person -> verb -> wash\n2. wash -> dobj -> cup.\n3. wash -> with -> hand1\n",
    "bold": "**person** -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "label": "Graph 1: person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "triplets a line": "".join(json.dumps(triplet) + "\n" for triplet in GRAPH),
    "wrapped": json.dumps({"graphs": [GRAPH], "note": "here you are"}),
}


def test_text_that_is_not_exact_is_read_as_a_reply_with_its_repairs_as_findings() -> None:
    document = read_document("Sure:\n- person -> verb -> wash\n- a -> b\n", "f.txt")
    assert codes(document) == [("ignored-line", 1), ("repaired-line", 2), ("unread-line", 3)]
    assert document.entries[0].triplet_lines == ((2,),)
    for form, text in REPLIES.items():
        for file in ("f", "f.json", "f.jsonl"):
            document = read_document(text, file)
            assert document.entries[0].narrative.graphs == (WASH,) and document.findings, form


def test_a_broken_part_does_not_cost_what_stands_beside_it() -> None:
    document = read_document(json.dumps([GRAPH, [["a", "b"], *GRAPH], 3, GRAPH]), "f")
    assert document.format == "triplets"
    assert [len(graph) for graph in document.entries[0].narrative.graphs] == [3, 3, 0, 3]
    assert [(finding.place.graph, finding.message) for finding in document.findings] == [
        (1, "triplet 0: expected three strings, found a list of 2"),
        (2, "expected a list of triplets, found a number"),
    ]
    value = {"uid": {"graphs": [[1, 0, 2, ["Camera wearer - verb - cut", "cut", ""]], [1.5, "x"]], "narration": "n"}}
    document = read_document(json.dumps(value), "f")
    assert [finding.code for finding in document.findings] == ["unread-part"]
    assert document.entries[0].narrative.facts == (("narration", "n"),)
    document = read_document(lines(*[SGQA] * 16) + '{"context_graphs": [,\n' + lines(SGQA), "f.jsonl")
    assert (codes(document), len(document.entries)) == ([("broken-line", 17)], 17)
    document = read_document("{oops\n" + lines(SGQA), "f.jsonl")
    assert (codes(document), [entry.item for entry in document.entries]) == ([("broken-line", 1)], ["0"])
    assert codes(read_document("[\n\n  [[3}", "f.json")) == [("broken-file", 3)]
    for file in ("f", "f.json", "f.txt"):
        document = read_document(json.dumps([GRAPH, GRAPH])[:-20], file)
        assert [finding.code for finding in document.findings if finding.severity == "error"][:1] == ["broken-file"]
        assert document.entries[0].narrative.graphs[0] == WASH, file


def test_a_file_that_is_no_graph_file_is_refused_with_what_is_readable() -> None:
    for text in ["Dear reader,\nhello.\n", "digraph { a -> b }", '{"item_id": "1", "reply": "x"}', "{}"]:
        try:
            read_document(text, "f.json")
        except FileProblem as problem:
            assert "arrow text" in problem.hint, text
        else:
            raise AssertionError(text)
    written = [
        write_document(read_document(FORMATS["arrow"], "f"), formats.by_name(f)).text for f in ("dot", "mermaid")
    ]
    assert all(text.count("wash") >= 2 for text in written)
    never_read = "DOT and Mermaid are written, never read"
    for text, message in (
        (" \n", "empty"),
        ("[" * 200_000, "nested too deeply"),
        *((text, never_read) for text in written),
    ):
        assert message in refusal(FileProblem, read_document, text, "f"), message


# Lint reports

PICK = [["person", "verb", "pick-up"], ["pick-up", "dobj", "cup"], ["pick-up", "with", "hand2"]]
PUT = [["person", "verb", "put-down"], ["put-down", "dobj", "cup"], ["put-down", "with", "hand2"]]
BAD = [["person", "verb", "wash"], ["wash", "dobj", "Cup"]]


def checked(text: str, vocabulary: Vocabulary | None = None) -> FileReport:
    return check_document(read_document(text, "f"), vocabulary)


def test_a_report_counts_what_the_file_holds_and_names_the_line_of_each_triplet() -> None:
    text = "person -> verb -> wash\nwash -> dobj -> Cup\n\n\n"
    text += "person -> verb -> wash\nwash -> dobj -> cup\nwash -> on -> a_b\n"
    report = checked(text)
    assert (report.format, report.narratives, report.graphs, report.triplets) == ("arrow", 1, 2, 5)
    assert report.counts == {"not-lower-case": 1, "not-hyphenated": 1}
    assert (report.errors, report.warnings) == (2, 0)
    assert [tuple(finding.place) for finding in report.findings] == [(2, "0", 0, 1), (7, "0", 1, 2)]
    value = json.loads(json.dumps(report_value(report)))
    assert list(value) == ["file", "format", "narratives", "graphs", "triplets", "counts", "findings"]
    assert value["findings"][0] == {
        "code": "not-lower-case",
        "severity": "error",
        "place": {"line": 2, "item": "0", "graph": 0, "triplet": 1},
        "message": "Cup is not in lower case",
        "hint": "cup?",
    }


def test_in_rows_a_finding_knows_the_line_and_item_of_its_row_and_where_hands_are_known() -> None:
    rows = [{"item_id": "a", "context_graphs": [PICK, BAD], "qa_pairs": []}, {"context_graphs": [BAD], "qa_pairs": []}]
    assert [(f.code, tuple(f.place)) for f in checked(lines(*rows)).findings] == [
        ("not-lower-case", (1, "a", 1, 1)),
        ("hand2-first", (1, "a", 0, None)),
        ("not-lower-case", (2, "1", 0, 1)),
    ]
    assert checked(lines(PICK, PUT)).counts == {}, "a graph alone on its line knows nothing of hands"
    assert checked(json.dumps([PUT, PICK])).counts == {"hand2-first": 1, "not-held": 1}
    row = {"context_graphs": [], "triplet": BAD, "target_sentence": "a", "position": 0, "variations": list("abcde")}
    found = checked(lines(row | {"variation_triplets": [BAD, PICK, PICK, PICK, BAD]})).findings
    assert [(one.code, one.place.graph) for one in found] == [("not-lower-case", graph) for graph in (0, 1, 5)]


def test_a_vocabulary_from_outside_serves_items_that_bring_none() -> None:
    own = {"object": ["Cup"], "relationship": [], "verb": ["wash"]}
    texts = [{"descriptions": [{"graphs": [BAD]}], "id": "a"}, {"descriptions": [{"graphs": [BAD]}], "vocabulary": own}]
    found = checked(lines(*texts), Vocabulary(("cup",), (), ("wash",))).findings
    assert [(one.place.item, one.hint) for one in found if one.code == "out-of-vocabulary"] == [("a", "cup?")]


def test_a_row_of_one_graph_among_rows_of_several_is_a_warning() -> None:
    space = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
    wash = {"triplets": [["person", "verb", "wash"], ["wash", "dobj", "cup"]]}
    cases: dict[tuple[int, ...], list[int]] = {(2, 1, 3): [2], (1, 1): [], (2, 2): [], (1, 1, 2): []}
    for ks, single in cases.items():
        rows = [{"context": "", "target_sentence": "x", "mandatory_space": space, "graphs": [wash] * k} for k in ks]
        found = [(one.code, one.severity, one.place.line) for one in checked(lines(*rows)).findings]
        assert found == [("single-graph", "warning", line) for line in single], ks
