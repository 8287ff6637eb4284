"""Any file of graphs becomes a document; what is broken in it becomes a finding with its place."""

from __future__ import annotations

import json

from refusals import refusal
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, WASH, lines

from tsgkit.errors import FileProblem
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.writer import write_document


def test_the_format_is_told_from_the_content_not_from_the_name() -> None:
    others: list[str] = ["data", "data.json", "data.jsonl", "data.txt"]
    for name in FORMATS:
        for file in others:
            document = read_document(FORMATS[name], file)
            assert document.format == name, name
            assert document.findings == (), name
            assert any(entry.narrative.graphs for entry in document.entries), name


def codes(document: Document) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.place.line) for finding in document.findings]


def test_a_question_row_is_one_narrative() -> None:
    [entry] = read_document(lines(SGQA), "f").entries
    assert (entry.item, entry.line, entry.narrative.id, entry.narrative.graphs) == ("0", 1, "clip", (WASH, WASH))


def test_a_selection_row_is_its_context_and_target_with_the_candidates_beside_it() -> None:
    [entry] = read_document(lines(SGDS), "f").entries
    assert [description.text for description in entry.narrative.descriptions] == [None, "A"]
    assert len(entry.asides) == 5
    assert len(entry.graphs) == 7


def test_a_generation_row_is_told_in_words_before_its_graphs() -> None:
    first, second = read_document(lines(SGG, SGG | {"item_id": "x", "context": "All in one."}), "f").entries
    assert [description.text for description in first.narrative.descriptions] == ["Before.", "Then.", "She washes it."]
    assert [description.text for description in second.narrative.descriptions] == ["All in one.", "She washes it."]
    assert first.narrative.vocabulary is not None
    assert (first.item, second.item) == ("0", "x")


def test_file_and_row_errors_have_codes() -> None:
    rows: list[tuple[str, str]] = [
        ('<?xml version="1.0"?>\n<graphml>\n<graph>', "broken-file"),
        (json.dumps({"uid": {"graphs": [3]}}), "unread-part"),
        (json.dumps({"uid": {"graphs": []}, "other": 3}), "broken-file"),
        (json.dumps([[["a", "b", "c"]], [["a", "b"]]]), "unread-part"),
        (json.dumps({"nodes": [3], "edges": []}), "unread-part"),
        (json.dumps({"nodes": [{"id": "lonely"}], "edges": []}), "loose-node"),
        (lines(SGQA, GRAPH), "other-format"),
        (lines(SGQA, {"x": 1}), "other-format"),
        (lines(NARRATIVE, {"descriptions": 3}), "other-format"),
        (lines(SGQA | {"item_id": "a"}, SGQA | {"item_id": "a"}), "repeated-id"),
        (lines(SGQA | {"qa_pairs": [{"Q": "?", "A": "plate"}]}), "answer-not-a-node"),
        (lines(SGQA | {"context_graphs": []}), "no-graphs"),
        (lines(SGG | {"graphs": []}), "no-graphs"),
        (lines(SGDS | {"position": 5}), "position"),
        (lines(SGDS | {"position": 0}), "position"),
        (lines(SGDS | {"variations": ["A", "A", "C", "D", "E"]}), "repeated-candidate"),
        (lines(SGDS | {"variations": ["B", "A"], "variation_triplets": None}), "few-candidates"),
        (lines(SGDS | {"variation_triplets": [GRAPH]}), "candidate-graph"),
        (lines(SGDS | {"variation_triplets": [GRAPH, [["b", "on", "c"]], GRAPH, GRAPH, GRAPH]}), "candidate-graph"),
    ]
    for text, code in rows:
        assert code in [found for found, _ in codes(read_document(text, "f"))], text


def test_a_field_that_does_not_fit_is_named() -> None:
    rows: list[tuple[object, str]] = [
        (SGQA | {"context_graphs": "x"}, "context_graphs"),
        (SGQA | {"context_graphs": [[["a", "b"]]]}, "context_graphs.0.0"),
        (SGQA | {"qa_pairs": [{"Q": "?"}]}, "qa_pairs.0.A"),
        (SGDS | {"position": "1"}, "position"),
        ({"variations": []}, "context_graphs"),
        (SGG | {"mandatory_space": {"object": []}}, "relationship"),
        (SGG | {"context": 3}, "context"),
        (SGG | {"graphs": [{"triplets": [["a", "b", 3]]}]}, "graphs.0.triplets.0.2"),
    ]
    for row, field in rows:
        [finding] = read_document(lines(SGQA, row)[len(lines(SGQA)) :], "f").findings
        assert finding.code == "other-format", (row, field)
        assert field in finding.message, (row, field)


def test_text_that_is_not_exact_is_read_with_its_repairs_as_findings() -> None:
    document = read_document("Sure:\n- person -> verb -> wash\n- a -> b\n", "f.txt")
    assert codes(document) == [("ignored-line", 1), ("repaired-line", 2), ("unread-line", 3)]
    assert document.entries[0].triplet_lines == ((2,),)


REPLIES = {
    "bullets": "- person -> verb -> wash\n- wash -> dobj -> cup\n- wash -> with -> hand1\n",
    "numbers": "1. person -> verb -> wash\n2. wash -> dobj -> cup.\n3. wash -> with -> hand1\n",
    "bold": "**person** -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "label": "Graph 1: person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "triplets a line": "".join(json.dumps(triplet) + "\n" for triplet in GRAPH),
    "wrapped": json.dumps({"graphs": [GRAPH], "note": "here you are"}),
}


def test_a_reply_with_plain_arrows_or_loose_json_is_read_as_a_reply() -> None:
    others: list[str] = ["f", "f.json", "f.jsonl"]
    for form in REPLIES:
        for file in others:
            document = read_document(REPLIES[form], file)
            assert document.entries[0].narrative.graphs == (WASH,), form
            assert document.findings, form


def test_a_bad_triplet_does_not_cost_the_graphs_beside_it() -> None:
    document = read_document(json.dumps([GRAPH, [["a", "b"], *GRAPH], 3, GRAPH]), "f")
    assert document.format == "triplets"
    assert [len(graph) for graph in document.entries[0].narrative.graphs] == [3, 3, 0, 3]
    assert [(finding.place.graph, finding.message) for finding in document.findings] == [
        (1, "triplet 0: expected three strings, found a list of 2"),
        (2, "expected a list of triplets, found a number"),
    ]


def test_one_odd_entry_of_an_easg_clip_does_not_cost_the_clip() -> None:
    value = {"uid": {"graphs": [[1, 0, 2, ["Camera wearer - verb - cut", "cut", ""]], [1.5, "x"]], "narration": "n"}}
    document = read_document(json.dumps(value), "f")
    assert [finding.code for finding in document.findings] == ["unread-part"]
    assert document.entries[0].narrative.facts == (("narration", "n"),)


def test_broken_json_is_a_finding_with_its_line_and_the_others_are_read() -> None:
    document = read_document(lines(*[SGQA] * 16) + '{"context_graphs": [,\n' + lines(SGQA), "f.jsonl")
    assert (codes(document), len(document.entries)) == ([("broken-line", 17)], 17)
    document = read_document("{oops\n" + lines(SGQA), "f.jsonl")
    assert (codes(document), [entry.item for entry in document.entries]) == ([("broken-line", 1)], ["0"])
    assert codes(read_document("[\n\n  [[3}", "f.json")) == [("broken-file", 3)]
    for file in ("f", "f.json", "f.txt"):
        document = read_document(json.dumps([GRAPH, GRAPH])[:-20], file)
        assert [finding.code for finding in document.findings if finding.severity == "error"][:1] == ["broken-file"]
        assert document.entries[0].narrative.graphs[0] == WASH, file


def test_forms_of_exact_files_are_told_apart() -> None:
    assert read_document("[person -> verb -> wash]\n", "f.txt").format == "arrow"
    assert [entry.item for entry in read_document(json.dumps([SGQA, SGQA]), "f").entries] == ["0", "1"]
    document = read_document("person -> verbs -> wash\nwash -> dobj -> cup\n\nperson -> verbs -> dry\n", "f")
    assert (len(document.entries[0].narrative.graphs), document.findings) == (2, ())
    for text in [*FORMATS.values(), *REPLIES.values(), "[\n\n  [[3}", '[[["a"' * 3]:
        assert read_document(text, "f").format in {*formats.FORMATS, "unknown"}, text[:99]


def test_a_file_that_is_no_graph_file_is_refused_with_what_is_readable() -> None:
    for text in ["Dear reader,\nhello.\n", "digraph { a -> b }", '{"item_id": "1", "reply": "x"}', "{}"]:
        try:
            read_document(text, "f.json")
        except FileProblem as problem:
            assert "arrow text" in problem.hint, text
        else:
            raise AssertionError(text)
    assert "empty" in refusal(FileProblem, read_document, " \n", "f")
    assert "nested too deeply" in refusal(FileProblem, read_document, "[" * 200_000, "f.json")
    for format in ("dot", "mermaid"):
        text = write_document(read_document(FORMATS["arrow"], "f"), formats.by_name(format)).text
        assert text.count("wash") >= 2
        message = refusal(FileProblem, read_document, text, "f")
        assert "DOT and Mermaid are written, never read" in message
