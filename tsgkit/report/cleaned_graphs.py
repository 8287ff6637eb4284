"""Tables and a page about cleaned graphs: findings before and after, repairs by their source, every changed graph.

>>> from tsgkit.agents.cleaner import repaired
>>> from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
>>> L = Vocabulary(("cup",), ("verb", "dobj"), ("wash",))
>>> slip = Narrative.of([ActionGraph.of(("wash", "verb", "person"), ("wash", "dobj", "cup"))], L)
>>> summary = CleaningSummary(shown=5)
>>> summary.add("0", repaired(slip))
>>> for table in tables(summary):
...     print(*terminal.table(table), sep="\\n")
findings
  finding        before  after
  verb-source         1      0
  person-target       1      0
  dobj-source         1      0
  no-action           1      0
repairs
  by     redundant  missing  mismatched  reversed  all
  rules          0        0           0         1    1
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tsgkit.agents.cleaner import CleanedNarrative
from tsgkit.agents.graph_values import change_values
from tsgkit.agents.passages import sentences_of_graphs
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.drawing.graphs import draw_diff
from tsgkit.graph.drawing.svg import Markup
from tsgkit.graph.edits import diff
from tsgkit.graph.repairs import LESS_SURE, MODEL, Change
from tsgkit.graph.rules import Finding
from tsgkit.library.documents.rows import Entry
from tsgkit.report import html, terminal
from tsgkit.report.html import tag, text
from tsgkit.report.plain_text import count, inert
from tsgkit.report.table import Table

BY_RULES, NOT_MADE = "rules", "proposed, not made"
SOURCES = {LESS_SURE: "hands", MODEL: "model"}
"""The sources of changes by what :attr:`Change.by` says; rules make all others."""
MOST_DRAWN = 300
"""So many changed graphs are drawn on a page; the others are shown as triplets."""
MOST_OPEN = 50
"""So many changed graphs are shown at once; the others are opened in parts of as many."""


@dataclass
class CleaningSummary:
    """Counts of cleaned graphs, changes and findings, added item by item.

    As text it shows at most ``shown`` proposals, the most probable ones, and at most ``shown`` undecided findings.
    """

    shown: int
    graphs: int = 0
    touched: int = 0
    calls: int = 0
    refused: int = 0
    """Changes that a model named and the rules refused."""
    authors: Counter[str] = field(default_factory=Counter)
    """Changes by what :attr:`Change.by` says."""
    repairs: Counter[tuple[str, Corruption]] = field(default_factory=Counter)
    """Changes by their source and the kind of error that they mend."""
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    proposed: list[tuple[str, Change]] = field(default_factory=list)
    """Proposals with their items."""
    undecided: int = 0
    first_undecided: list[tuple[str, Finding]] = field(default_factory=list)
    """The undecided findings that are shown, with their items."""
    stopped: str = ""
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, item: str, cleaned: CleanedNarrative) -> None:
        """Add one item."""
        self.graphs += len(cleaned.narrative.graphs)
        self.touched += len(cleaned.touched)
        self.calls += cleaned.calls
        self.refused += cleaned.refused
        self.authors.update(change.by for change in cleaned.changes)
        self.repairs.update((SOURCES.get(change.by, BY_RULES), kind_of(change)) for change in cleaned.changes)
        self.before.update(finding.code for finding in cleaned.before)
        self.after.update(finding.code for finding in cleaned.after)
        self.proposed += [(item, change) for change in cleaned.proposed]
        room = self.shown - len(self.first_undecided)
        self.first_undecided += [(item, finding) for finding in cleaned.undecided[:room]]
        self.undecided += len(cleaned.undecided)
        self.stopped = self.stopped or cleaned.stopped
        self.failures += [f"item {item}, {failure}" for failure in cleaned.failures]
        self.notes += [f"item {item}, {note}" for note in cleaned.notes]

    @property
    def value(self) -> dict[str, Any]:
        """The JSON value."""
        proposed = [(item, change_values([change])) for item, change in self.proposed]
        return {
            "graphs": self.graphs,
            "graphs_touched": self.touched,
            "changes": dict(self.authors),
            "repairs": {f"{source}, {kind}": number for (source, kind), number in self.repairs.items()},
            "proposed": [{"item": item, **change} for item, [change] in proposed],
            "refused": self.refused,
            "findings_before": dict(self.before),
            "findings_after": dict(self.after),
            "undecided": self.undecided,
            "stopped": self.stopped,
            "failures": self.failures,
            "notes": self.notes,
        }


def kind_of(change: Change) -> Corruption:
    """Return the kind of error that a change mends."""
    if change.before is None:
        return Corruption.MISSING
    if change.after is None:
        return Corruption.REDUNDANT
    return Corruption.REVERSED if change.after == change.before.reversed else Corruption.MISMATCHED


def summary_lines(summary: CleaningSummary, out: str) -> Iterator[str]:
    """Yield a summary as text; ``out`` is the cleaned file."""
    by = ", ".join(f"{number} {author}" for author, number in summary.authors.items()) or "none"
    yield f"{count(summary.graphs, 'graph')}, {summary.touched} touched; changes: {by}"
    for table in tables(summary):
        yield from terminal.table(table)
    if summary.proposed:
        yield f"proposed ({len(summary.proposed)}; --review asks you):"
        likeliest = sorted(summary.proposed, key=lambda proposal: -(proposal[1].sure or 0))
        for item, change in likeliest[: summary.shown]:
            yield f"  item {inert(item)}, {inert(str(change))}: {inert(change.reason)}"
        if (more := len(summary.proposed) - summary.shown) > 0:
            yield f"  ... and {more} more (--json and --report show all)"
    if summary.undecided:
        yield f"not decided ({summary.undecided}):"
        for item, finding in summary.first_undecided:
            hint = f" ({inert(finding.hint)})" if finding.hint else ""
            where = "" if finding.place.graph is None else f", graph {finding.place.graph + 1}"
            yield f"  item {inert(item)}{where}: {inert(finding.message)}{hint}"
        if (more := summary.undecided - summary.shown) > 0:
            yield f"  ... and {more} more (tsgkit check {inert(out)})"


def tables(summary: CleaningSummary) -> Iterator[Table]:
    """Yield the findings before and after by kind, the repairs by source, and what is proposed, if there is any."""
    if codes := dict.fromkeys((*summary.before, *summary.after)):
        findings = tuple((code, f"{summary.before[code]:,}", f"{summary.after[code]:,}") for code in codes)
        yield Table(("findings",), ("finding", "before", "after"), findings)
    repairs = summary.repairs + Counter((NOT_MADE, kind_of(change)) for _, change in summary.proposed)
    rows = []
    for source in (BY_RULES, *SOURCES.values(), NOT_MADE):
        numbers = [repairs[source, kind] for kind in Corruption]
        if any(numbers):
            rows.append((source, *(f"{number:,}" for number in (*numbers, sum(numbers)))))
    if rows:
        yield Table(("repairs",), ("by", *map(str, Corruption), "all"), tuple(rows))


def page(
    title: str, summary: CleaningSummary, items: Iterable[tuple[Entry, CleanedNarrative]], story: Sequence[str]
) -> str:
    """Return a page with the tables and every changed graph before and after, beside its sentence and the reasons.

    ``story`` holds the sentences of graphs without texts.
    """
    sections, drawn = list[Markup](), 0
    for entry, cleaned in items:
        sentences = sentences_of_graphs(entry.narrative, story)
        for number in sorted({*cleaned.touched, *(change.graph for change in cleaned.proposed)}):
            old, new = entry.narrative.graphs[number], cleaned.narrative.graphs[number]
            parts = [
                tag("h3", html.name(f"item {entry.item}, graph {number + 1}")),
                tag("p", html.name(sentences[number] or "(no sentence is known)")),
            ]
            if number in cleaned.touched:
                parts.append(html.facts([("before", html.block(str(old))), ("after", html.block(str(new)))]))
                if drawn < MOST_DRAWN:
                    drawing = html.drawing(draw_diff(new, old, diff(new, old).changes))
                    parts.append(html.folded(text("Drawn"), drawing))
                drawn += 1
            else:
                parts.append(html.block(str(old)))
            parts.append(_reasons(cleaned.changes, number))
            if proposals := _reasons(cleaned.proposed, number):
                parts += [html.paragraph("Proposed and not made:"), proposals]
            sections.append(tag("section", *parts))
    body = [html.paragraph(f"{count(summary.graphs, 'graph')}, {summary.touched:,} changed.")]
    body += map(html.drawn_up, tables(summary))
    if not sections:
        return html.whole_page(title, *body, html.paragraph("No graph was changed."))
    if len(sections) > MOST_OPEN:
        folds = []
        for start in range(0, len(sections), MOST_OPEN):
            shown = sections[start : start + MOST_OPEN]
            label = text(f"{start + 1:,} to {start + len(shown):,} of {len(sections):,}")
            folds.append(html.folded(label, *shown, is_open=not start))
        sections = folds
    return html.whole_page(title, *body, html.section("Changed graphs", *sections))


def _reasons(changes: Iterable[Change], graph: int) -> Markup:
    return html.listed(html.name(f"{change}: {change.reason}") for change in changes if change.graph == graph)
