"""The published rows, where a folder with them is given: read whole, written back to the byte, their slips found."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tsgkit.library.documents import formats
from tsgkit.library.documents.lint import check
from tsgkit.library.documents.reader import read_file
from tsgkit.library.documents.writer import write_document

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
SGDS, SGQA = (Path(FOLDER, f"tsg_{task}_sample.jsonl") for task in ("sgds", "sgqa"))
EASG = Path(FOLDER, "easg_sample.json")


def graphs_counted_by_hand(path: Path) -> list[list[object]]:
    """Return every graph of a published file, straight from its JSON; EASG's both_hands are two triplets here."""
    text = path.read_text(encoding="utf-8")
    if path == EASG:
        texts = [graph[3][0] for clip in json.loads(text).values() for graph in clip["graphs"]]
        return [[*one.split(";"), *["both"] * one.count("both_hands")] for one in texts]
    graphs: list[list[object]] = []
    for row in map(json.loads, text.splitlines()):
        graphs += [*row["context_graphs"], *([row["triplet"]] if "triplet" in row else [])]
        graphs += row.get("variation_triplets", [])
    return graphs


def test_the_files_are_understood_completely_and_come_back_byte_for_byte() -> None:
    for path, name, items in ((SGDS, "sgds", 12), (SGQA, "sgqa", 6), (EASG, "easg", 3)):
        report, graphs = check(path), graphs_counted_by_hand(path)
        found = (report.format, report.narratives, report.graphs, report.triplets)
        assert found == (name, items, len(graphs), sum(map(len, graphs))), path
        assert not {"broken-line", "broken-file", "other-format", "unread-part"} & set(report.counts), path
        if path != EASG:
            document = read_file(path)
            written = write_document(document, formats.by_name(document.format))
            assert written.text == path.read_text(encoding="utf-8"), path
    graphs_of_clips = [graph for entry in read_file(EASG).entries for graph in entry.narrative.graphs]
    hands = {triplet.target for graph in graphs_of_clips for triplet in graph if triplet.edge == "with"}
    assert hands == {"hand1", "hand2"}


def test_the_known_slips_of_the_rows_are_found() -> None:
    places: dict[str, list[tuple[str | None, int | None]]] = {}
    for finding in check(SGQA).findings:
        places.setdefault(finding.code, []).append((finding.place.item, finding.place.graph))
    misspelt_row = [("1", graph) for graph in range(19)]
    assert places["edge-misspelt"] == places["no-action"] == places["dobj-source"] == misspelt_row
    assert (places["empty-name"], places["edge-kind-word"]) == ([("3", 7)], [("4", 11)])
    assert (places["not-a-preposition"], places["hand-name"]) == ([("3", 9), ("3", 11)], [("3", 20)])
    assert [one.place.item for one in check(SGDS).findings if one.code == "few-candidates"] == ["4"]
