"""Protocols of asking a judge about an image: the prompts, the number of rounds, and the orders of options.

>>> parse_protocol("ours-apart-blind")
ParsedProtocol(base='ours-apart', control='blind')
>>> [name for name in PROTOCOLS if parse_protocol(name).base == "published"]
['published', 'published-blind', 'published-shuffled']

A protocol may have a control: ``blind`` shows no image, ``shuffled`` shows that of another prompt.

Our own protocols shuffle the options in each round, so that a judge's preference for a letter cannot look like
knowledge.

>>> from tsgkit.suites.spatialgen.rows import question_from
>>> question = question_from("Where?  Options: A: up, B: down, C: left, D: right, E: None", "B")
>>> order = permutation(question, seed=1, item="000001", number=2, round=0)
>>> order, in_order(question, order).written()
('CDBA', 'Where?  Options: A: left, B: right, C: down, D: up, E: None')
>>> in_order(question, order).key, undone(order, "C"), undone(order, "E")
('C', 'B', 'E')

An order holds the letters of the data in the order shown, as records have it. It depends only on the seed, the item,
the question's number (from 0) and the round. "None" stays last.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.library.templates import Template, load_template
from tsgkit.llm.images import ImageFile
from tsgkit.suites.judges.judge import messages_of
from tsgkit.suites.spatialgen.official import ROUNDS
from tsgkit.suites.spatialgen.rows import ImageQuestion, SpatialRow
from tsgkit.suites.task import OURS, PUBLISHED

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

APART = "ours-apart"
BASES = (PUBLISHED, OURS, APART)
BASELINE = "baseline"
"""The solver name of baselines, which answer as if asked in the published way."""
BLIND, SHUFFLED = "blind", "shuffled"
CONTROLS = (BLIND, SHUFFLED)
PROTOCOLS = (*BASES, *(f"{base}-{control}" for base in BASES for control in CONTROLS))
"""All protocols. The first is the default."""
Orders = Sequence[Sequence[str]]
"""The order of the options of each question, by round."""


def permutation(question: ImageQuestion, *, seed: int, item: str, number: int, round: int) -> str:  # noqa: A002
    """Return the order of a question's options in one round."""
    letters = list(question.choices)
    Random(f"{seed}/{item}/{number}/{round}").shuffle(letters)
    return "".join(letters)


def in_order(question: ImageQuestion, order: str) -> ImageQuestion:
    """Return a question as it is shown to the judge in an order, with its key moved accordingly."""
    shown_as = dict(zip(order, sorted(order), strict=True))
    texts = {letter: question.options[original] for original, letter in shown_as.items()}
    return replace(question, options={**question.options, **texts}, key=shown_as.get(question.key, question.key))


def undone(order: str, letter: str) -> str:
    """Map a shown letter to the data's letter. Letters that an order does not name are shown as in the data."""
    return dict(zip(sorted(order), order, strict=True)).get(letter, letter)


class ParsedProtocol(NamedTuple):
    """A parsed protocol: the way of asking, and the control, if any."""

    base: str
    control: str = ""


def parse_protocol(protocol: str) -> ParsedProtocol:
    """Parse the name of a protocol."""
    if protocol == BASELINE:
        return ParsedProtocol(PUBLISHED)
    head, _, last = protocol.rpartition("-")
    return ParsedProtocol(head, last) if last in CONTROLS else ParsedProtocol(protocol)


def orders_of(sample: SpatialRow, base: str, seed: int) -> tuple[tuple[str, ...], ...]:
    """Return the orders of the options: that of the data for ``published``, else new ones for each round."""
    if base == PUBLISHED:
        return (tuple("".join(question.choices) for question in sample.questions),) * ROUNDS
    return tuple(
        tuple(
            permutation(question, seed=seed, item=sample.item_id, number=number, round=turn)
            for number, question in enumerate(sample.questions)
        )
        for turn in range(ROUNDS)
    )


def check_orders(sample: SpatialRow, orders: Orders) -> None:
    """Raise UsageError if a recorded order names other options than the data have."""
    for turn in orders:
        for question, order in zip(sample.questions, turn, strict=True):
            if len(set(order)) < len(order) or not set(order) <= set(question.choices):
                options = "".join(question.choices)
                hint = "the data have changed since the run"
                raise UsageError(f"the order {order} is none of the options {options}", hint=hint)


def shown(sample: SpatialRow, orders: Sequence[str]) -> list[ImageQuestion]:
    """Return the questions as shown in one round."""
    return [in_order(question, order) for question, order in zip(sample.questions, orders, strict=True)]


def schema_of(questions: Sequence[ImageQuestion], base: str) -> dict[str, Any] | None:
    """Return the response format for JSON answers, whose letters are exactly those of the options."""
    if base == PUBLISHED:
        return None
    names = ["answer"] if base == APART else [str(number) for number in range(1, len(questions) + 1)]
    fields = {
        name: {"type": "string", "enum": list(question.options) or ["E"]}
        for name, question in zip(names, questions, strict=True)
    }
    schema = {"type": "object", "properties": fields, "required": names, "additionalProperties": False}
    return {"type": "json_schema", "json_schema": {"name": "answers", "schema": schema, "strict": True}}


@dataclass(frozen=True)
class QuestionPrompts:
    """The prompts of one protocol, from the user's folder, else the working project, else the bundled ones."""

    card: Card
    way: ParsedProtocol
    folder: str | None = None

    def check(self) -> None:
        """Raise UsageError if the folder has none of the prompts, or if one has the wrong fields."""
        if self.folder is not None:
            names, folder = sorted(f"{name}.txt" for name in FIELDS), Path(self.folder)
            if not folder.is_dir():
                raise UsageError(f"{folder}: folder of prompts not found")
            if not any((folder / name).is_file() or (folder / self.card.prompts / name).is_file() for name in names):
                raise UsageError(f"{folder}: the folder has no prompts", hint=f"it may contain {', '.join(names)}")
        _ = self.fingerprint

    @cached_property
    def role(self) -> str:
        """The system message."""
        return self._template("role").text.rstrip("\n")

    @cached_property
    def ask(self) -> Template:
        """The template of the user message."""
        base = "apart" if self.way.base == APART else self.way.base
        return self._template(f"{base}-blind" if self.way.control == BLIND else base)

    def _template(self, name: str) -> Template:
        """Return a prompt from the first place that has it, the user's folder first."""
        stored = f"{self.card.prompts}/{name}.txt"
        files = [] if self.folder is None else [Path(self.folder, f"{name}.txt"), Path(self.folder, stored)]
        file = next(filter(Path.is_file, files), None)
        return load_template(file or find("prompts", stored), required=FIELDS[name])

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the prompts."""
        return hashlib.sha256(f"{self.role}\0{self.ask.text}".encode()).hexdigest()[:16]

    def messages(self, questions: Sequence[ImageQuestion], image: ImageFile | None) -> list[BaseMessage]:
        """Return the system message, and the user message with the questions and the image."""
        images, images_first = () if image is None else (image,), self.way.base != PUBLISHED
        return messages_of(self.text(questions), images=images, role=self.role, images_first=images_first)

    def text(self, questions: Sequence[ImageQuestion]) -> str:
        """Return the text of the user message."""
        if self.way.base == APART:
            return self.ask.render(question=questions[0].written()).rstrip("\n")
        lines = [question.written() for question in questions]
        if self.way.base == OURS:
            lines = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
        return self.ask.render(questions="\n".join(lines)).rstrip("\n")


FIELDS = {
    "role": (),
    **{f"{name}{end}": ("questions",) for name in (PUBLISHED, OURS) for end in ("", "-blind")},
    "apart": ("question",),
    "apart-blind": ("question",),
}
"""The names of the prompts, and their required fields."""
