"""Prompts of this suite: the texts of a task, and the values of a sample that go into them.

>>> from tsgkit.library.documents.reading import read_document
>>> from tsgkit.suites.tsg.samples import samples_of
>>> graphs = '[[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]'
>>> row = '{"context_graphs": ' + graphs + ', "qa_pairs": [{"Q": "What is washed?", "A": "cup"}]}'
>>> sample, = samples_of(read_document(row, "row.jsonl"), "sgqa")
>>> prompter = prompter_of("sgqa", "structured")
>>> print(prompter.text(sample).split("\\n\\n")[2])
Graphs of the scene:
>>> prompter.schema(sample)["properties"]
{'answer': {'type': 'string', 'enum': ['person', 'wash', 'cup']}}
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import load_card
from tsgkit.library.templates import Template
from tsgkit.suites.solvers.examples import Example
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import Style, style_of
from tsgkit.suites.tsg.derived import ActionsSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.prompt_sets import FIELDS, MORE_FIELDS, RULES, WHOLE, PromptSet, prompt_set
from tsgkit.suites.tsg.samples import ROWS, AnySample, GenerationSample, QuestionSample, SelectionSample
from tsgkit.suites.tsg.showing import schema_of, shown, shown_as_published

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


@dataclass(frozen=True)
class TaskTexts:
    """The texts that a task of this suite is asked with."""

    prompts: PromptSet
    answer_name: str = "answer"

    @property
    def whole(self) -> Template | None:
        """The published form: one template."""
        return self.prompts.templates.get(WHOLE)

    @property
    def opening(self) -> Sequence[str]:
        """The statement and the rules of the task."""
        return [self.part(name).render() for name in ("statement", *RULES[self.prompts.task])]

    @property
    def fields(self) -> tuple[Collection[str], Collection[str]]:
        """The fields that input and answer must and may have."""
        return FIELDS[self.prompts.task], MORE_FIELDS.get(self.prompts.task, ())

    def part(self, name: str) -> Template:
        """Return a part without the line break that ends its file, whatever system wrote it."""
        part = self.prompts.templates[name]
        return replace(part, text=part.text.replace("\r\n", "\n").strip("\n"))

    def values(self, item: AnySample) -> Mapping[str, str]:
        """Return the values of a sample, in a whole prompt as published."""
        if not isinstance(item, KIND[self.prompts.task]):
            raise UsageError(f"item {item.item_id} is no sample of {self.prompts.task}")
        return shown_as_published(item) if self.prompts.is_whole else shown(item)

    def schema(self, item: AnySample) -> dict[str, Any]:
        """Return the JSON schema of an answer, which allows exactly L."""
        return schema_of(item)

    def hashed(self, style: Sequence[object], head: str, tail: str) -> Sequence[object]:
        """Return what a fingerprint is made of."""
        return [self.prompts.task, style, self.prompts.is_whole, head, tail]


def prompter_of(
    task: str,
    style: Style | str = "zero-shot",
    prompts: PromptSet | str | Path | None = None,
    examples: Sequence[Example[AnySample]] = (),
) -> Prompter[AnySample]:
    """Return the prompts of a task in a style; a style given by its name shows as many examples as are given.

    ``prompts`` is a set, a folder that holds one, or None for those of the working project and ours.
    """
    task = task.removeprefix("tsg/")
    if task not in ROWS:
        raise UsageError(f"there is no task {task}", hint=meant(task, ROWS))
    if isinstance(style, str):
        style = style_of(style, len(examples) or None)
    if not isinstance(prompts, PromptSet):
        prompts = prompt_set(prompts, load_card(f"tsg/{task}"))
    if prompts.task != task:
        raise UsageError(f"these are prompts for {prompts.task}, not for {task}")
    return Prompter(TaskTexts(prompts), style, examples)
