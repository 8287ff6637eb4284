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
from tsgkit.runs.decisions import Decisions, shown_as
from tsgkit.serve.decision_protocol import Entry, Part, Shown
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
from tsgkit.suites.sceneeval.furniture import Furniture
from tsgkit.suites.sceneeval.makers.maker import GeneratedItem, check, findings_with, one_line

FORMS = "+ENTRY adds one, -NUMBER removes one, NUMBER ENTRY replaces one, text WORDS replaces the description"
_NUMBERED = re.compile(r"(\d{1,4})\s+(\S.*)")
ACCEPTED, EDITED, DROPPED = "accepted", "edited", "dropped"
CHOICE_OF = {ACCEPTED: "accept", EDITED: "edit", DROPPED: "drop"}
DESCRIPTION, ENTRIES = "description", "entries"
TEXTS = ("description", "counts", "attributes", "object_relations", "room_relations")
"""The texts of an annotation in a decision."""


class ItemReview:
    """Generated items as entries of a page; decisions are applied at once, and may be changed until all are made."""

    title = "Review of generated rooms"
    in_order = False
    forms = FORMS

    def __init__(
        self, made: Sequence[GeneratedItem], decisions: Decisions, table: Furniture, out: str, known: Sequence[str] = ()
    ) -> None:
        self.made, self.decisions, self.table, self.known = made, decisions, table, known
        self.done_message = f"The command goes on and writes {out}."
        self._generated = [(item.annotation, item.findings) for item in made]
        self._names = [shown_as(annotation_value(item.annotation)) for item in made]
        self._apply(range(len(made)))

    @property
    def verdicts(self) -> dict[str, str]:
        """The decisions by the names of the items."""
        decisions = zip(self.made, self.entries(), strict=True)
        return {item.name: entry["decision"] for item, entry in decisions if entry["decision"] is not None}

    def entries(self) -> list[Entry]:
        """Return all items with their decisions."""
        decisions = map(self.decisions.find, self._names)
        return [
            {
                "name": self._name(number),
                "decision": None if decision is None else str(decision["decision"]),
                "kind": self.made[number].drawn.difficulty,
            }
            for number, decision in enumerate(decisions)
        ]

    def shown(self, number: int) -> Shown:
        """Return an item as it is now: as generated, or as it was edited."""
        annotation, decision = self.made[number].annotation, self.decisions.find(self._names[number])
        is_edited = decision is not None and decision["decision"] == EDITED
        about = "Entries, one a line, as in eq,1,sofa"
        return {
            "name": self._name(number),
            "context": [],
            "parts": self._parts(number, annotation),
            "reason": "",
            "code": "",
            "choices": [
                {"choice": "accept", "label": "Accept as generated" if is_edited else "Accept", "key": "a"},
                {"choice": "drop", "label": "Drop", "key": "d"},
                {"choice": "edit", "label": "Edit", "key": "e"},
            ],
            "edit": {
                "kind": "texts",
                "value": [
                    {"name": DESCRIPTION, "label": "Description", "text": annotation.description, "is_long": True},
                    {"name": ENTRIES, "label": about, "text": entry_text(annotation), "is_long": True},
                ],
            },
            "decided": None
            if decision is None
            else {"choice": CHOICE_OF[decision["decision"]], "note": str(decision.get("note", ""))},
        }

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401  (as JSON has it)
        """Return an item as an edit would make it, with its findings."""
        return self._parts(number, rewritten(self._generated[number][0], edited))

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        """Keep the decision of the page."""
        if choice not in CHOICE_OF.values():
            raise UsageError(f"there is no choice {choice!r:.40}", hint="accept, drop or edit")
        generated, _ = self._generated[number]
        if choice == "drop":
            self._keep(number, {"decision": DROPPED}, note)
        else:
            self.accept(number, rewritten(generated, edited) if choice == "edit" else generated, note)

    def accept(self, number: int, annotation: Annotation, note: str = "") -> None:
        """Keep an item, as generated or changed. Raise ``UsageError`` if it has no counts."""
        if not annotation.counts:
            raise UsageError("it cannot be accepted without counts", hint="add one, as in eq,1,sofa, or drop the item")
        is_changed = annotation != self._generated[number][0]
        value = {"decision": EDITED} | annotation_value(annotation) if is_changed else {"decision": ACCEPTED}
        self._keep(number, value, note)

    def typed(self, number: int, edited: Any, line: str) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return the texts of an item after an edit command."""
        generated, _ = self._generated[number]
        annotation = changed(generated if edited is None else rewritten(generated, edited), line)
        return {DESCRIPTION: annotation.description, ENTRIES: entry_text(annotation)}

    def _name(self, number: int) -> str:
        drawn = self.made[number].drawn
        return f"{drawn.difficulty}, {' and '.join(drawn.rooms)}"

    def _parts(self, number: int, annotation: Annotation) -> Sequence[Part]:
        findings = list(map(finding_line, self._findings(number, annotation)))
        return [
            {"kind": "text", "title": "Description", "text": annotation.description},
            {"kind": "lines", "title": "Entries", "lines": lines(annotation)},
            {"kind": "lines", "title": "Findings", "lines": findings},
        ]

    def _findings(self, number: int, annotation: Annotation) -> tuple[Finding, ...]:
        """Return the findings of an item as they would be with another annotation."""
        if annotation == self.made[number].annotation:
            return self.made[number].findings
        return findings_with(self.made, number, annotation, self.table, self.known)

    def _keep(self, number: int, value: dict[str, Any], note: str) -> None:
        self.decisions.keep(self._names[number], value | ({"note": note} if note else {}))
        self._apply([index for index, name in enumerate(self._names) if name == self._names[number]])

    def _apply(self, numbers: Sequence[int]) -> None:
        """Apply the decisions about some items, and check all again if one of them is changed."""
        before = [item.annotation for item in self.made]
        for number in numbers:
            item, decision = self.made[number], self.decisions.find(self._names[number])
            item.annotation, item.findings = generated, _ = self._generated[number]
            if decision is not None and decision["decision"] == EDITED:
                texts = {name: decision[name] for name in TEXTS}
                item_id, level, room = generated.item_id, generated.difficulty, generated.room_type
                item.annotation, item.findings = annotation_of(item_id, level, room_type=room, **texts), ()
        if [item.annotation for item in self.made] != before:
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
