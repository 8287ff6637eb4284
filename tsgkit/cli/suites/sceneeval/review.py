"""The review of ``tsgkit make sceneeval``: a person accepts, edits or drops each generated item."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.suites.sceneeval.item_review import FORMS, ItemReview, edited, finding_line, lines
from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import TsgkitError
from tsgkit.library.overwrites import refuse_to_overwrite
from tsgkit.runs.decisions import Decisions

if TYPE_CHECKING:
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.makers.furniture import Furniture
    from tsgkit.suites.sceneeval.makers.maker import GeneratedItem

KEYS = "a accept, d drop, ? show edit commands, q stop and resume later"


def review_of(
    made: Sequence[GeneratedItem],
    out: str,
    table: Furniture,
    known: Sequence[str] = (),
    *,
    force: bool = False,
    in_browser: bool = False,
) -> dict[str, str] | None:
    """Return the decision on each item by its name, applying changes, or None if the review was stopped early.

    The decisions are made in the terminal or on a page. Without ``force``, the output file must not exist: no question
    is asked if the result could not be written.
    """
    review = ItemReview(made, Decisions(Path(f"{out}.review.jsonl")), table, known)
    if review.left:
        refuse_to_overwrite(out, force=force)
        if not (_on_page(review, out) if in_browser else _in_terminal(review)):
            complain("review stopped before the end; output not written", "run the same command to resume this review")
            return None
    return review.verdicts


def _on_page(review: ItemReview, out: str) -> bool:
    """Ask for the decisions on a page, and return whether all are made."""
    from tsgkit.cli.suites.sceneeval.review_page import ItemReviewPage
    from tsgkit.serve.decision_page import decide_in_browser

    return decide_in_browser(ItemReviewPage(review, out), say=say)


def _in_terminal(review: ItemReview) -> bool:
    """Ask for the decisions that are missing, and return whether all are made."""
    total = len(review.made)
    for number in range(total):
        if review.decision(number) is None and not _ask(review, number, f"{number + 1} of {total}"):
            return False
    return True


def _ask(review: ItemReview, number: int, place: str) -> bool:
    """Show an item until the person decides; False where the person stops."""
    annotation = review.generated(number)
    _show(review, number, annotation, place)
    while (typed := _line()) not in ("", "q"):
        try:
            if typed == "?":
                say(f"  {FORMS}")
            elif typed == "d":
                review.drop(number)
                return True
            elif typed == "a":
                review.accept(number, annotation)
                return True
            else:
                annotation = edited(annotation, typed)
                _show(review, number, annotation, place)
        except TsgkitError as error:
            say(f"  {inert(error.message)}" + (f"; {inert(error.hint)}" if error.hint else ""))
    return False


def _show(review: ItemReview, number: int, annotation: Annotation, place: str) -> None:
    drawn = review.made[number].drawn
    say(f"{place}: {drawn.difficulty}, {' and '.join(drawn.rooms)}")
    say(f"  {inert(annotation.description)}")
    for line in lines(annotation):
        say(f"    {inert(line)}")
    for finding in review.findings(number, annotation):
        say(f"  {inert(finding_line(finding))}")


def _line() -> str:
    """Return the typed line, or an empty text at the end of the input."""
    say(f"  {KEYS}:")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("?" if line else "")
