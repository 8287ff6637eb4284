"""Samples as lines of text: a list of them, one line each, and one explained, optionally in colour.

The explanation in its short form fits two screens: of a long text the end, or the beginning and end; of several calls
the last. The list is fitted to the terminal:

>>> cup = ListedSample("tea/1", "", "answered", "cup", "mug", "cup, expected mug")
>>> print(*listed_lines([cup, ListedSample("tea/22", "", "empty", "", "pot", "")], 60), sep="\\n")
item    outcome   answer  key  reason
tea/1   answered  cup     mug  cup, expected mug
tea/22  empty             pot
>>> long = cup._replace(answer="the blue cup beside the kettle", reason="")
>>> print([*listed_lines([long], 40)][1], [*listed_lines([long], None)][1], sep="\\n")
tea/1  answered  the blue cup be...  mug
tea/1  answered  the blue cup beside the kettle  mug
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from tsgkit.report.explanation import ItemExplanation, difference_lines
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.plain_text import CUT, count, inert
from tsgkit.report.recorded_sample import RecordedSample, SampleCall, failures
from tsgkit.report.terminal import columns

NAMED = 3
"""Columns with names, which stay whole as long as others have space."""
LEAST_TEXT = 10
"""Characters of a text column, at least."""
ALIGNED = 80
"""Columns are aligned up to this width where the width of lines has no limit."""
CODES = {
    "heading": "1",
    "matched": "2",
    "missing": "31",
    "extra": "36",
    "reversed": "35",
    "mismatched": "33",
    "wrong hand": "32",
    "outside": "1;4",
}
WIDTH = 17
"""Of the names of scores, at least."""
PROMPT_LINES, REPLY_LINES, TRACE_LINES, OTHER_LINES = 10, 12, 24, 8
"""So many lines of a text are shown in short."""
LONGEST_LINE = 120
MOST_ROWS, MOST_GRAPHS, MOST_SCORES = 12, 4, 16
ALL = "--all shows"

Thing = TypeVar("Thing")


@dataclass
class Pen:
    """A writer of lines with optional colours."""

    in_colour: bool = False
    whole: bool = True
    """True to show everything; else long texts are cut."""
    lines: list[str] = field(default_factory=list)

    def coloured(self, text: str, look: str) -> str:
        """Return text made inert, in the colour of what it is."""
        clean = inert(text)
        return f"\x1b[{CODES[look]}m{clean}\x1b[0m" if self.in_colour else clean

    def heading(self, text: str, depth: int = 0) -> None:
        """Write a heading."""
        self.lines.append("  " * depth + self.coloured(text, "heading"))

    def line(self, text: str, depth: int = 1) -> None:
        """Write one line."""
        self.lines.append("  " * depth + inert(text))

    def block(self, text: str, depth: int = 2, *, most: int = OTHER_LINES, begins: bool = True) -> None:
        """Write a text of several lines, each marked so that it cannot be taken for our own output.

        The short form shows at most this number of lines: the last ones, and with ``begins`` also the first ones.
        """
        lines = text.replace("\r\n", "\n").split("\n")
        more = 0 if self.whole else len(lines) - most
        first = most // 2 if begins else 0
        for column, line in enumerate(lines):
            if more > 1 and column == first:
                self.line(f"({count(more, 'line')} more: {ALL} them)", depth)
            if more > 1 and first <= column < first + more:
                continue
            clean = "\t".join(map(inert, line.split("\t"))).expandtabs(4)
            is_long = not self.whole and len(clean) > LONGEST_LINE
            self.lines.append("  " * depth + "| " + (clean[: LONGEST_LINE - 3] + "..." if is_long else clean))

    def some(self, things: Sequence[Thing], most: int, noun: str) -> Sequence[Thing]:
        """Return the first of several things, and say how many more there are."""
        if self.whole or len(things) <= most:
            return things
        self.line(f"({count(len(things) - most, 'more ' + noun, 'more ' + noun + 's')}: {ALL} them)")
        return things[:most]


def explanation_lines(explanation: ItemExplanation, *, in_colour: bool = False, whole: bool = True) -> list[str]:
    """Return everything about an item in one row, cut to two screens; of several rows a few lines each."""
    pen = Pen(in_colour, whole)
    pen.heading(f"item {explanation.item_id} of {explanation.run}")
    if len(explanation.rows) == 1:
        _write_sample(explanation.rows[0], pen)
        return pen.lines
    pen.line(f"{count(len(explanation.rows), 'row')} of this run hold it")
    for sample in pen.some(explanation.rows, MOST_ROWS, "row"):
        _write_heading(sample, pen)
        if sample.unasked:
            pen.line(sample.unasked)
        for number, graph in enumerate(sample.graphs if sample.calls else (), 1):
            pen.line(f"graph {number}: {graph.titled}", 2)
        if sample.calls and not sample.graphs:
            wanted = "; ".join(sample.row.task.view.reference(sample.item).splitlines())
            pen.line(f"read {sample.judged.answer or 'nothing'}" + (f", expected {wanted}" if wanted else ""), 2)
    pen.line(f"choose one to see all of it: {', '.join(explanation.narrowing)}")
    return pen.lines


def _write_heading(sample: RecordedSample, pen: Pen) -> None:
    """Write the row and, if it counts, the outcome with how many verdicts failed, if any, and the metrics that both
    profiles have, else the first of strict.
    """
    pen.heading(sample.cell.title)
    if not sample.is_counted:
        return
    strict, official = sample.judged.scores["strict"], sample.judged.scores.get("official", {})
    names = [name for name in strict if name in official] or list(strict)[:1]
    figures = (
        f"{name} strict {sample.figure('strict', name)}, official {sample.figure('official', name)}" for name in names
    )
    words = "; ".join(filter(None, (failures(sample.present_verdicts), *figures)))
    pen.line(f"outcome {sample.judged.outcome}; {words}")


def _write_sample(sample: RecordedSample, pen: Pen) -> None:
    view = sample.row.task.view
    _write_heading(sample, pen)
    for words in filter(None, (sample.unasked, sample.changed)):
        pen.line(f"note: {words}")
    pen.heading("what was asked")
    pen.block(view.question(sample.item), 1)
    for call in sample.calls:
        if pen.whole or call is sample.calls[-1]:
            _write_call(call, pen)
        else:
            pen.heading(f"call {call.label}, draw {call.draw}: {ended(call.reply)} ({ALL} it)")
    pen.heading("reference")
    pen.block(view.reference(sample.item), 1)
    if not sample.is_counted:
        return
    if sample.graphs:
        pen.heading("graph by graph")
        for number, graph in enumerate(pen.some(sample.graphs, MOST_GRAPHS, "graph"), 1):
            pen.line(f"graph {number}: {graph.titled}")
            for kind, sign, words, elements in difference_lines(graph):
                outside = " " + pen.coloured(f"(out of L: {', '.join(elements)})", "outside") if elements else ""
                pen.lines.append("    " + pen.coloured(f"{sign:<5} {words}", kind) + outside)
    if sample.trace:
        pen.heading("strict verdict, part by part")
        pen.block("\n".join(sample.trace), 1, most=TRACE_LINES)
    pen.heading("scores")
    if sample.unpublished:
        pen.line(f"no official scores: {sample.unpublished}")
    scores = [(profile, name, score) for profile, of in sample.judged.scores.items() for name, score in of.items()]
    width = max(WIDTH, *(len(name) for _, name, _ in scores), 0)
    for profile, name, score in pen.some(scores, MOST_SCORES, "score"):
        pen.line(f"{profile:<8}  {name:<{width}}  {sample.figure(profile, name):>5}  {score.reason}".rstrip())


def _write_call(call: SampleCall, pen: Pen) -> None:
    pen.heading(f"call {call.title}")
    pen.line(f"reply: {ended(call.reply)}")
    for text in call.texts:
        pen.block(text, most=REPLY_LINES)
    strict, official = readings_text(call.readings)
    pen.line("strict reads:")
    pen.block(strict)
    for note in call.readings.notes:
        pen.line(str(note), 2)
    pen.line("official reads:")
    pen.block(official)
    for words in call.readings.why:
        pen.line(f"differs: {words}", 2)
    for message in call.prompt:
        pen.line(f"sent, {message.role}:")
        pen.block(message.content, most=PROMPT_LINES, begins=False)
    if not call.prompt:
        pen.line("no model was asked")


class ListedSample(NamedTuple):
    """A sample in the list."""

    item: str
    row: str
    """The label of its row; empty if there is only one."""
    outcome: str
    answer: str
    key: str
    reason: str


def listed_lines(samples: Sequence[ListedSample], width: int | None) -> Iterator[str]:
    """Yield a head and a line for each sample, cut to a width (None: whole); columns that are empty everywhere are left
    out.
    """
    rows = [tuple(" ".join(inert(cell).split()) for cell in sample) for sample in samples]
    used = [place for place in range(len(ListedSample._fields)) if any(row[place] for row in rows)]
    table = [[line[place] for place in used] for line in (ListedSample._fields, *rows)]
    wanted = [max(map(columns, column)) for column in zip(*table, strict=True)]
    widths = [min(want, ALIGNED) for want in wanted]
    if width is not None:  # names first, then the texts share the rest
        short = sum(place < NAMED for place in used)
        names, texts, room = wanted[:short], wanted[short:], width - 2 * (len(wanted) - 1)
        shares = _shared(texts, max(room - sum(names), LEAST_TEXT * len(texts)))
        widths = _shared(names, max(room - sum(shares), LEAST_TEXT * len(names))) + shares
    for line in table:
        cells = (_fitted(cell, room, whole=width is None) for cell, room in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """Return the share of each text: what it needs, if that is less than an equal part.

    >>> _shared([5, 50, 50], 65), _shared([5, 8], 65)
    ([5, 30, 30], [5, 8])
    """
    shares = [0] * len(wanted)
    for number, column in enumerate(sorted(range(len(wanted)), key=lambda column: wanted[column])):
        shares[column] = min(wanted[column], room // (len(wanted) - number))
        room -= shares[column]
    return shares


def _fitted(text: str, width: int, *, whole: bool) -> str:
    """Return a text in so many columns, its end cut off where it is longer and need not stay whole."""
    if columns(text) > width and not whole:
        while columns(text) > max(width - len(CUT), 0):
            text = text[:-1]
        text += CUT[:width]
    return text + " " * (width - columns(text))
