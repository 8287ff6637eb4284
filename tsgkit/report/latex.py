r"""Report as LaTeX tables for the body of a document: plain ``tabular``, without packages.

>>> print(escaped(r"50 % \input{x} é茶"))
50 \% \textbackslash{}input\{x\} \'{e}{[}U+8336{]}
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from tsgkit.report.plain_text import inert
from tsgkit.report.report_rows import Report
from tsgkit.report.tables import Line, Table, document

SPECIAL = {
    **{letter: f"\\{letter}" for letter in "{}$&#_%"},
    **{letter: f"{{{letter}}}" for letter in "[]*"},
    **{letter: f"{letter}{{}}" for letter in "-'?!"},
    "\\": "\\textbackslash{}",
    "^": "\\^{}",
    "~": "\\~{}",
    "`": "\\`{}",
    '"': "\\char34{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
}
"""Characters to escape. Brackets and stars matter at line ends, and some pairs form ligatures."""
ACCENTS = {"\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030a": "r", "\u030c": "v"}


def write(report: Report) -> str:
    """Return the report as LaTeX."""
    found = document(report)
    return "\n".join([*("\n".join(_table(table)) + "\n" for table in found.tables), *map(_paragraph, found.notes)])


def escaped(text: str) -> str:
    """Return text that LaTeX shows as it is; letters beyond ASCII and its accents by their number."""
    return "".join(map(_letter, inert(text)))


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    if letter.isascii():
        return letter
    base, accent = (*unicodedata.normalize("NFD", letter), "", "")[:2]
    if base.isascii() and base.isalpha() and base not in "ij" and accent in ACCENTS and letter != base:
        return f"\\{ACCENTS[accent]}{{{base}}}"
    return f"{{[}}U+{ord(letter):04X}{{]}}"


def _table(table: Table) -> Iterator[str]:
    yield f"\\par\\noindent\\textbf{{{line(table.title)}}}\\par\\nopagebreak"
    yield f"\\noindent\\begin{{tabular}}{{{''.join('l' if p < table.words else 'r' for p in range(len(table.head)))}}}"
    yield "\\hline"
    yield _row(table.head)
    yield "\\hline"
    yield from map(_row, table.rows)
    yield "\\hline"
    yield "\\end{tabular}"
    yield from map(_paragraph, table.notes)


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(map(escaped, cells)) + " \\\\"


def line(pieces: Line) -> str:
    """Return a line of text."""
    return "".join(map(escaped, pieces))


def _paragraph(pieces: Line) -> str:
    return f"\\par\\noindent {line(pieces)}"
