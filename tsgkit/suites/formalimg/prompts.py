"""Prompt texts of this suite for judges, image models and makers: a folder of prompts with its own parts.

>>> texts = Texts.of("natural", {"judge": ("prompt", "formula", "clauses")})
>>> list(texts.sources)
['judge']
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template

SUITE = "formalimg"


@dataclass(frozen=True)
class Texts:
    """The texts of a prompt folder named by the caller (None: the working project, then the built-in ones)."""

    room: str
    fields: Mapping[str, Sequence[str]]
    """The parts and their required fields."""
    folder: Path | None = None

    @classmethod
    def of(cls, room: str, fields: Mapping[str, Sequence[str]], folder: str | Path | None = None) -> Texts:
        """Return the texts. Raise ``UsageError`` if the caller's folder has none, or contains a file that no prompt
        uses."""
        texts = cls(room, fields, None if folder is None else Path(folder))
        if texts.folder is not None:
            texts.check(texts.folder)
        return texts

    def check(self, folder: Path) -> None:
        """Raise ``UsageError`` if a folder lacks these texts or contains other files."""
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of prompts")
        own = (folder / "prompts" if (folder / "prompts").is_dir() else folder) / SUITE / self.room
        if not own.is_dir():
            raise UsageError(f"{folder}: has no prompts for this task", hint=f"parts lie in {own}/")
        for file in sorted(own.glob("*.txt")):
            if file.stem not in self.fields:
                hint = meant(file.stem, self.fields)
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=hint)

    def part(self, name: str) -> Template:
        """Return a part without the line breaks at the end of its file."""
        folders = () if self.folder is None else (self.folder,)
        found = find("prompts", f"{SUITE}/{self.room}/{name}.txt", folders)
        template = load_template(found, required=self.fields[name])
        return replace(template, text=template.text.replace("\r\n", "\n").strip("\n"))

    @property
    def sources(self) -> dict[str, str]:
        """The source of each part."""
        return {name: self.part(name).source for name in self.fields}

    @property
    def fingerprint(self) -> str:
        """A hash of all parts."""
        said = json.dumps([self.room, *(self.part(name).text for name in self.fields)])
        return hashlib.sha256(said.encode("ascii")).hexdigest()


def words(names: Sequence[str]) -> str:
    """Return names joined by commas."""
    return ", ".join(names)


def layout_text(objects: Sequence[dict[str, Any]]) -> str:
    """Return a layout as a JSON list, one object per line.

    >>> print(layout_text([{"label": "cup", "box_2d": [0, 0, 9, 9]}]))
    [
      {"label": "cup", "box_2d": [0, 0, 9, 9]}
    ]
    """
    lines = ",\n".join(f"  {json.dumps(thing, ensure_ascii=False)}" for thing in objects)
    return f"[\n{lines}\n]" if lines else "[]"
