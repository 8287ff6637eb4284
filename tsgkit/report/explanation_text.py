"""Explanation as lines of text, optionally in colour.

The short form fits two screens: of a long text the end, or the beginning and end; of several calls the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tsgkit.report.differences import difference_lines
from tsgkit.report.explanation import ExplainedCall, ExplainedRow, Explanation
from tsgkit.report.phrases import ended, readings_text
from tsgkit.report.plain_text import count, inert
from tsgkit.report.sample_facts import failures

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
        """One line."""
        self.lines.append("  " * depth + inert(text))

    def block(self, text: str, depth: int = 2, *, most: int = OTHER_LINES, begins: bool = True) -> None:
        """Write a text of several lines, each marked so that it cannot be taken for our own output.

        The short form shows at most this number of lines: the last ones, and with ``begins`` also the first ones.
        """
        lines = text.replace("\r\n", "\n").split("\n")
        more = 0 if self.whole else len(lines) - most
        first = most // 2 if begins else 0
        for place, line in enumerate(lines):
            if more > 1 and place == first:
                self.line(f"({count(more, 'line')} more: {ALL} them)", depth)
            if more > 1 and first <= place < first + more:
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


def explanation_lines(explanation: Explanation, *, in_colour: bool = False, whole: bool = True) -> list[str]:
    """Return everything about an item in one row, cut to two screens; of several rows a few lines each."""
    pen = Pen(in_colour, whole)
    pen.heading(f"item {explanation.item_id} of {explanation.run}")
    if len(explanation.rows) == 1:
        _write_row(explanation.rows[0], pen)
        return pen.lines
    pen.line(f"{count(len(explanation.rows), 'row')} of this run hold it")
    for row in pen.some(explanation.rows, MOST_ROWS, "row"):
        _write_briefly(row, pen)
    pen.line(f"choose one to see all of it: {', '.join(explanation.narrowing)}")
    return pen.lines


def _write_briefly(row: ExplainedRow, pen: Pen) -> None:
    pen.heading(row.cell.title)
    if row.is_counted:
        pen.line(f"outcome {row.judged.outcome}; {_headline(row)}")
    if row.unasked:
        pen.line(row.unasked)
    if not row.asked:
        return
    for number, graph in enumerate(row.graphs, 1):
        pen.line(f"graph {number}: {graph.titled}", 2)
    if not row.graphs:
        wanted = "; ".join(row.task.view.reference(row.sample).splitlines())
        pen.line(f"read {row.judged.answer or 'nothing'}" + (f", expected {wanted}" if wanted else ""), 2)


def _headline(row: ExplainedRow) -> str:
    """Return how many verdicts failed, if any, and the metrics that both profiles have, else the first of strict."""
    strict, official = row.judged.scores["strict"], row.judged.scores.get("official", {})
    names = [name for name in strict if name in official] or list(strict)[:1]
    values = [f"{name} strict {row.figure('strict', name)}, official {row.figure('official', name)}" for name in names]
    failed = failures(row.verdicts)
    return "; ".join([failed, *values] if failed else values)


def _write_row(row: ExplainedRow, pen: Pen) -> None:
    pen.heading(row.cell.title)
    if row.is_counted:
        pen.line(f"outcome {row.judged.outcome}; {_headline(row)}")
    for words in (row.unasked, row.changed):
        if words:
            pen.line(f"note: {words}")
    pen.heading("what was asked")
    pen.block(row.task.view.question(row.sample), 1)
    for asked in row.asked:
        if pen.whole or asked is row.asked[-1]:
            _write_call(asked, pen)
        else:
            pen.heading(f"call {asked.label}, draw {asked.draw}: {ended(asked.reply)} ({ALL} it)")
    pen.heading("reference")
    pen.block(row.task.view.reference(row.sample), 1)
    if not row.is_counted:
        return
    if row.graphs:
        pen.heading("graph by graph")
        for number, graph in enumerate(pen.some(row.graphs, MOST_GRAPHS, "graph"), 1):
            pen.line(f"graph {number}: {graph.titled}")
            for kind, sign, words, elements in difference_lines(graph):
                outside = " " + pen.coloured(f"(out of L: {', '.join(elements)})", "outside") if elements else ""
                pen.lines.append("    " + pen.coloured(f"{sign:<5} {words}", kind) + outside)
    if row.trace:
        pen.heading("strict verdict, part by part")
        pen.block("\n".join(row.trace), 1, most=TRACE_LINES)
    pen.heading("scores")
    if row.unpublished:
        pen.line(f"no official scores: {row.unpublished}")
    scores = [(profile, name, score) for profile, of in row.judged.scores.items() for name, score in of.items()]
    width = max(WIDTH, *(len(name) for _, name, _ in scores), 0)
    for profile, name, score in pen.some(scores, MOST_SCORES, "score"):
        pen.line(f"{profile:<8}  {name:<{width}}  {row.figure(profile, name):>5}  {score.reason}".rstrip())


def _write_call(asked: ExplainedCall, pen: Pen) -> None:
    pen.heading(f"call {asked.title}")
    pen.line(f"reply: {ended(asked.reply)}")
    for text in asked.texts:
        pen.block(text, most=REPLY_LINES)
    readings = asked.readings
    strict, official = readings_text(readings)
    pen.line("strict reads:")
    pen.block(strict)
    for note in readings.notes:
        pen.line(str(note), 2)
    pen.line("official reads:")
    pen.block(official)
    for words in readings.why:
        pen.line(f"differs: {words}", 2)
    for message in asked.prompt:
        pen.line(f"sent, {message.role}:")
        pen.block(message.content, most=PROMPT_LINES, begins=False)
    if not asked.prompt:
        pen.line("no model was asked")
