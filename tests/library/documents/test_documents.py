"""Any file of graphs becomes a document with findings in their places, written in any format without silent loss."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from refusals import refusal
from samples import FORMATS, GRAPH, NARRATIVE, SGDS, SGG, SGQA, WASH, lines
from shipped import OFFICIAL_DATA, needs_official_data
from tsg_tasks import samples_of

from tsgkit.errors import CannotCarry, FileProblem, UsageError
from tsgkit.graph import Vocabulary
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.library.documents import formats
from tsgkit.library.documents.lint import FileReport, check, check_document, report_value
from tsgkit.library.documents.reader import Document, entry_stream, read_document, read_file
from tsgkit.library.documents.rows import Entry
from tsgkit.library.documents.writer import Written, convert, write_document


def graphs_in(document: Document) -> list[tuple[Triplet, ...]]:
    return [graph.triplets for entry in document.entries for graph in entry.narrative.graphs]


def written_as(target: str, text: str) -> Written:
    return write_document(read_document(text, "f"), formats.by_name(target))


def codes(document: Document) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.place.line) for finding in document.findings]


def test_the_format_is_told_from_the_content_and_a_row_is_a_narrative_with_its_texts_and_candidates() -> None:
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


def test_items_of_json_lines_are_read_when_they_are_needed_and_are_those_of_the_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "f"
    for text in (*FORMATS.values(), *(2 * text for text in FORMATS.values()), lines(SGQA, 1, SGQA) + "{"):
        file.write_text(text, "utf-8")
        document, stream = read_document(text, str(file)), entry_stream(file)
        parts = list(stream.parts)
        findings = [one for one in document.findings if one.code != "repeated-id"]
        assert [one for one in parts if not isinstance(one, Entry)] == findings, text
        assert [one for one in parts if isinstance(one, Entry)] == list(document.entries), text
        assert stream.format == document.format
    file.write_text(FORMATS["narrative"] * 3_000)
    tracemalloc.start()
    assert sum(1 for _ in entry_stream(file).parts) == entry_stream(file).size
    assert tracemalloc.get_traced_memory()[1] < file.stat().st_size / 5
    tracemalloc.stop()


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
        (SGQA | {"qa_pairs": [{"Q": "?"}]}, "qa_pairs.0.A"), (SGDS | {"position": "1"}, "position"),
        ({"variations": []}, "context_graphs"), (SGG | {"mandatory_space": {"object": []}}, "relationship"),
        (SGG | {"context": 3}, "context"), (SGG | {"graphs": [{"triplets": [["a", "b", 3]]}]}, "graphs.0.triplets.0.2"),
    ]  # fmt: skip
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


def test_text_that_is_not_exact_has_findings_and_a_broken_part_does_not_cost_what_stands_beside_it() -> None:
    document = read_document("Sure:\n- person -> verb -> wash\n- a -> b\n", "f.txt")
    assert codes(document) == [("ignored-line", 1), ("repaired-line", 2), ("unread-line", 3)]
    assert document.entries[0].triplet_lines == ((2,),)
    for form, text in REPLIES.items():
        for file in ("f", "f.json", "f.jsonl"):
            document = read_document(text, file)
            assert document.entries[0].narrative.graphs == (WASH,) and document.findings, form
    document = read_document(json.dumps([GRAPH, [["a", "b"], *GRAPH], 3, GRAPH]), "f")
    assert document.format == "triplets"
    assert [len(graph) for graph in document.entries[0].narrative.graphs] == [3, 3, 0, 3]
    assert [(finding.place.graph, finding.message) for finding in document.findings] == [
        (1, "triplet 1: expected three strings, found a list of 2"),
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
    written = [written_as(form, FORMATS["arrow"]).text for form in ("dot", "mermaid")]
    assert all(text.count("wash") >= 2 for text in written)
    never_read = "DOT and Mermaid are written, never read"
    for text, message in (
        (" \n", "empty"),
        ("[" * 200_000, "nested too deeply"),
        *((text, never_read) for text in written),
    ):
        assert message in refusal(FileProblem, read_document, text, "f"), message


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


def test_in_rows_findings_know_line_and_item_hands_and_a_vocabulary_from_outside() -> None:
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
    own = {"object": ["Cup"], "relationship": [], "verb": ["wash"]}
    texts = [{"descriptions": [{"graphs": [BAD]}], "id": "a"}, {"descriptions": [{"graphs": [BAD]}], "vocabulary": own}]
    found = checked(lines(*texts), Vocabulary(("cup",), (), ("wash",))).findings
    assert [(one.place.item, one.hint) for one in found if one.code == "out-of-vocabulary"] == [("a", "cup?")]
    space = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
    wash = {"triplets": [["person", "verb", "wash"], ["wash", "dobj", "cup"]]}
    cases: dict[tuple[int, ...], list[int]] = {(2, 1, 3): [2], (1, 1): [], (2, 2): [], (1, 1, 2): []}
    for ks, single in cases.items():
        several = [{"context": "", "target_sentence": "x", "mandatory_space": space, "graphs": [wash] * k} for k in ks]
        told = [(one.code, one.severity, one.place.line) for one in checked(lines(*several)).findings]
        assert told == [("single-graph", "warning", line) for line in single], ks


SPACE = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
GRAPH_FORMATS = ["arrow", "triplets", "triplet-lines", "narrative", "node-link", "graphml"]


def test_graphs_go_from_every_format_to_every_other_and_to_the_same_without_loss() -> None:
    for source, text in FORMATS.items():
        document = read_document(text, "f")
        for target in GRAPH_FORMATS:
            again = read_document(write_document(document, formats.by_name(target)).text, "f")
            assert graphs_in(again) == graphs_in(document), source
        if formats.by_name(source).writes:
            written = write_document(document, formats.by_name(source))
            assert (written.lost, read_document(written.text, "f")) == ((), document), source
    for row in (SGQA, SGDS, SGG, SGG | {"extra": {"é": [1.5, None]}}):
        text = json.dumps(row, ensure_ascii=False) + "\n"
        document = read_document(text, "f")
        assert write_document(document, formats.by_name(document.format)).text == text
    assert written_as("narrative", FORMATS["easg"]).lost == ()


def test_losses_are_counted_and_incomplete_items_refused() -> None:
    assert written_as("arrow", lines(SGDS, SGDS)).lost == (
        "texts of descriptions (2)",
        "borders between narratives (1)",
        "borders between descriptions (2)",
        "other fields of rows, such as questions and candidates (2)",
        "graphs beside the narratives (10)",
    )
    told = [{"text": "One.", "graphs": [GRAPH]}, {"graphs": [GRAPH, GRAPH]}, {"text": "The end."}]
    written = written_as("sgg", lines({"id": "tea", "descriptions": told, "vocabulary": SPACE}))
    assert written.graphs == 1
    assert written.lost[1:] == ("graphs whose description has no text (2)", "texts behind the last graphs (1)")
    rows: list[tuple[str, str, str]] = [
        ("arrow", "easg", "read, never written"),
        ("arrow", "sgqa", "need questions"),
        ("sgqa", "sgds", "need candidates"),
        ("narrative", "sgg", "item tea has no vocabulary"),
        ("sgqa", "sgg", "no vocabulary"),
    ]
    for source, target, message in rows:
        with pytest.raises(CannotCarry, match=message):
            written_as(target, FORMATS[source])


def test_a_told_narrative_becomes_generation_rows_and_python_writes_a_file_or_nothing(tmp_path: Path) -> None:
    told = [{"text": "One.", "graphs": [GRAPH]}, {"text": "Silence."}, {"text": "Two.", "graphs": [GRAPH, GRAPH]}]
    written = written_as("sgg", lines({"id": "tea", "descriptions": told, "vocabulary": SPACE}))
    rows = [json.loads(line) for line in written.text.splitlines()]
    found = [(row["item_id"], row["context"], len(row["graphs"])) for row in rows]
    assert found == [("tea/0", [], 1), ("tea/2", ["One.", "Silence."], 2)]
    assert rows[1]["mandatory_space"] == SPACE
    told_once = {"descriptions": [{"text": "She washes it.", "graphs": [GRAPH]}], "vocabulary": SGG["mandatory_space"]}
    written = written_as("sgg", lines(told_once, told_once, told_once | {"id": "tea"}))
    assert [json.loads(line)["item_id"] for line in written.text.splitlines()] == ["0/0", "1/0", "tea/0"]
    assert len(samples_of(read_document(written.text, "f"), "sa-sgg")) == 3
    (tmp_path / "in.json").write_text(json.dumps([[["place", "down", ""]]]))
    with pytest.raises(CannotCarry, match="item 0, graph 1: arrow text cannot carry the name '': it is empty"):
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
EMPTY = lines(*(narrative | {"vocabulary": SPACE} for narrative in TOLD))
HALF = json.loads('"half \\ud800"')


def test_a_graph_without_triplets_is_carried_where_it_can_be_and_costs_itself_alone_elsewhere() -> None:
    for target in ("arrow", "sgg"):
        written = written_as(target, EMPTY)
        assert (graphs_in(read_document(written.text, "f")), written.graphs) == ([WASH.triplets] * 2, 2), target
        assert [(str(left), left.is_empty) for left in written.left_out] == [
            (f"item tea, graph {number}: it has no triplets", True) for number in (2, 3, 1)
        ], target
    rows = read_document(written.text, "f")
    assert [sample.item_id for sample in samples_of(rows, "sa-sgg")] == ["tea/0", "tea/1"]
    for target in ["triplets", "triplet-lines", "narrative", "node-link", "graphml", "dot", "mermaid"]:
        written = written_as(target, EMPTY)
        assert (written.graphs, written.left_out) == (5, ()), target
    document = read_document('{"nodes": [], "edges": []}\n{"nodes": [], "edges": []}', "empty.jsonl")
    again_empty = read_document(write_document(document, formats.by_name("triplet-lines")).text, "again.jsonl")
    assert [entry.graphs for entry in again_empty.entries] == [(ActionGraph(),), (ActionGraph(),)]
    document = read_document('{"id": "tea", "descriptions": [{"graphs": [[]]}]}', "f")
    with pytest.raises(CannotCarry, match="arrow can carry none of the graphs: item tea, graph 1: it has no triplets"):
        write_document(document, formats.by_name("arrow"), keep_going=True)


def test_a_graph_or_text_that_cannot_be_carried_stops_the_conversion_unless_it_may_be_left_out() -> None:
    names = {"arrow": "arrow text", "graphml": "GraphML", "dot": "DOT", "mermaid": "Mermaid"}
    rows = [(target, BELL, f"{name} cannot carry the name 'bell\\x07'") for target, name in names.items()]
    others = ("triplets", "triplet-lines", "narrative", "node-link", "sgg")
    rows += [(target, [["person", "verb", HALF]], "cannot carry the name 'half \\ud800'") for target in others]
    for target, bad, reason in rows:
        told = [{"text": "One.", "graphs": [GRAPH, GRAPH]}, {"text": "Two.", "graphs": [GRAPH, bad]}]
        first = {"id": "tea", "descriptions": told[:1], "vocabulary": SPACE}
        document = read_document(lines(first, {"id": "pot", "descriptions": told, "vocabulary": SPACE}), "f")
        with pytest.raises(CannotCarry) as caught:
            write_document(document, formats.by_name(target))
        assert str(caught.value).startswith("item pot, graph 4: "), target
        assert reason in str(caught.value), target
        assert "--keep-going" in caught.value.hint, target
        written = write_document(document, formats.by_name(target), keep_going=True)
        assert [(left.item, left.graph, left.is_empty) for left in written.left_out] == [("pot", 3, False)], target
        assert written.graphs == 5, target
        assert written.text.count("cup") >= 5, target
    row = '{"data_id": "\\ud83d", "context_graphs": [[["person", "verb", "wash"]]], "qa_pairs": []}'
    for text, format in [('[["person", "verb", "\\ud83d"]]', "triplet-lines"), (row, "sgqa"), (row, "narrative")]:
        document = read_document(text, "half.jsonl")
        assert "surrogate" in refusal(CannotCarry, write_document, document, formats.by_name(format)), format


SGDS_FILE, SGQA_FILE = (OFFICIAL_DATA / f"tsg_{task}_sample.jsonl" for task in ("sgds", "sgqa"))
EASG_FILE = OFFICIAL_DATA / "easg_sample.json"


def graphs_counted_by_hand(path: Path) -> list[list[object]]:
    """Return every graph of a published file, straight from its JSON; EASG_FILE's both_hands are two triplets here."""
    text = path.read_text(encoding="utf-8")
    if path == EASG_FILE:
        texts = [graph[3][0] for clip in json.loads(text).values() for graph in clip["graphs"]]
        return [[*one.split(";"), *["both"] * one.count("both_hands")] for one in texts]
    graphs: list[list[object]] = []
    for row in map(json.loads, text.splitlines()):
        graphs += [*row["context_graphs"], *([row["triplet"]] if "triplet" in row else [])]
        graphs += row.get("variation_triplets", [])
    return graphs


@needs_official_data
def test_the_files_are_understood_completely_and_come_back_byte_for_byte() -> None:
    for path, name, items in ((SGDS_FILE, "sgds", 12), (SGQA_FILE, "sgqa", 6), (EASG_FILE, "easg", 3)):
        report, graphs = check(path), graphs_counted_by_hand(path)
        found = (report.format, report.narratives, report.graphs, report.triplets)
        assert found == (name, items, len(graphs), sum(map(len, graphs))), path
        assert not {"broken-line", "broken-file", "other-format", "unread-part"} & set(report.counts), path
        if path != EASG_FILE:
            document = read_file(path)
            written = write_document(document, formats.by_name(document.format))
            assert written.text == path.read_text(encoding="utf-8"), path
    graphs_of_clips = [graph for entry in read_file(EASG_FILE).entries for graph in entry.narrative.graphs]
    hands = {triplet.target for graph in graphs_of_clips for triplet in graph if triplet.edge == "with"}
    assert hands == {"hand1", "hand2"}


@needs_official_data
def test_the_known_slips_of_the_rows_are_found() -> None:
    places: dict[str, list[tuple[str | None, int | None]]] = {}
    for finding in check(SGQA_FILE).findings:
        places.setdefault(finding.code, []).append((finding.place.item, finding.place.graph))
    misspelt_row = [("1", graph) for graph in range(19)]
    assert places["edge-misspelt"] == places["no-action"] == places["dobj-source"] == misspelt_row
    assert (places["empty-name"], places["edge-kind-word"]) == ([("3", 7)], [("4", 11)])
    assert (places["not-a-preposition"], places["hand-name"]) == ([("3", 9), ("3", 11)], [("3", 20)])
    assert [one.place.item for one in check(SGDS_FILE).findings if one.code == "few-candidates"] == ["4"]
