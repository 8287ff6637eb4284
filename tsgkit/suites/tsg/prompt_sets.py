"""The texts a task is asked with: parts in files of their own, or one whole template as published.

A set in parts lies in the folder that the card names (``prompts/tsg/ma-sgg``); what that folder lacks is taken from
``shared`` beside it. A set of whole prompts is a folder with ``sgqa.txt``, ``sgds.txt``, ``sa-sgg.txt``, ``ma-sgg.txt``
directly in it, with the fields of the published ones.

>>> from tsgkit.library.cards import load_card
>>> prompts = prompt_set(None, load_card("tsg/sgqa"))
>>> sorted(prompts.templates["input"].fields), prompts.is_whole
(['graphs', 'question'], False)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template

WHOLE = "whole"
GENERATION_RULES = ("graph-rules", "node-rules", "hand-rules", "edge-rules")
RULES = {
    "sgqa": ("graphs",),
    "sgds": ("graphs",),
    "sa-sgg": GENERATION_RULES,
    "ma-sgg": GENERATION_RULES,
    "nodes-sa": ("node-rules", "hand-rules"),
    "nodes-ma": ("node-rules", "hand-rules"),
    "edges-sa": ("graph-rules", "edge-rules"),
    "edges-ma": ("graph-rules", "edge-rules"),
    "actions": ("action-rules",),
    "refine": (*GENERATION_RULES, "error-rules"),
    "refine-hinted": (*GENERATION_RULES, "error-rules"),
}
NODES_FIELDS = ("context", "sentence", "nodes", "given_edges")
EDGES_FIELDS = ("context", "sentence", "edges", "given_nodes", "count")
REFINE_FIELDS = ("context", "sentence", "nodes", "edges", "place", "graph", "hint")
FIELDS = {
    "sgqa": ("graphs", "question"),
    "sgds": ("context", "graph", "candidates"),
    "sa-sgg": ("context", "sentence", "nodes", "edges"),
    "ma-sgg": ("context", "sentence", "nodes", "edges", "count"),
    "nodes-sa": NODES_FIELDS,
    "nodes-ma": NODES_FIELDS,
    "edges-sa": EDGES_FIELDS,
    "edges-ma": EDGES_FIELDS,
    "actions": ("context", "sentence", "actions", "given_nodes", "given_edges"),
    "refine": REFINE_FIELDS,
    "refine-hinted": REFINE_FIELDS,
}
"""What a task's input must show."""
MORE_FIELDS = {"sgds": ("letters",)}
"""What a task's input and answer contracts may show besides."""
PUBLISHED_FIELDS = {
    "sgqa": ("scene_graph", "question"),
    "sgds": ("context", "triplet", "sentences"),
    "sa-sgg": ("context", "target_sentence", "available_nodes", "available_edges"),
    "ma-sgg": ("context", "target_sentence", "available_nodes", "available_edges", "num_scene_graphs"),
}
SHOWN = ("number", "input", "answer")
FRAMES = {"examples": ("examples",), "example": SHOWN, "example-reasoned": (*SHOWN, "rationale")}
"""The parts around worked examples, with their fields."""
ANSWERS = ("answer", "answer-reasoned", "answer-structured")


@dataclass(frozen=True)
class PromptSet:
    """The checked templates of one task by part; a whole prompt has the one part ``whole``."""

    task: str
    templates: dict[str, Template]

    @property
    def is_whole(self) -> bool:
        """Whether this is one template for everything, as published."""
        return WHOLE in self.templates


def part_names(task: str) -> tuple[str, ...]:
    """The parts of a task's prompts, in the order in which a prompt may hold them."""
    return ("statement", *RULES[task], "reasoning", *FRAMES, "input", *ANSWERS)


def prompt_set(folder: str | Path | None, card: Card, start: Path | None = None) -> PromptSet:
    """The templates of a card's task, from a folder the caller names (None: the working project, then ours)."""
    task = card.task.partition("/")[2]
    if folder is None:
        return _in_parts(card, task, (), start)
    folder = Path(folder)
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder of prompts")
    room = folder / "prompts" if (folder / "prompts").is_dir() else folder
    own = [room / name for name in _homes(card, task) if (room / name).is_dir()]
    whole = folder / f"{task}.txt"
    if own and whole.is_file():
        raise UsageError(f"{folder}: holds {whole.name}, a whole prompt, and parts too", hint="keep one of the two")
    if whole.is_file() and task not in PUBLISHED_FIELDS:
        hint = f"prompts in parts lie in {folder}/{card.prompts}/"
        raise UsageError(f"{whole}: {card.task} has no published prompt, so none is used whole", hint=hint)
    if whole.is_file():
        return PromptSet(task, {WHOLE: load_template(whole, required=PUBLISHED_FIELDS[task])})
    if not own:
        hint = f"parts lie in {folder}/{card.prompts}/"
        hint += f", a whole prompt is {whole}" if task in PUBLISHED_FIELDS else ""
        raise UsageError(f"{folder}: has no prompts for {card.task}", hint=hint)
    _check_names(own)
    return _in_parts(card, task, (folder,), start)


def _in_parts(card: Card, task: str, folders: Sequence[Path], start: Path | None) -> PromptSet:
    find("prompts", card.prompts, folders, start)
    return PromptSet(task, {part: _template(card, task, part, folders, start) for part in part_names(task)})


def _template(card: Card, task: str, part: str, folders: Sequence[Path], start: Path | None) -> Template:
    found = _found(card, task, part, folders, start)
    if part in FRAMES:
        return load_template(found, required=FRAMES[part])
    own = (*FIELDS[task], *MORE_FIELDS.get(task, ()))
    if part == "input":
        return load_template(found, required=FIELDS[task], optional=own)
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
    """Where a part may lie: the card's folder, the shared one beside it, then the suite's own."""
    beside = PurePosixPath(card.prompts).parent / "shared"
    yield from dict.fromkeys((card.prompts, str(beside), f"tsg/{task}", "tsg/shared"))


def _check_names(homes: Sequence[Path]) -> None:
    """A file that no prompt reads is a slip of the pen, and would otherwise change nothing in silence."""
    known = tuple(dict.fromkeys(part for task in RULES for part in part_names(task)))
    for home in homes:
        for file in sorted(home.glob("*.txt")):
            if file.stem not in known:
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=meant(file.stem, known))
