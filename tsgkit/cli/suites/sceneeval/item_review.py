"""Decisions of a person about generated items, whichever way they are asked for: accept, edit or drop.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> one = annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa", "eq,1,lamp"))
>>> for line in lines(one):
...     print(line)
1  eq,1,sofa  (exactly 1 sofa)
2  eq,1,lamp  (exactly 1 lamp)
>>> one = edited(edited(edited(one, "-2"), "+eq,1,sofa,red"), "text A den with a red sofa.")
>>> [spec.text for spec in one.specifications], one.description
(['eq,1,sofa', 'eq,1,sofa,red'], 'A den with a red sofa.')
>>> rewritten(one, "A den.", ["eq,2,sofa", ""]).counts[0].text
'eq,2,sofa'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.runs.decisions import Decisions, shown_as
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
from tsgkit.suites.sceneeval.makers.maker import check, findings_with, one_line

if TYPE_CHECKING:
    from tsgkit.graph.rules import Finding
    from tsgkit.suites.sceneeval.makers.furniture import Furniture
    from tsgkit.suites.sceneeval.makers.maker import GeneratedItem

FORMS = "+ENTRY adds one, -NUMBER removes one, NUMBER ENTRY replaces one, text WORDS replaces the description"
_NUMBERED = re.compile(r"(\d{1,4})\s+(\S.*)")
ACCEPTED, EDITED, DROPPED = "accepted", "edited", "dropped"


class ItemReview:
    """Generated items with the decisions about them; those in the file are applied at once."""

    def __init__(
        self, made: Sequence[GeneratedItem], decisions: Decisions, table: Furniture, known: Sequence[str] = ()
    ) -> None:
        self.made = made
        self._decisions, self._table, self._known = decisions, table, known
        self._generated = [(one.annotation, one.findings) for one in made]
        self._names = [shown_as(annotation_value(one.annotation)) for one in made]
        self._apply(range(len(made)))

    def decision(self, number: int) -> dict[str, Any] | None:
        """Return the decision about an item."""
        return self._decisions.find(self._names[number])

    @property
    def left(self) -> list[int]:
        """The numbers of items without a decision."""
        return [number for number in range(len(self.made)) if self.decision(number) is None]

    @property
    def verdicts(self) -> dict[str, str]:
        """The decisions by the names of the items."""
        found = ((one, self.decision(number)) for number, one in enumerate(self.made))
        return {one.name: str(decision["decision"]) for one, decision in found if decision is not None}

    def generated(self, number: int) -> Annotation:
        """Return an item as it was generated."""
        return self._generated[number][0]

    def findings(self, number: int, annotation: Annotation) -> tuple[Finding, ...]:
        """Return the findings of an item as they would be with another annotation."""
        if annotation == self.made[number].annotation:
            return self.made[number].findings
        return findings_with(self.made, number, annotation, self._table, self._known)

    def accept(self, number: int, annotation: Annotation, note: str = "") -> None:
        """Keep an item, as generated or changed. Raise ``UsageError`` if it has no counts."""
        if not annotation.counts:
            raise UsageError("it cannot be accepted without counts", hint="add one, as in eq,1,sofa, or drop the item")
        changed = annotation != self.generated(number)
        self._keep(
            number, {"decision": EDITED} | annotation_value(annotation) if changed else {"decision": ACCEPTED}, note
        )

    def drop(self, number: int, note: str = "") -> None:
        """Leave an item out."""
        self._keep(number, {"decision": DROPPED}, note)

    def _keep(self, number: int, value: dict[str, Any], note: str) -> None:
        self._decisions.keep(self._names[number], value | ({"note": note} if note else {}))
        self._apply([place for place, name in enumerate(self._names) if name == self._names[number]])

    def _apply(self, numbers: Sequence[int]) -> None:
        """Apply the decisions about some items, and check all again if one of them is changed."""
        before = [one.annotation for one in self.made]
        for number in numbers:
            one, decision = self.made[number], self.decision(number)
            one.annotation, one.findings = self._generated[number]
            if decision is not None and decision["decision"] == EDITED:
                one.annotation, one.findings = _changed(one.annotation, decision), ()
        if [one.annotation for one in self.made] != before:
            check(self.made, self._table, self._known)


def _changed(now: Annotation, kept: dict[str, Any]) -> Annotation:
    """Return an annotation with the texts of a decision."""
    return annotation_of(
        now.item_id,
        now.difficulty,
        kept["description"],
        kept["counts"],
        kept["attributes"],
        kept["object_relations"],
        kept["room_relations"],
        now.room_type,
    )


def lines(annotation: Annotation) -> list[str]:
    """Return the entries, numbered, with an explanation in words."""
    return [f"{n}  {spec.text}  ({in_words(spec)})" for n, spec in enumerate(annotation.specifications, 1)]


def finding_line(finding: Finding) -> str:
    """Return a finding as one line."""
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.severity} {finding.code}: {finding.message}{hint}"


def rewritten(annotation: Annotation, description: str, entries: Sequence[str]) -> Annotation:
    """Return the annotation with another description and other entries. Raise ``UsageError`` for one that is none."""
    listed = []
    for number, entry in enumerate(entries, 1):
        if entry.strip():
            try:
                listed.append(_entry(entry))
            except TsgkitError as error:
                raise UsageError(f"line {number}: {error.message}", hint=error.hint) from None
    return _with(replace(annotation, description=one_line(description)), listed)


def edited(annotation: Annotation, command: str) -> Annotation:
    """Return the annotation after an edit command. Raise UsageError or NotationError if the command is invalid."""
    listed, command = list(annotation.specifications), command.strip()
    if command.startswith("text "):
        return replace(annotation, description=one_line(command[5:]))
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
