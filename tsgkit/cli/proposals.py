"""Proposed changes of graphs as a person sees and decides them, in the terminal and on the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation import arrow

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import Cleaned
    from tsgkit.agents.review import Review
    from tsgkit.graph.repairs import Change
    from tsgkit.library.documents.reader import Document

FORM = "source -> edge -> target"


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


class Seen(NamedTuple):
    """A proposal as a person sees it: the graph as decided so far, and with the change."""

    title: str
    before: ActionGraph
    after: ActionGraph

    @property
    def note(self) -> str:
        """The reason why the change has no effect; empty if it has one."""
        is_changed = self.before.triplets != self.after.triplets
        return "" if is_changed else "nothing would change: its triplet went with an earlier decision"

    @property
    def removed(self) -> list[bool]:
        """True for each triplet before that is not there after, or not so often."""
        return lacking(self.before, self.after)

    @property
    def added(self) -> list[bool]:
        """True for each triplet after that is not there before, or not so often."""
        return lacking(self.after, self.before)


def lacking(graph: ActionGraph, other: ActionGraph) -> list[bool]:
    """Return for each triplet of a graph if another one does not have it, or not so often."""
    left, found = Counter(other.triplets), []
    for triplet in graph.triplets:
        found.append(left[triplet] <= 0)
        left[triplet] -= 1
    return found


def proposed_in(document: Document, cleaned: Sequence[Cleaned], told: Sequence[str]) -> Iterator[Proposed]:
    """Yield the changes of a document in the order in which they are decided."""
    from tsgkit.agents.passages import sentences_of_graphs

    for entry, one in zip(document.entries, cleaned, strict=True):
        if not one.changes:
            continue
        sentences = sentences_of_graphs(entry.narrative, told)
        vocabulary = entry.narrative.vocabulary
        names = vocabulary or Vocabulary.of(entry.narrative.graphs)
        for number in one.touched:
            mine = [change for change in one.changes if change.graph == number]
            graph, around = entry.narrative.graphs[number], _neighbours(sentences, number)
            for place, change in enumerate(mine):
                yield Proposed(change, entry.item, graph, sentences[number], mine, place, around, vocabulary, names)


def _neighbours(sentences: Sequence[str], number: int) -> tuple[str, str]:
    """Return the last other sentence before a graph, and the first one after it."""
    own = sentences[number]
    before = next((one for one in reversed(sentences[:number]) if one != own), "")
    return before, next((one for one in sentences[number + 1 :] if one != own), "")


def seen(one: Proposed, decisions: Sequence[Mapping[str, Any]], decision: Mapping[str, Any] | None = None) -> Seen:
    """Return a proposal as it is shown after the earlier decisions about all graphs; ``decision`` None accepts it."""
    from tsgkit.agents.review import ACCEPT, before_and_after

    of_this_graph = [dict(each) for each in decisions[len(decisions) - one.place :]]
    before, after = before_and_after(one.graph, one.changes, of_this_graph, dict(decision or {"decision": ACCEPT}))
    sure = "" if one.change.sure is None else f", {100 * one.change.sure:.0f} %"
    return Seen(f"item {one.item}, graph {one.change.graph + 1} ({one.change.by}{sure})", before, after)


def triplet_of(text: str) -> tuple[str, str, str]:
    """Return the triplet in a line of arrow text. Raise ``UsageError`` if it is none."""
    try:
        [graph] = arrow.parse(text)
        [triplet] = graph.triplets
    except NotationError as error:
        raise UsageError(f"that is no triplet: {error.message}", hint=error.hint or FORM) from None
    except ValueError:
        raise UsageError("that is no triplet", hint=FORM) from None
    return triplet.source, triplet.edge, triplet.target


@dataclass(frozen=True)
class Proposals:
    """All proposals, and the review in which the decisions about them are kept."""

    proposed: Sequence[Proposed]
    review: Review

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """The decisions about the first of them."""
        return self.review.decisions

    def decide(self, number: int, decision: str, after: Sequence[str] | None = None, note: str = "") -> None:
        """Decide about a proposal, which must be the next one. Raise ``UsageError`` if it is not."""
        done = len(self.decisions)
        if number != done:
            problem = "is decided already" if number < done else "comes later"
            raise UsageError(f"proposal {number + 1} {problem}", hint=f"number {done + 1} is next")
        self.review.decide(decision, after, note)
