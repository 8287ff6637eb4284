"""Report in Markdown.

>>> shown(Foreign("a|b`c")), shown("95 % interval")
('`a\\\\x7cb\\\\x60c`', '95 % interval')

Foreign text is put into code spans, where no link, mention, image or HTML works; the two characters that end a span or
a cell are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.table import Cell, Line, ReportDocument, Table

ENDING = str.maketrans({"|": "\\x7c", "`": "\\x60"})
SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*<>|#"})


def written(document: ReportDocument) -> str:
    """Return a document as Markdown."""
    heading = f"# {document.title}\n\n" if len(document.tables) > 1 else ""
    return f"{heading}{body(document)}\n"


def body(document: ReportDocument) -> str:
    """Return a document without its heading."""
    tables = ("\n".join(table(content)) for content in document.tables)
    return "\n\n".join(filter(None, [_list(document.lead), *tables, _list(document.notes)]))


def table(content: Table) -> Iterator[str]:
    """Yield a table under its heading, with its notes."""
    yield f"## {line(content.title)}"
    yield ""
    yield _row(tuple(shown(head.replace("\n", " ")) for head in content.head))
    yield _row(tuple(":--" if column < content.words else "--:" for column in range(len(content.head))))
    yield from (_row(tuple(map(shown, row))) for row in content.rows)
    if content.notes:
        yield ""
        yield _list(content.notes)


def shown(text: Cell) -> str:
    """Return a cell."""
    if not isinstance(text, Foreign):
        return inert(str(text)).translate(SPECIAL)
    clean = inert(text).translate(ENDING)
    return f"`{clean}`" if clean.strip() else "(blank)"


def line(pieces: Line) -> str:
    """Return a line of text."""
    return "".join(map(shown, pieces))


def _row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"


def _list(lines: tuple[Line, ...]) -> str:
    return "\n".join(f"- {line(pieces)}" for pieces in lines)
