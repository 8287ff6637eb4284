"""How a person changes an annotation that was made: entries are added, taken out and written anew by their numbers.

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
from collections.abc import Sequence
from dataclasses import replace

from tsgkit.errors import UsageError
from tsgkit.suites.sceneeval.annotation_replies import kind_of_form
from tsgkit.suites.sceneeval.annotations import KINDS, PARSERS, Annotation, Specification, annotation_of, in_words

__all__ = ["FORMS", "annotation_of", "edited", "lines"]

FORMS = "+ENTRY adds one, -NUMBER takes one out, NUMBER ENTRY writes one anew, text WORDS writes the description anew"
_NUMBERED = re.compile(r"(\d{1,4})\s+(\S.*)")


def lines(annotation: Annotation) -> list[str]:
    """The entries with their numbers and what they say in words."""
    return [f"{n}  {spec.text}  ({in_words(spec)})" for n, spec in enumerate(annotation.specifications, 1)]


def edited(annotation: Annotation, command: str) -> Annotation:
    """The annotation after a change; ``UsageError`` or ``NotationError`` says why there is none."""
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
    raise UsageError(f"{command!r:.60} is no change", hint=FORMS)


def _entry(text: str) -> Specification:
    entry = text.strip()
    if ";" in entry:
        raise UsageError(f"{entry!r:.60}: a semicolon parts entries", hint="add one after the other")
    return PARSERS[kind_of_form(entry)](entry)


def _place(text: str, listed: Sequence[Specification]) -> int:
    if not text.isdecimal() or not 0 < int(text) <= len(listed):
        raise UsageError(f"there is no entry {text!r:.20}", hint=f"they are numbered from 1 to {len(listed)}")
    return int(text) - 1


def _with(annotation: Annotation, listed: Sequence[Specification]) -> Annotation:
    """The annotation with these entries, each among those of its kind."""
    counts, attributes, pairs, built = (tuple(spec for spec in listed if spec.kind == kind) for kind in KINDS)
    return replace(annotation, counts=counts, attributes=attributes, object_relations=pairs, room_relations=built)
