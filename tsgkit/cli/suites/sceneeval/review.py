"""The review of ``tsgkit make sceneeval``: a person accepts, edits or drops each generated item, here or on a page.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> one = annotation_of("0", "easy", "A den with a sofa.", ("eq,1,sofa", "eq,1,lamp"))
>>> for line in lines(one):
...     print(line)
1  eq,1,sofa  (exactly 1 sofa)
2  eq,1,lamp  (exactly 1 lamp)
>>> one = changed(changed(changed(one, "-2"), "+eq,1,sofa,red"), "text A den with a red sofa.")
>>> [spec.text for spec in one.specifications], one.description
(['eq,1,sofa', 'eq,1,sofa,red'], 'A den with a red sofa.')
>>> rewritten(one, {"description": "A den.", "entries": "eq,2,sofa\\n"}).counts[0].text
'eq,2,sofa'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.graph.rules import Finding
from tsgkit.runs.decisions import Decision, Decisions, shown_as
from tsgkit.serve.decision_protocol import EDIT, Choice, DecisionQueue, EntryPart, QueueItem, ShownEntry
from tsgkit.suites.sceneeval.annotation_replies import kind_of_form
from tsgkit.suites.sceneeval.annotations import (
    KINDS,
    PARSERS,
    Annotation,
    Specification,
    annotation_value,
    in_words,
)
from tsgkit.suites.sceneeval.makers.maker import GeneratedItem, check, findings_with, one_line
from tsgkit.suites.sceneeval.word_meanings import Furniture

FORMS = "+ENTRY adds one, -NUMBER removes one, NUMBER ENTRY replaces one, text WORDS replaces the description"
_NUMBERED = re.compile(r"(\d{1,4})\s+(\S.*)")
ACCEPTED, EDITED, DROPPED = "accepted", "edited", "dropped"
VERDICTS = {"accept": ACCEPTED, "edit": EDITED, "drop": DROPPED}
DESCRIPTION, ENTRIES = "description", "entries"


class ItemReview:
    """Generated items as a queue of decisions, which are applied before an item is shown, and may be changed until all
    are made."""

    def __init__(
        self, made: Sequence[GeneratedItem], decisions: Decisions, table: Furniture, out: str, known: Sequence[str] = ()
    ) -> None:
        self.made, self.table, self.known = made, table, known
        self._generated = [item.annotation for item in made]
        self._findings = [item.findings for item in made]
        self.queue = DecisionQueue(
            "Review of generated rooms",
            f"The command goes on and writes {out}.",
            [
                QueueItem(
                    shown_as(annotation_value(item.annotation)),
                    f"{item.drawn.difficulty}, {' and '.join(item.drawn.rooms)}",
                    item.drawn.difficulty,
                )
                for item in made
            ],
            decisions,
            choices=self._choices,
            show=self._shown,
            record=self._record,
            labels=VERDICTS,
            preview=lambda number, edited: self._parts(number, rewritten(self._generated[number], edited)),
            typed=self._typed,
            forms=FORMS,
        )

    def verdicts(self) -> dict[str, str]:
        """Apply the decisions, and return them by the names of the items."""
        self._apply()
        decisions = zip(self.made, self.queue.entries(), strict=True)
        return {item.name: entry["decision"] for item, entry in decisions if entry["decision"] is not None}

    def _choices(self, number: int) -> list[Choice]:
        decision = self.queue.decision(number)
        is_edited = decision is not None and decision["choice"] == EDIT
        return [
            {"choice": "accept", "label": "Accept as generated" if is_edited else "Accept", "key": "a"},
            {"choice": "drop", "label": "Drop", "key": "d"},
            {"choice": "edit", "label": "Edit", "key": "e"},
        ]

    def _shown(self, number: int) -> ShownEntry:
        """Return an item as it is now: as generated, or as it was edited."""
        self._apply()
        annotation, about = self.made[number].annotation, "Entries, one a line, as in eq,1,sofa"
        fields = [
            {"name": DESCRIPTION, "label": "Description", "text": annotation.description},
            {"name": ENTRIES, "label": about, "text": entry_text(annotation)},
        ]
        return ShownEntry(self._parts(number, annotation), {"kind": "texts", "value": fields})

    def _record(self, number: int, choice: str, edited: Any) -> Decision:  # noqa: ANN401  (as JSON has it)
        """Return what is kept. Raise ``UsageError`` if an item that is accepted has no counts."""
        generated = self._generated[number]
        annotation = rewritten(generated, edited) if choice == EDIT else generated
        if choice != "drop" and not annotation.counts:
            raise UsageError("it cannot be accepted without counts", hint="add one, as in eq,1,sofa, or drop the item")
        if choice == EDIT and annotation == generated:
            choice = "accept"
        return {"choice": choice, "edited": {DESCRIPTION: annotation.description, ENTRIES: entry_text(annotation)}}

    def _typed(self, number: int, edited: Any, line: str) -> Any:  # noqa: ANN401
        """Return the texts of an item after an edit command."""
        generated = self._generated[number]
        annotation = changed(generated if edited is None else rewritten(generated, edited), line)
        return {DESCRIPTION: annotation.description, ENTRIES: entry_text(annotation)}

    def _parts(self, number: int, annotation: Annotation) -> Sequence[EntryPart]:
        item = self.made[number]
        is_present = annotation == item.annotation
        findings = item.findings if is_present else findings_with(self.made, number, annotation, self.table, self.known)
        return [
            {"kind": "text", "title": "Description", "text": annotation.description},
            {"kind": "lines", "title": "Entries", "lines": lines(annotation)},
            {"kind": "lines", "title": "Findings", "lines": list(map(finding_line, findings))},
        ]

    def _apply(self) -> None:
        """Apply the decisions, and check all again if an item is changed by one."""
        annotations = list(self._generated)
        for number, generated in enumerate(self._generated):
            decision = self.queue.decision(number)
            if decision is not None and decision["choice"] == EDIT:
                annotations[number] = rewritten(generated, decision["edited"])
        if annotations == [item.annotation for item in self.made]:
            return
        for item, annotation, generated, findings in zip(
            self.made, annotations, self._generated, self._findings, strict=True
        ):
            item.annotation, item.findings = annotation, findings if annotation == generated else ()
        check(self.made, self.table, self.known)


def lines(annotation: Annotation) -> list[str]:
    """Return the entries, numbered, with an explanation in words."""
    return [f"{n}  {spec.text}  ({in_words(spec)})" for n, spec in enumerate(annotation.specifications, 1)]


def entry_text(annotation: Annotation) -> str:
    """Return the entries, one a line."""
    return "\n".join(spec.text for spec in annotation.specifications)


def finding_line(finding: Finding) -> str:
    """Return a finding as one line."""
    hint = f" ({finding.hint})" if finding.hint else ""
    return f"{finding.severity} {finding.code}: {finding.message}{hint}"


def rewritten(annotation: Annotation, edited: Any) -> Annotation:  # noqa: ANN401  (as JSON has it)
    """Return an annotation with the texts of the form. Raise ``UsageError`` for an entry that is none."""
    texts = edited if isinstance(edited, dict) else {}
    description, entries = texts.get(DESCRIPTION), texts.get(ENTRIES)
    if not (isinstance(description, str) and isinstance(entries, str)):
        raise UsageError("an edit has two texts", hint=f"{DESCRIPTION} and {ENTRIES}, one entry a line")
    listed = []
    for number, entry in enumerate(entries.splitlines(), 1):
        try:
            listed += [_entry(entry)] if entry.strip() else []
        except TsgkitError as error:
            raise UsageError(f"line {number}: {error.message}", hint=error.hint) from None
    return _with(replace(annotation, description=one_line(description)), listed)


def changed(annotation: Annotation, command: str) -> Annotation:
    """Return the annotation after an edit command. Raise UsageError or NotationError if the command is invalid."""
    listed, command = list(annotation.specifications), command.strip()
    if command.startswith("text "):
        return replace(annotation, description=one_line(command[5:]))
    if command.startswith("+"):
        return _with(annotation, [*listed, _entry(command[1:])])
    if command.startswith("-"):
        index = _index(command[1:].strip(), listed)
        return _with(annotation, [*listed[:index], *listed[index + 1 :]])
    if match := _NUMBERED.fullmatch(command):
        index = _index(match[1], listed)
        return _with(annotation, [*listed[:index], _entry(match[2]), *listed[index + 1 :]])
    raise UsageError(f"{command!r:.60} is not an edit command", hint=FORMS)


def _entry(text: str) -> Specification:
    entry = text.strip()
    if ";" in entry:
        raise UsageError(f"{entry!r:.60}: an entry cannot contain a semicolon", hint="add entries one by one")
    return PARSERS[kind_of_form(entry)](entry)


def _index(text: str, listed: Sequence[Specification]) -> int:
    if not text.isdecimal() or not 0 < int(text) <= len(listed):
        raise UsageError(f"there is no entry {text!r:.20}", hint=f"they are numbered from 1 to {len(listed)}")
    return int(text) - 1


def _with(annotation: Annotation, listed: Sequence[Specification]) -> Annotation:
    """Return the annotation with these entries, sorted by kind."""
    counts, attributes, pairs, built = (tuple(spec for spec in listed if spec.kind == kind) for kind in KINDS)
    return replace(annotation, counts=counts, attributes=attributes, object_relations=pairs, room_relations=built)
