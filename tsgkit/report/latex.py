r"""Report as LaTeX tables for a paper: floats with caption, label and rules of booktabs.

>>> print(written(Document("", (Table(("f1",), ("subject", "f1"), (("a_b", "5.0"), ("c", "-"))),), ())), end="")
% Tables for \input. The preamble needs \usepackage{booktabs}.
<BLANKLINE>
\begin{table}[htbp]
\centering\footnotesize\setlength{\tabcolsep}{3pt}
\caption{F1.}
\label{tab:f1}
\par\smallskip
\begin{tabular}{@{}lr@{}}
\toprule
subject & f1 \\
\midrule
a\_b & 5.0 \\
c & -- \\
\bottomrule
\end{tabular}
\end{table}

A table that is wider than a column of a page spans both (``table*``). One that is wider than a page continues below,
one that is longer continues in another float. The caption names what is the same in all rows.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tsgkit.report.latex_text import breakable, comment, escaped, figure, interval, words
from tsgkit.report.paper_columns import FONT_SIZE, GAP, Column, PaperColumns, panels, shown
from tsgkit.report.plain_text import Foreign
from tsgkit.report.report_rows import Report
from tsgkit.report.tables import Document, Line, Table, document

PREAMBLE = r"Tables for \input. The preamble needs \usepackage{booktabs}."
COLUMN, PAGE = 195.0, 335.0
"""The least width of a column in two-column papers, and of a page, in points, less a margin for wrong estimates."""
LEAST_TEXT = 45.0
"""The least width of a column of text whose lines are broken."""
MOST_LINES, LEAST_LINES = 42, 10
"""How many lines of a table fit on a page below its caption, and how many a part has at least."""
LINE_OF_NOTES = 90
MOST_FLOATS = 16
"""LaTeX keeps only so many floats in mind."""
LONGEST_LABEL = 60


def write(report: Report) -> str:
    """Return the report as LaTeX."""
    return written(document(report))


def written(found: Document) -> str:
    """Return the tables of a document as LaTeX; its sources are comments."""
    lines = [comment(PREAMBLE), *(comment("".join(line)) for line in found.sources)]
    lines += [_left_out(table) for table in found.tables if not _has_values(table)]
    labels: dict[str, int] = {}
    for number, part in enumerate(_parts(found)):
        if number and number % MOST_FLOATS == 0:
            lines += ["", "\\clearpage"]
        lines += ["", *_float(part, _unique(_label(part.table), labels))]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Part:
    """A part of a table that fits on a page: some of its rows."""

    table: Table
    found: PaperColumns
    rows: slice
    number: int
    of: int
    notes: tuple[Line, ...]

    @property
    def is_last(self) -> bool:
        return self.number == self.of


@dataclass(frozen=True)
class _Layout:
    """The widths of a part: whether it spans two columns, and how wide each text column is, if its lines are broken."""

    is_wide: bool
    texts: dict[str, float]
    panels: tuple[tuple[Column, ...], ...]


def _parts(found: Document) -> Iterator[_Part]:
    """Yield all tables in parts; those with intervals say how to read them."""
    tables = [(table, shown(table)) for table in found.tables if _has_values(table)]
    told = [any(any(column.beside) for column in columns.columns) for _, columns in tables]
    if not any(told):
        told = [True] * len(tables)
    for (table, columns), says in zip(tables, told, strict=True):
        notes = (*table.notes, *(found.reading if says else ()))
        slices = _slices(columns, notes)
        for number, rows in enumerate(slices, 1):
            yield _Part(table, columns, rows, number, len(slices), notes)


def _has_values(table: Table) -> bool:
    """True unless a table for figures has none."""
    return table.words >= len(table.head) or any(not column.is_text for column in shown(table).columns)


def _left_out(table: Table) -> str:
    """Return why there is no table, and what all its rows have in common."""
    said = [f"{head}: {cell}" for head, cell in shown(table).same]
    return comment("; ".join([f"no values, so no table: {''.join(table.title)}", *said]))


def _slices(found: PaperColumns, notes: Sequence[Line]) -> list[slice]:
    """Return the rows that fit on a page each."""
    layout = _layout(found.columns)
    below = sum(math.ceil(len("".join(note)) / LINE_OF_NOTES) for note in notes)
    most = max(LEAST_LINES, (MOST_LINES - below) // len(layout.panels))
    begins, used = [0], 0
    many = len(found.columns[0].cells) if found.columns else 0
    for row in range(many):
        lines = max((_lines(column, row, layout) for column in found.columns if column.is_text), default=1)
        if used and used + lines > most:
            begins.append(row)
            used = 0
        used += lines
    return [slice(start, end) for start, end in zip(begins, [*begins[1:], many], strict=True)]


def _lines(column: Column, row: int, layout: _Layout) -> int:
    room = layout.texts.get(column.head)
    alone = Column("", (column.cells[row],), is_text=True)
    return 1 if room is None else math.ceil((alone.width - GAP) / room) or 1


def _layout(columns: Sequence[Column]) -> _Layout:
    total = sum(column.width for column in columns)
    if total <= PAGE:
        return _Layout(total > COLUMN, {}, (tuple(columns),))
    texts = [column for column in columns if column.is_text]
    figures = total - sum(column.width for column in texts)
    room = max(PAGE - figures, (LEAST_TEXT + GAP) * len(texts), PAGE / 3)
    widths = _shared(texts, min(room, sum(column.width for column in texts)))
    taken = sum(widths.get(column.head, column.width - GAP) + GAP for column in texts)
    return _Layout(True, widths, tuple(panels(columns, PAGE, taken)))


def _shared(texts: Sequence[Column], room: float) -> dict[str, float]:
    """Return the widths of the columns of text that are wider than their share of the room."""
    wide, narrow = list(texts), 0.0
    while wide:
        share = (room - narrow) / len(wide)
        fitting = [column for column in wide if column.width <= share]
        if not fitting:
            return {column.head: math.floor(share - GAP) for column in wide}
        narrow += sum(column.width for column in fitting)
        wide = [column for column in wide if column not in fitting]
    return {}


def _float(part: _Part, label: str) -> Iterator[str]:
    layout = _layout(part.found.columns)
    kind = "table*" if layout.is_wide else "table"
    yield f"\\begin{{{kind}}}[{'tbp' if layout.is_wide else 'htbp'}]"
    yield "\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}"
    yield f"\\caption{{{_caption(part)}}}"
    yield f"\\label{{{label}}}"
    for number, columns in enumerate(layout.panels):
        yield "\\par\\medskip" if number else "\\par\\smallskip"
        yield from _tabular(columns, part.rows, layout)
    if part.is_last and part.notes:
        yield "\\par\\smallskip"
        yield "\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright"
        yield "\\par\n".join(map(_line, part.notes))
        yield "\\end{minipage}"
    yield f"\\end{{{kind}}}"


def _caption(part: _Part) -> str:
    """Return the title, what all rows have in common, and which part of the table it is."""
    title = part.table.caption or part.table.title
    first = title[0] if isinstance(title[0], Foreign) else title[0][:1].upper() + title[0][1:]
    said = f"{_line((first, *title[1:]))}."
    if part.found.same:
        heads: dict[str, list[str]] = {}
        for head, cell in part.found.same:
            heads.setdefault(cell, []).append(head)
        common = "; ".join(f"{words(', '.join(names))}: {_line((cell,))}" for cell, names in heads.items())
        said += f" {'In all rows: ' if part.rows.stop > 1 else ''}{common}."
    if part.found.empty:
        said += f" No value: {words(', '.join(dict.fromkeys(part.found.empty)))}."
    return said if part.of == 1 else f"{said} Part {part.number} of {part.of}."


def _tabular(columns: Sequence[Column], rows: slice, layout: _Layout) -> Iterator[str]:
    yield f"\\begin{{tabular}}{{@{{}}{''.join(_spec(column, layout) for column in columns)}@{{}}}}"
    yield "\\toprule"
    yield " & ".join(map(_head, columns)) + " \\\\"
    yield "\\midrule"
    for row in zip(*(list(_cells(column, rows, layout)) for column in columns), strict=True):
        yield " & ".join(row) + (" \\tabularnewline" if layout.texts else " \\\\")
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _spec(column: Column, layout: _Layout) -> str:
    if column.head in layout.texts and column.is_text:
        return f"p{{{layout.texts[column.head]:.0f}pt}}"
    return "l" if column.is_text else "r@{\\,}l" if any(column.beside) else "r"


def _head(column: Column) -> str:
    head = words(column.head) if not isinstance(column.head, Foreign) else escaped(column.head)
    return f"\\multicolumn{{2}}{{c}}{{{head}}}" if any(column.beside) else head


def _cells(column: Column, rows: slice, layout: _Layout) -> Iterator[str]:
    if column.is_text:
        room = layout.texts.get(column.head)
        yield from (_text(cell, room) for cell in column.cells[rows])
    elif any(column.beside):
        for cell, beside in zip(column.cells[rows], column.beside[rows], strict=True):
            yield f"{figure(cell)} & {interval(beside)}"
    else:
        yield from map(figure, column.cells[rows])


def _text(cell: str, room: float | None) -> str:
    """Return a cell of text, in lines where its column is only so many points wide."""
    if room is not None:
        return f"\\raggedright\\hspace{{0pt}}{breakable(cell, room / FONT_SIZE)}"
    return figure(cell) if cell in ("", "-") else escaped(cell)


def _line(pieces: Line) -> str:
    """Return a line of text, of which long names may be broken."""
    return "".join(breakable(piece) if isinstance(piece, Foreign) else words(piece) for piece in pieces)


def _label(table: Table) -> str:
    """Return the label of a table: lower-case letters, digits and hyphens.

    >>> _label(Table((), (), (), label="tsg/sgqa by k"))
    'tab:tsg-sgqa-by-k'
    """
    plain = unicodedata.normalize("NFKD", table.label or "".join(table.title))
    words = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode().lower())
    return f"tab:{words[:LONGEST_LABEL].strip('-') or 'table'}"


def _unique(label: str, labels: dict[str, int]) -> str:
    """Return the label, numbered where there is one like it already."""
    labels[label] = labels.get(label, 0) + 1
    return label if labels[label] == 1 else f"{label}-{labels[label]}"
