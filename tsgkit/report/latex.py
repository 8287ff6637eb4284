r"""Tables in LaTeX for a paper: floats with caption, label and rules of booktabs.

>>> print(written(ReportDocument("", (Table(("f1",), ("subject", "f1"), (("a_b", "5.0"), ("c", "-"))),), ())), end="")
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

Columns without content are left out; what is the same in all rows stands in the caption. A table that is wider than a
column of a page spans both (``table*``). Where even that is too narrow, intervals go below their values, then long
names are broken, then the columns that matter least are left out. Short notes stand below a table, three at most; all
others are comments. A table that is longer than a page continues in another float.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from tsgkit.report.figures import NOTHING, Estimate
from tsgkit.report.latex_text import breakable, comment, escaped, figure, interval, width, words
from tsgkit.report.plain_text import Foreign
from tsgkit.report.table import LEAST_NEEDED, Cell, Line, ReportDocument, Table

PREAMBLE = r"Tables for \input. The preamble needs \usepackage{booktabs}."
COLUMN, PAGE = 195.0, 335.0
"""The least width of a column in two-column papers, and of a page, in points, less a margin for wrong estimates."""
LEAST_TEXT = 45.0
"""The least width of a column of text whose lines are broken."""
FONT_SIZE, SMALL_SIZE = 8.6, 8.1
"""Sizes of the letters of cells and intervals in points, generous, since Computer Modern is wider when small."""
GAP = 6.0
"""The space between two columns in points."""
MOST_LINES, LEAST_LINES = 42, 10
"""The most lines of a table that fit on a page below its caption, and the fewest of a part."""
MOST_NOTES = 3
LONGEST_NOTE = 48.0
"""The width of a note that fits on one line of a page, in em."""
MOST_FLOATS = 16
"""LaTeX keeps only so many floats in mind."""
LONGEST_LABEL = 60
EMPTY = frozenset({"", NOTHING})


@dataclass(frozen=True)
class LatexColumn:
    """A column of a table: text, or figures with their intervals beside them."""

    head: str
    cells: tuple[Cell, ...]
    is_text: bool

    @property
    def name(self) -> str:
        """The last line of the head; the one above names its group."""
        return self.head.rpartition("\n")[2]

    @property
    def texts(self) -> tuple[str, ...]:
        """The cells without intervals and marks."""
        return tuple(cell.value if isinstance(cell, Estimate) else cell for cell in self.cells)

    @property
    def intervals(self) -> tuple[str, ...]:
        """The interval of each cell."""
        return tuple(cell.interval if isinstance(cell, Estimate) else "" for cell in self.cells)

    @property
    def marked(self) -> tuple[str, ...]:
        """The cells without intervals, with their marks."""
        return tuple(str(replace(cell, interval="")) if isinstance(cell, Estimate) else cell for cell in self.cells)

    def width(self, *, is_stacked: bool = False) -> float:
        """Return roughly the width in points; ``is_stacked``: intervals stand below their values."""
        value = max(map(width, self.marked), default=0) * FONT_SIZE
        small = max(map(width, self.intervals), default=0) * SMALL_SIZE
        return max(width(self.name) * FONT_SIZE, max(value, small) if is_stacked else value + small) + GAP

    @property
    def is_empty(self) -> bool:
        """True if no cell says anything."""
        return EMPTY.issuperset(self.texts)

    @property
    def is_same(self) -> bool:
        """True if one cell is enough for all rows: the same words, or the same count in several rows."""
        if len(set(self.texts)) != 1 or any(self.intervals) or self.marked != self.texts:
            return False
        has_figures = not self.is_text and re.search(r"\d", self.texts[0])
        is_count = re.fullmatch(r"[\d,]+", self.texts[0]) and (len(self.cells) > 1 or self.texts[0] == "0")
        return bool(is_count) if has_figures else True


@dataclass
class _Layout:
    """The columns that a table shows, words about the others, and the widths of broken texts."""

    columns: list[LatexColumn]
    heading: LatexColumn | None
    """The column that stands above its rows instead, since several of them have the same cell."""
    same: list[tuple[str, str]]
    empty: list[str]
    left_out: list[str] = field(default_factory=list)
    is_wide: bool = False
    is_stacked: bool = False
    texts: dict[str, float] = field(default_factory=dict)

    def begins_block(self, row: int) -> bool:
        """True if the heading above a row differs from the one before."""
        return self.heading is not None and (not row or self.heading.texts[row] != self.heading.texts[row - 1])

    def span(self, columns: Iterable[LatexColumn]) -> int:
        """Return how many columns of LaTeX these columns take; an interval beside its value is one more."""
        return sum(2 if any(column.intervals) and not self.is_stacked else 1 for column in columns)


def written(document: ReportDocument) -> str:
    """Return the tables of a document as LaTeX; its sources and long notes are comments."""
    lines = [comment(PREAMBLE), *(comment("".join(line)) for line in (*document.lead, *document.sources))]
    layouts = [(table, _layout(table)) for table in document.tables]
    has_intervals = any(any(column.intervals) for _, layout in layouts for column in layout.columns)
    labels, floats = dict[str, int](), 0
    for table, layout in layouts:
        if table.words < len(table.head) and all(column.is_text for column in layout.columns):
            about = [f"{head}: {cell}" for head, cell in layout.same]
            lines.append(comment("; ".join([f"no values, so no table: {''.join(table.title)}", *about])))
            continue
        is_explained = not has_intervals or any(any(column.intervals) for column in layout.columns)
        notes = (*(document.reading if is_explained else ()), *table.notes)
        short = [note for note in notes if width("".join(note)) <= LONGEST_NOTE][:MOST_NOTES]
        slices = _slices(layout, len(short))
        for number, rows in enumerate(slices, 1):
            lines += ["\\clearpage"] if floats and floats % MOST_FLOATS == 0 else []
            floats += 1
            lines.append("")
            part = f" Part {number} of {len(slices)}." if len(slices) > 1 else ""
            below = short if number == len(slices) else []
            label = _label(table)
            labels[label] = labels.get(label, 0) + 1
            label += f"-{labels[label]}" if labels[label] > 1 else ""
            lines += _float(layout, rows, _caption(table, layout, rows) + part, label, below)
        lines += [comment("".join(note)) for note in notes if note not in short]
    return "\n".join(lines) + "\n"


def _layout(table: Table) -> _Layout:
    cells = list(zip(*table.rows, strict=True)) or [()] * len(table.head)
    columns = [
        LatexColumn(head, cells[column_number], column_number < table.words)
        for column_number, head in enumerate(table.head)
    ]
    full = [column for column in columns if not column.is_empty]
    texts = [column for column in full if column.is_text]
    names = next((column for column in texts if not column.is_same), next(iter(texts), None))
    equal = [column for column in full if column is not names and column.is_same]
    if all(column.is_text or column in equal for column in full):  # counts that are all there is
        equal = [column for column in equal if column.is_text or column.texts[0] in ("0", *EMPTY)]
    shown = [column for column in full if column not in equal]
    heading = None
    if names is not None and names.width() <= COLUMN and sum(column.is_text for column in shown) > 1:
        blocks = [(cell, len([*members])) for cell, members in groupby(names.texts)]
        if len({cell for cell, _ in blocks}) == len(blocks) and all(rows > 1 for _, rows in blocks):
            heading = names
    layout = _Layout(
        columns=[column for column in shown if column is not heading],
        heading=heading,
        same=[(column.head.replace("\n", " "), column.texts[0]) for column in equal],
        empty=[column.head.replace("\n", " ") for column in columns if column.is_empty and not column.is_text],
    )
    while (total := sum(column.width() for column in layout.columns)) > PAGE:
        figures = [column for column in layout.columns if not column.is_text]
        width = sum(column.width(is_stacked=True) for column in figures)
        texts = [column for column in layout.columns if column.is_text]
        text_width = sum(column.width() for column in texts)
        layout.is_wide = True
        layout.is_stacked = any(any(column.intervals) for column in figures) and width + text_width < total
        if layout.is_stacked and width + text_width <= PAGE:
            return layout
        if PAGE - width >= (LEAST_TEXT + GAP) * len(texts) or len(figures) < 2:
            layout.texts = _shared(texts, max(PAGE - width, PAGE / 3))
            return layout
        least = next((name for name in LEAST_NEEDED for column in figures if column.name == name), figures[-1].name)
        gone = [column for column in figures if column.name == least][-1]
        layout.columns.remove(gone)
        layout.left_out.append(gone.head.replace("\n", " "))
    layout.is_wide, layout.is_stacked = total > COLUMN, False
    return layout


def _shared(texts: Sequence[LatexColumn], room: float) -> dict[str, float]:
    """Return the widths of the columns of text that are wider than their share of the room."""
    wide, narrow = list(texts), 0.0
    while wide:
        share = (room - narrow) / len(wide)
        fitting = [column for column in wide if column.width() <= share]
        if not fitting:
            return {column.head: math.floor(share - GAP) for column in wide}
        narrow += sum(column.width() for column in fitting)
        wide = [column for column in wide if column not in fitting]
    return {}


def _slices(layout: _Layout, notes: int) -> list[slice]:
    """Return the rows that fit on a page each."""
    begins, used, most = [0], 0, max(LEAST_LINES, MOST_LINES - notes)
    many = len(layout.columns[0].cells) if layout.columns else 0
    for row in range(many):
        lines = (2 if layout.is_stacked else 1) + layout.begins_block(row)
        for column in layout.columns:
            if room := layout.texts.get(column.head):
                lines = max(lines, math.ceil(width(str(column.cells[row])) * FONT_SIZE / room))
        if used and used + lines > most:
            begins.append(row)
            used = 0
        used += lines
    return [slice(start, end) for start, end in zip(begins, [*begins[1:], many], strict=True)]


def _float(layout: _Layout, rows: slice, caption: str, label: str, notes: Sequence[Line]) -> Iterator[str]:
    kind = "table*" if layout.is_wide else "table"
    yield f"\\begin{{{kind}}}[{'tbp' if layout.is_wide else 'htbp'}]"
    yield "\\centering\\footnotesize\\setlength{\\tabcolsep}{3pt}"
    yield f"\\caption{{{caption}}}"
    yield f"\\label{{{label}}}"
    yield "\\par\\smallskip"
    yield from _tabular(layout, rows)
    if notes:
        yield "\\par\\smallskip"
        yield "\\begin{minipage}{\\linewidth}\\scriptsize\\raggedright"
        yield "\\par\n".join(map(_line, notes))
        yield "\\end{minipage}"
    yield f"\\end{{{kind}}}"


def _caption(table: Table, layout: _Layout, rows: slice) -> str:
    """Return the title, what all rows have in common, and what is not shown."""
    title = table.caption or table.title
    first = title[0] if isinstance(title[0], Foreign) else title[0][:1].upper() + title[0][1:]
    sentences = [_line((first, *title[1:]))]
    if layout.same:
        heads: dict[str, list[str]] = {}
        for head, cell in layout.same:
            heads.setdefault(cell, []).append(head)
        common = "; ".join(f"{words(', '.join(names))}: {_line((cell,))}" for cell, names in heads.items())
        sentences.append(f"{'In all rows: ' if rows.stop > 1 else ''}{common}")
    if layout.empty:
        sentences.append(f"No value: {words(', '.join(dict.fromkeys(layout.empty)))}")
    if layout.left_out:
        sentences.append(f"Left out: {words(', '.join(dict.fromkeys(layout.left_out)))}")
    return " ".join(f"{sentence}." for sentence in sentences)


def _tabular(layout: _Layout, rows: slice) -> Iterator[str]:
    specs, heads = list[str](), list[str]()
    for column in layout.columns:
        head = escaped(column.head) if isinstance(column.head, Foreign) else words(column.name)
        if column.is_text:
            room = layout.texts.get(column.head)
            specs.append("l" if room is None else f"p{{{room:.0f}pt}}")
        elif layout.span([column]) == 2:
            specs.append("r@{\\,}l")
            head = f"\\multicolumn{{2}}{{c}}{{{head}}}"
        else:
            specs.append("r")
        heads.append(head)
    yield f"\\begin{{tabular}}{{@{{}}{''.join(specs)}@{{}}}}"
    yield "\\toprule"
    if any("\n" in column.head for column in layout.columns):
        yield from _groups(layout)
    yield " & ".join(heads) + " \\\\"
    yield "\\midrule"
    end = " \\tabularnewline" if layout.texts else " \\\\"
    for row in range(len(layout.columns[0].cells))[rows]:
        if layout.heading is not None and (row == rows.start or layout.begins_block(row)):
            yield from ["\\addlinespace"] if row > rows.start else []
            above = escaped(layout.heading.texts[row])
            yield f"\\multicolumn{{{layout.span(layout.columns)}}}{{@{{}}l@{{}}}}{{{above}}}{end}"
        cells = []
        for column in layout.columns:
            text, room = column.texts[row], layout.texts.get(column.head)
            if not column.is_text:
                cells.append(figure(column.marked[row]))
                cells += [interval(column.intervals[row])] if layout.span([column]) == 2 else []
            elif room:
                cells.append(f"\\raggedright\\hspace{{0pt}}{breakable(text, room / FONT_SIZE)}")
            else:
                cells.append(figure(text) if text in EMPTY else escaped(text))
        yield " & ".join(cells) + end
        if layout.is_stacked:
            yield " & ".join(interval(column.intervals[row]) for column in layout.columns).strip() + end
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _groups(layout: _Layout) -> Iterator[str]:
    """Yield the heads that span the columns of a group, with a rule below each."""
    heads, rules, column_number = list[str](), list[str](), 1
    for group, members in groupby(layout.columns, lambda column: column.head.rpartition("\n")[0]):
        span = layout.span(members)
        heads.append(f"\\multicolumn{{{span}}}{{c}}{{{words(group)}}}" if group else " & " * (span - 1))
        rules += [f"\\cmidrule(lr){{{column_number}-{column_number + span - 1}}}"] if group else []
        column_number += span
    yield " & ".join(heads) + " \\\\"
    yield "".join(rules)


def _line(pieces: Line) -> str:
    """Return a line of text, of which long names may be broken."""
    return "".join(breakable(piece) if isinstance(piece, Foreign) else words(piece) for piece in pieces)


def _label(table: Table) -> str:
    """Return the label of a table: lower-case letters, digits and hyphens.

    >>> _label(Table((), (), (), label="tsg/sgqa by k"))
    'tab:tsg-sgqa-by-k'
    """
    plain = unicodedata.normalize("NFKD", table.label or "".join(table.title))
    letters = re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode().lower())
    return f"tab:{letters[:LONGEST_LABEL].strip('-') or 'table'}"
