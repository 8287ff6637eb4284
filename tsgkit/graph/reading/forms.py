"""Multi-line forms: YAML, tables with a header, Mermaid, DOT, tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tsgkit.graph.reading.cypher import cypher_at
from tsgkit.graph.reading.dot import digraph_at
from tsgkit.graph.reading.entries import entries_at, mapping_at
from tsgkit.graph.reading.line_content import Form
from tsgkit.graph.reading.mermaid import flowchart_at
from tsgkit.graph.reading.tables import table_at
from tsgkit.graph.reading.tags import tagged_at

FORMS: tuple[Callable[[Sequence[str], int], Form], ...] = (
    flowchart_at,
    cypher_at,
    digraph_at,
    tagged_at,
    table_at,
    entries_at,
    mapping_at,
)


def form_at(lines: Sequence[str], at: int) -> Form:
    """Return the form that begins on a line, empty where none does."""
    for read_form in FORMS:
        if form := read_form(lines, at):
            return form
    return []
