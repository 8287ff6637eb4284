"""Conversion between all formats: what is carried comes back, what is not is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from refusals import refusal
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, WASH, lines
from tsg_tasks import samples_of

from tsgkit.errors import CannotCarry, UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import read_document
from tsgkit.library.documents.writer import convert, write_document

L = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
GRAPH_FORMATS = ["arrow", "triplets", "triplet-lines", "narrative", "node-link", "graphml"]


def test_graphs_go_from_every_format_to_every_other_and_to_the_same_without_loss() -> None:
    for source, text in FORMATS.items():
        document = read_document(text, "f")
        expected = [graph.triplets for entry in document.entries for graph in entry.narrative.graphs]
        for target in GRAPH_FORMATS:
            again = read_document(write_document(document, formats.by_name(target)).text, "f")
            assert [graph.triplets for entry in again.entries for graph in entry.narrative.graphs] == expected, source
        if formats.by_name(source).writes:
            written = write_document(document, formats.by_name(source))
            assert (written.lost, read_document(written.text, "f")) == ((), document), source
    for row in (SGQA, SGDS, SGG, SGG | {"extra": {"é": [1.5, None]}}):
        text = json.dumps(row, ensure_ascii=False) + "\n"
        document = read_document(text, "f")
        assert write_document(document, formats.by_name(document.format)).text == text
    assert write_document(read_document(FORMATS["easg"], "f"), formats.by_name("narrative")).lost == ()


def test_losses_of_a_conversion_are_counted() -> None:
    written = write_document(read_document(lines(SGDS, SGDS), "f"), formats.by_name("arrow"))
    assert written.lost == (
        "texts of descriptions (2)",
        "borders between narratives (1)",
        "borders between descriptions (2)",
        "other fields of rows, such as questions and candidates (2)",
        "graphs beside the narratives (10)",
    )
    told = [{"text": "One.", "graphs": [GRAPH]}, {"graphs": [GRAPH, GRAPH]}, {"text": "The end."}]
    document = read_document(lines({"id": "tea", "descriptions": told, "vocabulary": L}), "f")
    written = write_document(document, formats.by_name("sgg"))
    assert written.graphs == 1
    assert written.lost[1:] == ("graphs whose description has no text (2)", "texts behind the last graphs (1)")


def test_a_told_narrative_with_l_becomes_generation_rows_with_the_text_before_as_context() -> None:
    told = [{"text": "One.", "graphs": [GRAPH]}, {"text": "Silence."}, {"text": "Two.", "graphs": [GRAPH, GRAPH]}]
    document = read_document(lines({"id": "tea", "descriptions": told, "vocabulary": L}), "f")
    rows = [json.loads(line) for line in write_document(document, formats.by_name("sgg")).text.splitlines()]
    assert [(row["item_id"], row["context"], len(row["graphs"])) for row in rows] == [
        ("tea/0", [], 1),
        ("tea/2", ["One.", "Silence."], 2),
    ]
    assert rows[1]["mandatory_space"] == L
    told_once = {"descriptions": [{"text": "She washes it.", "graphs": [GRAPH]}], "vocabulary": SGG["mandatory_space"]}
    document = read_document(lines(told_once, told_once, told_once | {"id": "tea"}), "f")
    written = write_document(document, formats.by_name("sgg"))
    assert [json.loads(line)["item_id"] for line in written.text.splitlines()] == ["0/0", "1/0", "tea/0"]
    assert len(samples_of(read_document(written.text, "f"), "sa-sgg")) == 3


def test_conversion_to_rows_refuses_incomplete_items() -> None:
    rows: list[tuple[str, str, str]] = [
        ("arrow", "easg", "read, never written"),
        ("arrow", "sgqa", "need questions"),
        ("sgqa", "sgds", "need candidates"),
        ("narrative", "sgg", "item tea has no vocabulary"),
        ("sgqa", "sgg", "no vocabulary"),
    ]
    for source, target, message in rows:
        with pytest.raises(CannotCarry, match=message):
            write_document(read_document(FORMATS[source], "f"), formats.by_name(target))


def test_converting_from_python_writes_the_file_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps([[["place", "down", ""]]]))
    with pytest.raises(CannotCarry, match="item 0, graph 0: arrow text cannot carry the name '': it is empty"):
        convert(tmp_path / "in.json", tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()
    (tmp_path / "in.jsonl").write_text(lines(NARRATIVE))
    assert convert(tmp_path / "in.jsonl", tmp_path / "out.graphml").lost[0] == "texts of descriptions (1)"
    assert (tmp_path / "out.graphml").read_text().startswith("<?xml")
    for ending, name in [(".txt", "arrow"), (".JSON", "triplets"), (".jsonl", "narrative")]:
        assert formats.by_ending(f"out{ending}").name == name
    with pytest.raises(UsageError) as caught:
        formats.by_ending("out.csv")
    assert ".graphml" in caught.value.hint
    assert "no format 'csv'" in refusal(UsageError, formats.by_name, "csv")


BELL = [["person", "verb", "ring"], ["ring", "dobj", "bell\u0007"]]
TOLD = (
    {"id": "tea", "descriptions": [{"text": "One.", "graphs": [GRAPH, []]}, {"text": "Two.", "graphs": [[]]}]},
    {"id": "tea", "descriptions": [{"graphs": [[]]}, {"text": "Three.", "graphs": [GRAPH]}]},
)
EMPTY = lines(*(narrative | {"vocabulary": L} for narrative in TOLD))
HALF = json.loads('"half \\ud800"')


def test_a_graph_without_triplets_is_carried_where_it_can_be_and_costs_itself_alone_elsewhere() -> None:
    for target in ("arrow", "sgg"):
        written = write_document(read_document(EMPTY, "f"), formats.by_name(target))
        again = [
            graph.triplets for entry in read_document(written.text, "f").entries for graph in entry.narrative.graphs
        ]
        assert (again, written.graphs) == ([WASH.triplets] * 2, 2), target
        assert [(str(left), left.is_empty) for left in written.left_out] == [
            (f"item tea, graph {number}: it has no triplets", True) for number in (1, 2, 0)
        ], target
    rows = read_document(written.text, "f")
    assert [sample.item_id for sample in samples_of(rows, "sa-sgg")] == ["tea/0", "tea/1"]
    for target in ["triplets", "triplet-lines", "narrative", "node-link", "graphml", "dot", "mermaid"]:
        written = write_document(read_document(EMPTY, "f"), formats.by_name(target))
        assert (written.graphs, written.left_out) == (5, ()), target
    document = read_document('{"nodes": [], "edges": []}\n{"nodes": [], "edges": []}', "empty.jsonl")
    again_empty = read_document(write_document(document, formats.by_name("triplet-lines")).text, "again.jsonl")
    assert [entry.graphs for entry in again_empty.entries] == [(ActionGraph(),), (ActionGraph(),)]
    document = read_document('{"id": "tea", "descriptions": [{"graphs": [[]]}]}', "f")
    with pytest.raises(CannotCarry, match="arrow can carry none of the graphs: item tea, graph 0: it has no triplets"):
        write_document(document, formats.by_name("arrow"), keep_going=True)


def test_a_graph_that_cannot_be_carried_stops_the_conversion_unless_it_may_be_left_out() -> None:
    names = {"arrow": "arrow text", "graphml": "GraphML", "dot": "DOT", "mermaid": "Mermaid"}
    rows = [(target, BELL, f"{name} cannot carry the name 'bell\\x07'") for target, name in names.items()]
    others = ("triplets", "triplet-lines", "narrative", "node-link", "sgg")
    rows += [(target, [["person", "verb", HALF]], "cannot carry the name 'half \\ud800'") for target in others]
    for target, bad, reason in rows:
        told = [{"text": "One.", "graphs": [GRAPH, GRAPH]}, {"text": "Two.", "graphs": [GRAPH, bad]}]
        first = {"id": "tea", "descriptions": told[:1], "vocabulary": L}
        document = read_document(lines(first, {"id": "pot", "descriptions": told, "vocabulary": L}), "f")
        with pytest.raises(CannotCarry) as caught:
            write_document(document, formats.by_name(target))
        assert str(caught.value).startswith("item pot, graph 3: "), target
        assert reason in str(caught.value), target
        assert "--keep-going" in caught.value.hint, target
        written = write_document(document, formats.by_name(target), keep_going=True)
        assert [(left.item, left.graph, left.is_empty) for left in written.left_out] == [("pot", 3, False)], target
        assert written.graphs == 5, target
        assert written.text.count("cup") >= 5, target


def test_a_document_with_text_that_no_file_can_hold_is_refused() -> None:
    row = '{"data_id": "\\ud83d", "context_graphs": [[["person", "verb", "wash"]]], "qa_pairs": []}'
    for text, format in [('[["person", "verb", "\\ud83d"]]', "triplet-lines"), (row, "sgqa"), (row, "narrative")]:
        document = read_document(text, "half.jsonl")
        assert "surrogate" in refusal(CannotCarry, write_document, document, formats.by_name(format)), format
