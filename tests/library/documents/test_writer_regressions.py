"""Documents that were once written wrongly."""

from __future__ import annotations

import pytest

from tsgkit.errors import CannotCarry
from tsgkit.graph.model import ActionGraph
from tsgkit.library.documents.formats import by_name
from tsgkit.library.documents.reader import read_document
from tsgkit.library.documents.writer import write_document

ROW = '{"data_id": "\\ud83d", "context_graphs": [[["person", "verb", "wash"]]], "qa_pairs": []}'


@pytest.mark.parametrize(
    ("text", "format"), [('[["person", "verb", "\\ud83d"]]', "triplet-lines"), (ROW, "sgqa"), (ROW, "narrative")]
)
def test_a_document_with_text_that_no_file_can_hold_is_refused(text: str, format: str) -> None:
    with pytest.raises(CannotCarry, match="surrogate"):
        write_document(read_document(text, "half.jsonl"), by_name(format))


def test_a_graph_without_triplets_on_a_line_of_its_own_is_read_again() -> None:
    document = read_document('{"nodes": [], "edges": []}\n{"nodes": [], "edges": []}', "empty.jsonl")
    written = write_document(document, by_name("triplet-lines")).text
    again = read_document(written, "again.jsonl")
    assert [entry.graphs for entry in again.entries] == [(ActionGraph(),), (ActionGraph(),)]
