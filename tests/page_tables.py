"""The tables of a page as a reader sees them: headings and cells as text."""

from __future__ import annotations

from html.parser import HTMLParser


class Tables(HTMLParser):
    """The tables of a page: for each one the rows of its cells, the headings first."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._in_cell = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.tables[-1][-1][-1] += data


def empty_columns(source: str) -> list[str]:
    """Return the headings of columns in which no row says anything."""
    return [
        rows[0][place]
        for rows in Tables(source).tables
        if len(rows) > 1
        for place in range(1, len(rows[0]))
        if all(row[place].strip() in ("", "-") for row in rows[1:])
    ]
