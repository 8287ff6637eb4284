"""Prompts that ask for annotations: their texts, and the description that goes into them.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> from tsgkit.suites.styles import style_of
>>> prompter = Prompter(AnnotationTexts.of("sceneeval/annotate"), style_of("zero-shot"))
>>> prompter.text(annotation_of("0", "easy", "A {den}.", ["eq,1,sofa"])).split("\\n\\n")[-2]
'A {den}.'
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation
from tsgkit.suites.solvers.prompter import Prompter

__all__ = ["AnnotationTexts", "Prompter", "answer_text"]

SHOWN = ("number", "input", "answer")
PARTS: Mapping[str, tuple[str, ...]] = {
    "statement": (),
    "entries": (),
    "rules": (),
    "reasoning": (),
    "examples": ("examples",),
    "example": SHOWN,
    "example-reasoned": (*SHOWN, "rationale"),
    "input": ("description",),
    "answer": (),
    "answer-reasoned": (),
    "answer-structured": (),
}
"""The parts of a prompt, and the fields they must have."""
LIST = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {FIELDS[kind]: LIST for kind in KINDS},
    "required": [FIELDS[kind] for kind in KINDS],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class AnnotationTexts:
    """The texts that ask for annotations, by the names of the parts."""

    parts: Mapping[str, Template]
    answer_name: str = "annotation"
    whole: Template | None = None
    fields: tuple[Collection[str], Collection[str]] = (("description",), ())

    @classmethod
    def of(cls, room: str, folder: str | Path | None = None) -> AnnotationTexts:
        """The parts of a folder of prompts, from one the caller names (None: the working project, then ours)."""
        if folder is not None:
            _check_own(Path(folder), room)
        folders = () if folder is None else (Path(folder),)
        found = {name: find("prompts", f"{room}/{name}.txt", folders) for name in PARTS}
        return cls({name: _part(load_template(found[name], required=PARTS[name])) for name in PARTS})

    @property
    def sources(self) -> dict[str, str]:
        """Where each part comes from."""
        return {name: part.source for name, part in self.parts.items()}

    @property
    def opening(self) -> Sequence[str]:
        """The statement, the forms of entries, and the rules."""
        return [self.part(name).render() for name in ("statement", "entries", "rules")]

    def part(self, name: str) -> Template:
        """Return a part."""
        return self.parts[name]

    def values(self, item: Annotation) -> Mapping[str, str]:
        """Return the description."""
        return {"description": item.description}

    def schema(self, item: Annotation) -> dict[str, Any]:
        """Return the JSON schema of an annotation, the same for all descriptions."""
        return SCHEMA

    def hashed(self, style: Sequence[object], head: str, tail: str) -> Sequence[object]:
        """Return what a fingerprint is made of."""
        return ["annotate", style, head, "{head}" + tail]


def _part(template: Template) -> Template:
    """A part without the line breaks that end its file."""
    return replace(template, text=template.text.replace("\r\n", "\n").strip("\n"))


def _check_own(folder: Path, room: str) -> None:
    """Whether the caller's folder has parts of these prompts, and no file that no prompt reads."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of prompts")
    own = (folder / "prompts" if (folder / "prompts").is_dir() else folder) / room
    if not own.is_dir():
        raise UsageError(f"{folder}: has no prompts for this task", hint=f"parts lie in {own}/")
    for file in sorted(own.glob("*.txt")):
        if file.stem not in PARTS:
            raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=meant(file.stem, PARTS))


def answer_text(annotation: Annotation) -> str:
    """An annotation in the form that is asked for, a list a line.

    >>> from tsgkit.suites.sceneeval.annotations import annotation_of
    >>> print(answer_text(annotation_of("0", "", "", ["eq,1,bed"])))
    {
      "counts": ["eq,1,bed"],
      "attributes": [],
      "object_relations": [],
      "room_relations": []
    }
    """
    return _lists({FIELDS[kind]: [spec.text for spec in annotation.of_kind(kind)] for kind in KINDS})


def _lists(fields: Mapping[str, Sequence[str]]) -> str:
    lines = (f"  {json.dumps(name)}: {json.dumps(entries, ensure_ascii=False)}" for name, entries in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"
