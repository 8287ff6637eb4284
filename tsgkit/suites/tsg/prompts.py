"""Prompts of this suite: parts in files, or one whole template as published.

A set in parts lies in the folder that the card names (``prompts/tsg/ma-sgg``); what that folder lacks is taken from
``shared`` beside it. A set of whole prompts is a folder with ``sgqa.txt``, ``sgds.txt``, ``sa-sgg.txt``, ``ma-sgg.txt``
directly in it, with the fields of the published ones. At the end stand the JSON schemas of answers: every field
required, no other allowed, names exactly those that may be used, and lists that end. They use only keywords that
services take in strict mode, so that an element can stand twice in a triplet: to exclude that needs ``anyOf`` of
objects with the same first field, which OpenAI refuses, and an action may share its name with its object.

>>> closed({"answer": one_of(("A", "B"))})["properties"]
{'answer': {'type': 'string', 'enum': ['A', 'B']}}
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any, Generic, Protocol, TypeVar

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.suites.solvers.prompt_files import ANSWERS, FRAMES
from tsgkit.suites.tsg.items import Sample

Item = TypeVar("Item", bound=Sample, contravariant=True)
Shown = TypeVar("Shown", bound=Sample)
WHOLE = "whole"
EVERY_RULE = ("graphs", "graph-rules", "node-rules", "hand-rules", "edge-rules", "action-rules", "error-rules")
"""The rules of all tasks; a file with an unknown rule name is an error."""


class Asks(Protocol[Item]):
    """The part of a task that its prompts need."""

    card: Card
    kind: str
    item_type: type[Sample]
    rules: tuple[str, ...]
    asked_fields: tuple[str, ...]
    more_fields: tuple[str, ...]
    whole_fields: tuple[str, ...]

    def fields(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""

    def published_values(self, item: Item) -> Mapping[str, str]:
        """Return the values of an item for the published prompt."""

    def schema(self, item: Item, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer, whose lists have at most so many entries."""


@dataclass(frozen=True)
class PromptSet:
    """The checked templates of one task by part; a whole prompt has the one part ``whole``."""

    task: str
    templates: dict[str, Template]

    @property
    def is_whole(self) -> bool:
        """True if this is one template for everything, as published."""
        return WHOLE in self.templates


def part_names(rules: Sequence[str]) -> tuple[str, ...]:
    """Return the parts of prompts with these rules, in the order in which a prompt may hold them."""
    return ("statement", *rules, "reasoning", *FRAMES, "input", *ANSWERS)


def prompt_set(folder: str | Path | None, asks: Asks[Any], start: Path | None = None) -> PromptSet:
    """Return the templates of a card's task from a given folder (None: the working project, then ours)."""
    card, task = asks.card, asks.kind
    if folder is None:
        return _in_parts(asks, (), start)
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of prompts")
    room = folder / "prompts" if (folder / "prompts").is_dir() else folder
    own = [room / name for name in _homes(card, task) if (room / name).is_dir()]
    whole = folder / f"{task}.txt"
    if own and whole.is_file():
        raise UsageError(f"{folder}: holds {whole.name}, a whole prompt, and parts too", hint="keep one of the two")
    if whole.is_file() and not asks.whole_fields:
        hint = f"prompts in parts lie in {folder}/{card.prompts}/"
        raise UsageError(f"{whole}: {card.task} has no published prompt, so it cannot be used whole", hint=hint)
    if whole.is_file():
        return PromptSet(task, {WHOLE: load_template(whole, required=asks.whole_fields)})
    if not own:
        hint = f"parts lie in {folder}/{card.prompts}/"
        hint += f", a whole prompt is {whole}" if asks.whole_fields else ""
        raise UsageError(f"{folder}: has no prompts for {card.task}", hint=hint)
    _check_names(own)
    return _in_parts(asks, (folder,), start)


def _in_parts(asks: Asks[Any], folders: Sequence[Path], start: Path | None) -> PromptSet:
    find("prompts", asks.card.prompts, folders, start)
    return PromptSet(asks.kind, {part: _template(asks, part, folders, start) for part in part_names(asks.rules)})


def _template(asks: Asks[Any], part: str, folders: Sequence[Path], start: Path | None) -> Template:
    found = _found(asks.card, asks.kind, part, folders, start)
    if part in FRAMES:
        return load_template(found, required=FRAMES[part])
    own = (*asks.asked_fields, *asks.more_fields)
    if part == "input":
        return load_template(found, required=asks.asked_fields, optional=own)
    return load_template(found, optional=own if part in ANSWERS else ())


def _found(card: Card, task: str, part: str, folders: Sequence[Path], start: Path | None) -> Traversable:
    problem = None
    for home in _homes(card, task):
        try:
            return find("prompts", f"{home}/{part}.txt", folders, start)
        except UsageError as error:
            problem = problem or error
    raise problem or UsageError(f"{card.task} has no prompt part {part}")


def _homes(card: Card, task: str) -> Iterator[str]:
    """Yield the possible folders of a part: the card's, the shared one beside it, then the suite's own."""
    beside = PurePosixPath(card.prompts).parent / "shared"
    yield from dict.fromkeys((card.prompts, str(beside), f"tsg/{task}", "tsg/shared"))


def _check_names(homes: Sequence[Path]) -> None:
    """Raise an error for a file that no prompt uses, since it is probably misspelt."""
    known = part_names(EVERY_RULE)
    for home in homes:
        for file in sorted(home.glob("*.txt")):
            if file.stem not in known:
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=meant(file.stem, known))


@dataclass(frozen=True)
class TaskTexts(Generic[Shown]):
    """The texts of a task of this suite."""

    prompts: PromptSet
    task: Asks[Shown]
    longest: int
    """The entries of the longest list that is a right answer to an item of the data."""
    answer_name: str = "answer"

    @property
    def whole(self) -> Template | None:
        """The published form: one template."""
        return self.prompts.templates.get(WHOLE)

    @property
    def opening(self) -> Sequence[str]:
        """The statement and the rules of the task."""
        return [self.part(name).render() for name in ("statement", *self.task.rules)]

    @property
    def fields(self) -> tuple[Collection[str], Collection[str]]:
        """The fields that input and answer must and may have."""
        return self.task.asked_fields, self.task.more_fields

    def part(self, name: str) -> Template:
        """Return a part without the line break that ends its file, whatever system wrote it."""
        part = self.prompts.templates[name]
        return replace(part, text=part.text.replace("\r\n", "\n").strip("\n"))

    def values(self, item: Shown) -> Mapping[str, str]:
        """Return the values of an item, in a whole prompt as published."""
        if not isinstance(item, self.task.item_type):
            raise UsageError(f"item {item.item_id} is no item of {self.task.kind}")
        return self.task.published_values(item) if self.prompts.is_whole else self.task.fields(item)

    def schema(self, item: Shown) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows exactly L, and lists half as long again as the longest."""
        return self.task.schema(item, self.longest + self.longest // 2)


def graphs_schema(k: int, most: int, nodes: tuple[str, ...], edges: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of k graphs of at most so many triplets, and at least one, with these nodes and edges."""
    node = {"$ref": "#/$defs/node"}
    schema = closed({"graphs": list_of({"$ref": "#/$defs/graph"}, k, k)})
    schema["$defs"] = {
        "graph": list_of({"$ref": "#/$defs/triplet"}, 1, most),
        "node": one_of(nodes),
        "edge": one_of(edges),
        "triplet": closed({"source": node, "edge": {"$ref": "#/$defs/edge"}, "target": node}),
    }
    return schema


def closed(properties: dict[str, object]) -> dict[str, object]:
    """Return the schema of an object with these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def list_of(entry: dict[str, Any], least: int, most: int) -> dict[str, object]:
    """Return the schema of a list of so many entries."""
    return {"type": "array", "items": entry, "minItems": least, "maxItems": most}


def one_of(names: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of one of these names."""
    return {"type": "string", "enum": list(names)}
