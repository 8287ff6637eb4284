"""Report in Markdown.

>>> shown(Foreign("a|b`c")), shown("95 % interval")
('`a\\\\x7cb\\\\x60c`', '95 % interval')

Foreign text is put into code spans, where no link, mention, image or HTML works; the two characters that end a span or
a cell are escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.table import Cell, Document, Line, Table

ENDING = str.maketrans({"|": "\\x7c", "`": "\\x60"})
SPECIAL = str.maketrans({letter: f"\\{letter}" for letter in "\\`*<>|#"})


def written(found: Document) -> str:
    """Return a document as Markdown."""
    heading = f"# {found.title}\n\n" if len(found.tables) > 1 else ""
    return f"{heading}{body(found)}\n"


def body(document: Document) -> str:
    """Return a document without its heading."""
    blocks = [_list(document.lead), *("\n".join(table(one)) for one in document.tables), _list(document.notes)]
    return "\n\n".join(filter(None, blocks))


def table(one: Table) -> Iterator[str]:
    """Yield a table under its heading, with its notes."""
    yield f"## {line(one.title)}"
    yield ""
    yield _row(tuple(shown(head.replace("\n", " ")) for head in one.head))
    yield _row(tuple(":--" if place < one.words else "--:" for place in range(len(one.head))))
    yield from (_row(tuple(map(shown, row))) for row in one.rows)
    if one.notes:
        yield ""
        yield _list(one.notes)


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
    return "\n".join(f"- {line(one)}" for one in lines)
