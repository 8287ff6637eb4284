"""The option --review of ``tsgkit make sceneeval``: a person sees what was made, and accepts, changes or drops it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.overwriting import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.runs.decisions import Decisions
    from tsgkit.suites.sceneeval.furniture import Furniture
    from tsgkit.suites.sceneeval.making import Made

KEYS = "a accept, d drop, ? forms of changes, q stop and go on later"
ACCEPTED, EDITED, DROPPED = "accepted", "edited", "dropped"


def require_terminal() -> None:
    """``UsageError`` where nobody can be asked."""
    if not sys.stdin.isatty():
        hint = "run it in a terminal; without --review what has no errors is written, and doubts are told"
        raise UsageError("--review asks a person, and standard input is no terminal", hint=hint)


def review_of(
    made: Sequence[Made], out: str, table: Furniture, known: Sequence[str] = (), *, force: bool = False
) -> dict[str, str] | None:
    """How each was decided, by its name, changes being made; None where the review was left before its end.

    Nobody is asked for what could not be written: without ``force``, nothing may lie in the place of ``out``.
    """
    from tsgkit.runs.decisions import Decisions, shown_as
    from tsgkit.suites.sceneeval.annotations import annotation_value
    from tsgkit.suites.sceneeval.making import check

    again = partial(check, made, table, known)
    decisions = Decisions(Path(f"{out}.review.jsonl"))
    decided: dict[str, str] = {}
    if any(decisions.find(shown_as(annotation_value(one.annotation))) is None for one in made):
        refuse_to_overwrite(out, force=force)
    for number, one in enumerate(made, 1):
        verdict = _decision(one, decisions, again, f"{number} of {len(made)}")
        if verdict is None:
            complain("left before the end; nothing was written", "the same command goes on with this review")
            return None
        decided[one.name] = verdict
    return decided


def _decision(one: Made, decisions: Decisions, again: Callable[[], None], place: str) -> str | None:
    """What was decided of one earlier, or is decided now; None where the person leaves."""
    from tsgkit.runs.decisions import shown_as
    from tsgkit.suites.sceneeval.annotations import annotation_value

    name = shown_as(annotation_value(one.annotation))
    kept = decisions.find(name)
    if kept is None:
        kept = _asked(one, again, place)
        if kept is None:
            return None
        decisions.keep(name, kept)
    _apply(one, kept, again)
    return str(kept["decision"])


def _apply(one: Made, kept: dict[str, Any], again: Callable[[], None]) -> None:
    """Make the changes that a person made."""
    from tsgkit.suites.sceneeval.annotations import annotation_of

    if kept["decision"] == EDITED:
        now = one.annotation
        one.annotation = annotation_of(
            now.item_id,
            now.difficulty,
            kept["description"],
            kept["counts"],
            kept["attributes"],
            kept["object_relations"],
            kept["room_relations"],
            now.room_type,
        )
        one.findings = ()
        again()


def _asked(one: Made, again: Callable[[], None], place: str) -> dict[str, Any] | None:
    """Show one until it is decided."""
    from tsgkit.suites.sceneeval.annotations import annotation_value
    from tsgkit.suites.sceneeval.reviewing import FORMS, edited

    first = one.annotation
    _show(one, place)
    while True:
        typed = _line()
        if typed in ("", "q"):
            one.annotation = first
            return None
        if typed == "d":
            one.annotation = first
            return {"decision": DROPPED}
        if typed == "a":
            if one.annotation.counts:
                changed = one.annotation != first
                value = annotation_value(one.annotation) if changed else {}
                return {"decision": EDITED if changed else ACCEPTED} | value
            say("  nothing is counted, so it cannot be accepted")
        elif typed == "?":
            say(f"  {FORMS}")
        else:
            try:
                one.annotation = edited(one.annotation, typed)
            except TsgkitError as error:
                say(f"  {inert(error.message)}" + (f"; {inert(error.hint)}" if error.hint else ""))
                continue
            one.findings = ()
            again()
            _show(one, place)


def _show(one: Made, place: str) -> None:
    from tsgkit.suites.sceneeval.reviewing import lines

    say(f"{place}: {one.drawn.difficulty}, {' and '.join(one.drawn.rooms)}")
    say(f"  {inert(one.annotation.description)}")
    for line in lines(one.annotation):
        say(f"    {inert(line)}")
    for finding in one.findings:
        hint = f" ({inert(finding.hint)})" if finding.hint else ""
        say(f"  {finding.severity} {finding.code}: {inert(finding.message)}{hint}")


def _line() -> str:
    """What is typed; empty at the end of the input."""
    say(f"  {KEYS}:")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("?" if line else "")
