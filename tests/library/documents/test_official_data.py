"""The published rows, where a folder with them is given: read whole, written back to the byte, their slips found."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from tsgkit.library.documents import formats
from tsgkit.library.documents.lint import check
from tsgkit.library.documents.reader import read_file
from tsgkit.library.documents.writer import write_document

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
SGDS = Path(FOLDER, "tsg_sgds_sample.jsonl")
SGQA = Path(FOLDER, "tsg_sgqa_sample.jsonl")
EASG = Path(FOLDER, "easg_sample.json")


def test_every_row_comes_back_byte_for_byte() -> None:
    rows: list[Path] = [SGDS, SGQA]
    for path in rows:
        document = read_file(path)
        assert write_document(document, formats.by_name(document.format)).text == path.read_text(encoding="utf-8"), path


def graphs_counted_by_hand(path: Path) -> list[list[object]]:
    """Return every graph of a published file, straight from its JSON; EASG's both_hands are two triplets here."""
    if path == EASG:
        clips = json.loads(path.read_text(encoding="utf-8")).values()
        texts = [graph[3][0] for clip in clips for graph in clip["graphs"]]
        return [[*text.split(";"), *["both"] * text.count("both_hands")] for text in texts]
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        graph
        for row in rows
        for graph in (*row["context_graphs"], *([row["triplet"]] if "triplet" in row else []),
                      *row.get("variation_triplets", []))
    ]  # fmt: skip


def test_the_files_are_understood_completely() -> None:
    rows: list[tuple[Path, str, int]] = [(SGDS, "sgds", 12), (SGQA, "sgqa", 6), (EASG, "easg", 3)]
    for path, name, items in rows:
        report, graphs = check(path), graphs_counted_by_hand(path)
        assert (report.format, report.narratives) == (name, items), (path, name, items)
        assert (report.graphs, report.triplets) == (len(graphs), sum(map(len, graphs))), (path, name, items)
        assert not {"broken-line", "broken-file", "other-format", "unread-part"} & set(report.counts), (
            path,
            name,
            items,
        )


def test_the_known_slips_of_the_question_rows_are_found() -> None:
    places: dict[str, list[tuple[str | None, int | None]]] = {}
    for finding in check(SGQA).findings:
        places.setdefault(finding.code, []).append((finding.place.item, finding.place.graph))
    misspelt_row = [("1", graph) for graph in range(19)]
    assert places["edge-misspelt"] == places["no-action"] == places["dobj-source"] == misspelt_row
    assert places["empty-name"] == [("3", 7)]
    assert places["not-a-preposition"] == [("3", 9), ("3", 11)]
    assert places["edge-kind-word"] == [("4", 11)]
    assert places["hand-name"] == [("3", 20)]


def test_the_known_slips_of_the_selection_rows_are_found() -> None:
    report = check(SGDS)
    assert [(finding.place.item, finding.code) for finding in report.findings if finding.code == "few-candidates"] == [
        ("4", "few-candidates")
    ]


def test_the_hands_of_easg_clips_follow_the_rule() -> None:
    hands = Counter(
        triplet.target
        for entry in read_file(EASG).entries
        for graph in entry.narrative.graphs
        for triplet in graph
        if triplet.edge == "with"
    )
    assert set(hands) == {"hand1", "hand2"}
