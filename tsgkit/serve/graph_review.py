"""Review of proposed changes of graphs: a person accepts, rejects or edits each, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from tsgkit.agents.cleaner import CleanedNarrative
from tsgkit.agents.passages import sentences_of_graphs
from tsgkit.agents.review import ACCEPTED, Decision, decided
from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation import arrow
from tsgkit.graph.notation.json_triplets import to_value
from tsgkit.graph.repairs import Change
from tsgkit.graph.rules import check_graph
from tsgkit.library.documents.reader import Document
from tsgkit.runs.decisions import Decisions, shown_as
from tsgkit.serve.decision_protocol import Choice, DecisionQueue, EntryPart, QueueItem, ShownEntry, elements_of

FORM = "source -> edge -> target"
UNCHANGED = "nothing would change: its triplet went with an earlier decision"
CHOICES: tuple[Choice, ...] = (
    {"choice": "accept", "label": "Accept", "key": "a"},
    {"choice": "reject", "label": "Reject", "key": "r"},
    {"choice": "edit", "label": "Edit", "key": "e"},
)


class Proposed(NamedTuple):
    """A change to decide about, with all changes of its graph and their context."""

    change: Change
    item: str
    graph: ActionGraph
    sentence: str
    changes: Sequence[Change]
    """All that are proposed for the graph, in their order."""
    place: int
    """Its number among them."""
    neighbours: tuple[str, str] = ("", "")
    """The sentences before and after, if they are others."""
    vocabulary: Vocabulary | None = None
    """L, if the item has one."""
    names: Vocabulary = Vocabulary()
    """The names offered for an edit: L, or all of the item."""

    @property
    def queue_item(self) -> QueueItem:
        """The entry of the queue; a decision applies to the graph and all that is proposed for it."""
        shown = [self.item, to_value(self.graph), list(map(astuple, self.changes)), self.place]
        code = self.change.code
        return QueueItem(shown_as(shown), f"item {self.item}, graph {self.change.graph + 1}: {code}", code)

    def parts(self, earlier: Sequence[Decision], decision: Decision = ACCEPTED) -> list[EntryPart]:
        """Return the graph as the earlier decisions about it leave it, and as a decision about this change would make
        it; then a note if nothing would change, and the findings that would be left."""
        before, _ = decided(self.graph, self.changes[: self.place], earlier)
        after, _ = decided(before, [self.change], [decision])
        parts: list[EntryPart] = []
        for title, mark, graph, other in (("Before", "removed", before, after), ("After", "added", after, before)):
            unmatched, marks = Counter(other.triplets), list[str | None]()
            for triplet in graph.triplets:
                marks.append(None if unmatched[triplet] > 0 else mark)
                unmatched[triplet] -= 1
            parts.append({"kind": "graph", "title": title, "triplets": to_value(graph), "marks": marks})
        if before.triplets == after.triplets:
            parts.append({"kind": "text", "title": "Note", "text": UNCHANGED})
        if findings := [f"{each.code}: {each.message}" for each in check_graph(after, self.vocabulary)]:
            parts.append({"kind": "lines", "title": "Findings afterwards", "lines": findings})
        return parts


def proposed_in(document: Document, cleaned: Sequence[CleanedNarrative], told: Sequence[str]) -> Iterator[Proposed]:
    """Yield the changes of a document in the order in which they are decided."""
    for entry, result in zip(document.entries, cleaned, strict=True):
        narrative, sentences = entry.narrative, sentences_of_graphs(entry.narrative, told)
        names = narrative.vocabulary or Vocabulary.of(narrative.graphs)
        for number in result.touched if result.changes else ():
            changes = [change for change in result.changes if change.graph == number]
            graph, sentence = narrative.graphs[number], sentences[number]
            before = next((other for other in reversed(sentences[:number]) if other != sentence), "")
            after = next((other for other in sentences[number + 1 :] if other != sentence), "")
            context = ((before, after), narrative.vocabulary, names)
            for place, change in enumerate(changes):
                yield Proposed(change, entry.item, graph, sentence, changes, place, *context)


def graph_review(proposed: Sequence[Proposed], decisions: Decisions, out: str) -> DecisionQueue:
    """Return the queue of proposals; they are decided in order, and a decision is not changed."""
    items = [each.queue_item for each in proposed]

    def parts(number: int, decision: Decision | None) -> list[EntryPart]:
        """Return a proposal after the decisions before it; those that are not made yet are taken as accepted."""
        before = items[number - proposed[number].place : number]
        earlier = [decisions.find(item.key) or ACCEPTED for item in before]
        return proposed[number].parts(earlier, decision or ACCEPTED)

    def show(number: int) -> ShownEntry:
        each, change = proposed[number], proposed[number].change
        (before, after), sentence = each.neighbours, each.sentence or "(no sentence is known)"
        context = ((before, True), (sentence, not each.sentence), (after, True))
        triplet = list(change.after or change.before or ("", "", ""))
        sure = "" if change.sure is None else f", {100 * change.sure:.0f} %"
        return ShownEntry(
            parts(number, decisions.find(items[number].key)),
            {"kind": "triplet", "value": triplet, "elements": elements_of(each.names)},
            context,
            change.reason,
            change.code,
            f"item {each.item}, graph {change.graph + 1} ({change.by}{sure})",
        )

    return DecisionQueue(
        "Review of proposed changes",
        f"The command goes on and writes {out}.",
        items,
        decisions,
        choices=lambda _: CHOICES,
        show=show,
        record=lambda _, choice, edited: {"edited": _triplet(edited)} if choice == "edit" else {},
        in_order=True,
        preview=lambda number, edited: parts(number, {"choice": "edit", "edited": _triplet(edited)}),
        typed=lambda _, __, line: triplet_of(line),
        forms=FORM,
    )


def triplet_of(text: str) -> list[str]:
    """Return the triplet in a line of arrow text. Raise ``UsageError`` if it is none."""
    try:
        [graph] = arrow.parse(text)
        [triplet] = graph.triplets
    except NotationError as error:
        raise UsageError(f"that is no triplet: {error.message}", hint=error.hint or FORM) from None
    except ValueError:
        raise UsageError("that is no triplet", hint=FORM) from None
    return list(triplet)


def _triplet(edited: Any) -> list[str]:  # noqa: ANN401  (as JSON has it)
    """Return an edited triplet. Raise ``UsageError`` for one that could not be typed in the terminal."""
    if not (isinstance(edited, list) and len(edited) == 3 and all(isinstance(name, str) for name in edited)):
        raise UsageError("an edit is a triplet", hint="three names: source, edge and target")
    return triplet_of(arrow.ARROW.join(name.strip() for name in edited))
