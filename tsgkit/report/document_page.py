"""A document of tables as an HTML page in one file, in the look of a report.

>>> from tsgkit.report.tables import Table
>>> found = Document("Styles", (Table(("a < b",), ("subject",), (("x",),)),), ())
>>> "<h2>a &lt; b</h2>" in written(found)
True
"""

from __future__ import annotations

from collections.abc import Iterable

from tsgkit.graph.drawing.svg import Markup
from tsgkit.report import html
from tsgkit.report.tables import Document, Line, Table


def written(found: Document) -> str:
    """Return the page of a document."""
    about = html.section("About these tables", _listed(found.notes))
    return html.whole_page(found.title, *map(_section, found.tables), about)


def _section(one: Table) -> Markup:
    rows = [[html.name(cell) for cell in row] for row in one.rows]
    return html.section("".join(one.title), html.table(one.head, rows, as_cards=False), _listed(one.notes))


def _listed(lines: Iterable[Line]) -> Markup:
    return html.listed(html.name("".join(line)) for line in lines)
