"""Any file of graphs becomes a document; what is broken in it becomes a finding with its place."""

from __future__ import annotations

import json

import pytest
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, WASH, lines

from tsgkit.errors import FileProblem
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.writer import write_document


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("file", ["data", "data.json", "data.jsonl", "data.txt"])
def test_the_format_is_told_from_the_content_not_from_the_name(name: str, file: str) -> None:
    document = read_document(FORMATS[name], file)
    assert document.format == name
    assert document.findings == ()
    assert any(entry.narrative.graphs for entry in document.entries)


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


def test_a_json_list_of_rows_is_read_like_lines_of_rows() -> None:
    assert [entry.item for entry in read_document(json.dumps([SGQA, SGQA]), "f").entries] == ["0", "1"]


def test_broken_json_on_one_line_is_a_finding_and_the_others_are_read() -> None:
    text = lines(*[SGQA] * 16) + '{"context_graphs": [,\n' + lines(SGQA)
    document = read_document(text, "f.jsonl")
    assert codes(document) == [("broken-line", 17)]
    assert len(document.entries) == 17


def test_a_broken_first_line_does_not_hide_the_others() -> None:
    document = read_document("{oops\n" + lines(SGQA), "f.jsonl")
    assert codes(document) == [("broken-line", 1)]
    assert [entry.item for entry in document.entries] == ["0"]


def test_a_broken_json_file_is_a_finding_with_its_line() -> None:
    document = read_document("[\n\n  [[3}", "f.json")
    assert codes(document) == [("broken-file", 3)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
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
    ],
)  # fmt: skip
def test_file_and_row_errors_have_codes(text: str, code: str) -> None:
    assert code in [found for found, _ in codes(read_document(text, "f"))]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (SGQA | {"context_graphs": "x"}, "context_graphs"),
        (SGQA | {"context_graphs": [[["a", "b"]]]}, "context_graphs.0.0"),
        (SGQA | {"qa_pairs": [{"Q": "?"}]}, "qa_pairs.0.A"),
        (SGDS | {"position": "1"}, "position"),
        ({"variations": []}, "context_graphs"),
        (SGG | {"mandatory_space": {"object": []}}, "relationship"),
        (SGG | {"context": 3}, "context"),
        (SGG | {"graphs": [{"triplets": [["a", "b", 3]]}]}, "graphs.0.triplets.0.2"),
    ],
)
def test_a_field_that_does_not_fit_is_named(row: dict[str, object], field: str) -> None:
    [finding] = read_document(lines(SGQA, row)[len(lines(SGQA)) :], "f").findings
    assert finding.code == "other-format"
    assert field in finding.message


def test_text_that_is_not_exact_is_read_with_its_repairs_as_findings() -> None:
    document = read_document("Sure:\n- person -> verb -> wash\n- a -> b\n", "f.txt")
    assert codes(document) == [("ignored-line", 1), ("repaired-line", 2), ("unread-line", 3)]
    assert document.entries[0].triplet_lines == ((2,),)


@pytest.mark.parametrize(
    "text", ["Dear reader,\nhello.\n", "digraph { a -> b }", '{"item_id": "1", "reply": "x"}', "{}"]
)
def test_a_file_that_is_no_graph_file_is_refused_with_what_is_readable(text: str) -> None:
    with pytest.raises(FileProblem) as caught:
        read_document(text, "f.json")
    assert "arrow text" in caught.value.hint


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(FileProblem, match="empty"):
        read_document(" \n", "f")


def test_json_nested_beyond_reading_is_refused_in_words() -> None:
    with pytest.raises(FileProblem, match="nested too deeply"):
        read_document("[" * 200_000, "f.json")


def test_text_in_brackets_is_text() -> None:
    assert read_document("[person -> verb -> wash]\n", "f.txt").format == "arrow"


REPLIES = {
    "bullets": "- person -> verb -> wash\n- wash -> dobj -> cup\n- wash -> with -> hand1\n",
    "numbers": "1. person -> verb -> wash\n2. wash -> dobj -> cup.\n3. wash -> with -> hand1\n",
    "bold": "**person** -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "label": "Graph 1: person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n",
    "triplets a line": "".join(json.dumps(triplet) + "\n" for triplet in GRAPH),
    "wrapped": json.dumps({"graphs": [GRAPH], "note": "here you are"}),
}


@pytest.mark.parametrize("form", REPLIES)
@pytest.mark.parametrize("file", ["f", "f.json", "f.jsonl"])
def test_a_reply_with_plain_arrows_or_loose_json_is_read_as_a_reply(form: str, file: str) -> None:
    document = read_document(REPLIES[form], file)
    assert document.entries[0].narrative.graphs == (WASH,)
    assert document.findings


@pytest.mark.parametrize("file", ["f", "f.json", "f.txt"])
def test_json_that_was_cut_off_is_an_error_and_still_read(file: str) -> None:
    document = read_document(json.dumps([GRAPH, GRAPH])[:-20], file)
    assert [finding.code for finding in document.findings if finding.severity == "error"][:1] == ["broken-file"]
    assert document.entries[0].narrative.graphs[0] == WASH


def test_graphs_without_a_person_verb_triplet_stay_apart_in_exact_text() -> None:
    text = "person -> verbs -> wash\nwash -> dobj -> cup\n\nperson -> verbs -> dry\n"
    document = read_document(text, "f")
    assert len(document.entries[0].narrative.graphs) == 2
    assert document.findings == ()


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


@pytest.mark.parametrize("format", ["dot", "mermaid"])
def test_images_we_wrote_are_refused_by_name(format: str) -> None:
    text = write_document(read_document(FORMATS["arrow"], "f"), formats.by_name(format)).text
    with pytest.raises(FileProblem, match="DOT and Mermaid are written, never read"):
        read_document(text, "f")


def test_every_format_named_in_a_document_is_known() -> None:
    texts = [*FORMATS.values(), *REPLIES.values(), "[\n\n  [[3}", '[[["a"' * 3]
    assert {read_document(text, "f").format for text in texts} <= {*formats.FORMATS, "unknown"}
