"""Prompts that ask for annotations: parts put together in a style, with one description in them.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> prompter = Prompter(load_card("sceneeval/annotate"), style_of("zero-shot"), Texts.of("sceneeval/annotate"))
>>> prompter.text(annotation_of("0", "easy", "A {den}.", ["eq,1,sofa"])).split("\\n\\n")[-2]
'A {den}.'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.suites.sceneeval.annotation_examples import Example
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation
from tsgkit.suites.styles import Style, style_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = ["Prompter", "Style", "Texts", "answer_text", "style_of"]

BETWEEN = "\n\n"
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
class Texts:
    """The parts by name."""

    parts: Mapping[str, Template]

    @classmethod
    def of(cls, room: str, folder: str | Path | None = None) -> Texts:
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


@dataclass(frozen=True)
class Prompter:
    """The prompts of one style."""

    card: Card
    style: Style
    texts: Texts
    examples: tuple[Example, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.examples) != self.style.shots:
            raise UsageError(f"style {self.style.name} shows {self.style.shots} examples, not {len(self.examples)}")

    def text(self, sample: Annotation) -> str:
        """The prompt of a description."""
        return self._template.render(description=sample.description, head=self._head)

    def messages(self, sample: Annotation) -> list[BaseMessage]:
        """The prompt as it is sent: one message of a user, none of the system."""
        from langchain_core.messages import HumanMessage

        return [HumanMessage(content=self.text(sample))]

    @cached_property
    def schema(self) -> dict[str, Any] | None:
        """The format of an answer in a JSON schema, as providers take it; None where the style asks for text."""
        if not self.style.schema:
            return None
        return {"type": "json_schema", "json_schema": {"name": "annotation", "schema": SCHEMA, "strict": True}}

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of all that is said beside the description."""
        style = [self.style.name, self.style.reasoning, self.style.shots, self.style.schema]
        said = json.dumps(["annotate", style, self._head, self._template.text])
        return hashlib.sha256(said.encode("ascii")).hexdigest()

    @cached_property
    def _head(self) -> str:
        """What comes before the description."""
        names = ["statement", "entries", "rules", *(["reasoning"] if self.style.reasoning else [])]
        parts = [self.texts.parts[name].render() for name in names]
        if self.examples:
            parts.append(self.texts.parts["examples"].render(examples=BETWEEN.join(self._shown_examples())))
        return BETWEEN.join([*filter(None, parts), ""])

    @cached_property
    def _template(self) -> Template:
        """The description and the form of the answer."""
        ending = "-structured" if self.style.schema else "-reasoned" if self.style.reasoning else ""
        parts = [self.texts.parts["input"].text, self.texts.parts[f"answer{ending}"].text]
        text = "{head}" + BETWEEN.join(filter(None, parts))
        return Template.of(text, required=("head", "description"), source=f"prompts of {self.card.name}")

    def _shown_examples(self) -> list[str]:
        frame = self.texts.parts["example-reasoned" if self.style.reasoning else "example"]
        return [
            frame.render(
                number=str(number),
                input=self.texts.parts["input"].render(description=example.annotation.description),
                answer=answer_text(example.annotation),
                rationale=example.rationale,
            )
            for number, example in enumerate(self.examples, 1)
        ]


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
