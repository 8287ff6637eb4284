"""Prompts: the texts of a task composed in a style, with the values of one item.

A prompt is one user message: statement and rules, optionally reasoning and worked examples, the input, and the form of
the answer. Parts that are equal for all items are rendered once; inserted values are never interpreted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.library.templates import Template
from tsgkit.llm.prompt_cache import STABLE
from tsgkit.suites.judgement import Sample
from tsgkit.suites.rows import Dataset
from tsgkit.suites.solvers.examples import WorkedExample
from tsgkit.suites.solvers.prompt_files import Prompt, PromptTexts
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.styles import PRESETS, Style

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

BETWEEN = "\n\n"
ROLES = {"human": "user"}
"""Names of senders in model interfaces, where our messages use other names."""


class Prompter:
    """The prompts of one task in one style."""

    def __init__(self, texts: PromptTexts, style: Style, examples: Sequence[WorkedExample] = ()) -> None:
        self.texts, self.style, self.examples, whole = texts, style, tuple(examples), texts.whole
        if whole is not None and style != PRESETS["zero-shot"]:
            raise UsageError(
                f"{whole.source} is a whole prompt, which can only be asked in style zero-shot, not {style.name}",
                hint="prompts in parts support the other styles",
            )
        if style.schema and (style.shots or style.reasoning):
            raise UsageError(f"style {style.name}: an answer in a JSON schema has neither reasoning nor examples")
        if len(self.examples) != style.shots:
            raise UsageError(f"style {style.name} shows {style.shots} examples, and {len(self.examples)} were given")
        for example in self.examples:
            if style.reasoning and not example.rationale:
                raise UsageError(f"style {style.name}: example {example.item.item_id} has no rationale")

    def text(self, item: Sample) -> str:
        """Return the prompt of an item: the task's texts, as a user's style rewrites them."""
        composed = self._head + self._tail.render(**self.texts.values(item))
        return composed if self.style.rewrite is None else str(self.style.rewrite(composed))

    def messages(self, item: Sample) -> list[BaseMessage]:
        """Return the prompt as it is sent: one message of a user, none of the system."""
        from langchain_core.messages import HumanMessage

        text, stable = self.text(item), self._stable
        shared = {STABLE: len(stable)} if stable and text.startswith(stable) else {}
        return [HumanMessage(content=text, additional_kwargs=shared)]

    def schema(self, item: Sample) -> dict[str, Any] | None:
        """Return the JSON schema that the answer must follow; None where the style asks for text."""
        return self.texts.schema(item) if self.style.schema else None

    def response_format(self, item: Sample) -> dict[str, Any] | None:
        """Return that schema as providers take it."""
        if (schema := self.schema(item)) is None:
            return None
        json_schema = {"name": self.texts.prompt.answer_name, "schema": schema, "strict": True}
        return {"type": "json_schema", "json_schema": json_schema}

    @cached_property
    def fingerprint(self) -> str:
        """The SHA-256 of everything sent beside the item: texts, chosen examples, style."""
        style: list[object] = [self.style.name, self.style.reasoning, self.style.shots, self.style.schema]
        style += [code for code in (self.style.code, self.texts.prompt.code) if code]
        return hashlib.sha256(json.dumps([*style, self._head, self._tail.text]).encode("ascii")).hexdigest()

    def expected(self, item: Sample, calls: int) -> Expected:
        """Return bounds on so many calls with the prompt of an item, each with a reply as long as a right one."""
        sent = len(self.text(item)) * calls
        least, most = self.texts.prompt.length_of(item)
        return Expected((calls, calls), (sent, sent), (least * calls, most * calls), self.style.reasoning)

    def preview(self, task: str, item: Sample) -> Preview:
        """Return what would be sent for an item."""
        return Preview(
            task=task,
            style=self.style,
            item_id=item.item_id,
            text=self.text(item),
            messages=tuple(
                {"role": ROLES.get(message.type, message.type), "content": str(message.content)}
                for message in self.messages(item)
            ),
            schema=self.schema(item),
            fingerprint=self.fingerprint,
            examples=tuple(example.item.item_id for example in self.examples),
        )

    @cached_property
    def _head(self) -> str:
        """All that comes before the item, with the blank line after it."""
        if self.texts.whole is not None:
            return ""
        parts = [*self.texts.opening]
        if self.style.reasoning:
            parts.append(self.texts.templates["reasoning"].render())
        if self.examples:
            frame = self.texts.templates["example-reasoned" if self.style.reasoning else "example"]
            shown = [
                frame.render(
                    number=str(number),
                    input=self.texts.templates["input"].render(**self.texts.values(example.item)),
                    answer=example.answer,
                    rationale=example.rationale,
                )
                for number, example in enumerate(self.examples, 1)
            ]
            parts.append(self.texts.templates["examples"].render(examples=BETWEEN.join(shown)))
        return BETWEEN.join([*filter(None, parts), ""])

    @cached_property
    def _stable(self) -> str:
        """The paragraphs that begin the prompt of every item: all before the first that shows a field."""
        shared = self._head + self._tail.render(**dict.fromkeys(self._tail.fields, "\0")).partition("\0")[0]
        return shared[: shared.rfind(BETWEEN) + len(BETWEEN)] if BETWEEN in shared else ""

    @cached_property
    def _tail(self) -> Template:
        """The input and the form of the answer, as one template."""
        if self.texts.whole is not None:
            return self.texts.whole
        ending = "-structured" if self.style.schema else "-reasoned" if self.style.reasoning else ""
        parts = [self.texts.templates["input"], self.texts.templates[f"answer{ending}"]]
        text = BETWEEN.join(part.text for part in parts if part.text)
        prompt = self.texts.prompt
        return Template.of(text, required=prompt.asked, optional=prompt.optional, source=parts[0].source)


@dataclass(frozen=True)
class PreviewOptions:
    """The selection of a prompt: its item (None: the first), style, solver and folder."""

    item: str | None = None
    data: str | None = None
    """A file of rows or other data of the task; None for its own."""
    style: str = "zero-shot"
    shots: int | None = None
    seed: int = 0
    prompts: str | None = None


@dataclass(frozen=True)
class Preview:
    """The prompt of one item: its text, its messages, and their sources."""

    task: str
    style: Style
    item_id: str
    text: str
    messages: tuple[dict[str, str], ...]
    schema: dict[str, object] | None
    fingerprint: str
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Descriptions of what is sent beside the text."""


def prompter_of(prompt: Prompt, style: Style, dataset: Dataset, *, seed: int, prompts: str | None) -> Prompter:
    """Return the prompts of a task in a style, after checking that the examples do not overlap with the items."""
    prompt.check(style, prompts)
    longest = 0
    if style.schema and prompt.longest is not None:
        longest = max((prompt.longest(dataset.sample(number)) for number in range(len(dataset))), default=0)
    items = (dataset.sample(number) for number in range(len(dataset)))
    examples = prompt.examples().chosen(style.shots, seed, items) if style.shots else ()
    return Prompter(prompt.texts(prompts, longest), style, examples)
