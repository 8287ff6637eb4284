"""The option --review: every proposed change is shown, and a person accepts, rejects or edits it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import NotationError
from tsgkit.graph.notation import arrow
from tsgkit.graph.rules import check_narrative

if TYPE_CHECKING:
    from tsgkit.agents.cleaning import Cleaned
    from tsgkit.agents.repairs import Change
    from tsgkit.agents.reviewing import Review
    from tsgkit.suites.tsg.documents import Document

KEYS = "a accept, r reject, e edit, q stop and go on later"


def review_of(document: Document, cleaned: Sequence[Cleaned], out: str) -> list[Cleaned] | None:
    """What was cleaned, with the accepted changes alone; None where the review was left before its end."""
    from tsgkit.agents.reviewing import Review, proposal

    proposals = [
        proposal(change, entry.item)
        for entry, one in zip(document.entries, cleaned, strict=True)
        for change in one.changes
    ]
    with Review(Path(f"{out}.review"), proposals) as review:
        while (shown := review.pending) is not None:
            if not _decide(review, shown, len(proposals)):
                complain("left before the end; nothing was written", "the same command goes on with this review")
                return None
        decisions = review.decisions
    return _applied(document, cleaned, decisions)


def _decide(review: Review, shown: dict[str, Any], total: int) -> bool:
    """Show one proposal and read the decision; False where the person leaves."""
    say(f"{len(review.decisions) + 1} of {total}: item {inert(shown['item'])}, graph {shown['graph']} ({shown['by']})")
    say(f"  - {inert(' -> '.join(shown['before']))}" if shown["before"] else "  (nothing stood there)")
    say(f"  + {inert(' -> '.join(shown['after']))}" if shown["after"] else "  (it is taken out)")
    say(f"  because: {inert(shown['reason'])} [{shown['code']}]")
    while True:
        key = _line(KEYS)
        if key in ("", "q"):
            return False
        if key in ("a", "r"):
            review.decide("accept" if key == "a" else "reject")
            return True
        if key == "e" and (triplet := _triplet()) is not None:
            review.decide("edit", triplet)
            return True


def _line(what: str) -> str:
    """What is typed; empty at the end of the input."""
    say(f"  {what}:")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("again" if line else "")


def _triplet() -> Sequence[str] | None:
    """A triplet that is typed; None where it is none."""
    text = _line("source -> edge -> target")
    try:
        [graph] = arrow.parse(text)
        [triplet] = graph.triplets
    except (NotationError, ValueError):
        say("  that is no triplet")
        return None
    return triplet


def _applied(document: Document, cleaned: Sequence[Cleaned], decisions: Sequence[dict[str, Any]]) -> list[Cleaned]:
    from tsgkit.agents.reviewing import decided

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
