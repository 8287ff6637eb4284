"""Prompts of this suite: the texts of its tasks and its judges, and the words of an item that go into them.

>>> from tsgkit.suites.formalimg.rows import sample_from
>>> row = {"scenario": "knolling", "id": 0, "prompt": "A red {cup}.", "dsl": "(exists ?x (Is ?x 'cup'))"}
>>> prompter = prompter_of(style_of("zero-shot"))
>>> prompter.text(sample_from(row, "row", 0)).split("\\n\\n")[-2]
'A red {cup}.'

Worked examples: items of our own with a layout that satisfies them and the reasoning that leads to it.

A pool is a file of rows, each with a ``layout`` and a ``rationale``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.suites.formalimg.rows import FormulaSample, Placed, read_rows, sample_from
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file
from tsgkit.suites.solvers.prompter import BETWEEN, Prompter
from tsgkit.suites.styles import Style, style_of

__all__ = ["BETWEEN", "SCHEMA", "LayoutTexts", "Texts", "layout_text", "prompter_of", "style_of", "words"]

SUITE = "formalimg"
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
class LayoutTexts:
    """The texts that ask for layouts."""

    texts: Texts
    answer_name: str = "layout"

    @cached_property
    def whole(self) -> Template | None:
        """The whole prompt of the caller, if there is one."""
        return None if self.texts.whole is None else load_template(self.texts.whole, required=("prompt",))

    @property
    def opening(self) -> Sequence[str]:
        """The statement, the rules, and the classes and colours there are."""
        vocabulary = self.part("vocabulary")
        named = vocabulary.render(classes=words(KNOLLING.classes), colors=words(KNOLLING.values["color"]))
        return [self.part("statement").render(), self.part("rules").render(), named]

    @property
    def fields(self) -> tuple[Collection[str], Collection[str]]:
        """The instruction, and nothing else."""
        return ("prompt",), ()

    def part(self, name: str) -> Template:
        """Return a part."""
        return self.texts.part(name)

    def values(self, item: FormulaSample) -> Mapping[str, str]:
        """Return the instruction."""
        return {"prompt": item.prompt}

    def schema(self, item: FormulaSample) -> dict[str, Any]:
        """Return the JSON schema of a layout, the same for all items."""
        return SCHEMA

    def hashed(self, style: Sequence[object], head: str, tail: str) -> Sequence[object]:
        """Return what a fingerprint is made of."""
        return ["layout", style, head, tail if self.whole is not None else "{head}" + tail]


def prompter_of(
    style: Style, prompts: str | Path | None = None, examples: Sequence[Example[FormulaSample]] = ()
) -> Prompter[FormulaSample]:
    """Return the prompts that ask for layouts in a style."""
    return Prompter(LayoutTexts(Texts.of("layout", prompts)), style, examples)


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


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    layout: list[dict[str, Any]]
    rationale: StrictStr


def pool_of(card: Card) -> Pool[FormulaSample]:
    """Return all examples of a card's pool."""
    examples = tuple(_example(row) for row in read_rows(pool_file(card)))
    return Pool(str(card.examples), examples, identity_of)


def identity_of(sample: FormulaSample) -> Identity:
    """Return what an item is recognised by: its formula and its words."""
    return Identity((sample.dsl, folded(sample.prompt)))


def _example(row: Placed) -> Example[FormulaSample]:
    sample = sample_from(row.value, row.place, row.number)
    try:
        answer = _Answer.model_validate(row.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{row.place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return Example(sample, layout_text(answer.layout), answer.rationale)
