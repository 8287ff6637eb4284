"""The option --review: a person accepts, rejects or edits every proposed change."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.cli.typed_lines import TypedLines
from tsgkit.errors import NotationError
from tsgkit.graph.notation import arrow
from tsgkit.graph.rules import check_narrative
from tsgkit.library.overwrites import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import Cleaned
    from tsgkit.agents.review import Review
    from tsgkit.graph.model import ActionGraph
    from tsgkit.graph.repairs import Change
    from tsgkit.library.documents.reader import Document

KEYS = "a accept, r reject, e edit, q stop and go on later"


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


def review_of(
    document: Document, cleaned: Sequence[Cleaned], out: str, told: Sequence[str] = (), *, force: bool = False
) -> list[Cleaned] | None:
    """Return the cleaned graphs with only the accepted changes; None if the review is not finished.

    The review does not start if its result could not be written: without ``force``, ``out`` must not exist.
    """
    from tsgkit.agents.review import Review, proposal

    proposed = list(_proposed(document, cleaned, told))
    typed = TypedLines(sys.stdin)
    with Review(Path(f"{out}.review"), [proposal(one.change, one.item) for one in proposed]) as review:
        if len(review.decisions) < len(proposed):
            refuse_to_overwrite(out, force=force)
        for number in range(len(review.decisions), len(proposed)):
            if not _decide(review, typed, proposed[number], f"{number + 1} of {len(proposed)}"):
                complain("left before the end; nothing was written", "the same command goes on with this review")
                return None
        decisions = review.decisions
    return _applied(document, cleaned, decisions)


def _proposed(document: Document, cleaned: Sequence[Cleaned], told: Sequence[str]) -> Iterator[Proposed]:
    from tsgkit.agents.passages import sentences_of_graphs

    for entry, one in zip(document.entries, cleaned, strict=True):
        sentences = sentences_of_graphs(entry.narrative, told) if one.changes else []
        for number in one.touched:
            mine = [change for change in one.changes if change.graph == number]
            graph, sentence = entry.narrative.graphs[number], sentences[number]
            yield from (Proposed(mine[place], entry.item, graph, sentence, mine, place) for place in range(len(mine)))


def _decide(review: Review, typed: TypedLines, shown: Proposed, place: str) -> bool:
    """Show one proposal and read the decision; False where the person leaves."""
    for line in shown_lines(shown, review.decisions, place):
        say(inert(line))
    while True:
        key = _line(typed, KEYS)
        if key in ("", "q"):
            return False
        if key in ("a", "r"):
            review.decide("accept" if key == "a" else "reject")
            return True
        if key == "e" and (triplet := _triplet(typed)) is not None:
            review.decide("edit", triplet)
            return True


def shown_lines(shown: Proposed, decisions: Sequence[dict[str, Any]], place: str) -> Iterator[str]:
    """Yield a proposal as it is shown: the sentence, the graph as decided so far and with the change, and the
    reason."""
    from tsgkit.agents.review import before_and_after

    change = shown.change
    of_this_graph = decisions[len(decisions) - shown.place :]
    before, after = before_and_after(shown.graph, shown.changes, of_this_graph)
    sure = "" if change.sure is None else f", {100 * change.sure:.0f} %"
    yield f"{place}: item {shown.item}, graph {change.graph} ({change.by}{sure})"
    yield f"  sentence: {shown.sentence or '(none is known)'}"
    yield "  before:"
    yield from _marked(before, after, "-")
    yield "  after:"
    yield from _marked(after, before, "+")
    if before.triplets == after.triplets:
        yield "  (nothing would change: its triplet went with an earlier decision)"
    yield f"  because: {change.reason} [{change.code}]"


def _marked(graph: ActionGraph, other: ActionGraph, mark: str) -> Iterator[str]:
    """Yield the lines of a graph, those marked that the other one has not, or not so often."""
    left = Counter(other.triplets)
    for triplet in graph.triplets:
        is_new, left[triplet] = left[triplet] <= 0, left[triplet] - 1
        yield f"    {mark if is_new else ' '} {triplet}"
    if not graph.triplets:
        yield "      (no triplet)"


def _line(typed: TypedLines, what: str) -> str:
    """Return what is typed; empty at the end of the input."""
    say(f"  {what}:")
    sys.stdout.flush()
    line = typed.next()
    return line.strip() or ("again" if line else "")


def _triplet(typed: TypedLines) -> Sequence[str] | None:
    """Return a triplet that is typed; None where it is none."""
    text = _line(typed, "source -> edge -> target")
    try:
        [graph] = arrow.parse(text)
        [triplet] = graph.triplets
    except (NotationError, ValueError):
        say("  that is no triplet")
        return None
    return triplet


def _applied(document: Document, cleaned: Sequence[Cleaned], decisions: Sequence[dict[str, Any]]) -> list[Cleaned]:
    from tsgkit.agents.review import decided

    left = iter(decisions)
    results = []
    for entry, one in zip(document.entries, cleaned, strict=True):
        made: list[Change] = []
        pairs = [(change, next(left)) for change in one.changes]
        graphs = list(entry.narrative.graphs)
        for number in one.touched:
            mine = [(change, decision) for change, decision in pairs if change.graph == number]
            graphs[number], kept = decided(
                graphs[number],
                one.narrative.graphs[number],
                [change for change, _ in mine],
                [decision for _, decision in mine],
            )
            made += kept
        narrative = entry.narrative.with_graphs(graphs)
        touched = tuple(n for n in one.touched if graphs[n].triplets != entry.narrative.graphs[n].triplets)
        after = tuple(check_narrative(narrative))
        results.append(replace(one, narrative=narrative, changes=tuple(made), after=after, touched=touched))
    return results
