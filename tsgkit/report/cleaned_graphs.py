"""Tables and a page about cleaned graphs: findings before and after, repairs by their source, every changed graph.

>>> from tsgkit.agents.cleaner import repaired
>>> from tsgkit.graph.model import Vocabulary
>>> from tsgkit.report import terminal
>>> L = Vocabulary(("cup",), ("verb", "dobj"), ("wash",))
>>> slip = Narrative.of([ActionGraph.of(("wash", "verb", "person"), ("wash", "dobj", "cup"))], L)
>>> tally = CleaningTally()
>>> tally.add(repaired(slip))
>>> for one in tables(tally):
...     print(*terminal.table(one), sep="\\n")
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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tsgkit.agents.cleaner import CleanedNarrative
from tsgkit.agents.graph_values import change_values
from tsgkit.agents.passages import sentences_of_graphs
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.drawing.diffs import draw_diff
from tsgkit.graph.drawing.svg import Markup
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph, Narrative
from tsgkit.graph.repairs import LESS_SURE, MODEL, PROPOSED, Change
from tsgkit.graph.rules import Finding
from tsgkit.report import html, terminal
from tsgkit.report.html import tag, text
from tsgkit.report.plain_text import count, inert
from tsgkit.report.table import Table

BY_RULES, BY_HANDS, BY_MODEL = "rules", "hands", "model"
MOST_DRAWN = 300
"""So many changed graphs are drawn on a page; the others are shown as triplets."""
MOST_OPEN = 50
"""So many changed graphs are shown at once; the others are opened in parts of as many."""


@dataclass(frozen=True)
class CleanedItem:
    """A narrative of a file before and after cleaning; ``story`` is the sentences of its graphs if it has no texts."""

    item: str
    before: Narrative
    cleaned: CleanedNarrative
    story: tuple[str, ...] = ()


@dataclass
class CleaningTally:
    """Counts of cleaned graphs, changes and findings, added item by item."""

    graphs: int = 0
    touched: int = 0
    calls: int = 0
    proposed: int = 0
    refused: int = 0
    """Changes that a model named and the rules refused."""
    undecided: int = 0
    authors: Counter[str] = field(default_factory=Counter)
    """Changes by what :attr:`Change.by` says."""
    repairs: Counter[tuple[str, Corruption]] = field(default_factory=Counter)
    """Changes by their source and the kind of error that they mend."""
    proposals: Counter[tuple[str, Corruption]] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)

    def add(self, cleaned: CleanedNarrative) -> None:
        """Count one item."""
        self.graphs += len(cleaned.narrative.graphs)
        self.touched += len(cleaned.touched)
        self.calls += cleaned.calls
        self.proposed += len(cleaned.proposed)
        self.refused += cleaned.refused
        self.undecided += len(cleaned.undecided)
        self.authors.update(change.by for change in cleaned.changes)
        self.repairs.update((source_of(change), kind_of(change)) for change in cleaned.changes)
        self.proposals.update((PROPOSED, kind_of(change)) for change in cleaned.proposed)
        self.before.update(finding.code for finding in cleaned.before)
        self.after.update(finding.code for finding in cleaned.after)


@dataclass
class CleaningSummary:
    """The counts of cleaned graphs with what is shown of each item, added item by item.

    With ``most`` at most so many proposals are held, the most probable ones; of undecided findings ``shown`` at most.
    """

    shown: int
    most: int | None = None
    tally: CleaningTally = field(default_factory=CleaningTally)
    proposed: list[tuple[str, Change]] = field(default_factory=list)
    """Proposals with their items."""
    undecided: list[tuple[str, Finding]] = field(default_factory=list)
    """Undecided findings with their items."""
    stopped: str = ""
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, item: str, cleaned: CleanedNarrative) -> None:
        """Add one item."""
        self.tally.add(cleaned)
        self.proposed += [(item, change) for change in cleaned.proposed]
        if self.most is not None:
            self.proposed = sorted(self.proposed, key=lambda proposal: -(proposal[1].sure or 0))[: self.most]
        self.undecided += [(item, finding) for finding in cleaned.undecided[: self.shown - len(self.undecided)]]
        self.stopped = self.stopped or cleaned.stopped
        self.failures += [f"item {item}, {failure}" for failure in cleaned.failures]
        self.notes += [f"item {item}, {note}" for note in cleaned.notes]


def summary_value(summary: CleaningSummary) -> dict[str, Any]:
    """Return the JSON value of a summary."""
    tally = summary.tally
    proposed = [(item, change_values([change])) for item, change in summary.proposed]
    return {
        "graphs": tally.graphs,
        "graphs_touched": tally.touched,
        "changes": dict(tally.authors),
        "repairs": {f"{author}, {kind}": number for (author, kind), number in tally.repairs.items()},
        "proposed": [{"item": item, **value} for item, [value] in proposed],
        "refused": tally.refused,
        "findings_before": dict(tally.before),
        "findings_after": dict(tally.after),
        "undecided": tally.undecided,
        "stopped": summary.stopped,
        "failures": summary.failures,
        "notes": summary.notes,
    }


def summary_lines(summary: CleaningSummary, out: str) -> Iterator[str]:
    """Yield a summary as text; ``out`` is the cleaned file."""
    tally = summary.tally
    by = ", ".join(f"{number} {name}" for name, number in tally.authors.items()) or "none"
    yield f"{count(tally.graphs, 'graph')}, {tally.touched} touched; changes: {by}"
    for shown in tables(tally):
        yield from terminal.table(shown)
    if summary.proposed:
        yield f"proposed ({tally.proposed}; --review asks you):"
        for item, change in summary.proposed:
            yield f"  item {inert(item)}, {inert(str(change))}: {inert(change.reason)}"
        if tally.proposed > summary.shown:
            yield f"  ... and {tally.proposed - summary.shown} more (--json and --report show all)"
    if summary.undecided:
        yield f"not decided ({tally.undecided}):"
        for item, finding in summary.undecided:
            hint = f" ({inert(finding.hint)})" if finding.hint else ""
            place = "" if finding.place.graph is None else f", graph {finding.place.graph + 1}"
            yield f"  item {inert(item)}{place}: {inert(finding.message)}{hint}"
        if tally.undecided > summary.shown:
            yield f"  ... and {tally.undecided - summary.shown} more (tsgkit check {inert(out)})"


def refused_line(tally: CleaningTally) -> str:
    """Return how many changes that a model named were not made; empty if all were."""
    named = tally.refused + tally.proposed + tally.authors[MODEL]
    text = f"of {count(named, 'change')} that the model named {tally.refused} add a fault: not made"
    return text if tally.refused else ""


def tables(tally: CleaningTally) -> Iterator[Table]:
    """Yield the findings before and after by kind, the repairs by source, and what is proposed, if there is any."""
    if codes := dict.fromkeys((*tally.before, *tally.after)):
        findings = tuple((code, f"{tally.before[code]:,}", f"{tally.after[code]:,}") for code in codes)
        yield Table(("findings",), ("finding", "before", "after"), findings)
    made = tally.repairs + tally.proposals
    sources = [name for name in (BY_RULES, BY_HANDS, BY_MODEL, PROPOSED) if any(name == source for source, _ in made)]
    if sources:
        rows = [_row(name, made) for name in sources]
        yield Table(("repairs",), ("by", *map(str, Corruption), "all"), tuple(rows))


def _row(source: str, made: Counter[tuple[str, Corruption]]) -> tuple[str, ...]:
    numbers = [made[source, kind] for kind in Corruption]
    return (source if source != PROPOSED else "proposed, not made", *(f"{one:,}" for one in (*numbers, sum(numbers))))


def source_of(change: Change) -> str:
    """Return by what a change was made: rules, evidence, the estimate of hands, or a model."""
    if change.by == MODEL:
        return BY_MODEL
    return BY_HANDS if change.by == LESS_SURE else BY_RULES


def kind_of(change: Change) -> Corruption:
    """Return the kind of error that a change mends."""
    if change.before is None:
        return Corruption.MISSING
    if change.after is None:
        return Corruption.REDUNDANT
    return Corruption.REVERSED if change.after == change.before.reversed else Corruption.MISMATCHED


def write_page(title: str, items: Sequence[CleanedItem], notes: Sequence[str] = ()) -> str:
    """Return a page with the tables and every changed graph before and after, beside its sentence and the reasons."""
    tally = CleaningTally()
    for item in items:
        tally.add(item.cleaned)
    said = html.paragraph(f"{count(tally.graphs, 'graph')}, {tally.touched:,} changed.")
    drawn = [html.drawn_up(one) for one in tables(tally)]
    shown, room = list[Markup](), MOST_DRAWN
    for item in items:
        if item.cleaned.touched or item.cleaned.proposed:
            shown += _graphs(item, room)
            room -= len(item.cleaned.touched)
    listed = html.listed(html.name(note) for note in notes)
    if not shown:
        return html.whole_page(title, said, *drawn, listed, html.paragraph("No graph was changed."))
    parts = [
        html.folded(text(f"{start + 1:,} to {min(start + MOST_OPEN, len(shown)):,} of {len(shown):,}"),
                    *shown[start : start + MOST_OPEN], is_open=not start)
        for start in range(0, len(shown), MOST_OPEN)
    ]  # fmt: skip
    changed = html.section("Changed graphs", *(shown if len(shown) <= MOST_OPEN else parts))
    return html.whole_page(title, said, *drawn, listed, changed)


def _graphs(item: CleanedItem, room: int) -> Iterator[Markup]:
    sentences = sentences_of_graphs(item.before, item.story)
    cleaned = item.cleaned
    for number in sorted({*cleaned.touched, *(one.graph for one in cleaned.proposed)}):
        old, new = item.before.graphs[number], cleaned.narrative.graphs[number]
        heading = tag("h3", html.name(f"item {item.item}, graph {number + 1}"))
        sentence = tag("p", html.name(sentences[number] or "(no sentence is known)"))
        parts = [heading, sentence]
        if number in cleaned.touched:
            room -= 1
            parts.append(_both(old, new, is_drawn=room >= 0))
        else:
            parts.append(html.block(str(old)))
        made = [one for one in cleaned.changes if one.graph == number]
        parts.append(html.listed(html.name(f"{one}: {one.reason}") for one in made))
        left = [one for one in cleaned.proposed if one.graph == number]
        if left:
            parts += [
                html.paragraph("Proposed and not made:"),
                html.listed(html.name(f"{one}: {one.reason}") for one in left),
            ]
        yield tag("section", *parts)


def _both(old: ActionGraph, new: ActionGraph, *, is_drawn: bool) -> Markup:
    """Return a graph before and after as text, and drawn as one with its differences."""
    pair = html.facts([("before", html.block(str(old))), ("after", html.block(str(new)))])
    if not is_drawn:
        return pair
    return Markup(pair + html.folded(text("Drawn"), html.drawing(draw_diff(new, old, diff(new, old).changes))))
