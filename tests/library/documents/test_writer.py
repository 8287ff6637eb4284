"""Conversion between all formats: what is carried comes back, what is not is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, lines
from tsg_tasks import samples_of

from tsgkit.errors import CannotCarry, UsageError
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import read_document
from tsgkit.library.documents.writer import convert, write_document

GRAPH_FORMATS = ["arrow", "triplets", "triplet-lines", "narrative", "node-link", "graphml"]


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", GRAPH_FORMATS)
def test_graphs_go_from_every_format_to_every_other(source: str, target: str) -> None:
    document = read_document(FORMATS[source], "f")
    again = read_document(write_document(document, formats.by_name(target)).text, "f")
    expected = [graph.triplets for entry in document.entries for graph in entry.narrative.graphs]
    assert [graph.triplets for entry in again.entries for graph in entry.narrative.graphs] == expected


@pytest.mark.parametrize("name", [name for name in FORMATS if formats.by_name(name).writes])
def test_same_format_conversion_loses_nothing(name: str) -> None:
    document = read_document(FORMATS[name], "f")
    written = write_document(document, formats.by_name(name))
    assert written.lost == ()
    assert read_document(written.text, "f") == document


@pytest.mark.parametrize("row", [SGQA, SGDS, SGG, SGG | {"extra": {"é": [1.5, None]}}])
def test_rows_come_back_byte_for_byte(row: object) -> None:
    text = json.dumps(row, ensure_ascii=False) + "\n"
    document = read_document(text, "f")
    assert write_document(document, formats.by_name(document.format)).text == text


@pytest.mark.parametrize("target", ["dot", "mermaid"])
def test_images_are_written_and_never_read(target: str) -> None:
    text = write_document(read_document(FORMATS["sgqa"], "f"), formats.by_name(target)).text
    assert text.count("wash") >= 2


def test_losses_of_a_conversion_are_counted() -> None:
    written = write_document(read_document(lines(SGDS, SGDS), "f"), formats.by_name("arrow"))
    assert written.lost == (
        "texts of descriptions (2)",
        "borders between narratives (1)",
        "borders between descriptions (2)",
        "other fields of rows, such as questions and candidates (2)",
        "graphs beside the narratives (10)",
    )


def test_easg_facts_frames_and_summaries_are_carried_by_narratives() -> None:
    assert write_document(read_document(FORMATS["easg"], "f"), formats.by_name("narrative")).lost == ()


def test_a_told_narrative_with_l_becomes_generation_rows_with_the_text_before_as_context() -> None:
    space = {"object": ["cup"], "relationship": ["verb"], "verb": ["wash"]}
    told = [{"text": "One.", "graphs": [GRAPH]}, {"text": "Silence."}, {"text": "Two.", "graphs": [GRAPH, GRAPH]}]
    document = read_document(json.dumps({"id": "tea", "descriptions": told, "vocabulary": space}), "f")
    rows = [json.loads(line) for line in write_document(document, formats.by_name("sgg")).text.splitlines()]
    assert [row["context"] for row in rows] == [[], ["One.", "Silence."]]
    assert [row["item_id"] for row in rows] == ["tea/0", "tea/2"]
    assert rows[1]["mandatory_space"] == space
    assert [len(row["graphs"]) for row in rows] == [1, 2]


def test_generation_rows_of_narratives_without_ids_have_different_ids() -> None:
    told = {"descriptions": [{"text": "She washes it.", "graphs": [GRAPH]}], "vocabulary": SGG["mandatory_space"]}
    written = write_document(read_document(lines(told, told, told | {"id": "tea"}), "f"), formats.by_name("sgg"))
    assert [json.loads(line)["item_id"] for line in written.text.splitlines()] == ["0/0", "1/0", "tea/0"]
    assert len(samples_of(read_document(written.text, "f"), "sa-sgg")) == 3


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("arrow", "easg", "read, never written"),
        ("arrow", "sgqa", "need questions"),
        ("sgqa", "sgds", "need candidates"),
        ("narrative", "sgg", "item tea has no vocabulary"),
        ("sgqa", "sgg", "no vocabulary"),
    ],
)
def test_conversion_to_rows_refuses_incomplete_items(source: str, target: str, message: str) -> None:
    with pytest.raises(CannotCarry, match=message):
        write_document(read_document(FORMATS[source], "f"), formats.by_name(target))


def test_a_graph_no_arrow_text_can_hold_stops_the_conversion_and_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps([[["place", "down", ""]]]))
    with pytest.raises(CannotCarry, match="item 0, graph 0: arrow text cannot carry the name '': it is empty"):
        convert(tmp_path / "in.json", tmp_path / "out.txt")
    assert not (tmp_path / "out.txt").exists()


L = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
BELL = [["person", "verb", "ring"], ["ring", "dobj", "bell\u0007"]]
TOLD = (
    {"id": "tea", "descriptions": [{"text": "One.", "graphs": [GRAPH, []]}, {"text": "Two.", "graphs": [[]]}]},
    {"id": "tea", "descriptions": [{"graphs": [[]]}, {"text": "Three.", "graphs": [GRAPH]}]},
)
EMPTY = lines(*(narrative | {"vocabulary": L} for narrative in TOLD))
HALF = json.loads('"half \\ud800"')


@pytest.mark.parametrize(("target", "graphs"), [("arrow", 2), ("sgg", 2)])
def test_a_graph_without_triplets_costs_itself_alone(target: str, graphs: int) -> None:
    written = write_document(read_document(EMPTY, "f"), formats.by_name(target))
    again = read_document(written.text, "f")
    assert [graph.triplets for entry in again.entries for graph in entry.narrative.graphs] == [
        read_document(json.dumps([GRAPH]), "f").entries[0].narrative.graphs[0].triplets
    ] * 2
    assert written.graphs == graphs
    assert [str(left) for left in written.left_out] == [
        f"item {item}, graph {number}: it has no triplets" for item, number in (("tea", 1), ("tea", 2), ("tea", 0))
    ]
    assert all(left.is_empty for left in written.left_out)


@pytest.mark.parametrize("target", ["triplets", "triplet-lines", "narrative", "node-link", "graphml", "dot", "mermaid"])
def test_a_graph_without_triplets_is_carried_where_it_can_be(target: str) -> None:
    written = write_document(read_document(EMPTY, "f"), formats.by_name(target))
    assert (written.graphs, written.left_out) == (5, ())


def test_generation_rows_made_of_graphs_without_triplets_can_be_asked() -> None:
    rows = write_document(read_document(EMPTY, "f"), formats.by_name("sgg")).text
    assert [sample.item_id for sample in samples_of(read_document(rows, "f"), "sa-sgg")] == ["tea/0", "tea/1"]


@pytest.mark.parametrize(
    ("target", "bad", "reason"),
    [
        ("arrow", BELL, "arrow text cannot carry the name 'bell\\x07'"),
        ("graphml", BELL, "GraphML cannot carry the name 'bell\\x07'"),
        ("dot", BELL, "DOT cannot carry the name 'bell\\x07'"),
        ("mermaid", BELL, "Mermaid cannot carry the name 'bell\\x07'"),
        *(
            (target, [["person", "verb", HALF]], "cannot carry the name 'half \\ud800'")
            for target in ("triplets", "triplet-lines", "narrative", "node-link", "sgg")
        ),
    ],
)
def test_a_graph_that_cannot_be_carried_stops_the_conversion_unless_it_may_be_left_out(
    target: str, bad: list[list[str]], reason: str
) -> None:
    told = [{"text": "One.", "graphs": [GRAPH, GRAPH]}, {"text": "Two.", "graphs": [GRAPH, bad]}]
    first = {"id": "tea", "descriptions": told[:1], "vocabulary": L}
    document = read_document(lines(first, {"id": "pot", "descriptions": told, "vocabulary": L}), "f")
    with pytest.raises(CannotCarry) as caught:
        write_document(document, formats.by_name(target))
    assert str(caught.value).startswith("item pot, graph 3: ")
    assert reason in str(caught.value)
    assert "--keep-going" in caught.value.hint
    written = write_document(document, formats.by_name(target), keep_going=True)
    assert [(left.item, left.graph, left.is_empty) for left in written.left_out] == [("pot", 3, False)]
    assert written.graphs == 5
    assert written.text.count("cup") >= 5


def test_a_conversion_of_which_no_graph_is_left_is_refused() -> None:
    document = read_document('{"id": "tea", "descriptions": [{"graphs": [[]]}]}', "f")
    with pytest.raises(CannotCarry, match="arrow can carry none of the graphs: item tea, graph 0: it has no triplets"):
        write_document(document, formats.by_name("arrow"), keep_going=True)


@pytest.mark.parametrize(("ending", "name"), [(".txt", "arrow"), (".JSON", "triplets"), (".jsonl", "narrative")])
def test_the_ending_of_a_file_chooses_its_format(ending: str, name: str) -> None:
    assert formats.by_ending(f"out{ending}").name == name


def test_an_unknown_ending_or_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        formats.by_ending("out.csv")
    assert ".graphml" in caught.value.hint
    with pytest.raises(UsageError, match="no format 'csv'"):
        formats.by_name("csv")


def test_converting_from_python_writes_the_file(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(lines(NARRATIVE))
    assert convert(tmp_path / "in.jsonl", tmp_path / "out.graphml").lost[0] == "texts of descriptions (1)"
    assert (tmp_path / "out.graphml").read_text().startswith("<?xml")


def test_generation_rows_say_what_they_leave_out() -> None:
    space = {"object": ["cup"], "relationship": ["verb"], "verb": ["wash"]}
    told = [{"text": "One.", "graphs": [GRAPH]}, {"graphs": [GRAPH, GRAPH]}, {"text": "The end."}]
    document = read_document(json.dumps({"id": "tea", "descriptions": told, "vocabulary": space}), "f")
    written = write_document(document, formats.by_name("sgg"))
    assert written.graphs == 1
    assert written.lost[1:] == ("graphs whose description has no text (2)", "texts behind the last graphs (1)")
