"""The option --review of ``tsgkit make sceneeval``: a person accepts, edits or drops each generated item.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> one = annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa", "eq,1,lamp"))
>>> for line in lines(one):
...     print(line)
1  eq,1,sofa  (exactly 1 sofa)
2  eq,1,lamp  (exactly 1 lamp)
>>> one = edited(edited(edited(one, "-2"), "+eq,1,sofa,red"), "text A den with a red sofa.")
>>> [spec.text for spec in one.specifications], one.description
(['eq,1,sofa', 'eq,1,sofa,red'], 'A den with a red sofa.')
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.cli.terminal import complain, inert, say
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.overwrites import refuse_to_overwrite
from tsgkit.suites.sceneeval.annotation_replies import kind_of_form
from tsgkit.suites.sceneeval.annotations import (
    KINDS,
    PARSERS,
    Annotation,
    Specification,
    annotation_of,
    annotation_value,
    in_words,
)

if TYPE_CHECKING:
    from tsgkit.runs.decisions import Decisions
    from tsgkit.suites.sceneeval.makers.furniture import Furniture
    from tsgkit.suites.sceneeval.makers.maker import GeneratedItem

KEYS = "a accept, d drop, ? show edit commands, q stop and resume later"
FORMS = "+ENTRY adds one, -NUMBER removes one, NUMBER ENTRY replaces one, text WORDS replaces the description"
_NUMBERED = re.compile(r"(\d{1,4})\s+(\S.*)")
ACCEPTED, EDITED, DROPPED = "accepted", "edited", "dropped"


def require_terminal() -> None:
    """Raise UsageError if standard input is not a terminal."""
    if not sys.stdin.isatty():
        hint = "run it in a terminal, or omit --review to write all items without errors and print warnings"
        raise UsageError("--review needs a terminal, and standard input is not one", hint=hint)


def review_of(
    made: Sequence[GeneratedItem], out: str, table: Furniture, known: Sequence[str] = (), *, force: bool = False
) -> dict[str, str] | None:
    """Return the decision on each item by its name, applying changes, or None if the review was stopped early.

    Without ``force``, the output file must not exist: no question is asked if the result could not be written.
    """
    from tsgkit.runs.decisions import Decisions, shown_as
    from tsgkit.suites.sceneeval.makers.maker import check

    again = partial(check, made, table, known)
    decisions = Decisions(Path(f"{out}.review.jsonl"))
    decided: dict[str, str] = {}
    if any(decisions.find(shown_as(annotation_value(one.annotation))) is None for one in made):
        refuse_to_overwrite(out, force=force)
    for number, one in enumerate(made, 1):
        verdict = _decision(one, decisions, again, f"{number} of {len(made)}")
        if verdict is None:
            complain("review stopped before the end; output not written", "run the same command to resume this review")
            return None
        decided[one.name] = verdict
    return decided


def _decision(one: GeneratedItem, decisions: Decisions, again: Callable[[], None], place: str) -> str | None:
    """Return the earlier or new decision on an item, or None if the person stops."""
    from tsgkit.runs.decisions import shown_as

    name = shown_as(annotation_value(one.annotation))
    kept = decisions.find(name)
    if kept is None:
        kept = _asked(one, again, place)
        if kept is None:
            return None
        decisions.keep(name, kept)
    _apply(one, kept, again)
    return str(kept["decision"])


def _apply(one: GeneratedItem, kept: dict[str, Any], again: Callable[[], None]) -> None:
    """Apply the person's changes to an item."""

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


def _asked(one: GeneratedItem, again: Callable[[], None], place: str) -> dict[str, Any] | None:
    """Show an item until the person decides, and return the decision."""

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
            say("  it cannot be accepted without counts")
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


def _show(one: GeneratedItem, place: str) -> None:

    say(f"{place}: {one.drawn.difficulty}, {' and '.join(one.drawn.rooms)}")
    say(f"  {inert(one.annotation.description)}")
    for line in lines(one.annotation):
        say(f"    {inert(line)}")
    for finding in one.findings:
        hint = f" ({inert(finding.hint)})" if finding.hint else ""
        say(f"  {finding.severity} {finding.code}: {inert(finding.message)}{hint}")


def _line() -> str:
    """Return the typed line, or an empty text at the end of the input."""
    say(f"  {KEYS}:")
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("?" if line else "")


def lines(annotation: Annotation) -> list[str]:
    """Return the entries, numbered, with an explanation in words."""
    return [f"{n}  {spec.text}  ({in_words(spec)})" for n, spec in enumerate(annotation.specifications, 1)]


def edited(annotation: Annotation, command: str) -> Annotation:
    """Return the annotation after an edit command. Raise UsageError or NotationError if the command is invalid."""
    listed, command = list(annotation.specifications), command.strip()
    if command.startswith("text "):
        return replace(annotation, description=" ".join(command[5:].replace(";", ",").split()))
    if command.startswith("+"):
        return _with(annotation, [*listed, _entry(command[1:])])
    if command.startswith("-"):
        place = _place(command[1:].strip(), listed)
        return _with(annotation, [*listed[:place], *listed[place + 1 :]])
    if found := _NUMBERED.fullmatch(command):
        place = _place(found[1], listed)
        return _with(annotation, [*listed[:place], _entry(found[2]), *listed[place + 1 :]])
    raise UsageError(f"{command!r:.60} is not an edit command", hint=FORMS)


def _entry(text: str) -> Specification:
    entry = text.strip()
    if ";" in entry:
        raise UsageError(f"{entry!r:.60}: an entry cannot contain a semicolon", hint="add entries one by one")
    return PARSERS[kind_of_form(entry)](entry)


def _place(text: str, listed: Sequence[Specification]) -> int:
    if not text.isdecimal() or not 0 < int(text) <= len(listed):
        raise UsageError(f"there is no entry {text!r:.20}", hint=f"they are numbered from 1 to {len(listed)}")
    return int(text) - 1


def _with(annotation: Annotation, listed: Sequence[Specification]) -> Annotation:
    """Return the annotation with these entries, sorted by kind."""
    counts, attributes, pairs, built = (tuple(spec for spec in listed if spec.kind == kind) for kind in KINDS)
    return replace(annotation, counts=counts, attributes=attributes, object_relations=pairs, room_relations=built)
