"""A document of tables as an HTML page in one file, in the look of a report.

>>> from tsgkit.report.table import Table
>>> found = Document("Styles", (Table(("a < b",), ("subject",), (("x",),)),), ())
>>> "<h2>a &lt; b</h2>" in written(found)
True
"""

from __future__ import annotations

from tsgkit.report import html
from tsgkit.report.html import tag
from tsgkit.report.table import Document


def written(found: Document) -> str:
    """Return the page of a document."""
    about = html.section("About these tables", html.listed(map(html.line, found.notes)))
    return html.whole_page(
        found.title, *(tag("section", html.drawn_up(table, level=2)) for table in found.tables), about
    )


def fragment(found: Document) -> str:
    """Return the tables and notes of a document as part of a page."""
    return "".join(map(html.drawn_up, found.tables)) + html.listed(map(html.line, found.notes))
