"""Prompts: a task's parts put together in a style, with the values of one sample in them.

>>> from tsgkit.suites.tsg.documents import read_document
>>> from tsgkit.suites.tsg.samples import samples_of
>>> graphs = '[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]'
>>> row = '{"context_graphs": ' + graphs + ', "qa_pairs": [{"Q": "What is washed?", "A": "cup"}]}'
>>> sample, = samples_of(read_document(row, "row.jsonl"), "sgqa")
>>> prompter = Prompter("sgqa", "structured")
>>> print(prompter.text(sample).split("\\n\\n")[2])
Graphs of the scene:
>>> prompter.schema(sample)["properties"]
{'answer': {'type': 'string', 'enum': ['person', 'wash', 'cup']}}

A prompt is one message of a user: statement, rules, perhaps reasoning, perhaps worked examples, the input, and the form
of the answer. What is the same for all samples is rendered once; values are put in once and never read again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import load_card
from tsgkit.library.templates import Template
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.tsg.derived import ActionsSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.examples import Example, check_disjoint, examples_of, pool_of
from tsgkit.suites.tsg.prompt_sets import FIELDS, MORE_FIELDS, RULES, WHOLE, PromptSet, prompt_set
from tsgkit.suites.tsg.samples import ROWS, AnySample, GenerationSample, QuestionSample, SelectionSample
from tsgkit.suites.tsg.showing import schema_of, shown, shown_answer, shown_as_published

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = [
    "PRESETS",
    "Example",
    "PromptSet",
    "Prompter",
    "Style",
    "check_disjoint",
    "examples_of",
    "pool_of",
    "prompt_set",
    "style_of",
]

BETWEEN = "\n\n"
KIND = {
    "sgqa": QuestionSample,
    "sgds": SelectionSample,
    "sa-sgg": GenerationSample,
    "ma-sgg": GenerationSample,
    "nodes-sa": NodesSample,
    "nodes-ma": NodesSample,
    "edges-sa": EdgesSample,
    "edges-ma": EdgesSample,
    "actions": ActionsSample,
    "refine": RefineSample,
    "refine-hinted": RefineSample,
}


class Prompter:
    """The prompts of one task in one style.

    ``prompts`` is a set, a folder that holds one, or None for those of the working project and ours; a style given by
    its name shows as many examples as are given.
    """

    def __init__(
        self,
        task: str,
        style: Style | str = "zero-shot",
        prompts: PromptSet | str | Path | None = None,
        examples: Sequence[Example] = (),
    ) -> None:
        self.task = task.removeprefix("tsg/")
        if self.task not in ROWS:
            raise UsageError(f"there is no task {task}", hint=meant(self.task, ROWS))
        self.style = style_of(style, len(examples) or None) if isinstance(style, str) else style
        self.examples = tuple(examples)
        if not isinstance(prompts, PromptSet):
            prompts = prompt_set(prompts, load_card(f"tsg/{self.task}"))
        self.prompts = prompts
        self._check()

    def text(self, sample: AnySample) -> str:
        """The prompt of a sample."""
        if not isinstance(sample, KIND[self.task]):
            raise UsageError(f"item {sample.item_id} is no sample of {self.task}")
        values = shown_as_published(sample) if self.prompts.is_whole else shown(sample)
        return self._head + self._tail.render(**values)

    def messages(self, sample: AnySample) -> list[BaseMessage]:
        """The prompt as it is sent: one message of a user, none of the system."""
        from langchain_core.messages import HumanMessage

        return [HumanMessage(content=self.text(sample))]

    def schema(self, sample: AnySample) -> dict[str, object] | None:
        """The JSON schema that the answer must follow; None where the style asks for text."""
        return schema_of(sample) if self.style.schema else None

    @cached_property
    def fingerprint(self) -> str:
        """A SHA-256 of all that is said beside the sample: texts, chosen examples, style."""
        style = [self.style.name, self.style.reasoning, self.style.shots, self.style.schema]
        said = json.dumps([self.task, style, self.prompts.is_whole, self._head, self._tail.text])
        return hashlib.sha256(said.encode("ascii")).hexdigest()

    def _check(self) -> None:
        style = self.style
        if self.prompts.task != self.task:
            raise UsageError(f"these are prompts for {self.prompts.task}, not for {self.task}")
        if self.prompts.is_whole and style != PRESETS["zero-shot"]:
            source = self.prompts.templates[WHOLE].source
            raise UsageError(
                f"{source} is a whole prompt, used as it is, so it is asked in style zero-shot, not {style.name}",
                hint="a folder of prompts in parts knows the other styles",
            )
        if style.schema and (style.shots or style.reasoning):
            raise UsageError(f"style {style.name}: an answer in a JSON schema goes without reasoning and examples")
        if len(self.examples) != style.shots:
            raise UsageError(f"style {style.name} shows {style.shots} examples, and {len(self.examples)} were given")
        for example in self.examples:
            if style.reasoning and not example.rationale:
                raise UsageError(f"style {style.name}: example {example.sample.item_id} has no rationale")

    @cached_property
    def _head(self) -> str:
        """What comes before the sample, with the blank line after it."""
        if self.prompts.is_whole:
            return ""
        parts = [self._part(name).render() for name in ("statement", *RULES[self.task])]
        if self.style.reasoning:
            parts.append(self._part("reasoning").render())
        if self.examples:
            parts.append(self._part("examples").render(examples=BETWEEN.join(self._shown_examples())))
        return BETWEEN.join([*filter(None, parts), ""])

    @cached_property
    def _tail(self) -> Template:
        """The input and the form of the answer, as one template."""
        if self.prompts.is_whole:
            return self.prompts.templates[WHOLE]
        ending = "-structured" if self.style.schema else "-reasoned" if self.style.reasoning else ""
        parts = [self._part("input"), self._part(f"answer{ending}")]
        fields = FIELDS[self.task]
        return Template.of(
            BETWEEN.join(part.text for part in parts if part.text),
            required=fields,
            optional=MORE_FIELDS.get(self.task, ()),
            source=parts[0].source,
        )

    def _shown_examples(self) -> list[str]:
        frame = self._part("example-reasoned" if self.style.reasoning else "example")
        asked = self._part("input")
        return [
            frame.render(
                number=str(number),
                input=asked.render(**shown(example.sample)),
                answer=shown_answer(example.sample),
                rationale=example.rationale,
            )
            for number, example in enumerate(self.examples, 1)
        ]

    def _part(self, name: str) -> Template:
        """A part without the line break that ends its file, whatever system wrote it."""
        part = self.prompts.templates[name]
        return replace(part, text=part.text.replace("\r\n", "\n").strip("\n"))
