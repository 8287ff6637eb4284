"""What models are asked: the parts of a task's prompts, in files or written by hand, with the fields of an item.

A part in a file lies in the folder of a task's card, else in ``shared`` beside it, else in a folder that lends parts.
Every prompt has the parts ``statement``, ``reasoning``, ``examples``, ``example``, ``example-reasoned``, ``input``,
``answer``, ``answer-reasoned`` and ``answer-structured``; a task may put rules of its own between statement and
reasoning. Where a prompt is published, a folder may hold it whole: one template with the fields of the published one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card
from tsgkit.library.projects import find, text_of
from tsgkit.library.templates import Template, load_template
from tsgkit.suites.judgement import Sample
from tsgkit.suites.replies import TextOf, one_text
from tsgkit.suites.rows import Rows, items_in
from tsgkit.suites.solvers.examples import Identity, Pool, WorkedExample, folded, pool_file
from tsgkit.suites.styles import Style

SHARED = "shared"
WHOLE = "whole"
SHOWN = ("number", "input", "answer")
FRAMES = {"examples": ("examples",), "example": SHOWN, "example-reasoned": (*SHOWN, "rationale")}
"""The parts around worked examples, with their fields."""
ANSWERS = ("answer", "answer-reasoned", "answer-structured")
WRITTEN_STYLES = ("zero-shot", "cot")
THINK = 'Think step by step first. Then write the answer behind "Final answer:" on a line of its own.'
"""The styles of prompts that are written by hand, and what the second one asks for."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a task asks of models: the parts of its prompts, the fields of an item, and the form of an answer."""

    task: str
    """The task as its suite declares it: ``tsg/sgqa``."""
    fields: Callable[[Any], Mapping[str, str]]
    """Returns the values of an item for the fields of the input."""
    folder: str = ""
    """The folder of its parts that the card names."""
    asked: tuple[str, ...] = ()
    """The fields that the input shows."""
    optional: tuple[str, ...] = ()
    """The fields that input and answer contracts may show besides."""
    rules: tuple[str, ...] = ("rules",)
    """The parts between statement and reasoning."""
    rule_values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The fields of rules that have some, with their values."""
    answer: Callable[[Any], str] | None = None
    """Returns the right answer to an item in the form that is asked for; None where there are many."""
    length: Callable[[Any], tuple[int, int]] | None = None
    """Returns how many characters a right reply has, at least and at most; None for those of :attr:`answer`."""
    schema: Callable[[Any, int], dict[str, Any]] | None = None
    """Returns the JSON schema of an answer, whose lists have at most so many entries."""
    longest: Callable[[Any], int] | None = None
    """Returns the length of the longest list in the right answer."""
    answer_name: str = "answer"
    """The name of an answer in a JSON schema, as it is sent."""
    identity: Callable[[Any], Identity] | None = None
    """Returns the identity of an item for comparison with examples."""
    pool: Callable[[], Pool] | None = None
    """Returns the worked examples."""
    homes: tuple[str, ...] = ()
    """Other folders that lend parts."""
    also: tuple[str, ...] = ()
    """Parts of other tasks that may lie in the same folders."""
    whole: Mapping[str, Callable[[Any], str]] = field(default_factory=dict)
    """The fields of the published prompt, with what the published code writes there; empty where there is none."""
    written: Mapping[str, Template] | None = None
    """Its parts where they lie in no files; such a prompt takes no others."""
    styles: tuple[str, ...] = ()
    """The only styles that it can be asked in, beside those of users; empty for all."""
    code: str = ""
    """A hash of the code that writes the prompt."""
    reply_text: TextOf = one_text
    """Returns the text of a ``reply`` in a file."""

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts, in the order in which a prompt may hold them."""
        return ("statement", *self.rules, "reasoning", *FRAMES, "input", *ANSWERS)

    def length_of(self, item: Sample) -> tuple[int, int]:
        """Return how many characters a right reply to an item has, at least and at most."""
        if self.length is not None:
            return self.length(item)
        size = len(self.answer(item)) if self.answer is not None else 0
        return size, size

    def identity_of(self, item: Sample) -> Identity:
        """Return the identity of an item for comparison with examples: its own, else its content and its cluster."""
        if self.identity is not None:
            return self.identity(item)
        shown = tuple(folded(value) for _, value in sorted(self.fields(item).items()))
        return Identity((shown,), (item.cluster,))

    def examples(self) -> Pool:
        """Return the worked examples; ``UsageError`` where there are none."""
        if self.pool is None:
            raise UsageError(f"{self.task} has no worked examples", hint="ask zero-shot")
        return self.pool()

    def check(self, style: Style, prompts: str | None) -> None:
        """Raise ``UsageError`` for a style or a folder of prompts that it does not take."""
        if self.styles and style.name not in self.styles and style.rewrite is None:
            raise UsageError(
                f"{self.task} cannot be asked in style {style.name}", hint=f"choose from {', '.join(self.styles)}"
            )
        self.texts(prompts)

    def sources(self, prompts: str | Path | None) -> Mapping[str, str]:
        """Return where each part comes from."""
        if self.written is not None:
            return {"prompt": self.task}
        return {name: part.source for name, part in self.texts(prompts).templates.items()}

    def texts(self, prompts: str | Path | None, longest: int = 0) -> PromptTexts:
        """Return its texts, from a given folder (None: the working project, then ours).

        ``longest`` is the length of the longest list that is a right answer to an item of the data.
        """
        if self.written is not None:
            if prompts is not None:
                raise UsageError(f"{self.task} has a prompt of its own, so --prompts has no use")
            return PromptTexts(self, self.written)
        whole = None if prompts is None else self._whole_in(Path(prompts))
        if whole is not None:
            return PromptTexts(self, {WHOLE: load_template(whole, required=tuple(self.whole))})
        folders = () if prompts is None else (Path(prompts),)
        find("prompts", self.folder, folders)
        return PromptTexts(self, {name: self._template(name, folders) for name in self.parts}, longest)

    def _template(self, name: str, folders: Sequence[Path]) -> Template:
        """Return the part in the first home that has it; the error of the first home where none has."""
        problems = list[UsageError]()
        for home in self._homes:
            try:
                file = find("prompts", f"{home}/{name}.txt", folders)
                break
            except UsageError as error:
                problems.append(error)
        else:
            raise problems[0]
        if name in FRAMES:
            loaded = load_template(file, required=FRAMES[name])
        elif name == "input":
            loaded = load_template(file, required=self.asked, optional=self.optional)
        elif name in ANSWERS:
            loaded = load_template(file, optional=(*self.asked, *self.optional))
        else:
            loaded = load_template(file, required=tuple(self.rule_values.get(name, ())))
        return replace(loaded, text=loaded.text.replace("\r\n", "\n").strip("\n"))

    @property
    def _homes(self) -> Iterable[str]:
        shared = PurePosixPath(self.folder).parent / SHARED
        return dict.fromkeys((self.folder, str(shared), *self.homes))

    def _whole_in(self, folder: Path) -> Path | None:
        """Return the whole prompt in a given folder, if there is one; refuse a folder that holds neither it nor parts,
        or anything that no prompt reads."""
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder of prompts")
        room = folder / "prompts" if (folder / "prompts").is_dir() else folder
        homes = [room / home for home in self._homes if (room / home).is_dir()]
        whole = folder / f"{self.task.rpartition('/')[2]}.txt"
        where = f"parts lie in {folder}/{self.folder}/"
        if whole.is_file():
            if homes:
                raise UsageError(
                    f"{folder}: holds {whole.name}, a whole prompt, and parts too", hint="keep one of the two"
                )
            if not self.whole:
                problem = f"{whole}: {self.task} has no published prompt, so it cannot be used whole"
                raise UsageError(problem, hint=f"prompts in {where}")
            return whole
        if not homes:
            more = f", a whole prompt is {whole}" if self.whole else ""
            raise UsageError(f"{folder}: has no prompts for {self.task}", hint=where + more)
        known = (*self.parts, *self.also)
        for file in sorted(file for home in homes for file in home.glob("*.txt")):
            if file.stem not in known and (self.also or file.parent.name != SHARED):
                raise UsageError(f"{file}: there is no prompt part {file.stem}", hint=meant(file.stem, known))
        return None


def row_prompt(
    card: Card,
    rows: Rows,
    *,
    fields: Callable[[Any], Mapping[str, str]],
    asked: tuple[str, ...],
    answer: Callable[[Any], str],
    **parts: Any,  # noqa: ANN401  (the other parts of a prompt)
) -> Prompt:
    """Return the prompt of a task of rows, whose worked examples are rows with a ``rationale``."""

    def pool() -> Pool:
        assert rows.lines is not None  # noqa: S101  (they are rows)
        file = pool_file(card)
        examples = [
            WorkedExample(item, answer(item), str(row.get("rationale", "")))
            for item, row in items_in(rows.lines, text_of(file), str(file))
        ]
        return Pool(str(file), tuple(examples), prompt.identity_of)

    prompt = Prompt(task=card.task, folder=card.prompts, fields=fields, asked=asked, answer=answer, pool=pool, **parts)
    return prompt


def written_prompt(
    task: str, question: Callable[[Any], str], *, answer: Callable[[Any], str], code: str = ""
) -> Prompt:
    """Return a prompt that a function writes whole; reasoning is asked for behind it."""
    texts = {"input": "{question}", "answer": "", "answer-reasoned": THINK, "reasoning": ""}
    return Prompt(
        task=task,
        fields=lambda item: {"question": question(item)},
        asked=("question",),
        answer=answer,
        written={part: Template.of(text, optional=["question"], source=task) for part, text in texts.items()},
        styles=WRITTEN_STYLES,
        code=code,
    )


@dataclass(frozen=True)
class PromptTexts:
    """The loaded texts of a prompt, with the values of an item."""

    prompt: Prompt
    templates: Mapping[str, Template]
    longest: int = 0

    @property
    def whole(self) -> Template | None:
        """A whole prompt that is used as it is; None where there are parts."""
        return self.templates.get(WHOLE)

    @property
    def opening(self) -> Sequence[str]:
        """The statement and the rules."""
        if self.prompt.written is not None:
            return ()
        values = self.prompt.rule_values
        return [self.templates[name].render(**values.get(name, {})) for name in ("statement", *self.prompt.rules)]

    def values(self, item: Sample) -> Mapping[str, str]:
        """Return the values of an item, in a whole prompt as the published code writes them."""
        if self.whole is not None:
            return {name: written(item) for name, written in self.prompt.whole.items()}
        return self.prompt.fields(item)

    def schema(self, item: Sample) -> dict[str, Any]:
        """Return the JSON schema of an answer, with lists half as long again as the longest."""
        if self.prompt.schema is None:
            problem = f"{self.prompt.task}: style structured has no use here: the answer has no JSON schema"
            raise UsageError(problem)
        return self.prompt.schema(item, self.longest + self.longest // 2)


# JSON schemas of answers, of keywords that services take in strict mode: every field required, and lists that end


def closed(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the schema of an object with these properties and no others.

    >>> closed({"answer": one_of(("A", "B"))})["properties"]
    {'answer': {'type': 'string', 'enum': ['A', 'B']}}
    """
    return {"type": "object", "properties": dict(properties), "required": [*properties], "additionalProperties": False}


def list_of(entry: Mapping[str, object], least: int | None = None, most: int | None = None) -> dict[str, object]:
    """Return the schema of a list of so many entries; None for any number."""
    limits = {"minItems": least, "maxItems": most}
    return {"type": "array", "items": entry, **{name: limit for name, limit in limits.items() if limit is not None}}


def one_of(names: tuple[str, ...]) -> dict[str, object]:
    """Return the schema of one of these names."""
    return {"type": "string", "enum": list(names)}
