"""Prompt parts in files: one each, in the folder of a task's card or in ``shared`` beside it.

Every prompt has the parts ``statement``, ``reasoning``, ``examples``, ``example``, ``example-reasoned``, ``input``,
``answer``, ``answer-reasoned`` and ``answer-structured``; a task may put rules of its own between statement and
reasoning.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any, Generic

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.suites.solvers.protocols import Item

SHARED = "shared"
SHOWN = ("number", "input", "answer")
FRAMES = {"examples": ("examples",), "example": SHOWN, "example-reasoned": (*SHOWN, "rationale")}
"""The parts around worked examples, with their fields."""
ANSWERS = ("answer", "answer-reasoned", "answer-structured")


@dataclass(frozen=True)
class Parts:
    """The parts of a task's prompts: its rules, and the fields of its input."""

    folder: str
    """The folder that its card names, as in ``tsg/sgqa``."""
    rules: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """The fields that its input shows."""
    optional: tuple[str, ...] = ()
    """The fields that its input and its answer contracts may show besides."""
    rule_fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The fields of rules that have some."""
    homes: tuple[str, ...] = ()
    """Other folders that lend parts."""
    whole_fields: tuple[str, ...] | None = None
    """The fields of a whole published prompt; None if none is published."""

    @property
    def names(self) -> tuple[str, ...]:
        """The parts in the order in which a prompt may hold them."""
        return ("statement", *self.rules, "reasoning", *FRAMES, "input", *ANSWERS)

    def load(self, folder: str | Path | None) -> dict[str, Template]:
        """Return the templates from a given folder (None: the working project, then ours)."""
        if folder is not None:
            self._check(Path(folder))
        folders = () if folder is None else (Path(folder),)
        return {name: self._template(name, folders) for name in self.names}

    def _template(self, name: str, folders: Sequence[Path]) -> Template:
        found = self._found(name, folders)
        if name in FRAMES:
            loaded = load_template(found, required=FRAMES[name])
        elif name == "input":
            loaded = load_template(found, required=self.required, optional=self.optional)
        elif name in ANSWERS:
            loaded = load_template(found, optional=(*self.required, *self.optional))
        else:
            loaded = load_template(found, required=self.rule_fields.get(name, ()))
        return replace(loaded, text=loaded.text.replace("\r\n", "\n").strip("\n"))

    def _found(self, name: str, folders: Sequence[Path]) -> Traversable:
        problem: UsageError | None = None
        for home in self._homes():
            try:
                return find("prompts", f"{home}/{name}.txt", folders)
            except UsageError as error:
                problem = problem or error
        raise problem or UsageError(f"{self.folder} has no prompt part {name}")

    def _homes(self) -> Iterator[str]:
        beside = PurePosixPath(self.folder).parent / SHARED
        yield from dict.fromkeys((self.folder, str(beside), *self.homes))

    def _check(self, folder: Path) -> None:
        """Refuse a folder without parts of these prompts, or with a file that no prompt reads."""
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of prompts")
        room = folder / "prompts" if (folder / "prompts").is_dir() else folder
        own = [room / home for home in self._homes() if (room / home).is_dir()]
        if not own:
            raise UsageError(f"{folder}: has no prompts for this task", hint=f"parts lie in {room / self.folder}/")
        for file in sorted(file for home in own if home.name != SHARED for file in home.glob("*.txt")):
            if file.stem not in self.names:
                hint = meant(file.stem, self.names)
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=hint)


@dataclass(frozen=True)
class Texts(Generic[Item]):
    """The loaded texts of a task, with the values of an item."""

    parts: Parts
    templates: Mapping[str, Template]
    values_of: Callable[[Item], Mapping[str, str]]
    schema_of: Callable[[Item], dict[str, Any]]
    answer_name: str = "answer"
    rule_values: Mapping[str, str] = field(default_factory=dict)
    """The values of the rules' fields."""
    whole: Template | None = None

    @property
    def opening(self) -> Sequence[str]:
        """The statement and the rules."""
        return [self.part(name).render(**self.rule_values) for name in ("statement", *self.parts.rules)]

    @property
    def fields(self) -> tuple[Collection[str], Collection[str]]:
        """The fields that input and answer must have, and those that they may have."""
        return self.parts.required, self.parts.optional

    def part(self, name: str) -> Template:
        """Return a part."""
        return self.templates[name]

    def values(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item."""
        return self.values_of(item)

    def schema(self, item: Item) -> dict[str, Any]:
        """Return the JSON schema of an answer."""
        return self.schema_of(item)
