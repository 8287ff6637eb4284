"""Prompts: a task's parts put together in a style, with the words of one item in them.

>>> from tsgkit.library.cards import load_card
>>> from tsgkit.suites.formalimg.rows import sample_from
>>> row = {"scenario": "knolling", "id": 0, "prompt": "A red {cup}.", "dsl": "(exists ?x (Is ?x 'cup'))"}
>>> prompter = Prompter(load_card("formalimg/layout"), style_of("zero-shot"))
>>> prompter.text(sample_from(row, "row", 0)).split("\\n\\n")[-2]
'A red {cup}.'
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.suites.formalimg.examples import Example
from tsgkit.suites.formalimg.rows import FormulaSample
from tsgkit.suites.styles import Style, style_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = ["Prompter", "Style", "Texts", "style_of"]

SUITE = "formalimg"
BETWEEN = "\n\n"
SHOWN = ("number", "input", "answer")
FIELDS: dict[str, dict[str, tuple[str, ...]]] = {
    "layout": {
        "statement": (),
        "rules": (),
        "vocabulary": ("classes", "colors"),
        "reasoning": (),
        "examples": ("examples",),
        "example": SHOWN,
        "example-reasoned": (*SHOWN, "rationale"),
        "input": ("prompt",),
        "answer": (),
        "answer-reasoned": (),
        "answer-structured": (),
    },
    "grounding": {"one-class": ("label", "colors"), "all-classes": ("classes", "colors")},
    "natural": {"judge": ("prompt", "formula", "clauses")},
    "pictures": {
        "knolling": (),
        "rules": (),
        "layout-text": ("layout",),
        "layout-drawn": (),
        "instruction": ("prompt",),
    },
}
"""The parts of each folder of prompts, and the fields they must have."""
WHOLE = "layout.txt"


@dataclass(frozen=True)
class Texts:
    """The texts of one folder of prompts, from a folder the caller names (None: the working project, then ours)."""

    room: str
    folder: Path | None = None

    @classmethod
    def of(cls, room: str, folder: str | Path | None) -> Texts:
        """The texts; ``UsageError`` where the caller's folder has none, or a file that no prompt reads."""
        texts = cls(room, None if folder is None else Path(folder))
        texts.check()
        return texts

    @property
    def own(self) -> Path | None:
        """The caller's folder of these texts."""
        if self.folder is None:
            return None
        inner = self.folder / "prompts"
        return (inner if inner.is_dir() else self.folder) / SUITE / self.room

    @property
    def whole(self) -> Path | None:
        """A whole prompt that stands for all parts of a layout's."""
        path = None if self.folder is None or self.room != "layout" else self.folder / WHOLE
        return path if path is not None and path.is_file() else None

    def check(self) -> None:
        """Whether the caller's folder holds what it is named for."""
        if self.folder is None or self.own is None:
            return
        if not self.folder.is_dir():
            raise UsageError(f"{self.folder}: no such folder of prompts")
        if self.whole is not None:
            if self.own.is_dir():
                raise UsageError(
                    f"{self.folder}: holds {WHOLE}, a whole prompt, and parts too", hint="keep one of them"
                )
            return
        if not self.own.is_dir():
            raise UsageError(f"{self.folder}: has no prompts for this task", hint=f"parts lie in {self.own}/")
        for file in sorted(self.own.glob("*.txt")):
            if file.stem not in FIELDS[self.room]:
                hint = meant(file.stem, FIELDS[self.room])
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=hint)

    def part(self, name: str) -> Template:
        """A part without the line breaks that end its file."""
        folders = () if self.folder is None or self.whole is not None else (self.folder,)
        found = find("prompts", f"{SUITE}/{self.room}/{name}.txt", folders)
        template = load_template(found, required=FIELDS[self.room][name])
        return replace(template, text=template.text.replace("\r\n", "\n").strip("\n"))

    @property
    def sources(self) -> dict[str, str]:
        """Where each part comes from; a whole prompt is the one part."""
        if self.whole is not None:
            return {"whole": str(self.whole)}
        return {name: self.part(name).source for name in FIELDS[self.room]}

    def fingerprint(self, *names: str) -> str:
        """A hash of these parts."""
        said = json.dumps([self.room, *(self.part(name).text for name in names)])
        return hashlib.sha256(said.encode("ascii")).hexdigest()


def words(names: Sequence[str]) -> str:
    """Names in a row."""
    return ", ".join(names)


@dataclass(frozen=True)
class Prompter:
    """The prompts that ask for layouts, in one style."""

    card: Card
    style: Style
    prompts: str | Path | None = None
    examples: tuple[Example, ...] = field(default=())

    def __post_init__(self) -> None:
        if self.texts.whole is not None and self.style != style_of("zero-shot"):
            raise UsageError(
                f"{self.texts.whole} is a whole prompt, used as it is, so it is asked in style zero-shot, "
                f"not {self.style.name}",
                hint="a folder of prompts in parts knows the other styles",
            )
        if len(self.examples) != self.style.shots:
            raise UsageError(f"style {self.style.name} shows {self.style.shots} examples, not {len(self.examples)}")

    @cached_property
    def texts(self) -> Texts:
        """The parts."""
        return Texts.of("layout", self.prompts)

    def text(self, sample: FormulaSample) -> str:
        """The prompt of an item."""
        return self._template.render(prompt=sample.prompt, head=self._head)

    def messages(self, sample: FormulaSample) -> list[BaseMessage]:
        """The prompt as it is sent: one message of a user, none of the system."""
        from langchain_core.messages import HumanMessage

        return [HumanMessage(content=self.text(sample))]

    @cached_property
    def schema(self) -> dict[str, Any] | None:
        """The format of an answer in a JSON schema, as providers take it; None where the style asks for text."""
        if not self.style.schema:
            return None
        return {"type": "json_schema", "json_schema": {"name": "layout", "schema": SCHEMA, "strict": True}}

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of all that is said beside the item."""
        style = [self.style.name, self.style.reasoning, self.style.shots, self.style.schema]
        said = json.dumps(["layout", style, self._head, self._template.text])
        return hashlib.sha256(said.encode("ascii")).hexdigest()

    @cached_property
    def _head(self) -> str:
        """What comes before the item."""
        if self.texts.whole is not None:
            return ""
        part = self.texts.part
        colors = words(KNOLLING.values["color"])
        parts = [
            part("statement").render(),
            part("rules").render(),
            part("vocabulary").render(classes=words(KNOLLING.classes), colors=colors),
        ]
        if self.style.reasoning:
            parts.append(part("reasoning").render())
        if self.examples:
            parts.append(part("examples").render(examples=BETWEEN.join(self._shown_examples())))
        return BETWEEN.join([*filter(None, parts), ""])

    @cached_property
    def _template(self) -> Template:
        """The item and the form of the answer."""
        if self.texts.whole is not None:
            return load_template(self.texts.whole, required=("prompt",))
        ending = "-structured" if self.style.schema else "-reasoned" if self.style.reasoning else ""
        parts = [self.texts.part("input").text, self.texts.part(f"answer{ending}").text]
        text = "{head}" + BETWEEN.join(filter(None, parts))
        return Template.of(text, required=("head", "prompt"), source="prompts of formalimg/layout")

    def _shown_examples(self) -> list[str]:
        frame = self.texts.part("example-reasoned" if self.style.reasoning else "example")
        return [
            frame.render(
                number=str(number),
                input=self.texts.part("input").render(prompt=example.sample.prompt),
                answer=layout_text(example.layout),
                rationale=example.rationale,
            )
            for number, example in enumerate(self.examples, 1)
        ]


def layout_text(objects: Sequence[dict[str, Any]]) -> str:
    """A layout as a JSON list, an object a line.

    >>> print(layout_text([{"label": "cup", "box_2d": [0, 0, 9, 9]}]))
    [
      {"label": "cup", "box_2d": [0, 0, 9, 9]}
    ]
    """
    lines = ",\n".join(f"  {json.dumps(thing, ensure_ascii=False)}" for thing in objects)
    return f"[\n{lines}\n]" if lines else "[]"


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "label": {"type": "string", "enum": list(KNOLLING.classes)},
                    "color": {"type": "string", "enum": list(KNOLLING.values["color"])},
                    "box_2d": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["label", "color", "box_2d"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["objects"],
    "additionalProperties": False,
}
