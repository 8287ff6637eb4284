"""The option --review: a person accepts, rejects or edits every proposed change."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.proposals import FORM, Proposals, Proposed, proposed_in, seen, triplet_of
from tsgkit.cli.terminal import complain, inert, say
from tsgkit.cli.typed_lines import TypedLines
from tsgkit.errors import UsageError
from tsgkit.graph.rules import check_narrative
from tsgkit.library.overwrites import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import Cleaned
    from tsgkit.graph.model import ActionGraph
    from tsgkit.graph.repairs import Change
    from tsgkit.library.documents.reader import Document

KEYS = "a accept, r reject, e edit, q stop and go on later"


def review_of(
    document: Document,
    cleaned: Sequence[Cleaned],
    out: str,
    told: Sequence[str] = (),
    *,
    force: bool = False,
    in_browser: bool = False,
) -> list[Cleaned] | None:
    """Return the cleaned graphs with only the accepted changes; None if the review is not finished.

    The decisions are made in the terminal or on a page. The review does not start if its result could not be written:
    without ``force``, ``out`` must not exist.
    """
    from tsgkit.agents.review import Review, proposal

    proposed = list(proposed_in(document, cleaned, told))
    with Review(Path(f"{out}.review"), [proposal(one.change, one.item) for one in proposed]) as review:
        proposals = Proposals(proposed, review)
        if len(proposals.decisions) < len(proposed):
            refuse_to_overwrite(out, force=force)
            if not (_on_page(proposals, out) if in_browser else _in_terminal(proposals)):
                complain("left before the end; nothing was written", "the same command goes on with this review")
                return None
        decisions = proposals.decisions
    return _applied(document, cleaned, decisions)


def _on_page(proposals: Proposals, out: str) -> bool:
    """Ask for the decisions on a page, and return whether all are made."""
    from tsgkit.cli.review_page import ReviewPage
    from tsgkit.serve.decision_page import decide_in_browser

    return decide_in_browser(ReviewPage(proposals, out), say=say)


def _in_terminal(proposals: Proposals) -> bool:
    """Ask for the decisions that are missing, and return whether all are made."""
    typed, total = TypedLines(sys.stdin), len(proposals.proposed)
    return all(
        _decide(proposals, typed, number, f"{number + 1} of {total}")
        for number in range(len(proposals.decisions), total)
    )


def _decide(proposals: Proposals, typed: TypedLines, number: int, place: str) -> bool:
    """Show one proposal and read the decision; False where the person leaves."""
    for line in shown_lines(proposals.proposed[number], proposals.decisions, place):
        say(inert(line))
    while True:
        key = _line(typed, KEYS)
        if key in ("", "q"):
            return False
        if key in ("a", "r"):
            proposals.decide(number, "accept" if key == "a" else "reject")
            return True
        if key == "e" and (triplet := _triplet(typed)) is not None:
            proposals.decide(number, "edit", triplet)
            return True


def shown_lines(one: Proposed, decisions: Sequence[dict[str, Any]], place: str) -> Iterator[str]:
    """Yield a proposal as it is shown: the sentence, the graph as decided so far and with the change, and the
    reason."""
    shown = seen(one, decisions)
    yield f"{place}: {shown.title}"
    yield f"  sentence: {one.sentence or '(none is known)'}"
    yield "  before:"
    yield from _marked(shown.before, shown.removed, "-")
    yield "  after:"
    yield from _marked(shown.after, shown.added, "+")
    if shown.note:
        yield f"  ({shown.note})"
    yield f"  because: {one.change.reason} [{one.change.code}]"


def _marked(graph: ActionGraph, marks: Sequence[bool], mark: str) -> Iterator[str]:
    """Yield the lines of a graph, some of them marked."""
    for triplet, is_marked in zip(graph.triplets, marks, strict=True):
        yield f"    {mark if is_marked else ' '} {triplet}"
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
    try:
        return triplet_of(_line(typed, FORM))
    except UsageError as error:
        say(f"  {inert(error.message)}")
        return None


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
        after, notes = tuple(check_narrative(narrative)), (*one.notes, *_notes(pairs))
        results.append(
            replace(one, narrative=narrative, changes=tuple(made), after=after, touched=touched, notes=notes)
        )
    return results


def _notes(pairs: Sequence[tuple[Change, dict[str, Any]]]) -> Iterator[str]:
    """Yield the reviewer's notes."""
    for change, decision in pairs:
        if note := decision.get("note"):
            yield f"graph {change.graph + 1}, {change.code}, {decision['decision']}: {note}"
